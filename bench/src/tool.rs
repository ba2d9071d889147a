//! The compilers: plain clang, and parascan wherever it was built.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

/// A laid-out parascan.
#[derive(Clone, Debug)]
pub struct Tool {
    home: PathBuf,
    other: bool,
}

impl Tool {
    /// Finds the tool: `PARASCAN_HOME`, else `parascan` in the workspace's target directory.
    ///
    /// # Errors
    /// It is not there; the message says how to build it.
    pub fn find() -> Result<Self> {
        let home = match std::env::var_os("PARASCAN_HOME") {
            Some(home) => std::path::absolute(home)?,
            None => target_dir().join("parascan"),
        };
        Self::at(home)
    }

    /// The tool laid out in a folder.
    ///
    /// # Errors
    /// It is not there; the message says how to build it.
    pub fn at(home: PathBuf) -> Result<Self> {
        for name in ["parascan", "parascan-cc", "parascan-c++"] {
            let path = home.join("bin").join(name);
            if !path.is_file() {
                bail!(
                    "{} does not exist: run `cargo xtask build` first, or set PARASCAN_HOME to a folder with bin/",
                    path.display()
                );
            }
        }
        Ok(Self { home, other: false })
    }

    /// This one as a second one beside the one that is measured: what it builds lies apart.
    #[must_use]
    pub fn as_other(self) -> Self {
        Self {
            other: true,
            ..self
        }
    }

    /// The `parascan` command.
    pub fn parascan(&self) -> Command {
        Command::new(self.home.join("bin/parascan"))
    }

    /// A file of the tool's library folder.
    fn library(&self, name: &str) -> PathBuf {
        self.home.join("lib/parascan").join(name)
    }
}

/// What is built into a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// Tracked code alone.
    Exact,
    /// The same with clocks that hold for any length.
    Wide,
    /// No observation of carried dependences: where what that costs is measured.
    Unobserved,
    /// Tracked code that [`crate::bursts`] looks at in bursts.
    Bursts,
    /// What users get: native versions of functions beside.
    Native,
}

/// A way to compile.
#[derive(Clone, Debug)]
pub enum Compiler {
    /// `clang-22`.
    Native,
    /// `parascan-cc`.
    Parascan {
        /// Where it is.
        tool: Tool,
        /// Further flags of parascan's own.
        flags: Vec<String>,
        /// What of it.
        build: Build,
    },
}

impl Compiler {
    /// Name for folders: builds of different compilers and flags lie apart.
    pub fn name(&self) -> String {
        match self {
            Self::Native => "native".into(),
            Self::Parascan { tool, flags, build } => {
                let flags: String = flags.concat();
                let tail = flags.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
                let head = match build {
                    Build::Exact => "",
                    Build::Wide => "-wide",
                    Build::Unobserved => "-unobserved",
                    Build::Bursts => "-bursts",
                    Build::Native => "-bursts-native",
                };
                let other = if tool.other { "-other" } else { "" };
                format!("parascan{other}{head}{tail}")
            }
        }
    }

    /// The C or C++ driver.
    pub fn driver(&self, cpp: bool) -> Command {
        match self {
            Self::Native => Command::new(if cpp { "clang++-22" } else { "clang-22" }),
            Self::Parascan { tool, flags, build } => {
                let name = if cpp { "parascan-c++" } else { "parascan-cc" };
                let mut command = Command::new(tool.home.join("bin").join(name));
                command.args(flags);
                match build {
                    Build::Exact => _ = command.env("PARASCAN_EXACT", "1"),
                    Build::Wide => {
                        command.envs([("PARASCAN_EXACT", "1"), ("PARASCAN_CLOCK", "64")]);
                    }
                    Build::Unobserved => {
                        command.envs([("PARASCAN_EXACT", "1"), ("PARASCAN_UNOBSERVED", "1")]);
                    }
                    Build::Bursts => _ = command.env("PARASCAN_BURSTS", "tracked"),
                    Build::Native => {}
                }
                command
            }
        }
    }

    /// Files on which objects depend besides sources and the command line.
    pub fn pass(&self) -> Vec<PathBuf> {
        match self {
            Self::Native => Vec::new(),
            Self::Parascan { tool, .. } => vec![tool.library("libparascan_pass.so")],
        }
    }

    /// Files that are linked into every program.
    pub fn runtime(&self) -> Vec<PathBuf> {
        match self {
            Self::Native => Vec::new(),
            Self::Parascan { tool, .. } => vec![tool.library("libparascan_rt.a")],
        }
    }
}

/// The workspace's folder.
pub fn workspace_dir() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate lies in the workspace")
}

/// The target directory: `CARGO_TARGET_DIR`, else the workspace's `target`.
pub fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => workspace_dir().join(dir),
        None => workspace_dir().join("target"),
    }
}

/// Where builds and runs of this crate's programs go.
pub fn scratch_dir() -> PathBuf {
    target_dir().join("parascan-bench")
}
