//! Laws on random streams and random models.

use std::collections::BTreeMap;

use crate::common::random::{Shape, models, stream, unlimited};
use crate::common::{by_reference, error, run};
use parascan_ddg::event::ThreadId;
use parascan_ddg::model::{
    Branches, Count, Disambiguation, Indirect, MachineModel, PhysicalRegisters, Rename,
    ReturnPrediction, SystemCalls,
};
use parascan_ddg::options::{EngineOptions, NarrowBins, Routines};
use parascan_ddg::program::RoutineId;
use parascan_ddg::result::RoutineFigures;
use parascan_ddg::synthetic::{OwnedEvent, Stream, StreamStep};
use parascan_isa::InstructionClass;
use proptest::collection::vec;
use proptest::prelude::*;

const SMALL: Shape = Shape {
    threads: 3,
    steps: 25,
};

fn critical_path(stream: &Stream, model: MachineModel) -> u64 {
    by_reference(stream, &[model], &EngineOptions::default())[0].critical_path
}

/// Makes one event of a stream wrong, or puts one in that may be.
fn corrupt(stream: &mut Stream, at: usize, how: u8) {
    let events: Vec<usize> = (0..stream.steps.len())
        .filter(|&i| {
            matches!(
                stream.steps[i],
                StreamStep::Event(_, OwnedEvent::Block { .. })
            )
        })
        .collect();
    if events.is_empty() {
        return;
    }
    let at = events[at % events.len()];
    let StreamStep::Event(
        thread,
        OwnedEvent::Block {
            id,
            executed,
            addresses,
        },
    ) = &mut stream.steps[at]
    else {
        unreachable!("blocks were chosen");
    };
    let thread = *thread;
    let instruction = u32::from(how) % 5;
    let before = match how / 5 {
        0 => {
            addresses.pop();
            return;
        }
        1 => {
            addresses.push(7);
            return;
        }
        2 => {
            *executed += instruction;
            return;
        }
        3 => {
            id.0 += instruction;
            return;
        }
        4 => OwnedEvent::Repeat {
            instruction,
            iterations: 2,
            addresses: vec![1],
            step: 1,
        },
        5 => OwnedEvent::Operands {
            instruction,
            reads: vec![],
            writes: vec![],
        },
        6 => OwnedEvent::Kernel {
            reads: vec![],
            writes: vec![],
        },
        _ => OwnedEvent::End,
    };
    stream.steps.insert(at, StreamStep::Event(thread, before));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_taken_away_from_a_machine_makes_no_path_shorter(
        stream in stream(SMALL),
        model in unlimited(),
    ) {
        let path = |change: &dyn Fn(&mut MachineModel)| {
            let mut model = model.clone();
            change(&mut model);
            critical_path(&stream, model)
        };
        let rename = |registers, stack, memory| {
            path(&move |m: &mut MachineModel| {
                m.rename = Rename { registers, stack, memory };
                m.physical_registers = PhysicalRegisters::Unlimited;
            })
        };
        let renamed = [
            rename(true, true, true),
            rename(true, true, false),
            rename(true, false, false),
            rename(false, false, false),
        ];
        prop_assert!(renamed.is_sorted(), "renaming {renamed:?}");

        let windows = [None, Some(1000), Some(30), Some(7), Some(2), Some(1)]
            .map(|window| path(&move |m: &mut MachineModel| m.window = window));
        prop_assert!(windows.is_sorted(), "windows {windows:?}");
        prop_assert_eq!(windows[0], windows[1], "a window longer than the stream");

        prop_assert!(
            path(&|m| m.system_calls = SystemCalls::Optimistic)
                <= path(&|m| m.system_calls = SystemCalls::Conservative)
        );
        prop_assert!(path(&|m| m.memory = Disambiguation::Perfect) <= path(&|m| m.memory = Disambiguation::None));

        let predicted = path(&|m| {
            m.branches = Branches::Perfect;
            m.indirect = Indirect::Perfect;
            m.returns = ReturnPrediction::Perfect;
        });
        let unpredicted = path(&|m| {
            m.branches = Branches::None;
            m.indirect = Indirect::None;
            m.returns = ReturnPrediction::None;
        });
        let between = path(&|_| {});
        prop_assert!(predicted <= between && between <= unpredicted);

        prop_assert!(path(&|m| m.count = Count::Values) <= path(&|m| m.count = Count::All));
        prop_assert!(path(&|m| m.count = Count::Float) <= path(&|m| m.count = Count::All));
    }

    #[test]
    fn figures_agree_with_each_other(stream in stream(SMALL), models in models(2)) {
        let options = EngineOptions {
            routines: Some(Routines { lanes: 3, own: true, only: None }),
            values: true,
            closely: Some(NarrowBins { first: 1, last: u64::MAX, bins: 1 << 16 }),
            ..EngineOptions::default()
        };
        for (outcome, model) in run(&stream, &models, &options).iter().zip(&models) {
            let steps = &model.latency.steps;
            let load = if model.latency.load_adds { steps[InstructionClass::Load as usize] } else { 0 };
            let longest = u64::from(steps.iter().copied().max().unwrap_or(0) + load);
            prop_assert!(outcome.critical_path <= outcome.operations * longest);
            let operations: u64 = outcome.profile.bins.iter().flatten().sum();
            prop_assert_eq!(operations, outcome.operations);
            prop_assert!(outcome.operations <= outcome.instructions);
            let detail = outcome.detail.as_ref().expect("levels were to be looked at closely");
            let operations: u64 = detail.profile.bins.iter().flatten().sum();
            prop_assert_eq!(operations, outcome.operations, "every operation is in some bin");
            let wide = outcome.profile.shift - detail.profile.shift;
            let together = detail.profile.bins.chunks(1 << wide).map(|bins| bins.iter().flatten().sum::<u64>());
            let coarse = outcome.profile.bins.iter().map(|bin| bin.iter().sum::<u64>());
            prop_assert!(together.eq(coarse), "narrow bins are parts of the profile's");

            let own: u64 = outcome.routines.iter().map(|r| r.own_operations).sum();
            prop_assert_eq!(own, outcome.operations, "every operation is some call's own");
            for routine in &outcome.routines {
                prop_assert!(routine.measured <= routine.calls);
                prop_assert!(routine.own_measured <= routine.operations);
                prop_assert!(routine.own_measured <= routine.own_operations);
                prop_assert!(routine.own_operations <= routine.outermost_operations);
                prop_assert!(routine.steps <= routine.operations * longest);
            }

            let values = outcome.values.as_ref().expect("values were asked for");
            let count = |d: &parascan_ddg::result::Distribution| d.bins.iter().map(|b| b.1).sum::<u64>();
            prop_assert_eq!(values.created, values.unread + count(&values.sharing));
            prop_assert_eq!(count(&values.sharing), count(&values.lifetimes));
            if steps.iter().all(|&steps| steps > 0) {
                // No value has level 0, so that all levels of all lives are in the profile.
                prop_assert_eq!(values.storage.iter().sum::<u64>(), values.lifetimes.sum);
                if let Some(window) = model.window {
                    let threads = u64::from(SMALL.threads);
                    let widest = outcome.profile.bins.iter().map(|bin| bin.iter().sum::<u64>()).max();
                    prop_assert!(widest.unwrap_or(0) <= window * threads);
                }
            }
        }
    }

    #[test]
    fn calls_are_those_of_each_thread(stream in stream(SMALL), models in models(1)) {
        let options = EngineOptions {
            routines: Some(Routines { lanes: 2, own: true, only: None }),
            values: false,
            ..EngineOptions::default()
        };
        let mut alone: BTreeMap<RoutineId, RoutineFigures> = BTreeMap::new();
        for thread in 0..SMALL.threads {
            let of_thread = stream.of_thread(ThreadId(thread));
            for routine in run(&of_thread, &models, &options).remove(0).routines {
                alone
                    .entry(routine.routine)
                    .and_modify(|sum| sum.add(&routine))
                    .or_insert(routine);
            }
        }
        let merged = run(&stream, &models, &options).remove(0).routines;
        prop_assert_eq!(merged, alone.into_values().collect::<Vec<_>>());
    }

    #[test]
    fn engines_refuse_the_same_streams(
        mut stream in stream(SMALL),
        faults in vec((any::<usize>(), 0..40_u8), 1..3),
    ) {
        for (at, how) in faults {
            corrupt(&mut stream, at, how);
        }
        // Compares what the engines say.
        error(&stream);
    }
}
