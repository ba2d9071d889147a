//! The fast engine finds what the slow reference finds, on random streams under random models.

mod common;

use common::random::{Shape, models, stream};
use common::{by_engine, by_reference, comparable};
use parascan_ddg::event::ThreadId;
use parascan_ddg::model::{Memory, Model, Rename, Units};
use parascan_ddg::options::{Options, Routines};
use parascan_ddg::program::RoutineId;
use parascan_ddg::synthetic::Step;
use proptest::prelude::*;

const SHAPE: Shape = Shape {
    threads: 3,
    steps: 60,
};

fn options() -> impl Strategy<Value = Options> {
    let only = proptest::option::of(proptest::collection::vec(
        (0..4_u32).prop_map(RoutineId),
        1..3,
    ));
    let routines = (
        prop_oneof![Just(1), Just(2), Just(8), Just(11)],
        any::<bool>(),
        only,
    )
        .prop_map(|(lanes, own, only)| Routines { lanes, own, only });
    (proptest::option::of(routines), any::<bool>())
        .prop_map(|(routines, values)| Options { routines, values })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 80,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn engine_and_reference_agree(
        stream in stream(SHAPE),
        models in models(10),
        options in options(),
        limit in prop_oneof![Just(u64::MAX), 1..60_u64],
    ) {
        let expected = comparable(by_reference(&stream, &models, &options));
        let found = comparable(by_engine(&stream, &models, &options, limit));
        for (found, expected) in found.iter().zip(&expected) {
            prop_assert_eq!(found, expected);
        }
        prop_assert_eq!(found.len(), expected.len());
    }

    #[test]
    fn models_in_lanes_do_not_touch_each_other(
        stream in stream(SHAPE),
        models in models(10),
        options in options(),
    ) {
        // What the fastest way through the engine can do.
        let models: Vec<Model> = models
            .into_iter()
            .map(|model| Model {
                rename: Rename { registers: true, stack: true, memory: true },
                units: Units::Unlimited,
                memory: Memory::Perfect,
                ..model
            })
            .collect();
        let options = Options { values: false, ..options };
        let expected = comparable(by_reference(&stream, &models, &options));
        let found = comparable(by_engine(&stream, &models, &options, u64::MAX));
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn a_thread_alone_is_a_graph_of_its_own(stream in stream(SHAPE), models in models(3)) {
        let mut alone = stream.clone();
        alone.steps.retain(|step| !matches!(step, Step::Event(thread, _) if *thread != ThreadId(1)));
        let options = Options::default();
        let expected = comparable(by_reference(&alone, &models, &options));
        let found = by_engine(&alone, &models, &options, u64::MAX);
        prop_assert_eq!(comparable(found), expected);
    }
}
