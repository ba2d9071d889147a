//! Programs on which parascan is measured and tested, how they are built, and how time and memory are measured.
//!
//! * [`small`]: C programs of one file each, written for this purpose;
//! * [`real`]: zlib, bzip2, Lua, SQLite, jsonnet and meshoptimizer, built from published packages' own sources
//!   ([`sources`]) with small drivers;
//! * [`compile`] builds either with plain clang or with parascan ([`tool`]);
//! * [`subject`] runs either build in a scratch folder, [`measure`] takes time and peak memory, [`hcpa`] compares the
//!   two builds, [`report`] prints, [`why`] samples where time goes;
//! * [`ilp`] measures `parascan ilp`, [`paragraph`] makes the paper's tables with it;
//! * [`builds`] measures compilers and the code they make;
//! * [`bursts`] compares plans from stretches of a run with those from all of it;
//! * [`long`] measures runs of seconds: recorded and not recorded;
//! * [`plans`] holds plans, applied and proven, against experts' versions of the programs;
//! * [`explain`] measures the run that observes dependences (`record --explain`);
//! * [`omp`] measures what watching OpenMP programs costs, [`cg`] draws a paper's figures of one;
//! * [`profile`] reads what parascan found and compares it with expectations.

pub mod builds;
pub mod bursts;
pub mod callers;
pub mod cg;
pub mod compile;
pub mod counts;
pub mod explain;
pub mod extremes;
pub mod hcpa;
pub mod ilp;
pub mod inputs;
pub mod long;
pub mod machine;
pub mod measure;
pub mod omp;
pub mod paragraph;
pub mod plans;
pub mod profile;
pub mod program;
pub mod real;
pub mod report;
pub mod small;
pub mod sources;
pub mod subject;
pub mod tool;
pub mod why;
