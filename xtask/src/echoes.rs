//! Documentation that says no more than the name of what it stands at (`/// Its work.` at `work`): a reader wants
//! meaning, units, ranges.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::places::WorkFolders;
use crate::walk::files;

/// Folders that are looked at.
const FOLDERS: [&str; 4] = ["bench", "collectors", "crates", "tests/suite/src"];

/// Words that tell nothing beside a name.
const FILLERS: &str = "a all an and any are as be by do does done for from gave give given gives he in is it its made make \
makes of on one or say says that the their them these they this those to what which who whose with";
/// Longer sentences say something.
const MOST_WORDS: usize = 6;

/// Fails and names them where there are any.
pub fn check(places: &WorkFolders) -> Result<()> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        for path in files(&places.root.join(folder), &["rs"], is_shipped)? {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let shown = path.strip_prefix(&places.root).unwrap_or(&path).display();
            let lines = echoes(&text).into_iter();
            found.extend(lines.map(|(line, words)| format!("{shown}:{line}: {words}")));
        }
    }
    ensure!(
        found.is_empty(),
        "documentation that only repeats a name (say meaning, units, ranges):\n{}",
        found.join("\n")
    );
    Ok(())
}

/// Whether code in this folder is more than tests, and ours.
fn is_shipped(folder: &Path) -> bool {
    !["tests", "benches", "target"]
        .iter()
        .any(|name| folder.ends_with(name))
}

/// Documentation of one line at public items, where all words stand in the item's name: lines, from 1, and texts.
fn echoes(code: &str) -> Vec<(usize, &str)> {
    let lines: Vec<&str> = code.lines().map(str::trim).collect();
    let is_doc = |at: usize| lines.get(at).is_some_and(|line| line.starts_with("///"));
    let mut found = Vec::new();
    for at in 0..lines.len() {
        if !is_doc(at) || is_doc(at + 1) || at > 0 && is_doc(at - 1) {
            continue;
        }
        let text = lines[at].trim_start_matches('/').trim();
        let mut items = lines[at + 1..].iter();
        let item = items.find(|line| !line.starts_with('#'));
        if let Some(name) = item.and_then(|line| public_name(line))
            && repeats(text, name)
        {
            found.push((at + 1, text));
        }
    }
    found
}

/// Name of the public item that a line declares.
fn public_name(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub")?;
    let rest = match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(')')?.1,
        None => rest,
    };
    let mut words = rest.split_whitespace().skip_while(|word| {
        let kinds = [
            "async", "const", "enum", "extern", "fn", "mod", "static", "struct", "trait", "type",
            "union", "unsafe", "\"C\"",
        ];
        kinds.contains(word)
    });
    let name = words.next()?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
    Some(&name[..end.unwrap_or(name.len())]).filter(|name| !name.is_empty())
}

/// Whether a text has no word that the name has not.
fn repeats(text: &str, name: &str) -> bool {
    let words: Vec<String> = text
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let named = parts(name);
    let known = |word: &String| {
        FILLERS.split(' ').any(|filler| filler == word) || named.contains(&stem(word))
    };
    words.len() <= MOST_WORDS && words.iter().all(known)
}

/// The stems of the words of a name in any case.
fn parts(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut before = '_';
    for c in name.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            spaced.push('_');
        }
        spaced.push(c);
        before = c;
    }
    let spaced = spaced.to_lowercase();
    let words = spaced.split('_').filter(|word| !word.is_empty());
    words.map(stem).collect()
}

/// A word without its ending.
fn stem(word: &str) -> String {
    let endings = ["ings", "ing", "ies", "es", "ed", "s", "d"];
    let mut stems = endings
        .iter()
        .filter_map(|ending| word.strip_suffix(ending));
    stems
        .find(|stem| stem.len() >= 3)
        .unwrap_or(word)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_repeats_the_name_is_found() {
        let code = "\
/// Its work.
pub work: u64,
/// The critical paths.
#[serde(skip)]
pub(crate) struct CriticalPath {
/// Does it.
pub fn wake(&self) {
/// Work in units of the latency table.
pub work: u64,
/// Its work,
/// and more.
pub work: u64,
/// Private.
fn private() {}
";
        let found: Vec<usize> = echoes(code).iter().map(|(line, _)| *line).collect();
        assert_eq!(found, [1, 3, 6]);
    }

    #[test]
    fn the_workspace_has_none() -> Result<()> {
        check(&WorkFolders::find()?)
    }
}
