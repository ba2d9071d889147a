//! The parts of parascan's JSON that the suite reads.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::annotation::Target;
use crate::pragmas::paste::PastedPragma;

/// Output of `parascan regions --format json`.
#[derive(Clone, Debug, Deserialize)]
pub struct Regions {
    /// Work of the whole program in latency units.
    pub work: f64,
    /// Critical path of the whole program; none where it was not measured.
    pub critical_path: Option<f64>,
    /// The runs behind the figures.
    pub profiles: Vec<ProfileHead>,
    /// Those that ran, largest coverage first.
    pub regions: Vec<Region>,
    /// Everything else, kept for messages and special checks.
    #[serde(flatten)]
    pub rest: serde_json::Map<String, serde_json::Value>,
}

/// One profile's header.
#[derive(Clone, Debug, Deserialize)]
pub struct ProfileHead {
    /// Exit code, unless a signal ended the program.
    pub exit_code: Option<i32>,
    /// Signal that ended the program.
    pub signal: Option<i32>,
    /// Whether the profile covers only a part of the run.
    pub partial: bool,
    /// Of which stretches it is, if not of the whole run.
    pub bursts: Option<serde_json::Value>,
    /// Remarks on the figures, as printed.
    pub caveats: Vec<serde_json::Value>,
}

impl ProfileHead {
    /// Whether one of the remarks contains this text, in lower case.
    pub fn remarks(&self, text: &str) -> bool {
        self.caveats
            .iter()
            .any(|c| c.to_string().to_lowercase().contains(text))
    }
}

/// Output of `parascan plan --format json`.
#[derive(Clone, Debug, Deserialize)]
pub struct PlanOutput {
    /// Work of the whole program in latency units.
    pub work: f64,
    /// Critical path of the whole program; none where it was not measured.
    pub critical_path: Option<f64>,
    /// Regions to parallelize, in order.
    pub plan: Vec<Region>,
    /// Regions left out, with reasons.
    pub rejected: Vec<serde_json::Value>,
}

/// A dependence that is a reduction.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Reduction {
    /// As OpenMP spells it, or `argmin` or `argmax`, for which it has none.
    pub operator: String,
    /// Variable, or a description of memory.
    pub name: String,
    /// Whether elements of an array are reduced.
    pub array: bool,
}

/// Lines in front of a loop and behind its last line.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Patch {
    /// In front.
    pub before: Vec<String>,
    /// The loop's last line.
    pub last_line: u32,
    /// Behind.
    pub after: Vec<String>,
}

/// One region's row.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default)]
pub struct Region {
    /// Stable name or number, as printed.
    pub id: serde_json::Value,
    /// Number of the enclosing region, as printed.
    pub parent: serde_json::Value,
    /// `loop`, `function` or `iteration`.
    pub kind: String,
    /// Source file.
    pub file: String,
    /// First line.
    pub line: u32,
    /// Column on that line.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Demangled function name.
    pub function: String,
    /// `DOALL`, `DOALL_REDUCTION`, `DOACROSS`, `SERIAL`, `TASK` or `UNSEEN`.
    pub class: String,
    /// Over all instances; none where it was not measured.
    pub self_parallelism: Option<f64>,
    /// Over the same instances; none where it was not measured.
    pub total_parallelism: Option<f64>,
    /// Work over the program's work.
    pub coverage: Option<f64>,
    /// Work outside of listed child regions over the program's work.
    pub exclusive_coverage: Option<f64>,
    /// Ideal speedup of the program by this region alone.
    pub speedup: Option<f64>,
    /// Iterations over all instances.
    pub iterations: Option<f64>,
    /// How often it ran.
    pub instances: Option<f64>,
    /// Directive to write, if any.
    pub pragma: Option<String>,
    /// Lines around it, where no directive alone would do.
    pub patch: Option<Patch>,
    /// Directive that it would be once something is looked at.
    pub proposal: Option<String>,
    /// Dependences that are reductions.
    pub reductions: Vec<Reduction>,
    /// How sure parascan is of the directive: `complete` if it can be pasted.
    pub certainty: Option<String>,
    /// Of one behind which a run alone stands: what the source leaves open.
    pub unproved: Option<String>,
    /// What has to be looked at first.
    pub needs: Vec<String>,
    /// What else to know.
    pub hints: Vec<String>,
    /// How often it was seen to be parallel.
    pub confidence: Option<String>,
    /// Work over all instances.
    pub work: Option<f64>,
    /// Critical path, summed over all instances.
    pub critical_path: Option<f64>,
    /// Work outside of child regions.
    pub self_work: Option<f64>,
    /// Critical path minus that of the longest child, summed over all instances.
    pub gap: Option<f64>,
    /// Instances that a stretch saw from beginning to end.
    pub seen_whole: Option<f64>,
}

impl Default for Region {
    fn default() -> Self {
        Self {
            id: serde_json::Value::Null,
            parent: serde_json::Value::Null,
            kind: String::new(),
            file: String::new(),
            line: 0,
            column: 0,
            end_line: 0,
            function: String::new(),
            class: String::new(),
            self_parallelism: None,
            total_parallelism: None,
            coverage: None,
            exclusive_coverage: None,
            speedup: None,
            iterations: None,
            instances: None,
            pragma: None,
            patch: None,
            proposal: None,
            reductions: Vec::new(),
            certainty: None,
            unproved: None,
            needs: Vec::new(),
            hints: Vec::new(),
            confidence: None,
            work: None,
            critical_path: None,
            self_work: None,
            gap: None,
            seen_whole: None,
        }
    }
}

impl Region {
    /// What parascan prints as code, of a loop.
    pub fn code(&self) -> Option<PastedPragma> {
        if self.kind != "loop" {
            return None;
        }
        let patch = self.patch.as_ref();
        let before = patch.map(|p| p.before.join("\n"));
        Some(PastedPragma {
            file: self.file.clone(),
            line: self.line,
            column: self.column,
            pragma: self.pragma.clone().or(before)?,
            behind: patch.map(|p| (p.last_line, p.after.join("\n"))),
        })
    }

    /// A figure by its name in annotations.
    pub fn figure(&self, name: &str) -> Option<f64> {
        match name {
            "sp" => self.self_parallelism,
            "tp" => self.total_parallelism,
            "work" => self.work,
            "cp" => self.critical_path,
            "self_work" => self.self_work,
            "iters" => self.iterations,
            "instances" => self.instances,
            "coverage" => self.coverage,
            _ => None,
        }
    }

    /// Whether parascan says that the pragma can be pasted as it stands.
    pub fn complete(&self) -> bool {
        self.certainty.as_deref() == Some("complete")
    }

    /// Reductions in scalar variables, as `op:name`, sorted.
    pub fn reductions(&self) -> Vec<String> {
        let name =
            |r: &&Reduction| !r.array && r.name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let mut found: Vec<String> = self
            .reductions
            .iter()
            .filter(name)
            .map(|r| format!("{}:{}", r.operator, r.name))
            .collect();
        found.sort();
        found
    }
}

impl Regions {
    /// Regions of a kind that start on a line of a file (compared by its last component).
    pub fn at(&self, file: &Path, line: u32, target: Target) -> Vec<&Region> {
        let kind = match target {
            Target::Loop => "loop",
            Target::Function => "function",
        };
        let same_file = |r: &Region| Path::new(&r.file).file_name() == file.file_name();
        self.regions
            .iter()
            .filter(|r| r.kind == kind && r.line == line && same_file(r))
            .collect()
    }

    /// The function region of this name.
    ///
    /// # Panics
    /// There is none, or several.
    pub fn function(&self, name: &str) -> &Region {
        let all: Vec<_> = self
            .regions
            .iter()
            .filter(|r| r.kind == "function" && r.function == name)
            .collect();
        assert_eq!(all.len(), 1, "function {name} among {:?}", self.names());
        all[0]
    }

    /// Checks what holds for every program: critical path <= work, 1 <= self-parallelism <= total parallelism, DOALL
    /// loops of the same critical path as their longest iteration, and all work accounted for exactly once; of
    /// estimates to some per cent.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn consistent(&self) -> anyhow::Result<()> {
        use anyhow::ensure;
        ensure!(!self.regions.is_empty(), "no regions");
        for region in &self.regions {
            let place = format!("{} {} line {}", region.kind, region.function, region.line);
            if let (Some(work), Some(cp)) = (region.work, region.critical_path) {
                ensure!(cp <= work, "{place}: critical path {cp} above work {work}");
            }
            if let (Some(sp), Some(tp)) = (region.self_parallelism, region.total_parallelism) {
                ensure!(sp >= 1.0 - 1e-9, "{place}: self-parallelism {sp} below 1");
                ensure!(
                    sp <= tp * (1.0 + 1e-9),
                    "{place}: self-parallelism {sp} above total parallelism {tp}"
                );
            }
            if region.class.starts_with("DOALL") && region.instances == Some(1.0) {
                ensure!(
                    region.gap == Some(0.0),
                    "{place}: {} with gap {:?}",
                    region.class,
                    region.gap
                );
            }
        }
        let total: f64 = self
            .regions
            .iter()
            .filter_map(|r| r.exclusive_coverage)
            .sum();
        let slack = if self.profiles.iter().all(|p| p.bursts.is_none()) {
            1e-6
        } else {
            0.05
        };
        ensure!(
            self.work == 0.0 || (total - 1.0).abs() < slack,
            "exclusive coverage adds up to {total}"
        );
        Ok(())
    }

    /// Names of all functions, for messages.
    pub fn names(&self) -> Vec<&str> {
        self.regions
            .iter()
            .filter(|r| r.kind == "function")
            .map(|r| r.function.as_str())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_in_scalar_variables_are_listed() {
        let mut region = Region::default();
        assert!(region.reductions().is_empty());
        let reduction = |operator: &str, name: &str, array| Reduction {
            operator: operator.into(),
            name: name.into(),
            array,
        };
        region.reductions = vec![
            reduction("max", "hi", false),
            reduction("+", "b", false),
            reduction("+", "*p", false),
            reduction("+", "h[]", true),
            reduction("+", "a", false),
        ];
        assert_eq!(region.reductions(), ["+:a", "+:b", "max:hi"]);
    }
}
