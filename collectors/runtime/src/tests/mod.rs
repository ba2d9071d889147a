//! Tests of the runtime against naive models, on a log in plain memory and on thread states that are ordinary values.

mod bursts;
mod carried;
mod limits;
mod regions;
mod shadow;
mod support;
