//! Why a region is not in the plan.

use std::sync::Arc;

use super::REJECTED_MIN_COVERAGE;
use super::forest::{Forest, NONE};
use crate::class::{RegionClass, SerialReason};
use crate::memory::{MemoryBound, size};
use crate::model::Model;
use crate::regions::{RegionFigures, sort_by_coverage};

/// A region that was not chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct RejectedRegion {
    /// Its figures.
    pub region: RegionFigures,
    /// Why it is not in the plan.
    pub reason: RejectionReason,
}

/// Why a region was not chosen.
#[derive(Clone, Debug, PartialEq)]
pub enum RejectionReason {
    /// The user ruled it out.
    Excluded,
    /// There is nothing to gain.
    Serial(SerialReason),
    /// The personality does not choose regions of this kind.
    KindNotPlanned(&'static str),
    /// Self-parallelism below the threshold.
    LowSelfParallelism {
        /// The threshold.
        least: f64,
    },
    /// Speedup of the whole program below the threshold.
    LowSpeedup {
        /// The threshold in per cent.
        least: f64,
    },
    /// On so many cores the program would gain less than the threshold, even if threads cost nothing.
    LowSpeedupOnCores {
        /// What it would gain, in per cent.
        percent: f64,
        /// The threshold in per cent.
        least: f64,
        /// The cores.
        cores: u32,
    },
    /// Threads would cost more than they bring.
    TooLittleWork {
        /// Work of an instance, in units, in the mean.
        work: f64,
        /// What threads cost each instance, in units.
        costs: f64,
        /// Work of an instance from which they pay.
        pays_from: f64,
        /// The cores.
        cores: u32,
    },
    /// The compiler makes vector code of it already.
    Vectorized,
    /// With vectors the program would gain less than the threshold.
    LittleByVectors {
        /// What it would gain, in per cent.
        percent: f64,
        /// The threshold in per cent.
        least: f64,
    },
    /// A device would take longer, or hardly less: it has to be started and to be given what it works on.
    LittleOnDevice {
        /// Iterations of an instance, in the mean.
        iterations: f64,
        /// Iterations that keep the device busy.
        threads: u32,
        /// Times of an instance, in milliseconds: on a core, on the device, and to start it and copy.
        times: [f64; 3],
        /// Bytes that are copied for it.
        bytes: f64,
    },
    /// Threads would wait for memory, which one alone keeps busy.
    MemoryBound {
        /// What it moves, and what that leaves.
        bound: MemoryBound,
        /// The cores.
        cores: u32,
        /// Whether the machine's memory was measured.
        measured: bool,
    },
    /// It runs inside chosen regions, and the personality allows no nesting.
    Inside(Vec<Arc<str>>),
    /// It contains chosen regions that bring more together.
    Contains(Vec<Arc<str>>),
    /// In some places it runs inside chosen regions, in others it contains some.
    InsideAndContains(Vec<Arc<str>>),
    /// Larger regions around or inside it leave too little.
    AddsLittle {
        /// What it would add to the speedup, in per cent.
        adds: f64,
        /// The threshold in per cent.
        least: f64,
    },
}

impl RejectionReason {
    /// Stable code used in JSON and CSV.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Excluded => "excluded",
            Self::Serial(SerialReason::NotTracked) => "not_tracked",
            Self::Serial(SerialReason::Unseen) => "unseen",
            Self::Serial(SerialReason::FewIterations) => "few_iterations",
            Self::Serial(SerialReason::FewChildren) => "few_children",
            Self::Serial(SerialReason::Dependences) => "serial",
            Self::Serial(SerialReason::NotObserved) => "not_observed",
            Self::KindNotPlanned(_) => "kind_not_planned",
            Self::LowSelfParallelism { .. } => "low_self_parallelism",
            Self::LowSpeedup { .. } | Self::LowSpeedupOnCores { .. } => "low_speedup",
            Self::TooLittleWork { .. } => "too_little_work",
            Self::Vectorized => "vectorized",
            Self::LittleByVectors { .. } => "low_speedup",
            Self::LittleOnDevice { .. } => "too_little_work",
            Self::MemoryBound { .. } => "memory_bound",
            Self::Inside(_) => "inside_chosen",
            Self::Contains(_) => "contains_chosen",
            Self::InsideAndContains(_) => "conflicts_with_chosen",
            Self::AddsLittle { .. } => "adds_little",
        }
    }

    /// Ids of the chosen regions that stand against it.
    pub fn chosen(&self) -> &[Arc<str>] {
        match self {
            Self::Inside(ids) | Self::Contains(ids) | Self::InsideAndContains(ids) => ids,
            _ => &[],
        }
    }

    /// The reason in words, for a region with these figures.
    pub fn explain(&self, region: &RegionFigures) -> String {
        let sp = region.self_parallelism.unwrap_or(1.0);
        let percent = (region.speedup - 1.0) * 100.0;
        match self {
            Self::Excluded => "excluded".to_owned(),
            Self::Serial(SerialReason::NotTracked) => {
                "its self-parallelism was not measured: the depths it runs at were not tracked"
                    .to_owned()
            }
            Self::Serial(SerialReason::Unseen) => match &region.sample {
                Some(sample) => format!(
                    "unseen: {}, too little to tell",
                    sample.in_words(region.instances)
                ),
                None => "unseen: the recording saw too little of it to tell".to_owned(),
            },
            Self::Serial(SerialReason::FewIterations) => {
                "never ran two iterations in a row".to_owned()
            }
            Self::Serial(SerialReason::FewChildren) => {
                "has no two calls or loops that could run side by side".to_owned()
            }
            Self::Serial(SerialReason::Dependences) if region.blocking.is_some() => {
                region.blocking.clone().unwrap_or_default()
            }
            Self::Serial(SerialReason::NotObserved) => {
                "whether iterations read what earlier ones wrote was not observed: record again"
                    .to_owned()
            }
            Self::Serial(SerialReason::Dependences) => match (region.gap, region.critical_path) {
                (Some(gap), Some(cp))
                    if region.iterations.is_some() && cp > 0 && !region.recursive =>
                {
                    let share = 100.0 * gap as f64 / cp as f64;
                    format!(
                        "iterations wait for each other, for {share:.1}% of the critical path; self-parallelism {sp:.2}"
                    )
                }
                _ if region.iterations.is_some() => {
                    format!("iterations wait for each other; self-parallelism {sp:.2}")
                }
                _ => format!("its calls and loops wait for each other; self-parallelism {sp:.2}"),
            },
            Self::KindNotPlanned(why) => (*why).to_owned(),
            Self::LowSelfParallelism { least } => {
                let because = region.blocking.as_ref().map(|why| format!(": {why}"));
                format!(
                    "self-parallelism {sp:.2} is below {least}{}",
                    because.unwrap_or_default()
                )
            }
            Self::LowSpeedup { least } => {
                format!("alone it speeds the program up by {percent:.3}%, less than {least}%")
            }
            Self::LowSpeedupOnCores {
                percent,
                least,
                cores,
            } => format!(
                "on {cores} cores it speeds the program up by {percent:.3}% at most, less than {least}%"
            ),
            Self::TooLittleWork {
                work,
                costs,
                pays_from,
                cores,
            } => format!(
                "too little work: {} units in an instance; threads cost about {} on {cores} cores, and pay from about {} on",
                rounded(*work),
                rounded(*costs),
                rounded(*pays_from)
            ),
            Self::Vectorized => "clang makes vector code of it already; what a check at run time rules out, and what is left over, it does one by one"
                .to_owned(),
            Self::LittleByVectors { percent, least } => format!(
                "with vectors the program is expected to be {percent:.3}% faster, less than {least}%"
            ),
            Self::LittleOnDevice {
                iterations,
                threads,
                times: [here, there, start],
                bytes,
            } => format!(
                "a device would not pay: an instance has {} iterations where {} keep it busy, takes about {here:.3} ms on a core and {there:.3} there, and \
                 {start:.3} to start it and copy {}",
                rounded(*iterations),
                rounded(f64::from(*threads)),
                size(*bytes)
            ),
            Self::MemoryBound {
                bound,
                cores,
                measured,
            } => bound.words(*cores, *measured),
            Self::Inside(ids) => format!("runs inside {}, which brings more", list(ids)),
            Self::Contains(ids) if region.class == RegionClass::Doacross && region.pragma.is_none() => {
                let (need, bring) = match ids.len() {
                    1 => ("needs", "brings"),
                    _ => ("need", "bring"),
                };
                format!(
                    "contains {}, which {need} no rewriting and {bring} more, or not much less",
                    list(ids)
                )
            }
            Self::Contains(ids) if ids.len() == 1 => {
                format!("contains {}, which brings more", list(ids))
            }
            Self::Contains(ids) => format!("contains {}, which bring more together", list(ids)),
            Self::InsideAndContains(ids) => {
                format!(
                    "runs inside and around {}, which bring more together",
                    list(ids)
                )
            }
            Self::AddsLittle { adds, least } => {
                format!("beside the regions chosen it would add {adds:.3}%, less than {least}%")
            }
        }
    }
}

/// An amount of work to two digits: `56`, `60 thousand`, `17 million`.
fn rounded(units: f64) -> String {
    let (value, name) = match units {
        u if u >= 1e9 => (u / 1e9, " billion"),
        u if u >= 1e6 => (u / 1e6, " million"),
        u if u >= 1e3 => (u / 1e3, " thousand"),
        u => (u, ""),
    };
    let digits = usize::from(value < 10.0 && !name.is_empty());
    format!("{value:.digits$}{name}")
}

/// Ids in a sentence, at most three of them.
fn list(ids: &[Arc<str>]) -> String {
    match ids {
        [] => "chosen regions".to_owned(),
        [one] => one.to_string(),
        [one, two] => format!("{one} and {two}"),
        [one, two, three] => format!("{one}, {two} and {three}"),
        [one, two, rest @ ..] => format!("{one}, {two} and {} others", rest.len()),
    }
}

/// Sets the verdicts of candidates that lost against chosen ones.
pub(super) fn conflicts(
    model: &Model,
    forest: &Forest,
    candidates: &[u32],
    chosen: &[u32],
    verdicts: &mut [Option<RejectionReason>],
) {
    let mut is_chosen = vec![false; candidates.len()];
    chosen.iter().for_each(|&c| is_chosen[c as usize] = true);
    // By candidate: chosen ones around it and inside it.
    let mut around = vec![Vec::new(); candidates.len()];
    let mut inside = vec![Vec::new(); candidates.len()];
    for chain in &forest.chains {
        let mut outer = chain.parent;
        while outer != NONE {
            let other = &forest.chains[outer as usize];
            if is_chosen[other.candidate as usize] {
                around[chain.candidate as usize].push(other.candidate);
            }
            if is_chosen[chain.candidate as usize] {
                inside[other.candidate as usize].push(chain.candidate);
            }
            outer = other.parent;
        }
    }
    let ids = |mut numbers: Vec<u32>| -> Vec<Arc<str>> {
        numbers.sort_unstable();
        numbers.dedup();
        forest
            .largest_first(&numbers)
            .into_iter()
            .map(|c| model.regions[candidates[c as usize] as usize].id.clone())
            .collect()
    };
    for (index, &number) in candidates.iter().enumerate() {
        if is_chosen[index] {
            continue;
        }
        let (around, inside) = (
            std::mem::take(&mut around[index]),
            std::mem::take(&mut inside[index]),
        );
        verdicts[number as usize] = Some(match (around.is_empty(), inside.is_empty()) {
            (false, true) => RejectionReason::Inside(ids(around)),
            (true, _) => RejectionReason::Contains(ids(inside)),
            (false, false) => RejectionReason::InsideAndContains(ids([around, inside].concat())),
        });
    }
}

/// Rows with a verdict that matter: excluded ones, and those of some coverage.
pub(super) fn rejected(
    rows: Vec<Option<RegionFigures>>,
    verdicts: Vec<Option<RejectionReason>>,
) -> Vec<RejectedRegion> {
    let (mut kept, mut reasons) = (Vec::new(), std::collections::HashMap::new());
    for (row, verdict) in rows.into_iter().zip(verdicts) {
        if let (Some(row), Some(reason)) = (row, verdict)
            && (row.coverage >= REJECTED_MIN_COVERAGE || reason == RejectionReason::Excluded)
        {
            reasons.insert(row.id.clone(), reason);
            kept.push(row);
        }
    }
    sort_by_coverage(&mut kept);
    kept.into_iter()
        .filter_map(|region| {
            let reason = reasons.remove(&region.id)?;
            Some(RejectedRegion { region, reason })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn codes_are_documented() {
        let document = include_str!("../../../../docs/json.md");
        let code = include_str!("reasons.rs");
        let (_, code) = code.split_once("pub fn code(&self)").unwrap();
        let (code, _) = code.split_once("\n    }\n").unwrap();
        let codes: Vec<&str> = code.split('"').skip(1).step_by(2).collect();
        assert!(codes.len() > 15, "{codes:?}");
        for code in codes {
            let row = format!("\n| `{code}` |");
            assert!(document.contains(&row), "{code}");
        }
    }

    #[test]
    fn amounts_are_rounded() {
        let rounded = [0.4, 56.0, 1400.0, 59_600.0, 16_566_857.0, 2.04e9].map(rounded);
        assert_eq!(
            rounded,
            [
                "0",
                "56",
                "1.4 thousand",
                "60 thousand",
                "17 million",
                "2.0 billion"
            ]
        );
    }
}
