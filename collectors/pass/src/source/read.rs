//! The shim's lists as plain data.

use std::ffi::c_void;

use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};

use super::accessors::is_accessor;
use crate::ends::{self, BlockEnd};
use crate::ir::{Module, Opcode, Value};

/// What debug information and the module tell of a function, before preparation changes it.
#[derive(Clone, Debug, Default)]
pub struct SourceFunction {
    /// Its code; numbers of blocks mean places here.
    pub blocks: Vec<SourceBlock>,
    /// Variables that are accessed: parameters, locals, globals.
    pub variables: Vec<SourceVariable>,
    /// Loops, outer before inner.
    pub loops: Vec<SourceLoop>,
    /// Whether its module has infinite numbers.
    pub infinite: bool,
}

/// What a basic block does to variables, and where it leads.
#[derive(Clone, Debug, Default)]
pub struct SourceBlock {
    /// Blocks that may come next.
    pub successors: Vec<usize>,
    /// What it does, in order.
    pub accesses: Vec<SourceAccess>,
    /// Whether an exception enters it.
    pub unwinding: bool,
    /// Whether it ends the program by a failure, passes an exception on, or jumps to another function.
    pub ends: bool,
    /// Whether it ends in a comparison of floating-point numbers.
    pub compares_reals: bool,
    /// Whether it shows when and how often it runs: it has a division that may end the program, or a volatile or atomic
    /// access.
    pub delicate: bool,
    /// First source line in it, 0 when none.
    pub line: u32,
    /// Whether exceptions are caught there.
    pub catches: bool,
}

/// What debug information and the module tell of a parameter, local or global.
#[derive(Clone, Debug, Default)]
pub struct SourceVariable {
    /// As the function can write it, scopes in front where needed; of what has no debug information the symbol.
    pub name: String,
    /// Name of its type, of structures and classes.
    pub type_name: String,
    /// Line of its declaration.
    pub line: u32,
    /// 0 scalar, 1 pointer or reference, 2 array, 3 structure, class or union.
    pub shape: u32,
    /// Static storage.
    pub global: bool,
    /// Of those, declared in a function.
    pub local_static: bool,
    /// A complex number or integer of more than 64 bits.
    pub wide: bool,
    /// A global that no clause can name.
    pub unusable: bool,
    /// Types of the numbers and pointers that a local consists of, as bits.
    pub parts: u32,
    /// Of a C++ class of which clauses may not be able to make objects, copy or assign them.
    pub uncopied: bool,
    /// A number: 1 the module sets it to an infinite constant, 2 not, 3 not, but other functions set it to what is not
    /// constant.
    pub infinite: u32,
    /// A global that is known to nobody but its own loads and stores in this module.
    pub unshared: bool,
    /// Such a global that this function alone uses, of which there is one activation at a time.
    pub alone: bool,
    /// Made by the compiler.
    pub artificial: bool,
    /// Cannot be written.
    pub constant: bool,
    /// Its type is declared so: every access is to be made as written.
    pub volatile: bool,
    /// Its type promises that what it points to is reached in no other way.
    pub restrict: bool,
    /// A C++ reference.
    pub reference: bool,
    /// A dummy argument of Fortran: it lies in its caller's memory, and nothing but its name leads there while it is
    /// written.
    pub dummy: bool,
    /// Of a pointer or reference: 1 it leads to a number that clauses reduce, 3 to a structure that can be copied, 0 to
    /// neither.
    pub target: u32,
    /// Size of that.
    pub target_bytes: u64,
    /// A local pointer: the memory to which it leads, if its function takes that at one place.
    pub allocated: Option<Allocated>,
    /// A scalar whose values are whole numbers.
    pub integer: bool,
    /// One without a sign.
    pub unsigned: bool,
    /// Size, 0 when not known.
    pub bytes: u64,
    /// Elements over all dimensions, 0 when not known.
    pub elements: u64,
}

/// Memory of so many elements.
#[derive(Clone, Debug)]
pub struct Allocated {
    /// Block in which the function takes it.
    pub block: usize,
    /// Variable that had their number; none where it is a constant.
    pub length: Option<usize>,
    /// Added to that.
    pub offset: i64,
}

/// What an access does with a variable or with memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AccessKind {
    /// Reads.
    #[default]
    Read,
    /// Writes.
    Write,
    /// Gives the variable's address away.
    Escape,
    /// Calls a function.
    Call,
    /// Begins or ends the variable's life: its value is gone.
    Lifetime,
    /// Uses a variable of which every thread has one of its own.
    ThreadLocal,
    /// Takes memory that ends with the function.
    Alloca,
    /// Sets a variable of which the debug information does not tell.
    Nameless,
}

/// Where a function goes on that does not return, if it does not end the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoReturnExit {
    /// Where its exception is caught.
    Throws,
    /// Anywhere: nothing is known of it, or it jumps.
    Jumps,
}

/// An access of a variable or of memory, or a call.
#[derive(Clone, Debug, Default)]
pub struct SourceAccess {
    /// Whether it reads, writes, calls, ...
    pub kind: AccessKind,
    /// Variable; none when memory is reached in another way.
    pub variable: Option<usize>,
    /// Whether it goes through the pointer that the variable holds.
    pub pointee: bool,
    /// Source line.
    pub line: u32,
    /// Offset in the variable, none when not constant.
    pub offset: Option<u64>,
    /// Bytes, 0 when not known.
    pub bytes: u64,
    /// 0, or accesses of another such type lie elsewhere.
    pub of_type: u32,
    /// Subscripts that are not constant, the innermost first.
    pub steps: Vec<Subscript>,
    /// Without a variable: the one from which pointers in members lead there.
    pub way: Option<usize>,
    /// The types that the accessed object may have, as the bits of [`SourceVariable::parts`].
    pub parts: u32,
    /// Function that is called, or variable that is each thread's own.
    pub callee: String,
    /// Whether its code lies in a system header.
    pub library: bool,
    /// Whether its body lies elsewhere.
    pub declared: bool,
    /// Whether it never returns.
    pub no_return: bool,
    /// Where it goes on then, if not at the end of the program. Of one that does return: that a check in it may throw,
    /// if it is the library's, or that what it calls may jump.
    pub leaves: Option<NoReturnExit>,
    /// Whether what it does may be done in its caller's registers.
    pub inlined: bool,
    /// Whether it is a small function that only reads, and gives back a number.
    pub accessor: bool,
    /// A write of a finite constant.
    pub constant: bool,
    /// Whether it may keep the address, compare it, or give it back: a function of the program. A read of a pointer to
    /// memory that the function takes at one place: whether something else may lead there as well.
    pub kept: bool,
    /// A read of a pointer that is used for nothing but to access what it leads to.
    pub followed: bool,
    /// Of a structure, where it is exactly one number: as the source names that within it. Of a call through a pointer:
    /// `*` and the variable with that, or in which it lies; `*` alone where there is none (virtual functions).
    /// [`IN_TEST`] of a call that becomes a part of this function (`shim/accessors.cpp`); of another one of a function
    /// of the program with a mangled name: that; of inline assembly these words.
    pub member: String,
}

/// A subscript on the way from a variable to what is accessed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subscript {
    /// Variable of `variable + offset`; none for other expressions.
    pub variable: Option<usize>,
    /// Constant added to it.
    pub offset: i64,
    /// Bytes from one element to the next.
    pub stride: u64,
    /// Whether it is a subscript of an array of known length.
    pub bounded: bool,
    /// How it follows from variables, where it does so in a simple way.
    pub fold: Option<Fold>,
}

/// A subscript that is a sum of variables, divided by a constant and taken modulo another, with others added to that or
/// multiplied by it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fold {
    /// Variables of the sum, with what each is multiplied by; 0 where that is not known.
    pub inner: Vec<(usize, u64)>,
    /// 1 where it is not divided.
    pub divisor: u64,
    /// 0 where there is none.
    pub modulus: u64,
    /// The other variables.
    pub outer: Vec<usize>,
}

/// What debug information and the module tell of a natural loop.
#[derive(Clone, Debug, Default)]
pub struct SourceLoop {
    /// File and its directory as debug information has them.
    pub file: String,
    /// Directory of the compilation.
    pub directory: String,
    /// First line.
    pub line: u32,
    /// Where on that line it begins, from 1; 0 when not known.
    pub column: u32,
    /// Last line and its column.
    pub end: (u32, u32),
    /// Header block.
    pub header: usize,
    /// Numbers of those that belong to it, inner loops included.
    pub blocks: Vec<usize>,
    /// Variables that are declared in it.
    pub inside: Vec<usize>,
    /// A variable that goes through this many consecutive numbers, one in each iteration, before the loop ends: it has
    /// no other way out.
    pub counted: Option<(usize, u64)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct PsText {
    start: *const u8,
    length: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct PsList {
    start: *const c_void,
    length: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct PsSourceBlock {
    unwinding: u32,
    line: u32,
    catches: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct PsSourceVariable {
    name: PsText,
    type_name: PsText,
    line: u32,
    shape: u32,
    global: u32,
    artificial: u32,
    constant: u32,
    is_volatile: u32,
    is_restrict: u32,
    is_integer: u32,
    local_static: u32,
    wide: u32,
    unusable: u32,
    parts: u32,
    uncopied: u32,
    infinite: u32,
    unshared: u32,
    alone: u32,
    is_reference: u32,
    dummy: u32,
    target: u32,
    bytes: u64,
    elements: u64,
    allocated: u32,
    length: u32,
    target_bytes: u64,
    length_offset: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct PsSourceAccess {
    name: PsText,
    member: PsText,
    block: u32,
    kind: u32,
    line: u32,
    variable: u32,
    pointee: u32,
    temporary: u32,
    library: u32,
    declared: u32,
    no_return: u32,
    inlined: u32,
    accessor: u32,
    constant: u32,
    kept: u32,
    followed: u32,
    of_type: u32,
    parts: u32,
    first_step: u32,
    steps: u32,
    way: u32,
    offset: i64,
    bytes: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct PsSourceStep {
    variable: u32,
    bounded: u32,
    stride: u64,
    offset: i64,
    divisor: u64,
    modulus: u64,
    first: u32,
    inner: u32,
    outer: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct PsSourceLoop {
    file: PsText,
    directory: PsText,
    header: u32,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    first_block: u32,
    blocks: u32,
    first_inside: u32,
    inside: u32,
    index: u32,
    trips: u64,
}

#[repr(C)]
struct PsSourceLists {
    edges: PsList,
    blocks: PsList,
    variables: PsList,
    accesses: PsList,
    steps: PsList,
    loops: PsList,
    members: PsList,
}

#[repr(C)]
struct PsSource {
    opaque: [u8; 0],
}

unsafe extern "C" {
    fn ps_source(function: LLVMValueRef, out: *mut PsSourceLists) -> *mut PsSource;
    fn ps_source_free(source: *mut PsSource);
    fn ps_has_infinite(module: LLVMModuleRef) -> u32;
    fn ps_callers(function: LLVMValueRef, out: *mut u8, cap: u32) -> u32;
}

fn text(t: PsText) -> String {
    if t.length == 0 {
        return String::new();
    }
    // SAFETY: the shim's handle owns these bytes and is alive until `function` returns.
    let bytes = unsafe { std::slice::from_raw_parts(t.start, t.length as usize) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Elements of one of the shim's lists.
///
/// # Safety
/// The list holds values of this type, and its handle is alive.
unsafe fn list<T: Copy>(from: PsList) -> Vec<T> {
    if from.length == 0 {
        return Vec::new();
    }
    // SAFETY: the caller's promise; a `std::vector`'s storage is aligned for its elements.
    unsafe { std::slice::from_raw_parts(from.start.cast::<T>(), from.length as usize) }.to_vec()
}

/// Whether a module has an infinite number anywhere.
pub fn has_infinite(module: Module) -> bool {
    // SAFETY: the module is being compiled.
    unsafe { ps_has_infinite(module.0) != 0 }
}

/// Of a function of the library: symbols of the functions of the program that call it, be it by way of others of the
/// library, with the lines.
pub fn callers(f: Value) -> Vec<(String, u32)> {
    let mut text = vec![0_u8; 1 << 16];
    // SAFETY: the function belongs to the module being compiled; the shim writes no more than there is room.
    let length = unsafe { ps_callers(f.0, text.as_mut_ptr(), text.len() as u32) };
    let text = String::from_utf8_lossy(&text[..length as usize]);
    let calls = text.lines().filter_map(|line| line.split_once(' '));
    calls
        .filter_map(|(line, by)| Some((by.to_owned(), line.parse().ok()?)))
        .collect()
}

/// Reads a function; `infinite` as [`has_infinite`] says.
pub fn function(f: Value, infinite: bool) -> SourceFunction {
    let none = PsList {
        start: std::ptr::null(),
        length: 0,
    };
    let mut lists = PsSourceLists {
        edges: none,
        blocks: none,
        variables: none,
        accesses: none,
        steps: none,
        loops: none,
        members: none,
    };
    // SAFETY: the function belongs to the module being compiled; the shim fills in all lists.
    let handle = unsafe { ps_source(f.0, &raw mut lists) };
    // SAFETY: the types are those of `shim.h`, in that order, and the handle is alive.
    let (edges, blocks, variables, accesses, steps, loops, members) = unsafe {
        (
            list::<u32>(lists.edges),
            list::<PsSourceBlock>(lists.blocks),
            list::<PsSourceVariable>(lists.variables),
            list::<PsSourceAccess>(lists.accesses),
            list::<PsSourceStep>(lists.steps),
            list::<PsSourceLoop>(lists.loops),
            list::<u32>(lists.members),
        )
    };
    let mut read = SourceFunction {
        blocks: blocks
            .iter()
            .zip(f.blocks())
            .map(|(b, of)| block(b, of))
            .collect(),
        variables: variables.iter().map(variable).collect(),
        loops: loops.iter().map(|l| one_loop(l, &members)).collect(),
        infinite,
    };
    for edge in edges.chunks_exact(2) {
        read.blocks[edge[0] as usize]
            .successors
            .push(edge[1] as usize);
    }
    for a in &accesses {
        let mut access = access(a, &steps, &members);
        let by_library = access.library && is_accessor(&access.callee);
        if access.kind == AccessKind::Escape && (by_library || access.accessor) {
            access.kind = AccessKind::Read;
            access.offset = None;
        }
        read.blocks[a.block as usize].accesses.push(access);
    }
    // SAFETY: made above, freed once; nothing refers to it any more.
    unsafe { ps_source_free(handle) };
    read
}

fn block(b: &PsSourceBlock, of: crate::ir::Block) -> SourceBlock {
    let last = of.terminator();
    let branches = last.opcode() == Opcode::LLVMBr && last.is_conditional();
    SourceBlock {
        unwinding: b.unwinding != 0,
        ends: matches!(ends::end(of), Some(BlockEnd::Failure | BlockEnd::Jump)),
        compares_reals: branches && compares_reals(last.operand(0)),
        delicate: of.instructions().into_iter().any(is_delicate),
        line: b.line,
        catches: b.catches != 0,
        ..SourceBlock::default()
    }
}

/// Whether an instruction is a volatile or atomic access, or a division of integers by what may be 0, or by -1, which
/// the smallest number cannot be divided by.
fn is_delicate(i: Value) -> bool {
    use Opcode::{LLVMLoad, LLVMSDiv, LLVMSRem, LLVMStore, LLVMUDiv, LLVMURem};
    let safe = |divisor: u64| (1..1 << 31).contains(&divisor);
    match i.opcode() {
        LLVMSDiv | LLVMSRem | LLVMUDiv | LLVMURem => !i.operand(1).constant_int().is_some_and(safe),
        LLVMLoad | LLVMStore => !i.is_simple_access(),
        _ => false,
    }
}

/// Whether a condition is a comparison of floating-point numbers, be it negated.
fn compares_reals(mut condition: Value) -> bool {
    while condition.is_instruction() && condition.opcode() == Opcode::LLVMXor {
        condition = condition.operand(0);
    }
    condition.is_instruction() && condition.opcode() == Opcode::LLVMFCmp
}

fn variable(v: &PsSourceVariable) -> SourceVariable {
    SourceVariable {
        name: text(v.name),
        type_name: text(v.type_name),
        line: v.line,
        shape: v.shape,
        global: v.global != 0,
        local_static: v.local_static != 0,
        wide: v.shape == 0 && v.wide != 0,
        unusable: v.unusable != 0,
        parts: v.parts,
        uncopied: v.uncopied != 0,
        infinite: v.infinite,
        unshared: v.unshared != 0,
        alone: v.alone != 0,
        artificial: v.artificial != 0,
        constant: v.constant != 0,
        volatile: v.is_volatile != 0,
        restrict: v.is_restrict != 0,
        reference: v.is_reference != 0,
        dummy: v.dummy != 0,
        target: v.target,
        target_bytes: v.target_bytes,
        allocated: number(v.allocated).map(|block| Allocated {
            block,
            length: number(v.length),
            offset: v.length_offset,
        }),
        integer: v.is_integer != 0,
        unsigned: v.is_integer == 2,
        bytes: v.bytes,
        elements: v.elements,
    }
}

fn number(n: u32) -> Option<usize> {
    (n != u32::MAX).then_some(n as usize)
}

fn access(a: &PsSourceAccess, steps: &[PsSourceStep], members: &[u32]) -> SourceAccess {
    let first = a.first_step as usize;
    SourceAccess {
        kind: match a.kind {
            0 => AccessKind::Read,
            1 => AccessKind::Write,
            2 => AccessKind::Escape,
            3 => AccessKind::Call,
            4 => AccessKind::Lifetime,
            5 => AccessKind::ThreadLocal,
            6 => AccessKind::Alloca,
            _ => AccessKind::Nameless,
        },
        variable: number(a.variable),
        pointee: a.pointee != 0,
        line: a.line,
        offset: u64::try_from(a.offset).ok(),
        bytes: a.bytes,
        of_type: a.of_type,
        parts: a.parts,
        steps: steps[first..first + a.steps as usize]
            .iter()
            .map(|s| Subscript {
                variable: number(s.variable),
                offset: s.offset,
                stride: s.stride,
                bounded: s.bounded != 0,
                fold: fold(s, members),
            })
            .collect(),
        way: number(a.way),
        callee: text(a.name),
        library: a.library != 0,
        declared: a.declared != 0,
        no_return: matches!(a.no_return, 1..=3),
        leaves: match a.no_return {
            2 | 4 => Some(NoReturnExit::Throws),
            3 | 5 => Some(NoReturnExit::Jumps),
            _ => None,
        },
        inlined: a.inlined != 0,
        accessor: a.accessor != 0,
        constant: a.constant != 0,
        kept: a.kept != 0,
        followed: a.followed != 0,
        member: text(a.member),
    }
}

fn fold(s: &PsSourceStep, members: &[u32]) -> Option<Fold> {
    if s.divisor == 0 {
        return None;
    }
    let rest = &members[s.first as usize..];
    let (inner, rest) = rest.split_at(2 * s.inner as usize);
    let inner = inner.chunks_exact(2);
    let outer = rest[..s.outer as usize].iter();
    Some(Fold {
        inner: inner.map(|i| (i[0] as usize, i[1].into())).collect(),
        divisor: s.divisor,
        modulus: s.modulus,
        outer: outer.map(|v| *v as usize).collect(),
    })
}

fn one_loop(l: &PsSourceLoop, members: &[u32]) -> SourceLoop {
    let part = |first: u32, length: u32| {
        let first = first as usize;
        members[first..first + length as usize]
            .iter()
            .map(|&m| m as usize)
            .collect()
    };
    SourceLoop {
        file: text(l.file),
        directory: text(l.directory),
        line: l.line,
        column: l.column,
        end: (l.end_line, l.end_column),
        header: l.header as usize,
        blocks: part(l.first_block, l.blocks),
        inside: part(l.first_inside, l.inside),
        counted: number(l.index).map(|index| (index, l.trips)),
    }
}
