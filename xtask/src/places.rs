//! Where things are: the workspace, the target directory, the laid-out tool.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Folders that the commands work in.
#[derive(Debug)]
pub struct WorkFolders {
    /// The workspace.
    pub root: PathBuf,
    /// Cargo's target directory.
    pub target: PathBuf,
}

impl WorkFolders {
    /// Finds them from this package's place and `CARGO_TARGET_DIR`.
    pub fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("xtask lies in the workspace")?;
        let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        Ok(Self {
            root: root.to_owned(),
            target: root.join(target),
        })
    }

    /// The laid-out tool, with `bin` and `lib/parascan`.
    pub fn home(&self) -> PathBuf {
        self.target.join("parascan")
    }

    /// A command of the laid-out tool.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.home().join("bin").join(name)
    }
}
