//! The figures of several processes together, each of which has a graph of its own.

use std::collections::HashMap;

use parascan_ddg::program::RoutineId;
use parascan_ddg::result::{
    LevelHistogram, LiveWellSize, ModelFigures, Predictions, RoutineFigures,
};

use super::IlpReport;

/// All processes under one model: everything is added up, critical paths too, as if each process ran after the one
/// before. There is no profile, and there are no values, resources and flows. Of a single process these are its own
/// figures.
pub(super) fn together(report: &IlpReport, model: usize) -> Option<ModelFigures> {
    let mut outcomes = report
        .processes()
        .filter_map(|(_, stream)| stream.outcomes.get(model));
    let mut sum = bare(outcomes.next()?);
    let mut routines: HashMap<RoutineId, RoutineFigures> = HashMap::new();
    for routine in sum.routines.drain(..) {
        routines.insert(routine.routine, routine);
    }
    for outcome in outcomes {
        sum.instructions += outcome.instructions;
        sum.operations += outcome.operations;
        sum.critical_path += outcome.critical_path;
        sum.system_calls += outcome.system_calls;
        predictions(&mut sum.predictions, &outcome.predictions);
        for routine in &outcome.routines {
            routines
                .entry(routine.routine)
                .and_modify(|sum| sum.add(routine))
                .or_insert(*routine);
        }
    }
    sum.routines = routines.into_values().collect();
    Some(sum)
}

/// The longest critical path of a process, and which process has it.
pub(super) fn longest(report: &IlpReport, model: usize) -> Option<(u64, &str)> {
    let paths = report.processes().filter_map(|(_, stream)| {
        let outcome = stream.outcomes.get(model)?;
        Some((outcome.critical_path, stream.name.as_str()))
    });
    paths.max_by_key(|(steps, _)| *steps)
}

/// An outcome without what cannot be added.
fn bare(outcome: &ModelFigures) -> ModelFigures {
    ModelFigures {
        model: outcome.model.clone(),
        profile: LevelHistogram::default(),
        detail: None,
        values: None,
        resources: None,
        flows: None,
        routines: outcome.routines.clone(),
        live_well: LiveWellSize::default(),
        ..*outcome
    }
}

fn predictions(sum: &mut Predictions, more: &Predictions) {
    sum.branches += more.branches;
    sum.branches_missed += more.branches_missed;
    sum.indirect += more.indirect;
    sum.indirect_missed += more.indirect_missed;
    sum.returns += more.returns;
    sum.returns_missed += more.returns_missed;
}
