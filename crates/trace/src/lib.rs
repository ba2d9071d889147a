//! From the words of a trace, saved or live, to one stream of events with routines, and to engines that take it.
//!
//! [`Assembler`] takes chunks in any order of threads and makes [`Batch`]es of events in one order of all threads of a
//! process: `thread_reader` reads the words of one thread, most of them by the table of `fast_path`, as `layout` says
//! of each block when it is defined, and `batch_writer` puts the events into the batch. [`Catalog`] has routines and
//! source lines, [`LoopFinder`] the loop that is to be opened. [`WorkerPool`] gives batches to engines on threads of
//! their own; [`RunCounts`] counts what a trace says, without engines.
//!
//! The crate does no I/O: chunks come from who calls, bytes of programs from its [`Files`](parascan_symbols::Files).

#![forbid(unsafe_code)]

mod assembler;
mod batch;
mod batch_writer;
mod catalog;
mod counts;
mod fast_path;
mod layout;
mod open;
mod tally;
#[cfg(test)]
mod tests;
mod thread_reader;
mod workers;

pub use assembler::{Assembler, Window, WindowStart};
pub use batch::{Batch, EventSource, NextInStream};
pub use catalog::{Catalog, CodeAddress, Located, PER_PATTERN};
pub use counts::RunCounts;
pub use open::{LoopFinder, LoopHead, LoopLine, WantedLoop};
pub use tally::{AccessSum, Total};
pub use thread_reader::Anomalies;
pub use workers::{Finding, Task, View, WorkerPool};
