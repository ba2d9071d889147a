//! A thread's records: one for each node that it was at, with the nodes that came before.

use std::sync::atomic::Ordering::{Relaxed, Release};

use parascan_abi::omp::{INLINE, Predecessor, Record};

use super::frame::OpenConstruct;
use super::{ThreadTracker, add};
use crate::tables::{self, ChildKey, Detail};

impl ThreadTracker {
    /// A key for a construct that came without an address: that of the sibling which followed the same predecessor
    /// before, else of the only sibling of this kind, else the address of the construct around.
    #[cold]
    pub(super) fn guess(&self, outer: &OpenConstruct, key: ChildKey) -> ChildKey {
        let before = match outer.previous.node {
            u32::MAX => outer.node,
            node => node,
        };
        let mut only = None;
        let mut others = 0;
        for (parent, other, record, node) in self.children.slots.iter().flatten() {
            if *parent != outer.node || other.construct != key.construct || other.address == 0 {
                continue;
            }
            let used = record.inline.load(Relaxed) as usize;
            let followed = record.before[..used]
                .iter()
                .any(|b| b.load(Relaxed) == before)
                || self.overflow.contains_key(&(*node, before));
            if followed {
                return *other;
            }
            only = Some(*other);
            others += 1;
        }
        only.filter(|_| others == 1).unwrap_or(ChildKey {
            address: outer.address,
            ..key
        })
    }

    pub(super) fn precede(&mut self, record: &'static Record, node: u32, before: u32) {
        let used = record.inline.load(Relaxed) as usize;
        for slot in 0..used.min(INLINE) {
            if record.before[slot].load(Relaxed) == before {
                add(&record.counts[slot], 1);
                return;
            }
        }
        if used < INLINE {
            record.before[used].store(before, Relaxed);
            record.counts[used].store(1, Relaxed);
            record.inline.store(used as u32 + 1, Release);
            return;
        }
        if let Some(entry) = self.overflow.get(&(node, before)) {
            add(&entry.count, 1);
            return;
        }
        let size = size_of::<Predecessor>();
        if let Some(room) = self.predecessors.room(size, align_of::<Predecessor>()) {
            // SAFETY: the room is zeroed, aligned, and nobody else's; blocks stay mapped.
            let entry: &'static Predecessor = unsafe { &*room.at().cast::<Predecessor>() };
            entry.node.store(node, Relaxed);
            entry.before.store(before, Relaxed);
            entry.count.store(1, Relaxed);
            room.publish();
            self.overflow.insert((node, before), entry);
        }
    }

    /// The thread's record of a child.
    #[inline]
    pub(super) fn child(
        &mut self,
        parent: u32,
        key: ChildKey,
        detail: Detail,
    ) -> Option<(&'static Record, u32)> {
        if let Some(found) = self.children.get(parent, key) {
            return Some(found);
        }
        self.new_child(parent, key, detail)
    }

    #[cold]
    fn new_child(
        &mut self,
        parent: u32,
        key: ChildKey,
        detail: Detail,
    ) -> Option<(&'static Record, u32)> {
        let node = tables::child(parent, key, detail)?;
        let room = self
            .records
            .room(size_of::<Record>(), align_of::<Record>())?;
        if !self.published.add(room.block()) {
            return None;
        }
        // SAFETY: the room is zeroed, aligned, and nobody else's; blocks stay mapped.
        let record: &'static Record = unsafe { &*room.at().cast::<Record>() };
        record.node.store(node, Relaxed);
        room.publish();
        self.children.insert(parent, key, record, node);
        Some((record, node))
    }
}

/// The thread's records by parent and key: open addressing, never shrinking.
#[derive(Debug)]
pub(super) struct ChildTable {
    slots: Vec<Option<(u32, ChildKey, &'static Record, u32)>>,
    used: usize,
}

impl ChildTable {
    pub(super) fn new() -> Self {
        Self {
            slots: vec![None; 256],
            used: 0,
        }
    }

    fn start(&self, parent: u32, key: ChildKey) -> usize {
        let mixed = (key.address ^ u64::from(parent) << 40 ^ (key.construct as u64) << 32)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn get(&self, parent: u32, key: ChildKey) -> Option<(&'static Record, u32)> {
        let mask = self.slots.len() - 1;
        let mut at = self.start(parent, key);
        loop {
            match self.slots[at] {
                None => return None,
                Some((p, k, record, node)) if p == parent && k == key => {
                    return Some((record, node));
                }
                Some(_) => at = (at + 1) & mask,
            }
        }
    }

    fn insert(&mut self, parent: u32, key: ChildKey, record: &'static Record, node: u32) {
        if 2 * (self.used + 1) > self.slots.len() {
            let larger = vec![None; 2 * self.slots.len()];
            for (p, k, r, n) in std::mem::replace(&mut self.slots, larger)
                .into_iter()
                .flatten()
            {
                self.place(p, k, r, n);
            }
        }
        self.place(parent, key, record, node);
        self.used += 1;
    }

    fn place(&mut self, parent: u32, key: ChildKey, record: &'static Record, node: u32) {
        let mask = self.slots.len() - 1;
        let mut at = self.start(parent, key);
        while self.slots[at].is_some() {
            at = (at + 1) & mask;
        }
        self.slots[at] = Some((parent, key, record, node));
    }
}
