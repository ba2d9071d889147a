//! The logs that the program's processes left.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use parascan_formats::omp::log::{HEADER, OmpLog, used};

use crate::exit::{Failure, FailureKind, Outcome};

/// All logs of a folder, that of process `first` first, then in the order in which processes started.
pub fn read_all(folder: &Path, first: i32) -> Outcome<Vec<OmpLog>> {
    let cannot = |e: io::Error| {
        Failure::new(
            FailureKind::Io,
            format!("cannot list {}: {e}", folder.display()),
        )
    };
    let mut logs = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let name = entry.file_name();
        let pid = name
            .to_str()
            .and_then(|n| n.strip_prefix("omp.")?.parse().ok());
        if let Some(pid) = pid {
            let pid: u32 = pid;
            // Process numbers grow, and start again from below at some point.
            logs.push((pid.wrapping_sub(first as u32), entry.path()));
        }
    }
    logs.sort();
    logs.iter().map(|(_, path)| read(path)).collect()
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
