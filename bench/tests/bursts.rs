//! Programs with native versions of their functions do what they do without parascan, wherever a burst begins or ends.

use anyhow::{Result, ensure};
use parascan_abi::log::{ENV_BURSTS, ENV_DIR};
use parascan_bench::bursts;
use parascan_bench::program::Run;
use parascan_bench::small;
use parascan_bench::subject::Subject;
use parascan_bench::tool::Tool;

/// Loops in `main` and in functions, recursion, variables in memory, several exits.
const RUNS: [(&str, &[&str]); 8] = [
    ("cg", &["2000", "10"]),
    ("quicksort", &["20000"]),
    ("bfs", &["5000", "8", "2"]),
    ("radixsort", &["20000"]),
    ("hashtable", &["20000", "3000"]),
    ("nussinov", &["90"]),
    // An inner loop that is left in its middle; iterations that call functions which are folded.
    ("imagefilter", &["64", "48", "2"]),
    ("montecarlo", &["300000"]),
];

fn runs() -> Vec<Run> {
    let arguments = |name: &str| RUNS.iter().find(|(n, _)| *n == name).map(|(_, a)| *a);
    let with = |mut run: Run| {
        let short = arguments(run.program.name)?;
        run.arguments = short.iter().map(|&a| a.to_owned()).collect();
        run.label = "short";
        Some(run)
    };
    small::runs().into_iter().filter_map(with).collect()
}

#[test]
fn versions_change_at_every_check_and_the_output_stays() -> Result<()> {
    let tool = Tool::find()?;
    let runs = runs();
    ensure!(runs.len() == RUNS.len());
    for run in runs {
        let subject = Subject::with_bursts(&tool, &run, true)?;
        let native = subject.native()?;
        let same = |how: &str, stdout: &[u8]| {
            let name = run.program.name;
            ensure!(
                stdout == native.stdout,
                "{name} prints something else {how}"
            );
            Ok(())
        };
        same("without recording", &subject.unrecorded()?.stdout)?;
        for schedule in ["1:1000:0:1", "2:500:0:300", "3:50:50:100000:1000000"] {
            let folder = tempfile::tempdir()?;
            let output = subject.run_with(&[
                (ENV_DIR, folder.path().display().to_string()),
                (ENV_BURSTS, schedule.to_owned()),
            ])?;
            same(schedule, &output.stdout)?;
            let log = bursts::read(folder.path())?;
            ensure!(
                log.bursts > 0 || !schedule.starts_with('1'),
                "{schedule}: no burst in {}",
                run.program.name
            );
        }
        let profile = subject.folder().join("whole.prof");
        same("recorded", &subject.record(&[], &profile)?.stdout)?;
    }
    Ok(())
}
