//! Which call each thread is in (`docs/ilp-model.md`, "Routine").

use parascan_isa::Control;

use crate::program::{Block, RoutineId};

/// How a block ended, as long as its thread's next block is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ending {
    /// Address of the last instruction.
    pub address: u64,
    /// Address after it.
    pub after: u64,
    /// How control leaves it.
    pub control: Control,
}

/// One call that has not returned.
#[derive(Clone, Copy, Debug)]
struct Frame {
    routine: RoutineId,
    /// Where it returns to; `None` for the thread's first routine and signal handlers.
    return_address: Option<u64>,
    /// For a signal handler: how the interrupted block had ended.
    interrupted: Option<Option<Ending>>,
}

/// What a new block means for the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moved {
    /// Calls that are left: those which had been entered before go on.
    pub depth: usize,
    /// The routine that is called, at that depth.
    pub entered: Option<RoutineId>,
}

/// A thread's calls.
#[derive(Debug, Default)]
pub(super) struct Calls {
    frames: Vec<Frame>,
}

impl Calls {
    /// A block begins. `ending` is how the thread's last block ended, if it is known where that leads; `signal` says that a handler begins instead.
    pub fn block(&mut self, block: &Block, ending: Option<Ending>, signal: bool) -> Moved {
        let address = block.instructions[0].address;
        let routine = block.routine;
        if self.frames.is_empty() || signal {
            let interrupted = signal.then_some(ending);
            return self.enter(routine, None, interrupted);
        }
        let Some(ending) = ending else {
            return self.stay();
        };
        match ending.control {
            Control::Call { .. } | Control::IndirectCall => {
                self.enter(routine, Some(ending.after), None)
            }
            Control::Return => self.leave(address),
            Control::System if address != ending.after => self.resume(block),
            Control::Jump { .. } | Control::IndirectJump | Control::Branch { .. } => {
                let falls_through =
                    matches!(ending.control, Control::Branch { .. }) && address == ending.after;
                match self.frames.last().copied() {
                    Some(top) if block.entry && !falls_through && top.routine != routine => {
                        self.frames.pop();
                        self.enter(routine, top.return_address, top.interrupted)
                    }
                    _ => self.stay(),
                }
            }
            Control::Next | Control::System => self.stay(),
        }
    }

    fn stay(&self) -> Moved {
        Moved {
            depth: self.frames.len(),
            entered: None,
        }
    }

    fn enter(
        &mut self,
        routine: RoutineId,
        return_address: Option<u64>,
        interrupted: Option<Option<Ending>>,
    ) -> Moved {
        let depth = self.frames.len();
        self.frames.push(Frame {
            routine,
            return_address,
            interrupted,
        });
        Moved {
            depth,
            entered: Some(routine),
        }
    }

    /// A return to an address: the innermost call that returns there ends, and all within it. A return to anywhere else ends none.
    fn leave(&mut self, address: u64) -> Moved {
        if let Some(frame) = self
            .frames
            .iter()
            .rposition(|frame| frame.return_address == Some(address))
        {
            self.frames.truncate(frame);
        }
        self.stay()
    }

    /// A system call that does not come back to where it was made ends a signal handler: what was interrupted goes on.
    fn resume(&mut self, block: &Block) -> Moved {
        let handler = self
            .frames
            .iter()
            .rposition(|frame| frame.interrupted.is_some());
        match handler {
            Some(frame) if frame > 0 => {
                let ending = self.frames[frame].interrupted.flatten();
                self.frames.truncate(frame);
                self.block(block, ending, false)
            }
            _ => self.stay(),
        }
    }
}
