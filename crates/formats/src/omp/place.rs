//! Places: what a node of the call tree stands for, in terms of the program's source.

use serde::{Deserialize, Serialize};

/// A construct or function of the program. Equal places are one place, whatever their addresses were.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Which OpenMP construct, or that it is a function, phase or region of the user's.
    pub construct: Construct,
    /// The name that the program gave it: of a phase or user region, of a function (demangled); empty otherwise.
    pub name: String,
    /// Where it is.
    pub location: Location,
}

/// Where a construct or function is in the source, or in which file if that is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Location {
    /// Nothing is known (node 0, marks, constructs without a return address).
    #[default]
    Unknown,
    /// Found in the debug information.
    Source {
        /// The frame at the address.
        frame: CodePosition,
        /// The frames into which it was inlined, from inside to outside.
        inlined_into: Vec<CodePosition>,
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
pub struct CodePosition {
    /// Function, demangled, without the suffixes that compilers add to outlined parts.
    pub function: String,
    /// Source file as the debug information names it.
    pub file: String,
    /// Line from 1, 0 when unknown.
    pub line: u32,
}

parascan_abi::omp_constructs! {
    /// Kinds of nodes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
}

impl Default for Construct {
    fn default() -> Self {
        Self::Program
    }
}

impl Construct {
    /// The construct's name as users write it.
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
