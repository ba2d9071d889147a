//! The reference: a slow, obvious interpreter of `docs/semantics.md`, against which pass and runtime are checked.
//!
//! * [`load`] reads the prepared bitcode into [`ir`]; everything behind it is plain Rust;
//! * [`plan`] and [`control`] say what control depends on; [`clock`] keeps the clocks of all open regions;
//! * [`dependence`] sees what iterations take from each other, in memory; [`carrier`] the same in registers;
//! * [`machine`] executes; [`compute`], [`intrinsic`], [`library`](machine) know the operations;
//! * [`generate`] makes random programs;
//! * [`compare`] and [`check`] hold the result against a profile.

pub mod carrier;
pub mod check;
pub mod clock;
pub mod compare;
pub mod compute;
pub mod control;
pub mod cost;
pub mod dependence;
pub mod generate;
mod history;
pub mod intrinsic;
pub mod ir;
mod library;
pub mod load;
pub mod machine;
pub mod memory;
pub mod plan;
pub mod print;
pub mod value;
