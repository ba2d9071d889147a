//! The plan's edits in the files of a source tree: which file each belongs to, and what that becomes.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use parascan_analysis::apply::{Edit, EditState, FileChange, OtherEdits, Refusal, rewrite};
use parascan_formats::profile::Profile;
use parascan_formats::source::Fingerprint;

use crate::exit::{Failure, FailureKind, Outcome};
use crate::sources::{self, NamedFile};

/// A folder below which files are changed, and nowhere else.
#[derive(Debug)]
pub struct SourceTree {
    root: PathBuf,
    /// Whether files that say that they are made by a program are changed, too.
    generated: bool,
    /// What becomes of edits that files have and that are not wanted.
    others: OtherEdits,
}

/// The files that edits change, and what becomes of each edit.
#[derive(Debug)]
pub struct Changes {
    /// For each edit what was done.
    pub states: Vec<EditState>,
    /// For each edit the file that it belongs to, where that was found.
    pub places: Vec<Option<PathBuf>>,
    /// The files with edits that are wanted, by their paths; unchanged ones have them already.
    pub files: BTreeMap<PathBuf, FileChange>,
}

/// A file that edits may belong to.
struct SourceFile {
    path: PathBuf,
    text: String,
    /// Whether it is older than the recording.
    unchanged: bool,
}

impl SourceTree {
    /// The sources below this folder.
    pub fn new(root: &Path) -> Outcome<Self> {
        let missing = |what: String| {
            Failure::new(
                FailureKind::NoInput,
                format!("--root {}: {what}", root.display()),
            )
        };
        let root = root
            .canonicalize()
            .map_err(|e| missing(format!("{e}; give the folder of the program's source")))?;
        if !root.is_dir() {
            return Err(missing("this is no directory".to_owned()));
        }
        Ok(Self {
            root,
            generated: false,
            others: OtherEdits::Stay,
        })
    }

    /// The same for a copy that is thrown away: files that programs make may be changed there, and have the wanted
    /// edits and no others.
    pub fn of_copy(self) -> Self {
        Self {
            generated: true,
            others: OtherEdits::Go,
            ..self
        }
    }

    /// Any file that somebody compiles, made by a program or not.
    pub fn everything() -> Self {
        Self {
            root: PathBuf::from("/"),
            generated: true,
            others: OtherEdits::Stay,
        }
    }

    /// The folder below which files are changed.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Makes the changes of the edits that are wanted, in memory.
    pub fn changes(&self, profiles: &[Profile], edits: &[Edit], wanted: &[bool]) -> Changes {
        let named = sources::named(profiles);
        let nowhere = NamedFile::default();
        let mut states = vec![EditState::Absent; edits.len()];
        let mut places = vec![None; edits.len()];
        let mut files: BTreeMap<PathBuf, (SourceFile, Vec<usize>)> = BTreeMap::new();
        // Edits of one file as it was compiled are looked for together.
        let mut groups: BTreeMap<(&str, Option<Fingerprint>), Vec<usize>> = BTreeMap::new();
        for (number, edit) in edits.iter().enumerate() {
            let group = groups.entry((&edit.file, edit.text)).or_default();
            group.push(number);
        }
        for ((file, _), group) in groups {
            let own: Vec<&Edit> = group.iter().map(|&n| &edits[n]).collect();
            match self.find(file, named.get(file).unwrap_or(&nowhere), &own) {
                Ok(found) => {
                    for &number in &group {
                        places[number] = Some(found.path.clone());
                    }
                    let entry = files.entry(found.path.clone());
                    entry.or_insert((found, Vec::new())).1.extend(group);
                }
                Err((why, place)) => {
                    for number in group {
                        places[number].clone_from(&place);
                        if wanted[number] {
                            states[number] = EditState::Refused(why.clone());
                        }
                    }
                }
            }
        }
        let mut changed = BTreeMap::new();
        for (path, (found, numbers)) in files {
            let new = self.once_each(&found, &numbers, edits, (wanted, &mut states));
            let counts = |n: &usize| matches!(states[*n], EditState::Added | EditState::Present);
            let goes = self.others == OtherEdits::Go && new != found.text;
            if goes || numbers.iter().any(|n| wanted[*n] && counts(n)) {
                let name = path.strip_prefix(&self.root).unwrap_or(&path);
                let change = FileChange {
                    name: name.to_string_lossy().into_owned(),
                    old: found.text,
                    new,
                };
                changed.insert(path, change);
            }
        }
        Changes {
            states,
            places,
            files: changed,
        }
    }

    /// The file of these edits; or why there is none, and the one that it would be.
    fn find(
        &self,
        file: &str,
        about: &NamedFile<'_>,
        edits: &[&Edit],
    ) -> Result<SourceFile, (Refusal, Option<PathBuf>)> {
        let mut refusal = None;
        let mut tried = Vec::new();
        let compiled = about.directories.iter().map(|d| Path::new(d).join(file));
        let compiled: Vec<PathBuf> = compiled.collect();
        let moved = compiled.iter().flat_map(|path| self.moved(path));
        for (path, is_moved) in
            (compiled.iter().map(|p| (p.clone(), false))).chain(moved.map(|path| (path, true)))
        {
            let Ok(path) = path.canonicalize() else {
                continue;
            };
            if !path.is_file() || tried.contains(&path) {
                continue;
            }
            if !path.starts_with(&self.root) {
                let (shown, root) = (path.display(), self.root.display());
                let outside = Refusal::File(format!(
                    "{shown} is not below {root}: go to the folder of the source, or name it with --root"
                ));
                refusal.get_or_insert((outside, None));
                continue;
            }
            tried.push(path.clone());
            // Another file of that name would do as well if nobody knew what it held.
            if is_moved && edits.iter().all(|e| e.text.is_none()) {
                continue;
            }
            let found = match self.read(&path, about.recorded) {
                Ok(found) => found,
                Err(why) => {
                    let why = Refusal::File(format!("{}: {why}", path.display()));
                    refusal = Some((why, Some(path)));
                    continue;
                }
            };
            let all = vec![true; edits.len()];
            let states = rewrite(&found.text, edits, &all, found.unchanged, self.others).states;
            let refused = |s: &EditState| match s {
                EditState::Refused(why @ (Refusal::Changed | Refusal::Newer)) => Some(why.clone()),
                _ => None,
            };
            let Some(why) = states.iter().map(refused).collect::<Option<Vec<_>>>() else {
                return Ok(found);
            };
            if !is_moved {
                refusal = why.into_iter().next().map(|why| (why, Some(path)));
            }
        }
        Err(refusal.unwrap_or_else(|| {
            let nowhere = format!(
                "{file} was not found: go to the folder of the source, or name it with --root"
            );
            (Refusal::File(nowhere), None)
        }))
    }

    /// Puts the edits into a file, of two that are the same one, by different names of the file; the new text.
    fn once_each(
        &self,
        found: &SourceFile,
        numbers: &[usize],
        edits: &[Edit],
        (wanted, states): (&[bool], &mut [EditState]),
    ) -> String {
        let place = |n: usize| (edits[n].line, edits[n].column);
        let code = |n: usize| (&edits[n].before, &edits[n].after);
        let mut first: Vec<usize> = Vec::new();
        let mut same: Vec<(usize, usize)> = Vec::new();
        for &number in numbers {
            match first.iter().position(|&f| place(f) == place(number)) {
                None => first.push(number),
                Some(index) if code(first[index]) == code(number) => same.push((index, number)),
                Some(index) if wanted[number] => {
                    let other = edits[first[index]].first_rank();
                    states[number] = EditState::Refused(Refusal::OtherCode(other));
                }
                Some(_) => {}
            }
        }
        let own: Vec<&Edit> = first.iter().map(|&n| &edits[n]).collect();
        let mut own_wanted: Vec<bool> = first.iter().map(|&n| wanted[n]).collect();
        for &(index, number) in &same {
            own_wanted[index] |= wanted[number];
        }
        let written = rewrite(&found.text, &own, &own_wanted, found.unchanged, self.others);
        for (&number, state) in first.iter().zip(&written.states) {
            states[number] = state.clone();
        }
        for (index, number) in same {
            states[number] = written.states[index].clone();
        }
        written.text
    }

    /// Where a file may be if the tree was moved or copied here, the likeliest place first.
    fn moved(&self, path: &Path) -> Vec<PathBuf> {
        let parts: Vec<Component> = path
            .components()
            .filter(|c| matches!(c, Component::Normal(_)))
            .collect();
        let tail = |skip: usize| parts[skip..].iter().collect::<PathBuf>();
        (0..parts.len())
            .map(|skip| self.root.join(tail(skip)))
            .collect()
    }

    fn read(&self, path: &Path, recorded: Option<u64>) -> Result<SourceFile, String> {
        let text = sources::exact(path)?;
        if !self.generated
            && let Some(line) = generated(&text)
        {
            return Err(format!(
                "it is made by a program, as its line {line} says: change what it is made from"
            ));
        }
        Ok(SourceFile {
            path: path.to_owned(),
            text,
            unchanged: !sources::is_newer(path, recorded),
        })
    }
}

/// The line on which a file says that a program makes it, from 1.
fn generated(text: &str) -> Option<usize> {
    const LINES: usize = 30;
    let says = |line: &str| {
        let line = line.to_ascii_lowercase();
        line.contains("do not edit") || line.contains("automatically generated")
    };
    text.lines()
        .take(LINES)
        .position(says)
        .map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_programs_make_are_known_by_their_words() {
        assert_eq!(generated("int x;\n"), None);
        assert_eq!(
            generated("// x\n/* Generated by y: DO NOT EDIT */\n"),
            Some(2)
        );
        let late = format!("{}// do not edit\n", "\n".repeat(40));
        assert_eq!(generated(&late), None);
    }

    #[test]
    fn a_moved_tree_is_looked_through_from_the_longest_path_down() {
        let tree = SourceTree {
            root: "/copy".into(),
            generated: false,
            others: OtherEdits::Stay,
        };
        let places = tree.moved(Path::new("/home/me/../src/a.c"));
        let expected = ["home/me/src/a.c", "me/src/a.c", "src/a.c", "a.c"];
        assert_eq!(places, expected.map(|tail| Path::new("/copy").join(tail)));
    }
}
