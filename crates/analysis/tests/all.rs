//! All tests of what the crate offers, in one program: what they share is compiled once.

mod common;

mod chart;
mod compare;
mod costs;
mod effort;
mod facts;
mod memory;
mod nests;
mod phases;
mod planning;
mod profiles;
mod ranks;
mod reference;
mod slices;
mod stats;
mod targets;
mod types;
