//! Programs that parascan runs: how they are started, get its signals, are waited for, and how they ended.
//!
//! [`child`] starts and waits, [`signals`] passes on what this process gets, [`end`] says how a child ended and ends as
//! it did; [`limited`] runs a command with a time limit, [`environment`] one with variables behind its own in their
//! order. [`lookup`] is where a command word leads, [`scratch`] and [`copies`] are folders to run in, [`logs`] finds
//! what processes left there.

pub mod child;
pub mod copies;
pub mod end;
pub mod environment;
pub mod limited;
pub mod logs;
pub mod lookup;
pub mod scratch;
pub mod signals;
