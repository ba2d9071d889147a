//! Every format parascan writes or reads, without I/O: bytes in, bytes out.
//!
//! * [`module`]: what the pass knows about an instrumented module, embedded in its object file;
//! * [`prepared`]: the pass's notes on a module before instrumentation, for the reference interpreter;
//! * [`latency`]: latency tables;
//! * [`profile`]: the profile as a value; [`validate`]: whether it makes sense; [`codec`]: its bytes;
//! * [`log`]: the runtime's log of one process; [`build`]: logs into a profile;
//! * [`evidence`]: what a run observed of dependences between iterations;
//! * [`magic`]: by which bytes files are known;
//! * [`figures`]: how instances of a region add up;
//! * [`names`]: functions and lines as the source has them;
//! * [`omp`]: what a run of an OpenMP program left;
//! * [`synthetic`]: profiles from hand-made region trees, for tests.
//! * [`trace`]: traces of running programs: records, saved traces.

#![forbid(unsafe_code)]

pub mod build;
pub mod c_text;
pub mod c_writer;
pub mod codec;
pub mod evidence;
pub mod figures;
pub mod latency;
pub mod log;
pub mod magic;
pub mod module;
pub mod names;
pub mod omp;
mod operator;
pub mod prepared;
pub mod profile;
pub mod source;
pub mod synthetic;
pub mod trace;
pub mod validate;
