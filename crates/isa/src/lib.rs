//! What an instruction does, as far as a dependency graph is concerned: locations read and written, class, control
//! transfer.
//!
//! The meaning of locations stands in `docs/ilp-model.md` ("The stream").

#![forbid(unsafe_code)]

mod access;
pub mod class;
mod classify;
mod constant;
mod decode;
mod flags;
mod idiom;
pub mod instruction;
pub mod location;
mod memory;
mod registers;
mod vector;
mod x87;

pub use class::{HistogramClass, InstructionClass};
pub use decode::{DecodeError, decode, format};
pub use instruction::{Control, Instruction, MemoryOperand};
pub use location::{Location, RegisterKind};
