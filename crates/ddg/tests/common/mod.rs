//! Running engines on streams made by hand.
#![allow(dead_code, reason = "no test file uses all")]

pub mod random;

use parascan_ddg::engine::Engine;
use parascan_ddg::error::StreamError;
use parascan_ddg::model::Model;
use parascan_ddg::options::Options;
use parascan_ddg::reference::Reference;
use parascan_ddg::result::{LiveWell, Outcome};
use parascan_ddg::synthetic::Stream;

/// The reference's figures.
pub fn by_reference(stream: &Stream, models: &[Model], options: &Options) -> Vec<Outcome> {
    let mut reference = Reference::new(models, options).expect("models that can be");
    stream
        .replay(|program, thread, event| reference.event(program, thread, event))
        .expect("a stream that fits its program");
    reference.finish()
}

/// The engine's figures, in pieces that are joined; levels above `limit` are wide.
pub fn by_engine(stream: &Stream, models: &[Model], options: &Options, limit: u64) -> Vec<Outcome> {
    let engine = Engine::with_limit(models, options, limit).expect("models that can be");
    let mut pieces = engine.split();
    for piece in &mut pieces {
        stream
            .replay(|program, thread, event| piece.event(program, thread, event))
            .expect("a stream that fits its program");
    }
    pieces.reverse();
    let engine = Engine::join(pieces);
    comparable(engine.finish())
}

/// Without what the engines may differ in.
pub fn comparable(mut outcomes: Vec<Outcome>) -> Vec<Outcome> {
    for outcome in &mut outcomes {
        outcome.live_well = LiveWell::default();
        outcome.routines.sort_by_key(|figures| figures.routine);
    }
    outcomes
}

/// The figures of each model, on which both engines agree.
pub fn run(stream: &Stream, models: &[Model], options: &Options) -> Vec<Outcome> {
    let outcomes = by_reference(stream, models, options);
    let found = by_engine(stream, models, options, u64::MAX);
    assert_eq!(found, comparable(outcomes.clone()), "engine and reference");
    outcomes
}

/// The first error in a stream, on which both engines agree.
pub fn error(stream: &Stream) -> Option<StreamError> {
    let (models, options) = ([Model::perpi()], Options::default());
    let mut reference = Reference::new(&models, &options).expect("models that can be");
    let mut engine = Engine::new(&models, &options).expect("models that can be");
    let expected = stream
        .replay(|program, thread, event| reference.event(program, thread, event))
        .err();
    let found = stream
        .replay(|program, thread, event| engine.event(program, thread, event))
        .err();
    assert_eq!(found, expected, "engine and reference");
    expected
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
