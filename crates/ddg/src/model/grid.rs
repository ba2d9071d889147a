//! Many models from lists of alternatives: every combination of them.

use super::{
    Branches, Count, Disambiguation, Indirect, Induction, Latency, MachineModel, PhysicalRegisters,
    Rename, ReturnPrediction, StackPointer, SystemCalls, TextForm, Units, check,
};
use crate::error::ModelError;

/// Most models in a run.
pub const MAX_MODELS: usize = 256;

/// Alternatives for the parts of a model; a part without any is left as it is.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "the fields are those of `Model`")]
pub struct Grid {
    pub window: Vec<Option<u64>>,
    pub rename: Vec<Rename>,
    pub system_calls: Vec<SystemCalls>,
    pub latency: Vec<Latency>,
    pub units: Vec<Units>,
    pub physical_registers: Vec<PhysicalRegisters>,
    pub branches: Vec<Branches>,
    pub indirect: Vec<Indirect>,
    pub returns: Vec<ReturnPrediction>,
    pub memory: Vec<Disambiguation>,
    pub stack_pointer: Vec<StackPointer>,
    pub induction: Vec<Induction>,
    pub count: Vec<Count>,
}

/// A model that is being put together, and what its name says.
#[derive(Clone)]
struct DraftModel {
    model: MachineModel,
    parts: Vec<String>,
}

impl Grid {
    /// Every combination of alternatives for each base, bases first, then in the order of the fields. A name tells what
    /// differs among the models: `window=1k rename=regs`, after the base's name if there are several; a single model
    /// has all that was given in its name.
    ///
    /// # Errors
    /// Too many models, one that cannot be, or bases of one name.
    pub fn models(&self, bases: &[MachineModel]) -> Result<Vec<MachineModel>, ModelError> {
        let several = bases.len() > 1;
        let count = [
            self.window.len(),
            self.rename.len(),
            self.system_calls.len(),
            self.latency.len(),
            self.units.len(),
            self.physical_registers.len(),
            self.branches.len(),
            self.indirect.len(),
            self.returns.len(),
            self.memory.len(),
            self.stack_pointer.len(),
            self.induction.len(),
            self.count.len(),
        ]
        .into_iter()
        .fold(bases.len(), |count, alternatives| {
            count.saturating_mul(alternatives.max(1))
        });
        if count > MAX_MODELS {
            return Err(ModelError::new(
                "models",
                format!("{count} combinations"),
                format!("ask for at most {MAX_MODELS} in a run"),
            ));
        }
        let single = count == 1;
        let drafts = bases
            .iter()
            .map(|model| DraftModel {
                model: model.clone(),
                parts: if several || single {
                    vec![model.name.clone()]
                } else {
                    Vec::new()
                },
            })
            .collect();
        let drafts = vary(drafts, "window", &self.window, single, |m, v| m.window = v);
        let drafts = vary(drafts, "rename", &self.rename, single, |m, v| m.rename = v);
        let drafts = vary(drafts, "syscalls", &self.system_calls, single, |m, v| {
            m.system_calls = v;
        });
        let drafts = vary(drafts, "latency", &self.latency, single, |m, v| {
            m.latency = v;
        });
        let drafts = vary(drafts, "units", &self.units, single, |m, v| m.units = v);
        let drafts = vary(
            drafts,
            "physical-registers",
            &self.physical_registers,
            single,
            |m, v| {
                m.physical_registers = v;
            },
        );
        let drafts = vary(drafts, "branches", &self.branches, single, |m, v| {
            m.branches = v;
        });
        let drafts = vary(drafts, "indirect", &self.indirect, single, |m, v| {
            m.indirect = v;
        });
        let drafts = vary(drafts, "returns", &self.returns, single, |m, v| {
            m.returns = v;
        });
        let drafts = vary(drafts, "memory", &self.memory, single, |m, v| m.memory = v);
        let drafts = vary(
            drafts,
            "stack-pointer",
            &self.stack_pointer,
            single,
            |m, v| {
                m.stack_pointer = v;
            },
        );
        let drafts = vary(drafts, "induction", &self.induction, single, |m, v| {
            m.induction = v;
        });
        let drafts = vary(drafts, "count", &self.count, single, |m, v| m.count = v);
        let models: Vec<MachineModel> = drafts
            .into_iter()
            .map(|draft| MachineModel {
                name: draft.parts.join(" "),
                ..draft.model
            })
            .collect();
        check(&models)?;
        Ok(models)
    }
}

/// Every draft with every alternative.
fn vary<T: TextForm + Clone>(
    drafts: Vec<DraftModel>,
    key: &str,
    alternatives: &[T],
    single: bool,
    set: impl Fn(&mut MachineModel, T),
) -> Vec<DraftModel> {
    if alternatives.is_empty() {
        return drafts;
    }
    let mut varied = Vec::with_capacity(drafts.len() * alternatives.len());
    for draft in drafts {
        for alternative in alternatives {
            let mut draft = draft.clone();
            set(&mut draft.model, alternative.clone());
            if single || alternatives.len() > 1 {
                draft.parts.push(format!("{key}={}", alternative.spell()));
            }
            varied.push(draft);
        }
    }
    varied
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::list;

    fn names(grid: &Grid, bases: &[MachineModel]) -> Vec<String> {
        let models = grid.models(bases).unwrap();
        models.into_iter().map(|model| model.name).collect()
    }

    #[test]
    fn names_tell_what_differs() {
        let mut grid = Grid::default();
        assert_eq!(names(&grid, &[MachineModel::perpi()]), ["perpi"]);
        grid.count = list("--count", "values").unwrap();
        assert_eq!(
            names(&grid, &[MachineModel::perpi()]),
            ["perpi count=values"]
        );
        grid.window = list("--window", "16,1k").unwrap();
        assert_eq!(
            names(&grid, &[MachineModel::perpi()]),
            ["window=16", "window=1k"]
        );
        grid.rename = list("--rename", "regs,all").unwrap();
        assert_eq!(
            names(&grid, &[MachineModel::perpi()]),
            [
                "window=16 rename=regs",
                "window=16 rename=all",
                "window=1k rename=regs",
                "window=1k rename=all"
            ]
        );
        grid.rename.clear();
        assert_eq!(
            names(&grid, &[MachineModel::perpi(), MachineModel::paragraph()]),
            [
                "perpi window=16",
                "perpi window=1k",
                "paragraph window=16",
                "paragraph window=1k"
            ]
        );
    }

    #[test]
    fn every_part_is_set() {
        let grid = Grid {
            window: vec![Some(7)],
            rename: vec![Rename {
                stack: false,
                ..Rename::ALL
            }],
            system_calls: vec![SystemCalls::Conservative],
            latency: vec![Latency::x86()],
            units: vec![Units::Generic(3)],
            physical_registers: vec![PhysicalRegisters::Generic(9)],
            branches: vec![Branches::Taken],
            indirect: vec![Indirect::Last { index_bits: 3 }],
            returns: vec![ReturnPrediction::Stack { entries: 3 }],
            memory: vec![Disambiguation::None],
            stack_pointer: vec![StackPointer::Engine],
            induction: vec![Induction::Break],
            count: vec![Count::Values],
        };
        let model = grid.models(&[MachineModel::perpi()]).unwrap().remove(0);
        let expected = MachineModel {
            name: "perpi window=7 rename=regs+memory syscalls=conservative latency=x86 units=3 physical-registers=9 branches=taken indirect=last:3 returns=stack:3 memory=none stack-pointer=engine induction=break count=values".to_owned(),
            rename: Rename {
                stack: false,
                ..Rename::ALL
            },
            window: Some(7),
            system_calls: SystemCalls::Conservative,
            latency: Latency::x86(),
            units: Units::Generic(3),
            physical_registers: PhysicalRegisters::Generic(9),
            branches: Branches::Taken,
            indirect: Indirect::Last { index_bits: 3 },
            returns: ReturnPrediction::Stack { entries: 3 },
            memory: Disambiguation::None,
            stack_pointer: StackPointer::Engine,
            induction: Induction::Break,
            count: Count::Values,
        };
        assert_eq!(model, expected);
    }

    #[test]
    fn too_many_and_impossible_ones_are_refused() {
        let grid = Grid {
            window: (1..=257).map(Some).collect(),
            ..Grid::default()
        };
        let message = grid
            .models(&[MachineModel::perpi()])
            .unwrap_err()
            .to_string();
        assert!(message.contains("257 combinations"), "{message}");
        let grid = Grid {
            window: vec![Some(0), None],
            ..Grid::default()
        };
        let message = grid
            .models(&[MachineModel::perpi()])
            .unwrap_err()
            .to_string();
        assert!(
            message.starts_with("model \"window=0\", window:"),
            "{message}"
        );
    }
}
