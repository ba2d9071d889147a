//! What happens to a thread between two blocks: calls begin and end, predictions turn out right or wrong, what was
//! announced is looked at.

use super::BlockVariants;
use crate::announced::{AnnouncedOperands, OperandForm};
use crate::engine::calls::{self, Arrival, Measure};
use crate::engine::cell::MemoryCell;
use crate::engine::compile::Compiled;
use crate::engine::exit::{BlockExit, Exit};
use crate::engine::graph::GrowingGraph;
use crate::engine::lanes::Level;
use crate::engine::thread::ThreadState;
use crate::error::StreamError;
use crate::event::{Executed, ThreadId};
use crate::program::{BlockId, Program};

/// Whether calls may begin or end where control leaves one block so for another.
#[inline]
pub fn may_call(exit: Exit, entry: bool) -> bool {
    match exit {
        Exit::Call | Exit::IndirectCall | Exit::Return => true,
        Exit::Branch | Exit::Jump | Exit::IndirectJump => entry,
        Exit::Next | Exit::System => false,
    }
}

/// How what was executed ended.
#[inline]
pub fn ended(program: &Program, what: &Executed) -> BlockExit {
    let executed = program
        .block(what.id)
        .and_then(|block| block.instructions.get(..what.executed as usize));
    BlockExit::of(executed.and_then(<[_]>::last))
}

/// A thread, whose calls are measured, comes to a block.
#[inline]
pub fn arrive<L: Level, const N: usize>(
    state: &mut ThreadState<L, N>,
    measure: &Measure,
    table: &mut calls::RoutineTable,
    block: &BlockVariants,
) {
    let arrival = Arrival {
        exit: state.last.exit,
        not_taken: state.last.exit == Exit::Branch && state.last.behind == block.address,
        interrupted: state.interrupted,
        behind: state.last.behind,
        address: block.address,
        routine: block.routine,
        entry: block.entry,
    };
    let (calls, levels) = state.calls_and_levels();
    calls.arrive(&arrival, measure, table, levels);
}

/// Whether what was announced fits the block; how many instances there are at most.
#[cold]
#[inline(never)]
pub fn check<L: Level, const N: usize>(
    thread: &ThreadState<L, N>,
    variant: &Compiled,
    program: &Program,
    id: ThreadId,
    block: BlockId,
) -> Result<u64, StreamError> {
    let mut instances = u64::from(variant.executed);
    // Of several errors the reference names that of a repetition first.
    let repeats =
        |announced: &&AnnouncedOperands| matches!(announced.operands, OperandForm::Repeat { .. });
    let all = thread.announced.iter();
    let others = all.clone().filter(|announced| !repeats(announced));
    let mut seen: Vec<u32> = Vec::new();
    for announced in all.clone().filter(repeats).chain(others) {
        let instruction = announced.instruction;
        if instruction >= variant.executed || seen.contains(&instruction) {
            return Err(StreamError::Operands {
                thread: id,
                block,
                instruction,
            });
        }
        seen.push(instruction);
    }
    for announced in all {
        let OperandForm::Repeat {
            iterations,
            addresses,
            ..
        } = &announced.operands
        else {
            continue;
        };
        let slots = program.block(block).map_or(0, |block| {
            block.instructions[announced.instruction as usize]
                .instruction
                .slots
                .len()
        });
        if addresses.len() != slots {
            return Err(StreamError::Addresses {
                thread: id,
                block,
                given: addresses.len(),
                slots,
            });
        }
        instances = instances.saturating_add(*iterations);
    }
    if thread.kernel.is_some() && variant.last.exit != Exit::System {
        return Err(StreamError::Kernel { thread: id, block });
    }
    Ok(instances)
}

/// The last block's control transfer led to `address`: was that predicted?
#[inline(never)]
pub fn predict<L: Level, const N: usize, C: MemoryCell<L, N>>(
    thread: &mut ThreadState<L, N>,
    graph: &mut GrowingGraph<L, N, C>,
    address: u64,
) {
    let BlockExit {
        exit,
        address: from,
        behind,
    } = thread.last;
    if !exit.is_predicted() {
        return;
    }
    for (group, predictor) in thread.predictors.iter_mut().enumerate() {
        let (transfer, missed) = match exit {
            Exit::Branch => (0, predictor.conditional(from, address != behind)),
            Exit::IndirectJump => (1, predictor.indirect(from, address)),
            Exit::Call => {
                predictor.call(behind);
                continue;
            }
            Exit::IndirectCall => {
                let missed = predictor.indirect(from, address);
                predictor.call(behind);
                (1, missed)
            }
            Exit::Return => (2, predictor.return_to(address)),
            Exit::Next | Exit::Jump | Exit::System => continue,
        };
        if missed {
            graph.shared.missed[group][transfer] += 1;
            let lanes = graph.tables.predictions[group].lanes;
            thread.firewall = thread.firewall.max(thread.last_level.and(lanes));
        }
    }
}

impl<L: Level, const N: usize> ThreadState<L, N> {
    /// A signal comes: where the last transfer of control led is not known.
    pub fn interrupt(&mut self) {
        if matches!(self.last.exit, Exit::Call | Exit::IndirectCall) {
            for predictor in &mut self.predictors {
                predictor.call(self.last.behind);
            }
        }
        self.interrupted = true;
        self.last.exit = Exit::Next;
    }
}
