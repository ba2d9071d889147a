//! The fast engine: one pass over a stream, with a live well of what may still be read.
//!
//! Models that are alike in what must be kept run in lanes, several levels in one vector register; others run apart.
//! Figures of routines need lanes of their own.
//!
//! A block goes this way: `compile.rs` makes a list of operations on cells of registers of it (`links.rs`: which
//! cells), `graph.rs` interprets that list, `native/` makes machine code of blocks that are executed often, `paths.rs`
//! of those that often follow each other, and `quick.rs` has what is needed to run it. `machine/` keeps threads and
//! leads them through their blocks. Only where asked for, `values.rs` follows values, `demand.rs` counts what levels
//! need, `flows.rs` who reads whose values.

mod calls;
mod cell;
mod code;
mod compile;
mod demand;
mod exit;
mod flows;
mod graph;
mod lanes;
mod latencies;
mod links;
mod live_well;
mod machine;
mod narrow_bins;
mod native;
mod paths;
mod profile;
mod quick;
mod register_files;
mod tables;
mod thread;
mod units;
mod values;
mod window;

use std::collections::BTreeMap;

use crate::error::{ModelError, StreamError};
use crate::event::{Event, Executed, ThreadId};
use crate::model::{
    Disambiguation, Induction, MachineModel, PhysicalRegisters, StackPointer, Units, check,
};
use crate::options::{EngineOptions, Routines};
use crate::program::Program;
use crate::result::ModelFigures;
use calls::Measure;
use cell::{LevelCell, ReadersCell, ValueCell};
pub use machine::Tuning;
use machine::{AnyMachine, Machine, NarrowLevels};
use values::FollowOptions;

/// Lanes of a machine that measures calls.
const LANES: usize = 8;
/// Lanes of a machine for several models. Half a vector register of the widest that is used: so two machines share
/// eight models, and can work at the same time.
const MODELS: usize = 4;

/// Analyses the stream of a process, or of a thread: threads that are given to one engine share their memory.
pub struct Engine {
    parts: Vec<MachinePart>,
}

/// A machine, or one for each thread.
struct MachinePart {
    spec: MachineSpec,
    machines: Machines,
}

enum Machines {
    Whole(Box<dyn AnyMachine>),
    /// Calls are measured in a graph of their own, in which other threads are not.
    ByThread(BTreeMap<ThreadId, Box<dyn AnyMachine>>),
}

/// How to make a machine.
struct MachineSpec {
    models: Vec<MachineModel>,
    /// Positions of the models among all.
    positions: Vec<usize>,
    measure: Option<Measure>,
    values: bool,
    /// What else is followed of them.
    following: FollowOptions,
    tuning: Tuning,
}

/// What a machine is compiled for: models of one kind can run in lanes of one.
#[derive(Clone, Copy, PartialEq, Eq)]
struct MachineKind {
    need: ModelNeeds,
    stack_pointer: StackPointer,
    induction: Induction,
}

impl MachineKind {
    fn of(model: &MachineModel) -> Self {
        Self {
            need: ModelNeeds::of(model),
            stack_pointer: model.stack_pointer,
            induction: model.induction,
        }
    }

    /// All there are.
    fn all() -> impl Iterator<Item = Self> {
        let needs = [ModelNeeds::Levels, ModelNeeds::All, ModelNeeds::Readers];
        needs.into_iter().flat_map(|need| {
            [StackPointer::Chain, StackPointer::Engine]
                .into_iter()
                .flat_map(move |stack_pointer| {
                    [Induction::Chain, Induction::Break].map(|induction| Self {
                        need,
                        stack_pointer,
                        induction,
                    })
                })
        })
    }
}

/// What is kept for a model.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ModelNeeds {
    /// Levels of locations.
    Levels,
    /// These, and an eye on all of an instance: functional units, physical registers, or memory that is one location.
    All,
    /// Readers of locations.
    Readers,
}

impl ModelNeeds {
    fn of(model: &MachineModel) -> Self {
        let rename = model.rename;
        if !(rename.registers && rename.stack && rename.memory) {
            Self::Readers
        } else if model.units != Units::Unlimited
            || model.physical_registers != PhysicalRegisters::Unlimited
            || model.memory == Disambiguation::None
        {
            Self::All
        } else {
            Self::Levels
        }
    }
}

impl MachineSpec {
    /// Whether values are followed: resources need their lives, flows their readers.
    fn follows_values(&self) -> bool {
        self.values || self.following.any()
    }

    fn make(&self) -> Box<dyn AnyMachine> {
        let Self {
            models,
            measure,
            following,
            tuning,
            ..
        } = self;
        let values = self.follows_values();
        let following = *following;
        let measure = measure.clone();
        let readers = ModelNeeds::of(&models[0]) == ModelNeeds::Readers;
        let one = models.len() == 1 && measure.is_none();
        match (values, readers, one) {
            (true, false, _) => Box::new(Machine::<u32, 1, ValueCell<LevelCell<u32, 1>>>::new(
                models, measure, following, *tuning,
            )),
            (true, true, _) => Box::new(Machine::<u32, 1, ValueCell<ReadersCell<u32, 1>>>::new(
                models, measure, following, *tuning,
            )),
            (false, false, true) => Box::new(Machine::<u32, 1, LevelCell<u32, 1>>::new(
                models, measure, following, *tuning,
            )),
            (false, true, true) => Box::new(Machine::<u32, 1, ReadersCell<u32, 1>>::new(
                models, measure, following, *tuning,
            )),
            (false, false, false) if measure.is_none() => {
                Box::new(Machine::<u32, MODELS, LevelCell<u32, MODELS>>::new(
                    models, measure, following, *tuning,
                ))
            }
            (false, true, false) if measure.is_none() => {
                Box::new(Machine::<u32, MODELS, ReadersCell<u32, MODELS>>::new(
                    models, measure, following, *tuning,
                ))
            }
            (false, false, false) => Box::new(Machine::<u32, LANES, LevelCell<u32, LANES>>::new(
                models, measure, following, *tuning,
            )),
            (false, true, false) => Box::new(Machine::<u32, LANES, ReadersCell<u32, LANES>>::new(
                models, measure, following, *tuning,
            )),
        }
    }
}

impl MachinePart {
    fn new(spec: MachineSpec) -> Self {
        let machines = match spec.measure {
            None => Machines::Whole(spec.make()),
            Some(_) => Machines::ByThread(BTreeMap::new()),
        };
        Self { spec, machines }
    }

    fn machine(&mut self, thread: ThreadId) -> &mut Box<dyn AnyMachine> {
        match &mut self.machines {
            Machines::Whole(machine) => machine,
            Machines::ByThread(machines) => {
                machines.entry(thread).or_insert_with(|| self.spec.make())
            }
        }
    }

    fn blocks(
        &mut self,
        program: &Program,
        thread: ThreadId,
        mut blocks: &[Executed],
        mut addresses: &[u64],
    ) -> Result<(), StreamError> {
        let machine = self.machine(thread);
        loop {
            match machine.blocks(program, thread, &mut blocks, &mut addresses) {
                Ok(()) => return Ok(()),
                Err(NarrowLevels::Stream(error)) => return Err(error),
                Err(NarrowLevels::Narrow) => replace_with(machine, AnyMachine::widen),
            }
        }
    }

    fn event(
        &mut self,
        program: &Program,
        thread: ThreadId,
        event: &Event<'_>,
    ) -> Result<(), StreamError> {
        let machine = self.machine(thread);
        match machine.event(program, thread, event) {
            Ok(()) => Ok(()),
            Err(NarrowLevels::Stream(error)) => Err(error),
            Err(NarrowLevels::Narrow) => widened(machine, program, thread, event),
        }
    }
}

/// Gives the event to the machine with wider levels.
#[cold]
fn widened(
    machine: &mut Box<dyn AnyMachine>,
    program: &Program,
    thread: ThreadId,
    event: &Event<'_>,
) -> Result<(), StreamError> {
    replace_with(machine, AnyMachine::widen);
    match machine.event(program, thread, event) {
        Ok(()) => Ok(()),
        Err(NarrowLevels::Stream(error)) => Err(error),
        Err(NarrowLevels::Narrow) => unreachable!("the widest levels are wide enough"),
    }
}

/// Puts a new machine in the place of an old one.
fn replace_with(
    machine: &mut Box<dyn AnyMachine>,
    change: impl FnOnce(Box<dyn AnyMachine>) -> Box<dyn AnyMachine>,
) {
    /// Stands where the machine is while it is changed.
    struct NoMachine;
    impl AnyMachine for NoMachine {
        fn event(&mut self, _: &Program, _: ThreadId, _: &Event<'_>) -> Result<(), NarrowLevels> {
            Ok(())
        }
        fn blocks(
            &mut self,
            _: &Program,
            _: ThreadId,
            _: &mut &[Executed],
            _: &mut &[u64],
        ) -> Result<(), NarrowLevels> {
            Ok(())
        }
        fn widen(self: Box<Self>) -> Box<dyn AnyMachine> {
            self
        }
        fn finish(self: Box<Self>) -> Vec<ModelFigures> {
            Vec::new()
        }
    }
    let old = std::mem::replace(machine, Box::new(NoMachine));
    *machine = change(old);
}

impl Engine {
    /// An engine for some models.
    ///
    /// # Errors
    /// See [`check`] and [`EngineOptions::check`].
    pub fn new(models: &[MachineModel], options: &EngineOptions) -> Result<Self, ModelError> {
        Self::tuned(models, options, Tuning::default())
    }

    /// The same engine with settings that tests choose.
    #[doc(hidden)]
    pub fn tuned(
        models: &[MachineModel],
        options: &EngineOptions,
        tuning: Tuning,
    ) -> Result<Self, ModelError> {
        check(models)?;
        options.check()?;
        let mut parts = Vec::new();
        let following = FollowOptions::of(options);
        let lanes = if options.values || following.any() {
            1
        } else {
            MODELS
        };
        for kind in MachineKind::all() {
            let mut positions: Vec<usize> = (0..models.len())
                .filter(|&model| MachineKind::of(&models[model]) == kind)
                .collect();
            // Large windows are dear: each machine gets some.
            positions.sort_by_key(|&model| models[model].window.unwrap_or(u64::MAX));
            let machines = positions.len().div_ceil(lanes);
            for machine in 0..machines {
                let positions: Vec<usize> = positions
                    .iter()
                    .skip(machine)
                    .step_by(machines)
                    .copied()
                    .collect();
                parts.push(MachinePart::new(MachineSpec {
                    models: positions
                        .iter()
                        .map(|&model| models[model].clone())
                        .collect(),
                    positions: positions.to_vec(),
                    measure: None,
                    values: options.values,
                    following,
                    tuning,
                }));
            }
        }
        if let Some(routines) = &options.routines {
            for (position, model) in models.iter().enumerate() {
                for measure in measures(routines) {
                    parts.push(MachinePart::new(MachineSpec {
                        models: vec![model.clone()],
                        positions: vec![position],
                        measure: Some(measure),
                        values: false,
                        following: FollowOptions::default(),
                        tuning,
                    }));
                }
            }
        }
        Ok(Self { parts })
    }

    /// Takes in the next event.
    ///
    /// # Errors
    /// The event does not fit the program, or what came before. The figures are those without it.
    #[inline]
    pub fn event(
        &mut self,
        program: &Program,
        thread: ThreadId,
        event: Event<'_>,
    ) -> Result<(), StreamError> {
        for part in &mut self.parts {
            part.event(program, thread, &event)?;
        }
        Ok(())
    }

    /// Takes in blocks that a thread executes one after the other: the same as an [`Event::Block`] for each, and
    /// faster. `addresses` holds those of all.
    ///
    /// # Errors
    /// A block does not fit the program, or what came before. The figures are those without it and what follows.
    pub fn blocks(
        &mut self,
        program: &Program,
        thread: ThreadId,
        blocks: &[Executed],
        addresses: &[u64],
    ) -> Result<(), StreamError> {
        let mut result = Ok(());
        // The others get what comes before the wrong block too.
        for part in &mut self.parts {
            result = result.and(part.blocks(program, thread, blocks, addresses));
        }
        result
    }

    /// The engine in pieces that work on their own: give each one all events, on whatever thread, and then
    /// [`Engine::join`] them.
    pub fn split(self) -> Vec<Self> {
        self.parts
            .into_iter()
            .map(|part| Self { parts: vec![part] })
            .collect()
    }

    /// The engine that was split.
    pub fn join(pieces: impl IntoIterator<Item = Self>) -> Self {
        Self {
            parts: pieces.into_iter().flat_map(|piece| piece.parts).collect(),
        }
    }

    /// The figures of each model, in the order of the models.
    pub fn finish(self) -> Vec<ModelFigures> {
        let mut outcomes: BTreeMap<usize, ModelFigures> = BTreeMap::new();
        let (mut calls, whole): (Vec<MachinePart>, Vec<MachinePart>) = self
            .parts
            .into_iter()
            .partition(|part| part.spec.measure.is_some());
        calls.sort_by_key(|part| part.spec.measure.as_ref().map(|m| (m.first, m.own)));
        // To put together and give back what a machine has takes a while: those of the whole do so at the same time as
        // those of calls.
        std::thread::scope(|scope| {
            let mut finishing = Vec::new();
            for MachinePart { spec, machines } in whole {
                if let Machines::Whole(machine) = machines {
                    finishing.push((spec, scope.spawn(move || machine.finish())));
                }
            }
            let mut of_calls = Vec::new();
            for MachinePart { spec, machines } in calls {
                if let Machines::ByThread(machines) = machines {
                    let machines = machines.into_values();
                    let found: Vec<ModelFigures> =
                        machines.flat_map(|machine| machine.finish()).collect();
                    of_calls.push((spec, found));
                }
            }
            for (spec, machine) in finishing {
                let mut found = match machine.join() {
                    Ok(found) => found,
                    Err(panic) => std::panic::resume_unwind(panic),
                };
                if !spec.values {
                    for outcome in &mut found {
                        outcome.values = None;
                    }
                }
                outcomes.extend(spec.positions.into_iter().zip(found));
            }
            for (spec, found) in of_calls {
                let Some(measure) = &spec.measure else {
                    continue;
                };
                for found in found {
                    if let Some(outcome) = outcomes.get_mut(&spec.positions[0]) {
                        outcome.live_well.of_calls += found.live_well.size;
                        calls::join(&mut outcome.routines, &found.routines, measure);
                    }
                }
            }
        });
        outcomes.into_values().collect()
    }
}

/// What machines are needed to measure calls.
fn measures(routines: &Routines) -> Vec<Measure> {
    let mut only = routines.only.clone();
    if let Some(only) = &mut only {
        only.sort_unstable();
    }
    let kinds = if routines.own {
        &[false, true][..]
    } else {
        &[false]
    };
    let firsts = (0..routines.lanes).step_by(LANES);
    firsts
        .flat_map(|first| {
            kinds.iter().map({
                let only = &only;
                move |&own| Measure {
                    first,
                    lanes: LANES.min(routines.lanes - first),
                    own,
                    only: only.clone(),
                }
            })
        })
        .collect()
}
