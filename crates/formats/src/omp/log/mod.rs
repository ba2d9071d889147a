//! The collector's log of one process ([`parascan_abi::omp`]) as a value, whatever state the process left it in.
//!
//! Nothing in a log is trusted: every length and index is checked, and what does not fit is an error or left out. The
//! recording is made of it by [`OmpLog::recording`].

mod convert;
mod fit;

use parascan_abi::omp::{
    BLOCKS, COUNTERS, EXIT_KNOWN, FIGURES, FILE_SIZE, FINISHED, FLAG_FULL, FLAG_NO_SCHEDULE,
    FLAG_REGION_COUNTERS, FLAG_RUNTIME, FLAG_TSC, INLINE, MAGIC, VERSION, kind,
};
use thiserror::Error;

use super::Construct;

/// Why a log cannot be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LogError {
    /// Another kind of file, or of another version.
    #[error("not a log of this version of parascan's OpenMP collector")]
    Foreign,
    /// Shorter than its header says.
    #[error("the log is cut off")]
    Truncated,
    /// Blocks, entries or indices that cannot be.
    #[error("the log is damaged: {0}")]
    Damaged(&'static str),
}

/// A place as the collector saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawPlace {
    /// What kind it is of.
    pub construct: Construct,
    /// Name that the program gave, or empty.
    pub name: String,
    /// Return address, first address of a function with [`parascan_abi::omp::FIRST_ADDRESS`], or 0.
    pub address: u64,
    /// First address of the function that the construct was outlined to, or 0.
    pub outlined: u64,
}

/// A part of the address space that a file is mapped to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// First address.
    pub start: u64,
    /// Address after the last.
    pub end: u64,
    /// Offset of the first address in the file.
    pub offset: u64,
    /// Path of the file.
    pub path: String,
}

#[derive(Clone, Debug, Default)]
struct RawThread {
    depth: u32,
    started: u64,
    last: u64,
    counters: [u64; COUNTERS],
    known: u64,
    records: Vec<RawRecord>,
}

#[derive(Clone, Debug)]
struct RawRecord {
    node: u32,
    figures: [u64; FIGURES],
    predecessors: Vec<(u32, u64)>,
}

#[derive(Clone, Debug)]
struct RawSnapshot {
    time: u64,
    boundary: u32,
    node: u32,
    visit: u64,
    parts: Vec<(u32, u32, [u64; FIGURES])>,
    counters: Vec<RawCounted>,
    read: u64,
}

/// Of a thread: which of its counters were read, and what was added to each.
#[derive(Clone, Debug)]
struct RawCounted {
    thread: u32,
    known: u64,
    values: [u64; COUNTERS],
}

/// What one process left behind, as it stands in its file: times in ticks, places by address.
#[derive(Clone, Debug)]
pub struct OmpLog {
    /// The process.
    pub pid: u32,
    /// It ended through `exit`, `_exit` or the end of `main`.
    pub finished: bool,
    /// What it exited with, where the log tells.
    pub exit: Option<i32>,
    /// An OpenMP runtime was started and accepted the collector.
    pub runtime_seen: bool,
    /// The runtime's own name.
    pub runtime: String,
    /// Times are processor ticks.
    pub tsc: bool,
    /// Places by number.
    pub places: Vec<RawPlace>,
    /// Mapped files, latest view last.
    pub mappings: Vec<Mapping>,
    full_at: Option<u64>,
    start: [u64; 2],
    latest: [u64; 2],
    end: u64,
    too_deep: u64,
    forks: u64,
    no_counter: u64,
    refused: u64,
    no_schedule: bool,
    region_counters: bool,
    nodes: Vec<(u32, u32)>,
    threads: Vec<RawThread>,
    /// Threads whose entries were read.
    entries: u32,
    snapshots: Vec<RawSnapshot>,
}

/// How many bytes of the file are in use, by its first [`HEADER`] bytes; the rest is empty.
///
/// # Errors
/// When it is not a log.
pub fn used(header: &[u8]) -> Result<u64, LogError> {
    let bytes = CheckedBytes(header);
    if header.get(..8) != Some(&MAGIC[..]) || bytes.u32(8)? != VERSION {
        return Err(LogError::Foreign);
    }
    let used = bytes.u64(24)?;
    if (BLOCKS..=FILE_SIZE).contains(&used) {
        Ok(used)
    } else {
        Err(LogError::Damaged("its length"))
    }
}

/// Bytes that [`used`] needs.
pub const HEADER: usize = BLOCKS as usize;

impl OmpLog {
    /// Reads a log from the first [`used`] bytes of its file.
    ///
    /// # Errors
    /// See [`LogError`].
    pub fn read(bytes: &[u8]) -> Result<Self, LogError> {
        let used = used(bytes)?;
        let whole = CheckedBytes(bytes.get(..used as usize).ok_or(LogError::Truncated)?);
        let flags = whole.u32(20)?;
        let mut log = Self {
            pid: whole.u32(16)?,
            finished: whole.u32(12)? == FINISHED,
            exit: match whole.u64(112)? {
                exit if exit & EXIT_KNOWN != 0 => Some((exit & 0xff) as i32),
                _ => None,
            },
            runtime_seen: flags & FLAG_RUNTIME != 0,
            runtime: String::new(),
            tsc: flags & FLAG_TSC != 0,
            places: Vec::new(),
            mappings: Vec::new(),
            full_at: (flags & FLAG_FULL != 0).then_some(whole.u64(72)?),
            start: [whole.u64(32)?, whole.u64(40)?],
            latest: [whole.u64(48)?, whole.u64(56)?],
            end: whole.u64(64)?,
            too_deep: whole.u64(80)?,
            forks: whole.u64(88)?,
            no_counter: whole.u64(96)?,
            refused: whole.u64(104)?,
            no_schedule: flags & FLAG_NO_SCHEDULE != 0,
            region_counters: flags & FLAG_REGION_COUNTERS != 0,
            nodes: Vec::new(),
            threads: Vec::new(),
            entries: 0,
            snapshots: Vec::new(),
        };
        let mut at = BLOCKS;
        let mut overflow = Vec::new();
        while at < used {
            let kind = whole.u32(at)?;
            let owner = whole.u32(at + 4)?;
            let size = whole.u64(at + 8)?;
            let length = whole.u64(at + 16)?;
            let end = at.checked_add(size).filter(|&end| end <= used);
            if size < 64 || length > size - 64 || end.is_none() {
                return Err(LogError::Damaged("a block"));
            }
            let content = whole.part(at + 64, length)?;
            log.block(kind, owner, content, whole, &mut overflow)?;
            at += size;
        }
        log.add_overflow(overflow)?;
        log.check()?;
        Ok(log)
    }

    fn block(
        &mut self,
        kind: u32,
        owner: u32,
        content: CheckedBytes,
        whole: CheckedBytes,
        overflow: &mut Vec<(u32, u32, u32, u64)>,
    ) -> Result<(), LogError> {
        match kind {
            kind::PLACES => {
                for entry in content.entries(32) {
                    self.places.push(place(entry, whole)?);
                }
            }
            kind::NODES => {
                for entry in content.entries(8) {
                    self.nodes.push((entry.u32(0)?, entry.u32(4)?));
                }
            }
            kind::THREADS => {
                for entry in content.entries(128) {
                    let thread = self.thread(self.entries)?;
                    thread.depth = entry.u32(4)?;
                    thread.started = entry.u64(8)?;
                    thread.last = entry.u64(16)?;
                    for (index, counter) in thread.counters.iter_mut().enumerate() {
                        *counter = entry.u64(24 + 8 * index as u64)?;
                    }
                    thread.known = entry.u64(24 + 8 * COUNTERS as u64)?;
                    self.entries += 1;
                }
            }
            kind::RECORDS => {
                let records: Result<Vec<_>, _> = content
                    .entries(size_of::<parascan_abi::omp::Record>())
                    .map(record)
                    .collect();
                self.thread(owner)?.records.extend(records?);
            }
            kind::PREDECESSORS => {
                for entry in content.entries(16) {
                    overflow.push((owner, entry.u32(0)?, entry.u32(4)?, entry.u64(8)?));
                }
            }
            kind::SNAPSHOTS => self.read_snapshots(content)?,
            kind::MAPS => {
                let text = String::from_utf8_lossy(content.0);
                self.mappings.extend(text.lines().filter_map(mapping));
            }
            kind::RUNTIME => self.runtime = String::from_utf8_lossy(content.0).into_owned(),
            kind::NAMES => {}
            _ => return Err(LogError::Damaged("a block of unknown kind")),
        }
        Ok(())
    }

    fn thread(&mut self, number: u32) -> Result<&mut RawThread, LogError> {
        let number = number as usize;
        if number >= 1 << 14 {
            return Err(LogError::Damaged("a thread's number"));
        }
        if number >= self.threads.len() {
            self.threads.resize_with(number + 1, RawThread::default);
        }
        Ok(&mut self.threads[number])
    }

    fn read_snapshots(&mut self, content: CheckedBytes) -> Result<(), LogError> {
        let mut at = 0;
        while at < content.0.len() as u64 {
            let mut snapshot = RawSnapshot {
                time: content.u64(at)?,
                boundary: content.u32(at + 8)?,
                node: content.u32(at + 12)?,
                visit: content.u64(at + 16)?,
                parts: Vec::new(),
                counters: Vec::new(),
                read: content.u64(at + 32)?,
            };
            let (parts, counters) = (content.u32(at + 24)?, content.u32(at + 28)?);
            at += 40;
            for _ in 0..parts {
                let (who, mask) = (content.u64(at)?, content.u64(at + 8)?);
                at += 16;
                let mut figures = [0; FIGURES];
                for (bit, figure) in figures.iter_mut().enumerate() {
                    if mask & (1 << bit) != 0 {
                        *figure = content.u64(at)?;
                        at += 8;
                    }
                }
                snapshot
                    .parts
                    .push(((who >> 32) as u32, who as u32, figures));
            }
            for _ in 0..counters {
                let thread = content.u64(at)? as u32;
                let mask = content.u64(at + 8)?;
                at += 16;
                let mut values = [0; COUNTERS];
                for (bit, value) in values.iter_mut().enumerate() {
                    if mask & (1 << bit) != 0 {
                        *value = content.u64(at)?;
                        at += 8;
                    }
                }
                snapshot.counters.push(RawCounted {
                    thread,
                    known: mask >> 32,
                    values,
                });
            }
            self.snapshots.push(snapshot);
        }
        Ok(())
    }

    fn add_overflow(&mut self, overflow: Vec<(u32, u32, u32, u64)>) -> Result<(), LogError> {
        for (owner, node, before, count) in overflow {
            let records = &mut self.thread(owner)?.records;
            if let Some(record) = records.iter_mut().find(|r| r.node == node) {
                record.predecessors.push((before, count));
            }
        }
        Ok(())
    }

    /// Indices between tables. Tables are written by several threads, and a process may die between two writes: a
    /// record whose node is missing is left out.
    fn check(&mut self) -> Result<(), LogError> {
        let tree = (0u32..).zip(&self.nodes).all(|(number, &(parent, place))| {
            (parent < number || number == 0) && (place as usize) < self.places.len()
        });
        if !tree || self.nodes.is_empty() || self.threads.is_empty() {
            return Err(LogError::Damaged("its tree"));
        }
        let count = self.nodes.len() as u32;
        for thread in &mut self.threads {
            thread.records.retain(|r| r.node < count);
            for record in &mut thread.records {
                record.predecessors.retain(|p| p.0 < count);
            }
        }
        let threads = self.threads.len() as u32;
        for snapshot in &mut self.snapshots {
            snapshot.parts.retain(|p| p.0 < threads && p.1 < count);
            snapshot.counters.retain(|c| c.thread < threads);
        }
        self.snapshots.retain(|s| s.node < count);
        Ok(())
    }
}

fn place(entry: CheckedBytes, whole: CheckedBytes) -> Result<RawPlace, LogError> {
    let construct = *Construct::ALL
        .get(entry.u32(0)? as usize)
        .ok_or(LogError::Damaged("a construct"))?;
    let length = entry.u32(4)?;
    let name = if length == 0 {
        String::new()
    } else {
        let bytes = whole.part(entry.u64(8)?, length.into())?;
        String::from_utf8_lossy(bytes.0).into_owned()
    };
    Ok(RawPlace {
        construct,
        name,
        address: entry.u64(16)?,
        outlined: entry.u64(24)?,
    })
}

fn record(entry: CheckedBytes) -> Result<RawRecord, LogError> {
    let mut record = RawRecord {
        node: entry.u32(0)?,
        figures: [0; FIGURES],
        predecessors: Vec::new(),
    };
    for (index, figure) in (0u64..).zip(record.figures.iter_mut()) {
        *figure = entry.u64(8 + 8 * index)?;
    }
    let before = 8 + 8 * FIGURES as u64;
    let counts = before + 4 * (INLINE as u64 + 1);
    for slot in 0..u64::from(entry.u32(4)?).min(INLINE as u64) {
        let pair = (entry.u32(before + 4 * slot)?, entry.u64(counts + 8 * slot)?);
        record.predecessors.push(pair);
    }
    Ok(record)
}

/// A line of `/proc/PID/maps` that maps a file.
fn mapping(line: &str) -> Option<Mapping> {
    let mut words = line.splitn(6, ' ');
    let (start, end) = words.next()?.split_once('-')?;
    let offset = words.nth(1)?;
    let path = words.nth(2)?.trim_start();
    let hex = |word| u64::from_str_radix(word, 16).ok();
    path.starts_with('/').then_some(Mapping {
        start: hex(start)?,
        end: hex(end)?,
        offset: hex(offset)?,
        path: path.to_owned(),
    })
}

/// Little-endian numbers at checked offsets.
#[derive(Clone, Copy)]
struct CheckedBytes<'a>(&'a [u8]);

impl<'a> CheckedBytes<'a> {
    fn part(self, at: u64, length: u64) -> Result<Self, LogError> {
        let end = at.checked_add(length).ok_or(LogError::Truncated)?;
        let (at, end) = (usize::try_from(at), usize::try_from(end));
        match (at, end) {
            (Ok(at), Ok(end)) => self.0.get(at..end).map(Self).ok_or(LogError::Truncated),
            _ => Err(LogError::Truncated),
        }
    }

    fn u32(self, at: u64) -> Result<u32, LogError> {
        let bytes = self.part(at, 4)?.0;
        Ok(u32::from_le_bytes(bytes.try_into().unwrap_or_default()))
    }

    fn u64(self, at: u64) -> Result<u64, LogError> {
        let bytes = self.part(at, 8)?.0;
        Ok(u64::from_le_bytes(bytes.try_into().unwrap_or_default()))
    }

    /// Entries of one size; a rest that is no whole entry is left out.
    fn entries(self, size: usize) -> impl Iterator<Item = CheckedBytes<'a>> {
        self.0.chunks_exact(size).map(CheckedBytes)
    }
}
