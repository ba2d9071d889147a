//! Static facts about one instrumented module: the blob behind `ModuleDesc::blob`, postcard-encoded, with a byte for
//! each region behind it ([`UNKNOWN`], [`NOT_VECTORIZED`], [`VECTORIZED`]).

use serde::{Deserialize, Serialize};

pub use crate::operator::Operator;

/// One translation unit as the pass saw it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModuleStatic {
    /// Source file as given to the compiler.
    pub source: String,
    /// Directory of the compilation.
    pub directory: String,
    /// Compiler that produced the IR (for example `Debian clang version 22.1.8`).
    pub producer: String,
    /// Name of the latency table and its content, as built in.
    pub latency: crate::latency::LatencyTable,
    /// Regions; the index is the module-local region number. A parent comes before its children.
    pub regions: Vec<RegionStatic>,
    /// Uninstrumented callees that have no model, in the order of their counters.
    pub blind: Vec<String>,
    /// Dependences that the build leaves out, as [`LeftOutDependence`] writes them.
    pub without: Vec<String>,
    /// What native code counts; empty where there is none.
    pub counts: Vec<Count>,
}

/// What a counter of native code (`ModuleDesc::counters`) says of a region: it ran `times` as often as the counter has
/// it. A region may have several counters, and a counter several regions. Instances that began in tracked code are not
/// among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Number of the counter.
    pub counter: u32,
    /// Region of the module.
    pub region: u32,
    /// Instances for each count.
    pub times: u64,
}

/// What of the source a region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RegionKind {
    /// A function's body.
    Function,
    /// A loop from entry to exit; its children are iterations.
    Loop,
    /// One iteration of a loop.
    Iteration,
}

/// What is known of a function, loop or iteration without running it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegionStatic {
    /// Whether it is a function, a loop or an iteration.
    pub kind: RegionKind,
    /// Lexically enclosing region in the same module (function of a loop, loop of an iteration, iteration of an inner
    /// loop).
    pub parent: Option<u32>,
    /// Function it belongs to, demangled.
    pub function: String,
    /// The same as in the symbol table.
    pub linkage_name: String,
    /// Source file: absolute, or relative to [`ModuleStatic::directory`]; empty when unknown.
    pub file: String,
    /// First line, 0 when unknown.
    pub line: u32,
    /// Column of the first line, 0 when unknown.
    pub column: u32,
    /// Last line, 0 when unknown.
    pub end_line: u32,
    /// Loops only: the number of iterations is known before the loop starts.
    pub counted: bool,
    /// Loops only: dependences that were broken, so that the plan can name them.
    pub broken: Vec<BrokenDependence>,
    /// Work, critical path and children are the same every time and were folded at compile time, so that the critical
    /// path is known whatever depths are tracked.
    pub folded: bool,
    /// Loops only: what the source says of it; none when that is not known.
    pub source: Option<crate::source::LoopSource>,
    /// Loops only: memory that it walks over outside of loops inside it; at most [`MOST_STREAMS`], and none of profiles
    /// before format version 9.
    pub streams: Vec<MemoryStream>,
    /// Loops only: whether the compiler made vector code of it, for a part of its iterations at least; none where that
    /// is not known, as without optimization, of loops that are left nowhere, and in profiles before format version 9.
    pub vectorized: Option<bool>,
    /// Loops only: whether it may write to the frame of its function at places that other iterations write to as well
    /// (an array declared in its body), or in a function that it calls: vectors would need a copy for each element.
    /// None of profiles before format version 9.
    pub writes_to_frame: Option<bool>,
}

/// At the end of a module's description, for each region: whether it is vectorized is not known.
pub const UNKNOWN: u8 = 0;
/// Behind the optimizer the loop was scalar code.
pub const NOT_VECTORIZED: u8 = 1;
/// Behind the optimizer the loop was vector code.
pub const VECTORIZED: u8 = 2;

/// Streams of a loop that are noted; of others nothing is known.
pub const MOST_STREAMS: usize = 32;

/// Loads and stores of a loop that start from the same address and move alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryStream {
    /// What is accessed, as the source names it; empty when unknown.
    pub name: String,
    /// Line of the first access, 0 when unknown.
    pub line: u32,
    /// A number for the address that they start from: streams of a function with the same one access the same object.
    pub base: u32,
    /// Bytes of each access.
    pub bytes: u32,
    /// Whether some of them load.
    pub reads: bool,
    /// Whether some of them store.
    pub writes: bool,
    /// How they move with the loop itself, and with each loop around it in the function, outwards.
    pub steps: Vec<AddressStep>,
}

/// How an address moves from an iteration of a loop to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AddressStep {
    /// It does not.
    Same,
    /// By so many bytes.
    By(i64),
    /// By a number of bytes that is not constant.
    Moves,
    /// As something that was loaded says (an index, a pointer), or in another way that follows from nothing.
    Irregular,
}

/// A dependence that a build leaves out: what a loop's function reads under a name. Written as file, line of the loop
/// and name: `solver.c:120:sum`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutDependence {
    file: String,
    line: u32,
    /// Name of what is read, as `parascan explain` prints it.
    pub name: String,
}

impl LeftOutDependence {
    /// Reads one; None if it has not all three parts.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (file, rest) = text.split_once(':')?;
        let (line, name) = rest.split_once(':')?;
        let line = line.parse().ok()?;
        (!file.is_empty() && !name.is_empty()).then(|| Self {
            file: file.to_owned(),
            line,
            name: name.to_owned(),
        })
    }

    /// A number for the file and the line: that by which the program's modules agree on what is left out of which loop
    /// (FNV-1a).
    #[must_use]
    pub fn key(&self) -> u64 {
        let text = format!("{}:{}", self.file, self.line);
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
    }

    /// Whether it is one of the loop that begins on this line of a file, whose path may be longer.
    #[must_use]
    pub fn is_of(&self, file: &str, line: u32) -> bool {
        let rest = file.strip_suffix(self.file.as_str());
        self.line == line && rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    }
}

impl std::fmt::Display for LeftOutDependence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.name)
    }
}

/// [`BrokenDependence::name`] of memory that the source gives no name.
pub const UNNAMED: &str = "a memory location";

/// An induction or reduction variable whose dependence was broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenDependence {
    /// Source name where debug information has it, else a description such as `*p`.
    pub name: String,
    /// Whether it was an induction or a reduction, and of which operator.
    pub kind: BrokenKind,
    /// Source line of the update, 0 when unknown.
    pub line: u32,
    /// What else the loop does with it.
    pub beside: ReductionObstacle,
}

impl BrokenDependence {
    /// A dependence beside which the loop does nothing.
    pub fn new(name: impl Into<String>, kind: BrokenKind, line: u32) -> Self {
        Self {
            name: name.into(),
            kind,
            line,
            beside: ReductionObstacle::Nothing,
        }
    }
}

/// What a loop does beside updating a reduced variable, so that no clause alone is right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReductionObstacle {
    /// Nothing.
    #[default]
    Nothing,
    /// On this line it reads elements of the same array, which are not reduced ones as long as the loop carries
    /// nothing.
    Read(u32),
    /// On this line it sets something else whenever the minimum or maximum is replaced.
    Set(u32),
    /// What the variable keeps is not the minimum or maximum but its position: the value is computed from that.
    Position,
}

/// Kind of a broken dependence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BrokenKind {
    /// An induction variable.
    Induction,
    /// A reduction in a scalar (a register or one fixed memory location).
    Reduction(Operator),
    /// A reduction over elements of an array (a histogram), addresses vary.
    ArrayReduction(Operator),
}
