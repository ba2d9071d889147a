//! Runs of minutes, deep ones and such with much memory: what recording takes, and whether it finds what their sources
//! let expect.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::hcpa::ensure_same;
use crate::machine::Machine;
use crate::measure::{Cost, run};
use crate::profile::{Expected, Fact, Regions, wrong};
use crate::program::{BenchProgram, Workload};
use crate::subject::{LIMIT, Subject};
use crate::tool::Tool;

/// A program of `bench/long` and what must be found in it.
struct Case {
    /// Source file.
    file: &'static str,
    label: &'static str,
    arguments: &'static [&'static str],
    /// Loops: where the function begins, where the loop, and whether it is parallel.
    loops: &'static [(&'static str, &'static str, Expected)],
    /// Whether all of it is to be tracked.
    whole: bool,
}

impl Case {
    fn name(&self) -> &'static str {
        self.file.strip_suffix(".c").unwrap_or(self.file)
    }

    fn run(&self) -> Workload {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("long");
        Workload {
            program: BenchProgram {
                name: self.name(),
                sources: vec![folder.join(self.file)],
                flags: Vec::new(),
                link: Vec::new(),
            },
            label: self.label,
            arguments: self.arguments.iter().map(|&a| a.to_owned()).collect(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            before: Vec::new(),
        }
    }

    fn facts(&self) -> Vec<Fact> {
        let fact = |&(after, starts, expected)| Fact {
            file: self.file,
            after,
            starts,
            expected,
            why: self.label,
        };
        self.loops.iter().map(fact).collect()
    }
}

/// All of them.
const CASES: [Case; 4] = [
    Case {
        file: "phases.c",
        label: "ten minutes, two phases in turn",
        arguments: &["14000", "200"],
        loops: &[
            ("void smooth(void)", "for (int i", Expected::Parallel),
            ("void solve(void)", "for (int i", Expected::Dependent),
        ],
        whole: false,
    },
    Case {
        file: "deep.c",
        label: "200 calls deep",
        arguments: &["3000"],
        loops: &[("double leaf(int at)", "for (int i", Expected::Parallel)],
        whole: false,
    },
    Case {
        file: "sweeps.c",
        label: "8 GB",
        arguments: &["8", "8"],
        loops: &[
            ("int main(", "x[i] = i & 1023", Expected::Parallel),
            ("int main(", "for (size_t i = 1;", Expected::Parallel),
            ("int main(", "s += x[i]", Expected::Parallel),
        ],
        whole: false,
    },
    Case {
        file: "nest.c",
        label: "short and 17 regions deep",
        arguments: &[],
        loops: &[
            ("void cube(void)", "for (int i", Expected::Parallel),
            ("int main(void)", "for (int a", Expected::Dependent),
        ],
        whole: true,
    },
];

/// The programs that are run for this measurement.
pub fn runs() -> Vec<Workload> {
    CASES.iter().map(Case::run).collect()
}

/// Figures of one program.
#[derive(Clone, Debug)]
pub struct Figures {
    native: Cost,
    recorded: Cost,
    /// Bursts after the first; none where all of the run was tracked.
    bursts: Option<u64>,
    /// How many facts were looked at; `wrong` says which do not hold.
    facts: usize,
    wrong: Vec<String>,
    /// The plan's first entry.
    first: String,
}

/// One program's row.
#[derive(Clone, Debug)]
pub struct Row {
    name: String,
    /// Figures or a message.
    pub result: Result<Figures, String>,
}

/// Builds, records and checks one of [`runs`].
pub fn measure(tool: &Tool, run: &Workload) -> Row {
    let name = run.program.name;
    Row {
        name: format!("{name} {} ({})", run.arguments.join(" "), run.label),
        result: figures(tool, run).map_err(|error| format!("{error:#}")),
    }
}

fn figures(tool: &Tool, program: &Workload) -> Result<Figures> {
    let case = (CASES.iter()).find(|case| case.name() == program.program.name);
    let case = case.context("not one of the extremes")?;
    let facts = case.facts();
    let subject = Subject::with_bursts(tool, program, true)?;
    let profile = subject.folder().join("extreme.prof");
    let native = subject.native()?;
    let recorded = subject.record(&[], &profile)?;
    ensure_same(&native, &recorded)?;
    let mut command = tool.parascan();
    command.args(["plan", "--format", "json"]).arg(&profile);
    let plan = run(&mut command, LIMIT)?.success("parascan plan")?;
    let plan: Value = serde_json::from_slice(&plan.stdout)?;
    let bursts = plan["profiles"][0]["bursts"]["count"].as_u64();
    let mut wrong = wrong(&program.program, &Regions::read(tool, &profile)?, &facts)?;
    if case.whole && bursts.is_some() {
        wrong.push("not measured as a whole".to_owned());
    }
    Ok(Figures {
        native: native.cost,
        recorded: recorded.cost,
        bursts,
        facts: facts.len(),
        wrong,
        first: match plan["plan"][0]["id"].as_str() {
            Some(id) => id.to_owned(),
            None => "-".to_owned(),
        },
    })
}

impl Figures {
    /// Whether all facts hold.
    pub fn is_right(&self) -> bool {
        self.wrong.is_empty()
    }
}

/// The table.
pub fn markdown(machine: &Machine, rows: &[Row]) -> String {
    let mut text = format!(
        "{}. Processor time; that of recording includes what `parascan record` takes itself.\n\n\
         | program and input | native, s | recorded | native, GB | memory added, MB | bursts | loops as expected | first in the plan |\n\
         |---|---|---|---|---|---|---|---|\n",
        machine.measured(1),
    );
    for row in rows {
        let figures = match &row.result {
            Ok(figures) => figures,
            Err(message) => {
                let _ = writeln!(text, "| {} | {} |", row.name, message.replace('\n', " "));
                continue;
            }
        };
        let (native, recorded) = (figures.native, figures.recorded);
        let added = recorded.peak_bytes.saturating_sub(native.peak_bytes);
        let _ = writeln!(
            text,
            "| {} | {:.2} | {:.2} | {:.2} | {:.0} | {} | {} of {}{} | {} |",
            row.name,
            native.cpu_seconds,
            recorded.cpu_seconds / native.cpu_seconds,
            native.peak_bytes as f64 / 1e9,
            added as f64 / 1e6,
            match figures.bursts {
                Some(bursts) => bursts.to_string(),
                None => "all of it".to_owned(),
            },
            figures.facts - figures.wrong.len().min(figures.facts),
            figures.facts,
            (figures.wrong.iter()).fold(String::new(), |all, one| all + "; " + one),
            figures.first,
        );
    }
    text
}
