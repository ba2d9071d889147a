//! Which files of the user's a command line compiles: its inputs, and the headers that they include.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use super::facts::SEPARATE;
use super::response;

/// Inputs and folders of headers of a command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CommandSources {
    /// Input files in their order, each with the language that `-x` gives it, if any.
    pub inputs: Vec<(PathBuf, Option<String>)>,
    /// Files of `-include`.
    included: Vec<PathBuf>,
    /// Folders of `-iquote`.
    quote: Vec<PathBuf>,
    /// Folders of `-I`.
    folders: Vec<PathBuf>,
}

impl CommandSources {
    /// Finds the inputs and folders of headers of a command line, with those that response files name.
    pub fn of(arguments: &[OsString]) -> Self {
        let mut sources = Self::default();
        let mut language = None;
        let arguments = response::expand(arguments);
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let bytes = argument.as_bytes();
            let mut option = bytes;
            let mut value: &[u8] = &[];
            if SEPARATE.iter().any(|s| argument == s) {
                value = rest.next().map(|v| v.as_bytes()).unwrap_or_default();
            } else {
                let joined: [&[u8]; 5] = [
                    b"-iquote",
                    b"-I",
                    b"-x",
                    b"--include-directory=",
                    b"--language=",
                ];
                if let Some(name) = joined.iter().find(|name| bytes.starts_with(name)) {
                    (option, value) = bytes.split_at(name.len());
                }
            }
            let path = || PathBuf::from(OsStr::from_bytes(value));
            match option {
                b"-I" | b"--include-directory=" => sources.folders.push(path()),
                b"-iquote" => sources.quote.push(path()),
                b"-include" => sources.included.push(path()),
                b"-x" | b"--language" | b"--language=" => {
                    language =
                        (value != b"none").then(|| String::from_utf8_lossy(value).into_owned());
                }
                _ if !bytes.starts_with(b"-") => {
                    sources.inputs.push((argument.into(), language.clone()))
                }
                _ => {}
            }
        }
        sources
    }

    /// The inputs of C and C++ and all headers found through them, as the compiler will spell them but absolute, with
    /// their contents. Includes are found by their text, whatever the conditions around them say; those of system
    /// folders and those named by macros are not.
    pub fn c_files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let inputs = self
            .inputs
            .iter()
            .filter(|(path, language)| is_c(path, language.as_deref()));
        let mut todo: Vec<PathBuf> = inputs.map(|(path, _)| path.clone()).collect();
        todo.extend(self.included.iter().cloned());
        let here = working_directory();
        let mut seen = BTreeSet::new();
        let mut files = BTreeMap::new();
        while let Some(path) = todo.pop() {
            let name = plain(&here.join(&path));
            if !seen.insert(name.clone()) || !path.is_file() {
                continue;
            }
            // What cannot be read is left to the compiler to complain about.
            let Ok(text) = std::fs::read(&path) else {
                continue;
            };
            for (name, quoted) in includes(&text) {
                let own = path.parent().filter(|_| quoted);
                let quote = self.quote.iter().filter(|_| quoted).map(PathBuf::as_path);
                let folders = self.folders.iter().map(PathBuf::as_path);
                let all = own.into_iter().chain(quote).chain(folders);
                todo.extend(
                    all.map(|folder| folder.join(name))
                        .find(|file| file.is_file()),
                );
            }
            files.insert(name, text);
        }
        files
    }
}

/// Whether a file is compiled as C or C++.
fn is_c(path: &Path, language: Option<&str>) -> bool {
    const EXTENSIONS: &[&str] = &[
        "c", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "CC", "h", "hh", "hp", "hpp", "hxx",
        "h++", "H", "i", "ii",
    ];
    match language {
        Some(language) => language.starts_with('c'),
        None => path
            .extension()
            .is_some_and(|e| EXTENSIONS.iter().any(|known| e == *known)),
    }
}

/// Names that lines include, and whether in quotation marks.
fn includes(text: &[u8]) -> impl Iterator<Item = (&OsStr, bool)> {
    text.split(|&b| b == b'\n').filter_map(|line| {
        let line = line.trim_ascii_start().strip_prefix(b"#")?;
        let line = line.trim_ascii_start().strip_prefix(b"include")?;
        let line = line
            .strip_prefix(b"_next")
            .unwrap_or(line)
            .trim_ascii_start();
        let close = match line.first()? {
            b'"' => b'"',
            b'<' => b'>',
            _ => return None,
        };
        let end = line[1..].iter().position(|&b| b == close)?;
        Some((OsStr::from_bytes(&line[1..=end]), close == b'"'))
    })
}

/// The working directory as clang names it: by `PWD`, through symbolic links, if that is right.
fn working_directory() -> PathBuf {
    let identity = |path: &Path| std::fs::metadata(path).map(|m| (m.dev(), m.ino())).ok();
    let logical = std::env::var_os("PWD").map(PathBuf::from);
    let right = |p: &PathBuf| p.is_absolute() && identity(p) == identity(Path::new("."));
    logical
        .filter(right)
        .or_else(|| std::env::current_dir().ok())
        .unwrap_or_default()
}

/// A path without `.` and `..`, by its text alone, as clang's overlay of files takes paths.
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        if component == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(component);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_and_folders() {
        let line = "-O2 a.c -Iinc -I x/../inc2 -iquote q -o out.c -xc b.txt -x none c.o -include p.h -DX=y.c";
        let arguments: Vec<OsString> = line.split(' ').map(Into::into).collect();
        let sources = CommandSources::of(&arguments);
        assert_eq!(
            sources.inputs,
            [
                ("a.c", None),
                ("b.txt", Some("c".to_owned())),
                ("c.o", None)
            ]
            .map(|(p, l)| (p.into(), l))
        );
        assert_eq!(sources.folders, ["inc", "x/../inc2"].map(PathBuf::from));
        assert_eq!(sources.quote, ["q"].map(PathBuf::from));
        assert_eq!(sources.included, ["p.h"].map(PathBuf::from));
    }

    #[test]
    fn headers_are_found_as_the_compiler_finds_them() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            path
        };
        let main = file(
            "src/main.c",
            "#include \"own.h\"\n # include <both.h>\n#include \"none.h\"\n",
        );
        let own = file(
            "src/own.h",
            "#include \"../inc/deep.h\"\n#include \"own.h\"\n",
        );
        let both = file("inc/both.h", "");
        file("src/both.h", "");
        let deep = file("inc/deep.h", "");
        let mut option = OsString::from("-I");
        option.push(folder.path().join("src/../inc"));
        let sources = CommandSources::of(&[option, main.clone().into()]);
        let mut expected = [main, own, both, deep];
        expected.sort();
        assert!(sources.c_files().keys().eq(expected.iter()));
    }
}
