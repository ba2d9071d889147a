//! Engines at work on threads of their own: each gets every batch, in order.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use parascan_ddg::engine::Engine;
use parascan_ddg::error::StreamError;
use parascan_ddg::event::{Event, ThreadId};
use parascan_ddg::model::Model;
use parascan_ddg::options::Options;
use parascan_ddg::program::Program;
use parascan_ddg::result::Outcome;
use parascan_ddg::stretch::{Recorder, Recording, Settings};

use super::batch::{Batch, Source};

/// Batches that may wait for a worker.
const WAITING: usize = 8;

/// What is to be found out.
#[derive(Clone, Debug)]
pub enum Task {
    /// Figures of each process.
    Figures {
        /// Under these models.
        models: Vec<Model>,
        /// And what besides.
        options: Options,
        /// Of each thread alone, instead of all threads of a process together.
        each: bool,
    },
    /// One stretch of the first process.
    Stretch {
        /// The model.
        model: Model,
        /// Which stretch.
        settings: Settings,
    },
}

/// Whose graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct View {
    /// Number of the process in the trace.
    pub process: u32,
    /// One thread, or all.
    pub thread: Option<ThreadId>,
}

/// What a task found.
#[derive(Debug)]
pub enum Found {
    /// Figures of each view, in the order of the models.
    Figures(Vec<(View, Vec<Outcome>)>),
    /// The stretch.
    Stretch(Recording),
}

/// Workers and what they work on.
#[derive(Debug)]
pub struct Crew {
    senders: Vec<SyncSender<Arc<Batch>>>,
    workers: Vec<JoinHandle<Result<Vec<(usize, Found)>, StreamError>>>,
}

/// A task at work.
enum Station {
    Figures {
        models: Vec<Model>,
        options: Options,
        each: bool,
        graphs: Vec<(View, Engine)>,
        /// The graph of the last event's source.
        current: Option<(Source, usize)>,
    },
    Stretch {
        recorder: Box<Recorder>,
        process: Option<u32>,
    },
}

impl Crew {
    /// Starts workers on the tasks, at most so many.
    pub fn start(tasks: Vec<Task>, most: usize) -> Self {
        let count = tasks.len().min(most.max(1));
        let mut shares: Vec<Vec<(usize, Station)>> = Vec::new();
        shares.resize_with(count, Vec::new);
        for (number, task) in tasks.into_iter().enumerate() {
            shares[number % count].push((number, Station::new(task)));
        }
        let mut crew = Self {
            senders: Vec::new(),
            workers: Vec::new(),
        };
        for share in shares {
            let (sender, receiver) = sync_channel(WAITING);
            crew.senders.push(sender);
            crew.workers.push(std::thread::spawn(move || {
                let mut stations = share;
                let mut program = Program::default();
                for batch in receiver {
                    work(&mut stations, &mut program, &batch)?;
                }
                Ok(stations
                    .into_iter()
                    .map(|(number, station)| (number, station.finish()))
                    .collect())
            }));
        }
        crew
    }

    /// Gives a batch to all workers; `false` if one of them has failed, which [`Crew::finish`] explains.
    pub fn give(&self, batch: Batch) -> bool {
        let batch = Arc::new(batch);
        self.senders
            .iter()
            .all(|sender| sender.send(Arc::clone(&batch)).is_ok())
    }

    /// What was found, in the order of the tasks.
    ///
    /// # Errors
    /// The stream contradicted itself.
    pub fn finish(self) -> Result<Vec<Found>, StreamError> {
        drop(self.senders);
        let mut all = Vec::new();
        for worker in self.workers {
            match worker.join() {
                Ok(found) => all.extend(found?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all.sort_by_key(|(number, _)| *number);
        Ok(all.into_iter().map(|(_, found)| found).collect())
    }
}

fn work(
    stations: &mut [(usize, Station)],
    program: &mut Program,
    batch: &Batch,
) -> Result<(), StreamError> {
    for (id, block) in &batch.blocks {
        program.define(*id, block.clone());
    }
    for (_, station) in stations {
        if !station.is_done() {
            batch.replay(|source, event| station.event(program, source, event))?;
        }
    }
    Ok(())
}

impl Station {
    fn new(task: Task) -> Self {
        match task {
            Task::Figures {
                models,
                options,
                each,
            } => Self::Figures {
                models,
                options,
                each,
                graphs: Vec::new(),
                current: None,
            },
            Task::Stretch { model, settings } => Self::Stretch {
                recorder: Box::new(Recorder::new(&model, &settings)),
                process: None,
            },
        }
    }

    fn is_done(&self) -> bool {
        matches!(self, Self::Stretch { recorder, .. } if recorder.is_done())
    }

    fn event(
        &mut self,
        program: &Program,
        source: Source,
        event: Event<'_>,
    ) -> Result<(), StreamError> {
        match self {
            Self::Figures {
                models,
                options,
                each,
                graphs,
                current,
            } => {
                let index = match *current {
                    Some((known, index)) if known == source => index,
                    _ => {
                        let view = View {
                            process: source.process,
                            thread: each.then_some(source.thread),
                        };
                        let index = match graphs.iter().position(|(other, _)| *other == view) {
                            Some(index) => index,
                            None => {
                                #[expect(
                                    clippy::expect_used,
                                    reason = "the models were checked with the options"
                                )]
                                let engine = Engine::new(models, options).expect("checked");
                                graphs.push((view, engine));
                                graphs.len() - 1
                            }
                        };
                        *current = Some((source, index));
                        index
                    }
                };
                graphs[index].1.event(program, source.thread, event)
            }
            Self::Stretch { recorder, process } => {
                if *process.get_or_insert(source.process) == source.process {
                    recorder.event(program, source.thread, event)?;
                }
                Ok(())
            }
        }
    }

    fn finish(self) -> Found {
        match self {
            Self::Figures { graphs, .. } => {
                let mut views: Vec<_> = graphs
                    .into_iter()
                    .map(|(view, engine)| (view, engine.finish()))
                    .collect();
                views.sort_by_key(|(view, _)| *view);
                Found::Figures(views)
            }
            Self::Stretch { recorder, .. } => Found::Stretch(recorder.finish()),
        }
    }
}
