//! The definitions of this process: its blocks and modules, published before any thread's chunk can name them.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::CStr;
use core::sync::atomic::AtomicPtr;
use core::sync::atomic::Ordering::{Relaxed, Release};

use parascan_abi::trace::{
    BEGAN_EXEC, BEGAN_FORK, CHUNK_WORDS, DEFINE, KIND_DEFINITIONS, MODULE, PROCESS, PROCESS_EXIT,
    block_head, head, narrow, pack,
};

use crate::plan::{AddressSource, BlockPlan, Repeat};
use crate::ring::{self, Owner};
use crate::{dr, itself, process, sys};

/// What a CUT needs to know of a block.
#[derive(Clone, Debug, Default)]
pub struct CutShape {
    pub words: u16,
    pub repeats: Vec<Repeat>,
}

impl CutShape {
    /// The repeated string instruction at `pc`.
    pub fn repeat_at(&self, pc: u64) -> Option<Repeat> {
        self.repeats.iter().find(|repeat| repeat.pc == pc).copied()
    }
}

struct Definitions {
    chunk: Option<u32>,
    words: usize,
    sequence: u64,
    /// Blocks by address and a hash of their code.
    blocks: BTreeMap<(u64, u64), u32>,
    shapes: BTreeMap<u32, CutShape>,
}

struct LockedDefinitions(UnsafeCell<Definitions>);
// SAFETY: only `with` looks inside, under the lock.
unsafe impl Sync for LockedDefinitions {}

static DEFINITIONS: LockedDefinitions = LockedDefinitions(UnsafeCell::new(Definitions {
    chunk: None,
    words: 0,
    sequence: 0,
    blocks: BTreeMap::new(),
    shapes: BTreeMap::new(),
}));
static LOCK: AtomicPtr<core::ffi::c_void> = AtomicPtr::new(core::ptr::null_mut());

fn with<T>(act: impl FnOnce(&mut Definitions) -> T) -> T {
    let lock = LOCK.load(Relaxed);
    // SAFETY: the lock exists from `begin` on; it makes this the only reference.
    unsafe {
        dr::dr_mutex_lock(lock);
        let result = act(&mut *DEFINITIONS.0.get());
        dr::dr_mutex_unlock(lock);
        result
    }
}

/// A process begins: it executed a program, or was forked while only its calling thread runs.
pub fn begin(forked: bool) {
    // A lock of the parent may be held by a thread that does not exist here.
    // SAFETY: no other thread uses it yet.
    LOCK.store(unsafe { dr::dr_mutex_create() }, Relaxed);
    let parent = process::begin(forked);
    // SAFETY: the main module's data is given back.
    let path = unsafe {
        let module = dr::dr_get_main_module();
        let path = module.as_ref().map_or(Vec::new(), |module| path_of(module));
        if !module.is_null() {
            dr::dr_free_module_data(module);
        }
        path
    };
    if !forked {
        itself::learn(&path);
    }
    let began = if forked { BEGAN_FORK } else { BEGAN_EXEC };
    with(|definitions| {
        definitions.chunk = None;
        definitions.sequence = 0;
        let words = [began, narrow(parent.into())];
        definitions.variable(PROCESS, process::pid(), &words, &path);
    });
}

/// Puts out the last definitions, and that the process ends.
pub fn end() {
    with(|definitions| {
        definitions.publish(&[head(PROCESS_EXIT, 0, 0)]);
        definitions.hand_over();
    });
}

/// A module was mapped or unmapped.
pub fn module(module: &dr::ModuleData, unloaded: bool) {
    // SAFETY: DynamoRIO's data of a module.
    let path = unsafe { path_of(module) };
    let words = [
        narrow(module.start as u64),
        narrow(module.end as u64),
        narrow(module.preferred as u64),
    ];
    with(|definitions| definitions.variable(MODULE, unloaded.into(), &words, &path));
}

unsafe fn path_of(module: &dr::ModuleData) -> Vec<u8> {
    if module.path.is_null() {
        return Vec::new();
    }
    // SAFETY: the caller has DynamoRIO's data of a module.
    unsafe { CStr::from_ptr(module.path).to_bytes().to_vec() }
}

/// Number of the block that has this plan; it is defined if it is new.
pub fn block(plan: &BlockPlan) -> u32 {
    let pc = plan.steps[0].pc;
    let length: usize = plan.steps.iter().map(|step| usize::from(step.length)).sum();
    // SAFETY: DynamoRIO has just decoded these bytes.
    let code = unsafe { core::slice::from_raw_parts(pc as *const u8, length) };
    let key = (pc, hash(code));
    with(|definitions| {
        if let Some(&block) = definitions.blocks.get(&key) {
            return block;
        }
        let block = ring::ring().blocks.fetch_add(1, Relaxed);
        let bytes = encode(plan, code, block);
        let mut record = Vec::with_capacity(bytes.len() / 7 + 2);
        record.push(0);
        record.extend(pack(&bytes));
        record[0] = head(DEFINE, block, record.len() as u64 - 1);
        definitions.publish(&record);
        definitions.blocks.insert(key, block);
        let repeats = plan.steps.iter().filter_map(|step| step.repeat).collect();
        definitions.shapes.insert(
            block,
            CutShape {
                words: plan.words,
                repeats,
            },
        );
        block
    })
}

/// What a CUT needs to know of a block.
pub fn shape(block: u32) -> CutShape {
    with(|definitions| definitions.shapes.get(&block).cloned().unwrap_or_default())
}

impl Definitions {
    /// A record of some words and a string.
    fn variable(&mut self, tag: u8, low: u32, words: &[u64], text: &[u8]) {
        let mut bytes = Vec::with_capacity(text.len() + 2);
        bytes.extend_from_slice(&(text.len().min(0xffff) as u16).to_le_bytes());
        bytes.extend_from_slice(&text[..text.len().min(0xffff)]);
        let mut record = Vec::with_capacity(words.len() + bytes.len() / 7 + 2);
        record.push(0);
        record.extend_from_slice(words);
        record.extend(pack(&bytes));
        record[0] = head(tag, low, record.len() as u64 - 1);
        self.publish(&record);
    }

    fn publish(&mut self, record: &[u64]) {
        if self.words + record.len() > CHUNK_WORDS {
            self.hand_over();
        }
        let index = match self.chunk {
            Some(index) => index,
            None => {
                let owner = Owner {
                    kind: KIND_DEFINITIONS,
                    process: process::number(),
                    thread: 0,
                    pid: process::pid(),
                    tid: 0,
                };
                if let Some(blocked) = ring::wait(core::ptr::null_mut()) {
                    sys::set_blocked_signals(blocked);
                }
                let Some((index, _)) = ring::take(owner, self.sequence) else {
                    return;
                };
                self.chunk = Some(index);
                self.words = 0;
                self.sequence += 1;
                index
            }
        };
        // SAFETY: there is room in the chunk, which is this process's.
        unsafe {
            ring::words(index)
                .add(self.words)
                .copy_from_nonoverlapping(record.as_ptr(), record.len());
        }
        self.words += record.len();
        ring::chunk(index).words.store(self.words as u64, Release);
    }

    fn hand_over(&mut self) {
        if let Some(index) = self.chunk.take() {
            ring::hand_over(index, self.words as u64);
        }
        self.words = 0;
    }
}

/// Bytes of a slot's definition.
const SLOT_BYTES: usize = 15;

/// The bytes of a definition.
fn encode(plan: &BlockPlan, code: &[u8], block: u32) -> Vec<u8> {
    let slots: usize = plan.steps.iter().map(|step| step.slots.len()).sum();
    let size = 12 + code.len() + 2 * plan.steps.len() + SLOT_BYTES * slots;
    let mut bytes = Vec::with_capacity(size);
    bytes.extend_from_slice(&plan.steps[0].pc.to_le_bytes());
    bytes.extend_from_slice(&(plan.steps.len() as u16).to_le_bytes());
    bytes.extend_from_slice(&(plan.words - 1).to_le_bytes());
    let mut code = code;
    for step in &plan.steps {
        let (own, rest) = code.split_at(step.length.into());
        code = rest;
        bytes.push(step.length);
        bytes.extend_from_slice(own);
        bytes.push(step.slots.len() as u8);
        for slot in &step.slots {
            let (word, displacement) = match slot.place {
                AddressSource::Word(word, displacement) => (word, displacement as u64),
                AddressSource::Constant(address) => (0, address.wrapping_sub(block_head(block))),
            };
            bytes.extend_from_slice(&[slot.kind, slot.access]);
            bytes.extend_from_slice(&slot.size.to_le_bytes());
            bytes.push(slot.count);
            bytes.extend_from_slice(&word.to_le_bytes());
            bytes.extend_from_slice(&displacement.to_le_bytes());
        }
    }
    bytes
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}
