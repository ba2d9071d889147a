//! Which dependences a build leaves out, and where they are read; `without.rs` leaves them out.

use parascan_formats::module::LeftOutDependence;
use parascan_formats::names::demangle;

use crate::analysis;
use crate::ir::{Opcode, Value};

/// Reads the list that `PARASCAN_WITHOUT` holds.
///
/// # Errors
/// The part that is no file, line and name.
pub fn cuts(text: &str) -> Result<Vec<LeftOutDependence>, String> {
    let parts = text.split(';').map(str::trim).filter(|p| !p.is_empty());
    let one = |part: &str| LeftOutDependence::parse(part).ok_or_else(|| part.to_owned());
    parts.map(one).collect()
}

/// Whether a function reads memory under one of the names that are left out.
pub(super) fn reads_left_out(f: Value, cuts: &[LeftOutDependence]) -> bool {
    let reads = |i: Value| {
        i.opcode() == Opcode::LLVMLoad && cuts.iter().any(|c| c.name == name_at(i.operand(0), i))
    };
    !cuts.is_empty()
        && f.blocks()
            .into_iter()
            .flat_map(|b| b.instructions())
            .any(reads)
}

/// What lies at an address, as `parascan explain` names it.
pub(super) fn name_at(address: Value, at: Value) -> String {
    demangle(&analysis::expression(address, at))
}
