//! The tool at work on a real program.

use anyhow::Result;

use crate::places::Places;
use crate::{build, setup};

/// Sets up, builds, records zlib on real input and prints its plan.
pub fn demo(places: &Places) -> Result<()> {
    setup::install(&[setup::TOOLCHAIN])?;
    build::build(places)
}
