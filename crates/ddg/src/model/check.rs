//! Which models are refused, since no machine could be like that.

use std::collections::HashSet;

use parascan_isa::InstructionClass;

use super::{Branches, Count, Indirect, MachineModel, PhysicalRegisters, ReturnPrediction, Units};
use crate::error::ModelError;
use crate::predict::history_length;

/// Instructions in the largest window.
pub const MAX_WINDOW: u64 = 1 << 30;

/// Physical registers of a kind, at most.
const MAX_REGISTERS: u32 = 1 << 30;

/// Bits of the index of the largest predictor table.
const MAX_INDEX: u8 = 24;

/// Branches in the longest history.
const MAX_HISTORY: u16 = 2000;

/// Whether an engine can run these models together.
///
/// # Errors
/// There is none, two have one name, or one cannot be: the first fault found.
pub fn check(models: &[MachineModel]) -> Result<(), ModelError> {
    if models.is_empty() {
        return Err(ModelError::new(
            "models",
            "there is none",
            "give at least one",
        ));
    }
    let mut names = HashSet::new();
    for model in models {
        model.check()?;
        if !names.insert(&model.name) {
            return Err(ModelError::new(
                "models",
                format!("two are named {:?}", model.name),
                "give each its own name",
            ));
        }
    }
    Ok(())
}

impl MachineModel {
    /// Whether there can be such a machine.
    ///
    /// # Errors
    /// No: the first reason found.
    pub fn check(&self) -> Result<(), ModelError> {
        match self.fault() {
            None => Ok(()),
            Some((part, problem, remedy)) => Err(ModelError::new(
                format!("model {:?}, {part}", self.name),
                problem,
                remedy,
            )),
        }
    }

    /// The first fault: part, problem and remedy.
    fn fault(&self) -> Option<(&'static str, String, String)> {
        if self.name.trim().is_empty() {
            return Some(("name", "there is none".into(), "give one".into()));
        }
        if self.window == Some(0) {
            return Some((
                "window",
                "a window of 0 instructions lets nothing run".into(),
                "give at least 1".into(),
            ));
        }
        if self.window > Some(MAX_WINDOW) {
            return Some((
                "window",
                format!("more than {MAX_WINDOW} instructions"),
                "give fewer, or `all`".into(),
            ));
        }
        let without = match &self.units {
            Units::Unlimited => None,
            Units::Generic(count) => (*count == 0).then(|| "functional units".to_owned()),
            Units::ByClass(counts) => InstructionClass::ALL
                .into_iter()
                .find(|&class| counts[class as usize] == Some(0))
                .map(|class| format!("units for {}", class.name())),
        };
        if let Some(units) = without {
            return Some((
                "units",
                format!("with 0 {units} the run never ends"),
                "give at least 1, or leave them unlimited".into(),
            ));
        }
        let registers = self.physical_registers.fault(self.rename.registers);
        if let Some((problem, remedy)) = registers {
            return Some(("physical-registers", problem, remedy.into()));
        }
        let takes_time = InstructionClass::ALL.into_iter().any(|class| {
            let counts = self.count != Count::Float || class.is_float_arithmetic();
            counts && self.latency.steps[class as usize] > 0
        });
        if !takes_time {
            return Some((
                "latency",
                "no operation takes any step".into(),
                "give at least one class that counts a latency of 1 or more".into(),
            ));
        }
        self.branches
            .fault()
            .map(|(problem, remedy)| ("branches", problem, remedy))
            .or_else(|| {
                let Indirect::Last { index_bits } = self.indirect else {
                    return None;
                };
                outside("index bits", index_bits.into(), 1, MAX_INDEX.into())
                    .map(|(problem, remedy)| ("indirect", problem, remedy))
            })
            .or_else(|| {
                (self.returns == ReturnPrediction::Stack { entries: 0 }).then(|| {
                    (
                        "returns",
                        "a return stack of 0 entries".into(),
                        "give at least 1, or `none`".into(),
                    )
                })
            })
    }
}

impl PhysicalRegisters {
    fn fault(self, renamed: bool) -> Option<(String, &'static str)> {
        let counts = match self {
            Self::Unlimited => [None, None],
            Self::Generic(count) => [Some(count), None],
            Self::ByKind { general, vector } => [general, vector],
        };
        let remedy = "give at least 1, or leave them unlimited";
        let mut counts = counts.into_iter().flatten().peekable();
        if !renamed && counts.peek().is_some() {
            let problem = "registers are not renamed, so that none of these is ever taken";
            return Some((
                problem.into(),
                "rename registers (rename = \"regs\"), or leave these unlimited",
            ));
        }
        counts.find_map(|count| match count {
            0 => Some(("with 0 of them nothing is renamed".into(), remedy)),
            1..=MAX_REGISTERS => None,
            _ => Some((
                format!("more than {MAX_REGISTERS}"),
                "give fewer, or leave them unlimited",
            )),
        })
    }
}

impl Branches {
    fn fault(self) -> Option<(String, String)> {
        let index = |bits: u8| outside("index bits", bits.into(), 1, MAX_INDEX.into());
        match self {
            Self::Perfect | Self::None | Self::Taken => None,
            Self::TwoBit { index_bits } => index(index_bits),
            Self::Gshare {
                index_bits,
                history,
            } => index(index_bits).or_else(|| {
                outside(
                    "branches of history (no more than index bits)",
                    history.into(),
                    0,
                    index_bits.into(),
                )
            }),
            Self::Tage {
                tables,
                index_bits,
                tag_bits,
                shortest,
                longest,
            } => outside("tagged tables", tables.into(), 1, 16)
                .or_else(|| index(index_bits))
                .or_else(|| outside("tag bits", tag_bits.into(), 4, 16))
                .or_else(|| outside("branches in the longest history", longest, 1, MAX_HISTORY))
                .or_else(|| outside("branches in the shortest history", shortest, 1, longest))
                .or_else(|| {
                    let lengths: Vec<usize> = (0..tables)
                        .map(|table| history_length(table, tables, shortest, longest))
                        .collect();
                    let grows = lengths.windows(2).all(|pair| pair[0] < pair[1]);
                    (!grows).then(|| {
                        (
                            format!("{tables} history lengths between {shortest} and {longest} are not all different"),
                            "give fewer tables or a longer longest history".into(),
                        )
                    })
                }),
        }
    }
}

/// A fault if a number is not from `least` to `most`.
fn outside(what: &str, number: u16, least: u16, most: u16) -> Option<(String, String)> {
    (number < least || number > most).then(|| {
        (
            format!("{number} {what}"),
            format!("give {least} to {most}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Latency, TextForm as _};

    fn message(change: impl FnOnce(&mut MachineModel)) -> String {
        let mut model = MachineModel::perpi();
        change(&mut model);
        model.check().unwrap_err().to_string()
    }

    #[test]
    fn presets_can_be() {
        for name in MachineModel::PRESETS {
            assert_eq!(MachineModel::preset(name).unwrap().check(), Ok(()));
        }
        for branches in ["2bit", "gshare", "tage", "tage:1,4,4,3,3"] {
            let mut model = MachineModel::perpi();
            model.branches = Branches::parse(branches).unwrap();
            assert_eq!(model.check(), Ok(()), "{branches}");
        }
    }

    #[test]
    fn impossible_models() {
        assert_eq!(
            message(|m| m.window = Some(0)),
            "model \"perpi\", window: a window of 0 instructions lets nothing run; give at least 1"
        );
        assert!(message(|m| m.window = Some(MAX_WINDOW + 1)).contains("give fewer"));
        assert!(message(|m| m.units = Units::Generic(0)).contains("0 functional units"));
        let by_class = Units::parse("load=1,float-add=0").unwrap();
        assert!(message(|m| m.units = by_class).contains("0 units for float-add"));
        for (text, problem) in [
            ("0", "with 0 of them nothing is renamed; give at least 1"),
            ("general=4,vector=0", "with 0 of them"),
            ("2000000000", "more than 1073741824; give fewer"),
        ] {
            let registers = PhysicalRegisters::parse(text).unwrap();
            let message = message(|m| m.physical_registers = registers);
            assert!(message.contains(problem), "{message}");
        }
        assert_eq!(
            message(|m| {
                m.rename.registers = false;
                m.physical_registers = PhysicalRegisters::Generic(8);
            }),
            "model \"perpi\", physical-registers: registers are not renamed, so that none of these is ever taken; \
             rename registers (rename = \"regs\"), or leave these unlimited"
        );
        assert!(
            message(|m| m.latency.steps = [0; InstructionClass::ALL.len()])
                .contains("takes any step")
        );
        assert!(
            message(|m| {
                m.count = Count::Float;
                m.latency = Latency::unit();
                for class in InstructionClass::ALL {
                    m.latency.steps[class as usize] = u16::from(!class.is_float_arithmetic());
                }
            })
            .contains("takes any step")
        );
        for (branches, part) in [
            ("2bit:0", "0 index bits"),
            ("2bit:25", "25 index bits"),
            ("gshare:4,5", "5 branches of history"),
            ("tage:0,4,8,2,9", "0 tagged tables"),
            ("tage:17,4,8,2,900", "17 tagged tables"),
            ("tage:2,4,3,2,9", "3 tag bits"),
            ("tage:2,4,8,0,9", "0 branches in the shortest"),
            ("tage:2,4,8,9,2", "9 branches in the shortest"),
            ("tage:2,4,8,2,2001", "2001 branches in the longest"),
            ("tage:5,4,8,2,4", "5 history lengths between 2 and 4"),
        ] {
            let branches = Branches::parse(branches).unwrap();
            let message = message(|m| m.branches = branches);
            assert!(message.contains(part), "{message}");
        }
        assert!(message(|m| m.indirect = Indirect::Last { index_bits: 30 }).contains("30 index"));
        assert!(
            message(|m| m.returns = ReturnPrediction::Stack { entries: 0 }).contains("0 entries")
        );
    }

    #[test]
    fn names_are_told_apart() {
        assert!(check(&[]).is_err());
        assert_eq!(
            check(&[MachineModel::perpi(), MachineModel::paragraph()]),
            Ok(())
        );
        assert!(check(&[MachineModel::perpi(), MachineModel::perpi()]).is_err());
    }
}
