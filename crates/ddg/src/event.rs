//! The dynamic side of a stream. Who reads a trace turns its records into these; synthetic traces are written with
//! them.

use crate::program::BlockId;

/// Number of a thread within its process, from 0 in the order of appearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub u32);

/// A piece of the program's memory: address and size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemorySpan {
    /// Address of the first byte.
    pub address: u64,
    /// Length in bytes.
    pub size: u64,
}

/// A block that was executed, see [`Event::Block`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed {
    /// The block, which the program must have.
    pub id: BlockId,
    /// How many of its instructions were executed: fewer than it has where it ended with a fault.
    pub executed: u32,
    /// Number of addresses.
    pub addresses: u32,
}

/// One event of one thread. The outcome of a branch at the end of a block is the address of the thread's next block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<'a> {
    /// The first `executed` instructions of a block were executed (all of them, or fewer before a fault). `addresses`
    /// holds one for each slot of these, in order; slots of an instruction with [`Event::Operands`] or
    /// [`Event::Repeat`] before the block have one there too, which is not looked at.
    Block {
        /// Which.
        id: BlockId,
        /// Instructions executed.
        executed: u32,
        /// Addresses of the slots.
        addresses: &'a [u64],
    },
    /// Goes before the [`Event::Block`] that contains the instruction: a `rep` string instruction made so many
    /// iterations. In each, its slots have the size of one element and their addresses move by `step` bytes.
    Repeat {
        /// Position of the instruction in the block.
        instruction: u32,
        /// Iterations; 0 is one instance without memory operands.
        iterations: u64,
        /// Address of each slot in the first iteration.
        addresses: &'a [u64],
        /// Bytes from one iteration to the next, negative when DF is set.
        step: i64,
    },
    /// Goes before the [`Event::Block`]: the memory operands of an instruction whose number or size is known only when
    /// it is executed (gathers, scatters, masked operands). They stand in place of its slots.
    Operands {
        /// Position of the instruction in the block.
        instruction: u32,
        /// What it reads.
        reads: &'a [MemorySpan],
        /// What it writes.
        writes: &'a [MemorySpan],
    },
    /// Goes before the [`Event::Block`] that ends with the system call: memory that the kernel read and wrote for it.
    Kernel {
        /// What it read.
        reads: &'a [MemorySpan],
        /// What it wrote.
        writes: &'a [MemorySpan],
    },
    /// The bounds of the thread's stack: its lowest possible address and its base.
    Stack {
        /// From the lowest possible address to the base.
        bounds: MemorySpan,
    },
    /// A signal handler begins: the next block is not where the last one's control transfer led.
    Interrupted,
    /// The thread ends.
    End,
}
