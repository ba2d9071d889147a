//! The runtime inside instrumented programs: regions, contexts, the dictionary of instances, and shadow memory off the
//! fast paths. `parascan_abi::runtime_symbols` lists what it exports.
//!
//! Linked into unmodified programs, so it uses no libc (raw system calls, its own memory) and exports nothing but
//! `__ps_*`: `localize.sh` turns the static library of `cargo build -p parascan-runtime --profile rt` into an archive
//! with one object in which every other symbol is local. Profile `rt` has `panic = "abort"`, which makes this crate
//! `no_std` with its own panic handler; all other profiles build it as an ordinary library for tests.
//!
//! Begin with `exports`, which is everything that instrumented code calls, and who may; `busy` says whether a call is
//! at work. `tracker` is the recorder:
//! * instances come and go in `regions`, `loops` and `statics`; `contexts`, `builder` (with `children`) and
//!   `dictionary` (with `symbols`) are what becomes of them;
//! * `shadow` moves times with memory, `text` says how much of a string a function looked at;
//! * `log` is the file that survives a crash, `finish` (with `undo`) the end of the program, `full` what happens when
//!   clocks are full;
//! * `bursts` measures stretches of a run; `beginning`, `schedule`, `timing`, `switches` and `growth` say when,
//!   `callers` (with `sites`) by way of which native code;
//! * `deps` observes dependences, when the program runs for that;
//! * `init`, `modules`, `tls`, `maps`, `fork` are start, modules, the thread's state, address space, processes;
//!   `handlers` are signals in the middle of tracked code.
#![cfg_attr(all(panic = "abort", not(test)), no_std)]

mod beginning;
mod builder;
mod bursts;
mod busy;
mod callers;
mod children;
mod contexts;
mod deps;
mod descriptors;
mod dictionary;
mod exports;
mod finish;
mod fork;
mod full;
mod growth;
mod handlers;
mod init;
mod kept;
mod lanes;
mod left_out;
mod log;
mod loops;
mod maps;
mod message;
mod modules;
mod regions;
mod schedule;
mod shadow;
mod sites;
mod statics;
mod switches;
mod symbols;
#[cfg(test)]
mod tests;
mod text;
mod threads;
mod timing;
mod tls;
mod tracker;
mod undo;
mod waiting;

use parascan_system as sys;

#[cfg(all(panic = "abort", not(test)))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    message::fatal(&[b"internal error in the runtime: please report it"])
}
