//! The measured rows as a table for the terminal, as Markdown and as JSON.

use std::fmt::Write as _;

use serde::Serialize;

use crate::hcpa::{Figures, Row};
use crate::machine::Machine;

/// A whole measurement.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Where and when.
    pub machine: Machine,
    /// Repetitions, of which the best counted.
    pub repetitions: u32,
    /// Flags given to `parascan-cc` besides `-O2 -g`.
    pub flags: Vec<String>,
    /// One row for each program.
    pub rows: Vec<Row>,
    /// Figures over all programs that could be measured; `None` without any.
    pub summary: Option<Summary>,
}

/// Figures over all measured programs; means are geometric.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Programs measured.
    pub programs: usize,
    /// Mean slowdown in wall time.
    pub time_ratio: f64,
    /// Worst slowdown in wall time.
    pub worst_time_ratio: f64,
    /// Mean slowdown in processor time.
    pub cpu_ratio: f64,
    /// Mean processor time of recording over that of recording without observing carried dependences, where measured.
    pub observation_ratio: Option<f64>,
    /// Mean slowdown of the whole depth in wall time, over the programs where it was measured.
    pub whole_depth_ratio: Option<f64>,
    /// Mean of memory over native memory.
    pub memory_ratio: f64,
    /// Mean of memory over what is allowed (8 times native plus 64 MB).
    pub memory_of_allowed: f64,
    /// Most that recording with [`LEVELS`](crate::hcpa::LEVELS) left on disk for one program.
    pub largest_profile_bytes: u64,
    /// Longest planning in seconds.
    pub longest_plan_seconds: f64,
}

impl Report {
    /// Puts rows together.
    pub fn new(machine: Machine, repetitions: u32, flags: Vec<String>, rows: Vec<Row>) -> Self {
        let figures: Vec<&Figures> = rows
            .iter()
            .filter_map(|row| row.result.as_ref().ok())
            .collect();
        let summary = (!figures.is_empty()).then(|| summarise(&figures));
        Self {
            machine,
            repetitions,
            flags,
            rows,
            summary,
        }
    }

    /// Programs without figures.
    pub fn failures(&self) -> usize {
        self.rows.iter().filter(|row| row.result.is_err()).count()
    }

    /// As JSON, one value.
    ///
    /// # Errors
    /// Never in practice: the values are plain.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    /// As a table with aligned columns.
    pub fn text(&self) -> String {
        let cells = self.cells();
        let columns = cells[0].len();
        let widths: Vec<usize> = (0..columns)
            .map(|c| {
                cells
                    .iter()
                    .map(|row| row[c].chars().count())
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let mut text = String::new();
        for row in &cells {
            let line: Vec<String> = row
                .iter()
                .zip(&widths)
                .enumerate()
                .map(|(c, (cell, &width))| {
                    if c == 0 {
                        format!("{cell:width$}")
                    } else {
                        format!("{cell:>width$}")
                    }
                })
                .collect();
            let _ = writeln!(text, "{}", line.join("  ").trim_end());
        }
        self.failure_lines(&mut text);
        text + "\n" + &self.summary_lines()
    }

    /// As Markdown: machine, table, means.
    pub fn markdown(&self) -> String {
        let mut text = self.machine.measured(self.repetitions);
        if !self.flags.is_empty() {
            let _ = write!(text, "; built with `{}`", self.flags.join(" "));
        }
        text.push_str(".\n\n");
        let cells = self.cells();
        for (index, row) in cells.iter().enumerate() {
            let _ = writeln!(text, "| {} |", row.join(" | "));
            if index == 0 {
                let _ = writeln!(text, "|---|{}", "--:|".repeat(row.len() - 1));
            }
        }
        text.push('\n');
        self.failure_lines(&mut text);
        text + "\n" + &self.summary_lines()
    }

    fn cells(&self) -> Vec<Vec<String>> {
        let header = [
            "program",
            "native s",
            "recorded s",
            "time",
            "cpu",
            "observation",
            "whole depth s",
            "time",
            "native MB",
            "recorded MB",
            "memory",
            "profile kB",
            "plan ms",
            "regions",
        ];
        let mut table = vec![header.map(str::to_owned).to_vec()];
        for row in &self.rows {
            let Ok(f) = &row.result else {
                let mut cells = vec![row.name.to_owned(), "failed".into()];
                cells.resize(header.len(), String::new());
                table.push(cells);
                continue;
            };
            table.push(vec![
                row.name.to_owned(),
                format!("{:.3}", f.native.seconds),
                format!("{:.3}", f.recorded.seconds),
                format!("{:.2}x", f.time_ratio()),
                format!("{:.2}x", f.cpu_ratio()),
                f.observation_ratio()
                    .map_or_else(String::new, |ratio| format!("{ratio:.2}x")),
                f.whole_depth
                    .map_or_else(String::new, |cost| format!("{:.3}", cost.seconds)),
                f.whole_depth_ratio()
                    .map_or_else(String::new, |ratio| format!("{ratio:.2}x")),
                format!("{:.1}", f.native.peak_bytes as f64 / 1e6),
                format!("{:.1}", f.recorded.peak_bytes as f64 / 1e6),
                format!("{:.2}x", f.memory_ratio()),
                format!("{:.1}", f.profile_bytes as f64 / 1e3),
                format!("{:.0}", f.plan_seconds * 1e3),
                f.regions.to_string(),
            ]);
        }
        table
    }

    fn failure_lines(&self, text: &mut String) {
        for row in &self.rows {
            if let Err(message) = &row.result {
                let _ = writeln!(text, "{}: {}", row.name, message.replace('\n', "\n    "));
            }
        }
    }

    fn summary_lines(&self) -> String {
        let Some(s) = &self.summary else {
            return "Nothing could be measured.\n".into();
        };
        let depth = s.whole_depth_ratio.map_or_else(String::new, |ratio| {
            format!("- Whole depth with `--jobs 2`, time: mean {ratio:.2}x.\n")
        });
        let observation = s.observation_ratio.map_or_else(String::new, |ratio| {
            format!(
                "- Observation of carried dependences: {ratio:.3} times the processor time of recording without (target 1.15).\n"
            )
        });
        format!(
            "Geometric means over {} programs:\n\n\
             - Time at levels {}: mean {:.2}x (target 6x), worst {:.2}x (target 25x); processor time {:.2}x.\n\
             {observation}{depth}\
             - Memory: mean {:.2}x native; {:.2} of what is allowed (8 times native plus 64 MB; target 1).\n\
             - Largest profile {:.1} kB (target 1000); longest planning {:.0} ms (target 50).\n",
            s.programs,
            crate::hcpa::LEVELS,
            s.time_ratio,
            s.worst_time_ratio,
            s.cpu_ratio,
            s.memory_ratio,
            s.memory_of_allowed,
            s.largest_profile_bytes as f64 / 1e3,
            s.longest_plan_seconds * 1e3,
        )
    }
}

fn summarise(figures: &[&Figures]) -> Summary {
    let mean = |value: fn(&Figures) -> f64| geometric_mean(figures.iter().map(|f| value(f)));
    let worst = |value: fn(&Figures) -> f64| figures.iter().map(|f| value(f)).fold(0.0, f64::max);
    let mean_of = |value: fn(&Figures) -> Option<f64>| {
        let values: Vec<f64> = figures.iter().filter_map(|f| value(f)).collect();
        (!values.is_empty()).then(|| geometric_mean(values.into_iter()))
    };
    Summary {
        programs: figures.len(),
        time_ratio: mean(Figures::time_ratio),
        worst_time_ratio: worst(Figures::time_ratio),
        cpu_ratio: mean(Figures::cpu_ratio),
        observation_ratio: mean_of(Figures::observation_ratio),
        whole_depth_ratio: mean_of(Figures::whole_depth_ratio),
        memory_ratio: mean(Figures::memory_ratio),
        memory_of_allowed: mean(Figures::memory_of_allowed),
        largest_profile_bytes: figures.iter().map(|f| f.profile_bytes).max().unwrap_or(0),
        longest_plan_seconds: worst(|f| f.plan_seconds),
    }
}

pub(crate) fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| {
        (sum + value.ln(), count + 1)
    });
    (sum / f64::from(count)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Cost;

    fn row(name: &'static str, native: f64, recorded: f64, megabytes: u64) -> Row {
        let cost = |seconds, peak_bytes| Cost {
            seconds,
            cpu_seconds: seconds,
            peak_bytes,
        };
        Row {
            name,
            label: "",
            arguments: Vec::new(),
            result: Ok(Figures {
                native: cost(native, 10_000_000),
                recorded: cost(recorded, megabytes * 1_000_000),
                unobserved: Some(cost(recorded / native / 1.5, 0)),
                whole_depth: None,
                profile_bytes: 1000,
                plan_seconds: 0.01,
                regions: 3,
                work: 1.0,
            }),
        }
    }

    #[test]
    fn means_are_geometric_and_failures_are_left_out() {
        let failed = Row {
            result: Err("no such compiler".into()),
            ..row("c", 1.0, 1.0, 1)
        };
        let rows = vec![row("a", 0.5, 1.0, 144), row("b", 0.25, 2.0, 36), failed];
        let report = Report::new(Machine::here(), 3, Vec::new(), rows);
        let summary = report.summary.as_ref().unwrap();
        assert_eq!((summary.programs, report.failures()), (2, 1));
        assert!((summary.time_ratio - 4.0).abs() < 1e-9);
        assert!((summary.worst_time_ratio - 8.0).abs() < 1e-9);
        // 0.5 * 1.5 and 0.25 * 1.5.
        let observation = summary.observation_ratio.unwrap();
        assert!((observation - 0.125_f64.sqrt() * 1.5).abs() < 1e-9);
        assert!((summary.memory_of_allowed - 0.5).abs() < 1e-9);
        assert!(report.text().contains("c: no such compiler"));
        assert!(report.markdown().contains("| a | 0.500 | 1.000 | 2.00x |"));
    }
}
