//! What a machine has found when a thread, or everything, ends.

use super::Machine;
use crate::engine::calls::Measure;
use crate::engine::cell::MemoryCell;
use crate::engine::exit::Exit;
use crate::engine::lanes::Level;
use crate::result::{LevelHistogram, ModelFigures, Predictions};

impl<L: Level, const N: usize, C: MemoryCell<L, N>> Machine<L, N, C> {
    /// A thread ends, and its calls with it.
    pub(super) fn end(&mut self, thread: usize) {
        if let (Some(thread), Some(measure)) = (&mut self.threads[thread], &self.measure) {
            let (calls, levels) = thread.state.calls_and_levels();
            calls.end(measure, &mut self.graph.shared.routines, &levels);
        }
    }

    /// What was found, one for each model.
    pub(super) fn outcomes(self) -> Vec<ModelFigures> {
        let Self {
            graph,
            threads,
            names,
            exits,
            measure,
            ..
        } = self;
        let tables = &graph.tables;
        let instructions = self.instructions + graph.shared.repeated_instances;
        let mut profiles = graph.shared.profiles;
        let mut values = Some(graph.shared.values);
        let exits = |exit: Exit| exits[exit as usize];
        names
            .into_iter()
            .enumerate()
            .map(|(lane, model)| {
                let counts = |&(index, _): &(usize, &u64)| tables.counted[index] >> lane & 1 == 1;
                let operations = graph
                    .shared
                    .census
                    .iter()
                    .enumerate()
                    .filter(counts)
                    .map(|(_, count)| count)
                    .sum();
                let critical_path = threads
                    .iter()
                    .flatten()
                    .map(|thread| thread.state.deepest.0[lane].number())
                    .max()
                    .unwrap_or(0);
                let missed = match tables.prediction_of[lane] {
                    Some(group) => graph.shared.missed[group],
                    None => [0; 3],
                };
                let profile = if profiles.used {
                    profiles.finish(lane)
                } else {
                    LevelHistogram::default()
                };
                let detail = profiles.finish_closely(lane);
                let mut live_well = graph.shared.memory.size();
                let followed = values.take().filter(|_| C::VALUES).map(|values| {
                    live_well.size += values.size();
                    values.finish(&profile, critical_path)
                });
                let (values, resources, flows) = match followed {
                    Some(followed) => (Some(followed.values), followed.resources, followed.flows),
                    None => (None, None, None),
                };
                ModelFigures {
                    model,
                    instructions,
                    operations,
                    critical_path,
                    system_calls: graph.shared.system_calls,
                    predictions: Predictions {
                        branches: exits(Exit::Branch),
                        branches_missed: missed[0],
                        indirect: exits(Exit::IndirectJump) + exits(Exit::IndirectCall),
                        indirect_missed: missed[1],
                        returns: exits(Exit::Return),
                        returns_missed: missed[2],
                    },
                    profile,
                    detail,
                    values,
                    resources,
                    flows,
                    routines: graph
                        .shared
                        .routines
                        .iter()
                        .filter(|figures| {
                            let asked = |measure: &Measure| measure.selects(figures.routine);
                            figures.calls > 0 && measure.as_ref().is_some_and(asked)
                        })
                        .copied()
                        .collect(),
                    live_well,
                }
            })
            .collect()
    }
}
