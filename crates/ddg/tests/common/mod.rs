//! Running engines on streams made by hand.
#![allow(dead_code, reason = "no test file uses all")]

pub mod random;

use parascan_ddg::engine::{Engine, Tuning};
use parascan_ddg::error::StreamError;
use parascan_ddg::model::Model;
use parascan_ddg::options::Options;
use parascan_ddg::reference::Reference;
use parascan_ddg::result::{LiveWell, Outcome};
use parascan_ddg::synthetic::Stream;

/// The figures of each model by the slow reference.
pub fn by_reference(stream: &Stream, models: &[Model], options: &Options) -> Vec<Outcome> {
    let mut reference = Reference::new(models, options).expect("models that can be");
    stream
        .replay(|program, thread, event| reference.event(program, thread, event))
        .expect("a stream that fits its program");
    reference.finish()
}

/// The figures of each model by the fast engine, in pieces that are joined; tuned.
pub fn by_engine(
    stream: &Stream,
    models: &[Model],
    options: &Options,
    tuning: Tuning,
) -> Vec<Outcome> {
    let engine = Engine::tuned(models, options, tuning).expect("models that can be");
    let mut pieces = engine.split();
    for piece in &mut pieces {
        stream
            .replay(|program, thread, event| piece.event(program, thread, event))
            .expect("a stream that fits its program");
    }
    pieces.reverse();
    Engine::join(pieces).finish()
}

/// Without what the engines may differ in: the memory they take, and the order of routines.
pub fn comparable(mut outcomes: Vec<Outcome>) -> Vec<Outcome> {
    for outcome in &mut outcomes {
        outcome.live_well = LiveWell::default();
        outcome.routines.sort_by_key(|figures| figures.routine);
    }
    outcomes
}

/// The figures of each model; both engines find them.
pub fn run(stream: &Stream, models: &[Model], options: &Options) -> Vec<Outcome> {
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
    let models = [Model::perpi()];
    let options = Options::default();
    let mut reference = Reference::new(&models, &options).expect("models that can be");
    let error = stream
        .replay(|program, thread, event| reference.event(program, thread, event))
        .err();
    let mut engine = Engine::new(&models, &options).expect("models that can be");
    let found = stream
        .replay(|program, thread, event| engine.event(program, thread, event))
        .err();
    assert_eq!(found, error);
    error
}

/// The figures of one model, without values and routines.
pub fn figures(stream: &Stream, model: &Model) -> Outcome {
    run(stream, std::slice::from_ref(model), &Options::default()).remove(0)
}

/// Operations per level.
pub fn levels(outcome: &Outcome) -> Vec<u64> {
    assert_eq!(outcome.profile.shift, 0, "a level per bin");
    let bins = outcome.profile.bins.iter();
    bins.map(|kinds| kinds.iter().sum()).collect()
}
