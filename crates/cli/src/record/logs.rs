//! The logs that a run left: found, put in order, read.

use std::fs::File;
use std::io;
use std::mem::offset_of;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use parascan_abi::log::{FLAG_OVERFLOW, Header};
use parascan_formats::log::{BurstLog, LogError, RawLog, ReadAt, RunProgress};

use crate::exit::Outcome;
use crate::process;

/// Logs in a folder, the given process's first, then in the order in which processes started.
pub fn found(folder: &Path, first: i32) -> Outcome<Vec<PathBuf>> {
    process::logs::in_order(folder, first, log_of)
}

/// Process and number among its logs, from `log.<pid>` or `log.<pid>.<n>`.
fn log_of(name: &str) -> Option<(u32, u32)> {
    let rest = name.strip_prefix("log.")?;
    match rest.split_once('.') {
        None => Some((rest.parse().ok()?, 0)),
        Some((pid, number)) => Some((pid.parse().ok()?, number.parse().ok()?)),
    }
}

/// Reads a log of which only the first `lanes` lanes are wanted.
pub fn read(path: &Path, lanes: u32) -> Result<RawLog, LogError> {
    let file = File::open(path).map_err(|error| LogError::Read { offset: 0, error })?;
    RawLog::parse(&RunLog { file, lanes })
}

/// Reads what the bursts of a run saw.
pub fn read_bursts(path: &Path) -> Result<BurstLog, LogError> {
    let file = File::open(path).map_err(|error| LogError::Read { offset: 0, error })?;
    BurstLog::parse(&RunLog {
        file,
        lanes: u32::MAX,
    })
}

/// How far a run has come that goes on; None before its first log can be read.
pub fn glance(folder: &Path, pid: i32) -> Option<RunProgress> {
    let path = found(folder, pid).ok()?.into_iter().next()?;
    let file = File::open(path).ok()?;
    RunProgress::read(&RunLog {
        file,
        lanes: u32::MAX,
    })
    .ok()
}

/// Whether a process did nothing of its own: forked to execute something else.
pub fn idle(log: &RawLog) -> bool {
    log.forked_from != 0 && log.work == 0 && log.contexts.len() <= 1
}

/// Whether the clocks of a process were full before anything was measured in it.
pub fn nothing_kept(log: &RawLog) -> bool {
    log.flags & FLAG_OVERFLOW != 0 && log.work == 0
}

/// Whether a process ended in an orderly way, as far as its log tells.
pub fn ended(log: &RawLog) -> bool {
    log.finished && (log.flags & FLAG_OVERFLOW == 0 || log.total.is_some())
}

struct RunLog {
    file: File,
    lanes: u32,
}

impl ReadAt for RunLog {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)?;
        // A restricted range is a log that never had more lanes.
        let at = offset_of!(Header, lanes) as u64;
        if let Some(field) = at
            .checked_sub(offset)
            .and_then(|at| buffer.get_mut(at as usize..)?.first_chunk_mut::<4>())
        {
            *field = u32::from_le_bytes(*field).min(self.lanes).to_le_bytes();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_of_processes() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "log.7",
            "log.100",
            "log.100.1",
            "log.103",
            "other",
            "log.x",
            "log.99.0",
        ] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let names: Vec<_> = found(folder.path(), 100)
            .unwrap()
            .iter()
            .map(|p| p.file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        assert_eq!(
            names,
            ["log.100", "log.100.1", "log.103", "log.7", "log.99.0"]
        );
    }
}
