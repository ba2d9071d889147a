//! Counts what blocks did that always have the same accesses, in one loop: how often each was executed, and the sum of
//! its words.

use std::ops::Add;

use parascan_abi::trace::{CUT, block_head, tag};
use parascan_formats::trace::{Slot, SlotKind, TraceBlock};

/// Accesses of one kind that are added up at once.
const GROUP: usize = 4;
/// Words that they lie in.
const NEAR: usize = 8;

/// Accesses of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessSum {
    /// How many.
    pub count: u64,
    /// Bytes that all of them access, each as often as it is accessed.
    pub bytes: u64,
    /// Of all addresses, modulo 2^64: equal for equal accesses, whatever their order.
    pub addresses: u64,
}

impl AccessSum {
    /// Adds `times` accesses of `size` bytes, from `address` on, `step` bytes apart.
    pub fn accesses(&mut self, times: u64, size: u16, address: u64, step: i64) {
        self.count += times;
        self.bytes += times * u64::from(size);
        let steps = (u128::from(times) * u128::from(times.saturating_sub(1)) / 2) as u64;
        let moved = steps.wrapping_mul(step.cast_unsigned());
        let addresses = address.wrapping_mul(times).wrapping_add(moved);
        self.addresses = self.addresses.wrapping_add(addresses);
    }

    /// Adds another sum so many times.
    fn add_times(&mut self, times: u64, other: &Self) {
        self.count += times * other.count;
        self.bytes += times * other.bytes;
        self.addresses = self
            .addresses
            .wrapping_add(other.addresses.wrapping_mul(times));
    }
}

/// What is looked at of a block whenever it is executed.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct CountedBlock {
    executions: u64,
    /// Words in the trace, the head included; 0 where the block is counted in another way.
    words: u16,
    /// Words of the first accesses that read and that write; the head, which is always the same, where there are fewer.
    reads: [u8; GROUP],
    writes: [u8; GROUP],
    /// Others that read, then others that write: where their words are in the list of all, and how many there are.
    far: u32,
    far_reads: u16,
    far_writes: u16,
}

/// What each execution of a block adds besides its words.
#[derive(Clone, Copy, Debug, Default)]
struct Fixed {
    instructions: u64,
    reads: AccessSum,
    writes: AccessSum,
}

/// How often blocks, instructions and accesses of memory were executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// Blocks, as often as they were executed.
    pub blocks: u64,
    /// Instructions, those of repeated ones as often as they were.
    pub instructions: u64,
    /// Accesses that read.
    pub reads: AccessSum,
    /// Accesses that write.
    pub writes: AccessSum,
}

impl Add for Total {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self.blocks += other.blocks;
        self.instructions += other.instructions;
        self.reads.add_times(1, &other.reads);
        self.writes.add_times(1, &other.writes);
        self
    }
}

/// Counts of all such blocks, by their numbers in the trace.
#[derive(Debug, Default)]
pub struct BlockTally {
    entries: Vec<CountedBlock>,
    fixed: Vec<Fixed>,
    far: Vec<u16>,
    /// Of words, and of blocks that were defined again.
    total: Total,
}

impl BlockTally {
    /// A block is defined, maybe again.
    pub fn define(&mut self, block: &TraceBlock) {
        let number = block.id as usize;
        if number >= self.entries.len() {
            self.entries.resize(number + 1, CountedBlock::default());
            self.fixed.resize(number + 1, Fixed::default());
        }
        self.total = self.with(self.total, number);
        let (entry, fixed) = self.entry(block).unwrap_or_default();
        self.entries[number] = entry;
        self.fixed[number] = fixed;
    }

    fn entry(&mut self, block: &TraceBlock) -> Option<(CountedBlock, Fixed)> {
        let mut fixed = Fixed {
            instructions: block.instructions.len() as u64,
            ..Fixed::default()
        };
        let mut slots: Vec<&Slot> = Vec::new();
        for slot in block.instructions.iter().flat_map(|i| &i.slots) {
            match slot.kind {
                SlotKind::Memory => slots.push(slot),
                SlotKind::Time => {}
                SlotKind::Lanes | SlotKind::Masked | SlotKind::Repeat => return None,
            }
        }
        let mut entry = CountedBlock {
            words: u16::try_from(block.words).ok()?,
            far: u32::try_from(self.far.len()).ok()?,
            ..CountedBlock::default()
        };
        let head = block_head(block.id);
        let reading = slots.iter().filter(|slot| slot.read);
        let writing = slots.iter().filter(|slot| slot.write);
        for slot in reading.clone() {
            fixed.reads.accesses(1, slot.size, slot.displacement, 0);
        }
        for slot in writing.clone() {
            fixed.writes.accesses(1, slot.size, slot.displacement, 0);
        }
        let (free, far) = self.split(reading.map(|slot| slot.word), &mut entry.reads);
        fixed.reads.addresses = fixed.reads.addresses.wrapping_sub(head.wrapping_mul(free));
        entry.far_reads = u16::try_from(far).ok()?;
        let (free, far) = self.split(writing.map(|slot| slot.word), &mut entry.writes);
        fixed.writes.addresses = fixed.writes.addresses.wrapping_sub(head.wrapping_mul(free));
        entry.far_writes = u16::try_from(far).ok()?;
        Some((entry, fixed))
    }

    /// Puts words of accesses into a group as long as there is room, the others into the list of all; gives the room
    /// that is left, where the head stands, and the number of the others.
    fn split(&mut self, words: impl Iterator<Item = u16>, group: &mut [u8; GROUP]) -> (u64, usize) {
        let before = self.far.len();
        let mut free = group.iter_mut();
        for word in words {
            if usize::from(word) < NEAR
                && let Some(place) = free.next()
            {
                *place = word as u8;
            } else {
                self.far.push(word);
            }
        }
        (free.len() as u64, self.far.len() - before)
    }

    /// Counts such blocks as long as there are any that were executed to their end; gives the number of words.
    pub fn count(&mut self, words: &[u64]) -> usize {
        let mut rest = words;
        let (mut reads, mut writes) = (0_u64, 0_u64);
        // What is no head of a block is larger than any number.
        while let Some(near) = rest.first_chunk::<NEAR>()
            && let number = near[0].wrapping_sub(block_head(0)) as usize
            && let Some(entry) = self.entries.get_mut(number)
            && entry.words > 0
            && let Some(next) = rest.get(usize::from(entry.words))
            && tag(*next) != CUT
        {
            entry.executions += 1;
            let word = |place: u8| near[usize::from(place) % NEAR];
            for place in 0..GROUP {
                reads = reads.wrapping_add(word(entry.reads[place]));
                writes = writes.wrapping_add(word(entry.writes[place]));
            }
            if entry.far_reads > 0 || entry.far_writes > 0 {
                let far = &self.far[entry.far as usize..];
                let (read, far) = far.split_at(entry.far_reads.into());
                for word in read {
                    reads = reads.wrapping_add(rest[usize::from(*word)]);
                }
                for word in &far[..entry.far_writes.into()] {
                    writes = writes.wrapping_add(rest[usize::from(*word)]);
                }
            }
            rest = &rest[usize::from(entry.words)..];
        }
        let total = &mut self.total;
        total.reads.addresses = total.reads.addresses.wrapping_add(reads);
        total.writes.addresses = total.writes.addresses.wrapping_add(writes);
        words.len() - rest.len()
    }

    /// What was counted so far.
    pub fn total(&self) -> Total {
        (0..self.entries.len()).fold(self.total, |total, number| self.with(total, number))
    }

    /// Adds what executions of a block add besides its words.
    fn with(&self, mut total: Total, number: usize) -> Total {
        let (executions, fixed) = (self.entries[number].executions, &self.fixed[number]);
        total.blocks += executions;
        total.instructions += executions * fixed.instructions;
        total.reads.add_times(executions, &fixed.reads);
        total.writes.add_times(executions, &fixed.writes);
        total
    }
}
