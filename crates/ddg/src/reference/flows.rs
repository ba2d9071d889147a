//! Who reads whose values, read by read.

use super::stream::Instance;
use super::values::follow;
use crate::model::MachineModel;
use crate::result::{Flow, Flows};

/// All flows of a stream.
pub(super) fn flows(instances: &[Instance], model: &MachineModel) -> Flows {
    let mut reads: Vec<(&Instance, &Instance)> = Vec::new();
    for value in follow(instances, model) {
        let readers = value.readers.iter();
        reads.extend(readers.map(|&reader| (&instances[value.maker], &instances[reader])));
    }
    Flows {
        routines: counted(reads.iter().map(|(from, to)| (from.routine, to.routine))),
        threads: counted(reads.iter().map(|(from, to)| (from.thread, to.thread))),
    }
}

/// How often each pair is there: the most frequent ones first.
fn counted<T: Copy + Ord>(pairs: impl Iterator<Item = (T, T)>) -> Vec<Flow<T>> {
    let mut flows: Vec<Flow<T>> = Vec::new();
    for (from, to) in pairs {
        match flows
            .iter_mut()
            .find(|flow| (flow.from, flow.to) == (from, to))
        {
            Some(flow) => flow.reads += 1,
            None => flows.push(Flow { from, to, reads: 1 }),
        }
    }
    flows.sort_by_key(|flow| (flow.from, flow.to));
    flows.sort_by_key(|flow| std::cmp::Reverse(flow.reads));
    flows
}
