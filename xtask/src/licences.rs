//! Whether everything that is linked may be: the list in `deny.toml` against the licences that packages state; and the
//! notices that licences ask to be passed on.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use spdx::{Expression, ParseMode};

use crate::command::{self, Cargo};
use crate::places::WorkFolders;
use crate::sources;

/// Packages of the workspace that are shipped, with what is linked into them.
const SHIPPED: [&str; 5] = [
    "parascan",
    "parascan-pass",
    "parascan-runtime",
    "parascan-omp",
    "parascan-tracer",
];
/// How files with notices begin.
const NOTICES: [&str; 6] = [
    "LICENSE",
    "LICENCE",
    "COPYING",
    "NOTICE",
    "COPYRIGHT",
    "UNLICENSE",
];

/// Checks all packages that any member of the workspace depends on.
pub fn check(places: &WorkFolders) -> Result<()> {
    let text = fs::read_to_string(places.root.join("deny.toml")).context("deny.toml")?;
    let allowed = allowed(&text)?;
    ensure!(!allowed.is_empty(), "deny.toml allows no licence");
    let mut wrong: Vec<String> = packages(places, &["--workspace"], "normal,build,dev")?
        .into_iter()
        .filter(|package| !satisfied(&package.licence, &allowed))
        .map(|package| format!("{} {}: {}", package.name, package.version, package.licence))
        .collect();
    wrong.sort_unstable();
    ensure!(
        wrong.is_empty(),
        "licences that deny.toml does not allow:\n{}",
        wrong.join("\n")
    );
    Ok(())
}

/// The notices of everything that is linked into what ships, the same text once.
pub fn notices(places: &WorkFolders) -> Result<String> {
    let metadata = sources::metadata(places, None)?;
    let empty = Vec::new();
    let all = metadata["packages"].as_array().unwrap_or(&empty);
    let manifests: HashMap<(&str, &str), &str> = all
        .iter()
        .filter_map(|p| {
            Some((
                (p["name"].as_str()?, p["version"].as_str()?),
                p["manifest_path"].as_str()?,
            ))
        })
        .collect();
    let selected = command::selected(&SHIPPED);
    let mut texts: HashMap<String, usize> = HashMap::new();
    let mut notices = "Packages of other authors that are part of parascan, and what their licences ask to be passed on.\n\n".to_owned();
    let mut bodies = String::new();
    for package in packages(places, &selected, "normal")? {
        let key = (package.name.as_str(), package.version.as_str());
        let manifest = manifests
            .get(&key)
            .with_context(|| format!("cargo metadata has no {}", package.name))?;
        let folder = Path::new(manifest)
            .parent()
            .context("a manifest lies in a folder")?;
        if folder.starts_with(&places.root) {
            continue;
        }
        let mut numbers = Vec::new();
        for text in notices_in(folder)? {
            let next = texts.len() + 1;
            let number = *texts.entry(text.clone()).or_insert(next);
            if number == next {
                let _ = write!(bodies, "\n---- [{number}] ----\n\n{}\n", text.trim_end());
            }
            numbers.push(format!("[{number}]"));
        }
        let _ = writeln!(
            notices,
            "{} {}: {} {}",
            package.name,
            package.version,
            package.licence,
            numbers.join(" ")
        );
    }
    notices.push_str("\nRust's standard library: MIT OR Apache-2.0, https://github.com/rust-lang/rust/blob/master/COPYRIGHT\n");
    notices.push_str("DynamoRIO (libdynamorio.so, drmgr and drreg in libparascan_tracer.so): BSD-3-Clause, lib/parascan/DynamoRIO-License.txt\n");
    notices.push_str(&bodies);
    Ok(notices)
}

/// Texts of the files with notices of a package, by their names.
fn notices_in(folder: &Path) -> Result<Vec<String>> {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .with_context(|| folder.display().to_string())?
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .to_uppercase();
            path.is_file() && NOTICES.iter().any(|start| name.starts_with(start))
        })
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| fs::read_to_string(path).with_context(|| path.display().to_string()))
        .collect()
}

/// A package and what it states of its licence.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct LicensedPackage {
    name: String,
    version: String,
    licence: String,
}

/// What selected packages depend on by these kinds of edges, and they themselves.
fn packages(
    places: &WorkFolders,
    selected: &[&str],
    edges: &str,
) -> Result<BTreeSet<LicensedPackage>> {
    let tree = Cargo::new(
        places,
        &["tree", "--locked", "--prefix", "none", "--edges", edges],
    )
    .args(&[
        "--target",
        "x86_64-unknown-linux-gnu",
        "--format",
        "{l}\t{p}",
    ])
    .args(selected)
    .output()?;
    let lines = tree.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let (licence, package) = line.split_once('\t').context("cargo tree: no tab")?;
            let mut words = package.split(' ');
            let name = words.next().context("cargo tree: no name")?.to_owned();
            let version = words.next().and_then(|v| v.strip_prefix('v'));
            Ok(LicensedPackage {
                name,
                version: version.context("cargo tree: no version")?.to_owned(),
                licence: licence.to_owned(),
            })
        })
        .collect()
}

/// The strings of `licenses.allow` in `deny.toml`.
fn allowed(text: &str) -> Result<Vec<String>> {
    let file: toml::Table = text.parse().context("deny.toml")?;
    let list = file
        .get("licenses")
        .and_then(|l| l.get("allow")?.as_array());
    let list = list.context("deny.toml has no licenses.allow")?;
    Ok(list
        .iter()
        .filter_map(|l| l.as_str().map(str::to_owned))
        .collect())
}

/// Whether an SPDX expression can be met by licences that are allowed.
fn satisfied(expression: &str, allowed: &[String]) -> bool {
    Expression::parse_mode(expression, ParseMode::LAX)
        .is_ok_and(|e| e.evaluate(|requirement| allowed.contains(&requirement.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions() {
        let allowed = ["MIT", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        for good in [
            "MIT",
            "MIT OR GPL-3.0-only",
            "GPL-2.0-only/MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR ISC",
            "MIT OR (GPL-3.0-only AND ISC)",
        ] {
            assert!(satisfied(good, &allowed), "{good}");
        }
        for wrong in [
            "",
            "GPL-3.0-only",
            "MIT AND GPL-3.0-only",
            "Apache-2.0",
            "(GPL-3.0-only OR ISC) AND MIT",
            "ISC OR (MIT AND GPL-3.0-only)",
        ] {
            assert!(!satisfied(wrong, &allowed), "{wrong}");
        }
    }

    #[test]
    fn the_list_is_read() {
        let text = "[licenses]\nallow = [\n  \"MIT\",\n  \"Zlib\",\n]\nother = [\"X\"]";
        assert_eq!(allowed(text).unwrap(), ["MIT", "Zlib"]);
        assert!(allowed("[bans]").is_err());
    }
}
