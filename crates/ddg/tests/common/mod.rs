//! Running engines on streams made by hand.

pub mod random;

use parascan_ddg::engine::{Engine, Tuning};
use parascan_ddg::error::StreamError;
use parascan_ddg::event::Executed;
use parascan_ddg::model::MachineModel;
use parascan_ddg::options::EngineOptions;
use parascan_ddg::program::Program;
use parascan_ddg::reference::Reference;
use parascan_ddg::result::{LiveWellSize, ModelFigures};
use parascan_ddg::synthetic::{OwnedEvent, Stream, StreamStep};

/// The figures of each model by the slow reference.
pub fn by_reference(
    stream: &Stream,
    models: &[MachineModel],
    options: &EngineOptions,
) -> Vec<ModelFigures> {
    let mut reference = Reference::new(models, options).expect("models that can be");
    stream
        .replay(|program, thread, event| reference.event(program, thread, event))
        .expect("a stream that fits its program");
    reference.finish()
}

/// The figures of each model by the fast engine, in pieces that are joined; tuned.
pub fn by_engine(
    stream: &Stream,
    models: &[MachineModel],
    options: &EngineOptions,
    tuning: Tuning,
) -> Vec<ModelFigures> {
    let engine = Engine::tuned(models, options, tuning).expect("models that can be");
    let mut pieces = engine.split();
    for piece in &mut pieces {
        by_runs(stream, piece).expect("a stream that fits its program");
    }
    pieces.reverse();
    Engine::join(pieces).finish()
}

/// Gives a stream to an engine, blocks of a thread that follow each other at once.
pub fn by_runs(stream: &Stream, engine: &mut Engine) -> Result<(), StreamError> {
    let mut program = Program::default();
    let mut steps = stream.steps.iter().peekable();
    while let Some(step) = steps.next() {
        let (thread, mut event) = match step {
            StreamStep::Define(id, block) => {
                program.define(*id, block.clone());
                continue;
            }
            StreamStep::Event(thread, event) => (*thread, event),
        };
        let (mut blocks, mut all) = (Vec::new(), Vec::new());
        while let OwnedEvent::Block {
            id,
            executed,
            addresses,
        } = event
        {
            blocks.push(Executed {
                id: *id,
                executed: *executed,
                addresses: addresses.len() as u32,
            });
            all.extend(addresses);
            let same = |step: &&StreamStep| matches!(step, StreamStep::Event(other, OwnedEvent::Block { .. }) if *other == thread);
            match steps.next_if(same) {
                Some(StreamStep::Event(_, next)) => event = next,
                _ => break,
            }
        }
        if blocks.is_empty() {
            engine.event(&program, thread, event.event())?;
        } else {
            engine.blocks(&program, thread, &blocks, &all)?;
        }
    }
    Ok(())
}

/// Without what the engines may differ in: the memory they take, and the order of routines.
pub fn comparable(mut outcomes: Vec<ModelFigures>) -> Vec<ModelFigures> {
    for outcome in &mut outcomes {
        outcome.live_well = LiveWellSize::default();
        outcome.routines.sort_by_key(|figures| figures.routine);
    }
    outcomes
}

/// The figures of each model; both engines find them.
pub fn run(stream: &Stream, models: &[MachineModel], options: &EngineOptions) -> Vec<ModelFigures> {
    let outcomes = by_reference(stream, models, options);
    let default = Tuning::default();
    for tuning in [
        default,
        Tuning {
            limit: 3,
            ..default
        },
        Tuning { hot: 0, ..default },
        Tuning { limit: 30, hot: 1 },
    ] {
        let found = by_engine(stream, models, options, tuning);
        assert_eq!(comparable(found), comparable(outcomes.clone()));
    }
    outcomes
}

/// The first error in a stream; both engines find it.
pub fn error(stream: &Stream) -> Option<StreamError> {
    let models = [MachineModel::perpi()];
    let options = EngineOptions::default();
    let mut reference = Reference::new(&models, &options).expect("models that can be");
    let error = stream
        .replay(|program, thread, event| reference.event(program, thread, event))
        .err();
    let tunings = [
        Tuning::default(),
        Tuning {
            hot: 0,
            ..Tuning::default()
        },
    ];
    for tuning in tunings {
        let engine = || Engine::tuned(&models, &options, tuning).expect("models that can be");
        let mut one = engine();
        let found = stream
            .replay(|program, thread, event| one.event(program, thread, event))
            .err();
        assert_eq!(found, error);
        assert_eq!(by_runs(stream, &mut engine()).err(), error);
    }
    error
}

/// The figures of one model, without values and routines.
pub fn figures(stream: &Stream, model: &MachineModel) -> ModelFigures {
    run(
        stream,
        std::slice::from_ref(model),
        &EngineOptions::default(),
    )
    .remove(0)
}

/// Operations per level.
pub fn levels(outcome: &ModelFigures) -> Vec<u64> {
    assert_eq!(outcome.profile.shift, 0, "a level per bin");
    let bins = outcome.profile.bins.iter();
    bins.map(|kinds| kinds.iter().sum()).collect()
}
