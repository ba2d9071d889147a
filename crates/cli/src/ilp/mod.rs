//! `parascan ilp`: runs any program under the tracer, and measures its dependency graph.
//!
//! [`program`] finds what is to be executed, [`launch`] starts it under DynamoRIO, [`ring`] reads the shared memory that it writes
//! to, [`collect`] is the three together. [`assemble`] makes events of chunks (with routines from [`catalog`]), [`crew`] gives them to the
//! engines, [`results`] puts together what they found, and [`run`] is the whole.

pub mod args;
mod assemble;
mod batch;
mod catalog;
mod collect;
mod config;
mod crew;
mod elf;
mod launch;
mod layout;
mod lines;
mod program;
mod results;
mod ring;
mod run;
mod tasks;
mod write;

pub use run::run;
