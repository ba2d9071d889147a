//! A safe view on the C++ shim's analyses of one function.

use std::ffi::c_void;

use llvm_sys::prelude::*;
use parascan_abi::deps::AccessReport;

use crate::ir::{Block, Module, Opcode, Value};

#[repr(C)]
#[derive(Clone, Copy)]
struct PsLoop {
    header: LLVMBasicBlockRef,
    preheader: LLVMBasicBlockRef,
    latch: LLVMBasicBlockRef,
    parent: i32,
    depth: u32,
    line: u32,
    column: u32,
    end_line: u32,
    dedicated_exits: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct PsInduction {
    loop_index: u32,
    phi: LLVMValueRef,
    updates: [LLVMValueRef; 4],
    stated: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct PsRange {
    access: LLVMValueRef,
    start: LLVMValueRef,
    stride: LLVMValueRef,
    conditional: u32,
}

#[repr(C)]
struct PsAnalysis {
    opaque: [u8; 0],
}

unsafe extern "C" {
    fn ps_analyze(analyses: *mut c_void, function: LLVMValueRef) -> *mut PsAnalysis;
    fn ps_analysis_free(analysis: *mut PsAnalysis);
    fn ps_loop_count(analysis: *mut PsAnalysis) -> u32;
    fn ps_loop(analysis: *mut PsAnalysis, index: u32, out: *mut PsLoop);
    fn ps_loop_blocks(
        analysis: *mut PsAnalysis,
        index: u32,
        out: *mut LLVMBasicBlockRef,
        cap: u32,
    ) -> u32;
    fn ps_loop_exits(
        analysis: *mut PsAnalysis,
        index: u32,
        out: *mut LLVMBasicBlockRef,
        cap: u32,
    ) -> u32;
    fn ps_loop_counted_exits(
        analysis: *mut PsAnalysis,
        index: u32,
        out: *mut LLVMBasicBlockRef,
        cap: u32,
    ) -> u32;
    fn ps_bound_loads(
        analysis: *mut PsAnalysis,
        index: u32,
        block: LLVMBasicBlockRef,
        out: *mut LLVMValueRef,
        cap: u32,
    ) -> u32;
    fn ps_inductions(analysis: *mut PsAnalysis, out: *mut PsInduction, cap: u32) -> u32;
    fn ps_other_accesses(
        analysis: *mut PsAnalysis,
        index: u32,
        load: LLVMValueRef,
        store: LLVMValueRef,
        family: *const LLVMValueRef,
        members: u32,
        out: *mut LLVMValueRef,
        cap: u32,
    ) -> u32;
    fn ps_same_load(analysis: *mut PsAnalysis, a: LLVMValueRef, b: LLVMValueRef) -> i32;
    fn ps_same_address(analysis: *mut PsAnalysis, a: LLVMValueRef, b: LLVMValueRef) -> i32;
    fn ps_constant_address(analysis: *mut PsAnalysis, index: u32, address: LLVMValueRef) -> i32;
    fn ps_invariant(analysis: *mut PsAnalysis, index: u32, value: LLVMValueRef) -> i32;
    fn ps_steps_everywhere(
        analysis: *mut PsAnalysis,
        inner: u32,
        outer: u32,
        address: LLVMValueRef,
    ) -> i32;
    fn ps_steps_apart(analysis: *mut PsAnalysis, index: u32, store: LLVMValueRef) -> i32;
    fn ps_constant_trips(analysis: *mut PsAnalysis, index: u32) -> u32;
    fn ps_never_alias(analysis: *mut PsAnalysis, a: LLVMValueRef, b: LLVMValueRef) -> i32;
    fn ps_alias(analysis: *mut PsAnalysis, a: LLVMValueRef, b: LLVMValueRef) -> i32;
    fn ps_constant_base(
        module: LLVMModuleRef,
        address: LLVMValueRef,
        offset: *mut i64,
    ) -> LLVMValueRef;
    fn ps_strict_access(value: LLVMValueRef) -> i32;
    fn ps_strict_copy(copy: LLVMValueRef) -> i32;
    fn ps_reads_vtable(value: LLVMValueRef) -> i32;
    fn ps_is_signed(value: LLVMValueRef) -> i32;
    fn ps_member_through(
        address: LLVMValueRef,
        pointer: LLVMValueRef,
        out: *mut u8,
        cap: u32,
    ) -> u32;
    fn ps_variable_name(value: LLVMValueRef, at: LLVMValueRef, out: *mut u8, cap: u32) -> u32;
    fn ps_declared_line(slot: LLVMValueRef) -> u32;
    fn ps_global_named(
        function: LLVMValueRef,
        name: *const u8,
        length: u32,
        line: u32,
    ) -> LLVMValueRef;
    fn ps_variable_names(value: LLVMValueRef, out: *mut u8, cap: u32) -> u32;
    fn ps_shows(analysis: *mut PsAnalysis, in_loop: u32, name: *const u8, length: u32) -> i32;
    fn ps_place_name(
        address: LLVMValueRef,
        at: LLVMValueRef,
        inlined: i32,
        out: *mut u8,
        cap: u32,
    ) -> u32;
    fn ps_block_max_line(block: LLVMBasicBlockRef) -> u32;
    fn ps_is_tail_must(call: LLVMValueRef) -> i32;
    fn ps_returns_twice(call: LLVMValueRef) -> i32;
    fn ps_promote_allocas(function: LLVMValueRef, allocas: *mut LLVMValueRef, count: u32);
    fn ps_append_ctor(module: LLVMModuleRef, function: LLVMValueRef, priority: i32);
    fn ps_append_dtor(module: LLVMModuleRef, function: LLVMValueRef, priority: i32);
    fn ps_strip_debug(module: LLVMModuleRef);
    fn ps_strip_memory_attributes(module: LLVMModuleRef);
    fn ps_add_scope_metadata(
        module: LLVMModuleRef,
        instruction: LLVMValueRef,
        scope: u32,
        own: i32,
    );
    fn ps_is_presplit_coroutine(function: LLVMValueRef) -> i32;
    fn ps_verify(module: LLVMModuleRef);
    fn ps_clone_internal(function: LLVMValueRef) -> LLVMValueRef;
    fn ps_clone_body(function: LLVMValueRef) -> LLVMValueRef;
    fn ps_declared_inside(
        analysis: *mut PsAnalysis,
        in_loop: u32,
        out: *mut LLVMValueRef,
        cap: u32,
    ) -> u32;
    fn ps_once(analysis: *mut PsAnalysis, in_loop: u32, block: LLVMBasicBlockRef) -> i32;
    fn ps_load_before(function: LLVMValueRef, analyses: *mut c_void);
    fn ps_ranges(
        analysis: *mut PsAnalysis,
        in_loop: u32,
        count: *mut LLVMValueRef,
        alone: *mut u32,
        out: *mut PsRange,
        cap: u32,
    ) -> u32;
    fn ps_guard_reports(
        function: LLVMValueRef,
        idle: LLVMValueRef,
        calls: *const LLVMValueRef,
        known: *const LLVMValueRef,
        count: u32,
        reports: *mut PsReports,
    );
    fn ps_choose_body(function: LLVMValueRef, mode: LLVMValueRef, other: LLVMValueRef);
    fn ps_choose_version(function: LLVMValueRef, place: *const Buffer, native: LLVMValueRef);
    fn ps_near(module: LLVMModuleRef);
    fn ps_is_fortran(function: LLVMValueRef) -> i32;
    fn ps_is_only_read(global: LLVMValueRef) -> LLVMBool;
    fn ps_strip_lines(function: LLVMValueRef);
    fn ps_mark_written(function: LLVMValueRef, variables: i32);
    fn ps_split_if(condition: LLVMValueRef, before: LLVMValueRef) -> LLVMValueRef;
    fn ps_split_if_else(condition: LLVMValueRef, before: LLVMValueRef, ends: *mut LLVMValueRef);
}

/// Calls a shim function.
macro_rules! shim {
    ($function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: as in `ir::ll!`; the analysis handle is alive as long as its owner and the function is unchanged.
        unsafe { $function($($argument),*) }
    };
}

mod streams;
mod versions;

pub use versions::{
    Buffer, CountAt, Division, EntryTarget, Handover, LiveAt, Notes, SwitchCheck, SwitchPoint,
    division, enter_helper, go_on, label_tracked, mark_folded, prepare, versions, ways_in,
};

/// A natural loop of a function, as LLVM's loop analysis has it.
#[derive(Clone, Debug)]
pub struct NaturalLoop {
    /// The one block by which it is entered, and with which every iteration begins.
    pub header: Block,
    /// Preheader, in simplified form.
    pub preheader: Option<Block>,
    /// Latch, when there is just one.
    pub latch: Option<Block>,
    /// Enclosing loop.
    pub parent: Option<usize>,
    /// First line, column and last line.
    pub place: (u32, u32, u32),
    /// Whether exit blocks are reached from the loop only.
    pub dedicated_exits: bool,
    /// Blocks, header first.
    pub blocks: Vec<Block>,
    /// Exit blocks (outside the loop).
    pub exits: Vec<Block>,
    /// Exiting blocks with a counted test.
    pub counted_exits: Vec<Block>,
    /// Those whose bound lies in memory that the loop may write, with the loads of the bound.
    pub memory_bounds: Vec<(Block, Vec<Value>)>,
}

/// An induction variable of a loop, by scalar evolution: a header phi that every iteration changes by a step.
#[derive(Clone, Debug)]
pub struct Induction {
    /// Index of the one that it steps through, in [`Analysis::loops`].
    pub in_loop: usize,
    /// Its header phi.
    pub phi: Value,
    /// Its update chain.
    pub updates: Vec<Value>,
    /// Whether a `do` of Fortran steps it.
    pub is_stated: bool,
}

/// Accesses of an innermost loop at addresses that follow from the first iteration's.
#[derive(Clone, Debug)]
pub struct Ranges {
    /// Iterations, 64 bits.
    pub count: Value,
    /// The loop reports nothing else than these and its iterations.
    pub alone: bool,
    /// In the order of the program.
    pub all: Vec<AccessRange>,
}

/// An access of a loop at an address that follows from that in the first iteration.
#[derive(Clone, Copy, Debug)]
pub struct AccessRange {
    /// The load or store.
    pub access: Value,
    /// Address in the first iteration, 64 bits.
    pub start: Value,
    /// Bytes to that in the next, 64 bits.
    pub stride: Value,
    /// Some iterations may do without.
    pub conditional: bool,
}

/// LLVM's analyses of one function; valid while its code is not changed.
pub struct Analysis(*mut PsAnalysis);

impl Drop for Analysis {
    fn drop(&mut self) {
        shim!(ps_analysis_free(self.0));
    }
}

fn list(mut get: impl FnMut(*mut LLVMBasicBlockRef, u32) -> u32) -> Vec<Block> {
    let n = get(std::ptr::null_mut(), 0);
    let mut raw = vec![std::ptr::null_mut(); n as usize];
    get(raw.as_mut_ptr(), n);
    raw.into_iter().map(Block).collect()
}

fn values(mut get: impl FnMut(*mut LLVMValueRef, u32) -> u32) -> Vec<Value> {
    let mut raw = vec![std::ptr::null_mut(); get(std::ptr::null_mut(), 0) as usize];
    get(raw.as_mut_ptr(), raw.len() as u32);
    raw.into_iter().map(Value).collect()
}

impl Analysis {
    /// Analyses a function. `analyses` is the `FunctionAnalysisManager` handed to the pass.
    pub fn new(analyses: *mut c_void, function: Value) -> Self {
        Self(shim!(ps_analyze(analyses, function.0)))
    }

    /// All loops, outer before inner.
    pub fn loops(&self) -> Vec<NaturalLoop> {
        (0..shim!(ps_loop_count(self.0)))
            .map(|i| {
                let mut raw = PsLoop {
                    header: std::ptr::null_mut(),
                    preheader: std::ptr::null_mut(),
                    latch: std::ptr::null_mut(),
                    parent: -1,
                    depth: 0,
                    line: 0,
                    column: 0,
                    end_line: 0,
                    dedicated_exits: 0,
                };
                shim!(ps_loop(self.0, i, &raw mut raw));
                let block = |b: LLVMBasicBlockRef| (!b.is_null()).then_some(Block(b));
                NaturalLoop {
                    header: Block(raw.header),
                    preheader: block(raw.preheader),
                    latch: block(raw.latch),
                    parent: usize::try_from(raw.parent).ok(),
                    place: (raw.line, raw.column, raw.end_line),
                    dedicated_exits: raw.dedicated_exits != 0,
                    blocks: list(|out, cap| shim!(ps_loop_blocks(self.0, i, out, cap))),
                    exits: list(|out, cap| shim!(ps_loop_exits(self.0, i, out, cap))),
                    counted_exits: list(|out, cap| {
                        shim!(ps_loop_counted_exits(self.0, i, out, cap))
                    }),
                    memory_bounds: list(|out, cap| {
                        shim!(ps_loop_counted_exits(self.0, i, out, cap))
                    })
                    .into_iter()
                    .map(|b| {
                        (
                            b,
                            values(|out, cap| shim!(ps_bound_loads(self.0, i, b.0, out, cap))),
                        )
                    })
                    .filter(|(_, loads)| !loads.is_empty())
                    .collect(),
                }
            })
            .collect()
    }

    /// All induction variables of the function's loops.
    pub fn inductions(&self) -> Vec<Induction> {
        let n = shim!(ps_inductions(self.0, std::ptr::null_mut(), 0));
        let empty = PsInduction {
            loop_index: 0,
            phi: std::ptr::null_mut(),
            updates: [std::ptr::null_mut(); 4],
            stated: 0,
        };
        let mut raw = vec![empty; n as usize];
        shim!(ps_inductions(self.0, raw.as_mut_ptr(), n));
        raw.into_iter()
            .map(|r| Induction {
                in_loop: r.loop_index as usize,
                phi: Value(r.phi),
                updates: r
                    .updates
                    .into_iter()
                    .take_while(|u| !u.is_null())
                    .map(Value)
                    .collect(),
                is_stated: r.stated != 0,
            })
            .collect()
    }

    /// Other accesses in the loop to the object that `load` and `store` update, where that may be a reduction: accesses
    /// of `family`, which update by the same operator, and loads at other addresses. None: there are other ones, or too
    /// many.
    pub fn other_accesses(
        &self,
        in_loop: usize,
        load: Value,
        store: Value,
        family: &[Value],
    ) -> Option<Vec<Value>> {
        const MOST: usize = 64;
        let family: Vec<LLVMValueRef> = family.iter().map(|v| v.0).collect();
        let mut out = [std::ptr::null_mut(); MOST];
        let count = shim!(ps_other_accesses(
            self.0,
            in_loop as u32,
            load.0,
            store.0,
            family.as_ptr(),
            family.len() as u32,
            out.as_mut_ptr(),
            MOST as u32,
        )) as usize;
        let found = out.get(..count)?;
        Some(found.iter().copied().map(Value).collect())
    }

    /// Stack slots of variables that are declared in the body of a loop.
    pub fn declared_inside(&self, in_loop: usize) -> Vec<Value> {
        const MOST: usize = 64;
        let mut out = [std::ptr::null_mut(); MOST];
        let found = shim!(ps_declared_inside(
            self.0,
            in_loop as u32,
            out.as_mut_ptr(),
            MOST as u32
        )) as usize;
        out[..found].iter().copied().map(Value).collect()
    }

    /// Whether all that a loop writes to the function's variables of this name it writes in memory.
    pub fn shows(&self, in_loop: usize, name: &str) -> bool {
        let length = name.len() as u32;
        shim!(ps_shows(self.0, in_loop as u32, name.as_ptr(), length)) != 0
    }

    /// Accesses of an innermost loop at addresses that follow from the first iteration's, but for those that others of
    /// the loop may meet; none where no access happens in every iteration. Inserts what computes them at the end of the
    /// preheader.
    pub fn ranges(&self, in_loop: usize) -> Option<Ranges> {
        const MOST: usize = 32;
        let none = PsRange {
            access: std::ptr::null_mut(),
            start: std::ptr::null_mut(),
            stride: std::ptr::null_mut(),
            conditional: 0,
        };
        let mut out = [none; MOST];
        let (mut count, mut alone) = (std::ptr::null_mut(), 0);
        let found = shim!(ps_ranges(
            self.0,
            in_loop as u32,
            &raw mut count,
            &raw mut alone,
            out.as_mut_ptr(),
            MOST as u32,
        )) as usize;
        let ranges = out[..found].iter().map(|r| AccessRange {
            access: Value(r.access),
            start: Value(r.start),
            stride: Value(r.stride),
            conditional: r.conditional != 0,
        });
        (found > 0).then(|| Ranges {
            count: Value(count),
            alone: alone != 0,
            all: ranges.collect(),
        })
    }

    /// Whether two loads read the same address.
    pub fn same_load(&self, a: Value, b: Value) -> bool {
        shim!(ps_same_load(self.0, a.0, b.0)) != 0
    }

    /// Whether at most one iteration of each instance of a loop comes to a block: it compares the loop's index with
    /// what stays the same.
    pub fn once(&self, in_loop: usize, block: Block) -> bool {
        shim!(ps_once(self.0, in_loop as u32, block.0)) != 0
    }

    /// Whether a value is invariant in a loop.
    pub fn invariant(&self, in_loop: usize, value: Value) -> bool {
        shim!(ps_invariant(self.0, in_loop as u32, value.0)) != 0
    }

    /// Whether an address steps affinely in every loop from `inner` out to `outer`.
    pub fn steps_everywhere(&self, inner: usize, outer: usize, address: Value) -> bool {
        shim!(ps_steps_everywhere(
            self.0,
            inner as u32,
            outer as u32,
            address.0
        )) != 0
    }

    /// Whether every iteration of a loop is known to store to places of its own.
    pub fn steps_apart(&self, in_loop: usize, store: Value) -> bool {
        shim!(ps_steps_apart(self.0, in_loop as u32, store.0)) != 0
    }

    /// Number of iterations of a loop, when it is always the same.
    pub fn constant_trips(&self, in_loop: usize) -> Option<u32> {
        Some(shim!(ps_constant_trips(self.0, in_loop as u32))).filter(|&n| n > 0)
    }

    /// Whether two loads or stores never touch the same bytes, in whatever iterations.
    pub fn never_alias(&self, a: Value, b: Value) -> bool {
        shim!(ps_never_alias(self.0, a.0, b.0)) != 0
    }

    /// Whether an address is the same in every iteration of a loop, wherever it is computed.
    pub fn constant_address(&self, in_loop: usize, address: Value) -> bool {
        shim!(ps_constant_address(self.0, in_loop as u32, address.0)) != 0
    }

    /// Whether two addresses are known to be the same in every execution; false if that cannot be shown.
    pub fn same_address(&self, a: Value, b: Value) -> bool {
        a == b || shim!(ps_same_address(self.0, a.0, b.0)) != 0
    }

    /// How two loads or stores relate within one iteration.
    pub fn alias(&self, a: Value, b: Value) -> Alias {
        match shim!(ps_alias(self.0, a.0, b.0)) {
            0 => Alias::No,
            1 => Alias::May,
            _ => Alias::Must,
        }
    }
}

/// What innermost loops of a function load in every iteration from where they store nothing, their other instructions
/// take from loads in front of them. `analyses` is the analysis manager, which must know nothing of the function yet
/// but its loops.
pub fn load_before(function: Value, analyses: *mut c_void) {
    shim!(ps_load_before(function.0, analyses));
}

/// Relation of two memory accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alias {
    /// They never overlap.
    No,
    /// Unknown, or partly.
    May,
    /// The same bytes.
    Must,
}

/// What an address is a constant number of bytes behind, and how many.
pub fn constant_base(module: Module, address: Value) -> (Value, i64) {
    let mut offset = 0;
    let base = shim!(ps_constant_base(module.0, address.0, &raw mut offset));
    (Value(base), offset)
}

/// Whether a load or store has a TBAA type other than `char`.
pub fn strict_access(instruction: Value) -> bool {
    shim!(ps_strict_access(instruction.0)) != 0
}

/// Whether all fields of the structure that an instruction copies have a TBAA type other than `char`.
pub fn strict_copy(instruction: Value) -> bool {
    shim!(ps_strict_copy(instruction.0)) != 0
}

/// Whether an instruction loads the pointer to an object's table of virtual functions, or from such a table.
pub fn reads_vtable(instruction: Value) -> bool {
    shim!(ps_reads_vtable(instruction.0)) != 0
}

/// Whether this is the address of `errno`, of which every thread has its own.
pub fn is_errno(address: Value) -> bool {
    address.is_instruction()
        && matches!(address.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke)
        && address.callee().is_function()
        && address.callee().name() == "__errno_location"
}

/// Whether the integer variable that a value is of, or the elements of the one that an address is of, are signed in the
/// source; None when that is not known.
pub fn is_signed(value: Value) -> Option<bool> {
    match shim!(ps_is_signed(value.0)) {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// Source name of what an instruction computes, from debug information; None when there is none.
pub fn variable_name(value: Value) -> Option<String> {
    value.is_instruction().then(|| name_of(value, value))?
}

/// What a function of the shim writes into a buffer, whose size it gets; it returns how much that is.
fn written(write: impl FnOnce(*mut u8, u32) -> u32) -> String {
    let mut buffer = [0u8; 1024];
    let length = write(buffer.as_mut_ptr(), buffer.len() as u32);
    String::from_utf8_lossy(&buffer[..length as usize]).into_owned()
}

/// Source name of a value, or of what lies at an address, in a function: `at`, or that of the instruction `at`; None
/// when there is none.
pub fn name_of(value: Value, at: Value) -> Option<String> {
    let name = written(|out, cap| shim!(ps_variable_name(value.0, at.0, out, cap)));
    (!name.is_empty()).then_some(name)
}

/// Whether a function is one of Fortran, by its debug information.
pub fn is_fortran(function: Value) -> bool {
    shim!(ps_is_fortran(function.0)) != 0
}

/// Line on which the function's own variable is declared that lies in a stack slot, or 0.
pub fn declared_line(slot: Value) -> u32 {
    shim!(ps_declared_line(slot.0))
}

/// The one global variable of a function's module with this name in the source that is declared on this line.
pub fn global_named(function: Value, name: &str, line: u32) -> Option<Value> {
    let length = name.len() as u32;
    let found = shim!(ps_global_named(function.0, name.as_ptr(), length, line));
    (!found.is_null()).then_some(Value(found))
}

/// Variables that hold a value, those of the function itself before those of functions inlined into it.
pub fn variable_names(value: Value) -> Vec<String> {
    let text = written(|out, cap| shim!(ps_variable_names(value.0, out, cap)));
    text.lines().map(str::to_owned).collect()
}

/// What lies at an address that a variable of the function (or, with `inlined`, of one inlined into it) holds or lies
/// at, or at a part of that, as the source names it; with `&` behind it if a reference lies there, and empty when
/// unknown.
fn place_name(address: Value, at: Value, inlined: bool) -> String {
    written(|out, cap| shim!(ps_place_name(address.0, at.0, inlined.into(), out, cap)))
}

/// Largest source line in a block.
pub fn block_max_line(block: Block) -> u32 {
    shim!(ps_block_max_line(block.0))
}

/// Whether a call must stay a tail call.
pub fn is_must_tail(call: Value) -> bool {
    shim!(ps_is_tail_must(call.0)) != 0
}

/// Whether a call may return twice (`setjmp`).
pub fn returns_twice(call: Value) -> bool {
    shim!(ps_returns_twice(call.0)) != 0
}

/// Whether a function is a coroutine before splitting.
pub fn is_coroutine(function: Value) -> bool {
    shim!(ps_is_presplit_coroutine(function.0)) != 0
}

/// Turns stack slots into SSA values.
pub fn promote(function: Value, allocas: &[Value]) {
    let mut raw: Vec<LLVMValueRef> = allocas.iter().map(|a| a.0).collect();
    shim!(ps_promote_allocas(
        function.0,
        raw.as_mut_ptr(),
        raw.len() as u32
    ));
}

/// Adds a function to those that run before `main`, at this priority: smaller ones run earlier.
pub fn append_constructor(module: Module, function: Value, priority: i32) {
    shim!(ps_append_ctor(module.0, function.0, priority));
}

/// Adds a destructor; that of the lowest priority runs last.
pub fn append_destructor(module: Module, function: Value, priority: i32) {
    shim!(ps_append_dtor(module.0, function.0, priority));
}

/// Removes all debug information from the module.
pub fn strip_debug(module: Module) {
    shim!(ps_strip_debug(module.0));
}

/// Removes promises about memory that instrumentation breaks, and says of `__builtin_setjmp` that it may return twice.
pub fn strip_memory_attributes(module: Module) {
    shim!(ps_strip_memory_attributes(module.0));
}

/// Which memory an access lies in, for alias scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AliasScope {
    /// The program's own.
    Program = 0,
    /// Shadow memory.
    Shadow = 1,
    /// The thread state.
    State = 2,
}

/// Marks an access as lying in one of the three disjoint memories.
pub fn set_scope(module: Module, instruction: Value, scope: AliasScope) {
    shim!(ps_add_scope_metadata(
        module.0,
        instruction.0,
        scope as u32,
        i32::from(scope != AliasScope::Program)
    ));
}

/// Stops compilation when the module is invalid.
pub fn verify(module: Module) {
    shim!(ps_verify(module.0));
}

/// An internal copy of a function.
pub fn clone_internal(function: Value) -> Value {
    Value(shim!(ps_clone_internal(function.0)))
}

/// An internal copy of a function with label tables of its own; None if they cannot be copied.
pub fn clone_body(function: Value) -> Option<Value> {
    let clone = shim!(ps_clone_body(function.0));
    (!clone.is_null()).then_some(Value(clone))
}

/// What calls of the runtime report, of a whole module.
#[derive(Debug)]
pub struct Reports {
    /// Stands for the table of them until that is made.
    pub table: Value,
    /// The entries of that table, in its order: those of a call follow one another.
    pub list: Vec<AccessReport>,
}

#[repr(C)]
struct PsReports {
    table: LLVMValueRef,
    count: u32,
    context: *mut c_void,
    tell: extern "C" fn(*mut c_void, *const AccessReport),
}

extern "C" fn tell_report(list: *mut c_void, report: *const AccessReport) {
    // SAFETY: `guard_reports` hands over a list that nothing else uses meanwhile, and the shim a report.
    unsafe { (*list.cast::<Vec<AccessReport>>()).push(*report) };
}

/// Has `function` report accesses and iterations only while the 32-bit number `idle` is 0, and those calls of `known`
/// only where the value beside them is 0. Accesses that come together become one call, of which `reports` has what is
/// known. What is known of the function's blocks becomes wrong.
pub fn guard_reports(
    function: Value,
    idle: Value,
    known: &[(Value, Value)],
    reports: &mut Reports,
) {
    let (calls, values): (Vec<LLVMValueRef>, Vec<LLVMValueRef>) =
        known.iter().map(|(call, value)| (call.0, value.0)).unzip();
    let mut list = PsReports {
        table: reports.table.0,
        count: reports.list.len() as u32,
        context: (&raw mut reports.list).cast(),
        tell: tell_report,
    };
    shim!(ps_guard_reports(
        function.0,
        idle.0,
        calls.as_ptr(),
        values.as_ptr(),
        calls.len() as u32,
        &raw mut list,
    ));
}

/// At its entry, `function` calls `other`, of the same type, in place of itself if the 32-bit number `mode` is not 0.
pub fn choose_body(function: Value, mode: Value, other: Value) {
    shim!(ps_choose_body(function.0, mode.0, other.0));
}

/// Has `function` call `native`, of the same type, while the thread's functions run their native versions, and what it
/// did itself otherwise. That becomes a function of its own, so that the choice comes before all that tracked code does
/// at its beginning: it saves registers, and makes a frame that may be large. A function that jumps to labels keeps its
/// body.
pub fn choose_version(function: Value, buffer: &Buffer, native: Value) {
    shim!(ps_choose_version(function.0, buffer, native.0));
}

/// Variables of the module that keep what they begin with (`shim/facts.cpp`), before code of ours has their addresses.
pub fn only_read(module: Module) -> Vec<Value> {
    let mut globals = module.globals();
    globals.retain(|global| shim!(ps_is_only_read(global.0)) != 0);
    globals
}

/// Has code that is for executables reach the runtime's variables without a table of addresses (`shim/runtime.cpp`).
pub fn near(module: Module) {
    shim!(ps_near(module.0));
}

/// Marks a function that holds code of ours, for which the optimizer need not do everything (`shim/passes.cpp`). One
/// that is not `alone`, as the only form of the program's function, has lines but no variables for debuggers, and is
/// made small rather than fast.
pub fn mark_written(function: Value, alone: bool) {
    shim!(ps_mark_written(function.0, alone.into()));
}

/// Takes all debug information away from a function.
pub fn strip_lines(function: Value) {
    shim!(ps_strip_lines(function.0));
}

/// Splits the block before `before` and inserts an unlikely `if (condition) {}`; returns the inner block's terminator,
/// before which its body goes. Blocks known by handle keep their first part.
pub fn split_if(condition: Value, before: Value) -> Value {
    Value(shim!(ps_split_if(condition.0, before.0)))
}

/// As [`split_if`], for a likely `if (condition) {} else {}`; returns the terminators of both inner blocks.
pub fn split_if_else(condition: Value, before: Value) -> [Value; 2] {
    let mut ends = [std::ptr::null_mut(); 2];
    shim!(ps_split_if_else(condition.0, before.0, ends.as_mut_ptr()));
    ends.map(Value)
}

/// What lies at an address, as the source names it in a function: `at`, or that of the instruction `at`; empty when
/// unknown.
pub fn expression(address: Value, at: Value) -> String {
    let mut name = place(address, at);
    if name.ends_with('&') {
        name.pop();
    }
    name
}

/// Name of the member at an address, of the structure to which a pointer leads that is loaded from a global variable;
/// empty when unknown.
fn member_through(address: Value, pointer: Value) -> String {
    written(|out, cap| shim!(ps_member_through(address.0, pointer.0, out, cap)))
}

/// The same, with `&` behind it if it is a reference.
fn place(address: Value, at: Value) -> String {
    let own = place_name(address, at, false);
    if !own.is_empty() {
        return own;
    }
    // Through a pointer that lies in memory: `p` of `p[i]`, where `p` is a global variable or a member.
    let mut base = address;
    let mut element = false;
    while base.is_instruction() && base.opcode() == Opcode::LLVMGetElementPtr {
        element = true;
        base = base.operand(0);
    }
    if base.is_instruction() && base.opcode() == Opcode::LLVMLoad {
        let pointer = place(base.operand(0), at);
        let referred = pointer.strip_suffix('&');
        match (referred.unwrap_or(&pointer), element) {
            ("", _) => {}
            (name, true) => {
                return match member_through(address, base) {
                    member if member.is_empty() => format!("{name}[]"),
                    member => format!("{name}->{member}"),
                };
            }
            (name, false) if referred.is_some() => return name.to_owned(),
            (name, false) => return format!("*{name}"),
        }
    }
    place_name(address, at, true)
}
