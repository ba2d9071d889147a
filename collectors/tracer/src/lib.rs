//! The tracer: a DynamoRIO client inside the program that is measured. It writes which basic blocks every thread
//! executes and which memory they touch into the shared memory of `parascan_abi::trace`, where the parascan process
//! reads it.
//!
//! `plan` decides what a block records (with `opcodes`, `prefix`, `registers` and, for operands that are known only
//! when executed, `dynamic`), `emit` inserts the code that records it, `encode` makes machine code of that (in a
//! `code_buffer`), `gate` is what it calls when a chunk is full, `resume` its way back when a signal came meanwhile.
//! `define` publishes what blocks and modules are. `ring` is the shared memory, `thread` a thread's place in it,
//! `local` the words by which generated code knows that place, `process` which process this is; `events` is everything
//! that DynamoRIO reports, `start` since when blocks are recorded, `options` what parascan asks for, `environment` what
//! the program must not see, `itself` where it finds its own file, `brk`, `close_range` and `evex` what DynamoRIO would
//! get wrong, `arguments` those of system calls that are changed for that; `kernel` is what system calls do to memory,
//! `failure` what is said when the tracer itself is wrong. `dr` declares DynamoRIO; `heap` and `strings`, with
//! `parascan_system`, stand in for a libc, which is not linked: DynamoRIO would load a private copy of it into the
//! program.
//!
//! With `panic = "abort"` (profile `rt`) the crate is `no_std` with its own panic handler; all other profiles only
//! check it.
#![cfg_attr(panic = "abort", no_std)]
#![allow(
    missing_docs,
    reason = "nothing is exported but the entry; the declarations of DynamoRIO are documented there"
)]

extern crate alloc;

mod arguments;
mod brk;
mod close_range;
mod code_buffer;
mod define;
mod dr;
mod dynamic;
mod emit;
mod encode;
mod environment;
mod events;
mod evex;
#[cfg(panic = "abort")]
mod failure;
mod gate;
mod heap;
mod itself;
mod kernel;
mod local;
mod opcodes;
mod options;
mod plan;
mod prefix;
mod process;
mod registers;
mod resume;
mod ring;
mod segment;
mod start;
#[cfg(panic = "abort")]
mod strings;
mod thread;

use parascan_system as sys;

/// Version of DynamoRIO's interface, which it checks when it loads the client.
#[unsafe(no_mangle)]
#[used]
pub static _USES_DR_VERSION_: i32 = 1190;

/// Called by DynamoRIO when the client is loaded, before the program starts.
///
/// # Safety
/// By DynamoRIO only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dr_client_main(id: u32, _count: i32, _words: *const *const u8) {
    // SAFETY: the string belongs to DynamoRIO and outlives the client.
    let options = unsafe { options::TracerOptions::read(dr::dr_get_options(id).cast()) };
    if !ring::map(&options.ring) {
        // The reader is gone (a process that outlived the run executed this program): run unrecorded.
        return;
    }
    opcodes::init();
    registers::init();
    // SAFETY: this is the one place for it, before any thread runs.
    unsafe { events::register(options) };
}

#[cfg(panic = "abort")]
#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    failure::end(info)
}

/// Never called: nothing unwinds. The prebuilt core library names it.
#[cfg(panic = "abort")]
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}
