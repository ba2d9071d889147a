//! Programs of the system alone and under `parascan ilp`: what they print and how they end must be the same.
//!
//! Each runs twice alone. What differs between these two (times, process ids, random names) is not compared, only how
//! it ends. Then it runs under the tracer, whose results must be those of a whole run.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::process::{Finished, run};
use crate::tool::Tool;

/// Where executables are looked for.
const FOLDERS: [&str; 2] = ["/usr/bin", "/bin"];

/// Longest time a program may take alone; what takes longer waits for something, and is not tried.
const ALONE: Duration = Duration::from_secs(10);

/// Longest time a program may take under the tracer: what takes a second alone can take minutes on a busy machine.
const TRACED: Duration = Duration::from_secs(400);

/// Has glibc choose its functions as on a processor without AVX-512.
const WITHOUT_AVX512: (&str, &str) = (
    "GLIBC_TUNABLES",
    "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512CD,-AVX512DQ",
);

/// Beginnings of names of what is not run even to be asked for its version: it ends or changes the system, other
/// processes or the terminal, whatever it is asked, or is a service.
const LEFT_ALONE: [&str; 27] = [
    "chsh",
    "chfn",
    "dbus",
    "deallocvt",
    "dpkg-reconfigure",
    "fg",
    "halt",
    "init",
    "kill",
    "login",
    "newgrp",
    "passwd",
    "pkill",
    "poweroff",
    "reboot",
    "runlevel",
    "sg",
    "shutdown",
    "skill",
    "slogin",
    "snice",
    "startx",
    "su",
    "systemctl",
    "systemd",
    "telinit",
    "wall",
];

/// Everyday work on small inputs: the files `text`, 3,000 lines of numbers and words, and `other`, which has some of
/// them. Each is a command of the shell's; the first word is the program that has to be there, and is what is traced.
const WORK: [&str; 61] = [
    "awk '{ sum += $1 } END { print sum, NR }' text",
    "base64 text",
    "bash -c 'for i in $(seq 50); do echo $((i * i)); done; exit 3'",
    "bc --quiet calculation",
    "bzip2 -k -c text",
    "cat text other",
    "cksum text",
    "cmp text other",
    "comm text text",
    "cut -d ' ' -f 2 text",
    "dash -c 'n=0; while [ $n -lt 500 ]; do n=$((n + 1)); done; echo $n'",
    "date -u -d @86400",
    "dd if=text bs=100 count=20 status=none",
    "diff text other",
    "env -i A=b env",
    "expand text",
    "expr 6 '*' 7",
    "factor 1234567890123456789",
    "file text",
    "find . -name 't*'",
    "fold -w 10 text",
    "gawk 'BEGIN { for (i = 0; i < 2000; i++) a[i % 97] = a[i % 97] i; print length(a[5]) }'",
    "git diff --no-index --stat text other",
    "git hash-object text",
    "grep -c '7.*line' text",
    "gzip -n -c text",
    "head -n 100 text",
    "java -Xint -version",
    "join text other",
    "ls -R .",
    "m4 -DX=12 text",
    "md5sum text other",
    "mawk '{ n[$2]++ } END { for (w in n) if (n[w] > 1) print w, n[w] }' text",
    "nl text",
    "node -e 'console.log([3, 1, 2].sort().join())'",
    "objdump -d -j .init /bin/true",
    "od -x other",
    "openssl dgst -sha256 text",
    "paste text other",
    "perl -e 'my %h; $h{$_ % 17} .= $_ for 1 .. 3000; print join(q(,), sort keys %h), qq(\\n); exit 5'",
    "printf '%08.3f\\n' 2.5 3.75",
    "ptx other",
    "python3 -c 'import json, re; print(json.dumps([len(re.findall(r\"\\d+\", open(\"text\").read()))]))'",
    "readelf -h /bin/true",
    "rev other",
    "sed -n 's/line/LINE/p' text",
    "seq 1 7 5000",
    "sha512sum text",
    "shuf --random-source=text -n 5 other",
    "sort -k 2 -r text",
    "split -n l/3 --filter=cat text",
    "stat -c %s text",
    "strings -n 3 text",
    "tac text",
    "tail -n 30 text",
    "tar --mtime=@0 --owner=0 --group=0 -cf - text",
    "tr a-z A-Z",
    "uniq -c other",
    "wc text other",
    "xxd other",
    "xz -c text",
];

/// A program and what it is asked to do.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The command as it is shown, and as the shell takes it.
    pub command: String,
    /// Whether the processor's AVX-512 is hidden from glibc.
    pub hidden_avx512: bool,
}

/// What came of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrialVerdict {
    /// The same output and end.
    Same,
    /// The same end; two runs alone print different things, so that was not compared.
    Varies,
    /// Nothing to compare with: it does not end alone within ten seconds, or could not be started.
    LeftOut(String),
    /// What differs.
    Differs(String),
}

/// A trial with its result and its times.
#[derive(Clone, Debug)]
pub struct TrialReport {
    /// What was tried.
    pub trial: Trial,
    /// What came of it.
    pub verdict: TrialVerdict,
    /// Wall time alone (the second run), and under the tracer.
    pub times: [Duration; 2],
}

/// `WORK` for the programs that this machine has.
pub fn everyday(hidden_avx512: bool) -> Vec<Trial> {
    let there = |command: &&&str| {
        let program = command.split(' ').next().unwrap_or_default();
        FOLDERS.iter().any(|f| Path::new(f).join(program).is_file())
    };
    let trial = |command: &str| Trial {
        command: command.to_owned(),
        hidden_avx512,
    };
    WORK.iter().filter(there).map(|c| trial(c)).collect()
}

/// Every executable of the system's folders, asked for its version, or for help where it knows no version. Names of
/// one file count once.
///
/// # Errors
/// A folder cannot be read.
pub fn installed() -> Result<Vec<PathBuf>> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for folder in FOLDERS {
        let mut entries: Vec<PathBuf> = fs::read_dir(folder)
            .with_context(|| folder.to_owned())?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        entries.sort();
        for path in entries {
            let Ok(file) = path.canonicalize() else {
                continue;
            };
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let executable = fs::metadata(&file)
                .is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
            let left_alone = LEFT_ALONE.iter().any(|begin| name.starts_with(begin));
            // Quotes and blanks in names would need more care than such programs are worth.
            let plain = name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c));
            if executable && plain && !left_alone && seen.insert(file) {
                found.push(path);
            }
        }
    }
    Ok(found)
}

/// So many more times a program is run alone if it prints something else when traced.
const MORE_RUNS: usize = 10;

/// What an installed program is asked: its version, or help if that alone goes well. `None` if neither ends.
pub fn question(program: &Path) -> Option<Trial> {
    let trial = |argument: &str| Trial {
        command: format!("{} {argument}", program.display()),
        hidden_avx512: false,
    };
    let code = |trial: &Trial| TestSetup::new().ok()?.alone(trial).ok()?.code();
    let [version, help] = ["--version", "--help"].map(trial);
    match code(&version) {
        Some(0) => Some(version),
        Some(_) if code(&help) == Some(0) => Some(help),
        Some(_) => Some(version),
        None => None,
    }
}

/// Runs a trial three times: twice alone, once traced; more often alone where the outputs differ, for they may always
/// do.
///
/// # Errors
/// The inputs cannot be written, or `parascan` cannot be started.
pub fn attempt(tool: &Tool, trial: &Trial) -> Result<TrialReport> {
    let report = |verdict, times| TrialReport {
        trial: trial.clone(),
        verdict,
        times,
    };
    let left_out = |why: &str| report(TrialVerdict::LeftOut(why.to_owned()), [Duration::ZERO; 2]);
    let first = TestSetup::new()?.alone(trial)?;
    let begun = Instant::now();
    let second = TestSetup::new()?.alone(trial)?;
    let alone = begun.elapsed();
    let (Some(code), Some(again)) = (first.code(), second.code()) else {
        return Ok(left_out("does not end alone"));
    };
    if code != again {
        return Ok(left_out("ends in different ways alone"));
    }
    let setup = TestSetup::new()?;
    let begun = Instant::now();
    let traced = setup.traced(tool, trial)?;
    let times = [alone, begun.elapsed()];
    let other = |run: &Finished| (&run.stdout, &run.stderr) != (&second.stdout, &second.stderr);
    let mut varies = other(&first);
    // Two runs may be the same by chance: `enc2xs` prints two lines in one order or the other, as hashes of Perl have
    // it.
    let mut more = 0;
    while !varies && other(&traced) && more < MORE_RUNS {
        varies = other(&TestSetup::new()?.alone(trial)?);
        more += 1;
    }
    let verdict = match differs(&second, &traced, varies, &setup.results()) {
        Some(what) => TrialVerdict::Differs(what),
        None if varies => TrialVerdict::Varies,
        None => TrialVerdict::Same,
    };
    Ok(report(verdict, times))
}

/// What differs between a run alone and one under the tracer, whose results are the text of a file.
fn differs(alone: &Finished, traced: &Finished, varies: bool, results: &Path) -> Option<String> {
    let Some(code) = traced.code() else {
        return Some(format!("still runs after {} s", TRACED.as_secs()));
    };
    let errors = traced.errors();
    let last = errors.lines().last().unwrap_or_default();
    if Some(code) != alone.code() {
        return Some(format!(
            "ends with {code} instead of {}: {last}",
            alone.code().unwrap_or_default()
        ));
    }
    if !varies && traced.stdout != alone.stdout {
        return Some("standard output differs".to_owned());
    }
    if !varies && traced.stderr != alone.stderr {
        return Some(format!("standard error differs: {last}"));
    }
    let whole = || -> Result<()> {
        let all: serde_json::Value = serde_json::from_slice(&fs::read(results)?)?;
        let whole = &all["graphs"][0]["results"][0];
        ensure!(
            whole["critical_path"].as_u64() > Some(10),
            "no critical path"
        );
        // Whoever dies of a signal leaves a part.
        let killed = traced
            .status
            .is_some_and(|status| status.signal().is_some());
        ensure!(all["partial"] == killed, "partial: {}", all["partial"]);
        Ok(())
    };
    whole().err().map(|error| format!("results: {error:#}"))
}

/// A scratch folder with the inputs.
struct TestSetup {
    folder: tempfile::TempDir,
}

impl TestSetup {
    fn new() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let line = |n: u32| format!("{n} {:04} line {}\n", n * 7919 % 3001, n * n % 13);
        let text: String = (1..=3000).map(line).collect();
        let other: String = (1..=3000).step_by(97).map(line).collect();
        let work = folder.path().join("work");
        fs::create_dir(&work)?;
        fs::write(work.join("text"), text)?;
        fs::write(work.join("other"), other)?;
        fs::write(
            work.join("calculation"),
            "2 ^ 200\nscale = 40\n1 / 7\nquit\n",
        )?;
        Ok(Self { folder })
    }

    /// Where the results of a traced run are.
    fn results(&self) -> PathBuf {
        self.folder.path().join("results.json")
    }

    /// The shell replaces itself by the program, so that this is what runs, and what is traced.
    fn alone(&self, trial: &Trial) -> Result<Finished> {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &format!("exec {}", trial.command)]);
        self.run(&mut shell, trial, ALONE)
    }

    fn traced(&self, tool: &Tool, trial: &Trial) -> Result<Finished> {
        let mut shell = Command::new("/bin/sh");
        shell.args([
            "-c",
            &format!(
                "exec \"$0\" ilp --format json -o \"$1\" -- {}",
                trial.command
            ),
        ]);
        shell.arg(tool.parascan().get_program()).arg(self.results());
        self.run(&mut shell, trial, TRACED)
    }

    fn run(&self, command: &mut Command, trial: &Trial, limit: Duration) -> Result<Finished> {
        command
            .current_dir(self.folder.path().join("work"))
            .env_remove("DISPLAY")
            .env("HOME", self.folder.path())
            .env("TERM", "dumb");
        if trial.hidden_avx512 {
            command.env(WITHOUT_AVX512.0, WITHOUT_AVX512.1);
        }
        run(command, limit).with_context(|| trial.command.clone())
    }
}
