//! The decision for one region instance.

use serde::Serialize;

use crate::tree::Distinct;
use crate::types::TypeOptions;
use crate::types::children::ChildSums;

/// A type of parallelism, as p-ray's scan names it (section 6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Label {
    /// The same operations on much data.
    #[serde(rename = "DLP")]
    Dlp,
    /// Children that can run all at the same time.
    #[serde(rename = "perfect-TLP")]
    PerfectTlp,
    /// Children that can overlap but wait for each other in part.
    #[serde(rename = "partial-TLP")]
    PartialTlp,
    /// Children that must run one after the other.
    #[serde(rename = "no-TLP")]
    NoTlp,
    /// Only what a processor finds between neighbouring instructions.
    #[serde(rename = "ILP")]
    Ilp,
    /// Instances differ, and some have thread-level parallelism.
    #[serde(rename = "mixed-TLP")]
    MixedTlp,
}

impl Label {
    /// The name that the paper's tables use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dlp => "DLP",
            Self::PerfectTlp => "perfect-TLP",
            Self::PartialTlp => "partial-TLP",
            Self::NoTlp => "no-TLP",
            Self::Ilp => "ILP",
            Self::MixedTlp => "mixed-TLP",
        }
    }

    /// Whether children overlap.
    pub fn is_tlp(self) -> bool {
        matches!(self, Self::PerfectTlp | Self::PartialTlp | Self::MixedTlp)
    }
}

/// Which step of the scan decided on a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidingRule {
    /// No loop or function runs inside: total parallelism against `p_dlp`.
    NoChildren,
    /// One runs inside, so that there is nothing to overlap: total parallelism against `p_dlp`, if the child's is the
    /// same.
    OneChild,
    /// Children of one region, of the same work and parallelism, whose parallelisms add up to the parent's.
    Homogeneous,
    /// The fitness of the critical path.
    Fitness,
}

/// Label of an instance, and what decided; none where a critical path is not known.
pub(crate) fn decide(
    one: &Distinct,
    children: &ChildSums,
    options: &TypeOptions,
) -> Option<(Label, DecidingRule)> {
    let cp = one.cp.filter(|&cp| cp > 0)?;
    if children.unknown {
        return None;
    }
    let parallelism = one.work as f64 / cp as f64;
    // A summary stands for several instances, each with its share of the children.
    let count = children.count as f64 / one.stands_for as f64;
    let high = if parallelism > options.p_dlp {
        Label::Dlp
    } else {
        Label::Ilp
    };
    if children.count == 0 {
        return Some((high, DecidingRule::NoChildren));
    }
    if children.cp > 0 && alike(children, options.tolerance) {
        let of_child = children.work as f64 / children.cp as f64;
        let adds_up = equal(parallelism, count * of_child, options.tolerance);
        if count <= 1.0 && adds_up {
            return Some((high, DecidingRule::OneChild));
        }
        if adds_up {
            return Some((Label::Dlp, DecidingRule::Homogeneous));
        }
    }
    let Some(fitness) = fitness(children.cp as f64, children.perfect as f64, cp as f64) else {
        return Some((Label::Ilp, DecidingRule::OneChild));
    };
    let label = if fitness > options.f_min {
        if fitness >= 1.0 - options.tolerance {
            Label::PerfectTlp
        } else {
            Label::PartialTlp
        }
    } else if fitness <= options.tolerance {
        Label::NoTlp
    } else {
        Label::Ilp
    };
    Some((label, DecidingRule::Fitness))
}

/// Criteria 1 and 2 of section 6.2.1: one region, equal work, equal parallelism.
fn alike(children: &ChildSums, tolerance: f64) -> bool {
    let (least, most) = children.work_range;
    let (narrow, wide) = children.parallelism_range;
    children.region.is_some()
        && equal(least as f64, most as f64, tolerance)
        && equal(narrow, wide, tolerance)
}

/// Whether the smaller one is less by at most this part of the larger one.
fn equal(a: f64, b: f64, tolerance: f64) -> bool {
    a.min(b) >= a.max(b) * (1.0 - tolerance)
}

/// Equation 4: where the critical path lies between the children one after the other (0) and all at once (1). Less than
/// 0 where the region's own work comes on top; none where both ends are the same.
pub(crate) fn fitness(no_tlp: f64, perfect: f64, actual: f64) -> Option<f64> {
    (no_tlp > perfect).then(|| (no_tlp - actual) / (no_tlp - perfect))
}
