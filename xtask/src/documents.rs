//! What documents name is there: files behind links, headings behind anchors, the places of `CONTRIBUTING.md` and
//! `ARCHITECTURE.md`, the crates that depend on each other, the tests of `docs/facts.md`. And source files begin with
//! what they are for.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use toml::Table;

use crate::walk;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The documents of the project, as paths from its root.
fn documents() -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in ["", "docs"] {
        for entry in fs::read_dir(root().join(folder))? {
            let name = entry?.file_name();
            if Path::new(&name).extension().is_some_and(|e| e == "md") {
                found.push(Path::new(folder).join(name));
            }
        }
    }
    Ok(found)
}

fn read(document: &Path) -> Result<String> {
    fs::read_to_string(root().join(document)).with_context(|| document.display().to_string())
}

/// What stands between `](` and `)`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
}

/// The anchors of a document's headings, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        title
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_somewhere() -> Result<()> {
    let mut broken = Vec::new();
    for document in documents()? {
        let text = read(&document)?;
        for link in links(&text).filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => document.clone(),
                file => document.parent().unwrap_or(Path::new("")).join(file),
            };
            let there = root().join(&target).exists();
            if !there || !anchor.is_empty() && !anchors(&read(&target)?).iter().any(|a| a == anchor)
            {
                broken.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    Ok(())
}

#[test]
fn contributors_are_sent_to_places_that_exist() -> Result<()> {
    let in_the_tree = |part: &&str| {
        let first = part.split('/').next().unwrap_or_default();
        part.contains('/')
            && ["bench", "collectors", "crates", "docs", "tests", "xtask"].contains(&first)
    };
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = read(Path::new(document))?;
        let named: Vec<&str> = text
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(in_the_tree)
            .collect();
        assert!(named.len() > 20, "{document}: {named:?}");
        let missing: Vec<&&str> = named
            .iter()
            .filter(|part| !part.contains('*') && !root().join(part).exists())
            .collect();
        assert!(missing.is_empty(), "{document}: {missing:?}");
    }
    Ok(())
}

/// The paragraphs of `ARCHITECTURE.md` about crates begin with the folder, and the crates of ours that it depends on:
/// ``**`crates/symbols`** (formats, isa): ...``.
#[test]
fn crates_depend_on_what_the_architecture_says() -> Result<()> {
    let text = read(Path::new("ARCHITECTURE.md"))?;
    let said: BTreeMap<&str, Vec<&str>> = text
        .lines()
        .filter_map(|line| {
            let (folder, rest) = line.strip_prefix("**`")?.split_once("`** (")?;
            let (crates, _) = rest.split_once(')')?;
            Some((
                folder,
                crates.split(", ").filter(|c| *c != "none").collect(),
            ))
        })
        .collect();
    let manifest = |folder: &str| -> Result<Table> {
        Ok(read(&Path::new(folder).join("Cargo.toml"))?.parse()?)
    };
    let workspace = manifest("")?;
    let members = workspace["workspace"]["members"]
        .as_array()
        .context("Cargo.toml lists no members")?;
    assert_eq!(said.len(), members.len());
    for folder in members.iter().filter_map(|member| member.as_str()) {
        let manifest = manifest(folder)?;
        let mut ours: Vec<&str> = manifest
            .get("dependencies")
            .and_then(|table| table.as_table())
            .into_iter()
            .flat_map(Table::keys)
            .filter_map(|name| name.strip_prefix("parascan-"))
            .collect();
        ours.sort_unstable();
        assert_eq!(said.get(folder), Some(&ours), "{folder}");
    }
    Ok(())
}

/// Each row of `docs/facts.md` that has tests: a file, a colon, and functions of that file.
#[test]
fn facts_are_held_by_tests_that_exist() -> Result<()> {
    let text = read(Path::new("docs/facts.md"))?;
    let (mut found, mut missing) = (0, Vec::new());
    for row in text.lines().filter(|line| line.starts_with("| ")) {
        let held_by = row
            .trim_end_matches(" |")
            .rsplit(" | ")
            .next()
            .unwrap_or_default();
        let mut code = String::new();
        for name in held_by.split('`').skip(1).step_by(2) {
            if name.contains('/') {
                code = read(Path::new(name))?;
            } else if code.contains(&format!("fn {name}(")) {
                found += 1;
            } else {
                missing.push(name);
            }
        }
    }
    assert!(found > 60, "{found}");
    assert!(missing.is_empty(), "{missing:?}");
    Ok(())
}

#[test]
fn the_index_has_all_documents() -> Result<()> {
    let text = read(Path::new("docs/README.md"))?;
    let listed: Vec<&str> = links(&text).collect();
    for document in documents()? {
        let Ok(name) = document.strip_prefix("docs") else {
            continue;
        };
        let name = name.to_string_lossy();
        assert!(
            name == "README.md" || listed.contains(&name.as_ref()),
            "{name}"
        );
    }
    Ok(())
}

/// The first line, but for that of a script's interpreter, is a comment of some words.
#[test]
fn source_files_begin_with_what_they_are_for() -> Result<()> {
    let mut files = Vec::new();
    for folder in ["bench", "collectors", "crates", "include", "tests", "xtask"] {
        let extensions = ["cpp", "h", "js", "rs", "sh"];
        let enters = |path: &Path| !path.ends_with("target");
        files.extend(walk::files(&root().join(folder), &extensions, enters)?);
    }
    assert!(files.len() > 1000, "{}", files.len());
    let says = |text: &str| {
        let mut lines = text.lines().filter(|line| !line.starts_with("#!/"));
        let first = lines.next().unwrap_or_default();
        let comment = first.starts_with("//") || first.starts_with("/*") || first.starts_with("# ");
        comment && first.split_whitespace().count() > 2
    };
    let mut silent = Vec::new();
    for file in files {
        if !says(&fs::read_to_string(&file)?) {
            silent.push(file);
        }
    }
    assert!(silent.is_empty(), "{silent:?}");
    Ok(())
}

/// Latency tables have their keys in kebab-case, `--format json` names in snake_case.
#[test]
fn keys_of_latency_tables_are_written_as_tables_have_them() -> Result<()> {
    for document in documents()? {
        let text = read(&document)?;
        let json = document.ends_with("docs/json.md");
        assert!(
            json || !text.contains("load_adds"),
            "{}: `load-adds`",
            document.display()
        );
    }
    Ok(())
}
