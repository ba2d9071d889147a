//! Minima and maxima of which a loop keeps the index alone: `if (v[i] < v[at]) at = i;`.
//!
//! The value at the kept index is computed anew in every iteration, from that index as the other value is from the
//! loop's own. So the comparison is that of a running minimum, whatever leads from the index to the value, as long as
//! that is the same in all iterations: the loop reads and computes, and changes no memory.

use indexmap::IndexSet;

use parascan_formats::module::Operator;
use parascan_formats::source::{BestValue, IndexedExtremum};

use super::best::{self, TakeOver};
use super::branching::{TakeOverPoint, decided};
use super::{LoopNest, is_arithmetic, lets_nan_in, minmax, same_value};
use crate::analysis::{self, Analysis};
use crate::ir::{Block, Opcode, Value};

/// Such a minimum or maximum.
pub(super) struct Position {
    pub(super) operator: Operator,
    /// The phis and selects that hand the index on.
    pub(super) members: IndexSet<Value>,
    /// The comparison.
    pub(super) test: Value,
    /// What is computed from the kept index for it.
    pub(super) computed: IndexSet<Value>,
    /// The kept index, with what is kept beside it, and the name of the loop's index: where lines around the loop can
    /// put the threads' own together. The text of the value is the source's to find.
    pub(super) best: Option<(IndexedExtremum, String)>,
    /// A NaN may be taken for better, and the next value for better than it.
    pub(super) unordered: bool,
}

/// Recognises one by the cycle of a header phi.
pub(super) fn position(
    nest: &LoopNest<'_>,
    analysis: &Analysis,
    index: usize,
    phi: Value,
    cycle: &IndexSet<Value>,
) -> Option<Position> {
    if !nest.loops[index].blocks.iter().all(|b| only_computes(*b)) {
        return None;
    }
    let hands_on = |v: &&Value| matches!(v.opcode(), Opcode::LLVMPHI | Opcode::LLVMSelect);
    let members: IndexSet<Value> = cycle.iter().filter(hands_on).copied().collect();
    let (place, value) = best::entry(nest, index, &members)?;
    let mut inductions = analysis.inductions().into_iter();
    let of = inductions.find(|i| i.in_loop == index && best::keeps(value, phi, i.phi))?;
    let read = Read::by(nest, index, &members)?;
    let [a, b] = [0, 1].map(|n| read.is(read.test.operand(n)));
    if a == b {
        return None;
    }
    let chain = u32::from(b);
    let (other, running) = (read.test.operand(1 - chain), read.test.operand(chain));
    if !read.mirrors((nest, index), analysis, other, running, value) {
        return None;
    }
    let on_true = match place {
        TakeOver::Choice(test, outcome) => (test == read.test).then_some(outcome)?,
        TakeOver::Edge(from, join) => {
            let branch = read.test.users()[0];
            let block = branch.block();
            let [yes, no] = block.successors()[..] else {
                return None;
            };
            if yes == no || !(from == block || block.successors().contains(&from)) {
                return None;
            }
            // Whatever else it sets would have to be handed over as well.
            let entry = TakeOverPoint { place, from, join };
            if decided(nest, analysis, index, block, &entry, &members)? != 0 {
                return None;
            }
            from == yes || from == block && join == yes
        }
    };
    let operator = minmax(read.test, (chain == 1) == on_true)?;
    let unordered = lets_nan_in(read.test, on_true);
    let strict = best::is_strict(read.test, on_true) && !unordered;
    let kept = || {
        let best = IndexedExtremum {
            value: BestValue::At(Vec::new()),
            is_minimum: operator == Operator::Min,
            position: best::name(&members)?,
            others: best::beside(nest, index, &members, place)?
                .into_iter()
                .map(|(_, _, name)| name)
                .collect(),
        };
        Some((best, analysis::variable_name(of.phi)?))
    };
    Some(Position {
        best: strict.then(kept).flatten(),
        operator,
        test: read.test,
        unordered,
        computed: read.computed,
        members,
    })
}

/// What a loop computes from a kept index.
struct Read {
    members: IndexSet<Value>,
    /// All of it but the comparison.
    computed: IndexSet<Value>,
    /// The one comparison to which all of it leads.
    test: Value,
}

impl Read {
    /// None if it leads anywhere else: threads have kept indexes of their own.
    fn by(nest: &LoopNest<'_>, index: usize, members: &IndexSet<Value>) -> Option<Self> {
        let mut computed = IndexSet::new();
        let mut test = None;
        let mut work: Vec<Value> = members.iter().copied().collect();
        while let Some(v) = work.pop() {
            for user in v.users() {
                let inside = nest.contains(index, user.block());
                if members.contains(&user) || !inside && members.contains(&v) {
                    continue;
                }
                match user.opcode() {
                    Opcode::LLVMICmp | Opcode::LLVMFCmp => {
                        if *test.get_or_insert(user) != user {
                            return None;
                        }
                    }
                    _ if inside && computes(user) => {
                        if computed.insert(user) {
                            work.push(user);
                        }
                    }
                    _ => return None,
                }
            }
        }
        // Calls have times of their own.
        let of_index = |v: &Value| v.operands().iter().any(|o| members.contains(o));
        let mut calls = computed.iter().filter(|v| v.opcode() == Opcode::LLVMCall);
        if computed.is_empty() || calls.any(of_index) {
            return None;
        }
        let test = test.filter(|t| nest.contains(index, t.block()))?;
        let [decides] = test.users()[..] else {
            return None;
        };
        let branches = decides.opcode() == Opcode::LLVMBr && decides.is_conditional();
        (branches || members.contains(&decides)).then(|| Self {
            members: members.clone(),
            computed,
            test,
        })
    }

    fn is(&self, v: Value) -> bool {
        self.members.contains(&v) || self.computed.contains(&v)
    }

    /// Whether `other` is computed from `value` as `running` is from the kept index.
    fn mirrors(
        &self,
        nest: (&LoopNest<'_>, usize),
        analysis: &Analysis,
        other: Value,
        running: Value,
        value: Value,
    ) -> bool {
        if self.members.contains(&running) {
            return same_value(analysis, other, value);
        }
        if !self.computed.contains(&running) {
            // Else it were another order in every iteration.
            return same_value(analysis, other, running) && stays(nest, running);
        }
        let like = |v: Value| {
            let same = v.opcode() == running.opcode() && v.ty() == running.ty();
            same && computes(v) && v.operand_count() == running.operand_count()
        };
        if !other.is_instruction() || !like(other) {
            return false;
        }
        let elements = running.opcode() == Opcode::LLVMGetElementPtr;
        if elements && other.element_type() != running.element_type() {
            return false;
        }
        let mut operands = other.operands().into_iter().zip(running.operands());
        operands.all(|(o, r)| self.mirrors(nest, analysis, o, r, value))
    }
}

/// Whether a value is the same in all iterations of a loop that changes no memory.
fn stays((nest, index): (&LoopNest<'_>, usize), v: Value) -> bool {
    let inside = v.is_instruction() && nest.contains(index, v.block());
    !inside || computes(v) && v.operands().into_iter().all(|o| stays((nest, index), o))
}

/// Whether a value follows from its operands and from memory, and shows nowhere else.
fn computes(v: Value) -> bool {
    match v.opcode() {
        Opcode::LLVMLoad => v.is_simple_access(),
        Opcode::LLVMGetElementPtr | Opcode::LLVMTrunc | Opcode::LLVMFPTrunc | Opcode::LLVMShl => {
            true
        }
        _ => is_arithmetic(v),
    }
}

/// Whether a block changes no memory.
fn only_computes(block: Block) -> bool {
    block.instructions().into_iter().all(|i| match i.opcode() {
        Opcode::LLVMLoad => i.is_simple_access(),
        Opcode::LLVMCall => {
            let f = i.callee();
            let marks =
                |name: String| name.starts_with("llvm.dbg.") || name.starts_with("llvm.lifetime.");
            computes(i) || f.intrinsic_name().is_some_and(marks)
        }
        Opcode::LLVMStore
        | Opcode::LLVMInvoke
        | Opcode::LLVMCallBr
        | Opcode::LLVMFence
        | Opcode::LLVMAtomicCmpXchg
        | Opcode::LLVMAtomicRMW
        | Opcode::LLVMVAArg => false,
        _ => true,
    })
}
