//! Modules that need each other: cycles of `crate::` and `super::` paths within a package.
//!
//! A module is a file. That a parent uses what it is made of (`child::item`) is no edge, since its children are it;
//! tests count for nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use toml::{Table, Value};

use crate::places::WorkFolders;

/// A module: its names from the package's root.
type ModulePath = Vec<String>;
/// Modules, each with those that it names.
type ModuleGraph = BTreeMap<ModulePath, BTreeSet<ModulePath>>;

/// Fails and names the cycles where there are any.
pub fn check(places: &WorkFolders) -> Result<()> {
    let manifest = fs::read_to_string(places.root.join("Cargo.toml")).context("Cargo.toml")?;
    let manifest: Table = manifest.parse().context("Cargo.toml")?;
    let members = manifest["workspace"]["members"].as_array();
    let members = members.context("Cargo.toml lists no members")?;
    let mut wrong = Vec::new();
    for member in members.iter().filter_map(Value::as_str) {
        let cycles = cycles(&graph(&places.root.join(member).join("src"))?);
        let lines = cycles.iter();
        wrong.extend(lines.map(|cycle| format!("{member}: {}", shown(cycle))));
    }
    ensure!(
        wrong.is_empty(),
        "modules that need each other (a module that both use and that needs neither cuts a cycle):\n{}",
        wrong.join("\n")
    );
    Ok(())
}

fn shown(cycle: &[ModulePath]) -> String {
    let names: Vec<String> = cycle
        .iter()
        .map(|module| match module.is_empty() {
            true => "the root".to_owned(),
            false => module.join("::"),
        })
        .collect();
    names.join(", ")
}

/// The modules below a folder of sources, without those of other targets (`bin`, `main.rs` beside a library) and tests.
fn graph(folder: &Path) -> Result<ModuleGraph> {
    let mut sources = BTreeMap::new();
    if folder.exists() {
        read(folder, &mut Vec::new(), &mut sources)?;
    }
    if folder.join("lib.rs").exists() {
        sources.remove(&vec!["main".to_owned()]);
    }
    for root in ["lib", "main"] {
        if let Some(text) = sources.remove(&vec![root.to_owned()]) {
            sources.insert(Vec::new(), text);
        }
    }
    Ok(linked(&sources))
}

/// Texts of the modules below a folder that is the module `at`.
fn read(
    folder: &Path,
    at: &mut ModulePath,
    sources: &mut BTreeMap<ModulePath, String>,
) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if name == "tests" || (at.is_empty() && name == "bin") {
            continue;
        }
        let is_code = path.extension().is_some_and(|e| e == "rs");
        if is_code && name == "mod" {
            sources.insert(at.clone(), text(&path)?);
            continue;
        }
        at.push(name.into_owned());
        if path.is_dir() {
            read(&path, at, sources)?;
        } else if is_code {
            sources.insert(at.clone(), text(&path)?);
        }
        at.pop();
    }
    Ok(())
}

fn text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| path.display().to_string())
}

/// Which module names which.
fn linked(sources: &BTreeMap<ModulePath, String>) -> ModuleGraph {
    let one = |(module, text): (&ModulePath, &String)| {
        let text = without_tests(text);
        let named = paths(&text).into_iter().filter_map(|path| {
            let mut target = absolute(module, &path)?;
            while !sources.contains_key(&target) {
                target.pop()?;
            }
            Some(target)
        });
        let others = named.filter(|other| other != module).collect();
        (module.clone(), others)
    };
    sources.iter().map(one).collect()
}

/// The code alone: no lines that are comments, nothing from the module of unit tests on, which is a file's last.
fn without_tests(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next();
    let lines = code.unwrap_or_default().lines();
    let lines = lines.filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// All paths that begin with `crate` or `super`, those of `use` lists one by one.
fn paths(code: &str) -> Vec<Vec<&str>> {
    let mut found = Vec::new();
    for start in ["crate", "super"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            let begins = before.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '_' | ':'));
            if begins && code[at + start.len()..].starts_with("::") {
                tree(&mut &code[at..], &mut Vec::new(), &mut found);
            }
        }
    }
    found
}

/// Reads a path, or a list of them in braces, below `prefix`.
fn tree<'a>(rest: &mut &'a str, prefix: &mut Vec<&'a str>, found: &mut Vec<Vec<&'a str>>) {
    let depth = prefix.len();
    loop {
        *rest = rest.trim_start();
        if let Some(inside) = rest.strip_prefix('{') {
            *rest = inside;
            loop {
                tree(rest, prefix, found);
                // Behind a path may stand `as name`.
                let end = rest.find([',', '}']).unwrap_or(rest.len());
                let more = rest[end..].starts_with(',');
                *rest = rest.get(end + 1..).unwrap_or_default();
                if !more || rest.trim_start().starts_with('}') {
                    break;
                }
            }
            break;
        }
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let (name, behind) = rest.split_at(end.unwrap_or(rest.len()));
        prefix.push(name);
        *rest = behind;
        match behind.strip_prefix("::") {
            Some(next) => *rest = next,
            None => {
                found.push(prefix.clone());
                break;
            }
        }
    }
    prefix.truncate(depth);
}

/// What a path means in a module; none where it leaves the package.
fn absolute(module: &ModulePath, path: &[&str]) -> Option<ModulePath> {
    let mut at = module.clone();
    for (number, &name) in path.iter().enumerate() {
        match name {
            "crate" if number == 0 => at.clear(),
            "super" => {
                at.pop()?;
            }
            "self" | "" => {}
            name => at.push(name.to_owned()),
        }
    }
    Some(at)
}

/// Groups of two modules and more in which each leads to each (Tarjan's algorithm), by name.
fn cycles(graph: &ModuleGraph) -> Vec<Vec<ModulePath>> {
    let mut search = Search {
        graph,
        order: BTreeMap::new(),
        open: Vec::new(),
        found: Vec::new(),
    };
    for module in graph.keys() {
        if !search.order.contains_key(module) {
            search.visit(module);
        }
    }
    search.found.sort();
    search.found
}

struct Search<'a> {
    graph: &'a ModuleGraph,
    /// In which order modules were reached.
    order: BTreeMap<&'a ModulePath, usize>,
    /// Modules whose group is not complete.
    open: Vec<&'a ModulePath>,
    found: Vec<Vec<ModulePath>>,
}

impl<'a> Search<'a> {
    /// The earliest module of those that are open that this one leads to.
    fn visit(&mut self, module: &'a ModulePath) -> usize {
        let number = self.order.len();
        self.order.insert(module, number);
        self.open.push(module);
        let mut earliest = number;
        let graph = self.graph;
        for other in &graph[module] {
            if !self.order.contains_key(other) {
                earliest = earliest.min(self.visit(other));
            } else if self.open.contains(&other) {
                earliest = earliest.min(self.order[other]);
            }
        }
        if earliest == number {
            let first = self.open.iter().position(|open| *open == module);
            let group = self.open.split_off(first.unwrap_or_default());
            if group.len() > 1 {
                let mut group: Vec<ModulePath> = group.into_iter().cloned().collect();
                group.sort();
                self.found.push(group);
            }
        }
        earliest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(name: &str) -> ModulePath {
        let names = name.split("::").filter(|name| !name.is_empty());
        names.map(str::to_owned).collect()
    }

    fn found(sources: &[(&str, &str)]) -> Vec<String> {
        let sources = sources.iter();
        let sources = sources.map(|(name, text)| (module(name), (*text).to_owned()));
        let cycles = cycles(&linked(&sources.collect()));
        cycles.iter().map(|cycle| shown(cycle)).collect()
    }

    #[test]
    fn lists_are_taken_apart() {
        let code = "use crate::a::{self, b::{C, d as e}, f};\nuse super::super::g; x(crate::h::i()); mycrate::j; a::super::k";
        let shown: Vec<String> = paths(code).iter().map(|path| path.join("::")).collect();
        assert_eq!(
            shown,
            [
                "crate::a::self",
                "crate::a::b::C",
                "crate::a::b::d",
                "crate::a::f",
                "crate::h::i",
                "super::super::g"
            ]
        );
    }

    #[test]
    fn cycles_are_found_and_trees_are_not() {
        let tree = [
            ("", "mod a; mod b; use a::x;"),
            ("a", "use crate::b::{self, y};"),
            ("b", "pub fn y() {}"),
        ];
        assert_eq!(found(&tree), [""; 0]);
        let round = [
            ("", "mod a;"),
            ("a", "use crate::b::Y;"),
            ("a::c", "use super::super::b::d::Z; // crate::a::e"),
            ("b", "use super::b::d::Z;"),
            ("b::d", "use crate::a::X;"),
        ];
        assert_eq!(found(&round), ["a, b, b::d"]);
        let root = [("", "use crate::a::x;"), ("a", "use super::Error;")];
        assert_eq!(found(&root), ["the root, a"]);
    }

    #[test]
    fn tests_and_comments_are_left_out() {
        let sources = [
            ("a", "use crate::b::x;"),
            (
                "b",
                "/// [`crate::a`]\nfn x() {}\n#[cfg(test)]\nmod tests {\n    use crate::a::y;\n}",
            ),
        ];
        assert_eq!(found(&sources), [""; 0]);
    }

    #[test]
    fn the_workspace_has_none() -> Result<()> {
        check(&WorkFolders::find()?)
    }
}
