//! Running engines on streams made by hand.

use parascan_ddg::model::Model;
use parascan_ddg::options::Options;
use parascan_ddg::reference::Reference;
use parascan_ddg::result::Outcome;
use parascan_ddg::synthetic::Stream;

/// The reference's figures, a model each.
pub fn by_reference(stream: &Stream, models: &[Model], options: &Options) -> Vec<Outcome> {
    let mut reference = Reference::new(models, options).expect("models that can be");
    stream
        .replay(|program, thread, event| reference.event(program, thread, event))
        .expect("a stream that fits its program");
    reference.finish()
}

/// The figures of one model, without values and routines.
pub fn figures(stream: &Stream, model: &Model) -> Outcome {
    by_reference(stream, std::slice::from_ref(model), &Options::default()).remove(0)
}

/// Operations per level.
pub fn levels(outcome: &Outcome) -> Vec<u64> {
    assert_eq!(outcome.profile.shift, 0, "a level per bin");
    let bins = outcome.profile.bins.iter();
    bins.map(|kinds| kinds.iter().sum()).collect()
}
