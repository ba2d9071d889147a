//! What the options ask for, as tasks for the engines.

use parascan_ddg::options::{EngineOptions, NarrowBins, Routines};
use parascan_ddg::result::LevelHistogram;
use parascan_ddg::stretch::{
    GraphSettings, IterationOffer, IterationRequest, StreamPart, StretchSettings,
};
use parascan_trace::{Catalog, PER_PATTERN, Task};

use super::args::Threads;
use super::config::IlpConfig;

/// Tasks in order: figures of processes, figures of threads (if wanted), stretches: of each pattern's call, or of the
/// whole, under each model of [`IlpConfig::stretched`].
#[derive(Debug)]
pub struct Tasks {
    /// In the order that stands above; the first is there always.
    pub all: Vec<Task>,
    /// Whether the second is the figures of threads.
    pub each: bool,
}

impl Tasks {
    /// The tasks that this configuration asks for.
    pub fn of(config: &IlpConfig) -> Self {
        let results = &config.raw.results;
        let patterns = config.routines.len();
        let routines = config.wants_routines().then(|| Routines {
            lanes: results.depth.into(),
            own: results.own,
            only: (patterns > 0).then(|| {
                (0..patterns as u32 * PER_PATTERN)
                    .map(parascan_ddg::program::RoutineId)
                    .collect()
            }),
        });
        let detail = |each: bool| {
            let (first, last) = match &results.steps {
                Some(steps) => (*steps.start(), *steps.end()),
                None => (1, u64::MAX),
            };
            let wanted = config.wants_detail() && !each;
            wanted.then(|| NarrowBins {
                first,
                last,
                bins: detail_bins(config.models.len(), config.raw.scope.follow),
            })
        };
        let figures = |each| Task::Figures {
            models: config.models.clone(),
            options: EngineOptions {
                routines: routines.clone(),
                values: config.wants_values(),
                resources: results.resources,
                flows: results.flow,
                closely: detail(each),
            },
            each,
        };
        let mut all = vec![figures(false)];
        let each = config.raw.scope.threads == Threads::Each;
        if each {
            all.push(figures(true));
        }
        if config.wants_stretches() {
            let parts: Vec<StreamPart> = if patterns == 0 {
                vec![StreamPart::Instances {
                    skip: 0,
                    count: None,
                }]
            } else {
                (0..patterns)
                    .map(|pattern| {
                        let (first, last) = Catalog::range(pattern);
                        StreamPart::Call {
                            first,
                            last,
                            number: results.call,
                        }
                    })
                    .collect()
            };
            let limit = (results.limit / config.stretched.len() as u32).max(1);
            // The page alone has drawings to choose from.
            let offer = config.files.report.as_ref().map(|_| IterationOffer {
                graphs: (ITERATIONS / (parts.len() * config.stretched.len())).max(LEAST_ITERATIONS),
                nodes: ITERATION_NODES,
                bytes: limit as usize * DEPENDENCES,
            });
            let graph = config.wants_graphs().then(|| GraphSettings {
                levels: config.drawn_steps(),
                nodes: results.nodes as usize,
                collapse: results.collapse,
                open: results.open.as_ref().map(|open| IterationRequest {
                    entry: results.entry,
                    iteration: open.iteration,
                }),
                offer,
            });
            for part in parts {
                for model in &config.stretched {
                    all.push(Task::Stretch {
                        model: config.models[*model].clone(),
                        settings: StretchSettings { part, limit, graph },
                    });
                }
            }
        }
        Self { all, each }
    }
}

/// Most narrow bins of one graph under one model, where there are so many models: so that all models together take 7.3
/// MB. Of several processes each has a graph, which then takes an eighth of that.
fn detail_bins(models: usize, several: bool) -> usize {
    let all = if several { DETAIL / 8 } else { DETAIL };
    (all / models.max(1)).max(LevelHistogram::MOST_BINS)
}

/// Iterations of loops that are opened by themselves, of all stretches together, and at least of each.
const ITERATIONS: usize = 96;
const LEAST_ITERATIONS: usize = 8;
/// Most nodes of their graphs: drawn as boxes, and small enough for the page to have many.
const ITERATION_NODES: usize = 100;
/// Bytes for what an instruction depends on: nearly all take less.
const DEPENDENCES: usize = 16;

/// Most narrow bins of a graph, 56 bytes each; the page has room for so many.
const DETAIL: usize = 1 << 17;
