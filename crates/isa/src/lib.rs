//! What an instruction does, as far as a dependency graph is concerned: locations read and written, class, control transfer.
//!
//! The meaning of locations stands in `docs/ilp-model.md` ("The stream").

pub mod class;
pub mod instruction;
pub mod location;

pub use class::{Class, Kind};
pub use instruction::{Control, Instruction, Slot};
pub use location::Location;
