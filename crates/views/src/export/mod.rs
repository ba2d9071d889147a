//! Profiles and plans in the formats of other tools; `docs/exports.md` says which tool opens what.

mod entry;
mod firefox;
mod flamegraph;
mod gnu;
mod location;
mod rules;
mod sarif;
mod speedscope;
pub(crate) mod stacks;

pub use firefox::firefox;
pub use flamegraph::flamegraph;
pub use gnu::gnu;
pub use sarif::sarif;
pub use speedscope::speedscope;
