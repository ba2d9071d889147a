//! Translates a compiled block to machine code: register cells are values, latencies are constants.
//!
//! What is known to be no deeper than something else is not compared with it: an instance is at least as deep as all it
//! waits for.

use std::collections::BTreeSet;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64};
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, Function, InstBuilder, MemFlagsData, SigRef, Signature, StackSlot,
    StackSlotData, StackSlotKind, Type, Value,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

use super::super::compile::{Compiled, GeneralInstruction, Op, OpKind};
use super::super::links::{CELLS, NOTHING, TRASH};
use super::super::profile::COLUMNS_AT_ONCE;
use super::super::shadow_memory::layout;
use super::super::window::{AT_ONCE, GROUP};
use super::{DataLayout, ProfileLayout, WindowsLayout};

/// Levels of so many instances wait before the thread's deepest level is made as deep: of those below a later one it
/// need not know.
const WAITING: usize = 5;

/// Levels of all lanes: one number, or vectors of four.
type Parts = Vec<Value>;

/// Levels, and what is known of them.
#[derive(Clone)]
struct KnownLevels {
    parts: Parts,
    /// Others that are no deeper.
    below: BTreeSet<usize>,
}

/// Where windows begin and end for instances one behind the other.
struct View {
    /// For each lane the address of the deepest levels that left its window before the first of them.
    left: Vec<Option<Value>>,
    /// For each group of lanes where the deepest levels after the first one go.
    right: Vec<Option<Value>>,
}

/// Accesses of at most so many bytes may be to one cell.
const WORD: u64 = 8;

struct Emitter<'a, 'b> {
    code: FunctionBuilder<'a>,
    layout: &'b DataLayout,
    /// Lanes.
    lanes: usize,
    shared: Value,
    state: Value,
    registers: Value,
    addresses: Value,
    tables: Value,
    known: Vec<KnownLevels>,
    /// Which levels a cell has now.
    cells: Vec<Option<usize>>,
    /// The thread's deepest level, if it is at hand.
    deepest: Option<Parts>,
    /// Levels of instances that it does not know yet, none of them below another.
    levels: Vec<usize>,
    /// Levels that were loaded for the instance at hand.
    loaded: Vec<usize>,
    /// That of the last instance, if it was a simple one.
    last: Option<usize>,
    slot: Option<StackSlot>,
    three: SigRef,
    four: SigRef,
    six: SigRef,
}

fn flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// The signature of the code, see [`super::super::code::BlockCode`].
pub fn signature() -> Signature {
    pointers(5)
}

fn pointers(count: usize) -> Signature {
    let mut signature = Signature::new(CallConv::SystemV);
    signature.params = vec![AbiParam::new(I64); count];
    signature
}

/// Translates a block to `function`, whose signature is [`signature`]. `steps` are the latencies of a lane by index.
/// The block must not move its [`GeneralInstruction`]s.
pub fn block(
    function: &mut Function,
    context: &mut FunctionBuilderContext,
    block: &Compiled,
    layout: &DataLayout,
    steps: &dyn Fn(u8, usize) -> u32,
) {
    let lanes = layout.lanes;
    let mut code = FunctionBuilder::new(function, context);
    let start = code.create_block();
    code.append_block_params_for_function_params(start);
    code.switch_to_block(start);
    code.seal_block(start);
    let [shared, state, registers, addresses, tables] =
        [0, 1, 2, 3, 4].map(|n| code.block_params(start)[n]);
    let (three, four, six) = (pointers(3), pointers(4), pointers(6));
    let three = code.import_signature(three);
    let four = code.import_signature(four);
    let six = code.import_signature(six);
    let mut emitter = Emitter {
        code,
        layout,
        lanes,
        shared,
        state,
        registers,
        addresses,
        tables,
        known: Vec::new(),
        cells: vec![None; CELLS],
        deepest: None,
        levels: Vec::new(),
        loaded: Vec::new(),
        last: None,
        slot: None,
        three,
        four,
        six,
    };
    emitter.block(block, steps);
    emitter.code.finalize();
}

/// Which writes of operations are the last to their cells.
fn last_writes(group: &[Op]) -> Vec<[bool; 2]> {
    let mut seen = [false; CELLS];
    let mut last: Vec<[bool; 2]> = group
        .iter()
        .rev()
        .map(|op| {
            op.writes
                .map(|cell| !std::mem::replace(&mut seen[usize::from(cell)], true))
        })
        .collect();
    last.reverse();
    last
}

impl Emitter<'_, '_> {
    fn r#type(&self) -> Type {
        if self.lanes == 1 { I32 } else { I32X4 }
    }

    /// Bytes of levels of all lanes.
    fn size(&self) -> i64 {
        4 * self.lanes as i64
    }

    fn load(&mut self, pointer: Value, offset: i32) -> Parts {
        let parts = (self.lanes / 4).max(1);
        let of = self.r#type();
        (0..parts as i32)
            .map(|part| {
                self.code
                    .ins()
                    .load(of, flags(), pointer, offset + 16 * part)
            })
            .collect()
    }

    fn store(&mut self, parts: &[Value], pointer: Value, offset: i32) {
        for (part, &value) in (0..).zip(parts) {
            self.code
                .ins()
                .store(flags(), value, pointer, offset + 16 * part);
        }
    }

    fn max(&mut self, a: &[Value], b: &[Value]) -> Parts {
        a.iter()
            .zip(b)
            .map(|(&a, &b)| self.code.ins().umax(a, b))
            .collect()
    }

    fn and(&mut self, value: Value, mask: u64) -> Value {
        self.code.ins().band_imm(value, mask as i64)
    }

    /// Remembers levels.
    fn learn(&mut self, parts: Parts, below: BTreeSet<usize>) -> usize {
        self.known.push(KnownLevels { parts, below });
        self.known.len() - 1
    }

    /// Levels of a register cell.
    fn cell(&mut self, cell: u8) -> usize {
        if let Some(known) = self.cells[usize::from(cell)] {
            return known;
        }
        let offset = i32::from(cell) * self.size() as i32;
        let parts = self.load(self.registers, offset);
        let known = self.learn(parts, BTreeSet::new());
        self.loaded.push(known);
        self.cells[usize::from(cell)] = Some(known);
        known
    }

    /// A cell holds these levels from now on; `last`: until the code ends, or something else looks at it. Only then
    /// they are stored, and at once, so that no register of the processor has to keep them for that.
    fn set(&mut self, cell: u8, known: usize, last: bool) {
        if cell == TRASH {
            return;
        }
        self.cells[usize::from(cell)] = Some(known);
        if last {
            let parts = self.known[known].parts.clone();
            self.store(&parts, self.registers, i32::from(cell) * self.size() as i32);
        }
    }

    /// The thread is as deep as these levels.
    fn deepen(&mut self, known: usize) {
        let below = self.known[known].below.clone();
        self.levels.retain(|level| !below.contains(level));
        self.levels.push(known);
        if self.levels.len() > WAITING {
            let first = self.levels.remove(0);
            self.settle_level(first);
        }
    }

    /// The thread's deepest level gets to know others.
    fn settle_level(&mut self, known: usize) {
        let deepest = match self.deepest.take() {
            Some(deepest) => deepest,
            None => self.load(self.state, self.layout.deepest),
        };
        let parts = self.known[known].parts.clone();
        self.deepest = Some(self.max(&deepest, &parts));
    }

    /// Only those that are not below another one.
    fn deepest_of(&self, all: &BTreeSet<usize>) -> Vec<usize> {
        let below = |one: &usize| {
            all.iter()
                .any(|other| self.known[*other].below.contains(one))
        };
        all.iter().copied().filter(|one| !below(one)).collect()
    }

    /// Steps of an instance, added.
    fn plus(&mut self, start: Parts, steps: &dyn Fn(usize) -> u32) -> Parts {
        if (0..self.lanes).all(|lane| steps(lane) == 0) {
            return start;
        }
        if self.lanes == 1 {
            return vec![self.code.ins().iadd_imm(start[0], i64::from(steps(0)))];
        }
        let active = match self.layout.masked {
            true => self.load(self.state, self.layout.active),
            false => Parts::new(),
        };
        let mut result = Parts::new();
        for (part, &value) in start.iter().enumerate() {
            if let Some(&active) = active.get(part)
                && (0..4).all(|lane| steps(4 * part + lane) == 1)
            {
                // All bits set are -1.
                result.push(self.code.ins().isub(value, active));
                continue;
            }
            let bytes: Vec<u8> = (0..4)
                .flat_map(|lane| steps(4 * part + lane).to_le_bytes())
                .collect();
            let constant = self.code.func.dfg.constants.insert(bytes.into());
            let mut steps = self.code.ins().vconst(I32X4, constant);
            if let Some(&active) = active.get(part) {
                steps = self.code.ins().band(steps, active);
            }
            result.push(self.code.ins().iadd(value, steps));
        }
        result
    }

    fn block(&mut self, block: &Compiled, steps: &dyn Fn(u8, usize) -> u32) {
        let is_general = |op: &Op| op.shape == OpKind::General;
        for group in block.ops.chunk_by(|a, b| is_general(a) == is_general(b)) {
            if !is_general(&group[0]) {
                let last = last_writes(group);
                let mut last = &last[..];
                for some in self.at_once(group) {
                    let (these, others) = last.split_at(some.len());
                    self.simple(some, these, steps);
                    last = others;
                }
                continue;
            }
            self.write_back();
            for op in group {
                self.general(&block.generals[op.general as usize]);
            }
        }
        self.write_back();
        if let (true, Some(last)) = (self.layout.predicts, self.last) {
            let parts = self.known[last].parts.clone();
            self.store(&parts, self.state, self.layout.last_level);
        }
        self.code.ins().return_(&[]);
    }

    /// Cuts a group of operations so that no piece has more instances than a window.
    fn at_once<'o>(&self, group: &'o [Op]) -> Vec<&'o [Op]> {
        let Some(windows) = &self.layout.windows else {
            return vec![group];
        };
        let lengths = windows.rings.iter().flat_map(|ring| &ring.lengths);
        let shortest = lengths.flatten().min().copied().unwrap_or(AT_ONCE);
        let mut instances = 0;
        let mut piece = 0;
        let numbered: Vec<usize> = group
            .iter()
            .map(|op| {
                if op.shape != OpKind::Copy {
                    piece = instances / shortest.min(AT_ONCE);
                    instances += 1;
                }
                piece
            })
            .collect();
        let mut rest = group;
        numbered
            .chunk_by(|a, b| a == b)
            .map(|some| rest.split_off(..some.len()).unwrap_or_default())
            .collect()
    }

    /// Instances one after the other, none of them [`OpKind::General`], and no more than a window has.
    fn simple(&mut self, group: &[Op], last: &[[bool; 2]], steps: &dyn Fn(u8, usize) -> u32) {
        let columns: Vec<u8> = group
            .iter()
            .filter(|op| op.shape != OpKind::Copy)
            .map(|op| op.column)
            .collect();
        let pending = match self.layout.profile {
            Some(profile) if !columns.is_empty() => Some(self.pending(&profile, columns.len())),
            _ => None,
        };
        let firewall = self.learn(Parts::new(), BTreeSet::new());
        let mut passed = BTreeSet::new();
        let layout = self.layout;
        let windows = layout.windows.as_ref().filter(|_| !columns.is_empty());
        let mut view = windows.map(|windows| {
            let deepest = self.load(self.state, layout.deepest);
            (windows, self.view(windows), deepest)
        });
        let mut position = 0;
        for (op, last) in group.iter().zip(last) {
            if op.shape == OpKind::Copy {
                let from = self.cell(op.reads[0]);
                self.set(op.writes[0], from, last[0]);
                continue;
            }
            let level = match &mut view {
                Some((windows, view, deepest)) => {
                    let mut left = |emitter: &mut Self| {
                        let parts = emitter.left(windows, view, position);
                        // Deepest levels never go back.
                        let left = emitter.learn(parts, passed.clone());
                        passed.insert(left);
                        left
                    };
                    let steps = |lane| steps(op.latency, lane);
                    let level = self.instance(op, firewall, Some(&mut left), &steps);
                    let parts = self.known[level].parts.clone();
                    *deepest = self.max(deepest, &parts);
                    self.put(view, position, deepest);
                    level
                }
                None => {
                    let steps = |lane| steps(op.latency, lane);
                    let level = self.instance(op, firewall, None, &steps);
                    self.deepen(level);
                    level
                }
            };
            self.last = Some(level);
            for (cell, last) in op.writes.into_iter().zip(*last) {
                self.set(cell, level, last);
            }
            if let Some((at, _)) = pending {
                let parts = self.known[level].parts.clone();
                self.store(&parts, at, position * self.size() as i32);
            }
            position += 1;
        }
        if let Some((windows, view, deepest)) = view {
            self.store(&deepest, self.state, layout.deepest);
            self.close(windows, &view, columns.len());
        }
        if let Some((_, at)) = pending {
            for (group, columns) in (0..).zip(columns.chunks(COLUMNS_AT_ONCE)) {
                let mut bytes = [0; COLUMNS_AT_ONCE];
                bytes[..columns.len()].copy_from_slice(columns);
                let bytes = self.code.ins().iconst(I64, i64::from_le_bytes(bytes));
                let offset = group * COLUMNS_AT_ONCE as i32;
                self.code.ins().store(flags(), bytes, at, offset);
            }
        }
    }

    /// Brings the thread up to date, but for its cells, which are.
    fn write_back(&mut self) {
        for known in std::mem::take(&mut self.levels) {
            self.settle_level(known);
        }
        if let Some(deepest) = self.deepest.take() {
            self.store(&deepest, self.state, self.layout.deepest);
        }
    }

    /// Instances of an instruction of any kind; the thread is up to date.
    fn general(&mut self, general: &GeneralInstruction) {
        let helper = self.code.ins().iconst(I64, self.layout.general);
        let pointer = (&raw const *general).expose_provenance() as i64;
        let general_at = self.code.ins().iconst(I64, pointer);
        let given = [
            self.shared,
            self.state,
            self.registers,
            self.addresses,
            self.tables,
            general_at,
        ];
        self.code.ins().call_indirect(self.six, helper, &given);
        self.cells.fill(None);
        self.last = None;
    }

    /// Makes room for instances in the profile. Returns where their levels and their columns are to be stored.
    fn pending(&mut self, profile: &ProfileLayout, count: usize) -> (Value, Value) {
        let (settle, go) = (self.code.create_block(), self.code.create_block());
        self.code.set_cold_block(settle);
        self.code.append_block_param(go, I64);
        let now = self
            .code
            .ins()
            .load(I64, flags(), self.shared, profile.count);
        let most = (profile.room - count) as i64;
        let full = self
            .code
            .ins()
            .icmp_imm(IntCC::UnsignedGreaterThan, now, most);
        self.code.ins().brif(full, settle, &[], go, &[now.into()]);
        self.code.switch_to_block(settle);
        self.code.seal_block(settle);
        let helper = self.code.ins().iconst(I64, self.layout.settle);
        let zero = self.code.ins().iconst(I64, 0);
        self.code
            .ins()
            .call_indirect(self.three, helper, &[self.shared, zero, zero]);
        self.code.ins().jump(go, &[zero.into()]);
        self.code.switch_to_block(go);
        self.code.seal_block(go);
        let now = self.code.block_params(go)[0];
        let then = self.code.ins().iadd_imm(now, count as i64);
        self.code
            .ins()
            .store(flags(), then, self.shared, profile.count);
        let shift = i64::from(self.size().trailing_zeros());
        let behind = self.code.ins().ishl_imm(now, shift);
        let levels = self.code.ins().iadd_imm(behind, profile.levels);
        let columns = self.code.ins().iadd_imm(now, profile.columns);
        (levels, columns)
    }

    /// Bytes of the levels in a ring for one instance, and their logarithm.
    fn row(&self) -> (i64, i64) {
        let bytes = 4 * self.lanes.min(GROUP) as i64;
        (bytes, i64::from(bytes.trailing_zeros()))
    }

    /// Where the windows are for the next instances.
    fn view(&mut self, windows: &WindowsLayout) -> View {
        let (row, shift) = self.row();
        let (position, address) = (windows.position, windows.address);
        let position = self.code.ins().load(I64, flags(), self.state, position);
        let address = self.code.ins().load(I64, flags(), self.state, address);
        let behind = self.code.ins().ishl_imm(position, shift);
        let mut view = View {
            left: Vec::new(),
            right: Vec::new(),
        };
        for ring in &windows.rings {
            if ring.room == 0 {
                view.left.extend(ring.lengths.iter().map(|_| None));
                view.right.push(None);
                continue;
            }
            let start = self.code.ins().iadd_imm(address, 4 * ring.start as i64);
            let at = |code: &mut FunctionBuilder<'_>, back: usize| {
                let place = code.ins().iadd_imm(behind, -(back as i64) * row);
                let place = code.ins().band_imm(place, (ring.room as i64 - 1) * row);
                code.ins().iadd(start, place)
            };
            for (lane, length) in ring.lengths.iter().enumerate() {
                let known = ring.lengths[..lane].iter().position(|same| same == length);
                let value = match (known, length) {
                    (Some(known), _) => view.left[view.left.len() - lane + known],
                    (None, Some(length)) => Some(at(&mut self.code, *length)),
                    (None, None) => None,
                };
                view.left.push(value);
            }
            view.right.push(Some(at(&mut self.code, 0)));
        }
        view
    }

    /// What left the windows before the instance with this position.
    fn left(&mut self, windows: &WindowsLayout, view: &View, position: i32) -> Parts {
        let (row, _) = self.row();
        let offset = position * row as i32;
        let of = self.r#type();
        let mut parts = Parts::new();
        for (lengths, lanes) in windows
            .rings
            .iter()
            .map(|ring| &ring.lengths)
            .zip(view.left.chunks(GROUP))
        {
            let alike = lengths.iter().all(|length| *length == lengths[0]);
            if let (true, Some(at)) = (alike, lanes[0]) {
                parts.push(self.code.ins().load(of, flags(), at, offset));
                continue;
            }
            let zero = self.code.ins().iconst(I32, 0);
            let mut part = match of {
                I32 => zero,
                of => self.code.ins().splat(of, zero),
            };
            for (lane, at) in (0u8..).zip(lanes) {
                let Some(at) = *at else {
                    continue;
                };
                let offset = offset + 4 * i32::from(lane);
                let level = self.code.ins().load(I32, flags(), at, offset);
                part = match lane {
                    0 => self.code.ins().scalar_to_vector(of, level),
                    lane => self.code.ins().insertlane(part, level, lane),
                };
            }
            parts.push(part);
        }
        parts
    }

    /// Puts the deepest levels after the instance with this position into the windows.
    fn put(&mut self, view: &View, position: i32, deepest: &[Value]) {
        let (row, _) = self.row();
        for (&part, at) in deepest.iter().zip(&view.right) {
            if let Some(at) = *at {
                let offset = position * row as i32;
                self.code.ins().store(flags(), part, at, offset);
            }
        }
    }

    /// So many instances were put into the windows.
    fn close(&mut self, windows: &WindowsLayout, view: &View, count: usize) {
        let (row, shift) = self.row();
        let position = windows.position;
        let before = self.code.ins().load(I64, flags(), self.state, position);
        let after = self.code.ins().iadd_imm(before, count as i64);
        self.code
            .ins()
            .store(flags(), after, self.state, windows.position);
        // Whether levels are twice in a ring, or behind its end.
        let mut twice = None;
        let behind = self.code.ins().ishl_imm(before, shift);
        for (ring, right) in windows.rings.iter().zip(&view.right) {
            if right.is_none() {
                continue;
            }
            let place = self
                .code
                .ins()
                .band_imm(behind, (ring.room as i64 - 1) * row);
            let place = self.code.ins().iadd_imm(place, -(AT_ONCE as i64) * row);
            let most = (ring.room - AT_ONCE - count) as i64 * row;
            let this = self
                .code
                .ins()
                .icmp_imm(IntCC::UnsignedGreaterThan, place, most);
            twice = Some(match twice {
                Some(other) => self.code.ins().bor(other, this),
                None => this,
            });
        }
        let Some(twice) = twice else {
            return;
        };
        let (close, done) = (self.code.create_block(), self.code.create_block());
        self.code.set_cold_block(close);
        self.code.ins().brif(twice, close, &[], done, &[]);
        self.code.switch_to_block(close);
        self.code.seal_block(close);
        let helper = self.code.ins().iconst(I64, windows.close);
        let count = self.code.ins().iconst(I64, count as i64);
        self.code
            .ins()
            .call_indirect(self.three, helper, &[self.state, count, count]);
        self.code.ins().jump(done, &[]);
        self.code.switch_to_block(done);
        self.code.seal_block(done);
    }

    /// An instance, for which `left` says what left the windows. Returns its level.
    fn instance(
        &mut self,
        op: &Op,
        firewall: usize,
        left: Option<&mut dyn FnMut(&mut Self) -> usize>,
        steps: &dyn Fn(usize) -> u32,
    ) -> usize {
        let mut waits = BTreeSet::from([firewall]);
        for cell in op.reads {
            if cell != NOTHING {
                waits.insert(self.cell(cell));
            }
        }
        let mut tops = self.deepest_of(&waits);
        if tops.contains(&firewall) {
            self.known[firewall].parts = self.load(self.state, self.layout.firewall);
            self.loaded.push(firewall);
        }
        // What was loaded just now can be compared where it is in memory.
        tops.sort_by_key(|top| self.loaded.contains(top));
        self.loaded.clear();
        let mut start = self.known[tops[0]].parts.clone();
        for &top in &tops[1..] {
            let parts = self.known[top].parts.clone();
            start = self.max(&start, &parts);
        }
        let address = match op.shape {
            OpKind::Plain => None,
            _ => {
                let offset = op.general as i32 * 8;
                let addresses = self.addresses;
                Some(self.code.ins().load(I64, flags(), addresses, offset))
            }
        };
        let size = u64::from(op.size);
        if let (OpKind::Load | OpKind::Modify, Some(address)) = (op.shape, address) {
            start = self.read(address, size, start);
        }
        // As late as that, the levels go from the windows straight to where they are compared.
        if let Some(left) = left {
            let left = left(self);
            waits.insert(left);
            let parts = self.known[left].parts.clone();
            start = self.max(&start, &parts);
        }
        let level = self.plus(start, steps);
        if let (OpKind::Store | OpKind::Modify, Some(address)) = (op.shape, address) {
            self.write(address, size, &level);
        }
        let mut below = waits.clone();
        for known in waits {
            below.extend(self.known[known].below.iter().copied());
        }
        self.learn(level, below)
    }

    /// Continues in a new block if `condition` holds, else in `slow`.
    fn require(&mut self, condition: Value, slow: Block) {
        let next = self.code.create_block();
        self.code.ins().brif(condition, next, &[], slow, &[]);
        self.code.switch_to_block(next);
        self.code.seal_block(next);
    }

    /// The entry of the page of an address; if its region is not in the cache, goes to `slow`.
    fn entry(&mut self, address: Value, slow: Block) -> Value {
        let region = self.code.ins().ushr_imm(address, layout::REGION_BITS);
        let index = self.and(region, layout::CACHE - 1);
        let shift = i64::from(layout::CACHE_ENTRY.trailing_zeros());
        let offset = self.code.ins().ishl_imm(index, shift);
        let at = self.code.ins().iadd_imm(offset, self.layout.cache);
        let tag = self.code.ins().load(I64, flags(), at, layout::TAG);
        let hit = self.code.ins().icmp(IntCC::Equal, tag, region);
        self.require(hit, slow);
        let pages = self.code.ins().load(I64, flags(), at, layout::PAGES);
        let page = self
            .code
            .ins()
            .ushr_imm(address, i64::from(layout::PAGE_BITS) - 3);
        let offset = self.and(page, (layout::PAGES_IN_REGION - 1) << 3);
        let at = self.code.ins().iadd(pages, offset);
        self.code.ins().load(I64, flags(), at, 0)
    }

    /// Pointer to the cell with this index.
    fn at(&mut self, cells: Value, index: Value) -> Value {
        let shift = i64::from(self.size().trailing_zeros());
        let offset = self.code.ins().ishl_imm(index, shift);
        self.code.ins().iadd(cells, offset)
    }

    /// Index of the cell with the byte this far into an access. Cells are of `granule`.
    fn index(&mut self, address: Value, behind: u64, granule: Value) -> Value {
        let offset = self.and(address, layout::PAGE - 1);
        let offset = self.code.ins().iadd_imm(offset, behind as i64);
        self.code.ins().ushr(offset, granule)
    }

    /// Requires that the access does not end behind its page.
    fn within_page(&mut self, address: Value, size: u64, slow: Block) {
        let offset = self.and(address, layout::PAGE - 1);
        let most = (layout::PAGE - size) as i64;
        let within = self
            .code
            .ins()
            .icmp_imm(IntCC::UnsignedLessThanOrEqual, offset, most);
        self.require(within, slow);
    }

    fn slot(&mut self) -> Value {
        let size = self.size() as u32;
        let code = &mut self.code;
        let slot = *self.slot.get_or_insert_with(|| {
            code.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size, 4))
        });
        self.code.ins().stack_addr(I64, slot, 0)
    }

    /// The deepest of `start` and what is in memory.
    fn read(&mut self, address: Value, size: u64, start: Parts) -> Parts {
        let [slow, several, done] = [(); 3].map(|()| self.code.create_block());
        self.code.set_cold_block(slow);
        self.append_parts(done);
        let entry = self.entry(address, slow);
        let cells = self.and(entry, !layout::LOW);
        let granule = self.and(entry, layout::GRANULE);
        let first = self.index(address, 0, granule);
        let last = self.index(address, size - 1, granule);
        if size <= WORD {
            if size > 1 {
                let one = self.code.ins().icmp(IntCC::Equal, first, last);
                self.require(one, several);
            }
            let at = self.at(cells, first);
            let parts = self.load(at, 0);
            let level = self.max(&start, &parts);
            self.go(done, None, &level);
        } else if size.is_multiple_of(WORD) {
            let at = self.whole_words(entry, cells, address, size, layout::GRANULE, several);
            let mut level = start.clone();
            for word in 0..size / WORD {
                let parts = self.load(at, word as i32 * self.size() as i32);
                level = self.max(&level, &parts);
            }
            self.go(done, None, &level);
        } else {
            self.code.ins().jump(several, &[]);
        }
        self.turn_to(several);
        self.within_page(address, size, slow);
        let (first, last) = (self.at(cells, first), self.at(cells, last));
        let next = self.code.create_block();
        self.code.append_block_param(next, I64);
        self.append_parts(next);
        self.go(next, Some(first), &start);
        self.code.switch_to_block(next);
        let (at, level) = match self.code.block_params(next) {
            [at, level @ ..] => (*at, level.to_vec()),
            [] => unreachable!("they were appended above"),
        };
        let parts = self.load(at, 0);
        let level = self.max(&level, &parts);
        let more = self.code.ins().icmp(IntCC::UnsignedLessThan, at, last);
        let bytes = self.size();
        let behind = self.code.ins().iadd_imm(at, bytes);
        let left: Vec<BlockArg> = level.iter().map(|&part| part.into()).collect();
        let again: Vec<BlockArg> = [behind.into()].into_iter().chain(left.clone()).collect();
        self.code.ins().brif(more, next, &again, done, &left);
        self.code.seal_block(next);

        self.turn_to(slow);
        let slot = self.slot();
        self.store(&start, slot, 0);
        let helper = self.code.ins().iconst(I64, self.layout.read);
        let size = self.code.ins().iconst(I64, size as i64);
        let given = [self.shared, address, size, slot];
        self.code.ins().call_indirect(self.four, helper, &given);
        let found = self.load(slot, 0);
        self.go(done, None, &found);
        self.turn_to(done);
        self.code.block_params(done).to_vec()
    }

    /// Lets levels be parameters of a block.
    fn append_parts(&mut self, block: Block) {
        let of = self.r#type();
        for _ in 0..(self.lanes / 4).max(1) {
            self.code.append_block_param(block, of);
        }
    }

    /// Goes to a block whose parameters are these.
    fn go(&mut self, block: Block, first: Option<Value>, level: &[Value]) {
        let given: Vec<BlockArg> = first.iter().chain(level).map(|&part| part.into()).collect();
        self.code.ins().jump(block, &given);
    }

    /// Continues in a block to which nothing else will go.
    fn turn_to(&mut self, block: Block) {
        self.code.switch_to_block(block);
        self.code.seal_block(block);
    }

    /// For an access of several words: requires that they are cells of their own, in one page, and returns a pointer to
    /// the first of them. `low` are the bits of the entry that matter.
    fn whole_words(
        &mut self,
        entry: Value,
        cells: Value,
        address: Value,
        size: u64,
        low: u64,
        slow: Block,
    ) -> Value {
        let coarsest = self.code.ins().bxor_imm(entry, layout::COARSEST as i64);
        let other = self.and(coarsest, low);
        let odd = self.and(address, WORD - 1);
        let wrong = self.code.ins().bor(other, odd);
        let right = self.code.ins().icmp_imm(IntCC::Equal, wrong, 0);
        self.require(right, slow);
        self.within_page(address, size, slow);
        let offset = self.and(address, layout::PAGE - 1);
        let index = self
            .code
            .ins()
            .ushr_imm(offset, i64::from(WORD.trailing_zeros()));
        self.at(cells, index)
    }

    /// Makes memory this deep.
    fn write(&mut self, address: Value, size: u64, level: &[Value]) {
        let [slow, several, done] = [(); 3].map(|()| self.code.create_block());
        self.code.set_cold_block(slow);
        let entry = self.entry(address, slow);
        let low = self.and(entry, layout::LOW);
        let cells = self.code.ins().bxor(entry, low);
        if size <= WORD && size.is_power_of_two() {
            let other = self
                .code
                .ins()
                .bxor_imm(low, i64::from(size.trailing_zeros()));
            let odd = self.and(address, size - 1);
            let wrong = self.code.ins().bor(other, odd);
            let one = self.code.ins().icmp_imm(IntCC::Equal, wrong, 0);
            self.require(one, several);
            let index = self.index(address, 0, low);
            let at = self.at(cells, index);
            self.store(level, at, 0);
            self.code.ins().jump(done, &[]);
        } else if size.is_multiple_of(WORD) {
            let at = self.whole_words(entry, cells, address, size, layout::LOW, several);
            for word in 0..size / WORD {
                self.store(level, at, word as i32 * self.size() as i32);
            }
            self.code.ins().jump(done, &[]);
        } else {
            self.code.ins().jump(several, &[]);
        }
        self.turn_to(several);
        self.within_page(address, size, slow);
        // The page must be there, and no cell hold other bytes too.
        let absent = self.and(low, layout::LOW & !layout::GRANULE);
        let one = self.code.ins().iconst(I64, 1);
        let cell = self.code.ins().ishl(one, low);
        let within = self.code.ins().iadd_imm(cell, -1);
        let both = self.code.ins().bor_imm(address, size as i64);
        let partly = self.code.ins().band(both, within);
        let wrong = self.code.ins().bor(absent, partly);
        let right = self.code.ins().icmp_imm(IntCC::Equal, wrong, 0);
        self.require(right, slow);
        let (first, last) = (
            self.index(address, 0, low),
            self.index(address, size - 1, low),
        );
        let (first, last) = (self.at(cells, first), self.at(cells, last));
        let next = self.code.create_block();
        let at = self.code.append_block_param(next, I64);
        self.go(next, Some(first), &[]);
        self.code.switch_to_block(next);
        self.store(level, at, 0);
        let more = self.code.ins().icmp(IntCC::UnsignedLessThan, at, last);
        let bytes = self.size();
        let behind = self.code.ins().iadd_imm(at, bytes);
        self.code
            .ins()
            .brif(more, next, &[behind.into()], done, &[]);
        self.code.seal_block(next);

        self.turn_to(slow);
        let slot = self.slot();
        self.store(level, slot, 0);
        let helper = self.code.ins().iconst(I64, self.layout.write);
        let size = self.code.ins().iconst(I64, size as i64);
        let given = [self.shared, address, size, slot];
        self.code.ins().call_indirect(self.four, helper, &given);
        self.code.ins().jump(done, &[]);
        self.turn_to(done);
    }
}
