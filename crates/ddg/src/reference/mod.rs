//! The slow engine: keeps the whole stream, builds the graph node by node and edge by edge, and computes every figure
//! from its definition in `docs/ilp-model.md`. For tests of the fast engine, and for streams of some thousands of
//! instances. It shares types, models and predictors with the fast engine, and nothing else.

mod flows;
pub mod graph;
mod resources;
mod routines;
pub mod stream;
mod values;

use crate::error::{ModelError, StreamError};
use crate::event::{Event, ThreadId};
use crate::model::{Count, MachineModel, StackPointer, check};
use crate::options::{EngineOptions, NarrowBins};
use crate::predict::Predictor;
use crate::program::Program;
use crate::result::{Detail, LevelHistogram, LiveWellSize, ModelFigures, Predictions};
use graph::InstanceGraph;
use parascan_isa::{Control, HistogramClass};
use stream::{Instance, StorageCell, Stream, Transfer};

/// Most bins of a profile.
const BINS: u64 = LevelHistogram::MOST_BINS as u64;

/// The reference engine: computes by the definitions, one instance after the other, what the fast engine must find;
/// used like that one.
#[derive(Clone, Debug)]
pub struct Reference {
    models: Vec<MachineModel>,
    options: EngineOptions,
    stream: Stream,
}

impl Reference {
    /// An engine for some models.
    ///
    /// # Errors
    /// See [`check`] and [`EngineOptions::check`].
    pub fn new(models: &[MachineModel], options: &EngineOptions) -> Result<Self, ModelError> {
        check(models)?;
        options.check()?;
        Ok(Self {
            models: models.to_vec(),
            options: options.clone(),
            stream: Stream::default(),
        })
    }

    /// Takes in the next event.
    ///
    /// # Errors
    /// The event does not fit the program, or what came before.
    pub fn event(
        &mut self,
        program: &Program,
        thread: ThreadId,
        event: Event<'_>,
    ) -> Result<(), StreamError> {
        self.stream.event(program, thread, event)
    }

    /// The figures of each model, in the order of the models.
    pub fn finish(self) -> Vec<ModelFigures> {
        let figures = |model| outcome(&self.stream, model, &self.options);
        self.models.iter().map(figures).collect()
    }
}

/// All figures of a stream under a model.
fn outcome(stream: &Stream, model: &MachineModel, options: &EngineOptions) -> ModelFigures {
    let instances = &stream.instances;
    let (predictions, missed) = predict(instances, model);
    let all: Vec<usize> = (0..instances.len()).collect();
    let graph = InstanceGraph::new(instances, &all, &missed, model, |i| {
        is_operation(&instances[i], model)
    });
    let levels = graph.levels();
    let profile = profile(instances, &graph, &levels);
    let critical_path = graph.critical_path(&levels);
    let detail = options
        .closely
        .map(|wanted| detail(instances, &graph, &levels, wanted));
    let values = options
        .values
        .then(|| values::values(instances, model, &levels, critical_path, profile.shift));
    let resources = options
        .resources
        .map(|limit| resources::resources(instances, model, &graph, &levels, limit));
    let flows = options.flows.then(|| flows::flows(instances, model));
    let routines = options.routines.as_ref().map_or_else(Vec::new, |options| {
        routines::routines(stream, model, &missed, options)
    });
    let mut bytes: Vec<StorageCell> = instances
        .iter()
        .flat_map(|i| i.reads.iter().chain(i.written()).copied())
        .filter(|place| matches!(place, StorageCell::Byte(_)))
        .collect();
    bytes.sort_unstable();
    bytes.dedup();
    ModelFigures {
        model: model.name.clone(),
        instructions: instances.len() as u64,
        operations: graph.operations(),
        critical_path,
        system_calls: count(instances, |i| i.control == Control::System),
        predictions,
        profile,
        detail,
        values,
        resources,
        flows,
        routines,
        live_well: LiveWellSize {
            touched: bytes.len() as u64,
            size: 0,
            of_calls: 0,
        },
    }
}

fn count(instances: &[Instance], which: impl Fn(&Instance) -> bool) -> u64 {
    instances.iter().filter(|i| which(i)).count() as u64
}

/// Whether the model counts an instance.
fn is_operation(instance: &Instance, model: &MachineModel) -> bool {
    if model.stack_pointer == StackPointer::Engine && instance.only_moves_stack() {
        return false;
    }
    match model.count {
        Count::All => true,
        Count::Values => instance.creates_value,
        Count::Float => instance.class.is_float_arithmetic(),
    }
}

/// How often each kind of transfer was predicted and mispredicted, and whether each instance was mispredicted.
fn predict(instances: &[Instance], model: &MachineModel) -> (Predictions, Vec<bool>) {
    let mut predictors: Vec<(ThreadId, Predictor)> = Vec::new();
    let mut predictions = Predictions::default();
    let mut all_missed = Vec::new();
    for instance in instances {
        let known = predictors.iter().position(|(t, _)| *t == instance.thread);
        let at = known.unwrap_or_else(|| {
            predictors.push((instance.thread, Predictor::new(model)));
            predictors.len() - 1
        });
        let predictor = &mut predictors[at].1;
        if let Control::Call { .. } | Control::IndirectCall = instance.control {
            predictor.call(instance.behind);
        }
        let missed = match instance.transfer {
            None => false,
            Some(Transfer::Conditional { taken }) => {
                let missed = predictor.conditional(instance.address, taken);
                predictions.branches += 1;
                predictions.branches_missed += u64::from(missed);
                missed
            }
            Some(Transfer::Indirect { target }) => {
                let missed = predictor.indirect(instance.address, target);
                predictions.indirect += 1;
                predictions.indirect_missed += u64::from(missed);
                missed
            }
            Some(Transfer::Return { target }) => {
                let missed = predictor.return_to(target);
                predictions.returns += 1;
                predictions.returns_missed += u64::from(missed);
                missed
            }
        };
        all_missed.push(missed);
    }
    (predictions, all_missed)
}

/// The bin of a level.
fn bin(level: u64, shift: u32) -> usize {
    ((level.max(1) - 1) >> shift) as usize
}

fn profile(instances: &[Instance], graph: &InstanceGraph, levels: &[u64]) -> LevelHistogram {
    let deepest = graph.critical_path(levels);
    let shift = (0..64)
        .find(|shift| bin(deepest, *shift) < BINS as usize)
        .unwrap_or(0);
    let mut profile = LevelHistogram {
        shift,
        bins: Vec::new(),
    };
    for (node, &level) in graph.nodes.iter().zip(levels) {
        if node.operation {
            let bin = bin(level, shift);
            if profile.bins.len() <= bin {
                profile.bins.resize(bin + 1, [0; HistogramClass::ALL.len()]);
            }
            profile.bins[bin][instances[node.instance].class.kind() as usize] += 1;
        }
    }
    profile
}

/// The operations of some levels, in as many bins as are wanted.
fn detail(
    instances: &[Instance],
    graph: &InstanceGraph,
    levels: &[u64],
    wanted: NarrowBins,
) -> Detail {
    let NarrowBins { first, last, bins } = wanted;
    let operations: Vec<(u64, usize)> = graph
        .nodes
        .iter()
        .zip(levels)
        .filter(|(node, _)| node.operation)
        .map(|(node, &level)| (level.max(1), instances[node.instance].class.kind() as usize))
        .filter(|(level, _)| (first..=last).contains(level))
        .collect();
    let deepest = operations.iter().map(|(level, _)| level - first).max();
    let shift = (0..64)
        .find(|shift| deepest.unwrap_or(0) >> shift < bins as u64)
        .unwrap_or(0);
    let used = deepest.map_or(0, |deepest| (deepest >> shift) as usize + 1);
    let mut profile = LevelHistogram {
        shift,
        bins: vec![[0; HistogramClass::ALL.len()]; used],
    };
    for (level, kind) in operations {
        profile.bins[((level - first) >> shift) as usize][kind] += 1;
    }
    Detail {
        first,
        last,
        profile,
    }
}
