//! Figures of routines: every call is cut out of the stream and analysed alone.

use std::collections::BTreeMap;

use super::graph::InstanceGraph;
use super::is_operation;
use super::stream::Stream;
use crate::model::MachineModel;
use crate::options::Routines;
use crate::program::RoutineId;
use crate::result::RoutineFigures;

/// The figures of all routines of which calls are to be measured.
pub(super) fn routines(
    stream: &Stream,
    model: &MachineModel,
    missed: &[bool],
    options: &Routines,
) -> Vec<RoutineFigures> {
    let instances = &stream.instances;
    let asked = |call: usize| {
        let routine = stream.calls[call].routine;
        options
            .only
            .as_ref()
            .is_none_or(|only| only.contains(&routine))
    };
    let operation = |at: usize| is_operation(&instances[at], model);
    let mut routines: BTreeMap<RoutineId, RoutineFigures> = BTreeMap::new();
    for (call, around) in stream.around.iter().enumerate() {
        if !asked(call) {
            continue;
        }
        let id = stream.calls[call].routine;
        let routine = routines.entry(id).or_insert(RoutineFigures {
            routine: id,
            calls: 0,
            measured: 0,
            operations: 0,
            steps: 0,
            own_operations: 0,
            own_measured: 0,
            own_steps: options.own.then_some(0),
            outermost_operations: 0,
        });
        routine.calls += 1;
        let chosen: Vec<usize> = (0..instances.len())
            .filter(|&at| instances[at].calls.contains(&call))
            .collect();
        let own = |at: usize| operation(at) && instances[at].calls.last() == Some(&call);
        let operations = chosen.iter().filter(|&&at| operation(at)).count() as u64;
        let own_operations = chosen.iter().filter(|&&at| own(at)).count() as u64;
        routine.own_operations += own_operations;
        if around
            .iter()
            .all(|&outer| stream.calls[outer].routine != id)
        {
            routine.outermost_operations += operations;
        }
        let depth = around.iter().filter(|&&outer| asked(outer)).count();
        if depth < options.lanes {
            routine.measured += 1;
            routine.operations += operations;
            routine.own_measured += own_operations;
            let graph = InstanceGraph::new(instances, &chosen, missed, model, operation);
            routine.steps += graph.critical_path(&graph.levels());
            if let Some(steps) = &mut routine.own_steps {
                let graph = InstanceGraph::new(instances, &chosen, missed, model, own);
                *steps += graph.critical_path(&graph.levels());
            }
        }
    }
    routines.into_values().collect()
}
