//! Nothing but dependencies: features that test libraries ask of crates which the tool has too. The tool asks for them
//! as well, through this package, so that building it and testing it compile these crates, and all that need them,
//! once.

#![forbid(unsafe_code)]
