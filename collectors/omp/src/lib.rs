//! The OpenMP collector: a library loaded into the watched program, which counts and times its constructs through OMPT.
//!
//! `parascan omp` names it in `LD_PRELOAD` and `OMP_TOOL_LIBRARIES`. Without [`parascan_abi::omp::ENV_DIR`] in the
//! environment, it does nothing. What is charged to which node and state is laid down in `docs/omp-overheads.md`.
//!
//! * `ompt` declares OMPT, `tool` is how its runtime finds the collector, `callbacks` says what each event means,
//!   `hooks` what functions of its own do that the program calls (function instrumentation, marks, `_exit`, creation of
//!   tasks), `marks` ITT and NVTX;
//! * `tracker` is a thread's stack and clock (`tracker::team` a parallel region), `task` an explicit task, `family`
//!   tasks that are waited for together, `locks` when mutexes were given back, `published` what others see of a thread;
//! * `tables` numbers places and nodes for all threads, `snapshot` cuts the run, `log` is the file, `process` start and
//!   end, `recording` whether there is one and since when, `counters` what is counted of a thread, `shortage` how long
//!   it had no processor.
//!
//! Events take no locks, allocate nothing and make no system calls, except when a thread comes to a node for the first
//! time, creates its first teams or tasks, or looks at its counters (at most about once a millisecond).

mod callbacks;
mod clock;
mod counters;
mod family;
mod hooks;
mod locks;
mod log;
mod marks;
mod ompt;
mod process;
mod published;
mod recording;
mod shortage;
mod snapshot;
mod tables;
mod task;
mod tool;
mod tracker;
