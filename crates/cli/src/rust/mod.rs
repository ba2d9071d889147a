//! `cargo parascan`: cargo, whose programs are built for plans. rustc writes LLVM's bitcode and calls parascan as its
//! linker (`link.rs`), which has clang make instrumented code of it.

mod kept;
mod link;

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::exit::{Failure, FailureKind, Outcome};
use crate::print;
pub use link::link;

/// Name under which the binary is a command of cargo's.
pub const CARGO_COMMAND: &str = "cargo-parascan";
/// Name under which rustc calls it to link.
pub const LINKER: &str = "parascan-link";

const TARGET: &str = "x86_64-unknown-linux-gnu";
/// Commands of cargo's that build with a profile, and so take `--release`.
const BUILDING: [&str; 7] = ["build", "b", "run", "r", "test", "t", "rustc"];
/// Newest LLVM whose bitcode the pass reads.
const NEWEST: u32 = 22;

const HELP: &str = "\
cargo, whose programs are built for plans.

Usage: cargo parascan COMMAND [OPTIONS] [-- ARGUMENTS]

COMMAND and OPTIONS are cargo's own. `run` records what it runs, in
parascan.prof. --release is added unless a profile is named; --target is
parascan's own. RUSTFLAGS are kept, and the variables of `parascan cc` set how
the program is built (`parascan help cc`).

Examples:
  cargo parascan run -- input.txt && parascan plan
  cargo parascan build
  parascan record -- target/x86_64-unknown-linux-gnu/release/prog input.txt
";

/// Replaces this process by cargo, or prints what it can be asked for. Returns only then, or when it fails.
pub fn exec(arguments: &[OsString]) -> Outcome<ExitCode> {
    let first = arguments.first().and_then(|a| a.to_str());
    if matches!(first, Some("-h" | "--help" | "help")) {
        print::out(HELP)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut cargo = command(arguments)?;
    let error = cargo.exec();
    let name = cargo.get_program().display();
    Err(Failure::new(
        FailureKind::Unavailable,
        format!("{name} cannot be executed: {error}"),
    ))
}

fn command(arguments: &[OsString]) -> Outcome<Command> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    let Some((subcommand, rest)) = arguments.split_first() else {
        return Err(Failure::new(
            FailureKind::Usage,
            "cargo parascan needs a command of cargo's: `cargo parascan run -- ARGUMENTS` builds, runs and records a program, `cargo parascan build` \
             only builds it",
        ));
    };
    let own = rest.iter().take_while(|a| *a != "--");
    let given: Vec<&OsStr> = own.map(OsString::as_os_str).collect();
    let has = |names: &[&str]| {
        given.iter().any(|a| {
            let name = a.to_str().unwrap_or_default();
            names
                .iter()
                .any(|n| name == *n || name.starts_with(&format!("{n}=")))
        })
    };
    if has(&["--target"]) {
        return Err(Failure::new(
            FailureKind::Usage,
            format!(
                "cargo parascan builds for {TARGET}, where programs can be recorded: leave --target out"
            ),
        ));
    }
    readable_bitcode()?;
    let bin = bin()?;
    command.arg(subcommand).args(["--target", TARGET]);
    let builds = subcommand.to_str().is_some_and(|s| BUILDING.contains(&s));
    if builds && !has(&["--release", "-r", "--profile"]) {
        command.arg("--release");
    }
    let words = ["record", "--"].map(str::to_owned);
    let path = bin.join("parascan").display().to_string();
    let runner: Vec<String> = std::iter::once(path).chain(words).collect();
    let runner = format!("target.{TARGET}.runner={runner:?}");
    if matches!(subcommand.to_str(), Some("run" | "r")) {
        command.arg("--config").arg(runner);
    }
    command.args(rest);
    command.env("CARGO_ENCODED_RUSTFLAGS", flags(&bin));
    // Link-time optimization would run before the pass, and symbols are names of what it measures.
    for profile in ["RELEASE", "DEV"] {
        command.env(format!("CARGO_PROFILE_{profile}_LTO"), "off");
        command.env(format!("CARGO_PROFILE_{profile}_DEBUG"), "2");
        command.env(format!("CARGO_PROFILE_{profile}_STRIP"), "none");
    }
    // C and C++ that build scripts compile for the program.
    let target = TARGET.replace('-', "_");
    for (variable, driver) in [("CC", "parascan-cc"), ("CXX", "parascan-c++")] {
        let variable = format!("{variable}_{target}");
        if std::env::var_os(&variable).is_none() {
            command.env(variable, bin.join(driver));
        }
    }
    Ok(command)
}

/// The folder of the binary and of the names by which it is called.
fn bin() -> Outcome<PathBuf> {
    let own = std::env::current_exe().ok();
    let bin = own.as_ref().and_then(|own| own.parent());
    bin.map(PathBuf::from).ok_or_else(|| {
        Failure::new(
            FailureKind::Io,
            "the folder of parascan's own binary is not known",
        )
    })
}

/// The user's flags for rustc and parascan's, as cargo takes them.
fn flags(bin: &std::path::Path) -> OsString {
    let mut all = std::env::var_os("CARGO_ENCODED_RUSTFLAGS")
        .filter(|f| !f.is_empty())
        .unwrap_or_else(|| {
            let plain = std::env::var("RUSTFLAGS").unwrap_or_default();
            let words: Vec<&str> = plain.split_whitespace().collect();
            words.join("\u{1f}").into()
        });
    let mut linker = OsString::from("-Clinker=");
    linker.push(bin.join(LINKER));
    for flag in [
        "-Clinker-plugin-lto".into(),
        "-Clinker-flavor=gcc".into(),
        linker,
    ] {
        if !all.is_empty() {
            all.push("\u{1f}");
        }
        all.push(flag);
    }
    all
}

/// Refuses a rustc whose bitcode the pass's LLVM cannot read.
fn readable_bitcode() -> Outcome<()> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(&rustc).arg("-vV").output().map_err(|e| {
        let rustc = rustc.display();
        Failure::new(
            FailureKind::Unavailable,
            format!("{rustc} cannot be executed: {e}"),
        )
    })?;
    let text = String::from_utf8_lossy(&output.stdout);
    match llvm_of(&text) {
        Some(version) if version > NEWEST => Err(Failure::new(
            FailureKind::Unavailable,
            format!(
                "this rustc has LLVM {version}, whose bitcode LLVM {NEWEST} cannot read: take an older toolchain (`cargo +1.95 parascan ...`)"
            ),
        )),
        _ => Ok(()),
    }
}

/// The major version of LLVM that `rustc -vV` names.
fn llvm_of(text: &str) -> Option<u32> {
    let version = text
        .lines()
        .find_map(|l| l.strip_prefix("LLVM version: "))?;
    version.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_llvm() {
        assert_eq!(llvm_of("rustc 1.95.0\nLLVM version: 22.1.2\n"), Some(22));
        assert_eq!(llvm_of("rustc 1.95.0\n"), None);
    }

    #[test]
    fn commands_that_cannot_be() {
        for wrong in [&[][..], &["run", "--target", "x"], &["build", "--target=x"]] {
            let arguments: Vec<OsString> = wrong.iter().map(OsString::from).collect();
            assert_eq!(command(&arguments).unwrap_err().kind(), FailureKind::Usage);
        }
    }
}
