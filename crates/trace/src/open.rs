//! The loop that is to be opened: where its iterations begin, in whichever module of the trace it is.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use parascan_formats::trace::Definitions;
use parascan_symbols::Files;
use parascan_symbols::loops::{LineLoops, loops_of_line};

/// A loop whose iterations are to be told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WantedLoop {
    /// By the instruction with which its iterations begin.
    Head(LoopHead),
    /// By a source line, in whichever module has it.
    Line(LoopLine),
}

/// A loop, by the instruction with which its iterations begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopHead {
    /// File name of the module that it is in; `None` for the program itself, or code that is in no file.
    pub module: Option<String>,
    /// Address of the instruction, as the module's file has it; in memory for code that is in no file.
    pub address: u64,
}

/// A loop, by a source line that it is the innermost loop of: the one in the first module executed in which that is one
/// loop alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopLine {
    /// The file: the end of its path, in whole parts; before that, perhaps, the file name of the one module that is
    /// looked at, and a colon.
    pub file: String,
    /// A line of that file that has code of the loop; the first is 1.
    pub line: u32,
}

/// Looks for the loop in the modules of a trace.
#[derive(Debug)]
pub struct LoopFinder<'f> {
    files: &'f dyn Files,
    wanted: Option<WantedLoop>,
    /// The loop, once it is known.
    head: Option<LoopHead>,
    /// Path of each module that was looked at for a line, and what it has of it.
    modules: Vec<(Vec<u8>, LineLoops)>,
}

impl<'f> LoopFinder<'f> {
    /// One that looks for this loop, or for none.
    pub fn new(files: &'f dyn Files, wanted: Option<WantedLoop>) -> Self {
        let head = match &wanted {
            Some(WantedLoop::Head(head)) => Some(head.clone()),
            _ => None,
        };
        Self {
            files,
            wanted,
            head,
            modules: Vec::new(),
        }
    }

    /// The loop that is looked for; of one that is given by its line, `None` where no module executed so far has one
    /// loop of that line.
    pub fn head(&self) -> Option<&LoopHead> {
        self.head.as_ref()
    }

    /// Modules executed so far that have something of the line by which the loop is given, but not one loop alone, by
    /// path, in the order in which they were executed.
    pub fn others(&self) -> impl Iterator<Item = (&Path, &LineLoops)> {
        let some = |loops: &LineLoops| !matches!(loops, LineLoops::NoFile | LineLoops::NoLines);
        let of_line = self.modules.iter().filter(move |(_, loops)| some(loops));
        of_line.map(|(path, loops)| (Path::new(OsStr::from_bytes(path)), loops))
    }

    /// Whether iterations of the loop begin with the instruction at this address of a process.
    pub fn opens(&mut self, definitions: &Definitions, process: u32, address: u64) -> bool {
        if self.wanted.is_none() {
            return false;
        }
        let module = definitions.module(process, address);
        if let Some(module) = module {
            self.look(&module.path);
        }
        let Some(head) = &self.head else {
            return false;
        };
        let Some(module) = module else {
            return head.module.is_none() && address == head.address;
        };
        let own = address
            .wrapping_sub(module.start)
            .wrapping_add(module.preferred);
        let wanted = match &head.module {
            Some(name) => Some(name.as_bytes()),
            None => definitions.process(process).map(|it| file_name(&it.path)),
        };
        own == head.address && wanted == Some(file_name(&module.path))
    }

    /// Looks for the line in a module, if that has not been done and the loop is not known.
    fn look(&mut self, module: &[u8]) {
        let Some(WantedLoop::Line(LoopLine { file, line })) = &self.wanted else {
            return;
        };
        if self.head.is_some() || self.modules.iter().any(|(path, _)| path == module) {
            return;
        }
        let name = String::from_utf8_lossy(file_name(module)).into_owned();
        let of_module = file.strip_prefix(&name).and_then(|it| it.strip_prefix(':'));
        let path = Path::new(OsStr::from_bytes(module));
        let file = Path::new(of_module.unwrap_or(file));
        let loops = loops_of_line(self.files, path, file, *line);
        if let LineLoops::Within(within) = &loops
            && let [one] = &within[..]
        {
            self.head = Some(LoopHead {
                module: Some(name),
                address: one.head,
            });
        }
        self.modules.push((module.to_vec(), loops));
    }
}

/// The last part of a path.
pub fn file_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}
