//! Machine code for blocks that are executed often, for machines that keep levels only.
//!
//! All unsafe steps of this are here: what the code reads and writes is laid out by [`DataLayout`], and only
//! [`NativeCompiler::compile`] makes code, from that.

mod access;
mod assembler;
mod emit;
mod frame;
mod group;
mod memory;
mod stubs;
mod windows;
mod writer;

use std::mem::offset_of;

use super::cell::MemoryCell;
use super::code::BlockCode;
use super::compile::{Compiled, GeneralInstruction, OpKind};
use super::graph::SharedByThreads;
use super::lanes::{Lanes, Level};
use super::latencies::LATENCIES;
use super::profile::Profiles;
use super::tables::ModelTables;
use super::thread::{Registers, Thread, ThreadState};
use super::window::{LaneRing, rings};
use crate::event::MemorySpan;
use stubs::CallStubs;

/// Blocks that are compiled, at most.
const BLOCKS: usize = 1 << 16;
/// Operations in a block that is compiled, at most.
const OPS: usize = 100;

/// Where the code finds what it needs.
struct DataLayout {
    lanes: usize,
    /// Offsets in the state of a thread.
    firewall: i32,
    deepest: i32,
    active: i32,
    last_level: i32,
    /// Whether lanes may be inactive.
    masked: bool,
    /// Whether anybody asks for the level of the last instance.
    predicts: bool,
    /// Where profiles are, if they are used.
    profile: Option<ProfileLayout>,
    /// Where windows are, if there are any.
    windows: Option<WindowsLayout>,
    /// Address of the live well's cache.
    cache: i64,
    /// Addresses of functions.
    read: i64,
    write: i64,
    settle: i64,
    close: i64,
    general: i64,
}

/// Where profiles are.
#[derive(Clone, Copy)]
struct ProfileLayout {
    /// Offset of their number in what threads share.
    count: i32,
    /// Addresses.
    levels: i64,
    columns: i64,
    /// How many there is room for.
    room: usize,
}

/// Where windows are.
struct WindowsLayout {
    /// Offsets in the state of a thread: instances so far, and the address of the rings.
    position: i32,
    address: i32,
    rings: Vec<LaneRing>,
}

/// Makes code for the blocks of one machine, and keeps it.
#[derive(Default)]
pub struct NativeCompiler {
    memory: memory::CodeMemory,
    /// BlockCode by which others call functions, once there is some.
    stubs: Option<CallStubs>,
    /// Blocks that were compiled.
    blocks: usize,
}

impl NativeCompiler {
    /// A compiler, if this machine is one whose blocks can be compiled, and the processor one that can run them: it
    /// must have AVX2 and BMI2, as most have since about 2015. `profiles`: they are used.
    pub fn new<L: Level, const N: usize, C: MemoryCell<L, N>>(
        tables: &ModelTables<L, N>,
        profiles: bool,
    ) -> Option<Self> {
        let levels = size_of::<L>() == 4 && size_of::<C>() == 4 * N && matches!(N, 1 | 4 | 8);
        let plain = !(C::READERS || C::VALUES);
        let together = !(profiles && tables.mixed);
        let processor = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2");
        (levels && plain && together && processor).then(Self::default)
    }

    /// Code for a block of the machine for which this was made, which has these tables and shares this; good for as
    /// long as the block, the machine and this exist. `masked`: lanes may be inactive. `None` if it has too many
    /// instructions or none that is simple, or if there is no room for more code.
    pub fn compile<L: Level, const N: usize, C: MemoryCell<L, N>>(
        &mut self,
        block: &Compiled,
        tables: &ModelTables<L, N>,
        shared: &mut SharedByThreads<L, N, C>,
        masked: bool,
    ) -> Option<BlockCode> {
        let simple = |shape: OpKind| !matches!(shape, OpKind::Copy | OpKind::General);
        let worth_it = block.ops.iter().any(|op| simple(op.shape));
        if self.blocks == BLOCKS || !worth_it || block.ops.len() > OPS {
            return None;
        }
        self.blocks += 1;
        let layout = layout(tables, shared, masked);
        if !layout.windows.as_ref().is_none_or(windows::can_view) {
            return None;
        }
        let steps = |latency: u8, lane: usize| {
            tables.latency[usize::from(latency) % LATENCIES].0[lane].number() as u32
        };
        let stubs = self.stubs(&layout)?;
        let mut place = None;
        let (front, back) = emit::block(block, &layout, stubs, &steps, |front, back| {
            place = self.memory.room(front, back);
            place.map(|place| place.gap(front))
        })?;
        let code = self.memory.put(place?, &front, &back)?;
        // SAFETY: this is code with that signature, which was made for this machine alone.
        Some(unsafe { std::mem::transmute::<*mut u8, BlockCode>(code.as_ptr()) })
    }

    /// Where the code is by which others call functions.
    fn stubs(&mut self, layout: &DataLayout) -> Option<CallStubs> {
        if self.stubs.is_none() {
            let (code, starts) = stubs::code(layout)?;
            let place = self.memory.room(code.len(), 0)?;
            let code = self.memory.put(place, &code, &[])?;
            let code = code.as_ptr().expose_provenance();
            let [read, write, settle, close] = starts.map(|start| (code + start) as i64);
            self.stubs = Some(CallStubs {
                read,
                write,
                settle,
                close,
            });
        }
        self.stubs
    }
}

/// Where all is.
fn layout<L: Level, const N: usize, C: MemoryCell<L, N>>(
    tables: &ModelTables<L, N>,
    shared: &mut SharedByThreads<L, N, C>,
    masked: bool,
) -> DataLayout {
    let profiles = &mut shared.profiles;
    DataLayout {
        lanes: N,
        firewall: offset_of!(ThreadState<L, N>, firewall) as i32,
        deepest: offset_of!(ThreadState<L, N>, deepest) as i32,
        active: offset_of!(ThreadState<L, N>, active) as i32,
        last_level: offset_of!(ThreadState<L, N>, last_level) as i32,
        masked,
        predicts: !tables.predictions.is_empty(),
        profile: profiles.used.then(|| ProfileLayout {
            count: offset_of!(SharedByThreads<L, N, C>, profiles.count) as i32,
            levels: profiles.pending.as_mut_ptr().expose_provenance() as i64,
            columns: profiles.columns.as_mut_ptr().expose_provenance() as i64,
            room: Profiles::<L, N>::PENDING,
        }),
        windows: tables.any_windows.then(|| WindowsLayout {
            position: offset_of!(ThreadState<L, N>, windows.position) as i32,
            address: offset_of!(ThreadState<L, N>, windows.address) as i32,
            rings: rings(&tables.windows),
        }),
        cache: shared.memory.cache.as_mut_ptr().expose_provenance() as i64,
        read: (read::<L, N, C> as *const ()).expose_provenance() as i64,
        write: (write::<L, N, C> as *const ()).expose_provenance() as i64,
        general: (general::<L, N, C> as *const ()).expose_provenance() as i64,
        settle: (settle::<L, N, C> as *const ()).expose_provenance() as i64,
        close: (close::<L, N> as *const ()).expose_provenance() as i64,
    }
}

/// Runs the code of a block of a thread.
///
/// # Safety
/// [`NativeCompiler::compile`] made the code for the machine that this is of, from a block that still exists;
/// `addresses` has one for each slot of the block.
#[inline(always)]
pub unsafe fn run<L: Level, const N: usize, C: MemoryCell<L, N>>(
    code: BlockCode,
    tables: &ModelTables<L, N>,
    shared: &mut SharedByThreads<L, N, C>,
    thread: &mut Thread<L, N>,
    addresses: &[u64],
) {
    // SAFETY: who calls has seen to it.
    unsafe {
        code(
            (&raw mut *shared).cast(),
            (&raw mut thread.state).cast(),
            (&raw mut *thread.levels).cast(),
            addresses.as_ptr(),
            (&raw const *tables).cast(),
        );
    }
}

/// Makes `start` as deep as the memory.
///
/// # Safety
/// BlockCode calls this with what it was given.
unsafe extern "sysv64" fn read<L: Level, const N: usize, C: MemoryCell<L, N>>(
    shared: *mut SharedByThreads<L, N, C>,
    address: u64,
    size: u64,
    start: *mut Lanes<L, N>,
) {
    // SAFETY: the code was given what the threads share, which nobody else uses now, and has room for levels.
    let (shared, start) = unsafe { (&mut *shared, &mut *start) };
    let span = MemorySpan { address, size };
    *start = shared
        .memory
        .fold(span, *start, |start, cell| start.max(cell.level()));
}

/// Makes memory as deep as `level`.
///
/// # Safety
/// BlockCode calls this with what it was given.
unsafe extern "sysv64" fn write<L: Level, const N: usize, C: MemoryCell<L, N>>(
    shared: *mut SharedByThreads<L, N, C>,
    address: u64,
    size: u64,
    level: *const Lanes<L, N>,
) {
    // SAFETY: as in `read`.
    let (shared, level) = unsafe { (&mut *shared, *level) };
    shared
        .memory
        .fill(MemorySpan { address, size }, C::written(level, 0));
}

/// All instances of an instruction of any kind.
///
/// # Safety
/// BlockCode calls this with what it was given, and an instruction of its block.
unsafe extern "sysv64" fn general<L: Level, const N: usize, C: MemoryCell<L, N>>(
    shared: *mut SharedByThreads<L, N, C>,
    state: *mut ThreadState<L, N>,
    registers: *mut Registers<L, N>,
    addresses: *const u64,
    tables: *const ModelTables<L, N>,
    general: *const GeneralInstruction,
) {
    // SAFETY: as in `read`; the block is still there, and so are its instructions, and there is an address for each
    // slot of these.
    let (shared, state, registers, tables, general) = unsafe {
        (
            &mut *shared,
            &mut *state,
            &mut *registers,
            &*tables,
            &*general,
        )
    };
    // SAFETY: as above.
    let addresses = unsafe {
        std::slice::from_raw_parts(addresses.add(general.first_slot), general.slots.len())
    };
    let levels = &mut registers.0;
    state.last_level = if tables.any_windows {
        shared.general_of_code::<true>(tables, levels, state, general, addresses)
    } else {
        shared.general_of_code::<false>(tables, levels, state, general, addresses)
    };
}

/// So many instances were put into the windows.
///
/// # Safety
/// BlockCode calls this with the state it was given.
unsafe extern "sysv64" fn close<L: Level, const N: usize>(
    state: *mut ThreadState<L, N>,
    count: u64,
    _: u64,
) {
    // SAFETY: as in `read`.
    unsafe { (*state).windows.close(count as usize) }
}

/// Counts what is pending.
///
/// # Safety
/// BlockCode calls this with what it was given.
unsafe extern "sysv64" fn settle<L: Level, const N: usize, C: MemoryCell<L, N>>(
    shared: *mut SharedByThreads<L, N, C>,
    _: u64,
    _: u64,
) {
    // SAFETY: as in `read`.
    unsafe { (*shared).profiles.settle() }
}
