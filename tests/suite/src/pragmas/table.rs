//! The trials as a table, for the terminal and for `docs/pragmas.md`.

use std::fmt::Write as _;

use super::trial::{PragmaTrial, ProgramReport};

/// Whether anything went wrong.
pub fn failed(reports: &[ProgramReport]) -> bool {
    reports
        .iter()
        .any(|r| r.error.is_some() || r.trials.iter().any(|t| !t.failures.is_empty()))
}

/// One row for each program, a sum, and the failures one by one; as Markdown.
pub fn markdown(reports: &[ProgramReport]) -> String {
    let mut text = String::from(
        "| program | loops planned | pragmas of the plan | of other loops | compiled | kept | races |\n|---|---|---|---|---|---|---|\n",
    );
    let mut sum = [0; 6];
    for report in reports {
        let row = counts(report);
        let _ = writeln!(
            text,
            "| {}/{} | {} |{}",
            report.group,
            report.name,
            row.map(|n| n.to_string()).join(" | "),
            report
                .error
                .as_ref()
                .map_or_else(String::new, |e| format!(" error: {e}"))
        );
        for (total, n) in sum.iter_mut().zip(row) {
            *total += n;
        }
    }
    let _ = writeln!(
        text,
        "| **all {}** | {} |",
        reports.len(),
        sum.map(|n| n.to_string()).join(" | ")
    );
    text += &failures(reports);
    text
}

/// Loops planned, their pragmas, other loops' pragmas; compiled, kept and raced of all these, each tried alone.
fn counts(report: &ProgramReport) -> [usize; 6] {
    let alone: Vec<&PragmaTrial> = report
        .trials
        .iter()
        .filter(|t| t.place != "all together")
        .collect();
    let count = |f: fn(&PragmaTrial) -> bool| alone.iter().filter(|t| f(t)).count();
    [
        report.planned,
        count(|t| t.planned),
        count(|t| !t.planned),
        count(|t| t.compiled),
        count(|t| t.kept),
        count(|t| t.raced == Some(true)),
    ]
}

/// The failures one by one, as a list of Markdown: what could not be tried at all, and every pragma with what went
/// wrong.
pub fn failures(reports: &[ProgramReport]) -> String {
    let mut text = String::new();
    for report in reports {
        if let Some(error) = &report.error {
            let _ = writeln!(text, "* {}/{}: {error}", report.group, report.name);
        }
        for trial in report.trials.iter().filter(|t| !t.failures.is_empty()) {
            let _ = writeln!(
                text,
                "* {}/{} {} `{}`{}: {}",
                report.group,
                report.name,
                trial.place,
                trial.pragma.replace('\n', " "),
                if trial.planned { "" } else { " (not planned)" },
                trial.failures.join("; ")
            );
        }
    }
    if text.is_empty() {
        return "\nNothing failed.\n".to_owned();
    }
    format!("\nFailures:\n\n{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_add_up_and_failures_are_named() {
        let trial = |kept: bool| PragmaTrial {
            place: "x.c:3:1".into(),
            pragma: "#pragma omp parallel for".into(),
            planned: true,
            compiled: true,
            kept,
            raced: Some(!kept),
            failures: if kept { vec![] } else { vec!["wrong".into()] },
        };
        let report = |kept| ProgramReport {
            group: "kernels",
            name: "x".into(),
            planned: 1,
            trials: vec![trial(kept)],
            error: None,
        };
        let text = markdown(&[report(true), report(false)]);
        assert!(
            text.contains("| **all 2** | 2 | 2 | 0 | 2 | 1 | 1 |"),
            "{text}"
        );
        assert!(text.contains("* kernels/x x.c:3:1 `#pragma omp parallel for`: wrong"));
        assert!(failed(&[report(false)]) && !failed(&[report(true)]));
    }
}
