//! Pure functions from profiles to results: region figures and parallelism plans. No I/O.
//!
//! * [`model`]: one or several profiles of a program, brought together;
//! * [`regions`]: figures of every static region;
//! * [`chart`]: the p-chart, which regions run when and how parallel each is;
//! * [`class`]: DOALL, DOACROSS, serial, task;
//! * [`costs`]: what threads cost on a machine; [`memory`]: how fast its memory is; [`devices`]: vectors and devices
//!   instead of threads;
//! * [`compare`]: what differs between two profiles;
//! * [`personality`]: thresholds and rules of a target, as data;
//! * [`plan`]: which regions to parallelize, in which order, and why not the others;
//! * [`advice`]: what to write into the source; [`apply`]: the source with that in it;
//! * [`proof`]: what the parallel program was seen to bring, and a verdict for each entry;
//! * [`evidence`]: which dependences were observed, and what can be done; [`explain`]: that for some regions;
//! * [`phases`]: OpenMP programs: control flow, iterative phases, overheads;
//! * [`bursts`]: estimates of a whole run from stretches of it;
//! * [`effort`]: the parallelization effort chart: in which order, for how many lines of code;
//! * [`types`]: the parallelism-type scan: data, thread or instruction level.
//!
//! Definitions stand in `docs/semantics.md`, how a plan is made in `docs/plan.md`.

#![forbid(unsafe_code)]

pub mod advice;
pub mod apply;
mod balance;
pub mod bursts;
pub mod chart;
pub mod class;
pub mod compare;
pub mod costs;
pub mod devices;
pub mod effort;
mod error;
pub mod evidence;
pub mod explain;
mod identity;
mod language;
mod library;
pub mod memory;
pub mod model;
pub mod numbers;
pub mod personality;
pub mod phases;
pub mod plan;
pub mod proof;
pub mod regions;
mod traffic;
mod tree;
pub mod types;

pub use error::Error;
