//! Calls of one thread, and what they cost: each has a lane of its own, by its depth.

use std::collections::HashMap;

use super::exit::Exit;
use super::lanes::{Lanes, Level};
use crate::program::RoutineId;
use crate::result::RoutineFigures;

/// What a machine measures of calls.
#[derive(Clone, Debug)]
pub struct Measure {
    /// Depth of the calls in the first lane.
    pub first: usize,
    /// Number of lanes.
    pub lanes: usize,
    /// Whether callees take no steps.
    pub own: bool,
    /// Calls of these routines only, sorted.
    pub only: Option<Vec<RoutineId>>,
}

/// Levels of a thread that calls change.
pub struct CallLevels<'a, L, const N: usize> {
    /// Deepest level in each lane.
    pub deepest: &'a Lanes<L, N>,
    /// Firewall in each lane.
    pub firewall: &'a mut Lanes<L, N>,
    /// Lanes in which instances take steps.
    pub active: &'a mut Lanes<L, N>,
    /// Operations so far.
    pub operations: u64,
}

/// How a block was reached.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// How control left the block before.
    pub exit: Exit,
    /// Whether that was a conditional branch not taken.
    pub not_taken: bool,
    /// Whether a signal came in between.
    pub interrupted: bool,
    /// Address behind the block before.
    pub behind: u64,
    /// Where the block that was reached begins.
    pub address: u64,
    /// That of the block that was reached.
    pub routine: RoutineId,
    /// Whether it is the routine's entry.
    pub entry: bool,
}

#[derive(Debug)]
struct OpenCall {
    routine: RoutineId,
    return_address: Option<u64>,
    /// Depth among the calls to be measured, if it is one.
    depth: Option<usize>,
    /// Operations before it.
    before: u64,
    /// Operations of its own instances.
    own: u64,
    /// Deepest level in its lane at its entry.
    entry_level: u64,
}

/// The calls of a thread.
#[derive(Debug, Default)]
pub struct Calls {
    frames: Vec<OpenCall>,
    /// Calls to be measured among the frames.
    depth: usize,
    /// Frames of each routine.
    nested: Vec<u32>,
    /// Operations that were given to frames.
    attributed: u64,
    /// How many frames return to an address with a certain hash: mostly 0 for an address no frame returns to.
    returns: ReturnFilter,
}

/// Numbers of frames by a hash of the return address.
#[derive(Debug)]
struct ReturnFilter(Box<[u32; 1024]>);

impl Default for ReturnFilter {
    fn default() -> Self {
        Self(Box::new([0; 1024]))
    }
}

impl ReturnFilter {
    fn count(&mut self, address: u64) -> &mut u32 {
        // Fibonacci hashing.
        &mut self.0[(address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize]
    }
}

/// Figures of routines, by number.
pub type RoutineTable = Vec<RoutineFigures>;

impl Measure {
    fn lane(&self, depth: Option<usize>) -> Option<usize> {
        depth?
            .checked_sub(self.first)
            .filter(|&lane| lane < self.lanes)
    }

    /// Whether calls of a routine are to be measured.
    pub fn selects(&self, routine: RoutineId) -> bool {
        self.only
            .as_ref()
            .is_none_or(|only| only.binary_search(&routine).is_ok())
    }
}

impl Calls {
    /// Whether no call is going on, which is so before the first block.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// A thread comes to the beginning of a block.
    pub fn arrive<L: Level, const N: usize>(
        &mut self,
        arrival: &Arrival,
        measure: &Measure,
        table: &mut RoutineTable,
        thread: CallLevels<'_, L, N>,
    ) {
        let innermost = self.frames.last();
        let tail = arrival.entry
            && !arrival.not_taken
            && innermost.is_some_and(|frame| frame.routine != arrival.routine)
            && matches!(arrival.exit, Exit::Branch | Exit::Jump | Exit::IndirectJump);
        let begins = tail
            || arrival.interrupted
            || innermost.is_none()
            || matches!(arrival.exit, Exit::Call | Exit::IndirectCall);
        if !begins && arrival.exit != Exit::Return {
            return;
        }
        self.attribute(thread.operations);
        if arrival.exit == Exit::Return {
            let is_target = |frame: &OpenCall| frame.return_address == Some(arrival.address);
            let target = if *self.returns.count(arrival.address) == 0 {
                None
            } else {
                self.frames.iter().rposition(is_target)
            };
            let keep = match target {
                Some(target) => target,
                None => {
                    let unknown = |frame: &&OpenCall| frame.return_address.is_none();
                    self.frames.len() - usize::from(self.frames.last().filter(unknown).is_some())
                }
            };
            while self.frames.len() > keep {
                self.leave(measure, table, &thread);
            }
        }
        let entered = begins || self.frames.is_empty();
        if matches!(arrival.exit, Exit::Call | Exit::IndirectCall) {
            self.enter(
                arrival.routine,
                Some(arrival.behind),
                measure,
                table,
                &thread,
            );
        } else if tail {
            let return_address = self.frames.last().and_then(|frame| frame.return_address);
            self.leave(measure, table, &thread);
            self.enter(arrival.routine, return_address, measure, table, &thread);
        } else if entered {
            self.enter(arrival.routine, None, measure, table, &thread);
        }
        let innermost = self
            .frames
            .last()
            .and_then(|frame| measure.lane(frame.depth));
        *thread.active = Lanes::mask(|lane| {
            if measure.own {
                innermost == Some(lane)
            } else {
                measure.first + lane < self.depth
            }
        });
        if entered && let Some(lane) = innermost {
            thread.firewall.0[lane] = thread.deepest.0[lane];
        }
    }

    /// The thread ends, or the stream.
    pub fn end<L: Level, const N: usize>(
        &mut self,
        measure: &Measure,
        table: &mut RoutineTable,
        thread: &CallLevels<'_, L, N>,
    ) {
        self.attribute(thread.operations);
        while !self.frames.is_empty() {
            self.leave(measure, table, thread);
        }
    }

    /// Operations since the last change are the innermost call's own.
    fn attribute(&mut self, operations: u64) {
        if let Some(frame) = self.frames.last_mut() {
            frame.own += operations - self.attributed;
        }
        self.attributed = operations;
    }

    fn enter<L: Level, const N: usize>(
        &mut self,
        routine: RoutineId,
        return_address: Option<u64>,
        measure: &Measure,
        table: &mut RoutineTable,
        thread: &CallLevels<'_, L, N>,
    ) {
        let depth = measure.selects(routine).then_some(self.depth);
        self.depth += usize::from(depth.is_some());
        let index = routine.0 as usize;
        if index >= self.nested.len() {
            self.nested.resize(index + 1, 0);
        }
        self.nested[index] += 1;
        entry(table, routine, measure).calls += 1;
        let lane = measure.lane(depth);
        if let Some(address) = return_address {
            *self.returns.count(address) += 1;
        }
        self.frames.push(OpenCall {
            routine,
            return_address,
            depth,
            before: thread.operations,
            own: 0,
            entry_level: lane.map_or(0, |lane| thread.deepest.0[lane].number()),
        });
    }

    fn leave<L: Level, const N: usize>(
        &mut self,
        measure: &Measure,
        table: &mut RoutineTable,
        thread: &CallLevels<'_, L, N>,
    ) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        self.depth -= usize::from(frame.depth.is_some());
        if let Some(address) = frame.return_address {
            *self.returns.count(address) -= 1;
        }
        let nested = &mut self.nested[frame.routine.0 as usize];
        *nested -= 1;
        let figures = entry(table, frame.routine, measure);
        let operations = thread.operations - frame.before;
        figures.own_operations += frame.own;
        if *nested == 0 {
            figures.outermost_operations += operations;
        }
        if let Some(lane) = measure.lane(frame.depth) {
            let steps = thread.deepest.0[lane].number() - frame.entry_level;
            figures.measured += 1;
            figures.operations += operations;
            figures.own_measured += frame.own;
            match &mut figures.own_steps {
                Some(own_steps) => *own_steps += steps,
                None => figures.steps += steps,
            }
        }
    }
}

fn entry<'a>(
    table: &'a mut RoutineTable,
    routine: RoutineId,
    measure: &Measure,
) -> &'a mut RoutineFigures {
    let index = routine.0 as usize;
    while index >= table.len() {
        table.push(RoutineFigures {
            routine: RoutineId(table.len() as u32),
            calls: 0,
            measured: 0,
            operations: 0,
            steps: 0,
            own_operations: 0,
            own_measured: 0,
            own_steps: measure.own.then_some(0),
            outermost_operations: 0,
        });
    }
    &mut table[index]
}

/// Puts what a machine measured to the figures of the whole process. Of several machines for the same calls the first
/// one (inclusive, from depth 0) counts them.
pub fn join(table: &mut Vec<RoutineFigures>, found: &[RoutineFigures], measure: &Measure) {
    let places: HashMap<RoutineId, usize> = table
        .iter()
        .enumerate()
        .map(|(place, figures)| (figures.routine, place))
        .collect();
    for found in found {
        let Some(&place) = places.get(&found.routine) else {
            table.push(*found);
            continue;
        };
        let figures = &mut table[place];
        if let Some(steps) = found.own_steps {
            *figures.own_steps.get_or_insert(0) += steps;
            continue;
        }
        figures.measured += found.measured;
        figures.operations += found.operations;
        figures.steps += found.steps;
        figures.own_measured += found.own_measured;
        if measure.first == 0 {
            figures.calls += found.calls;
            figures.own_operations += found.own_operations;
            figures.outermost_operations += found.outermost_operations;
        }
    }
}
