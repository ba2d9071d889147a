//! Dependencies that manifests name and no code uses, as `cargo machete` finds them: by the words of the sources,
//! without a build.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use toml::{Table, Value};

use crate::places::WorkFolders;
use crate::walk::files;

/// What a table of dependencies may be used by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DependencyTable {
    Normal,
    Development,
    Build,
}

const KINDS: [(&str, DependencyTable); 3] = [
    ("dependencies", DependencyTable::Normal),
    ("dev-dependencies", DependencyTable::Development),
    ("build-dependencies", DependencyTable::Build),
];

/// A file of Rust code.
struct RustFile {
    /// From the package's folder.
    path: PathBuf,
    /// Without lines that are comments.
    text: String,
}

/// Fails and names them where a member of the workspace has a dependency that it does not use, or the workspace one
/// that no member has.
///
/// A dependency is used where a path begins with its name, or `use` names it: normal ones outside of tests, those of
/// build scripts there. What a manifest lists under `package.metadata.cargo-machete.ignored` (with a reason beside it)
/// is left alone, as by that tool.
pub fn check(places: &WorkFolders) -> Result<()> {
    let workspace = manifest(&places.root)?;
    let members = workspace["workspace"]["members"]
        .as_array()
        .context("Cargo.toml lists no members")?;
    let mut wrong = Vec::new();
    let mut needed = Vec::new();
    for member in members.iter().filter_map(Value::as_str) {
        let folder = places.root.join(member);
        let manifest = manifest(&folder)?;
        let code = code(&folder)?;
        needed.extend(dependencies(&manifest).map(|(_, name)| name.to_owned()));
        wrong.extend(
            unused(&manifest, &code)
                .into_iter()
                .map(|name| format!("{member}/Cargo.toml: {name}")),
        );
    }
    let shared = workspace["workspace"].get("dependencies");
    for name in shared
        .and_then(Value::as_table)
        .into_iter()
        .flat_map(Table::keys)
    {
        if !needed.contains(name) {
            wrong.push(format!("Cargo.toml: {name} (no member depends on it)"));
        }
    }
    ensure!(
        wrong.is_empty(),
        "dependencies that nothing uses (remove them, or list them with a reason in `package.metadata.cargo-machete.ignored`):\n{}",
        wrong.join("\n")
    );
    Ok(())
}

fn manifest(folder: &Path) -> Result<Table> {
    let path = folder.join("Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    text.parse().with_context(|| path.display().to_string())
}

/// The Rust files below a folder, packages inside it left out.
fn code(folder: &Path) -> Result<Vec<RustFile>> {
    let ours = |path: &Path| !path.join("Cargo.toml").exists() && !path.ends_with("target");
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        Ok(RustFile {
            text: lines.collect::<Vec<_>>().join("\n"),
            path: path.strip_prefix(folder).unwrap_or(&path).to_owned(),
        })
    };
    files(folder, &["rs"], ours)?
        .into_iter()
        .map(read)
        .collect()
}

/// All dependencies of a manifest, those of single targets too.
fn dependencies(manifest: &Table) -> impl Iterator<Item = (DependencyTable, &str)> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let tables = targets
        .into_iter()
        .flat_map(Table::values)
        .filter_map(Value::as_table)
        .chain([manifest]);
    tables.flat_map(|table| {
        KINDS.into_iter().flat_map(|(name, kind)| {
            let listed = table.get(name).and_then(Value::as_table);
            listed
                .into_iter()
                .flat_map(Table::keys)
                .map(move |name| (kind, name.as_str()))
        })
    })
}

/// The dependencies of a package that its code does not use, each with what it is.
fn unused(manifest: &Table, code: &[RustFile]) -> Vec<String> {
    let ignored = ["package", "metadata", "cargo-machete", "ignored"]
        .iter()
        .try_fold(&Value::Table(manifest.clone()), |at, key| {
            at.get(key).ok_or(())
        })
        .ok()
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let is_test = |path: &Path| {
        ["tests", "benches", "examples"]
            .iter()
            .any(|f| path.starts_with(f))
    };
    let mut unused = Vec::new();
    for (kind, name) in dependencies(manifest) {
        let crate_name = name.replace('-', "_");
        let may = |path: &Path| match kind {
            DependencyTable::Normal => !is_test(path) && path != Path::new("build.rs"),
            DependencyTable::Development => path != Path::new("build.rs"),
            DependencyTable::Build => path == Path::new("build.rs") || path.starts_with("build"),
        };
        let used = code
            .iter()
            .any(|file| may(&file.path) && uses(&file.text, &crate_name));
        if !used && !ignored.iter().any(|other| other.as_str() == Some(name)) {
            let elsewhere = code.iter().any(|file| uses(&file.text, &crate_name));
            unused.push(match (kind, elsewhere) {
                (DependencyTable::Normal, true) => {
                    format!("{name} (only tests or the build script use it)")
                }
                _ => name.to_owned(),
            });
        }
    }
    unused
}

/// Whether code names a crate: at the beginning of a path, or after `use` or `extern crate`.
fn uses(text: &str, name: &str) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        // `a::name` is a path of another crate; `::name` begins one.
        let outer = before.strip_suffix("::").unwrap_or(before);
        let begins = !before.ends_with(part_of_word)
            && (outer.len() == before.len() || !outer.ends_with(|c| part_of_word(c) || c == '>'));
        let ends = !after.starts_with(part_of_word);
        let named =
            before.trim_end().ends_with("use") || before.trim_end().ends_with("extern crate");
        begins && ends && (after.starts_with("::") || named)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> RustFile {
        RustFile {
            path: path.into(),
            text: text.into(),
        }
    }

    #[test]
    fn paths_and_uses_count_words_and_comments_do_not() {
        for text in [
            "use serde::Serialize;",
            "use serde;",
            "extern crate serde;",
            "let x = serde::de::X;",
            "#[derive(::serde::Serialize)]",
            "pub use serde as s;",
            "impl<T: serde::X> Y for T {}",
        ] {
            assert!(uses(text, "serde"), "{text}");
        }
        for text in [
            "use serde_json::Value;",
            "my_serde::x()",
            "crate::serde::x()",
            "let serde = 1;",
            "fn serde() {}",
            "\"serde\"",
        ] {
            assert!(!uses(text, "serde"), "{text}");
        }
    }

    #[test]
    fn each_kind_has_its_files() -> Result<()> {
        let manifest: Table = "
            [dependencies]
            in-code = '1'
            in-tests = '1'
            nowhere = '1'
            kept = '1'
            [dev-dependencies]
            for-tests = '1'
            for-nothing = '1'
            [build-dependencies]
            cc = '1'
            [target.'cfg(unix)'.dependencies]
            only-unix = '1'
            [package.metadata.cargo-machete]
            ignored = ['kept']
        "
        .parse()?;
        let code = [
            file("src/lib.rs", "use in_code::X; fn f() { cc::g() }"),
            file("tests/a.rs", "in_tests::x(); for_tests::y();"),
        ];
        assert_eq!(
            unused(&manifest, &code),
            [
                "only-unix",
                "in-tests (only tests or the build script use it)",
                "nowhere",
                "for-nothing",
                "cc"
            ]
        );
        Ok(())
    }

    #[test]
    fn the_workspace_uses_what_it_names() -> Result<()> {
        check(&WorkFolders::find()?)
    }
}
