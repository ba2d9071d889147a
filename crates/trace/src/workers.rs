//! Engines at work on threads of their own: each gets every batch, in order.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use parascan_ddg::engine::Engine;
use parascan_ddg::error::{ModelError, StreamError};
use parascan_ddg::event::{Event, ThreadId};
use parascan_ddg::model::MachineModel;
use parascan_ddg::options::EngineOptions;
use parascan_ddg::program::Program;
use parascan_ddg::result::ModelFigures;
use parascan_ddg::stretch::{Recorder, Recording, RecordingEnd, StretchSettings};

use crate::batch::{Batch, EventSource, NextInStream};

/// Batches that may wait for a worker.
const WAITING: usize = 8;

/// What is to be found out.
#[derive(Clone, Debug)]
pub enum Task {
    /// Figures of each process.
    Figures {
        /// Under these models.
        models: Vec<MachineModel>,
        /// And what besides.
        options: EngineOptions,
        /// Of each thread alone, instead of all threads of a process together.
        each: bool,
    },
    /// One stretch, of the first process that comes to it.
    Stretch {
        /// The model.
        model: MachineModel,
        /// Which stretch.
        settings: StretchSettings,
    },
}

/// What a graph is of: a process, or one of its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct View {
    /// Number of the process in the trace.
    pub process: u32,
    /// A single thread of it; none: all its threads together.
    pub thread: Option<ThreadId>,
}

/// What a task found.
#[derive(Debug)]
pub enum Finding {
    /// Figures of each view, in the order of the models.
    Figures(Vec<(View, Vec<ModelFigures>)>),
    /// The stretch.
    Stretch {
        /// The process that it is of.
        process: u32,
        /// What was recorded.
        recording: Box<Recording>,
    },
}

/// Workers and what they work on.
pub struct WorkerPool {
    senders: Vec<SyncSender<Arc<Batch>>>,
    workers: Vec<Worker>,
}

/// A thread that works.
struct Worker {
    /// What it has done. It comes before the thread has given back what it read, for which nobody waits.
    done: Receiver<Result<Vec<Assignment>, StreamError>>,
    thread: JoinHandle<()>,
}

/// A task, or a part of one, at work.
struct Assignment {
    task: usize,
    work: Work,
}

enum Work {
    Figures(EnginePiece),
    Stretch(StretchRecorder),
}

/// A recorder of each process, until one comes to the stretch: then of that one only.
struct StretchRecorder {
    model: MachineModel,
    settings: StretchSettings,
    recorders: Vec<(u32, Recorder)>,
    chosen: bool,
}

/// One piece of the engine of each view.
struct EnginePiece {
    models: Vec<MachineModel>,
    options: EngineOptions,
    each: bool,
    piece: usize,
    pieces: Vec<(View, Engine)>,
    /// Which of them the last event went to.
    current: Option<(EventSource, usize)>,
}

impl WorkerPool {
    /// Starts workers on the tasks, at most so many.
    ///
    /// # Errors
    /// Models or options that cannot be.
    pub fn start(tasks: &[Task], most: usize) -> Result<Self, ModelError> {
        let mut assignments = Vec::new();
        for (task, what) in tasks.iter().enumerate() {
            for work in Work::of(what)? {
                assignments.push(Assignment { task, work });
            }
        }
        let count = assignments.len().min(most.max(1));
        let mut shares: Vec<Vec<Assignment>> = Vec::new();
        shares.resize_with(count, Vec::new);
        for (number, assignment) in assignments.into_iter().enumerate() {
            shares[number % count].push(assignment);
        }
        let mut pool = Self {
            senders: Vec::new(),
            workers: Vec::new(),
        };
        for share in shares {
            let (sender, receiver) = sync_channel::<Arc<Batch>>(WAITING);
            let (result, done) = sync_channel(1);
            pool.senders.push(sender);
            let thread = std::thread::spawn(move || {
                let mut program = Program::default();
                let outcome = work(share, receiver, &mut program);
                // Nobody listens where another worker has failed.
                let _ = result.send(outcome);
            });
            pool.workers.push(Worker { done, thread });
        }
        Ok(pool)
    }

    /// Gives a batch to all workers; `false` if one of them has failed, which [`WorkerPool::finish`] explains.
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
    pub fn finish(self) -> Result<Vec<Finding>, StreamError> {
        drop(self.senders);
        let mut assignments = Vec::new();
        for worker in self.workers {
            match worker.done.recv() {
                Ok(share) => assignments.extend(share?),
                Err(_) => {
                    if let Err(panic) = worker.thread.join() {
                        std::panic::resume_unwind(panic);
                    }
                }
            }
        }
        assignments.sort_by_key(|assignment| assignment.task);
        let mut found = Vec::new();
        let mut assignments = assignments.into_iter().peekable();
        while let Some(Assignment { task, work }) = assignments.next() {
            match work {
                Work::Stretch(stretch) => found.push(stretch.finish()),
                Work::Figures(first) => {
                    let mut pieces = first.pieces;
                    while let Some(Assignment {
                        work: Work::Figures(more),
                        ..
                    }) = assignments.next_if(|next| next.task == task)
                    {
                        pieces.extend(more.pieces);
                    }
                    let mut views: BTreeMap<View, Vec<Engine>> = BTreeMap::new();
                    for (view, piece) in pieces {
                        views.entry(view).or_default().push(piece);
                    }
                    let views = views
                        .into_iter()
                        .map(|(view, pieces)| (view, Engine::join(pieces).finish()));
                    found.push(Finding::Figures(views.collect()));
                }
            }
        }
        Ok(found)
    }
}

/// Does a share of the tasks with every batch that comes.
fn work(
    mut share: Vec<Assignment>,
    batches: Receiver<Arc<Batch>>,
    program: &mut Program,
) -> Result<Vec<Assignment>, StreamError> {
    for batch in batches {
        for (id, block) in &batch.blocks {
            program.define(*id, Arc::clone(block));
        }
        for assignment in &mut share {
            assignment.work.batch(program, &batch)?;
        }
    }
    Ok(share)
}

impl Work {
    /// The parts of a task that can be done apart.
    fn of(task: &Task) -> Result<Vec<Self>, ModelError> {
        Ok(match task {
            Task::Figures {
                models,
                options,
                each,
            } => {
                let pieces = Engine::new(models, options)?.split().len();
                (0..pieces)
                    .map(|piece| {
                        Self::Figures(EnginePiece {
                            models: models.clone(),
                            options: options.clone(),
                            each: *each,
                            piece,
                            pieces: Vec::new(),
                            current: None,
                        })
                    })
                    .collect()
            }
            Task::Stretch { model, settings } => vec![Self::Stretch(StretchRecorder {
                model: model.clone(),
                settings: settings.clone(),
                recorders: Vec::new(),
                chosen: false,
            })],
        })
    }

    fn batch(&mut self, program: &Program, batch: &Batch) -> Result<(), StreamError> {
        match self {
            Self::Figures(figures) => {
                batch.replay(|source, next| figures.next(program, source, &next))
            }
            Self::Stretch(stretch) if stretch.is_done() => Ok(()),
            Self::Stretch(stretch) => {
                for (process, address) in &batch.heads {
                    if let Some(recorder) = stretch.recorder(*process) {
                        recorder.opens_at(*address);
                    }
                }
                batch.replay(|source, next| match next {
                    NextInStream::Blocks(blocks, mut addresses) => {
                        for block in blocks {
                            let (now, later) = addresses.split_at(block.addresses as usize);
                            addresses = later;
                            let event = Event::Block {
                                id: block.id,
                                executed: block.executed,
                                addresses: now,
                            };
                            stretch.event(program, source, event)?;
                        }
                        Ok(())
                    }
                    NextInStream::Event(event) => stretch.event(program, source, event),
                })
            }
        }
    }
}

impl StretchRecorder {
    fn is_done(&self) -> bool {
        self.chosen && self.recorders[0].1.is_done()
    }

    #[inline]
    fn event(
        &mut self,
        program: &Program,
        source: EventSource,
        event: Event<'_>,
    ) -> Result<(), StreamError> {
        let chosen = self.chosen;
        let Some(recorder) = self.recorder(source.process) else {
            return Ok(());
        };
        recorder.event(program, source.thread, event)?;
        if !chosen && recorder.has_begun() {
            self.chosen = true;
            self.recorders
                .retain(|(process, _)| *process == source.process);
        }
        Ok(())
    }

    /// The recorder of a process, as long as it may be the one that comes to the stretch.
    #[inline]
    fn recorder(&mut self, process: u32) -> Option<&mut Recorder> {
        let known = self.recorders.iter().position(|r| r.0 == process);
        let index = match known {
            Some(index) => index,
            None if self.chosen => return None,
            None => {
                let recorder = Recorder::new(&self.model, &self.settings);
                self.recorders.push((process, recorder));
                self.recorders.len() - 1
            }
        };
        Some(&mut self.recorders[index].1)
    }

    /// What was recorded; if no process came to it, of the one that was nearest.
    fn finish(self) -> Finding {
        let recordings = self
            .recorders
            .into_iter()
            .map(|(process, recorder)| (process, recorder.finish()));
        let nearest = recordings.max_by_key(|(process, recording)| {
            let seen = match recording.ended {
                RecordingEnd::NotReached { seen } => seen,
                _ => u64::MAX,
            };
            (seen, std::cmp::Reverse(*process))
        });
        let (process, recording) =
            nearest.unwrap_or_else(|| (0, Recorder::new(&self.model, &self.settings).finish()));
        Finding::Stretch {
            process,
            recording: Box::new(recording),
        }
    }
}

impl EnginePiece {
    fn next(
        &mut self,
        program: &Program,
        source: EventSource,
        next: &NextInStream<'_>,
    ) -> Result<(), StreamError> {
        let index = match self.current {
            Some((known, index)) if known == source => index,
            _ => self.turn_to(source),
        };
        let engine = &mut self.pieces[index].1;
        match *next {
            NextInStream::Blocks(blocks, addresses) => {
                engine.blocks(program, source.thread, blocks, addresses)
            }
            NextInStream::Event(event) => engine.event(program, source.thread, event),
        }
    }

    #[cold]
    fn turn_to(&mut self, source: EventSource) -> usize {
        let view = View {
            process: source.process,
            thread: self.each.then_some(source.thread),
        };
        let index = match self.pieces.iter().position(|(other, _)| *other == view) {
            Some(index) => index,
            None => {
                let engine = Engine::new(&self.models, &self.options);
                let piece = engine.map(|engine| engine.split().swap_remove(self.piece));
                #[expect(clippy::expect_used, reason = "`Work::of` made one of these before")]
                self.pieces.push((view, piece.expect("they are possible")));
                self.pieces.len() - 1
            }
        };
        self.current = Some((source, index));
        index
    }
}
