//! The laid-out tool, and commands run with a time limit.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Once;

use tempfile::TempDir;

/// Where the tool should be: `PARASCAN_HOME`, else the workspace's target directory.
fn home() -> PathBuf {
    std::env::var_os("PARASCAN_HOME").map_or_else(
        || {
            let root = Path::new(env!("CARGO_MANIFEST_DIR"))
                .ancestors()
                .nth(2)
                .expect("crates/cli lies in the workspace");
            let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
            root.join(target).join("parascan")
        },
        PathBuf::from,
    )
}

/// Whether the test is to be left out, since the tool was not built: said once. Where `PARASCAN_HOME` is set, as by
/// `cargo xtask test`, the tool must be there.
pub fn no_tool() -> bool {
    static SAID: Once = Once::new();
    let asked_for = std::env::var_os("PARASCAN_HOME").is_some();
    let missing = !asked_for && !home().join("bin/parascan-cc").is_file();
    if missing {
        // Not by `eprintln!`, which is shown for failures only.
        SAID.call_once(|| {
            let _ = writeln!(
                std::io::stderr(),
                "left out: tests that need the tool; `cargo xtask test` builds it and runs them"
            );
        });
    }
    missing
}

/// Folder with the commands.
pub fn bin() -> PathBuf {
    let bin = home().join("bin");
    assert!(
        bin.join("parascan-cc").is_file(),
        "{} has no parascan-cc: run `cargo xtask build`",
        bin.display()
    );
    bin
}

/// An empty folder in which commands run.
pub struct WorkFolder {
    folder: TempDir,
}

impl WorkFolder {
    /// Makes one.
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// A file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }

    /// Runs a shell script with the tool first in the path and no input; ends all its processes after two minutes.
    pub fn sh(&self, script: &str) -> CommandResult {
        self.command(script)
            .output()
            .map(CommandResult::from)
            .expect("sh runs")
    }

    /// The same, not started yet.
    pub fn command(&self, script: &str) -> Command {
        let path = format!(
            "{}:{}",
            bin().display(),
            std::env::var("PATH").unwrap_or_default()
        );
        let mut command = Command::new("timeout");
        command
            .args(["--kill-after=5", "120", "sh", "-c", script])
            .current_dir(self.folder.path())
            .env("PATH", path);
        for name in [
            "PARASCAN_LATENCY",
            "PARASCAN_DIR",
            "PARASCAN_CLANG",
            "PARASCAN_CLANGXX",
            "PARASCAN_FLANG",
            "PARASCAN_WATCH",
            "PARASCAN_APPLY",
            "PARASCAN_APPLY_ENTRIES",
            "PARASCAN_PLAIN",
            "NO_COLOR",
        ] {
            command.env_remove(name);
        }
        command
            // Costs that somebody measured here would make other plans.
            .env("PARASCAN_COSTS", "none/costs.toml")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// How a command ended.
#[derive(Debug, PartialEq, Eq)]
pub struct CommandResult {
    /// Exit code.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl From<Output> for CommandResult {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: output.status.code(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }
}
