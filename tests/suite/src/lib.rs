//! The labelled suite: C and C++ programs whose figures were derived by hand, and what it takes to check a built
//! parascan against them. Everything goes through the installed tool; no code of parascan is linked in.
//!
//! Sources under `loops/`, `facts/` and `traps/` carry their expectations as comments (see [`annotation`]).
//! `// expect: DOALL sp=64` above a loop demands class and self-parallelism; the lines after it say why.

pub mod annotation;
pub mod check;
pub mod csmith;
pub mod expression;
pub mod generator;
pub mod process;
pub mod regions;
pub mod tool;
