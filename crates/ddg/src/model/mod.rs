//! Machine models: what limits an otherwise ideal machine. `docs/ilp-model.md` ("Levels") says what each part does.

mod check;
mod file;
mod grid;
mod least_limited;
mod physical;
mod presets;
mod spelling;

use parascan_isa::InstructionClass;

pub use check::{MAX_WINDOW, check};
pub use grid::{Grid, MAX_MODELS};
pub use least_limited::least_limited;
pub(crate) use physical::taken;
pub use spelling::{TextForm, list};

/// A machine model: what limits the execution of the dependency graph (`docs/ilp-model.md`).
#[derive(Clone, Debug, PartialEq)]
pub struct MachineModel {
    /// Shown with its results; unique among the models of a run.
    pub name: String,
    /// Which storage dependences are removed.
    pub rename: Rename,
    /// Instances per window; `None` for a window as long as the trace.
    pub window: Option<u64>,
    /// What a system call does to the graph.
    pub system_calls: SystemCalls,
    /// Steps that an operation takes, by class.
    pub latency: Latency,
    /// Functional units, which limit how many operations begin in a step.
    pub units: Units,
    /// Registers to rename to.
    pub physical_registers: PhysicalRegisters,
    /// How conditional branches are predicted.
    pub branches: Branches,
    /// How targets of indirect jumps and calls are predicted.
    pub indirect: Indirect,
    /// How targets of returns are predicted.
    pub returns: ReturnPrediction,
    /// Whether addresses are known before accesses are made.
    pub memory: Disambiguation,
    /// What moves the stack pointer by a constant.
    pub stack_pointer: StackPointer,
    /// What moves another register by a constant.
    pub induction: Induction,
    /// Which instances of instructions count as operations.
    pub count: Count,
}

/// Locations whose storage dependences are removed by renaming.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rename {
    /// Registers and flags.
    pub registers: bool,
    /// Memory within the thread's stack.
    pub stack: bool,
    /// All other memory.
    pub memory: bool,
}

/// What a system call does to the operations around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemCalls {
    /// A firewall at the deepest level so far.
    Conservative,
    /// Modifies nothing.
    Optimistic,
}

/// Latencies by class, in steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latency {
    /// `unit`, `paragraph`, `x86`, or the name of a file.
    pub name: String,
    /// Steps, by the number of the class.
    pub steps: [u16; InstructionClass::ALL.len()],
    /// Whether a memory source of an operation that is not a load adds the load's latency.
    pub load_adds: bool,
}

/// How many functional units there are of each class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Units {
    /// As many as wanted.
    Unlimited,
    /// So many, each fit for all.
    Generic(u32),
    /// A count per class; `None` is unlimited.
    ByClass(Box<[Option<u32>; InstructionClass::ALL.len()]>),
}

/// Registers to rename to, beyond those that the program sees; each thread has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhysicalRegisters {
    /// As many as wanted.
    Unlimited,
    /// So many, each fit for all kinds.
    Generic(u32),
    /// A count per kind; `None` is unlimited.
    ByKind {
        /// General registers.
        general: Option<u32>,
        /// Vector, mask, x87 and MMX registers, and tiles.
        vector: Option<u32>,
    },
}

/// How conditional branches are predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branches {
    /// All predicted rightly.
    Perfect,
    /// Every one a firewall.
    None,
    /// Predicted as taken.
    Taken,
    /// A table of 2^`index_bits` two-bit counters indexed by address.
    TwoBit {
        /// Logarithm of the number of counters.
        index_bits: u8,
    },
    /// Two-bit counters indexed by address xor global history.
    Gshare {
        /// Logarithm of the number of counters.
        index_bits: u8,
        /// Branches of history.
        history: u8,
    },
    /// Tagged tables of geometric history lengths above a two-bit table (Seznec and Michaud 2006).
    Tage {
        /// Tagged tables.
        tables: u8,
        /// Logarithm of the number of entries of each.
        index_bits: u8,
        /// Bits of a tag.
        tag_bits: u8,
        /// History of the first table.
        shortest: u16,
        /// History of the last table.
        longest: u16,
    },
}

/// Prediction of indirect jumps and calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indirect {
    /// All predicted rightly.
    Perfect,
    /// Every one a firewall.
    None,
    /// The last target of the same address, in a table of 2^`index_bits` entries.
    Last {
        /// Logarithm of the number of entries.
        index_bits: u8,
    },
}

/// How returns are predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnPrediction {
    /// All predicted rightly.
    Perfect,
    /// Every one a firewall.
    None,
    /// A stack of return addresses that forgets the oldest.
    Stack {
        /// Entries.
        entries: u16,
    },
}

/// Which earlier writes an access of memory waits for (memory disambiguation).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disambiguation {
    /// Accesses of different bytes do not delay each other.
    Perfect,
    /// All memory is one location that is not renamed.
    None,
}

/// How push, pop, call, return and additions of a constant move the stack pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackPointer {
    /// As other instructions write other registers: each waits for the one before.
    Chain,
    /// A stack engine does, which follows the stack pointer where instructions are decoded: at no cost.
    Engine,
}

/// Additions of a constant to a register other than the stack pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Induction {
    /// Each waits for the one before.
    Chain,
    /// Each starts from the value that was there before the first of them.
    Break,
}

/// Which instances are operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// All (PerPI).
    All,
    /// Those that create a value (Paragraph).
    Values,
    /// Floating-point arithmetic (PerPI, Table 2).
    Float,
}
