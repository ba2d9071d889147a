//! What differs between two profiles of a program: other inputs, or other versions. Kremlin's question of input
//! sensitivity: which loops of the plan are parallel, and worth it, on one input only.
//!
//! Regions of both are the same by their ids, unless their file was changed; of those left, by file, function, kind and
//! place among the regions of the same kind in the function, so that lines may have moved between versions. Figures are
//! compared where a region has a part of the work in either that counts.

use std::collections::{BTreeMap, HashMap};

use parascan_formats::module::RegionKind;
use parascan_formats::profile::Profile;

use crate::Error;
use crate::class::RegionClass;
use crate::library;
use crate::model::{Model, ProfileInput};
use crate::plan::{Plan, PlanOptions, plan_model};
use crate::regions::{RegionFigures, Regions};

/// Regions with less coverage in both are not compared.
pub const MIN_COVERAGE: f64 = 0.01;
/// Self-parallelism differs if one is so many times the other.
pub const FACTOR: f64 = 1.5;
/// Coverage differs by so much.
pub const POINTS: f64 = 0.05;

/// Two profiles side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The first one and its plan's ideal speedup.
    pub first: ComparedProfile,
    /// The other profile and its plan's ideal speedup: what is newer, or of another input.
    pub second: ComparedProfile,
    /// Regions that differ, plan entries first, then by coverage.
    pub differences: Vec<Difference>,
    /// Regions that were compared.
    pub compared: usize,
}

/// What one of the two compared profiles is of.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedProfile {
    /// The profile.
    pub input: ProfileInput,
    /// Work of the whole program, in units of the latency table.
    pub work: u64,
    /// Entries of its plan.
    pub planned: usize,
    /// Ideal speedup by its plan.
    pub speedup: f64,
}

/// A region that differs between the two profiles, with both sides of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// In the first profile; none where it did not run or is not there.
    pub first: Option<ComparedRegion>,
    /// In the other profile; none where it did not run or is not there.
    pub second: Option<ComparedRegion>,
    /// In which ways, the weightiest first.
    pub ways: Vec<RegionChange>,
}

/// A region in one of the profiles.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedRegion {
    /// Its figures there.
    pub figures: RegionFigures,
    /// Its place in that plan, from 1.
    pub rank: Option<u32>,
}

/// In which way a region differs between the two profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RegionChange {
    /// It is in one plan only.
    Planned,
    /// It has another class.
    Class,
    /// It ran in one of them only.
    Ran,
    /// Its self-parallelism is another one.
    SelfParallelism,
    /// Its part of the work is another one.
    Coverage,
}

impl RegionChange {
    /// Stable code used in JSON and CSV.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Class => "class",
            Self::Ran => "ran",
            Self::SelfParallelism => "self_parallelism",
            Self::Coverage => "coverage",
        }
    }
}

impl Comparison {
    /// Whether the plans have the same entries, and all regions their classes.
    #[must_use]
    pub fn agrees(&self) -> bool {
        let weighty = |d: &Difference| {
            matches!(
                d.ways.first(),
                Some(RegionChange::Planned | RegionChange::Class)
            )
        };
        !self.differences.iter().any(weighty)
    }
}

/// Compares two profiles, each with a plan of its own.
///
/// # Errors
/// Options that are out of range, and profiles of which no region outside of system headers is in both.
pub fn compare(
    first: &Profile,
    second: &Profile,
    options: &PlanOptions,
) -> Result<Comparison, Error> {
    let read = |profile: &Profile| -> Result<(ComparedProfile, Vec<ComparedRegion>), Error> {
        let profiles = std::slice::from_ref(profile);
        let model = Model::new(profiles)?;
        let plan = plan_model(&model, options)?;
        let regions = Regions::new(model, false, options)?;
        Ok(side(plan, regions))
    };
    let ((first, ours), (second, theirs)) = (read(first)?, read(second)?);
    let has_own = |all: &[ComparedRegion]| all.iter().any(is_own);
    let both_have = has_own(&ours) && has_own(&theirs);
    let pairs = matched(ours, theirs);
    let in_both = |(a, b): &Pair| b.is_some() && a.as_ref().is_some_and(is_own);
    if both_have && !pairs.iter().any(in_both) {
        let command = |side: &ComparedProfile| side.input.provenance.command.join(" ");
        return Err(Error::NothingInCommon {
            first: command(&first),
            second: command(&second),
        });
    }
    let counts = |seen: &Option<ComparedRegion>| {
        let seen = seen.as_ref();
        seen.is_some_and(|s| s.rank.is_some() || s.figures.coverage >= MIN_COVERAGE)
    };
    let pairs: Vec<_> = pairs
        .into_iter()
        .filter(|(a, b)| counts(a) || counts(b))
        .collect();
    let compared = pairs.len();
    let mut differences: Vec<Difference> = pairs
        .into_iter()
        .map(|(first, second)| Difference {
            ways: ways(first.as_ref(), second.as_ref()),
            first,
            second,
        })
        .filter(|d| !d.ways.is_empty())
        .collect();
    differences.sort_by(|a, b| {
        let coverage = |d: &Difference| -> f64 {
            let seen = d.first.iter().chain(&d.second);
            seen.map(|s| s.figures.coverage).fold(0.0, f64::max)
        };
        let weight = |d: &Difference| d.ways[0].min(RegionChange::Ran);
        weight(a)
            .cmp(&weight(b))
            .then(coverage(b).total_cmp(&coverage(a)))
    });
    Ok(Comparison {
        first,
        second,
        differences,
        compared,
    })
}

fn side(plan: Plan, regions: Regions) -> (ComparedProfile, Vec<ComparedRegion>) {
    let ranks: HashMap<&str, u32> = plan
        .entries
        .iter()
        .filter_map(|e| Some((&*e.id, e.rank?)))
        .collect();
    let rows = regions.rows.into_iter();
    let seen = rows.map(|figures| ComparedRegion {
        rank: ranks.get(&*figures.id).copied(),
        figures,
    });
    let seen = seen.collect();
    let input = plan
        .inputs
        .into_iter()
        .next()
        .expect("a plan of one profile has one");
    let side = ComparedProfile {
        input,
        work: plan.work,
        planned: plan.entries.len(),
        speedup: plan.speedup,
    };
    (side, seen)
}

type Pair = (Option<ComparedRegion>, Option<ComparedRegion>);

/// The regions of both, each with its counterpart.
fn matched(first: Vec<ComparedRegion>, second: Vec<ComparedRegion>) -> Vec<Pair> {
    let mut theirs: BTreeMap<String, ComparedRegion> = BTreeMap::new();
    for seen in second {
        theirs.insert(seen.figures.id.to_string(), seen);
    }
    let mut pairs: Vec<Pair> = Vec::new();
    let mut ours: Vec<ComparedRegion> = Vec::new();
    for seen in first {
        match theirs.get(&*seen.figures.id) {
            Some(other) if is_like(&seen, other) => {
                let other = theirs.remove(&*seen.figures.id);
                pairs.push((Some(seen), other));
            }
            _ => ours.push(seen),
        }
    }
    // What is left may have moved.
    let mut moved: BTreeMap<RegionPlace, ComparedRegion> = placed(theirs.into_values().collect());
    for (place, seen) in placed(ours) {
        let other = moved.remove(&place);
        pairs.push((Some(seen), other));
    }
    pairs.extend(moved.into_values().map(|seen| (None, Some(seen))));
    pairs
}

/// Whether a region is code of the program itself: what templates and inline functions of headers become is found in
/// many programs.
fn is_own(seen: &ComparedRegion) -> bool {
    !library::is_system(&seen.figures.file)
}

/// Whether two regions of one id are the same: not if their file was changed, so that another loop may stand there now.
fn is_like(one: &ComparedRegion, other: &ComparedRegion) -> bool {
    let (one, other) = (&one.figures, &other.figures);
    let unchanged = one.text.zip(other.text).is_none_or(|(a, b)| a == b);
    unchanged && (one.kind, &one.function) == (other.kind, &other.function)
}

/// File, function, kind, and how many of that kind in the function come before.
type RegionPlace = (String, String, u8, usize);

fn placed(mut regions: Vec<ComparedRegion>) -> BTreeMap<RegionPlace, ComparedRegion> {
    regions.sort_by_key(|s| (s.figures.line, s.figures.column));
    let mut counts: HashMap<(String, String, u8), usize> = HashMap::new();
    let mut all = BTreeMap::new();
    for seen in regions {
        let figures = &seen.figures;
        let kind = u8::from(figures.kind == RegionKind::Loop);
        let key = (figures.file.clone(), figures.function.clone(), kind);
        let count = counts.entry(key.clone()).or_default();
        all.insert((key.0, key.1, kind, *count), seen);
        *count += 1;
    }
    all
}

fn ways(first: Option<&ComparedRegion>, second: Option<&ComparedRegion>) -> Vec<RegionChange> {
    let planned = |s: Option<&ComparedRegion>| s.is_some_and(|s| s.rank.is_some());
    let mut ways = Vec::new();
    if planned(first) != planned(second) {
        ways.push(RegionChange::Planned);
    }
    let (Some(one), Some(other)) = (first, second) else {
        ways.push(RegionChange::Ran);
        return ways;
    };
    let (one, other) = (&one.figures, &other.figures);
    // Too little was seen of it to have a class.
    let unseen = |row: &RegionFigures| row.class == RegionClass::Unseen;
    if one.class != other.class && !unseen(one) && !unseen(other) {
        ways.push(RegionChange::Class);
    }
    if let (Some(a), Some(b)) = (one.self_parallelism, other.self_parallelism)
        && a.max(b) > FACTOR * a.min(b)
    {
        ways.push(RegionChange::SelfParallelism);
    }
    if (one.coverage - other.coverage).abs() >= POINTS {
        ways.push(RegionChange::Coverage);
    }
    ways
}
