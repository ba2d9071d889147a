//! What an address of a program is in its source, out of the bytes of ELF files: functions, lines, inlined calls.
//!
//! * [`functions`]: where functions begin and end, from symbols, unwind tables and the PLT, of stripped files, too;
//! * [`debug_info`]: source lines and inlined calls, from DWARF;
//! * [`loops`]: what jumps back, by source line;
//! * [`omp`]: the same for what the collector of OpenMP programs saw;
//! * [`elf_file`]: which libraries a file needs, and what it offers them;
//! * [`executable`]: whether the kernel can execute a file, and by what.
//!
//! The crate does no I/O: [`Files`] gives it the bytes of the files that it asks for.

#![forbid(unsafe_code)]

pub mod debug_info;
pub mod elf_file;
mod entry;
pub mod executable;
mod files;
pub mod functions;
pub mod loops;
pub mod omp;
mod separate;

pub use debug_info::DebugInfo;
pub use executable::{Executable, NotExecutable};
pub use files::{Files, NoFiles};
pub use functions::{Functions, MAIN};
