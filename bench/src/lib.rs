//! Programs on which parascan is measured and tested, how they are built, and how time and memory are measured.
//!
//! * [`small`]: C programs of one file each, written for this purpose;
//! * [`real`]: zlib, bzip2, Lua, SQLite, jsonnet and meshoptimizer, built from published packages' own sources
//!   ([`sources`]) with small drivers;
//! * [`compile`] builds either with plain clang or with parascan ([`tool`]);
//! * [`measure`] runs commands and takes time and peak memory, [`hcpa`] compares both builds, [`report`] prints.

pub mod compile;
pub mod hcpa;
pub mod inputs;
pub mod machine;
pub mod measure;
pub mod program;
pub mod real;
pub mod report;
pub mod small;
pub mod sources;
pub mod tool;
