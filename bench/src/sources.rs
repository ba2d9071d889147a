//! Where the sources of published packages are: `bench/sources` names them, its lock file holds their checksums, cargo
//! downloads, verifies and unpacks them. Nothing in them is run and none of their build scripts.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The unpacked packages.
#[derive(Clone, Debug)]
pub struct Packages(HashMap<String, PathBuf>);

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
}

impl Packages {
    /// Finds the packages, downloading those that are not on this machine yet.
    ///
    /// # Errors
    /// cargo cannot get them, or their checksums differ; its messages are in the error.
    pub fn locate() -> Result<Self> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("sources/Cargo.toml");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let output = Command::new(cargo)
            .args(["metadata", "--locked", "--format-version", "1"])
            .args([
                "--filter-platform",
                "x86_64-unknown-linux-gnu",
                "--manifest-path",
            ])
            .arg(&manifest)
            .output()
            .context("cannot run cargo")?;
        ensure!(
            output.status.success(),
            "cargo cannot get the packages of {}:\n{}",
            manifest.display(),
            String::from_utf8_lossy(&output.stderr)
        );
        let metadata: Metadata = serde_json::from_slice(&output.stdout)
            .context("cargo metadata printed something else")?;
        Ok(Self(
            metadata
                .packages
                .into_iter()
                .filter_map(|p| Some((p.name, p.manifest_path.parent()?.to_owned())))
                .collect(),
        ))
    }

    /// A folder within a package.
    ///
    /// # Errors
    /// The package does not have it.
    pub fn folder(&self, package: &str, inside: &str) -> Result<PathBuf> {
        let root = self
            .0
            .get(package)
            .with_context(|| format!("bench/sources/Cargo.toml does not name {package}"))?;
        let folder = root.join(inside);
        ensure!(folder.is_dir(), "{} is not a folder", folder.display());
        Ok(folder)
    }
}

/// Files of a folder by name.
///
/// # Errors
/// One does not exist.
pub fn files<'a>(folder: &Path, names: impl IntoIterator<Item = &'a str>) -> Result<Vec<PathBuf>> {
    names
        .into_iter()
        .map(|name| {
            let path = folder.join(name);
            ensure!(path.is_file(), "{} does not exist", path.display());
            Ok(path)
        })
        .collect()
}
