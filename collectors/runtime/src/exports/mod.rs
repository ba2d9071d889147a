//! The exported functions, and who may do what: threads, signal handlers, calls before the start and after the end.
//!
//! One thread is tracked, the one that ran the first module's constructor. `State::depth` of every other thread, and of
//! all threads when nothing is recorded, is `UNTRACKED_DEPTH` or more, which the region functions look at first.
//!
//! A signal handler may interrupt the tracked thread inside the runtime and call it again. [`crate::busy::BUSY`] holds
//! the stack pointer of the call at work; a call from far below it on the stack is such a handler's, and region calls
//! do nothing then. Any other call means that a handler jumped out of the interrupted call.
//!
//! `recorder` says who may use the recorder. `regions`, `memory` and `texts` are what tracked code calls (`without`:
//! what it calls where dependences are left out), `native` what native code calls; `other_threads` are those that are
//! not tracked, `lifetime` is start and end of modules and of the process.

mod lifetime;
mod memory;
mod native;
mod other_threads;
mod recorder;
mod regions;
mod texts;
mod without;
