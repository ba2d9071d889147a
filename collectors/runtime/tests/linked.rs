//! The archive as it ships, linked into C programs of every kind, and the logs that they leave.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use parascan_abi::log::{
    Context, FILE_SIZE, FINISHED, FLAG_THREADS, Header, MAGIC, OFF_BLIND, OFF_CONTEXTS, OFF_FRAMES,
    OFF_MODULES, OpenRegion, RUNNING,
};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/driver.c");

/// Option that tells the driver the contract's version.
fn abi_version() -> String {
    format!("-DABI_VERSION={}", parascan_abi::ABI_VERSION)
}

fn run(command: &mut Command) -> Output {
    let output = command.output().expect("starts");
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Builds the archive once.
fn archive() -> &'static Path {
    static ARCHIVE: OnceLock<PathBuf> = OnceLock::new();
    ARCHIVE.get_or_init(|| {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runtime");
        run(Command::new(env!("CARGO"))
            .args([
                "build",
                "--quiet",
                "--package",
                "parascan-runtime",
                "--profile",
                "rt",
                "--target-dir",
            ])
            .arg(&target)
            .current_dir(env!("CARGO_MANIFEST_DIR")));
        let archive = target.join("libparascan_rt.a");
        run(
            Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/localize.sh"))
                .arg(target.join("rt/libparascan_runtime.a"))
                .arg(&archive),
        );
        archive
    })
}

/// Compiles the driver with `options`; a second run does not compile again.
fn driver(name: &str, options: &[&str]) -> PathBuf {
    let program =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    run(Command::new("clang-22")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-o"])
        .arg(&program)
        .args([&abi_version(), SOURCE])
        .arg(archive())
        .args(options));
    program
}

/// The plain driver.
fn plain() -> &'static Path {
    static PLAIN: OnceLock<PathBuf> = OnceLock::new();
    PLAIN.get_or_init(|| driver("plain", &["-rdynamic"]))
}

/// Runs `program` without address randomization, recording into `directory`.
fn record(program: &Path, arguments: &[&str], directory: &Path) -> Output {
    Command::new("setarch")
        .arg("-R")
        .arg(program)
        .args(arguments)
        .env("PARASCAN_DIR", directory)
        .output()
        .expect("starts")
}

/// A log as it lies on disk.
struct Log(File);

impl Log {
    fn read<T>(&self, offset: u64, index: u64) -> T {
        let mut bytes = vec![0_u8; size_of::<T>()];
        self.0
            .read_exact_at(&mut bytes, offset + index * size_of::<T>() as u64)
            .expect("inside the log");
        // SAFETY: the log's types are plain numbers.
        unsafe { std::ptr::read_unaligned(bytes.as_ptr().cast()) }
    }

    fn header(&self) -> Header {
        self.read(0, 0)
    }

    /// The context of a chain of regions.
    fn context(&self, chain: &[u32]) -> Context {
        let mut at = 0;
        for &region in chain {
            at = (1..self.header().contexts)
                .find(|&i| {
                    let context: Context = self.read(OFF_CONTEXTS, u64::from(i));
                    context.parent == at && context.region == region
                })
                .unwrap_or_else(|| panic!("a context for {chain:?}"));
        }
        self.read(OFF_CONTEXTS, u64::from(at))
    }
}

/// The logs in a directory by name, checked for what all have in common.
fn logs(directory: &Path) -> Vec<(String, Log)> {
    let mut logs: Vec<_> = fs::read_dir(directory)
        .expect("readable")
        .map(|entry| {
            let entry = entry.expect("readable");
            let log = Log(File::open(entry.path()).expect("readable"));
            assert_eq!(log.0.metadata().expect("readable").len(), FILE_SIZE);
            let header = log.header();
            assert_eq!(header.magic, MAGIC);
            assert_eq!(
                (header.abi_version, header.tick_bits, header.lanes),
                (parascan_abi::ABI_VERSION, 32, 8)
            );
            assert_eq!(
                (header.regions, header.blind, header.module_bytes),
                (4, 2, 40)
            );
            let name = entry.file_name().into_string().expect("plain");
            assert!(name.starts_with(&format!("log.{}", header.pid)), "{name}");
            (name, log)
        })
        .collect();
    logs.sort_by(|a, b| a.0.cmp(&b.0));
    logs
}

fn only_log(directory: &Path) -> Log {
    let mut logs = logs(directory);
    assert_eq!(logs.len(), 1);
    logs.remove(0).1
}

fn temporary() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

/// Runs the plain driver, which must end well, and returns its only log.
fn recorded(arguments: &[&str]) -> Log {
    let directory = temporary();
    let output = record(plain(), arguments, directory.path());
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(output.stdout, b"done\n");
    only_log(directory.path())
}

#[test]
fn every_kind_of_executable_records() {
    for (name, options) in [
        ("pie", &["-fPIE", "-pie"][..]),
        ("fixed", &["-fno-pie", "-no-pie"]),
        ("static", &["-static"]),
        ("static-pie", &["-fPIE", "-static-pie"]),
        ("lld", &["-fuse-ld=lld-22"]),
        ("sections", &["-ffunction-sections", "-Wl,--gc-sections"]),
    ] {
        let program = driver(name, options);
        let directory = temporary();
        let output = record(&program, &[], directory.path());
        assert!(
            output.status.success(),
            "{name}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let log = only_log(directory.path());
        let header = log.header();
        assert_eq!(
            (header.state, header.flags, header.frames),
            (FINISHED, 0, 0),
            "{name}"
        );
        assert_eq!((header.work, header.work_outside), (15, 0), "{name}");
        assert_ne!(header.root_sequence, 0, "{name}");
        let main = log.context(&[0]);
        assert_eq!(
            (main.instances, main.work, main.cp, main.child_work),
            (1, 15, 15, 10),
            "{name}"
        );
        // 10 of 15 units are the child's; the critical path is all of them.
        assert_eq!(main.parallel_time, 15.0, "{name}");
        assert_eq!(log.context(&[0, 1]).cp, 10, "{name}");
        let blob: [u8; 8] = log.read(OFF_MODULES + 32, 0);
        assert_eq!(&blob, b"the blob");
        fs::remove_file(program).expect("there");
    }
}

#[test]
fn without_directory_nothing_is_written() {
    let directory = temporary();
    let output = Command::new(plain())
        .current_dir(directory.path())
        .env_remove("PARASCAN_DIR")
        .output()
        .expect("starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(output.stdout, b"done\n");
    assert_eq!(fs::read_dir(directory.path()).expect("readable").count(), 0);
}

#[test]
fn a_killed_program_leaves_its_open_regions() {
    let directory = temporary();
    let output = record(plain(), &["kill"], directory.path());
    assert_eq!(output.status.signal(), Some(9));
    let log = only_log(directory.path());
    let header = log.header();
    assert_eq!((header.state, header.frames, header.work), (RUNNING, 2, 32));
    let frame: OpenRegion = log.read(OFF_FRAMES, 1);
    assert_eq!(
        (frame.region, frame.work, frame.child_work, frame.children),
        (2, 15, 10, 1)
    );
    assert_eq!(u64::from(header.m.0[1]) - frame.base, 17);
    assert_eq!(log.context(&[0, 2, 1]).instances, 1);
}

#[test]
fn exit_closes_what_is_open() {
    for (how, code, work) in [("exit", 3, 22), ("_exit", 4, 15)] {
        let directory = temporary();
        assert_eq!(
            record(plain(), &[how], directory.path()).status.code(),
            Some(code)
        );
        let log = only_log(directory.path());
        let header = log.header();
        assert_eq!(
            (header.state, header.frames, header.work),
            (FINISHED, 0, work),
            "{how}"
        );
        assert_eq!(
            (log.context(&[0]).instances, log.context(&[0, 2]).instances),
            (1, 1),
            "{how}"
        );
    }
}

#[test]
fn a_forked_child_counts_from_the_fork_on() {
    let directory = temporary();
    let output = record(plain(), &["fork"], directory.path());
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut logs = logs(directory.path());
    assert_eq!(logs.len(), 2);
    logs.sort_by_key(|(_, log)| log.header().forked_from);
    let (parent, child) = (&logs[0].1, &logs[1].1);
    assert_eq!(parent.header().forked_from, 0);
    assert_eq!(child.header().forked_from, parent.header().pid);
    assert_eq!(
        (parent.header().state, parent.header().work),
        (FINISHED, 32)
    );
    assert_eq!((child.header().state, child.header().frames), (FINISHED, 0));
    // The 7 units before the fork were not flushed by a boundary; they are in the state that the child inherits.
    assert_eq!(
        (child.header().work, child.header().work_outside),
        (1010, 0)
    );
    for (chain, instances, work, cp) in [
        (&[0][..], 1, 1010, 10),
        (&[0, 2], 1, 1010, 1010),
        (&[0, 2, 1], 1, 10, 10),
    ] {
        let context = child.context(chain);
        assert_eq!(
            (context.instances, context.work),
            (instances, work),
            "{chain:?}"
        );
        assert!(context.cp >= cp, "{chain:?}");
    }
    assert_eq!(child.context(&[0, 1]).instances, 0);
    assert_eq!(parent.context(&[0, 2, 1]).instances, 1);
}

#[test]
fn exec_that_fails_changes_nothing() {
    let directory = temporary();
    let output = record(plain(), &["exec"], directory.path());
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let logs = logs(directory.path());
    assert_eq!(logs.len(), 2);
    assert_eq!(logs[1].0, format!("{}.1", logs[0].0), "the same process");
    let (before, after) = (&logs[0].1, &logs[1].1);
    // One call before the first attempt, one between the two.
    assert_eq!(
        (before.header().state, before.header().work),
        (FINISHED, 25)
    );
    assert_eq!(
        (
            before.context(&[0]).instances,
            before.context(&[0, 1]).instances
        ),
        (1, 2)
    );
    assert_eq!((after.header().state, after.header().work), (FINISHED, 15));
}

#[test]
fn a_vforked_child_leaves_the_log_alone() {
    let log = recorded(&["vfork"]);
    assert_eq!(
        (log.header().state, log.context(&[0]).instances),
        (FINISHED, 1)
    );
}

#[test]
fn other_threads_are_counted_and_not_recorded() {
    let log = recorded(&["threads"]);
    assert_eq!(
        (log.header().threads, log.header().flags),
        (3, FLAG_THREADS)
    );
    assert_eq!(log.context(&[0, 1]).instances, 1);
}

#[test]
fn signal_handlers_may_interrupt_the_runtime() {
    let log = recorded(&["signals"]);
    let header = log.header();
    assert_eq!((header.state, header.frames), (FINISHED, 0));
    assert_eq!(log.context(&[0]).instances, 1);
}

#[test]
fn blind_spots_are_counted_in_the_log() {
    let log = recorded(&["blind"]);
    assert_eq!(
        (log.read::<u64>(OFF_BLIND, 0), log.read::<u64>(OFF_BLIND, 1)),
        (0, 2)
    );
}

#[test]
fn shared_libraries_share_the_runtime() {
    // One library brings its own copy of the runtime, which must stay out of the way, the other uses the program's.
    let bare =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("libbare-{}.so", std::process::id()));
    run(Command::new("clang-22")
        .args(["-DLIBRARY", "-fPIC", "-shared", "-o"])
        .arg(&bare)
        .args([&abi_version(), SOURCE]));
    let own = driver("libown.so", &["-DLIBRARY", "-fPIC", "-shared"]);
    for library in [bare, own] {
        let directory = temporary();
        let output = record(
            plain(),
            &["library", library.to_str().expect("plain")],
            directory.path(),
        );
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let entry = fs::read_dir(directory.path())
            .expect("readable")
            .next()
            .expect("a log")
            .expect("readable");
        let log = Log(File::open(entry.path()).expect("readable"));
        assert_eq!((log.header().state, log.header().regions), (FINISHED, 8));
        // Region 3 of the second module.
        assert_eq!(log.context(&[0, 7]).work, 100);
        fs::remove_file(library).expect("there");
    }
}

#[test]
fn impossible_requests_end_with_a_message() {
    let missing = record(plain(), &[], Path::new("/nonexistent/directory"));
    let limited = Command::new("sh")
        .args(["-c", "ulimit -v 8000000; exec \"$0\""])
        .arg(plain())
        .output()
        .expect("starts");
    let level = Command::new(plain())
        .env("PARASCAN_DIR", "/tmp")
        .env("PARASCAN_START_LEVEL", "many")
        .output()
        .expect("starts");
    for (output, word) in [
        (missing, "does not exist"),
        (limited, "ulimit -v unlimited"),
        (level, "is not a number"),
    ] {
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(78), "{message}");
        assert!(
            message.starts_with("parascan: ") && message.contains(word),
            "{message}"
        );
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(output.stdout.is_empty());
    }
}
