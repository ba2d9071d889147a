//! What can be wrong with a model or a stream.

use crate::event::ThreadId;
use crate::program::BlockId;

/// A model that cannot be, or a text that does not describe one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}; {remedy}")]
pub struct ModelError {
    /// Where: an option, or a line of a file.
    pub place: String,
    /// What is wrong.
    pub problem: String,
    /// What the user can write instead, or where to look; ends the message.
    pub remedy: String,
}

impl ModelError {
    /// An error at a place.
    pub fn new(
        place: impl Into<String>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            place: place.into(),
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }
}

/// A stream that does not fit its program: the trace is corrupt, or who reads it is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StreamError {
    /// A block was executed that was never defined.
    #[error("thread {} executes block {}, which was never defined", thread.0, block.0)]
    UndefinedBlock {
        /// The thread.
        thread: ThreadId,
        /// The block.
        block: BlockId,
    },
    /// More instructions were executed than the block has.
    #[error("thread {} executes {executed} instructions of block {}, which has {instructions}", thread.0, block.0)]
    Executed {
        /// The thread.
        thread: ThreadId,
        /// The block.
        block: BlockId,
        /// How many were executed.
        executed: u32,
        /// How many it has.
        instructions: usize,
    },
    /// Another number of addresses than there are memory slots.
    #[error("thread {} gives {given} addresses for {slots} memory operands in block {}", thread.0, block.0)]
    Addresses {
        /// The thread.
        thread: ThreadId,
        /// The block.
        block: BlockId,
        /// Addresses given.
        given: usize,
        /// Slots of the executed instructions, or of the repeated one.
        slots: usize,
    },
    /// Operands or repetitions were given for an instruction that was not executed, or twice for one.
    #[error("thread {} gives operands of instruction {instruction} of block {}, which is not executed, or has been given its operands before", thread.0, block.0)]
    Operands {
        /// The thread.
        thread: ThreadId,
        /// The block.
        block: BlockId,
        /// Position of the instruction in the block.
        instruction: u32,
    },
    /// Memory of the kernel was given for a block that does not end with a system call.
    #[error("thread {} gives memory of a system call for block {}, which does not end with one", thread.0, block.0)]
    Kernel {
        /// The thread.
        thread: ThreadId,
        /// The block.
        block: BlockId,
    },
    /// A thread goes on after its end.
    #[error("thread {} goes on after its end", thread.0)]
    Ended {
        /// The thread.
        thread: ThreadId,
    },
}
