//! Pure functions from profiles to results: region figures and parallelism plans. No I/O.
//!
//! * [`model`]: one or several profiles of a program, brought together;
//! * [`regions`]: figures of every static region;
//! * [`class`]: DOALL, DOACROSS, serial, task;
//! * [`personality`]: thresholds and rules of a target, as data;
//! * [`plan`]: which regions to parallelize, in which order, and why not the others;
//! * [`advice`]: what to write into the source.
//!
//! Definitions stand in `docs/semantics.md`, how a plan is made in `docs/plan.md`.

pub mod advice;
pub mod class;
mod error;
mod identity;
pub mod model;
pub mod personality;
pub mod plan;
pub mod regions;

pub use error::Error;
