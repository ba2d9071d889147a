//! Which instances are of the iteration of a loop that is to be opened (`docs/ilp-model.md`, "Iterations").

use std::collections::HashMap;

use parascan_isa::Control;

use crate::event::ThreadId;
use crate::program::PlacedInstruction;

/// Which iteration of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IterationRequest {
    /// Which entry of the loop within the stretch, from 1, of all threads in the order of the stream.
    pub entry: u64,
    /// Which one within that entry, from 1.
    pub iteration: u64,
}

/// What was found of the loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopCounts {
    /// How often the loop was entered.
    pub entries: u64,
    /// Iterations of the entry that was asked for.
    pub iterations: u64,
}

/// Follows one loop.
#[derive(Debug)]
pub(super) struct LoopFollower {
    wanted: IterationRequest,
    /// Where iterations begin, and the last instruction that was seen to lead back there. Several where the loop is
    /// mapped more than once.
    heads: HashMap<u64, Option<u64>>,
    threads: HashMap<ThreadId, Vec<Active>>,
    pub found: LoopCounts,
}

/// The loop is being executed in a call.
#[derive(Clone, Copy, Debug)]
struct Active {
    head: u64,
    /// Calls around.
    depth: usize,
    entry: u64,
    iteration: u64,
}

impl LoopFollower {
    pub fn new(wanted: IterationRequest) -> Self {
        Self {
            wanted,
            heads: HashMap::new(),
            threads: HashMap::new(),
            found: LoopCounts::default(),
        }
    }

    /// The loop's iterations begin with the instruction at this address.
    pub fn begins_at(&mut self, head: u64) {
        self.heads.entry(head).or_default();
    }

    /// A thread executes an instruction within so many calls: whether that is part of the iteration.
    pub fn instruction(
        &mut self,
        thread: ThreadId,
        depth: usize,
        placed: &PlacedInstruction,
    ) -> bool {
        if self.heads.is_empty() {
            return false;
        }
        let address = placed.address;
        let active = self.threads.entry(thread).or_default();
        while let Some(top) = active.last() {
            let end = self.heads.get(&top.head).copied().flatten();
            let outside = address < top.head || end.is_some_and(|end| address > end);
            if top.depth < depth || (top.depth == depth && !outside) {
                break;
            }
            active.pop();
        }
        let own = active.last_mut().filter(|top| top.depth == depth);
        if self.heads.contains_key(&address) {
            match own {
                Some(top) if top.head == address => top.iteration += 1,
                _ => {
                    self.found.entries += 1;
                    active.push(Active {
                        head: address,
                        depth,
                        entry: self.found.entries,
                        iteration: 1,
                    });
                }
            }
            if let Some(top) = active.last()
                && top.entry == self.wanted.entry
            {
                self.found.iterations = top.iteration;
            }
        }
        if let Control::Branch { target } | Control::Jump { target } = placed.instruction.control
            && address >= target
            && let Some(end) = self.heads.get_mut(&target)
        {
            *end = (*end).max(Some(address));
        }
        let IterationRequest { entry, iteration } = self.wanted;
        let mut active = active.iter();
        active.any(|it| (it.entry, it.iteration) == (entry, iteration))
    }
}
