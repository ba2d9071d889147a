//! Dynamic dependency graphs of instruction streams under many machine models at once (Paragraph, PerPI).
//!
//! What every figure means stands in `docs/ilp-model.md`. The crate does no I/O: it is given a [`program::Program`]
//! (static facts) and a stream of [`event::Event`]s.
//!
//! Begin with [`engine`], the fast one: one pass, many [`model`]s at once. `reference` (a feature, for tests) computes
//! the same from the definitions. [`stretch`] looks at a part of a stream instance by instance: chains, graphs,
//! histograms. [`predict`] has branch predictors, [`result`] what is found.

mod announced;
pub mod engine;
pub mod error;
pub mod event;
pub mod model;
pub mod options;
pub mod predict;
pub mod program;
#[cfg(feature = "reference")]
pub mod reference;
mod registers;
pub mod result;
pub mod stretch;
#[cfg(feature = "reference")]
pub mod synthetic;
