//! The pass's notes on a module before instrumentation: what the reference interpreter must know to measure the same
//! program. Written as JSON beside the prepared bitcode when the pass is asked to dump (`dump` in its configuration).
//!
//! Blocks and instructions are numbered in the order in which they stand in the prepared module, from 0.

use serde::{Deserialize, Serialize};

/// What the pass notes of a prepared module, for the reference interpreter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PreparedModule {
    /// The blob's content, regions included.
    pub module: crate::module::ModuleStatic,
    /// Instrumented functions.
    pub functions: Vec<PreparedFunction>,
}

/// What the pass notes of a function of a prepared module.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreparedFunction {
    /// Symbol name.
    pub name: String,
    /// Module-local number of its region.
    pub region: u32,
    /// Loops, outer before inner.
    pub loops: Vec<PreparedLoop>,
    /// Instructions that do not follow the plain rule of their opcode.
    pub notes: Vec<InstructionNote>,
}

/// A loop and its two regions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreparedLoop {
    /// Region of the loop.
    pub region: u32,
    /// Region of its iterations.
    pub iteration: u32,
    /// Header block.
    pub header: u32,
    /// All blocks, header included, inner loops included.
    pub blocks: Vec<u32>,
    /// Exiting blocks whose branch is a counted exit: it takes no time and nothing is control dependent on it inside
    /// the loop.
    pub counted_exits: Vec<u32>,
    /// Those of the counted exits whose bound lies in memory that something in the loop may write.
    pub memory_bounds: Vec<MemoryBound>,
    /// Header phis that are neither inductions nor on the cycle of a reduction (index within the header): what an
    /// iteration takes from one of them after an earlier one assigned it is a carried dependence.
    pub carriers: Vec<u32>,
}

/// A counted exit whose bound lies in memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryBound {
    /// Exiting block.
    pub block: u32,
    /// Block and position of the loads of which the bound consists.
    pub loads: Vec<(u32, u32)>,
}

/// How one instruction of a prepared function deviates from the rule of its operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InstructionNote {
    /// Number of the block in its function, in LLVM's order.
    pub block: u32,
    /// Position in the block.
    pub index: u32,
    /// What is different.
    pub rule: PreparedRule,
}

/// Rules that deviate from the opcode's (see `docs/semantics.md`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PreparedRule {
    /// Header phi of an induction variable: its time is that of its start value (the operand from outside the loop).
    InductionPhi,
    /// Update of an induction variable: no latency, no work, the time of its phi.
    InductionUpdate {
        /// Block and position of the phi.
        phi: (u32, u32),
    },
    /// Compare or other instruction that only feeds counted exits: no latency, no work, time 0.
    CountedTest,
    /// Operation on the cycle of a register reduction (combining operation, compare and select of a minimum or maximum,
    /// select of a conditional update), counted as usual in work:
    /// `t = max(t(chain operands), max(t(init), t(other operands), ctrl) + latency)`.
    Reduction {
        /// Operands that lie on the cycle.
        chain: Vec<u32>,
        /// Block and position of the header phi, outermost loop of the reduction, whose operand from outside is `init`.
        phi: (u32, u32),
    },
    /// Instruction that computes from the kept position of a minimum or maximum (`v[at]`): as any other, but that the
    /// operands in `chain` have the time `t(init)`.
    KeptPosition {
        /// Operands that are the position.
        chain: Vec<u32>,
        /// Block and position of the header phi, as in [`PreparedRule::Reduction`].
        phi: (u32, u32),
    },
    /// Compare that decides, by a branch, whether a minimum or maximum is replaced:
    /// `t = max(t(init), t(other operand), ctrl) + latency`; the running value is ignored.
    ReductionTest {
        /// Operand that is the running value.
        chain: u32,
        /// Block and position of the header phi, as in [`PreparedRule::Reduction`].
        phi: (u32, u32),
    },
    /// The same of a minimum or maximum in memory (load, compare, conditional store): `t = max(t(other operand), ctrl,
    /// init) + latency`, where `init` is that of the store's [`PreparedRule::ReductionStore`], whose `combine` this
    /// compare is.
    MemoryTest {
        /// Operand that is the running value.
        chain: u32,
        /// Block and position of the store.
        store: (u32, u32),
    },
    /// Load of a memory reduction: `t = t(bytes)`; its latency counts in work only.
    ReductionLoad {
        /// The outermost loop (index into [`PreparedFunction::loops`]) in which the reduction holds: what the load
        /// reads is no carried dependence of that loop, nor of loops inside it. None: no such loop is a region.
        scope: Option<u32>,
        /// Whether other loads of the object are watched in these loops ([`PreparedRule::WatchedLoad`]).
        watching: bool,
    },
    /// Load of an object that a reduction in memory updates, at another address: as any load, and what it reads is a
    /// carried dependence of each of these loops (index into [`PreparedFunction::loops`]) in whose present instance it
    /// was written, by whichever iteration, if in the same instance an update by such a reduction was of what an
    /// earlier iteration had written.
    WatchedLoad {
        /// The loops.
        scope: Vec<u32>,
    },
    /// Combining operation between a [`PreparedRule::ReductionLoad`] and its store: its latency counts in work only;
    /// its time is used by nothing but the store.
    ReductionCombine {
        /// Operand that comes from the load.
        chain: u32,
    },
    /// Store of a memory reduction:
    /// `t(bytes) = max(t(load), max(t(others), t(address), ctrl, init) + load + combine + store latency)`, where
    /// `others` are the combine's operands but the chain. Behind a [`PreparedRule::MemoryTest`], whose time is in ctrl,
    /// the time of what is stored enters as well, and the store's latency alone is added.
    ReductionStore {
        /// Block and position of the load.
        load: (u32, u32),
        /// Block and position of the combine.
        combine: (u32, u32),
        /// The outermost loop (index into [`PreparedFunction::loops`]) in which the address is invariant and the
        /// reduction holds: `init` is the time of the bytes when that loop was entered. None: no such term.
        init: Option<u32>,
    },
}
