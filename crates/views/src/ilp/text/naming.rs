//! Models in a table: a column for each setting in which they differ, and what they have in common in a sentence.

use parascan_ddg::model::MachineModel;

use crate::shared::style::safe;

/// How the models of a run are told apart.
pub(super) struct ModelNames {
    /// Titles of columns: settings, as on the command line, or `MachineModel`.
    pub(super) titles: Vec<String>,
    /// For each model what stands in these.
    pub(super) rows: Vec<Vec<String>>,
    /// The settings of all of them that are not those of PerPI's machine; `None` where each has its own.
    pub(super) common: Option<String>,
}

/// Columns for models. Those of lists on the command line are named by settings (`window=16 rename=all`) behind the
/// name of what they are based on, if there are several such; others have their names alone.
pub(super) fn names(models: &[MachineModel]) -> ModelNames {
    let settings: Vec<_> = models.iter().map(MachineModel::settings).collect();
    let perpi = MachineModel::perpi().settings();
    let is_common = |key: usize| settings.iter().all(|of| of[key] == settings[0][key]);
    let words: Vec<String> = (0..perpi.len())
        .filter(|&key| is_common(key) && settings[0][key] != perpi[key])
        .map(|key| format!("{}={}", settings[0][key].0, settings[0][key].1))
        .collect();
    let common = if words.is_empty() {
        None
    } else {
        Some(format!("All of them: {}.", safe(&words.join(" "))))
    };
    match by_setting(models) {
        Some((titles, rows)) => ModelNames {
            titles,
            rows,
            common,
        },
        None => ModelNames {
            titles: vec!["Model".to_owned()],
            rows: models.iter().map(|m| vec![safe(&m.name)]).collect(),
            common,
        },
    }
}

/// Titles and rows by the words of the names, if all names are made of the same settings.
fn by_setting(models: &[MachineModel]) -> Option<(Vec<String>, Vec<Vec<String>>)> {
    let split = |model: &MachineModel| -> Option<(String, Vec<(String, String)>)> {
        let words: Vec<&str> = model.name.split(' ').collect();
        let first = words.iter().position(|word| word.contains('='))?;
        let set = words[first..].iter().map(|word| {
            let (key, value) = word.split_once('=')?;
            Some((key.to_owned(), safe(value)))
        });
        Some((words[..first].join(" "), set.collect::<Option<_>>()?))
    };
    let all: Vec<_> = models.iter().map(split).collect::<Option<_>>()?;
    let keys = |set: &[(String, String)]| -> Vec<String> {
        set.iter().map(|(key, _)| key.clone()).collect()
    };
    let titles = keys(&all[0].1);
    let known = MachineModel::perpi().settings();
    let fits = all.iter().all(|(_, set)| keys(set) == titles)
        && titles.iter().all(|t| known.iter().any(|(key, _)| key == t));
    let based = all.iter().any(|(base, _)| !base.is_empty());
    fits.then(|| {
        let rows = all.iter().map(|(base, set)| {
            let base = based.then(|| safe(base));
            base.into_iter()
                .chain(set.iter().map(|(_, value)| value.clone()))
                .collect()
        });
        let base = based.then(|| "Based on".to_owned());
        (
            base.into_iter().chain(titles.iter().cloned()).collect(),
            rows.collect(),
        )
    })
}

#[cfg(test)]
mod tests {
    use parascan_ddg::model::{Grid, list};

    use super::*;

    #[test]
    fn lists_have_a_column_each_and_what_is_common_is_said_once() {
        let grid = Grid {
            window: list("--window", "16,1k").unwrap(),
            rename: list("--rename", "regs,all").unwrap(),
            latency: list("--latency", "x86").unwrap(),
            ..Grid::default()
        };
        let found = names(&grid.models(&[MachineModel::perpi()]).unwrap());
        assert_eq!(found.titles, ["window", "rename"]);
        assert_eq!(found.rows[1], ["16", "all"]);
        assert_eq!(found.rows[2], ["1k", "regs"]);
        assert_eq!(found.common.as_deref(), Some("All of them: latency=x86."));
        let found = names(
            &grid
                .models(&[MachineModel::perpi(), MachineModel::paragraph()])
                .unwrap(),
        );
        assert_eq!(found.titles, ["Based on", "window", "rename"]);
        assert_eq!(found.rows[4], ["paragraph", "16", "regs"]);
    }

    #[test]
    fn other_models_have_their_names() {
        let found = names(&[MachineModel::perpi(), MachineModel::paragraph()]);
        assert_eq!(
            (found.titles, found.common),
            (vec!["Model".to_owned()], None)
        );
        assert_eq!(found.rows[1], ["paragraph"]);
        let odd = MachineModel {
            name: "a=b c".to_owned(),
            ..MachineModel::perpi()
        };
        assert_eq!(names(&[odd]).rows[0], ["a=b c"]);
    }
}
