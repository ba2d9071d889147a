//! Programs with native versions of their functions do what they do without parascan, wherever a burst begins or ends,
//! and count all that runs in them.

use std::path::Path;

use anyhow::{Result, ensure};
use parascan_abi::log::{ENV_BURSTS, ENV_DIR};
use parascan_bench::bursts;
use parascan_bench::callers;
use parascan_bench::counts;
use parascan_bench::measure::run;
use parascan_bench::program::{BenchProgram, Workload};
use parascan_bench::small;
use parascan_bench::subject::{LIMIT, Subject};
use parascan_bench::tool::{Build, Compiler, Tool};
use parascan_formats::log::BurstLog;

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

/// Bursts that begin and end at every check, for half of the time, and now and then; and behind a beginning.
const SCHEDULES: [&str; 4] = [
    "1:1000:0:0:1",
    "2:500:0:0:300",
    "3:50:50:0:100000:1000000",
    "4:300:0:150:300",
];

fn runs() -> Vec<Workload> {
    let arguments = |name: &str| RUNS.iter().find(|(n, _)| *n == name).map(|(_, a)| *a);
    let with = |mut run: Workload| {
        let short = arguments(run.program.name)?;
        run.arguments = short.iter().map(|&a| a.to_owned()).collect();
        run.label = "short";
        Some(run)
    };
    small::runs().into_iter().filter_map(with).collect()
}

/// What a program prints with bursts at these moments, and what they saw.
fn in_bursts(subject: &Subject, schedule: &str) -> Result<(Vec<u8>, BurstLog)> {
    let folder = tempfile::tempdir()?;
    let output = subject.run_with(&[
        (ENV_DIR, folder.path().display().to_string()),
        (ENV_BURSTS, schedule.to_owned()),
    ])?;
    Ok((output.stdout, bursts::read(folder.path())?))
}

#[test]
fn versions_change_at_every_check_and_the_output_stays() -> Result<()> {
    let tool = Tool::find()?;
    let mut runs = runs();
    ensure!(runs.len() == RUNS.len());
    for name in ["labels", "callers", "nests", "blocks", "frames", "vectors"] {
        let source = format!("tests/{name}.c");
        let program = BenchProgram {
            name,
            sources: vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(source)],
            flags: Vec::new(),
            link: Vec::new(),
        };
        runs.push(program.run("short", []));
    }
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
        let path = subject.folder().join("whole.prof");
        same("recorded", &subject.record(&["--exact"], &path)?.stdout)?;
        let exact = parascan_formats::codec::decode(&std::fs::read(&path)?)?;
        for schedule in SCHEDULES {
            let (stdout, log) = in_bursts(&subject, schedule)?;
            same(schedule, &stdout)?;
            ensure!(
                log.bursts > 0 || !schedule.starts_with('1'),
                "{schedule}: no burst in {}",
                run.program.name
            );
            let differences = counts::differences(&log, &exact);
            ensure!(
                differences.is_empty(),
                "{} {schedule} counts\n{}",
                run.program.name,
                differences.join("\n")
            );
            let lost = counts::lost(&log);
            ensure!(
                lost.is_empty(),
                "{} {schedule} shares\n{}",
                run.program.name,
                lost.join("\n")
            );
            let strangers = callers::strangers(&log, &exact);
            ensure!(
                strangers.is_empty(),
                "{} {schedule}: never open together\n{}",
                run.program.name,
                strangers.join("\n")
            );
        }
    }
    Ok(())
}

/// What the compiler makes of a program of this folder.
fn emitted(name: &str) -> Result<String> {
    let tool = Tool::find()?;
    let compiler = Compiler::Parascan {
        tool,
        flags: Vec::new(),
        build: Build::Native,
    };
    let mut driver = compiler.driver(name.ends_with(".cc"));
    driver
        .args(["-O2", "-g", "-S", "-emit-llvm", "-o", "-"])
        .arg(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests")
                .join(name),
        );
    let made = run(&mut driver, LIMIT)?.success("parascan-cc")?;
    Ok(String::from_utf8(made.stdout)?)
}

/// Outside of bursts all functions run natively, whatever they do with their frame; and those that hold no memory of an
/// iteration in it go on in their middle.
#[test]
fn functions_that_need_their_frame_have_native_versions() -> Result<()> {
    let text = emitted("frames.c")?;
    let has = |name: &str| text.contains(&format!("@{name}("));
    for name in [
        "records",
        "many",
        "registers",
        "variadic",
        "passes",
        "smooth",
        "behind",
        "chained",
        "large",
        "guarded",
        "calledFrom",
    ] {
        ensure!(has(&format!("{name}.native")), "{name}");
        let whole = ["chained", "guarded", "calledFrom"].contains(&name);
        ensure!(has(&format!("{name}.native.on")) != whole, "{name}");
    }
    let text = emitted("function.cc")?;
    let mut defined = text.lines().filter(|line| line.starts_with("define "));
    ensure!(defined.any(|line| line.contains("_M_invoke") && line.contains(".native\"(")));
    Ok(())
}

/// Small variables whose address nobody keeps are handed over as copies, and stay in registers.
#[test]
fn structures_stay_in_registers() -> Result<()> {
    let text = emitted("vectors.c")?;
    for version in ["summed.native", "summed.native.on"] {
        let body = text.split("\ndefine ").find(|body| {
            let head = body.lines().next().unwrap_or_default();
            head.contains(&format!("@{version}("))
        });
        let body = body.unwrap_or_default();
        let phi = |line: &str| line.contains(" = phi ") && line.contains("double");
        ensure!(body.lines().any(phi), "{version}: {body}");
    }
    Ok(())
}

/// Versions hand over what is live: no variable of a block that was left, which would have to be kept in all of an
/// interpreter's loop.
#[test]
fn variables_of_blocks_that_were_left_are_not_handed_over() -> Result<()> {
    let text = emitted("blocks.c")?;
    let body = |name: &str| {
        let lines = text.lines().skip_while(|line| {
            !(line.starts_with("define ") && line.contains(&format!(" @{name}(")))
        });
        let lines: Vec<&str> = lines.take_while(|line| !line.starts_with('}')).collect();
        lines.join("\n")
    };
    for version in ["interpret", "interpret.native", "interpret.native.on"] {
        let body = body(version);
        ensure!(body.contains("indirectbr"), "{version}: {body}");
        ensure!(
            body.contains("fadd double") && !body.contains("store double"),
            "{body}"
        );
    }
    Ok(())
}

/// Programs that nobody wrote, each with bursts that begin and end at every check, some of them, and next to never.
#[test]
fn random_programs_count_what_runs() -> Result<()> {
    const PROGRAMS: u32 = 8;
    let tool = Tool::find()?;
    let folder = tempfile::tempdir()?;
    let mut programs = 0;
    for number in 1..=PROGRAMS {
        let mut state = number;
        let choices: Vec<u32> = (0..600).map(|_| random(&mut state)).collect();
        let source = folder.path().join(format!("random{number}.c"));
        let text = parascan_reference::generate::program(&choices);
        // What it computes is printed as well.
        let text = text.replace("int main(", "static int all(");
        std::fs::write(&source, text + "\nint main(void) { all(); return 0; }\n")?;
        let program = BenchProgram {
            name: "random",
            sources: vec![source.clone()],
            flags: Vec::new(),
            link: vec!["-lm"],
        };
        let subject = Subject::with_bursts(&tool, &program.run("random", []), true)?;
        // Some end by `abort`.
        if subject.native().is_err() {
            continue;
        }
        programs += 1;
        let path = subject.folder().join("whole.prof");
        let stdout = subject.record(&["--exact"], &path)?.stdout;
        let exact = parascan_formats::codec::decode(&std::fs::read(&path)?)?;
        for schedule in SCHEDULES {
            let (printed, log) = in_bursts(&subject, schedule)?;
            ensure!(printed == stdout, "{} {schedule}", source.display());
            let differences = counts::differences(&log, &exact);
            ensure!(
                differences.is_empty(),
                "program {number} {schedule} counts\n{}",
                differences.join("\n")
            );
            let lost = counts::lost(&log);
            ensure!(
                lost.is_empty(),
                "program {number} {schedule} shares\n{}",
                lost.join("\n")
            );
            let strangers = callers::strangers(&log, &exact);
            ensure!(
                strangers.is_empty(),
                "program {number} {schedule}: never open together\n{}",
                strangers.join("\n")
            );
        }
    }
    ensure!(programs >= PROGRAMS / 2, "only {programs} programs ran");
    Ok(())
}

/// A random number (xorshift).
fn random(state: &mut u32) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    state.wrapping_mul(0x9e37_79b9)
}
