//! Which call each thread is in (`docs/ilp-model.md`, "Calls").

use parascan_isa::Control;

use crate::predict::Predictor;
use crate::program::{Block, RoutineId};

/// How a block ended that was executed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ending {
    /// Address of the last instruction.
    pub address: u64,
    /// Address after it.
    pub after: u64,
    /// How control leaves it.
    pub control: Control,
    /// Position among the recorded instances, or [`super::memory::NOBODY`].
    pub instance: u32,
}

impl Ending {
    /// Whether it was mispredicted that control goes to `next`; teaches the predictor.
    pub fn missed(self, predictor: &mut Predictor, next: u64) -> bool {
        match self.control {
            Control::Branch { .. } => predictor.conditional(self.address, next != self.after),
            Control::IndirectJump | Control::IndirectCall => predictor.indirect(self.address, next),
            Control::Return => predictor.return_to(next),
            _ => false,
        }
    }
}

/// One call that has not returned.
#[derive(Clone, Copy, Debug)]
struct OpenCall {
    routine: RoutineId,
    return_address: Option<u64>,
}

/// What a new block means for the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CallChange {
    /// Calls of those before that go on.
    pub kept: usize,
    /// The routine of the call that begins.
    pub entered: Option<RoutineId>,
}

/// A thread's calls.
#[derive(Debug, Default)]
pub(super) struct Calls {
    frames: Vec<OpenCall>,
}

impl Calls {
    /// A block begins, after `ending`, or as a signal's handler.
    pub fn block(&mut self, block: &Block, ending: Option<Ending>, signal: bool) -> CallChange {
        let address = block.instructions[0].address;
        if signal {
            return self.enter(block.routine, None);
        }
        if let Some(ending) = ending {
            match ending.control {
                Control::Return => self.leave(address),
                Control::Call { .. } | Control::IndirectCall => {
                    return self.enter(block.routine, Some(ending.after));
                }
                Control::Jump { .. } | Control::IndirectJump | Control::Branch { .. } => {
                    let taken = !matches!(ending.control, Control::Branch { .. })
                        || address != ending.after;
                    if taken
                        && block.entry
                        && let Some(top) = self.frames.last().copied()
                        && top.routine != block.routine
                    {
                        self.frames.pop();
                        return self.enter(block.routine, top.return_address);
                    }
                }
                Control::Next | Control::System => {}
            }
        }
        if self.frames.is_empty() {
            return self.enter(block.routine, None);
        }
        CallChange {
            kept: self.frames.len(),
            entered: None,
        }
    }

    /// How many calls of the thread have not returned yet.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    fn enter(&mut self, routine: RoutineId, return_address: Option<u64>) -> CallChange {
        let kept = self.frames.len();
        self.frames.push(OpenCall {
            routine,
            return_address,
        });
        CallChange {
            kept,
            entered: Some(routine),
        }
    }

    fn leave(&mut self, address: u64) {
        let innermost = self.frames.len().saturating_sub(1);
        let matching = self
            .frames
            .iter()
            .rposition(|frame| frame.return_address == Some(address));
        match matching {
            Some(frame) => self.frames.truncate(frame),
            None if self
                .frames
                .last()
                .is_some_and(|frame| frame.return_address.is_none()) =>
            {
                self.frames.truncate(innermost);
            }
            None => {}
        }
    }
}
