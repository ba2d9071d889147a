//! What levels need: by hand, and by laws on random streams.

use crate::common::random::{Shape, stream, unlimited};
use crate::common::{by_reference, run};
use parascan_ddg::engine::Engine;
use parascan_ddg::error::ModelError;
use parascan_ddg::model::{Latency, MachineModel, Rename, Units};
use parascan_ddg::options::EngineOptions;
use parascan_ddg::reference::Reference;
use parascan_ddg::result::{LevelMaximum, ModelFigures, OperationsPerLevel, Resources};
use parascan_ddg::synthetic::{Stream, general, instruction, load, store};
use parascan_isa::{Instruction, InstructionClass};
use proptest::prelude::*;

fn asked(levels: u64) -> EngineOptions {
    EngineOptions {
        resources: Some(levels),
        ..EngineOptions::default()
    }
}

fn of(outcome: &ModelFigures) -> Resources {
    let resources = outcome.resources.clone();
    resources.expect("resources were asked for")
}

fn resources(stream: &Stream, model: &MachineModel, levels: u64) -> Resources {
    let outcome = run(stream, std::slice::from_ref(model), &asked(levels)).remove(0);
    assert_eq!(outcome.values, None, "values were not asked for");
    of(&outcome)
}

fn most(number: u64, level: u64) -> LevelMaximum {
    LevelMaximum { number, level }
}

fn needed(operations: u64, most: LevelMaximum, enough: [u64; 3]) -> OperationsPerLevel {
    OperationsPerLevel {
        operations,
        most,
        enough,
    }
}

fn op(class: InstructionClass, to: u8, from: &[u8]) -> Instruction {
    let from: Vec<_> = from.iter().map(|&number| general(number)).collect();
    instruction(class, &from, [&general(to)])
}

fn straight(instructions: impl IntoIterator<Item = Instruction>) -> Stream {
    Stream::straight(instructions.into_iter().map(|it| (it, [])))
}

/// `S := A + B + C + D` of Paragraph's figures: into which registers the four are loaded.
fn sum(loaded: [u8; 4]) -> Stream {
    let [a, b, c, d] = loaded;
    let from = |register, address| (load(&general(register), &[]), vec![address]);
    let add = |to, from: [u8; 2]| (op(InstructionClass::Integer, to, &from), vec![]);
    Stream::straight([
        from(a, 0x1000),
        from(b, 0x1008),
        add(5, [a, b]),
        from(c, 0x1010),
        from(d, 0x1018),
        add(6, [c, d]),
        add(7, [5, 6]),
        (store(&general(7), &[]), vec![0x1020]),
    ])
}

/// Paragraph's machine with a step for everything, as in its figures.
fn figures_machine() -> MachineModel {
    MachineModel {
        latency: Latency::unit(),
        ..MachineModel::paragraph()
    }
}

#[test]
fn figure_1_of_paragraph() {
    // A, B, C, D in step 1; A + B, C + D in step 2; the sum in step 3; stored in step 4, and not read.
    let found = resources(&sum([0, 1, 2, 3]), &figures_machine(), 100);
    let expected = Resources {
        levels: 4,
        alive: most(4, 1),
        all: needed(8, most(4, 1), [4, 4, 4]),
        classes: vec![
            (InstructionClass::Integer, needed(3, most(2, 2), [2, 2, 2])),
            (InstructionClass::Load, needed(4, most(4, 1), [4, 4, 4])),
            (InstructionClass::Store, needed(1, most(1, 4), [1, 1, 1])),
        ],
    };
    assert_eq!(found, expected);
}

#[test]
fn figure_2_of_paragraph() {
    // Two registers for the four, nothing renamed: 2, 1, 2, 1, 1, 1 operations.
    // A and B live in step 1, A + B from step 2 up to the sum in step 5; C and D in step 3.
    let mut model = figures_machine();
    model.rename = Rename::NONE;
    let found = resources(&sum([0, 1, 0, 1]), &model, 100);
    assert_eq!(found.levels, 6);
    assert_eq!(found.alive, most(3, 3));
    assert_eq!(found.all, needed(8, most(2, 1), [2, 2, 2]));
}

#[test]
fn figure_4_of_paragraph() {
    // Two units: 2, 2, 2, 1, 1 operations.
    let mut model = figures_machine();
    model.units = Units::Generic(2);
    let found = resources(&sum([0, 1, 2, 3]), &model, 100);
    assert_eq!(found.all, needed(8, most(2, 1), [2, 2, 2]));
}

#[test]
fn enough_for_so_many_levels() {
    // A chain of 100; five more operations in level 1, and two in level 2:
    // 98 levels have one, one has three, one has six.
    let mut body = vec![op(InstructionClass::Integer, 0, &[]); 6];
    body.extend([
        op(InstructionClass::Integer, 1, &[0]),
        op(InstructionClass::Integer, 2, &[0]),
    ]);
    body.extend(vec![op(InstructionClass::Integer, 0, &[0]); 99]);
    let found = resources(&straight(body), &MachineModel::perpi(), 1000);
    assert_eq!(found.levels, 100);
    assert_eq!(found.all, needed(107, most(6, 1), [1, 3, 6]));
    assert_eq!(found.classes, [(InstructionClass::Integer, found.all)]);
    // The last of the six is read three times in level 2; one of the others there is read.
    assert_eq!(found.alive, most(1, 1));
}

#[test]
fn an_operation_begins_in_the_first_of_its_steps() {
    // Two multiplications of six steps each, from step 1 to 6, and their sum in step 7.
    let body = [
        op(InstructionClass::IntegerMultiply, 0, &[]),
        op(InstructionClass::IntegerMultiply, 1, &[]),
        op(InstructionClass::Integer, 2, &[0, 1]),
    ];
    let stream = straight(body);
    let found = resources(&stream, &MachineModel::paragraph(), 1000);
    // Of seven levels, 90% are all seven.
    let expected = Resources {
        levels: 7,
        alive: most(2, 6),
        all: needed(3, most(2, 1), [2, 2, 2]),
        classes: vec![
            (InstructionClass::Integer, needed(1, most(1, 7), [1, 1, 1])),
            (
                InstructionClass::IntegerMultiply,
                needed(2, most(2, 1), [2, 2, 2]),
            ),
        ],
    };
    assert_eq!(found, expected);
}

#[test]
fn what_takes_no_steps_needs_no_unit() {
    let mut model = MachineModel::perpi();
    model.latency.steps[InstructionClass::Move as usize] = 0;
    let stream = straight([
        op(InstructionClass::Move, 0, &[]),
        op(InstructionClass::Integer, 1, &[0]),
    ]);
    let found = resources(&stream, &model, 1000);
    assert_eq!(found.all, needed(1, most(1, 1), [1, 1, 1]));
    assert_eq!(found.classes, [(InstructionClass::Integer, found.all)]);
}

#[test]
fn levels_beyond_those_asked_for_are_not_looked_at() {
    let stream = sum([0, 1, 0, 1]);
    let mut model = figures_machine();
    model.rename = Rename::NONE;
    // The sum and the store begin behind level 4; A + B is alive there.
    let found = resources(&stream, &model, 4);
    assert_eq!(found.levels, 4);
    assert_eq!(found.alive, most(3, 3));
    assert_eq!(found.all, needed(6, most(2, 1), [2, 2, 2]));
    let classes: Vec<InstructionClass> = found.classes.iter().map(|(class, _)| *class).collect();
    assert_eq!(classes, [InstructionClass::Integer, InstructionClass::Load]);
    let first = resources(&stream, &model, 1);
    assert_eq!((first.levels, first.alive), (1, most(2, 1)));
    let message = |error: Option<ModelError>| error.expect("an error").to_string();
    let nothing = [
        message(Engine::new(&[MachineModel::perpi()], &asked(0)).err()),
        message(Reference::new(&[MachineModel::perpi()], &asked(0)).err()),
    ];
    let text = "resources: of 0 levels nothing is counted; give at least 1";
    assert_eq!(nothing, [text, text]);
}

#[test]
fn nothing_needs_nothing() {
    let found = resources(&Stream::new(), &MachineModel::perpi(), 10);
    assert_eq!(found, Resources::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn units_that_are_enough_are_as_good_as_units_without_end(
        stream in stream(Shape { threads: 3, steps: 25 }),
        model in unlimited(),
    ) {
        let mut model = model;
        model.units = Units::Unlimited;
        let free = by_reference(&stream, &[model.clone()], &asked(u64::MAX)).remove(0);
        // Else operations could move within a bin.
        prop_assume!(free.profile.shift == 0);
        let found = of(&free);
        let limited = |units: Units| {
            let model = MachineModel { units, ..model.clone() };
            by_reference(&stream, &[model], &EngineOptions::default()).remove(0)
        };
        let by_class = |spare: &dyn Fn(InstructionClass) -> u64| {
            let mut units = Box::new([None; InstructionClass::ALL.len()]);
            for (class, needed) in &found.classes {
                units[*class as usize] = Some((needed.enough[2] - spare(*class)) as u32);
            }
            limited(Units::ByClass(units))
        };
        let enough = by_class(&|_| 0);
        prop_assert_eq!(&enough.profile, &free.profile);
        if found.all.operations > 0 {
            let generic = limited(Units::Generic(found.all.enough[2] as u32));
            prop_assert_eq!(&generic.profile, &free.profile);
        }
        for (class, needed) in &found.classes {
            if needed.enough[2] > 1 {
                let fewer = by_class(&|it| u64::from(it == *class));
                prop_assert_ne!(&fewer.profile, &free.profile, "one unit less for {:?}", class);
            }
        }
    }

    #[test]
    fn resources_agree_with_values_and_operations(
        stream in stream(Shape { threads: 2, steps: 25 }),
        model in unlimited(),
    ) {
        let options = EngineOptions { values: true, ..asked(u64::MAX) };
        let outcome = by_reference(&stream, std::slice::from_ref(&model), &options).remove(0);
        let found = of(&outcome);
        prop_assert_eq!(found.levels, outcome.critical_path);
        let values = outcome.values.expect("values were asked for");
        if outcome.profile.shift == 0 {
            prop_assert_eq!(found.alive.number as f64, values.most_alive);
        }
        let all: u64 = found.classes.iter().map(|(_, needed)| needed.operations).sum();
        prop_assert_eq!(found.all.operations, all);
        if model.latency.steps.iter().all(|&steps| steps > 0) {
            prop_assert_eq!(all, outcome.operations);
        }
        for needed in found.classes.iter().map(|(_, needed)| needed).chain([&found.all]) {
            prop_assert!(needed.enough.is_sorted());
            prop_assert_eq!(needed.enough[2], needed.most.number);
        }
    }
}
