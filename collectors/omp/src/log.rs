//! The log file: a shared mapping in which blocks are reserved one after the other.

use std::ffi::CString;
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicI32, AtomicPtr};
use std::sync::{Mutex, PoisonError};

use parascan_abi::omp::{
    BLOCK_SIZE, BLOCKS, FILE_SIZE, FLAG_FULL, Header, LogBlock, MAGIC, VERSION,
};

use crate::clock;

/// First byte of the mapping; null while nothing is recorded.
static BASE: AtomicPtr<u8> = AtomicPtr::new(null_mut());
static FILE: AtomicI32 = AtomicI32::new(-1);
/// Held while a block is reserved.
static RESERVE: Mutex<()> = Mutex::new(());

/// The header, while a log is open.
pub fn header() -> Option<&'static Header> {
    let base = BASE.load(Acquire).cast::<Header>();
    // SAFETY: once set, the mapping stays; its first page is a header, whose fields that change are atomic.
    unsafe { base.as_ref() }
}

/// Creates the log of this process in `directory`.
pub fn create(directory: &str) -> Option<&'static Header> {
    // SAFETY: no arguments.
    let pid = unsafe { libc::getpid() };
    let path = CString::new(format!("{directory}/omp.{pid}")).ok()?;
    let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC;
    // SAFETY: the path is a C string.
    let file = unsafe { libc::open(path.as_ptr(), flags, 0o600) };
    if file < 0 {
        return None;
    }
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping of an open file, nothing is replaced.
    let base = unsafe {
        if libc::ftruncate(file, FILE_SIZE as i64) != 0
            || libc::posix_fallocate(file, 0, (BLOCKS + 8 * BLOCK_SIZE) as i64) != 0
        {
            libc::close(file);
            return None;
        }
        libc::mmap(
            null_mut(),
            FILE_SIZE as usize,
            protection,
            libc::MAP_SHARED,
            file,
            0,
        )
    };
    if base == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: a zeroed page is a header (numbers only); nobody else has the mapping yet.
    let header = unsafe { &mut *base.cast::<Header>() };
    header.version = VERSION;
    header.pid = pid as u32;
    header.used.store(BLOCKS, Relaxed);
    // Readers know the log by its first bytes: last.
    header.magic = MAGIC;
    FILE.store(file, Relaxed);
    BASE.store(base.cast(), Release);
    self::header()
}

/// Forgets the log: a forked child must not write to its parent's.
pub fn forget() {
    BASE.store(null_mut(), Release);
}

/// Reserves a block of `size` bytes with its header; None when the log is full.
pub fn reserve(kind: u32, owner: u32, size: u64) -> Option<&'static LogBlock> {
    let header = header()?;
    let _guard = RESERVE.lock().unwrap_or_else(PoisonError::into_inner);
    let offset = header.used.load(Relaxed);
    let size = size.next_multiple_of(64);
    let end = offset.checked_add(size)?;
    let file = FILE.load(Relaxed);
    // SAFETY: the file is open; reserving space changes no content.
    let reserved =
        end <= FILE_SIZE && unsafe { libc::posix_fallocate(file, offset as i64, size as i64) } == 0;
    if !reserved {
        full(header);
        return None;
    }
    // SAFETY: the range lies in the mapping, is backed by the file, and was given to nobody before.
    let block = unsafe { &mut *BASE.load(Relaxed).add(offset as usize).cast::<LogBlock>() };
    block.kind = kind;
    block.owner = owner;
    block.size = size;
    header.used.store(end, Release);
    Some(block)
}

fn full(header: &Header) {
    if header.flags.fetch_or(FLAG_FULL, Relaxed) & FLAG_FULL == 0 {
        header.full_at.store(clock::now(), Relaxed);
    }
}

/// Entries of one kind and owner, appended by one thread at a time.
#[derive(Debug)]
pub struct Appender {
    kind: u32,
    owner: u32,
    block: Option<&'static LogBlock>,
}

impl Appender {
    /// An appender that has no block of the file yet; the first entry takes one.
    pub const fn new(kind: u32, owner: u32) -> Self {
        Self {
            kind,
            owner,
            block: None,
        }
    }

    /// Zeroed room for `length` bytes, at most a block's, aligned like `T`, together with the block and what
    /// [`LogBlock::used`] is to become once the entry is written ([`EntryRoom::publish`]).
    pub fn room(&mut self, length: usize, align: usize) -> Option<EntryRoom> {
        let head = size_of::<LogBlock>();
        if let Some(block) = self.block {
            let start = (block.used.load(Relaxed) as usize).next_multiple_of(align);
            if head + start + length <= block.size as usize {
                return Some(EntryRoom {
                    block,
                    start,
                    length,
                });
            }
        }
        let size = BLOCK_SIZE.max((head + length) as u64);
        self.block = Some(reserve(self.kind, self.owner, size)?);
        Some(EntryRoom {
            block: self.block?,
            start: 0,
            length,
        })
    }

    /// Appends bytes and gives their place in the file.
    pub fn bytes(&mut self, bytes: &[u8]) -> Option<u64> {
        let room = self.room(bytes.len(), 1)?;
        // SAFETY: the room is as long as the bytes and belongs to nobody else.
        unsafe {
            room.at()
                .copy_from_nonoverlapping(bytes.as_ptr(), bytes.len())
        };
        let offset = room.at() as u64 - BASE.load(Relaxed) as u64;
        room.publish();
        Some(offset)
    }

    /// Appends a plain value; none if the file is full.
    pub fn value<T: Copy>(&mut self, value: T) -> Option<()> {
        let room = self.room(size_of::<T>(), align_of::<T>())?;
        // SAFETY: the room has the value's size and alignment (blocks are aligned to 64 bytes).
        unsafe { room.at().cast::<T>().write(value) };
        room.publish();
        Some(())
    }
}

/// Room for an entry, not yet counted.
#[derive(Debug)]
pub struct EntryRoom {
    block: &'static LogBlock,
    start: usize,
    length: usize,
}

impl EntryRoom {
    /// Where the entry's first byte lies in the mapped file.
    pub fn at(&self) -> *mut u8 {
        let entries = std::ptr::from_ref(self.block).wrapping_add(1);
        entries.cast_mut().cast::<u8>().wrapping_add(self.start)
    }

    /// Counts the entry, which is written.
    pub fn publish(self) {
        let end = (self.start + self.length) as u64;
        self.block.used.store(end, Release);
    }

    /// That of the log in which it lies, with earlier entries of the same kind and thread.
    pub fn block(&self) -> &'static LogBlock {
        self.block
    }
}
