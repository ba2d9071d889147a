//! Tries the pragmas of one program's plan.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use super::build::{BuildPurpose, Failure, ProgramBuilder};
use super::outcome::RunResult;
use super::paste::{PastedPragma, has_word};
use super::subject::Subject;
use crate::annotation::{self, Clauses};
use crate::process::run;
use crate::regions::Region;
use crate::tool::{LIMIT, Tool, is_cpp};

/// How thoroughly.
#[derive(Clone, Copy, Debug)]
pub struct Thoroughness {
    /// Runs on 2 threads, and as many on 4, of every pragma of the plan.
    pub runs: u32,
    /// Whether pragmas of loops that the plan left out are tried too (JSON prints them).
    pub all_loops: bool,
    /// Whether to look for races with ThreadSanitizer.
    pub races: bool,
}

/// What became of one pragma, or of all together.
#[derive(Clone, Debug)]
pub struct PragmaTrial {
    /// Where, or `all together`.
    pub place: String,
    /// Its text; of several, how many there are.
    pub pragma: String,
    /// Whether the plan has it (`plan`), or only the list of all regions.
    pub planned: bool,
    /// Whether the compiler takes it at its place.
    pub compiled: bool,
    /// Whether all runs and all orders of iterations gave the serial program's results.
    pub kept: bool,
    /// Whether ThreadSanitizer reported a race; `None` if it was not asked, or did not get through.
    pub raced: Option<bool>,
    /// What went wrong, in words.
    pub failures: Vec<String>,
}

/// What became of a program.
#[derive(Clone, Debug)]
pub struct ProgramReport {
    /// The program's group and name.
    pub group: &'static str,
    /// The program's name.
    pub name: String,
    /// Loops in the plan.
    pub planned: usize,
    /// All trials; the last one is of all planned pragmas together, if there are several.
    pub trials: Vec<PragmaTrial>,
    /// Why there are none.
    pub error: Option<String>,
}

impl ProgramReport {
    fn of(subject: &Subject) -> Self {
        Self {
            group: subject.group,
            name: subject.name.clone(),
            planned: 0,
            trials: Vec::new(),
            error: None,
        }
    }
}

/// Loops that are not in the plan and ran more often than this are not tried: starting threads so often takes hours.
const MANY_INSTANCES: f64 = 2000.0;
/// Time for the runs of one pragma that is not in the plan.
const BUDGET: Duration = Duration::from_secs(3);
/// What a slow start of threads may add to a run.
const PATIENCE: Duration = Duration::from_secs(20);
/// What one start of a loop's threads may take: microseconds where processors are idle, some milliseconds where four
/// threads share two that others use as well (500 microseconds were too few for zlib beside compilers).
const START: Duration = Duration::from_millis(4);
/// The same under ThreadSanitizer, with Archer.
const WATCHED_START: Duration = Duration::from_millis(10);
/// Longer than this nobody waits for one run.
const LONGEST_RUN: Duration = Duration::from_secs(1800);
/// Where Debian's LLVM is.
const LLVM: &str = "/usr/lib/llvm-22";

/// Records a program, and tries every pragma of its plan alone, and all of them together.
pub fn try_all(tool: &Tool, subject: &Subject, effort: Thoroughness) -> ProgramReport {
    let mut report = ProgramReport::of(subject);
    if let Err(error) = attempt(tool, subject, effort, &mut report) {
        report.error = Some(format!("{error:#}"));
    }
    report
}

/// Tries the labels of an annotated source instead of a plan: every loop that is labelled DOALL and has its clauses
/// stated is run with these. It shows that the labels are right, and asks nothing of parascan.
pub fn try_labels(subject: &Subject, effort: Thoroughness) -> ProgramReport {
    let mut report = ProgramReport::of(subject);
    let done = labelled(subject).and_then(|pastes| {
        report.planned = pastes.len();
        let mut bench = TrialContext::new(subject, effort)?;
        for paste in &pastes {
            report.trials.push(bench.attempt(&[paste], true, 0.0)?);
        }
        Ok(())
    });
    report.error = done.err().map(|error| format!("{error:#}"));
    report
}

/// The pragmas that the labels of a source state.
fn labelled(subject: &Subject) -> Result<Vec<PastedPragma>> {
    let source = &subject.sources[0];
    let text = std::fs::read_to_string(source)?;
    let annotations = annotation::parse(&text).map_err(|e| anyhow::anyhow!(e))?;
    let lines: Vec<&str> = text.lines().collect();
    Ok(annotations
        .expectations
        .iter()
        .filter_map(|expectation| {
            let Clauses::Directive(clauses) = expectation.clauses.as_ref()? else {
                return None;
            };
            let line = lines[expectation.line as usize - 1];
            // OpenMP takes no other loops.
            let column = line.len() - line.trim_start().strip_prefix("for (")?.len() - 4;
            Some(PastedPragma {
                file: source.to_string_lossy().into_owned(),
                line: expectation.line,
                column: column as u32,
                pragma: format!("#pragma omp parallel for {}", clauses.join(" ")),
                behind: None,
            })
        })
        .collect())
}

/// What a program's plan prints as code: place and pragma of each.
///
/// # Errors
///
/// Where the program cannot be built, run or recorded.
pub fn pragmas_of(tool: &Tool, subject: &Subject) -> Result<Vec<String>> {
    let bench = TrialContext::new(
        subject,
        Thoroughness {
            runs: 0,
            all_loops: false,
            races: false,
        },
    )?;
    let plan = tool.plan(&bench.record(tool)?, &[])?;
    let code = plan.plan.iter().filter_map(Region::code);
    Ok(code
        .map(|p| {
            format!(
                "{}:{}:{} {}",
                p.file_name(),
                p.line,
                p.column,
                p.pragma.replace('\n', " ")
            )
        })
        .collect())
}

fn attempt(
    tool: &Tool,
    subject: &Subject,
    effort: Thoroughness,
    report: &mut ProgramReport,
) -> Result<()> {
    let mut bench = TrialContext::new(subject, effort)?;
    let profile = bench.record(tool)?;
    let plan = tool.plan(&profile, &[])?;
    let regions = tool.regions(&profile)?.regions;
    report.planned = plan.plan.iter().filter(|r| r.kind == "loop").count();
    let mut together = Vec::new();
    let mut starts = 0.0;
    for region in &plan.plan {
        // Those of a template's instances are one.
        if let Some(paste) = region.code().filter(|p| !together.contains(p)) {
            let own = region.instances.unwrap_or(0.0);
            report.trials.push(bench.attempt(&[&paste], true, own)?);
            together.push(paste);
            starts += own;
        }
    }
    if effort.all_loops {
        let few = |r: &&Region| r.instances.unwrap_or(0.0) <= MANY_INSTANCES;
        for region in regions.iter().filter(few) {
            if let Some(paste) = region.code().filter(|p| !together.contains(p)) {
                let own = region.instances.unwrap_or(0.0);
                report.trials.push(bench.attempt(&[&paste], false, own)?);
            }
        }
    }
    if together.len() > 1 {
        let all: Vec<&PastedPragma> = together.iter().collect();
        report.trials.push(bench.attempt(&all, true, starts)?);
    }
    Ok(())
}

/// How long one build of a package, or its recording with all that it needs, may take on a busy machine.
const LONGEST: Duration = Duration::from_secs(1800);

/// Builds with parascan and records, with the flags for parascan that an annotated source asks for.
fn record(
    tool: &Tool,
    subject: &Subject,
    directory: &Path,
    work: &Path,
    profile: &Path,
) -> Result<()> {
    let program = directory.join("instrumented");
    let annotated = match &subject.sources[..] {
        [one] => std::fs::read_to_string(one)
            .ok()
            .and_then(|text| annotation::parse(&text).ok())
            .map_or_else(Vec::new, |a| a.flags),
        _ => Vec::new(),
    };
    let cpp = subject.sources.iter().find(|s| is_cpp(s));
    let mut command = tool.driver(cpp.unwrap_or(&subject.sources[0]));
    let mut objects = Vec::new();
    for (number, source) in subject.sources.iter().enumerate() {
        let object = directory.join(format!("instrumented{number}.o"));
        let mut command = tool.driver(source);
        command
            .args(["-O2", "-g", "-w", "-c"])
            .args(&annotated)
            .args(&subject.flags)
            .arg(source)
            .arg("-o")
            .arg(&object);
        let done = run(&mut command, LONGEST)?;
        ensure!(done.code() == Some(0), "parascan-cc: {}", done.errors());
        objects.push(object);
    }
    command
        .args(["-O2", "-g"])
        .args(&objects)
        .args(&subject.link)
        .arg("-o")
        .arg(&program);
    let done = run(&mut command, LONGEST)?;
    ensure!(done.code() == Some(0), "parascan-cc: {}", done.errors());
    let mut command = tool.parascan();
    command
        .args(["record", "--explain", "--jobs", "2", "-o"])
        .arg(profile);
    command.arg("--");
    command
        .arg(&program)
        .args(&subject.arguments)
        .current_dir(work);
    let done = run(&mut command, LONGEST)?;
    ensure!(
        done.status.is_some(),
        "parascan record did not end within {LONGEST:?}"
    );
    ensure!(profile.exists(), "parascan record: {}", done.errors());
    Ok(())
}

/// Runs builds of one program in its folder.
struct Runner<'a> {
    subject: &'a Subject,
    work: PathBuf,
}

impl Runner<'_> {
    fn serial(&self, program: &Path) -> Result<RunResult> {
        let (outcome, _) = self
            .run(program, LIMIT, &[])?
            .context("the serial program does not end")?;
        Ok(outcome)
    }

    /// Outcome and messages; `None` if the program did not end in time.
    fn run(
        &self,
        program: &Path,
        limit: Duration,
        environment: &[(&str, &str)],
    ) -> Result<Option<(RunResult, String)>> {
        let mut command = Command::new(program);
        command
            .args(&self.subject.arguments)
            .current_dir(&self.work);
        // Threads that wait must not take the processors from those that work.
        command.env("OMP_WAIT_POLICY", "passive");
        command.env("OMP_DYNAMIC", "false");
        command.envs(environment.iter().copied());
        for output in &self.subject.outputs {
            let _ = std::fs::remove_file(self.work.join(output));
        }
        let done = run(&mut command, limit)?;
        let Some(code) = done.code() else {
            return Ok(None);
        };
        let mut files = BTreeMap::new();
        for name in &self.subject.outputs {
            files.insert(
                name.clone(),
                std::fs::read(self.work.join(name)).unwrap_or_default(),
            );
        }
        let messages = done.errors();
        let outcome = RunResult {
            code,
            stdout: done.stdout,
            files,
        };
        Ok(Some((outcome, messages)))
    }
}

/// What all trials of a program share.
struct TrialContext<'a> {
    directory: TempDir,
    builder: ProgramBuilder<'a>,
    runner: Runner<'a>,
    expected: RunResult,
    limit: Duration,
    effort: Thoroughness,
}

impl<'a> TrialContext<'a> {
    /// Builds the serial program and runs it twice.
    fn new(subject: &'a Subject, effort: Thoroughness) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let work = directory.path().join("run");
        std::fs::create_dir(&work)?;
        for input in &subject.inputs {
            input.place(&work)?;
        }
        let mut builder = ProgramBuilder::new(subject, directory.path());
        let serial = builder
            .build(BuildPurpose::Serial, &[])?
            .map_err(|f| anyhow::anyhow!("serial build: {f:?}"))?;
        let runner = Runner { subject, work };
        let start = Instant::now();
        let expected = runner.serial(&serial)?;
        let limit = start.elapsed() * 100 + PATIENCE;
        ensure!(
            runner.serial(&serial)? == expected,
            "two serial runs differ"
        );
        Ok(Self {
            directory,
            builder,
            runner,
            expected,
            limit,
            effort,
        })
    }

    /// Records the program with parascan, with evidence; the profile.
    fn record(&self, tool: &Tool) -> Result<PathBuf> {
        let profile = self.directory.path().join("prof");
        record(
            tool,
            self.runner.subject,
            self.directory.path(),
            &self.runner.work,
            &profile,
        )?;
        Ok(profile)
    }

    /// One trial of these pragmas, whose loops start as often as `starts` says.
    fn attempt(
        &mut self,
        pastes: &[&PastedPragma],
        planned: bool,
        starts: f64,
    ) -> Result<PragmaTrial> {
        let first = pastes[0];
        let alone = pastes.len() == 1;
        let mut trial = PragmaTrial {
            place: if alone {
                format!("{}:{}:{}", first.file_name(), first.line, first.column)
            } else {
                "all together".to_owned()
            },
            pragma: if alone {
                first.pragma.clone()
            } else {
                format!("{} pragmas", pastes.len())
            },
            planned,
            compiled: false,
            kept: false,
            raced: None,
            failures: Vec::new(),
        };
        let program = match self.builder.build(BuildPurpose::OpenMp, pastes)? {
            Ok(program) => program,
            Err(Failure::Placed(why)) => {
                trial.failures.push(format!("cannot be pasted: {why}"));
                return Ok(trial);
            }
            Err(Failure::Compiled(why)) => {
                trial.failures.push(format!("does not compile: {why}"));
                return Ok(trial);
            }
        };
        trial.compiled = true;
        trial
            .failures
            .extend(self.threads(&program, pastes, planned, starts)?);
        trial.failures.extend(self.orders(pastes)?);
        trial.kept = trial.failures.is_empty();
        if self.effort.races {
            let race = self.race(pastes, starts)?;
            trial.raced = match &race {
                // Not looked through to the end.
                Some(words) if !words.starts_with(RACE) => None,
                race => Some(race.is_some()),
            };
            trial.failures.extend(race);
        }
        Ok(trial)
    }

    fn rounding(pastes: &[&PastedPragma]) -> bool {
        pastes.iter().any(|p| p.rounds())
    }

    /// Runs on 2 and 4 threads; the first difference.
    fn threads(
        &self,
        program: &Path,
        pastes: &[&PastedPragma],
        planned: bool,
        starts: f64,
    ) -> Result<Option<String>> {
        let start = Instant::now();
        let limit = (self.limit + START.mul_f64(starts)).min(LONGEST_RUN);
        for number in 0..self.effort.runs {
            for threads in ["2", "4"] {
                let end = self
                    .runner
                    .run(program, limit, &[("OMP_NUM_THREADS", threads)])?;
                let difference = match &end {
                    None => Some("did not end".to_owned()),
                    Some((found, _)) => found.difference(&self.expected, Self::rounding(pastes)),
                };
                if let Some(words) = difference {
                    return Ok(Some(format!(
                        "{threads} threads, run {}: {words}",
                        number + 1
                    )));
                }
            }
            if !planned && start.elapsed() > BUDGET {
                break;
            }
        }
        Ok(None)
    }

    /// Iterations in other orders, on one thread; the first difference.
    fn orders(&mut self, pastes: &[&PastedPragma]) -> Result<Option<String>> {
        // What is ordered by the pragma itself has no other order.
        if pastes.iter().all(|p| p.scheduled() == p.pragma) {
            return Ok(None);
        }
        let program = match self.builder.build(BuildPurpose::Order, pastes)? {
            Ok(program) => program,
            Err(why) => return Ok(Some(format!("with schedule(runtime): {why:?}"))),
        };
        let last = pastes.iter().any(|p| has_word(&p.pragma, "lastprivate"));
        for order in ["reverse", "1", "2"] {
            let mut environment = vec![("OMP_NUM_THREADS", "1"), ("PARASCAN_ORDER", order)];
            if last {
                environment.push(("PARASCAN_ORDER_LAST", "1"));
            }
            let end = self.runner.run(&program, self.limit, &environment)?;
            let difference = match &end {
                None => Some("did not end".to_owned()),
                Some((found, _)) => found.difference(&self.expected, Self::rounding(pastes)),
            };
            if let Some(words) = difference {
                let order = if order == "reverse" {
                    order
                } else {
                    "shuffled"
                };
                return Ok(Some(format!("iterations in {order} order: {words}")));
            }
        }
        Ok(None)
    }

    /// ThreadSanitizer with Archer: the first report.
    fn race(&mut self, pastes: &[&PastedPragma], starts: f64) -> Result<Option<String>> {
        let program = match self.builder.build(BuildPurpose::Race, pastes)? {
            Ok(program) => program,
            Err(why) => return Ok(Some(format!("for ThreadSanitizer: {why:?}"))),
        };
        let symbols = format!(
            "ignore_noninstrumented_modules=1 exitcode=66 external_symbolizer_path={LLVM}/bin/llvm-symbolizer"
        );
        let archer = format!("{LLVM}/lib/libarcher.so");
        for schedule in ["static,1", "static"] {
            let environment = [
                ("TSAN_OPTIONS", symbols.as_str()),
                ("OMP_TOOL_LIBRARIES", archer.as_str()),
                ("OMP_NUM_THREADS", "4"),
                ("OMP_SCHEDULE", schedule),
            ];
            let limit = self.limit * 4 * pastes.len() as u32 + WATCHED_START.mul_f64(starts);
            let limit = limit.min(LONGEST_RUN);
            let Some((_, messages)) = self.runner.run(&program, limit, &environment)? else {
                return Ok(Some("under ThreadSanitizer: did not end".to_owned()));
            };
            ensure!(
                !messages.contains("FATAL: ThreadSanitizer"),
                "ThreadSanitizer does not run here: {messages}"
            );
            if let Some(words) = first_race(&messages) {
                return Ok(Some(words));
            }
        }
        Ok(None)
    }
}

/// How the words about a race begin.
const RACE: &str = "race: ";

/// The two places of the first race that ThreadSanitizer reports.
fn first_race(messages: &str) -> Option<String> {
    let at = messages.find("WARNING: ThreadSanitizer: data race")?;
    let frames: Vec<String> = messages[at..]
        .lines()
        .filter_map(|line| line.trim().strip_prefix("#0 "))
        .take(2)
        .map(|frame| {
            let frame = frame.split(" (").next().unwrap_or(frame);
            frame.rsplit('/').next().unwrap_or(frame).to_owned()
        })
        .collect();
    Some(format!("{RACE}{}", frames.join(" against ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_race_is_read_from_the_report() {
        let text = "WARNING: ThreadSanitizer: data race (pid=1)\n  Write of size 4 at 0x1 by thread T1:\n    #0 f.omp_outlined /a/x.c:5:7 (p+0x1)\n  Previous read of size 4:\n    #0 f.omp_outlined /a/x.c:6:7 (p+0x2)\n";
        assert_eq!(first_race(text).unwrap(), "race: x.c:5:7 against x.c:6:7");
        assert_eq!(first_race("nothing"), None);
    }
}
