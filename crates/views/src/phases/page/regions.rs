//! Tables of the loops in the control flow, and of all regions.

use parascan_analysis::phases::candidates::CandidateLoop;
use parascan_analysis::phases::cut::Start;
use parascan_analysis::phases::{PhaseMethod, Phases, naming};
use parascan_formats::omp::OverheadClass;

use super::parts::{PageCell, PageRow, PageTable};
use crate::phases::words;
use crate::shared::style::{grouped, percent, safe};

/// Loops, that of the phases marked; none where there are none.
pub(super) fn loops(result: &Phases) -> Option<PageTable> {
    let chosen = match result.choice.as_ref().map(|c| c.how) {
        Some(PhaseMethod::Loop(index)) => Some(index),
        _ => None,
    };
    let all = result.candidates.iter().enumerate();
    let rows: Vec<PageRow> = all
        .map(|(index, one)| a_loop(result, one, chosen == Some(index)))
        .collect();
    let columns = [
        "Begins at",
        "Inside",
        "Iterations#",
        "Entries#",
        "Covered#",
        "Regular#",
        "Score#",
        "As phases",
    ];
    (!rows.is_empty()).then(|| PageTable::new("loop-table", "Loops", &columns, rows))
}

fn a_loop(result: &Phases, one: &CandidateLoop, chosen: bool) -> PageRow {
    let verdict = if chosen {
        "chosen"
    } else {
        words::verdict(one)
    };
    let reading = match (&one.rule.start, one.found.partial) {
        (Start::Period { .. }, _) => " (where its sequence of regions begins anew)",
        (_, true) => " (rarest returns only)",
        (_, false) => "",
    };
    let header = words::node(result, one.found.header);
    let cells = vec![
        format!("{header}{reading}").into(),
        words::node(result, one.layer).into(),
        grouped(one.found.trips()).into(),
        grouped(one.found.entries).into(),
        percent(one.covered).into(),
        format!("{:.2}", one.regularity).into(),
        format!("{:.3}", one.score).into(),
        verdict.to_owned().into(),
    ];
    PageRow { chosen, cells }
}

/// All regions, those of most time first.
pub(super) fn regions(result: &Phases) -> PageTable {
    let all = result.tree.nodes[0].inclusive.max(1) as f64;
    let row = |node| {
        let one = &result.tree.nodes[node];
        let own = words::figures(result, node);
        let mut cells: Vec<PageCell> = vec![
            naming::id(node).into(),
            words::title(result, node).into(),
            safe(naming::function(&one.place)).into(),
            one.parent.map_or(String::new(), naming::id).into(),
            words::executions(result, node).into(),
            words::time(one.inclusive).into(),
            percent(one.inclusive as f64 / all).into(),
        ];
        let lost = OverheadClass::ALL.map(|class| words::time(own.lost(class)));
        cells.extend(lost.map(PageCell::from));
        PageRow {
            chosen: false,
            cells,
        }
    };
    let rows = words::listed(result).into_iter().map(row).collect();
    let columns = [
        "Id",
        "Region",
        "Function",
        "Inside",
        "Executions",
        "Time#",
        "Share#",
        "Sync.#",
        "Limited#",
        "Mgmt.#",
        "Imbal.#",
    ];
    PageTable::new("region-table", "Regions", &columns, rows)
}
