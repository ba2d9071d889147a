//! The proof that what a plan prints as code can be pasted: every pragma of every plan is put above its loop, compiled
//! by plain clang, and run.
//!
//! Each alone, and all of a plan together:
//! * on 2 and on 4 threads, many times, against the serial program's results: bit for bit, floating sums within
//!   rounding ([`outcome`]); a run that does not end is a failure;
//! * on one thread with the iterations in reverse and in shuffled order (`order.c`), so that a dependence shows without
//!   luck;
//! * under ThreadSanitizer with LLVM's Archer, with neighbouring iterations on different threads, so that what must be
//!   private shows even where the results come out right.

pub mod build;
pub mod outcome;
pub mod paste;
pub mod subject;
pub mod table;
pub mod trial;
