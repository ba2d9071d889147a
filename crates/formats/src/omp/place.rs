//! Places: what a node of the call tree stands for, in terms of the program's source.

use serde::{Deserialize, Serialize};

/// A construct or function of the program. Equal places are one place, whatever their addresses were.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// What it is.
    pub construct: Construct,
    /// The name that the program gave it: of a phase or user region, of a function (demangled); empty otherwise.
    pub name: String,
    /// Where it is.
    pub location: Location,
}

/// Where something is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Location {
    /// Nothing is known (node 0, marks, constructs without a return address).
    #[default]
    Unknown,
    /// Found in the debug information.
    Source {
        /// The frame at the address.
        frame: Frame,
        /// The frames into which it was inlined, from inside to outside.
        inlined_into: Vec<Frame>,
    },
    /// No debug information: the nearest symbol where there is one, else the module alone.
    Binary {
        /// Path of the module.
        module: String,
        /// The symbol (demangled) and the offset from it, or None and the offset from the module's first byte.
        symbol: Option<String>,
        /// The offset in bytes.
        offset: u64,
    },
}

impl Location {
    /// Names of the functions it is in, from inside to outside.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        let (first, others, symbol) = match self {
            Self::Unknown => (None, &[][..], None),
            Self::Source {
                frame,
                inlined_into,
            } => (Some(frame), &inlined_into[..], None),
            Self::Binary { symbol, .. } => (None, &[][..], symbol.as_deref()),
        };
        let frames = first.into_iter().chain(others);
        frames.map(|f| f.function.as_str()).chain(symbol)
    }
}

/// A position in a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Frame {
    /// Function, demangled, without the suffixes that compilers add to outlined parts.
    pub function: String,
    /// Source file as the debug information names it.
    pub file: String,
    /// Line from 1, 0 when unknown.
    pub line: u32,
}

/// Kinds of nodes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Construct {
    /// The whole program.
    #[default]
    Program = 0,
    /// A function of the program (built with parascan's drivers or `-finstrument-functions`).
    Function = 1,
    /// A phase marked by the user.
    Phase = 2,
    /// A region named by the user, ITT or NVTX.
    UserRegion = 3,
    /// A parallel region. Waiting in the barrier that ends it is charged to the region itself.
    Parallel = 4,
    /// A `teams` region on the host.
    Teams = 5,
    /// A worksharing loop. The implicit barriers of worksharing constructs are charged to the constructs.
    Loop = 6,
    /// A sections construct.
    Sections = 7,
    /// A single construct: [`Record`](super::Record)s of all threads, whether they executed it or not.
    Single = 8,
    /// A workshare construct (Fortran).
    Workshare = 9,
    /// A distribute construct.
    Distribute = 10,
    /// A master or masked construct, in the threads that executed it.
    Masked = 11,
    /// A scope construct.
    Scope = 12,
    /// An explicit barrier.
    Barrier = 13,
    /// An implicit barrier whose construct did not report itself.
    ImplicitBarrier = 14,
    /// A critical region: waiting and body.
    Critical = 15,
    /// Acquisition of a lock (not the time it is held).
    Lock = 16,
    /// An ordered region: waiting and body.
    Ordered = 17,
    /// An atomic update in the runtime.
    Atomic = 18,
    /// An explicit task, where it executes: below the parallel region, not below its creator.
    Task = 19,
    /// A taskloop, in the thread that creates its tasks.
    TaskLoop = 20,
    /// A taskwait.
    TaskWait = 21,
    /// A taskgroup.
    TaskGroup = 22,
    /// A reduction.
    Reduction = 23,
}

impl Construct {
    /// All constructs, by index.
    pub const ALL: [Self; 24] = [
        Self::Program,
        Self::Function,
        Self::Phase,
        Self::UserRegion,
        Self::Parallel,
        Self::Teams,
        Self::Loop,
        Self::Sections,
        Self::Single,
        Self::Workshare,
        Self::Distribute,
        Self::Masked,
        Self::Scope,
        Self::Barrier,
        Self::ImplicitBarrier,
        Self::Critical,
        Self::Lock,
        Self::Ordered,
        Self::Atomic,
        Self::Task,
        Self::TaskLoop,
        Self::TaskWait,
        Self::TaskGroup,
        Self::Reduction,
    ];

    /// Its name as users write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Function => "function",
            Self::Phase => "phase",
            Self::UserRegion => "region",
            Self::Parallel => "parallel",
            Self::Teams => "teams",
            Self::Loop => "loop",
            Self::Sections => "sections",
            Self::Single => "single",
            Self::Workshare => "workshare",
            Self::Distribute => "distribute",
            Self::Masked => "masked",
            Self::Scope => "scope",
            Self::Barrier => "barrier",
            Self::ImplicitBarrier => "implicit barrier",
            Self::Critical => "critical",
            Self::Lock => "lock",
            Self::Ordered => "ordered",
            Self::Atomic => "atomic",
            Self::Task => "task",
            Self::TaskLoop => "taskloop",
            Self::TaskWait => "taskwait",
            Self::TaskGroup => "taskgroup",
            Self::Reduction => "reduction",
        }
    }
}
