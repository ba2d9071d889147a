//! Planning personalities: thresholds and rules of a target, as data.

use parascan_formats::module::RegionKind;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::advice::Dialect;
use crate::class::{ClassRule, Classing, DOACROSS_MIN_SP, RegionClass, TASK_MIN_SP};
use crate::costs::Costs;
use crate::devices::Device;

/// What a target makes of parallelism. See `personalities/openmp.toml` for the format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Personality {
    /// What users call it (`--personality NAME`).
    pub name: String,
    /// One line for users: which target it stands for, and what it plans.
    #[serde(default)]
    pub description: String,
    /// Kinds of region that may be chosen.
    pub kinds: Vec<CandidateKind>,
    /// Least self-parallelism.
    pub min_self_parallelism: f64,
    /// Self-parallelism from which a loop that is not DOALL counts as DOACROSS, not as serial.
    #[serde(default = "doacross_min_sp")]
    pub doacross_from: f64,
    /// Self-parallelism from which a function counts as a task.
    #[serde(default = "task_min_sp")]
    pub task_from: f64,
    /// Least speedup of the whole program by a DOALL loop alone, in per cent.
    pub min_speedup_doall: f64,
    /// The same for a DOACROSS loop.
    pub min_speedup_doacross: f64,
    /// The same for a function.
    pub min_speedup_task: f64,
    /// Where a region without directive or proposal, or regions inside it could be chosen, for a machine: what counts
    /// of its saving, at most 1.
    #[serde(default = "in_full")]
    pub rewriting_counts_for: f64,
    /// Whether regions inside chosen ones may be chosen.
    pub nesting: Nesting,
    /// How regions are chosen.
    pub algorithm: Algorithm,
    /// How DOALL loops are recognised.
    #[serde(default)]
    pub class_rule: ClassRule,
    /// What threads cost.
    #[serde(default)]
    pub costs: Costs,
    /// Language of the advice.
    #[serde(default)]
    pub dialect: Dialect,
    /// Bytes of a vector, where vectors are meant instead of threads.
    #[serde(default)]
    pub vector_bytes: Option<u32>,
    /// The device, where one is meant instead of threads.
    #[serde(default)]
    pub device: Option<Device>,
}

fn doacross_min_sp() -> f64 {
    DOACROSS_MIN_SP
}

fn in_full() -> f64 {
    1.0
}

fn task_min_sp() -> f64 {
    TASK_MIN_SP
}

/// Kind of region a personality may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CandidateKind {
    /// Loops.
    Loop,
    /// Of the loops those alone whose iterations wait for each other.
    Doacross,
    /// Of the loops those alone whose iterations are independent.
    Doall,
    /// Of these those alone in which no other loop and no function of the program runs.
    Innermost,
    /// Functions.
    Function,
}

/// Whether regions inside of a chosen one may be chosen, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nesting {
    /// At most one chosen region on any chain of open regions.
    None,
    /// Any number.
    Allowed,
}

/// How the best set of regions is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// The choice that saves most.
    Dynamic,
    /// Again and again the region that saves most alone.
    Greedy,
    /// Every region that still adds enough once larger ones are parallel.
    All,
}

/// Names of the built-in personalities, the default first.
pub const BUILT_IN: [&str; 7] = [
    "openmp", "cilk", "greedy", "tasks", "pipeline", "simd", "gpu",
];

impl Default for Personality {
    fn default() -> Self {
        Self::built_in("openmp").expect("a built-in personality")
    }
}

impl Personality {
    /// A built-in personality by name.
    pub fn built_in(name: &str) -> Option<Self> {
        let text = match name {
            "openmp" => include_str!("../personalities/openmp.toml"),
            "cilk" => include_str!("../personalities/cilk.toml"),
            "greedy" => include_str!("../personalities/greedy.toml"),
            "tasks" => include_str!("../personalities/tasks.toml"),
            "pipeline" => include_str!("../personalities/pipeline.toml"),
            "simd" => include_str!("../personalities/simd.toml"),
            "gpu" => include_str!("../personalities/gpu.toml"),
            _ => return None,
        };
        Some(Self::parse(text).expect("built-in personalities are valid"))
    }

    /// Reads a personality from TOML text.
    ///
    /// # Errors
    /// What is wrong, with line and field.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let personality: Self = toml::from_str(text)
            .map_err(|e| Error::Personality(e.to_string().trim_end().into()))?;
        personality.check()?;
        Ok(personality)
    }

    /// Why it chooses no regions of this kind and class, if so; `innermost`: no other loop and no function of the
    /// program runs in it.
    pub fn against(
        &self,
        kind: RegionKind,
        class: RegionClass,
        innermost: bool,
    ) -> Option<&'static str> {
        let has = |kind| self.kinds.contains(&kind);
        if kind != RegionKind::Loop {
            let loops_only = "the personality plans no functions, only loops";
            return (!has(CandidateKind::Function)).then_some(loops_only);
        }
        let independent = matches!(class, RegionClass::Doall | RegionClass::DoallReduction);
        if has(CandidateKind::Loop)
            || has(CandidateKind::Doacross) && class == RegionClass::Doacross
            || independent
                && (has(CandidateKind::Doall) || has(CandidateKind::Innermost) && innermost)
        {
            return None;
        }
        Some(match (has(CandidateKind::Doacross), independent) {
            (true, _) => {
                "the personality plans loops whose iterations wait for each other, and no others"
            }
            (_, false) => {
                "the personality plans loops whose iterations are independent, and no others"
            }
            (_, true) => {
                "the personality plans loops in which no other loop and no function of the program runs, and no others"
            }
        })
    }

    /// Whether regions inside chosen ones are chosen.
    pub fn nests(&self) -> bool {
        self.algorithm == Algorithm::All
    }

    /// How regions are told to be parallel.
    pub fn classing(&self) -> Classing {
        Classing {
            rule: self.class_rule,
            doacross_from: self.doacross_from,
            task_from: self.task_from,
        }
    }

    /// Least speedup of the whole program, in per cent, for a region of this class to be chosen.
    pub fn min_speedup(&self, class: RegionClass) -> f64 {
        match class {
            RegionClass::Doall
            | RegionClass::DoallReduction
            | RegionClass::Serial
            | RegionClass::Unseen => self.min_speedup_doall,
            RegionClass::Doacross => self.min_speedup_doacross,
            RegionClass::Task => self.min_speedup_task,
        }
    }

    /// Checks ranges and combinations.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn check(&self) -> Result<(), Error> {
        for (name, value) in [
            ("min_self_parallelism", self.min_self_parallelism),
            ("doacross_from", self.doacross_from),
            ("task_from", self.task_from),
        ] {
            if !(value >= 1.0 && value.is_finite()) {
                return Err(Error::threshold(
                    name,
                    value,
                    "a self-parallelism is 1 or more",
                ));
            }
        }
        self.costs.check()?;
        self.device.as_ref().map_or(Ok(()), Device::check)?;
        let has = (self.vector_bytes.is_some(), self.device.is_some());
        if has != (self.dialect == Dialect::Simd, self.dialect == Dialect::Gpu) {
            return Err(Error::Personality(
                "`dialect = \"simd\"` needs `vector_bytes`, and \"gpu\" needs a table `device`; others have neither".into(),
            ));
        }
        if let Some(bytes) = self
            .vector_bytes
            .filter(|bytes| !(8..=4096).contains(bytes))
        {
            return Err(Error::threshold(
                "vector_bytes",
                bytes.into(),
                "a vector has 8 to 4096 bytes",
            ));
        }
        for (name, value) in [
            ("min_speedup_doall", self.min_speedup_doall),
            ("min_speedup_doacross", self.min_speedup_doacross),
            ("min_speedup_task", self.min_speedup_task),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::threshold(
                    name,
                    value,
                    "a speedup in per cent is 0 or more",
                ));
            }
        }
        let value = self.rewriting_counts_for;
        if !(value > 0.0 && value <= 1.0) {
            return Err(Error::threshold(
                "rewriting_counts_for",
                value,
                "a share is more than 0 and at most 1",
            ));
        }
        let fits = match self.algorithm {
            Algorithm::Dynamic | Algorithm::Greedy => self.nesting == Nesting::None,
            Algorithm::All => self.nesting == Nesting::Allowed,
        };
        if !fits {
            return Err(Error::Personality(
                "`algorithm = \"all\"` needs `nesting = \"allowed\"`; \"dynamic\" and \"greedy\" need `nesting = \"none\"`"
                    .into(),
            ));
        }
        if self.kinds.is_empty() {
            return Err(Error::Personality(
                "`kinds` is empty: name \"loop\", \"doacross\", \"doall\", \"innermost\" or \"function\"".into(),
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_s_thresholds_are_the_default() {
        let openmp = Personality::default();
        assert_eq!(openmp.min_self_parallelism, 5.0);
        assert_eq!(openmp.min_speedup(RegionClass::Doall), 0.1);
        assert_eq!(openmp.min_speedup(RegionClass::Doacross), 3.0);
        assert_eq!(
            (openmp.nesting, openmp.algorithm),
            (Nesting::None, Algorithm::Dynamic)
        );
    }

    #[test]
    fn built_in_names_agree_with_their_texts() {
        for name in BUILT_IN {
            assert_eq!(
                Personality::built_in(name).map(|p| p.name).as_deref(),
                Some(name)
            );
        }
        assert_eq!(Personality::built_in("tbb"), None);
    }

    #[test]
    fn mistakes_are_named() {
        let text = include_str!("../personalities/openmp.toml");
        for (from, to, expected) in [
            ("min_self_parallelism = 5.0", "min_sp = 5.0", "min_sp"),
            ("5.0", "0.5", "min_self_parallelism = 0.5"),
            ("= 0.1", "= nan", "min_speedup_doall = NaN"),
            ("\"none\"", "\"some\"", "some"),
            ("nesting = \"none\"", "nesting = \"allowed\"", "needs"),
            ("[\"loop\"]", "[]", "kinds"),
            ("ordered_ns = 300.0", "ordered_ns = -1.0", "ordered_ns = -1"),
            ("task_ns", "tasks_ns", "tasks_ns"),
            ("= 1.1", "= 0.9", "task_from = 0.9"),
            ("min_speedup_task = 3.0", "", "min_speedup_task"),
            ("for = 0.5", "for = 7.5", "rewriting_counts_for = 7.5"),
        ] {
            let edited = text.replacen(from, to, 1);
            // The comment lines hold the words too: edit the setting, not the comment.
            let edited = if edited
                .lines()
                .any(|l| !l.starts_with('#') && l.contains(to))
            {
                edited
            } else {
                text.lines()
                    .map(|l| {
                        if l.starts_with('#') {
                            l.to_owned()
                        } else {
                            l.replace(from, to)
                        }
                    })
                    .collect::<Vec<_>>()
                    .join("\n")
            };
            let message = Personality::parse(&edited).expect_err(to).to_string();
            assert!(message.contains(expected), "{to}: {message}");
        }
    }
}
