//! The reference: a slow, obvious interpreter of `docs/semantics.md`, against which pass and runtime are checked.
//!
//! * [`load`] reads the prepared bitcode into [`ir`]; everything behind it is plain Rust;
//! * [`plan`] and [`control`] say what control depends on; [`clock`] keeps the clocks of all open regions;
//! * [`machine`] executes; [`compute`], [`intrinsic`], [`library`](machine) know the operations;
//! * [`generate`] makes random programs;
//! * [`compare`] and [`check`] hold the result against a profile.

pub mod check;
pub mod clock;
pub mod compare;
pub mod compute;
pub mod control;
pub mod cost;
pub mod generate;
pub mod intrinsic;
pub mod ir;
mod library;
pub mod load;
pub mod machine;
pub mod memory;
pub mod plan;
pub mod print;
pub mod value;
