//! The logs that the program's processes left.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use parascan_formats::omp::log::{HEADER, OmpLog, used};

use crate::exit::{Failure, FailureKind, Outcome};
use crate::process;

/// All logs of a folder, that of process `first` first, then in the order in which processes started.
pub fn read_all(folder: &Path, first: i32) -> Outcome<Vec<OmpLog>> {
    let left_by = |name: &str| Some((name.strip_prefix("omp.")?.parse().ok()?, 0));
    let logs = process::logs::in_order(folder, first, left_by)?;
    logs.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Outcome<OmpLog> {
    let bad = |what: String| {
        let message = format!("the program's log cannot be read: {what}");
        Failure::new(FailureKind::BadLog, message)
    };
    let mut bytes = Vec::new();
    let mut file = File::open(path).map_err(|e| bad(e.to_string()))?;
    let mut read = |length: u64, bytes: &mut Vec<u8>| {
        let part = file.by_ref().take(length).read_to_end(bytes);
        part.map_err(|e| bad(e.to_string()))
    };
    read(HEADER as u64, &mut bytes)?;
    let length = used(&bytes).map_err(|e| bad(e.to_string()))?;
    read(length - HEADER as u64, &mut bytes)?;
    OmpLog::read(&bytes).map_err(|e| bad(e.to_string()))
}
