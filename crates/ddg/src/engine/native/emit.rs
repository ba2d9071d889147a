//! Translates a compiled block to machine code: register cells are values, latencies are constants.
//!
//! What is known to be no deeper than something else is not compared with it: an instance is at least as deep as all it waits for.

use std::collections::BTreeSet;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64};
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, Function, InstBuilder, MemFlagsData, SigRef, Signature, StackSlot,
    StackSlotData, StackSlotKind, Type, Value,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

use super::super::compile::{CELLS, Compiled, General, NOTHING, Op, Shape, TRASH};
use super::super::profile::COLUMNS_AT_ONCE;
use super::super::well::layout;
use super::{Layout, ProfileLayout};

/// Levels of all lanes: one number, or vectors of four.
type Parts = Vec<Value>;

/// Levels, and what is known of them.
#[derive(Clone)]
struct Known {
    parts: Parts,
    /// Others that are no deeper.
    below: BTreeSet<usize>,
}

/// Accesses of at most so many bytes may be to one cell.
const WORD: u64 = 8;

struct Emitter<'a, 'b> {
    code: FunctionBuilder<'a>,
    layout: &'b Layout,
    /// Lanes.
    lanes: usize,
    shared: Value,
    state: Value,
    registers: Value,
    addresses: Value,
    tables: Value,
    active: Option<Parts>,
    known: Vec<Known>,
    /// Which levels a cell has now.
    cells: Vec<Option<usize>>,
    /// Whether they are yet to be stored.
    written: Vec<bool>,
    /// Levels of instances that the thread's deepest level does not know yet.
    levels: BTreeSet<usize>,
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

/// The signature of the code, see [`super::Code`].
pub fn signature() -> Signature {
    pointers(5)
}

fn pointers(count: usize) -> Signature {
    let mut signature = Signature::new(CallConv::SystemV);
    signature.params = vec![AbiParam::new(I64); count];
    signature
}

/// Translates a block to `function`, whose signature is [`signature`]. `steps` are the latencies of a lane by index. The block must not move its [`General`]s.
pub fn block(
    function: &mut Function,
    context: &mut FunctionBuilderContext,
    block: &Compiled,
    layout: &Layout,
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
        active: None,
        known: Vec::new(),
        cells: vec![None; CELLS],
        written: vec![false; CELLS],
        levels: BTreeSet::new(),
        last: None,
        slot: None,
        three,
        four,
        six,
    };
    emitter.block(block, steps);
    emitter.code.finalize();
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
        self.known.push(Known { parts, below });
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
        self.cells[usize::from(cell)] = Some(known);
        known
    }

    fn set(&mut self, cell: u8, known: usize) {
        if cell != TRASH {
            self.cells[usize::from(cell)] = Some(known);
            self.written[usize::from(cell)] = true;
        }
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
        let mut result = Parts::new();
        for (part, &value) in start.iter().enumerate() {
            let bytes: Vec<u8> = (0..4)
                .flat_map(|lane| steps(4 * part + lane).to_le_bytes())
                .collect();
            let constant = self.code.func.dfg.constants.insert(bytes.into());
            let mut steps = self.code.ins().vconst(I32X4, constant);
            if let Some(active) = &self.active {
                steps = self.code.ins().band(steps, active[part]);
            }
            result.push(self.code.ins().iadd(value, steps));
        }
        result
    }

    fn block(&mut self, block: &Compiled, steps: &dyn Fn(u8, usize) -> u32) {
        if self.layout.masked {
            self.active = Some(self.load(self.state, self.layout.active));
        }
        let is_general = |op: &Op| op.shape == Shape::General;
        for group in block.ops.chunk_by(|a, b| is_general(a) == is_general(b)) {
            if !is_general(&group[0]) {
                self.simple(group, steps);
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

    /// Instances one after the other, none of them [`Shape::General`].
    fn simple(&mut self, group: &[Op], steps: &dyn Fn(u8, usize) -> u32) {
        let columns: Vec<u8> = group
            .iter()
            .filter(|op| op.shape != Shape::Copy)
            .map(|op| op.column)
            .collect();
        let pending = match self.layout.profile {
            Some(profile) if !columns.is_empty() => Some(self.pending(&profile, columns.len())),
            _ => None,
        };
        let parts = self.load(self.state, self.layout.firewall);
        let firewall = self.learn(parts, BTreeSet::new());
        let mut position = 0;
        for op in group {
            if op.shape == Shape::Copy {
                let from = self.cell(op.reads[0]);
                self.set(op.writes[0], from);
                continue;
            }
            let level = self.instance(op, firewall, &|lane| steps(op.latency, lane));
            self.levels.insert(level);
            self.last = Some(level);
            for cell in op.writes {
                self.set(cell, level);
            }
            if let Some((at, _)) = pending {
                let parts = self.known[level].parts.clone();
                self.store(&parts, at, position * self.size() as i32);
            }
            position += 1;
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

    /// Brings the thread up to date.
    fn write_back(&mut self) {
        for cell in 0..CELLS {
            if let (true, Some(known)) = (self.written[cell], self.cells[cell]) {
                let parts = self.known[known].parts.clone();
                self.store(&parts, self.registers, cell as i32 * self.size() as i32);
                self.written[cell] = false;
            }
        }
        if !self.levels.is_empty() {
            let mut deepest = self.load(self.state, self.layout.deepest);
            for known in self.deepest_of(&self.levels) {
                let parts = self.known[known].parts.clone();
                deepest = self.max(&deepest, &parts);
            }
            self.store(&deepest, self.state, self.layout.deepest);
            self.levels.clear();
        }
    }

    /// Instances of an instruction of any kind; the thread is up to date.
    fn general(&mut self, general: &General) {
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

    /// An instance. Returns its level.
    fn instance(&mut self, op: &Op, firewall: usize, steps: &dyn Fn(usize) -> u32) -> usize {
        let mut waits = BTreeSet::from([firewall]);
        for cell in op.reads {
            if cell != NOTHING {
                waits.insert(self.cell(cell));
            }
        }
        let tops = self.deepest_of(&waits);
        let mut start = self.known[tops[0]].parts.clone();
        for &top in &tops[1..] {
            let parts = self.known[top].parts.clone();
            start = self.max(&start, &parts);
        }
        let address = match op.shape {
            Shape::Plain => None,
            _ => {
                let offset = op.general as i32 * 8;
                let addresses = self.addresses;
                Some(self.code.ins().load(I64, flags(), addresses, offset))
            }
        };
        let size = u64::from(op.size);
        if let (Shape::Load | Shape::Modify, Some(address)) = (op.shape, address) {
            start = self.read(address, size, start);
        }
        let level = self.plus(start, steps);
        if let (Shape::Store | Shape::Modify, Some(address)) = (op.shape, address) {
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
        let offset = self.code.ins().imul_imm(index, layout::CACHE_ENTRY as i64);
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

    /// For an access of several words: requires that they are cells of their own, in one page, and returns a pointer to the first of them. `low` are the bits of the
    /// entry that matter.
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
