//! Blocks whose words are the addresses of their slots and nothing else: nearly all of a trace, read in one loop.

use parascan_abi::trace::block_head;
use parascan_ddg::event::Executed;
use parascan_ddg::program::BlockId;

use crate::batch::{Batch, MARGIN};
use crate::layout::BlockLayout;

/// Slots whose addresses are made at once, whether the block has as many or not.
const GROUP: usize = 4;
/// Words that the slots of a group lie in.
const NEAR: usize = 8;
/// Mark of a block that is an entry of the PLT.
const PLT: u8 = 1;
/// Mark of a block where a routine without a name begins.
const NAMELESS: u8 = 2;

/// A slot: its word, and what is added to it.
type SlotWord = (u16, u64);

/// How to read a block, in one line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct FastBlock {
    /// The block as an event.
    executed: Executed,
    /// Words in the trace, the head included; 0 where the block is read in another way.
    words: u16,
    /// Slots in the group.
    near: u8,
    /// [`PLT`] and [`NAMELESS`].
    marks: u8,
    /// Where its other slots are in the list of all.
    far: u32,
    /// Words and displacements of the slots in the group.
    at: [u8; GROUP],
    displacements: [u64; GROUP],
}

const _: () = assert!(size_of::<FastBlock>() == 64);

impl FastBlock {
    const NONE: Self = Self {
        executed: Executed {
            id: BlockId(0),
            executed: 0,
            addresses: 0,
        },
        words: 0,
        near: 0,
        marks: 0,
        far: 0,
        at: [0; GROUP],
        displacements: [0; GROUP],
    };
}

/// How to read all such blocks, by their numbers in the trace.
#[derive(Debug, Default)]
pub struct FastPath {
    entries: Vec<FastBlock>,
    far: Vec<SlotWord>,
}

/// How much one look took from the trace: executed blocks, one behind the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadBlocks {
    /// Words of the trace that were taken, heads included.
    pub words: usize,
    /// How many executed blocks they were.
    pub blocks: usize,
    /// Addresses of all blocks.
    pub addresses: usize,
    /// Instructions of all blocks.
    pub instructions: u64,
    /// Number of the last block.
    pub last: u32,
}

impl ReadBlocks {
    /// The last block, if it is an entry of the PLT.
    pub fn plt(&self, fast: &FastPath) -> Option<u32> {
        let is_plt = fast.entries[self.last as usize].marks & PLT != 0;
        is_plt.then_some(self.last)
    }

    /// Takes the last block back.
    pub fn without_last(mut self, fast: &FastPath) -> Self {
        if let Some(before) = self.blocks.checked_sub(1) {
            let last = &fast.entries[self.last as usize];
            self.blocks = before;
            self.words -= usize::from(last.words);
            self.addresses = self
                .addresses
                .saturating_sub(last.executed.addresses as usize);
            self.instructions -= u64::from(last.executed.executed);
        }
        self
    }
}

impl FastPath {
    /// A block is defined, maybe again.
    pub fn define(&mut self, number: u32, layout: &BlockLayout) {
        let number = number as usize;
        if number >= self.entries.len() {
            self.entries.resize(number + 1, FastBlock::NONE);
        }
        self.entries[number] = self.entry(layout).unwrap_or(FastBlock::NONE);
    }

    fn entry(&mut self, layout: &BlockLayout) -> Option<FastBlock> {
        let slots = layout.addresses.as_deref()?;
        let special = layout.starts || layout.length == 0 || layout.system.is_some();
        if special || slots.len() > MARGIN {
            return None;
        }
        let mut entry = FastBlock {
            executed: Executed {
                id: layout.body,
                executed: layout.length,
                addresses: slots.len() as u32,
            },
            words: u16::try_from(layout.words).ok()?,
            marks: u8::from(layout.plt.is_some()) * PLT + u8::from(layout.nameless) * NAMELESS,
            far: u32::try_from(self.far.len()).ok()?,
            ..FastBlock::NONE
        };
        let (near, far) = slots.split_at(slots.len().min(GROUP));
        let fits = near.iter().all(|(word, _)| usize::from(*word) < NEAR);
        if fits {
            entry.near = near.len() as u8;
            for (place, (word, displacement)) in near.iter().enumerate() {
                entry.at[place] = *word as u8;
                entry.displacements[place] = *displacement;
            }
        }
        self.far.extend_from_slice(if fits { far } else { slots });
        Some(entry)
    }

    /// The routine that begins with this block has a name now.
    pub fn named(&mut self, number: u32) {
        if let Some(entry) = self.entries.get_mut(number as usize) {
            entry.marks &= !NAMELESS;
        }
    }

    /// The block with which these words begin, if it is one of these.
    #[inline(always)]
    fn first<'a>(&self, words: &'a [u64]) -> Option<(u32, &FastBlock, &'a [u64; NEAR])> {
        let near = words.first_chunk::<NEAR>()?;
        // What is no head of a block is larger than any number.
        let number = near[0].wrapping_sub(block_head(0));
        let entry = self.entries.get(number as usize)?;
        let fits = usize::from(entry.words).wrapping_sub(1) < words.len();
        fits.then_some((number as u32, entry, near))
    }

    /// Reads such blocks as long as there are any and the batch has room, fewer than so many instructions in all, and
    /// not one without a name that is reached through the PLT. Whether the last one was executed to its end must be
    /// seen from what follows it.
    pub fn read(&self, words: &[u64], instructions: u64, batch: &mut Batch) -> ReadBlocks {
        let (executed, addresses) = batch.room();
        let (blocks, room) = (executed.len(), addresses.len());
        let (mut rest, mut to, mut out) = (words, addresses, executed.iter_mut());
        let (mut left, mut before, mut last) = (instructions, 0, 0);
        while out.len() > 0
            && to.len() >= MARGIN
            && let Some((number, entry, near)) = self.first(rest)
            && left > u64::from(entry.executed.executed)
            && before & PLT & (entry.marks >> 1) == 0
            && let Some(out) = out.next()
            && let Some(group) = to.first_chunk_mut::<GROUP>()
        {
            *out = entry.executed;
            for place in 0..GROUP {
                let word = near[usize::from(entry.at[place]) % NEAR];
                group[place] = word.wrapping_add(entry.displacements[place]);
            }
            let (first, slots) = (usize::from(entry.near), entry.executed.addresses as usize);
            if slots > first {
                let far = &self.far[entry.far as usize..];
                for (to, (word, displacement)) in to[first..slots].iter_mut().zip(far) {
                    *to = rest[usize::from(*word)].wrapping_add(*displacement);
                }
            }
            to = &mut std::mem::take(&mut to)[slots..];
            rest = &rest[usize::from(entry.words)..];
            left -= u64::from(entry.executed.executed);
            (before, last) = (entry.marks, number);
        }
        ReadBlocks {
            words: words.len() - rest.len(),
            blocks: blocks - out.len(),
            addresses: room - to.len(),
            instructions: instructions - left,
            last,
        }
    }

    /// Passes over such blocks, at most so many instructions; makes no addresses.
    pub fn pass(&self, words: &[u64], instructions: u64) -> ReadBlocks {
        let mut read = ReadBlocks::default();
        while let Some(block) = words.get(read.words..)
            && let Some((number, entry, _)) = self.first(block)
            && instructions - read.instructions >= u64::from(entry.executed.executed)
        {
            read.words += usize::from(entry.words);
            read.blocks += 1;
            read.instructions += u64::from(entry.executed.executed);
            read.last = number;
        }
        read
    }
}
