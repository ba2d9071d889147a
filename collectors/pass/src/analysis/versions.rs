//! Versions of a function and the ways between them (`shim/versions.cpp`), for [`crate::versions`] and [`crate::emit`].

use std::ffi::c_void;
use std::mem::offset_of;

use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMModuleRef, LLVMValueRef};
use parascan_abi::{CHECKS_OF_UNSEEN, MAX_ARGS, State, Time, UNTRACKED_DEPTH};

use crate::ir::{Block, Module, Value};

unsafe extern "C" {
    fn ps_division(function: LLVMValueRef) -> i32;
    fn ps_prepare_versions(function: LLVMValueRef);
    fn ps_mark_folded(function: LLVMValueRef);
    fn ps_versions(
        function: LLVMValueRef,
        chains: *const LLVMBasicBlockRef,
        counts: *const u32,
        looks: *const LLVMBasicBlockRef,
        count: u32,
        left: LLVMValueRef,
        turn: LLVMValueRef,
        turn_before: LLVMValueRef,
        place: *const Buffer,
        at_entry: i32,
        counters: *const Counters,
        on: *mut LLVMValueRef,
        context: *mut c_void,
        tell: ReportPlace,
    ) -> LLVMValueRef;
    fn ps_label_tracked(function: LLVMValueRef);
    fn ps_enter_helper(module: LLVMModuleRef) -> LLVMValueRef;
    fn ps_go_on(
        end: LLVMValueRef,
        to: LLVMValueRef,
        number: u32,
        place: *const Buffer,
        live: *const LLVMValueRef,
        here: *const u8,
        count: u32,
        resumed: LLVMValueRef,
    );
    fn ps_ways_in(
        function: LLVMValueRef,
        take: LLVMValueRef,
        behind: LLVMValueRef,
        which: LLVMValueRef,
        ends: *const LLVMValueRef,
        live: *const LLVMValueRef,
        live_counts: *const u32,
        count: u32,
        numbers: *const u32,
        of: *const u32,
        chains: *const LLVMBasicBlockRef,
        counts: *const u32,
        place_count: u32,
        place: *const Buffer,
    );
}

/// Where the number of a place and values lie while one version of a function hands over to another: mirrors
/// `PsBuffer`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Buffer {
    state: LLVMValueRef,
    number: u64,
    offset: u64,
    size: u64,
    native: u64,
    depth: u64,
    new_thread: i64,
}

impl Buffer {
    /// Of the thread's state, a variable of the module.
    pub fn new(state: Value) -> Self {
        Self {
            state: state.0,
            number: offset_of!(State, place) as u64,
            offset: offset_of!(State, args) as u64,
            size: (MAX_ARGS * size_of::<Time>()) as u64,
            native: offset_of!(State, native) as u64,
            depth: offset_of!(State, depth) as u64,
            new_thread: UNTRACKED_DEPTH,
        }
    }
}

/// What native versions of a function count: mirrors `PsCounters`.
#[repr(C)]
struct Counters {
    /// The first one.
    first: LLVMValueRef,
    list: *const RawCount,
    count: u64,
    sites: *const RawSite,
    site_count: u64,
    unseen: u64,
}

/// Mirrors `PsSite`.
#[repr(C)]
struct RawSite {
    call: LLVMValueRef,
    list: LLVMValueRef,
}

/// Mirrors `PsCount`.
#[repr(C)]
struct RawCount {
    kind: u32,
    counter: u32,
    ahead: u32,
    block: LLVMBasicBlockRef,
    instruction: LLVMValueRef,
}

/// What native versions of a function count, and with which counter.
#[derive(Clone, Copy, Debug)]
pub enum CountAt {
    /// Calls of the function.
    Entry(u32),
    /// How often control leaves a block.
    EndOf(Block, u32),
    /// How often control comes to a block.
    StartOf(Block, u32),
    /// How often control comes to the header of a loop that is never left but by its exits: in a register.
    Iterations {
        header: Block,
        counter: u32,
        /// A counter that keeps how many checks the last instance counted for.
        ahead: Option<u32>,
    },
    /// How often control comes to an instruction.
    Before(Value, u32),
}

impl CountAt {
    fn raw(self) -> RawCount {
        let none = (std::ptr::null_mut(), std::ptr::null_mut());
        let (kind, counter, (block, instruction)) = match self {
            Self::Entry(counter) => (0, counter, none),
            Self::EndOf(block, counter) => (1, counter, (block.0, none.1)),
            Self::StartOf(block, counter) => (2, counter, (block.0, none.1)),
            Self::Iterations {
                header, counter, ..
            } => (3, counter, (header.0, none.1)),
            Self::Before(value, counter) => (4, counter, (none.0, value.0)),
        };
        let ahead = match self {
            Self::Iterations { ahead, .. } => ahead,
            _ => None,
        };
        RawCount {
            kind,
            counter,
            ahead: ahead.unwrap_or(u32::MAX),
            block,
            instruction,
        }
    }
}

type ReportPlace = unsafe extern "C" fn(*mut c_void, u32, u32, *const LLVMValueRef, *const u8, u32);

/// Where one version of a function can go on for another.
#[derive(Clone, Debug)]
pub struct SwitchPoint {
    /// Headers of the loops around it, outermost first, and of its own.
    pub chain: Vec<Block>,
    /// Where native versions look whether to go on in the tracked one.
    pub looks: SwitchCheck,
}

/// Where native versions look at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchCheck {
    /// In the loop's header.
    InHeader,
    /// Before the loop, in its preheader, and not in it.
    Before(Block),
    /// Nowhere: the tracked version leaves there, and that is all.
    Nowhere,
}

/// What native versions of a function leave for the runtime.
pub struct Notes<'a> {
    /// First counter of the module.
    pub counters: Value,
    /// Which calls, blocks and instructions of the function count, each with its counter's number in the module.
    pub counts: &'a [CountAt],
    /// Calls, each with the list of regions that are open while it goes on.
    pub sites: &'a [(Value, Value)],
}

/// Native versions of a function.
pub struct Versions {
    /// Called in its place.
    pub native: Value,
    /// Goes on at places; none without any.
    pub on: Option<Value>,
    /// The places that can be some, by index.
    pub places: Vec<(usize, LiveAt)>,
}

/// What is live at a place.
#[derive(Clone, Debug)]
pub struct LiveAt {
    /// The way that it is entered by: places in one outermost loop share one.
    pub way: usize,
    /// What is live at one of that way's places.
    pub values: Vec<Value>,
    /// Of each, whether it is live at this one: 1 or 0.
    here: Vec<u8>,
}

/// How far versions of a function can go on for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    /// It has one version, which is tracked.
    Never,
    /// Its versions are chosen where it is called: what it does needs its frame from beginning to end.
    AtEntry,
    /// In its middle as well.
    Anywhere,
}

/// Before a function's versions are made: nothing stands in their way.
pub fn prepare(function: Value) {
    shim!(ps_prepare_versions(function.0));
}

/// Notes that a function's callers account for it.
pub fn mark_folded(function: Value) {
    shim!(ps_mark_folded(function.0));
}

/// How far versions of a function can go on for each other (`shim/division.cpp`).
pub fn division(function: Value) -> Division {
    match shim!(ps_division(function.0)) {
        0 => Division::Never,
        1 => Division::AtEntry,
        _ => Division::Anywhere,
    }
}

/// The function that opens a function's region: `(region, inside, slot)`, as `shim/sites.cpp` says.
pub fn enter_helper(module: Module) -> Value {
    Value(shim!(ps_enter_helper(module.0)))
}

/// Tells the runtime of the calls of a function's tracked version.
pub fn label_tracked(function: Value) {
    shim!(ps_label_tracked(function.0));
}

/// Makes native versions of a function, with ways to the tracked one at these places. `symbols` are of the runtime: the
/// counter of their checks, and the functions that answer, in general and before loops without looks.
pub fn versions(
    function: Value,
    places: &[SwitchPoint],
    symbols: [Value; 3],
    buffer: &Buffer,
    at_entry: bool,
    notes: &Notes<'_>,
) -> Versions {
    unsafe extern "C" fn tell(
        context: *mut c_void,
        index: u32,
        way: u32,
        values: *const LLVMValueRef,
        here: *const u8,
        count: u32,
    ) {
        // SAFETY: the list below, used by nobody else while the shim works.
        let found = unsafe { &mut *context.cast::<Vec<(usize, LiveAt)>>() };
        // SAFETY: the shim gives so many values.
        let values = unsafe { std::slice::from_raw_parts(values, count as usize) };
        // SAFETY: as many as values.
        let here = unsafe { std::slice::from_raw_parts(here, count as usize) };
        let live = LiveAt {
            way: way as usize,
            values: values.iter().map(|v| Value(*v)).collect(),
            here: here.to_vec(),
        };
        found.push((index as usize, live));
    }
    let (chains, counts) = chains(places.iter().map(|p| &p.chain));
    let looks: Vec<_> = places
        .iter()
        .map(|place| match (place.looks, place.chain.last()) {
            (SwitchCheck::InHeader, Some(header)) => header.0,
            (SwitchCheck::Before(preheader), _) => preheader.0,
            _ => std::ptr::null_mut(),
        })
        .collect();
    let mut found: Vec<(usize, LiveAt)> = Vec::new();
    let mut on = std::ptr::null_mut();
    let list: Vec<_> = notes.counts.iter().map(|count| count.raw()).collect();
    let sites: Vec<_> = notes
        .sites
        .iter()
        .map(|(call, list)| RawSite {
            call: call.0,
            list: list.0,
        })
        .collect();
    let counters = Counters {
        first: notes.counters.0,
        list: list.as_ptr(),
        count: list.len() as u64,
        sites: sites.as_ptr(),
        site_count: sites.len() as u64,
        unseen: CHECKS_OF_UNSEEN,
    };
    let native = shim!(ps_versions(
        function.0,
        chains.as_ptr(),
        counts.as_ptr(),
        looks.as_ptr(),
        places.len() as u32,
        symbols[0].0,
        symbols[1].0,
        symbols[2].0,
        buffer,
        at_entry.into(),
        &raw const counters,
        &raw mut on,
        (&raw mut found).cast(),
        tell,
    ));
    Versions {
        native: Value(native),
        on: (!on.is_null()).then_some(Value(on)),
        places: found,
    }
}

/// Lists one after the other, and their lengths.
fn chains<'a>(lists: impl Iterator<Item = &'a Vec<Block>>) -> (Vec<LLVMBasicBlockRef>, Vec<u32>) {
    let (mut all, mut counts) = (Vec::new(), Vec::new());
    for list in lists {
        all.extend(list.iter().map(|b| b.0));
        counts.push(list.len() as u32);
    }
    (all, counts)
}

/// In place of everything behind the block that `end` terminates, calls the native continuation `to` at a place where
/// this is live. `resumed`: whether the function was itself entered at one.
pub fn go_on(end: Value, to: Value, number: u32, buffer: &Buffer, live: &LiveAt, resumed: Value) {
    let values: Vec<_> = live.values.iter().map(|v| v.0).collect();
    let (here, count) = (live.here.as_ptr(), values.len() as u32);
    shim!(ps_go_on(
        end.0,
        to.0,
        number,
        buffer,
        values.as_ptr(),
        here,
        count,
        resumed.0
    ));
}

/// A place that a tracked version is entered at.
pub struct EntryTarget<'a> {
    /// Number of the place.
    pub number: u32,
    /// As [`SwitchPoint::chain`].
    pub chain: &'a Vec<Block>,
    /// What is live there, and the way to it.
    pub live: &'a LiveAt,
}

/// Where a tracked version takes what was handed over to it.
#[derive(Clone, Copy)]
pub struct Handover {
    /// Terminates the block that does, before all calls.
    pub take: Value,
    /// Number of the place.
    pub number: Value,
}

/// Has a function be entered at places; `behind` is the first instruction of what runs when it is called as usual.
pub fn ways_in(
    function: Value,
    handed: Handover,
    behind: Value,
    ends: &[Value],
    targets: &[EntryTarget<'_>],
    buffer: &Buffer,
) {
    let (chains, counts) = chains(targets.iter().map(|t| t.chain));
    let numbers: Vec<_> = targets.iter().map(|t| t.number).collect();
    let of: Vec<_> = targets.iter().map(|t| t.live.way as u32).collect();
    let way = |w| targets.iter().find(|t| t.live.way == w);
    let values = |w| way(w).map_or(&[][..], |t| &t.live.values);
    let live: Vec<_> = (0..ends.len()).flat_map(values).map(|v| v.0).collect();
    let live_counts: Vec<_> = (0..ends.len()).map(|w| values(w).len() as u32).collect();
    let ends: Vec<_> = ends.iter().map(|end| end.0).collect();
    shim!(ps_ways_in(
        function.0,
        handed.take.0,
        behind.0,
        handed.number.0,
        ends.as_ptr(),
        live.as_ptr(),
        live_counts.as_ptr(),
        ends.len() as u32,
        numbers.as_ptr(),
        of.as_ptr(),
        chains.as_ptr(),
        counts.as_ptr(),
        targets.len() as u32,
        buffer,
    ));
}
