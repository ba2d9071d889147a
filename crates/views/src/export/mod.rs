//! Profiles and plans in the formats of other tools; `docs/exports.md` says which tool opens what.

mod firefox;
mod flamegraph;
mod location;
mod sarif;
mod speedscope;
pub(crate) mod stacks;

pub use firefox::firefox;
pub use flamegraph::flamegraph;
pub use sarif::sarif;
pub use speedscope::speedscope;
