//! Parts of the run, phases and what is around them: figures of all threads, of each, and of regions.

use parascan_analysis::phases::figures::{RunPart, TimeSummary};
use parascan_analysis::phases::{Phases, naming};
use serde::Serialize;

use super::regions::FiguresJson;
use crate::phases::figures::{counters, number};

#[derive(Debug, Serialize)]
pub(super) struct PartJson {
    phase: Option<u32>,
    begin: u64,
    end: u64,
    tail: bool,
    iterations: u64,
    intervals: Option<u64>,
    #[serde(flatten)]
    summary: TimeSummary,
    counted: u64,
    without: Option<TimeSummary>,
    threads: Vec<PartThread>,
    regions: Vec<CellJson>,
}

#[derive(Debug, Serialize)]
struct PartThread {
    thread: u32,
    work: u64,
    lost: [u64; 4],
    idle: u64,
    no_processor: u64,
    counters: Vec<Option<u64>>,
}

#[derive(Debug, Serialize)]
struct CellJson {
    id: String,
    thread: u32,
    #[serde(flatten)]
    figures: FiguresJson,
}

pub(super) fn part(result: &Phases, piece: &RunPart) -> PartJson {
    PartJson {
        phase: number(piece),
        begin: piece.time.start,
        end: piece.time.end,
        tail: piece.tail,
        iterations: piece.iterations,
        intervals: (piece.intervals > 0).then_some(piece.intervals),
        summary: piece.summary(result.threads),
        counted: piece.counts.time,
        without: piece.without,
        threads: (0..result.threads)
            .map(|thread| {
                let summary = piece.of_thread(thread);
                PartThread {
                    thread,
                    work: summary.work,
                    lost: summary.lost,
                    idle: summary.idle,
                    no_processor: piece.no_processor(thread),
                    counters: counters(result, piece, Some(thread)),
                }
            })
            .collect(),
        regions: piece
            .cells
            .iter()
            .map(|cell| CellJson {
                id: naming::id(cell.node),
                thread: cell.thread,
                figures: FiguresJson::of(result, &cell.figures),
            })
            .collect(),
    }
}
