//! Functions that the program calls instead of, or before, others.
//!
//! They take effect where the library is preloaded. `functions` is function instrumentation, `named` are marks, `end`
//! is `_exit`; the others are the few entries of the OpenMP runtimes that OMPT alone does not time (`regions`, `loops`,
//! `tasks`, `synchronization`), `original` finds the runtime's functions of these names for the module that
//! calls (`modules`), and `arguments` gets there with the program's arguments.

mod end;
mod functions;
mod named;

#[cfg(target_arch = "x86_64")]
mod arguments;
#[cfg(target_arch = "x86_64")]
mod loops;
#[cfg(target_arch = "x86_64")]
mod modules;
#[cfg(target_arch = "x86_64")]
mod original;
#[cfg(target_arch = "x86_64")]
mod regions;
#[cfg(target_arch = "x86_64")]
mod synchronization;
#[cfg(target_arch = "x86_64")]
mod tasks;

#[cfg(target_arch = "x86_64")]
pub use modules::note_start;
pub use named::{begin, text};
