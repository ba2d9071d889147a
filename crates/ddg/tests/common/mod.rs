//! Running engines on streams made by hand.
#![allow(dead_code, reason = "no test file uses all")]

pub mod random;

use parascan_ddg::error::StreamError;
use parascan_ddg::model::Model;
use parascan_ddg::options::Options;
use parascan_ddg::reference::Reference;
use parascan_ddg::result::Outcome;
use parascan_ddg::synthetic::Stream;

/// The figures of each model.
pub fn run(stream: &Stream, models: &[Model], options: &Options) -> Vec<Outcome> {
    let mut reference = Reference::new(models, options).expect("models that can be");
    stream
        .replay(|program, thread, event| reference.event(program, thread, event))
        .expect("a stream that fits its program");
    reference.finish()
}

/// The first error in a stream.
pub fn error(stream: &Stream) -> Option<StreamError> {
    let mut reference =
        Reference::new(&[Model::perpi()], &Options::default()).expect("models that can be");
    stream
        .replay(|program, thread, event| reference.event(program, thread, event))
        .err()
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
