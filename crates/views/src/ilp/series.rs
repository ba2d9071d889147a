//! Models that differ in one part only: the points of a curve, the bars of a group.

use parascan_ddg::model::{MachineModel, Rename};

/// Models (by number) that are alike but for one part, ordered by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Series {
    /// What they have in common and others do not; empty when there is one series.
    pub(super) name: String,
    /// Their positions in the report, ordered by the part in which they differ.
    pub(super) models: Vec<usize>,
}

/// Models that differ in the window only, smallest first, none last.
pub(super) fn windows(models: &[MachineModel]) -> Vec<Series> {
    series(
        models,
        |model| model.window = None,
        |model| model.window.unwrap_or(u64::MAX),
    )
}

/// Models that differ in renaming only, least first.
pub(super) fn renames(models: &[MachineModel]) -> Vec<Series> {
    series(
        models,
        |model| {
            model.rename = Rename {
                registers: false,
                stack: false,
                memory: false,
            };
        },
        |model| {
            let Rename {
                registers,
                stack,
                memory,
            } = model.rename;
            u64::from(registers) + 2 * u64::from(stack) + 4 * u64::from(memory)
        },
    )
}

/// What is renamed, as on the command line.
pub(super) fn rename_name(rename: Rename) -> String {
    let parts = [
        (rename.registers, "regs"),
        (rename.stack, "stack"),
        (rename.memory, "memory"),
    ];
    let named: Vec<&str> = parts.iter().filter(|p| p.0).map(|p| p.1).collect();
    match named.len() {
        0 => "none".to_owned(),
        3 => "all".to_owned(),
        _ => named.join("+"),
    }
}

/// Groups of at least two models that are equal once `forget` has been applied and their names are left aside, ordered
/// by `key`.
fn series(
    models: &[MachineModel],
    forget: impl Fn(&mut MachineModel),
    key: impl Fn(&MachineModel) -> u64,
) -> Vec<Series> {
    let rest = |model: &MachineModel| {
        let mut model = model.clone();
        model.name.clear();
        forget(&mut model);
        model
    };
    let mut groups: Vec<(MachineModel, Vec<usize>)> = Vec::new();
    for (number, model) in models.iter().enumerate() {
        let rest = rest(model);
        match groups.iter_mut().find(|(other, _)| *other == rest) {
            Some((_, members)) => members.push(number),
            None => groups.push((rest, vec![number])),
        }
    }
    groups.retain(|(_, members)| members.len() > 1);
    let alone = groups.len() == 1;
    groups
        .into_iter()
        .map(|(_, mut members)| {
            members.sort_by_key(|&m| key(&models[m]));
            members.dedup_by_key(|m| key(&models[*m]));
            let name = if alone {
                String::new()
            } else {
                in_common(members.iter().map(|&m| models[m].name.as_str()))
            };
            Series {
                name,
                models: members,
            }
        })
        .filter(|series| series.models.len() > 1)
        .collect()
}

/// The words that all these names have: of `window=16 rename=all` and `window=64 rename=all` the second. Without one,
/// the last name.
fn in_common<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let words = |name: &'a str| -> Vec<&'a str> { name.split([' ', ',']).collect() };
    let all: Vec<&str> = names.collect();
    let last = all.last().copied().unwrap_or_default();
    let mut common = words(last);
    for name in &all {
        let others = words(name);
        common.retain(|word| others.contains(word));
    }
    if common.is_empty() {
        format!("as {last}")
    } else {
        common.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(name: &str, window: Option<u64>, registers: bool) -> MachineModel {
        let mut model = MachineModel::perpi();
        model.name = name.into();
        model.window = window;
        model.rename.registers = registers;
        model
    }

    #[test]
    fn series_are_named_by_what_their_models_share() {
        let names = ["window=16 rename=all", "window=64 rename=all"];
        assert_eq!(in_common(names.into_iter()), "rename=all");
        assert_eq!(in_common(["a", "b"].into_iter()), "as b");
    }

    #[test]
    fn models_are_grouped_by_what_they_share() {
        let models = [
            model("whole", None, true),
            model("large", Some(100), true),
            model("small", Some(10), true),
            model("other", None, false),
        ];
        let windows = windows(&models);
        assert_eq!(windows.len(), 1);
        assert_eq!(windows[0].models, [2, 1, 0]);
        let renames = renames(&models);
        assert_eq!(renames[0].models, [3, 0]);
        assert_eq!(rename_name(models[3].rename), "stack+memory");
        assert_eq!(rename_name(models[0].rename), "all");
    }
}
