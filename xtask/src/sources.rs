//! Published packages that are never built by cargo: sources that the tests, the demo and the tracer compile (`bench/sources`).

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::command::Cargo;
use crate::places::Places;

/// Folder of a package.
pub fn package(places: &Places, name: &str) -> Result<PathBuf> {
    let metadata = Cargo::new(places, &["metadata", "--locked", "--format-version", "1"])
        .args(&["--filter-platform", "x86_64-unknown-linux-gnu"])
        .args(&["--manifest-path", "bench/sources/Cargo.toml"])
        .output()?;
    find(&metadata, name)
}

/// Folder of a package, out of what `cargo metadata` printed.
fn find(metadata: &str, name: &str) -> Result<PathBuf> {
    let manifests = metadata
        .split("\"manifest_path\":\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    let folders = manifests.filter_map(|manifest| Path::new(manifest).parent());
    let is_it = |folder: &&Path| {
        let versioned = folder
            .file_name()
            .and_then(|n| n.to_str())
            .and_then(|n| n.strip_prefix(name)?.strip_prefix('-'));
        versioned.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
    };
    let mut found = folders.filter(is_it);
    found
        .next()
        .map(Path::to_owned)
        .with_context(|| format!("bench/sources does not name {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_found_by_their_folder() {
        let metadata = r#"{"manifest_path":"/r/libz-sys-ng-1.0.0/Cargo.toml","x":1},{"manifest_path":"/r/libz-sys-1.1.31/Cargo.toml"}"#;
        assert_eq!(
            find(metadata, "libz-sys").unwrap(),
            Path::new("/r/libz-sys-1.1.31")
        );
        assert!(find(metadata, "lib").is_err());
    }
}
