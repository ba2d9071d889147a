//! Who reads whose values: routines and threads.

use std::collections::HashMap;
use std::hash::Hash;

use super::cell::ValueId;
use crate::event::ThreadId;
use crate::program::RoutineId;
use crate::result::{Flow, Flows};

/// The thread and routine that execute an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Actor {
    /// Routine that the instruction belongs to.
    pub routine: RoutineId,
    /// Who executes the instruction.
    pub thread: ThreadId,
}

/// How many values flow from which actor to which, while they are counted.
#[derive(Debug)]
pub struct Matrix {
    now: Actor,
    /// Who made each value, by its number.
    makers: Vec<Actor>,
    routines: HashMap<(RoutineId, RoutineId), u64>,
    threads: HashMap<(ThreadId, ThreadId), u64>,
}

impl Matrix {
    /// A matrix in which nothing was counted yet.
    pub fn new() -> Self {
        Self {
            now: Actor {
                routine: RoutineId(0),
                thread: ThreadId(0),
            },
            makers: Vec::new(),
            routines: HashMap::new(),
            threads: HashMap::new(),
        }
    }

    /// Who executes the instance at hand.
    #[inline]
    pub fn turn(&mut self, to: Actor) {
        self.now = to;
    }

    /// The instance makes a value.
    pub fn make(&mut self, id: ValueId) {
        let id = id as usize;
        if id >= self.makers.len() {
            self.makers.resize(id + 1, self.now);
        }
        self.makers[id] = self.now;
    }

    /// The instance reads a value that was made.
    pub fn read(&mut self, id: ValueId) {
        let maker = self.makers[id as usize];
        let routines = (maker.routine, self.now.routine);
        *self.routines.entry(routines).or_default() += 1;
        let threads = (maker.thread, self.now.thread);
        *self.threads.entry(threads).or_default() += 1;
    }

    /// Memory taken, in bytes.
    pub fn size(&self) -> u64 {
        let pair = size_of::<((u32, u32), u64)>();
        let pairs = (self.routines.capacity() + self.threads.capacity()) * pair;
        (self.makers.capacity() * size_of::<Actor>() + pairs) as u64
    }

    /// The flows of a run that has ended.
    pub fn finish(self) -> Flows {
        Flows {
            routines: sorted(self.routines),
            threads: sorted(self.threads),
        }
    }
}

fn sorted<T: Copy + Eq + Hash + Ord>(flows: HashMap<(T, T), u64>) -> Vec<Flow<T>> {
    let flow = |((from, to), reads)| Flow { from, to, reads };
    let mut flows: Vec<Flow<T>> = flows.into_iter().map(flow).collect();
    flows.sort_unstable_by_key(|flow| (std::cmp::Reverse(flow.reads), flow.from, flow.to));
    flows
}
