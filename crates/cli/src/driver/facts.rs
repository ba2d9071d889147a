//! What a command line of clang or flang is going to do, as far as the driver must know it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use super::{Language, response};

/// Facts about one command line that compiles, assembles or links.
#[derive(Debug, PartialEq, Eq)]
pub struct CommandFacts {
    debug: Debug,
    may_link: bool,
    /// Nothing dynamic: in a static position-independent program an exported thread-local variable is a relocation
    /// that the start-up code cannot do.
    fixed: bool,
    /// Sanitizer that wants shadow memory of its own.
    sanitizer: Option<&'static str>,
}

/// Debug information that the user asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Debug {
    None,
    Some,
    Full,
}

/// Options whose value is the next argument; only those matter here whose value may look like an input.
pub const SEPARATE: &[&str] = &[
    "-o",
    "-x",
    "-include",
    "-include-pch",
    "-imacros",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-F",
    "-isystem",
    "-isystem-after",
    "-idirafter",
    "-iquote",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "--sysroot",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xclang",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-mllvm",
    "-T",
    "-u",
    "-z",
    "-e",
    "-target",
    "--param",
    "-framework",
    "-arch",
    "-ivfsoverlay",
    "-working-directory",
    "--config",
    "-dumpdir",
    "--language",
    "--output",
    // flang's folder of modules.
    "-J",
    "-module-dir",
];

/// Sanitizers that have shadow memory where parascan's is, or names of their own for what is called.
const SANITIZERS: &[&str] = &[
    "address",
    "hwaddress",
    "memory",
    "thread",
    "dataflow",
    "type",
    "numerical",
];

/// Options with which nothing is linked.
const NO_LINK: &[&str] = &[
    "-c",
    "-S",
    "-E",
    "-M",
    "-MM",
    "-fsyntax-only",
    "--precompile",
    "--analyze",
    "-emit-ast",
    "--compile",
    "--assemble",
    "--preprocess",
    "--dependencies",
    "--user-dependencies",
];

const HEADERS: &[&str] = &[
    "h", "hh", "hp", "hpp", "hxx", "h++", "H", "tcc", "pch", "gch",
];

impl CommandFacts {
    /// `None` when clang only answers a question (`--version`, `-print-...`), is called as its own compiler proper, or
    /// compiles for another machine, whose code cannot be measured.
    pub fn of(arguments: &[OsString]) -> Option<Self> {
        let arguments = response::expand(arguments);
        if arguments
            .first()
            .is_some_and(|a| a.as_bytes().starts_with(b"-cc1"))
        {
            return None;
        }
        let mut scan = Scan::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let separate = SEPARATE.iter().any(|option| argument == option);
            let value = if separate {
                rest.next().map(OsString::as_os_str)
            } else {
                None
            };
            scan.argument(argument.as_bytes(), value.unwrap_or_default());
        }
        if scan.question || scan.foreign || !(scan.inputs || scan.headers) {
            return None;
        }
        let only_headers = scan.header_language || (scan.headers && !scan.inputs);
        Some(Self {
            debug: scan.debug,
            fixed: scan.fixed,
            sanitizer: scan.sanitizers.last().copied(),
            may_link: !(scan.no_link || scan.relocatable || only_headers),
        })
    }

    /// Configuration files that the compiler must read.
    pub fn configs(
        &self,
        language: Language,
        long_clocks: bool,
    ) -> impl Iterator<Item = &'static str> + use<> {
        let fortran = language == Language::Fortran;
        let compile = if fortran {
            "fortran.cfg"
        } else {
            "compile.cfg"
        };
        let debug = (self.debug != Debug::Full && !fortran).then_some("debug.cfg");
        let link = if long_clocks {
            "link64.cfg"
        } else {
            "link.cfg"
        };
        let link = self.may_link.then_some(link);
        let export = (self.may_link && !self.fixed).then_some("export.cfg");
        std::iter::once(compile)
            .chain(debug)
            .chain(link)
            .chain(export)
    }

    /// A sanitizer that was asked for and cannot be in one program with parascan.
    pub fn sanitizer(&self) -> Option<&'static str> {
        self.sanitizer
    }

    /// What asks flang for debug information behind the user's own options: it has no way around them.
    pub fn debug_option(&self, language: Language) -> Option<&'static str> {
        (language == Language::Fortran && self.debug != Debug::Full).then_some("-g")
    }

    /// Whether the pass must take away all debug information after use.
    pub fn strip_debug(&self) -> bool {
        self.debug == Debug::None
    }
}

#[derive(Debug)]
struct Scan {
    debug: Debug,
    question: bool,
    foreign: bool,
    inputs: bool,
    headers: bool,
    header_language: bool,
    no_link: bool,
    relocatable: bool,
    fixed: bool,
    sanitizers: Vec<&'static str>,
}

impl Default for Scan {
    fn default() -> Self {
        Self {
            debug: Debug::None,
            question: false,
            foreign: false,
            inputs: false,
            headers: false,
            header_language: false,
            no_link: false,
            relocatable: false,
            fixed: false,
            sanitizers: Vec::new(),
        }
    }
}

impl Scan {
    fn argument(&mut self, argument: &[u8], value: &OsStr) {
        let text = std::str::from_utf8(argument).unwrap_or_default();
        let value = value.as_bytes();
        match text {
            "--version" | "--help" | "-help" | "--help-hidden" | "-dumpversion"
            | "-dumpmachine" | "--autocomplete" => self.question = true,
            "-" => self.inputs = true,
            "-r" | "--relocatable" => self.relocatable = true,
            "-static" | "--static" | "-static-pie" => self.fixed = true,
            "-m32" | "-mx32" | "-m16" => self.foreign = true,
            "-m64" => self.foreign = false,
            "-target" => self.foreign = !value.starts_with(b"x86_64"),
            _ if text.starts_with("--target=") => {
                self.foreign = !text.starts_with("--target=x86_64");
            }
            "-Xlinker" => self.relocatable |= matches!(value, b"-r" | b"--relocatable" | b"-i"),
            "-x" | "--language" => self.language(value),
            "-Xclang" => self.no_link |= value == b"-emit-pch",
            _ if text.starts_with("-print-")
                || text.starts_with("--print-")
                || text.starts_with("--help=") =>
            {
                self.question = true
            }
            _ if text.starts_with("-g") => self.debug_option(&text[2..]),
            _ if NO_LINK.contains(&text) => self.no_link = true,
            _ => {
                if let Some(language) = argument.strip_prefix(b"-x") {
                    self.language(language);
                } else if let Some(kinds) = text.strip_prefix("-fsanitize=") {
                    let named = |kind: &&str| kinds.split(',').any(|word| word == *kind);
                    self.sanitizers
                        .extend(SANITIZERS.iter().copied().filter(named));
                } else if let Some(kinds) = text.strip_prefix("-fno-sanitize=") {
                    let named =
                        |kind: &str| kinds.split(',').any(|word| word == kind || word == "all");
                    self.sanitizers.retain(|kind| !named(kind));
                } else if let Some(passed) = text.strip_prefix("-Wl,") {
                    self.relocatable |= passed
                        .split(',')
                        .any(|p| matches!(p, "-r" | "--relocatable" | "-i"));
                } else if !argument.starts_with(b"-") {
                    self.input(argument);
                } else if argument.starts_with(b"-l") {
                    self.inputs = true;
                }
            }
        }
    }

    fn language(&mut self, language: &[u8]) {
        self.header_language = language.ends_with(b"-header");
    }

    fn input(&mut self, name: &[u8]) {
        let extension = name
            .rsplit(|&b| b == b'.')
            .next()
            .filter(|e| e.len() < name.len());
        if extension.is_some_and(|e| HEADERS.iter().any(|h| h.as_bytes() == e)) {
            self.headers = true;
        } else {
            self.inputs = true;
        }
    }

    /// `-g...` without the `-g`. Options that refine debug information without asking for it change nothing.
    fn debug_option(&mut self, level: &str) {
        self.debug = match level {
            "0" | "gdb0" => Debug::None,
            "1" | "gdb1" | "mlt" | "line-tables-only" | "line-directives-only" => Debug::Some,
            "" | "2" | "3" | "full" | "lldb" | "sce" | "dbx" => Debug::Full,
            _ if level.starts_with("gdb") => Debug::Full,
            "dwarf" | "dwarf-2" | "dwarf-3" | "dwarf-4" | "dwarf-5" => Debug::Full,
            _ => self.debug,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configs(line: &str) -> Option<(Vec<&'static str>, bool)> {
        let arguments: Vec<OsString> = line
            .split(' ')
            .filter(|w| !w.is_empty())
            .map(Into::into)
            .collect();
        CommandFacts::of(&arguments)
            .map(|f| (f.configs(Language::C, false).collect(), f.strip_debug()))
    }

    #[test]
    fn command_lines() {
        let (compile, debug, link, export) = ("compile.cfg", "debug.cfg", "link.cfg", "export.cfg");
        let all = || Some((vec![compile, debug, link, export], true));
        let apart = || Some((vec![compile, debug], true));
        for (line, expected) in [
            ("a.c -o a", all()),
            ("a.o b.o", all()),
            ("-lfoo", all()),
            ("-shared a.o", all()),
            ("-static a.o", Some((vec![compile, debug, link], true))),
            ("-static-pie a.o", Some((vec![compile, debug, link], true))),
            ("-include x.h a.c", all()),
            ("-c a.c", apart()),
            ("-S a.c", apart()),
            ("-E -", apart()),
            ("-r a.o -o b.o", apart()),
            ("-Wl,-O1,-r a.o", apart()),
            ("-Xlinker -r a.o", apart()),
            ("h.h", apart()),
            ("-x c-header b -o b.pch", apart()),
            ("-xc++-header b", apart()),
            ("-Xclang -emit-pch h.h", apart()),
            ("-m32 a.c", None),
            ("--target=aarch64-linux-gnu -c a.c", None),
            ("-target riscv64 a.c", None),
            ("-target x86_64-linux-gnu a.c", all()),
            ("-m32 -m64 a.c", all()),
            ("-g a.c", Some((vec![compile, link, export], false))),
            ("-g0 a.c", all()),
            ("-g -g0 a.c", all()),
            ("-g0 -ggdb3 a.c", Some((vec![compile, link, export], false))),
            (
                "-gline-tables-only -c a.c",
                Some((vec![compile, debug], false)),
            ),
            ("-gz -gno-column-info -gsplit-dwarf a.c", all()),
            ("-gdwarf-4 -c a.c", Some((vec![compile], false))),
            ("--version", None),
            ("a.c --version", None),
            ("-print-file-name=libc.a", None),
            ("-dumpmachine", None),
            ("-v", None),
            ("-###", None),
            ("", None),
            ("-cc1 -emit-obj a.c", None),
        ] {
            assert_eq!(configs(line), expected, "{line}");
        }
    }

    #[test]
    fn flang_has_a_file_and_an_option_of_its_own() {
        for (line, expected, debug) in [
            ("-O2 -c a.f90", vec!["fortran.cfg"], Some("-g")),
            (
                "-g1 a.f90",
                vec!["fortran.cfg", "link.cfg", "export.cfg"],
                Some("-g"),
            ),
            ("-g -c a.f90", vec!["fortran.cfg"], None),
        ] {
            let arguments: Vec<OsString> = line.split(' ').map(Into::into).collect();
            let facts = CommandFacts::of(&arguments).unwrap();
            let configs: Vec<&str> = facts.configs(Language::Fortran, false).collect();
            assert_eq!(configs, expected, "{line}");
            assert_eq!(facts.debug_option(Language::Fortran), debug, "{line}");
        }
    }

    #[test]
    fn response_files_are_looked_into() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("r");
        std::fs::write(&file, "-c -g a.c").unwrap();
        assert_eq!(
            configs(&format!("@{}", file.display())),
            Some((vec!["compile.cfg"], false))
        );
    }

    #[test]
    fn sanitizers_with_shadow_memory() {
        for (line, expected) in [
            ("-c a.c", None),
            ("-fsanitize=undefined,leak,bounds a.c", None),
            ("-fsanitize=undefined,address -c a.c", Some("address")),
            ("a.o -fsanitize=thread", Some("thread")),
            ("-fsanitize=address -fno-sanitize=address a.c", None),
            ("-fsanitize=memory -fno-sanitize=all a.c", None),
            ("-fno-sanitize=memory -fsanitize=memory a.c", Some("memory")),
            ("-fsanitize=address -fno-sanitize=vptr a.c", Some("address")),
        ] {
            let arguments: Vec<OsString> = line.split(' ').map(Into::into).collect();
            let found = CommandFacts::of(&arguments).and_then(|f| f.sanitizer());
            assert_eq!(found, expected, "{line}");
        }
    }
}
