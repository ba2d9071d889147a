//! Forked children record on their own: a new log takes the place of the parent's in the child's address space, with
//! the same modules, contexts and open regions, and all figures at zero.

use parascan_abi::log::{
    Context, FLAG_FOREIGN_MODULE, FLAG_OVERFLOW, FLAG_SHADOW_ALIAS, FLAG_THREADS, FLAG_UNOBSERVED,
    OpenRegion,
};
use parascan_abi::{State, UNTRACKED_DEPTH};

use crate::contexts::scratch;
use crate::init::Directory;
use crate::log::{Backing, Log};
use crate::maps;
use crate::message::warn;
use crate::regions::tracked;
use crate::sys;
use crate::tracker::RegionTracker;

/// Flags that stay true in the child.
const KEPT: u64 = FLAG_FOREIGN_MODULE | FLAG_SHADOW_ALIAS | FLAG_OVERFLOW | FLAG_UNOBSERVED;

/// Copy of a table's entries outside of the log.
struct Copy<T> {
    memory: *mut T,
    len: u32,
}

impl<T> Copy<T> {
    fn of(base: *const T, len: u32) -> Result<Self, sys::Errno> {
        let memory: *mut T =
            sys::map_anonymous((u64::from(len) * size_of::<T>() as u64).max(1))?.cast();
        // SAFETY: both ranges hold `len` entries; one is fresh.
        unsafe { memory.copy_from_nonoverlapping(base, len as usize) };
        Ok(Self { memory, len })
    }

    fn entries(&self) -> &[T] {
        // SAFETY: filled by `of`.
        unsafe { core::slice::from_raw_parts(self.memory, self.len as usize) }
    }
}

impl<T> Drop for Copy<T> {
    fn drop(&mut self) {
        // SAFETY: the mapping is private to this value.
        unsafe {
            sys::unmap(
                self.memory.cast(),
                (u64::from(self.len) * size_of::<T>() as u64).max(1),
            )
        };
    }
}

impl RegionTracker {
    /// Makes this the recorder of the forked process. `state` is that of the thread that forked.
    pub(crate) fn forked(&mut self, state: &State, directory: &Directory) {
        if self.renew(state, directory).is_err() {
            warn(&[b"a forked process cannot create its log and is not recorded"]);
            self.log.header().magic = [0; 8];
        }
    }

    fn renew(&mut self, state: &State, directory: &Directory) -> Result<(), sys::Errno> {
        let base = self.log.backing.base;
        let header = self.log.header();
        let (parent, flags, depth_reached) = (header.pid, header.flags, header.depth_reached);
        let open = if state.depth < UNTRACKED_DEPTH {
            self.open
        } else {
            0
        };
        let frames = Copy::<OpenRegion>::of(self.log.frames.base(), open)?;
        let contexts = Copy::<Context>::of(self.log.contexts.base(), self.log.contexts.len())?;
        let modules = Copy::<u64>::of(self.log.modules.base(), self.log.modules.len())?;
        let (blind, counters) = (self.log.blind.len(), self.log.counters.len());
        let old = self.log.backing.inode();
        let pid = sys::pid();
        // At the old place, so that pointers into the log stay good, and the parent's file is out of reach.
        // SAFETY: the parent's log is this process's to replace.
        let created = unsafe { directory.create_log(pid, base) };
        let failed = created.as_ref().err().copied();
        let backing = match created {
            Ok(backing) => backing,
            // SAFETY: as above.
            Err(_) => match unsafe { Backing::memory_at(base) } {
                Ok(backing) => backing,
                Err(_) => {
                    crate::message::fatal(&[b"a forked process cannot leave its parent's log"])
                }
            },
        };
        self.log = Log::new(backing);
        self.dictionary.clear();
        self.builders.clear(self.options.max_depth);
        self.open = open;
        self.work_base = state.work;
        if open == 0 {
            self.current = 0;
            self.set_folded(0);
        }
        self.start(pid, parent)?;
        let log = &mut self.log;
        let room = log.contexts.grow(&log.backing, contexts.len - 1)
            && log.modules.grow(&log.backing, modules.len)
            && log.blind.grow(&log.backing, blind)
            && log.counters.grow(&log.backing, counters);
        if !room {
            return Err(sys::ENOSPC);
        }
        if counters > 0 {
            // Modules have the parent's pages where their counters are.
            maps::of_file(old, |start, len, offset| {
                let pages = log.backing.base.wrapping_add(offset as usize);
                // SAFETY: the parent's log is this process's to replace, and the new one has as many counters.
                let _ = unsafe { sys::also_at(pages, len, start as *mut u8) };
            });
        }
        for (i, old) in contexts.entries().iter().enumerate() {
            let new = log.contexts.at(i as u32);
            new.parent = old.parent;
            new.region = old.region;
            new.depth = old.depth;
            new.first_child = old.first_child;
            new.next_sibling = old.next_sibling;
            // The last child; there are no dictionary entries yet.
            new.scratch[scratch::ENTRIES_AND_CHILD] =
                u64::from(old.scratch[scratch::ENTRIES_AND_CHILD] as u32);
        }
        for (i, word) in modules.entries().iter().enumerate() {
            *log.modules.at(i as u32) = *word;
        }
        for (i, old) in frames.entries().iter().enumerate() {
            let depth = i as i64 - i64::from(self.waiting.lane_0());
            let base = tracked(depth).map_or(0, |lane| u64::from(state.m.0[lane]));
            *log.frames.at(i as u32) = OpenRegion {
                work: 0,
                base,
                child_work: 0,
                child_cp: 0,
                child_cp_max: 0,
                children: 0,
                ..*old
            };
        }
        let regions = self.regions;
        let header = self.log.header();
        header.flags = flags & KEPT
            | if state.depth < UNTRACKED_DEPTH {
                0
            } else {
                FLAG_THREADS
            };
        header.threads = u32::from(state.depth >= UNTRACKED_DEPTH);
        header.contexts = contexts.len;
        header.module_bytes = u64::from(modules.len) * 8;
        header.regions = regions;
        header.blind = blind;
        header.frames = open;
        header.depth_reached = depth_reached;
        header.m = state.m;
        failed.map_or(Ok(()), Err)
    }
}
