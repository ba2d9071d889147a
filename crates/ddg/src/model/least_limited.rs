//! Which of several models is limited least: the one to show where there is room for one.

use std::cmp::Reverse;

use parascan_isa::InstructionClass;

use super::{
    Branches, Disambiguation, Indirect, Induction, MachineModel, PhysicalRegisters,
    ReturnPrediction, StackPointer, SystemCalls, Units,
};

/// Index of the model that is limited least: in most respects (renaming, window, system calls, latencies, units,
/// physical registers, each kind of prediction, memory, stack pointer, induction variables) none of the others is
/// freer. Of several the first; 0 if there are no models.
pub fn least_limited(models: &[MachineModel]) -> usize {
    let all: Vec<_> = models.iter().map(freedoms).collect();
    let score = |one: &[Vec<u64>]| {
        let respects = one.iter().enumerate();
        respects
            .filter(|(respect, freedom)| !all.iter().any(|other| freer(&other[*respect], freedom)))
            .count()
    };
    (0..all.len())
        .max_by_key(|index| (score(&all[*index]), Reverse(*index)))
        .unwrap_or(0)
}

/// Whether one is at least as free as another in every part, and freer in some.
fn freer(one: &[u64], other: &[u64]) -> bool {
    one != other && one.iter().zip(other).all(|(a, b)| a >= b)
}

/// How free a model is in each respect, part by part: more is freer.
fn freedoms(model: &MachineModel) -> [Vec<u64>; 12] {
    let rename = model.rename;
    let latency = &model.latency;
    let quick = latency
        .steps
        .iter()
        .map(|steps| u64::MAX - u64::from(*steps));
    [
        [rename.registers, rename.stack, rename.memory]
            .map(u64::from)
            .to_vec(),
        vec![model.window.unwrap_or(u64::MAX)],
        vec![(model.system_calls == SystemCalls::Optimistic).into()],
        quick.chain([(!latency.load_adds).into()]).collect(),
        units(&model.units),
        physical_registers(model.physical_registers),
        vec![match model.branches {
            Branches::Perfect => 2,
            Branches::None => 0,
            _ => 1,
        }],
        vec![match model.indirect {
            Indirect::Perfect => 2,
            Indirect::Last { .. } => 1,
            Indirect::None => 0,
        }],
        vec![match model.returns {
            ReturnPrediction::Perfect => 2,
            ReturnPrediction::Stack { .. } => 1,
            ReturnPrediction::None => 0,
        }],
        vec![(model.memory == Disambiguation::Perfect).into()],
        vec![(model.stack_pointer == StackPointer::Engine).into()],
        vec![(model.induction == Induction::Break).into()],
    ]
}

/// Units together, and of each class.
fn units(units: &Units) -> Vec<u64> {
    let many = |count: &Option<u32>| count.map_or(u64::MAX, u64::from);
    let (together, of_class) = match units {
        Units::Unlimited => (u64::MAX, [u64::MAX; InstructionClass::ALL.len()]),
        Units::Generic(count) => (
            (*count).into(),
            [(*count).into(); InstructionClass::ALL.len()],
        ),
        Units::ByClass(counts) => (u64::MAX, counts.each_ref().map(many)),
    };
    [&[together], of_class.as_slice()].concat()
}

/// Registers together, and of each kind.
fn physical_registers(registers: PhysicalRegisters) -> Vec<u64> {
    let many = |count: Option<u32>| count.map_or(u64::MAX, u64::from);
    match registers {
        PhysicalRegisters::Unlimited => vec![u64::MAX; 3],
        PhysicalRegisters::Generic(count) => vec![count.into(); 3],
        PhysicalRegisters::ByKind { general, vector } => {
            vec![u64::MAX, many(general), many(vector)]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Grid, Rename};
    use super::*;

    const ALL: Rename = Rename {
        registers: true,
        stack: true,
        memory: true,
    };

    #[test]
    fn of_a_grid_it_is_the_one_without_limits() {
        let grid = Grid {
            window: vec![Some(16), None, Some(1000)],
            rename: vec![
                Rename {
                    registers: false,
                    ..ALL
                },
                ALL,
                Rename {
                    stack: false,
                    ..ALL
                },
            ],
            units: vec![Units::Generic(2), Units::Unlimited],
            branches: vec![Branches::None, Branches::Perfect, Branches::Taken],
            ..Grid::default()
        };
        let models = grid.models(&[MachineModel::perpi()]).unwrap();
        let model = &models[least_limited(&models)];
        assert_eq!((model.window, model.rename), (None, ALL));
        assert_eq!(
            (&model.units, model.branches),
            (&Units::Unlimited, Branches::Perfect)
        );
    }

    #[test]
    fn of_equal_ones_it_is_the_first() {
        let named = |name: &str| MachineModel {
            name: name.to_owned(),
            ..MachineModel::perpi()
        };
        assert_eq!(least_limited(&[named("a"), named("b")]), 0);
        assert_eq!(least_limited(&[]), 0);
        // Each is freer than the other in one respect, and the third in both.
        let narrow = MachineModel {
            window: Some(16),
            ..named("narrow")
        };
        let guessing = MachineModel {
            branches: Branches::Taken,
            ..named("guessing")
        };
        assert_eq!(least_limited(&[narrow.clone(), guessing.clone()]), 0);
        assert_eq!(least_limited(&[narrow, guessing, named("free")]), 2);
    }

    #[test]
    fn faster_is_freer() {
        let slow = MachineModel::preset("paragraph").unwrap();
        assert_eq!(least_limited(&[slow, MachineModel::perpi()]), 1);
    }

    #[test]
    fn units_of_one_class_leave_the_others_free() {
        let mut counts = [None; InstructionClass::ALL.len()];
        counts[0] = Some(2);
        let limited = |units: Units| MachineModel {
            units,
            ..MachineModel::perpi()
        };
        let by_class = limited(Units::ByClass(Box::new(counts)));
        assert_eq!(least_limited(&[limited(Units::Generic(2)), by_class]), 1);
    }

    #[test]
    fn more_registers_are_freer() {
        let with = |text| MachineModel {
            physical_registers: super::super::TextForm::parse(text).unwrap(),
            ..MachineModel::perpi()
        };
        assert_eq!(least_limited(&[with("16"), with("64")]), 1);
        assert_eq!(least_limited(&[with("16"), with("vector=16")]), 1);
        assert_eq!(
            least_limited(&[with("general=16,vector=8"), with("general=16")]),
            1
        );
        assert_eq!(
            least_limited(&[with("64"), with("unlimited"), with("16")]),
            1
        );
    }
}
