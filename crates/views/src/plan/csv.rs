//! The plan as CSV.

use parascan_analysis::plan::{Plan, RejectionReason};

use crate::regions::csv::{COLUMNS, cells};
use crate::shared::csv::{document, text};
use crate::shared::style::safe;

/// Chosen regions in order, then those left out, with the reason.
pub fn plan_csv(plan: &Plan) -> String {
    let header = COLUMNS
        .into_iter()
        .chain(["speedup_on_cores", "reason", "explanation"])
        .chain(["expected", "expected_low", "expected_high"]);
    let chosen = plan.entries.iter().enumerate().map(|(index, entry)| {
        let mut row = cells(entry);
        row.extend([text(plan.on_cores.get(index)), String::new(), String::new()]);
        let expected = plan.outlook.as_ref().and_then(|o| o.alone.get(index));
        row.extend([
            text(expected.map(|e| &e.speedup)),
            text(expected.map(|e| &e.least)),
            text(expected.map(|e| &e.most)),
        ]);
        row
    });
    let rejected = plan.rejected.iter().map(|one| {
        let mut row = cells(&one.region);
        let code = RejectionReason::code(&one.reason).to_owned();
        row.extend([String::new(), code, safe(&one.reason.explain(&one.region))]);
        row.extend([String::new(), String::new(), String::new()]);
        row
    });
    document(header, chosen.chain(rejected))
}
