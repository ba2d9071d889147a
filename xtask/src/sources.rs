//! Published packages that are never built by cargo: sources that the tests, the demo and the tracer compile
//! (`bench/sources`).

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::command::Cargo;
use crate::places::WorkFolders;

/// Folder of a package.
pub fn package(places: &WorkFolders, name: &str) -> Result<PathBuf> {
    let metadata = metadata(places, Some("bench/sources/Cargo.toml"))?;
    find(&metadata, name)
}

/// What `cargo metadata` says of a manifest, or of the workspace.
pub fn metadata(places: &WorkFolders, manifest: Option<&str>) -> Result<Value> {
    let mut cargo = Cargo::new(places, &["metadata", "--locked", "--format-version", "1"])
        .args(&["--filter-platform", "x86_64-unknown-linux-gnu"]);
    if let Some(manifest) = manifest {
        cargo = cargo.args(&["--manifest-path", manifest]);
    }
    serde_json::from_str(&cargo.output()?).context("cargo metadata")
}

/// Folder of a package, out of what `cargo metadata` says.
fn find(metadata: &Value, name: &str) -> Result<PathBuf> {
    let packages = metadata["packages"].as_array();
    let found = packages.and_then(|all| all.iter().find(|package| package["name"] == name));
    let manifest = found.and_then(|package| package["manifest_path"].as_str());
    let folder = manifest.and_then(|manifest| Path::new(manifest).parent());
    folder
        .map(Path::to_owned)
        .with_context(|| format!("bench/sources does not name {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_found_by_their_name() {
        let metadata = serde_json::json!({"packages": [
            {"name": "libz-sys-ng", "manifest_path": "/r/libz-sys-ng-1.0.0/Cargo.toml"},
            {"name": "libz-sys", "manifest_path": "/r/libz-sys-1.1.31/Cargo.toml"},
        ]});
        assert_eq!(
            find(&metadata, "libz-sys").unwrap(),
            Path::new("/r/libz-sys-1.1.31")
        );
        assert!(find(&metadata, "lib").is_err());
    }

    /// `cargo xtask lint` runs `cargo machete` where it is installed, which would call all of them unused.
    #[test]
    fn machete_leaves_them_alone() -> Result<()> {
        let manifest = WorkFolders::find()?.root.join("bench/sources/Cargo.toml");
        let manifest: toml::Table = std::fs::read_to_string(manifest)?.parse()?;
        let dependencies = manifest["dependencies"].as_table().context("a table")?;
        let ignored = manifest["package"]["metadata"]["cargo-machete"]["ignored"]
            .as_array()
            .context("a list")?;
        let ignored: Vec<&str> = ignored.iter().filter_map(toml::Value::as_str).collect();
        assert_eq!(dependencies.keys().collect::<Vec<_>>(), ignored);
        Ok(())
    }
}
