//! Paths: blocks that a thread often executes one behind the other, made machine code together. What one leaves for the
//! next stays in registers, and what is overwritten on the way is never stored.

use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

use super::compile::Compiled;
use super::exit::{BlockExit, Exit};
use super::quick::QuickBlock;
use crate::event::Executed;
use crate::program::{Block, PlacedInstruction, Program};

/// Blocks of a path.
pub const LENGTH: usize = 4;
/// Paths that are watched, or have code.
const ENTRIES: usize = 4096;
/// Of a path that has code, or is not to have any.
const NEVER: u64 = u64::MAX;

/// What a path is known by.
pub type PathKey = [Executed; LENGTH];

/// A path that was executed.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct ExecutedPath {
    key: PathKey,
    /// How often, more often than others with the same place; [`NEVER`] if that does not matter any more.
    count: u64,
    quick: QuickBlock,
}

/// A path that has code.
#[derive(Debug)]
pub struct CompiledPath {
    /// All its blocks, as one.
    pub compiled: Compiled,
    /// How its blocks end, but for the last.
    pub exits: [Exit; LENGTH - 1],
}

/// The paths of a machine.
#[derive(Debug)]
pub struct Paths {
    /// By [`place`]; none if there cannot be code.
    entries: Box<[ExecutedPath]>,
    /// Those with code.
    made: Vec<CompiledPath>,
    /// Executions after which a path has code.
    hot: u64,
}

/// What is known of the blocks that come.
pub enum Lookup<'a> {
    /// They have code.
    Code(&'a QuickBlock),
    /// They should have code from now on.
    Hot(PathKey),
    /// Nothing.
    Nothing,
}

const NOBODY: ExecutedPath = ExecutedPath {
    key: [Executed {
        id: crate::program::BlockId(u32::MAX),
        executed: 0,
        addresses: 0,
    }; LENGTH],
    count: 0,
    quick: QuickBlock::NONE,
};

/// Where a path is. Fibonacci hashing.
#[inline(always)]
fn place(key: &PathKey) -> usize {
    let pair = |a: Executed, b: Executed| u64::from(a.id.0) << 32 | u64::from(b.id.0);
    let [first, second] = [pair(key[0], key[1]), pair(key[2], key[3])];
    let mixed =
        first.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ second.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    (mixed >> (u64::BITS - ENTRIES.ilog2())) as usize
}

/// Whether both are the same. Without branches: they mostly are.
#[inline(always)]
fn same(a: &PathKey, b: &PathKey) -> bool {
    let differ = |a: &Executed, b: &Executed| {
        (a.id.0 ^ b.id.0) | (a.executed ^ b.executed) | (a.addresses ^ b.addresses)
    };
    a.iter().zip(b).fold(0, |all, (a, b)| all | differ(a, b)) == 0
}

impl Paths {
    /// No paths, yet (`used`) or ever.
    pub fn new(used: bool, hot: u64) -> Self {
        let entries = if used { ENTRIES } else { 0 };
        Self {
            entries: vec![NOBODY; entries].into(),
            made: Vec::new(),
            hot,
        }
    }

    /// Looks what is known of the blocks that come, and counts them.
    #[inline(always)]
    pub fn find(&mut self, blocks: &[Executed]) -> Lookup<'_> {
        let Some(key) = blocks.first_chunk() else {
            return Lookup::Nothing;
        };
        let place = place(key);
        let Some(entry) = self.entries.get(place) else {
            return Lookup::Nothing;
        };
        let same = same(&entry.key, key);
        if same && !entry.quick.is_none() {
            self.fetch(&blocks[LENGTH..]);
            return Lookup::Code(&self.entries[place].quick);
        }
        self.fetch(&blocks[1..]);
        if self.entries[place].watch(key, same, self.hot) {
            return Lookup::Hot(*key);
        }
        Lookup::Nothing
    }

    /// Has the processor fetch what is known of blocks, because it will soon be looked at.
    #[inline(always)]
    fn fetch(&self, blocks: &[Executed]) {
        if let Some(entry) = blocks
            .first_chunk()
            .and_then(|key| self.entries.get(place(key)))
        {
            for line in [
                (&raw const entry.key).cast(),
                (&raw const entry.quick).cast(),
            ] {
                // SAFETY: this reads nothing.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(line) };
            }
        }
    }

    /// The path has code from now on, or (`None`) never.
    pub fn set(&mut self, key: &PathKey, path: Option<(CompiledPath, QuickBlock)>) {
        let entry = &mut self.entries[place(key)];
        entry.count = NEVER;
        if let Some((path, quick)) = path {
            entry.quick = quick;
            self.made.push(path);
        }
    }

    /// Forgets those that have code, and returns them.
    pub fn clear(&mut self) -> Vec<CompiledPath> {
        if !self.made.is_empty() {
            self.entries.fill(NOBODY);
        }
        std::mem::take(&mut self.made)
    }
}

impl ExecutedPath {
    /// Counts an execution of a path without code that belongs here. Returns whether it is to have some.
    #[inline(always)]
    fn watch(&mut self, key: &PathKey, same: bool, hot: u64) -> bool {
        if self.count == NEVER {
            return false;
        }
        if same {
            self.count += 1;
        } else if self.count > 0 {
            self.count -= 1;
        } else {
            self.key = *key;
        }
        same && self.count > hot
    }
}

/// The blocks of a path as one, and how they end but for the last, if each of them has as many addresses as it should,
/// and `may` says of each but the last that control may go on from it to the next.
pub fn joined(
    program: &Program,
    key: &PathKey,
    may: impl Fn(Exit, &Block) -> bool,
) -> Option<(Block, [Exit; LENGTH - 1])> {
    let mut all: Vec<PlacedInstruction> = Vec::new();
    let mut exits = [Exit::Next; LENGTH];
    for (index, what) in key.iter().enumerate() {
        let block = program.block(what.id)?;
        if index > 0 && !may(exits[index - 1], block) {
            return None;
        }
        let instructions = block.instructions.get(..what.executed as usize)?;
        let slots = |placed: &PlacedInstruction| placed.instruction.slots.len();
        if instructions.iter().map(slots).sum::<usize>() != what.addresses as usize {
            return None;
        }
        exits[index] = BlockExit::of(instructions.last()).exit;
        all.extend_from_slice(instructions);
    }
    let first = program.block(key[0].id)?;
    let block = Block {
        instructions: all,
        routine: first.routine,
        entry: first.entry,
    };
    Some((block, *exits.first_chunk()?))
}
