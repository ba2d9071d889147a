//! What the source says of a loop: the form of its statement, and what a directive above it needs for variables and
//! memory.
//!
//! The pass finds this before any preparation, while every local variable still has a place of its own.

use serde::{Deserialize, Serialize};

use crate::operator::Operator;

/// A loop as the source has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopSource {
    /// Which statement makes the loop: `for`, `while`, `do`.
    pub statement: Statement,
    /// Variable that the header of a `for` steps.
    pub index: Option<String>,
    /// Why it is not a loop that OpenMP can distribute; none when it is one.
    pub obstacles: Vec<Obstacle>,
    /// Directive that already stands above it (`#pragma ...`).
    pub directive: Option<String>,
    /// Whether nothing else stands before it on its line, so that a directive can go to a line above.
    pub starts_line: bool,
    /// Last line of its statement, if nothing else follows on that; 0 if something does, and where it is not known.
    pub last_line: u32,
    /// Whether its index becomes smaller.
    pub descends: bool,
    /// By how much its index changes from iteration to iteration; 0 where that is no number, or not known.
    pub step: u32,
    /// Lines and columns of loops inside it, from the outside in: each is all of the body of the one around it, and its
    /// header reads nothing that differs between this loop's iterations. A directive can run as many of them as one
    /// with this loop (`collapse(3)` the first two) as have iterations that are all independent.
    pub nest: Vec<(u32, u32)>,
    /// The value with which its header begins, in an assignment to a variable that is declared elsewhere; empty where
    /// it is not known.
    pub start: String,
    /// What it reduces that no variable of a number is.
    pub reduced: Vec<Reduced>,
    /// Arrays of known length of which it reduces elements through pointers.
    pub arrays: Vec<ReducedArray>,
    /// Minima and maxima with what is kept beside them.
    pub best: Vec<IndexedExtremum>,
    /// Variables that are written in the loop and declared outside of it; others are only read.
    pub variables: Vec<Variable>,
    /// What the text alone cannot tell about memory that the loop accesses.
    pub doubts: Vec<Doubt>,
    /// Numbers and pointers of its function that it only reads, where it stores what may be one of them (bytes, or
    /// numbers of that type): for the compiler a store may change what threads share, so that loops are not vectorized
    /// any more unless each thread has copies.
    pub captured: Vec<String>,
    /// Whether its iterations grow or shrink along the loop, since a loop inside begins or ends at its index.
    pub uneven: bool,
    /// The file that it was read in, to tell whether that was changed since; none where that was not read, and in
    /// profiles before format version 7.
    pub text: Option<Fingerprint>,
}

/// The bytes of a file, in so few that another content hardly has the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Fingerprint {
    /// How many there are.
    pub bytes: u64,
    /// Their CRC-32, as zlib has it.
    pub checksum: u32,
}

impl Fingerprint {
    /// The fingerprint of a file with this content.
    #[must_use]
    pub fn of(content: &[u8]) -> Self {
        Self {
            bytes: content.len() as u64,
            checksum: crc32fast::hash(content),
        }
    }
}

/// A number or structure that a loop reaches by one name and of which all that it writes is reduced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reduced {
    /// Name of the variable that leads to it.
    pub name: String,
    /// How it leads to what is reduced.
    pub form: Form,
    /// Members and how each is reduced; one without a name: the number itself.
    pub members: Vec<(String, Operator)>,
    /// Whether the loop reads memory by other names that may be the same: it is not as long as the loop carries
    /// nothing.
    pub watched: bool,
}

impl Reduced {
    /// Whether it is a number, which a clause can name.
    #[must_use]
    pub fn is_number(&self) -> bool {
        self.members.iter().all(|(member, _)| member.is_empty())
    }
}

/// An array to which nothing leads but a local pointer, and of which a loop only reduces elements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReducedArray {
    /// Name of the pointer.
    pub name: String,
    /// How each element is reduced.
    pub operator: Operator,
    /// Number of elements, as the source can write it in front of the loop: a number, or a variable and what is added
    /// to it.
    pub length: String,
    /// That, where it is a number; else 0.
    pub elements: u64,
}

/// How a variable leads to what is reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// It is that.
    Named,
    /// It points there.
    Pointer,
    /// It is a reference of C++ to that.
    Reference,
}

/// A minimum or maximum with the index at which it was found: local variables that are set where a value is strictly
/// better, and that nothing else in the loop reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedExtremum {
    /// The variable that keeps the best value, or how it is computed from the position.
    pub value: BestValue,
    /// Whether smaller values are better.
    pub is_minimum: bool,
    /// The variable that keeps the loop's index.
    pub position: String,
    /// Variables that keep other things of the same iteration.
    pub others: Vec<String>,
}

impl IndexedExtremum {
    /// The names of all variables that are set together.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let value = match &self.value {
            BestValue::Variable(name) => Some(name.as_str()),
            BestValue::At(_) => None,
        };
        let others = self.others.iter().map(String::as_str);
        value
            .into_iter()
            .chain([self.position.as_str()])
            .chain(others)
    }

    /// The value as the source has it, where the position is kept in this variable instead.
    #[must_use]
    pub fn value_with(&self, position: &str) -> String {
        match &self.value {
            BestValue::Variable(name) => name.clone(),
            BestValue::At(pieces) => pieces.join(position),
        }
    }
}

/// The value of a minimum or maximum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BestValue {
    /// A variable keeps it.
    Variable(String),
    /// It is computed from the position, by an expression of the source: what stands before, between and behind the
    /// places where that has the position's name.
    At(Vec<String>),
}

/// Statement that makes a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Statement {
    /// The source could not be read, or something else stands there (a macro, `goto`).
    #[default]
    Unknown,
    /// `for (;;)`.
    For,
    /// `for (x : range)`.
    RangeFor,
    /// `while`.
    While,
    /// `do`.
    Do,
}

/// What keeps a loop from being distributed as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obstacle {
    /// What sort of obstacle.
    pub kind: ObstacleKind,
    /// Variable or function that is concerned, empty when none is.
    pub name: String,
    /// Source line, 0 when unknown.
    pub line: u32,
}

/// What keeps a loop from being distributed ([`Obstacle`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObstacleKind {
    /// Another way out than the test in the header: `break`, `return`, `goto`.
    Exit,
    /// The first part of the header is not `variable = value`.
    Init,
    /// The second part is not a comparison of that variable with a bound.
    Test,
    /// The third part is not a step of that variable alone by a fixed amount.
    Step,
    /// That variable is no local integer or pointer.
    Index,
    /// That variable is written in the body too.
    IndexWritten,
    /// The bound or the step reads a variable that the loop writes.
    BoundWritten,
    /// The test calls a function that may do more than compute a bound.
    BoundCall,
    /// An iterator that may not be random access.
    Iterator,
    /// The first part of the header, or the range, reads what the loop writes: every thread would evaluate it.
    StartWritten,
    /// The first part of the header, or the range, may do more than compute a value.
    StartEffect,
    /// The source file could not be read.
    Unread,
    /// It stands in an argument of a macro, or, without a name, in a line that goes on from the one above.
    Macro,
    /// It has vector instructions in a function that is compiled for another processor (`target`).
    Target,
    /// The bound is a floating-point number, which a directive would cut to an integer.
    BoundReal,
    /// The source file gives its lines other numbers (`#line`).
    Renumbered,
    /// A word of directives is the name of a macro, which would take its place there.
    Word,
    /// The index may wrap around, which that of a parallel loop does not.
    Narrow,
    /// It begins to read the function's variable arguments (`va_start`).
    Arguments,
}

/// A variable that a loop writes and that is declared outside of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// Name in the source.
    pub name: String,
    /// Line of its declaration, 0 when unknown.
    pub line: u32,
    /// Whether it has static storage (a global, or `static`).
    pub global: bool,
    /// Scalar, pointer, array or record, and how long an array is.
    pub shape: VariableKind,
    /// How iterations may share it.
    pub sharing: Sharing,
    /// Line of the access that decides, 0 when unknown.
    pub at: u32,
}

/// What a variable is to the clauses of a directive: a number, a pointer, an array or a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VariableKind {
    /// A number or truth value.
    Scalar,
    /// A pointer or reference.
    Pointer,
    /// An array whose length is part of its type, over all dimensions; 0 when not known.
    Array(u64),
    /// A structure, class or union.
    Record,
}

/// How the iterations of a loop may share a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// The variable that the loop itself steps.
    Index,
    /// Written in every iteration before it is read there; not read after the loop.
    Private,
    /// Iterations change parts of it that they set themselves, and read others as they were before the loop.
    FirstPrivate,
    /// As [`Sharing::Private`], and the last iteration's value is read after the loop.
    LastPrivate,
    /// A recognised reduction.
    Reduction(Operator),
    /// An array or structure of which every iteration writes and reads elements of its own.
    Own,
    /// The text does not tell.
    Unknown(SharingDoubt),
}

/// Why the text does not tell how a variable may be shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SharingDoubt {
    /// An iteration may read what an earlier one wrote.
    Carried,
    /// Not every iteration writes it, and it is read after the loop: the last value is not that of the last iteration.
    Conditional,
    /// Its address is given away.
    Escapes,
    /// It is written, if at all, by functions that get its address, all of which work in memory.
    Passed,
    /// An array used as scratch space, or written at places that the text does not order.
    Scratch,
    /// It has static storage: functions that the loop calls may use it as well.
    Global,
    /// The index of the loop, which is read after it: a loop without iterations leaves it different.
    IndexAfter,
    /// As [`SharingDoubt::Passed`], or the loop writes it as well; nothing leads to it but its name and what the loop
    /// itself gives away.
    Handed,
    /// Its address is used as a value, so that threads cannot have copies of it.
    Kept,
    /// No clause can name it where the loop stands.
    Unnamed,
}

/// Begins what a [`Doubt`] about a call names where the call stands in the test of a loop and is done there, as part of
/// the function around it: a small function that only reads. No region says whether it ran.
pub const IN_TEST: char = '=';

/// What a [`Doubt`] about a call names where no function is called, but instructions in the source.
pub const INLINE_ASSEMBLY: &str = "inline assembly";

/// Something about memory that has to be known before a loop can be called independent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    /// What has to be known.
    pub kind: DoubtKind,
    /// Variable or function that is concerned; empty when unknown, or when none is. Of [`DoubtKind::Overlap`] both, and
    /// of a write through a pointer into a known object the pointer and the object, with ", " between. Of a call
    /// through a pointer `*` and the variable that leads to that, or `*` alone; of a call that is part of the loop's
    /// function [`IN_TEST`] and the name; of another one of a C++ function of the program its demangled name with
    /// parameters, as that of its region; [`INLINE_ASSEMBLY`] where no function is called.
    pub name: String,
    /// Source line, 0 when unknown.
    pub line: u32,
}

impl Doubt {
    /// The names of all that it concerns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.name.split(", ")
    }

    /// Whether no run settles it: what it is about shows in no access to memory, or in none of that name.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        use DoubtKind::{Call, Meets, Overlap, State, Wraps, Write, ZeroStep};
        !matches!(
            self.kind,
            Write | Overlap | Call | State | Wraps | Meets | ZeroStep
        )
    }
}

/// What has to be known of memory before a loop can be called independent ([`Doubt`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoubtKind {
    /// A write at a place that may be written or read by other iterations.
    Write,
    /// Memory that is written may be the same as what is accessed through this pointer elsewhere.
    Overlap,
    /// A call of a function that may access memory.
    Call,
    /// A write through a reference that may lead to this local variable, which may live in a register.
    Reference,
    /// A variable of which every thread has one of its own.
    ThreadLocal,
    /// A way out of the loop past all that the function does behind it: this function jumps, or, without a name, an
    /// exception.
    Leaves,
    /// The loop's function can be computed by the compiler (`constexpr`).
    Constexpr,
    /// Memory that ends with the function, or thread, that takes it (`alloca`).
    Alloca,
    /// A function that sets a variable of the library (`signgam`).
    Sets,
    /// A variable of which every thread would have a copy, and that may be too large for its stack.
    Large,
    /// A structured binding, which no directive can capture.
    Binding,
    /// A variable that is written and of which the debug information does not tell.
    Nameless,
    /// A variable of a class that a clause may not be able to make, copy or assign.
    Class,
    /// An index without a sign that is compared by `!=`, and might begin beyond its bound: it wraps around, which no
    /// parallel loop does.
    Wraps,
    /// A minimum or maximum that begins with an infinite number: clang's reductions begin with the largest finite one,
    /// which is what would be left where no iteration has any.
    Infinite,
    /// A sum by "and" or "or" that looks no further once it is decided: of each thread's own, more is looked at.
    Guarded,
    /// A call of a library function that works on a state of its own, or of a stream's.
    State,
    /// A directive of OpenMP, in the loop or in the file of functions that it calls, that belongs to the team around
    /// it.
    Team,
    /// A variable that may be read before the iteration sets it: it must not be private, whatever a run shows.
    Stale,
    /// A variable that may be read behind the loop as that left it: no copies of it may be made, whatever a run shows.
    Later,
    /// Iterations that write elements which others access, a constant number of iterations away.
    Neighbours,
    /// An access that can meet what other iterations write: that it does not, a run shows only if it came there.
    Meets,
    /// A minimum or maximum that a NaN replaces, and the next value it: what is left then depends on the order.
    Unordered,
    /// A call of this library function, be it by one of the program's, which may set `errno`: each thread has its own,
    /// and the program reads it elsewhere.
    Errno,
    /// A write to an element that several iterations have, since the index is divided by a constant or taken modulo
    /// one.
    SameElement,
    /// A step that is no constant: where it is 0, compilers divide by it even for a loop that has no iteration.
    ZeroStep,
    /// Of a loop of the library, and nothing that has to be known: on this line the function of the program with this
    /// symbol makes the call that leads to it.
    Called,
}
