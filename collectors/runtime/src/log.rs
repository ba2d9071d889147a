//! The log's tables as the runtime writes them: fixed arrays inside one mapping, disk space reserved before first
//! touch.

use parascan_abi::log::{
    BurstPart, CAP_BLIND, CAP_CONTEXTS, CAP_COUNTERS, CAP_FRAMES, CAP_MODULES, CAP_RUNS,
    CAP_SYMBOLS, Context, EqualChildren, FILE_SIZE, Header, OFF_BLIND, OFF_CONTEXTS, OFF_COUNTERS,
    OFF_FRAMES, OFF_HEADER, OFF_MODULES, OFF_PARTS, OFF_RUNS, OFF_SEQUENCES, OFF_SYMBOLS,
    OpenRegion, Sequence, Symbol,
};

use crate::sys;

/// Capacity of sequences: each is the children list of at least one symbol, and there is the root's.
pub(crate) const CAP_SEQUENCES: u32 = CAP_SYMBOLS + 2;
/// Smallest stretch of a table that is reserved at once, in bytes.
const STRETCH: u64 = 1 << 16;
/// Longest path of a log, with its NUL.
pub(crate) const PATH_MAX: usize = 4096;

/// Where the log's bytes live.
pub(crate) struct Backing {
    /// Start of the mapping of `FILE_SIZE` bytes.
    pub(crate) base: *mut u8,
    /// Path of the file with its NUL; empty for plain memory.
    path: [u8; PATH_MAX],
    path_len: usize,
    /// Device and inode of the file.
    identity: (u64, u64),
}

impl Backing {
    /// Plain zeroed memory that no file backs.
    #[cfg(test)]
    pub(crate) fn memory() -> Result<Self, sys::Errno> {
        Ok(Self {
            base: sys::map_anonymous(FILE_SIZE)?,
            path: [0; PATH_MAX],
            path_len: 0,
            identity: (0, 0),
        })
    }

    /// Plain zeroed memory in place of a log.
    ///
    /// # Safety
    /// `at` must be a mapping of `FILE_SIZE` bytes that may be replaced.
    pub(crate) unsafe fn memory_at(at: *mut u8) -> Result<Self, sys::Errno> {
        let flags = sys::MAP_PRIVATE | sys::MAP_ANONYMOUS | sys::MAP_NORESERVE | sys::MAP_FIXED;
        // SAFETY: the caller vouches.
        let base = unsafe { sys::map(at as u64, FILE_SIZE, flags, None) }?;
        Ok(Self {
            base,
            path: [0; PATH_MAX],
            path_len: 0,
            identity: (0, 0),
        })
    }

    /// Creates the file `path` (NUL-terminated) and maps it, at `at` if that is not null.
    ///
    /// # Safety
    /// A non-null `at` must be a mapping of `FILE_SIZE` bytes that may be replaced.
    pub(crate) unsafe fn create(path: &[u8], at: *mut u8) -> Result<Self, sys::Errno> {
        let file = sys::File::open(path, sys::O_RDWR | sys::O_CREAT | sys::O_EXCL, 0o600)?;
        let fixed = if at.is_null() { 0 } else { sys::MAP_FIXED };
        let made = file.truncate(FILE_SIZE).and_then(|()| {
            let identity = file.identity()?;
            // The header is needed at once; a full disk is found here and not by a signal.
            file.write_at(&[0; 4096], OFF_HEADER)?;
            // SAFETY: without MAP_FIXED nothing is replaced; with it the caller vouches.
            let base =
                unsafe { sys::map(at as u64, FILE_SIZE, sys::MAP_SHARED | fixed, Some(&file)) }?;
            Ok((base, identity))
        });
        match made {
            Ok((base, identity)) => {
                let mut backing = Self {
                    base,
                    path: [0; PATH_MAX],
                    path_len: path.len(),
                    identity,
                };
                backing.path[..path.len()].copy_from_slice(path);
                // SAFETY: the mapping is ours; the advice drops nothing.
                let _ = unsafe { sys::advise(sys::address(base), FILE_SIZE, sys::MADV_DONTDUMP) };
                Ok(backing)
            }
            Err(error) => {
                sys::unlink(path);
                Err(error)
            }
        }
    }

    /// Makes `len` bytes at `offset`, which nobody has written yet, safe to write. Both are multiples of the page size.
    ///
    /// Zeros are written through the file: that reports a full disk, and its pages are at hand then, where page faults
    /// into the hole take milliseconds each on ext4. No descriptor is kept, since the program may close any.
    pub(crate) fn reserve(&self, offset: u64, len: u64) -> bool {
        if self.path_len == 0 {
            return true;
        }
        match self.write_zeros(offset, len) {
            Ok(()) => true,
            Err(sys::ENOSPC | sys::EDQUOT | sys::EFBIG) => false,
            // The file cannot be reached by its name any more. The kernel (5.14 on) can also fault pages in, and tell.
            // SAFETY: the advice drops nothing.
            Err(_) => unsafe {
                sys::advise(
                    sys::address(self.base) + offset,
                    len,
                    sys::MADV_POPULATE_WRITE,
                )
            }
            .is_ok(),
        }
    }

    /// Inode of the file.
    pub(crate) fn inode(&self) -> u64 {
        self.identity.1
    }

    /// Removes the file, of which nothing can be made.
    pub(crate) fn discard(&self) {
        sys::unlink(&self.path[..self.path_len]);
    }

    fn write_zeros(&self, offset: u64, len: u64) -> Result<(), sys::Errno> {
        let file = sys::File::open(&self.path[..self.path_len], sys::O_RDWR, 0)?;
        if file.identity()? != self.identity {
            return Err(sys::EINVAL);
        }
        let zeros = sys::map_anonymous(STRETCH)?;
        // SAFETY: just mapped, and only read.
        let bytes = unsafe { core::slice::from_raw_parts(zeros, STRETCH as usize) };
        let mut done = 0;
        let mut result = Ok(());
        while done < len && result.is_ok() {
            let step = (len - done).min(STRETCH);
            result = file.write_at(&bytes[..step as usize], offset + done);
            done += step;
        }
        // SAFETY: `bytes` is not used any more.
        unsafe { sys::unmap(zeros, STRETCH) };
        result
    }
}

/// A table of `T` at a fixed place in the log.
pub(crate) struct LogTable<T> {
    base: *mut T,
    offset: u64,
    capacity: u32,
    /// Entries whose space is reserved.
    ready: u32,
    /// Entries in use.
    len: u32,
}

impl<T> LogTable<T> {
    fn new(backing: &Backing, offset: u64, capacity: u32) -> Self {
        // SAFETY: every table lies inside the mapping.
        let base = unsafe { backing.base.add(offset as usize) }.cast();
        Self {
            base,
            offset,
            capacity,
            ready: 0,
            len: 0,
        }
    }

    /// Entries in use.
    #[inline(always)]
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Entries it can hold.
    pub(crate) fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Address of the first entry.
    pub(crate) fn base(&self) -> *mut T {
        self.base
    }

    /// Entry `i`, which must have been made by [`LogTable::grow`].
    #[inline(always)]
    pub(crate) fn at(&mut self, i: u32) -> &mut T {
        debug_assert!(i < self.ready);
        // SAFETY: callers pass indices below `ready` only; that space is mapped, reserved, and ours alone. All-zero and
        // all other bytes are values of the log's types.
        unsafe { &mut *self.base.add(i as usize) }
    }

    /// Makes room for `more` further entries and counts them in. False: no capacity or no disk space.
    #[inline]
    pub(crate) fn grow(&mut self, backing: &Backing, more: u32) -> bool {
        let Some(len) = self
            .len
            .checked_add(more)
            .filter(|&len| len <= self.capacity)
        else {
            return false;
        };
        if len > self.ready && !self.reserve(backing, len) {
            return false;
        }
        self.len = len;
        true
    }

    #[cold]
    fn reserve(&mut self, backing: &Backing, len: u32) -> bool {
        let size = size_of::<T>() as u64;
        let old = u64::from(self.ready) * size;
        // A quarter more than there is, so that long tables grow in few steps.
        let wanted = (u64::from(len) * size)
            .max(old + old / 4)
            .next_multiple_of(STRETCH);
        let end = wanted.min((u64::from(self.capacity) * size).next_multiple_of(4096));
        // Up, not down: the page that the last entries reach into was reserved with the stretch before.
        let start = old.next_multiple_of(4096);
        if end > start && !backing.reserve(self.offset + start, end - start) {
            return false;
        }
        self.ready = ((end / size) as u32).min(self.capacity);
        true
    }
}

/// All tables of one log.
pub(crate) struct Log {
    pub(crate) backing: Backing,
    pub(crate) header: *mut Header,
    pub(crate) frames: LogTable<OpenRegion>,
    pub(crate) blind: LogTable<u64>,
    /// Those of native code.
    pub(crate) counters: LogTable<u64>,
    pub(crate) modules: LogTable<u64>,
    pub(crate) contexts: LogTable<Context>,
    /// As long as `contexts` while there are bursts, else empty.
    pub(crate) parts: LogTable<BurstPart>,
    pub(crate) symbols: LogTable<Symbol>,
    pub(crate) sequences: LogTable<Sequence>,
    pub(crate) runs: LogTable<EqualChildren>,
}

impl Log {
    /// Lays the tables out over `backing`, whose bytes are zero.
    pub(crate) fn new(backing: Backing) -> Self {
        Self {
            header: backing.base.cast(),
            frames: LogTable::new(&backing, OFF_FRAMES, CAP_FRAMES),
            blind: LogTable::new(&backing, OFF_BLIND, CAP_BLIND),
            counters: LogTable::new(&backing, OFF_COUNTERS, CAP_COUNTERS),
            modules: LogTable::new(&backing, OFF_MODULES, (CAP_MODULES / 8) as u32),
            contexts: LogTable::new(&backing, OFF_CONTEXTS, CAP_CONTEXTS),
            parts: LogTable::new(&backing, OFF_PARTS, CAP_CONTEXTS),
            symbols: LogTable::new(&backing, OFF_SYMBOLS, CAP_SYMBOLS),
            sequences: LogTable::new(&backing, OFF_SEQUENCES, CAP_SEQUENCES),
            runs: LogTable::new(&backing, OFF_RUNS, CAP_RUNS),
            backing,
        }
    }

    /// What the log says of the run as a whole; readers see changes at once.
    #[inline(always)]
    pub(crate) fn header(&mut self) -> &mut Header {
        // SAFETY: the header's page is mapped, reserved, and ours alone; it holds plain numbers.
        unsafe { &mut *self.header }
    }

    /// Sets `FLAG_*` bits.
    pub(crate) fn flag(&mut self, bits: u64) {
        self.header().flags |= bits;
    }
}
