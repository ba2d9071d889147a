//! What was found: phases unlike the others, losses, and visits of which only some were recorded.

use parascan_analysis::phases::conclusions::{Loss, LossCause};
use parascan_analysis::phases::outliers::{Activity, Outlier};
use parascan_analysis::phases::{Phases, naming};
use parascan_formats::omp::{OverheadClass, ThinnedNode};
use serde::Serialize;

use super::regions::place;
use crate::phases::{conclusions, words};

#[derive(Debug, Serialize)]
pub(super) struct OutlierJson {
    phase: u32,
    wall: u64,
    usual: u64,
    compared: usize,
    score: Option<f64>,
    text: String,
    causes: Vec<CauseJson>,
    extra: Vec<String>,
    missing: Vec<String>,
}

#[derive(Debug, Serialize)]
struct CauseJson {
    thread: u32,
    id: String,
    what: &'static str,
    here: u64,
    usual: u64,
}

/// `at_most` and `estimate` are times by which the run would be shorter.
#[derive(Debug, Serialize)]
pub(super) struct LossJson<'a> {
    kind: &'static str,
    id: String,
    file: Option<&'a str>,
    line: Option<u32>,
    lost: u64,
    share: f64,
    at_most: u64,
    estimate: Option<u64>,
    limit: Option<f64>,
    text: String,
}

#[derive(Debug, Serialize)]
pub(super) struct ThinnedJson {
    id: String,
    stride: u64,
    visits: u64,
}

pub(super) fn outliers(result: &Phases) -> Vec<OutlierJson> {
    let all = result.outliers.iter();
    all.map(|one| outlier(result, one)).collect()
}

fn outlier(result: &Phases, one: &Outlier) -> OutlierJson {
    OutlierJson {
        phase: one.phase,
        wall: one.wall,
        usual: one.usual,
        compared: one.compared,
        score: one.score,
        text: words::outlier(result, one),
        causes: one
            .causes
            .iter()
            .map(|cause| CauseJson {
                thread: cause.thread,
                id: naming::id(cause.node),
                what: code(cause.activity),
                here: cause.here,
                usual: cause.usual,
            })
            .collect(),
        extra: words::ids(&one.extra),
        missing: words::ids(&one.missing),
    }
}

pub(super) fn losses(result: &Phases) -> Vec<LossJson<'_>> {
    let all = result.losses.iter();
    all.map(|one| loss(result, one)).collect()
}

fn loss<'a>(result: &'a Phases, one: &Loss) -> LossJson<'a> {
    let region = place(result, one.node);
    LossJson {
        kind: conclusions::code(&one.cause),
        id: region.id,
        file: region.file,
        line: region.line,
        lost: one.lost,
        share: one.share,
        at_most: one.at_most,
        estimate: conclusions::estimate(&one.cause),
        limit: match &one.cause {
            LossCause::Serial(serial) => Some(serial.limit),
            _ => None,
        },
        text: conclusions::loss(result, one),
    }
}

pub(super) fn thinned(result: &Phases) -> Vec<ThinnedJson> {
    let one = |&ThinnedNode {
                   node,
                   stride,
                   visits,
               }: &ThinnedNode| ThinnedJson {
        id: naming::id(result.tree.joined[node as usize]),
        stride,
        visits,
    };
    result.thinned.iter().map(one).collect()
}

fn code(activity: Activity) -> &'static str {
    match activity {
        Activity::Work => "work",
        Activity::Lost(OverheadClass::Synchronization) => "synchronization",
        Activity::Lost(OverheadClass::LimitedParallelism) => "limited_parallelism",
        Activity::Lost(OverheadClass::ThreadManagement) => "thread_management",
        Activity::Lost(OverheadClass::Imbalance) => "imbalance",
    }
}
