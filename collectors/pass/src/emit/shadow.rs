//! Reads and writes of shadow memory: the inline fast paths of `parascan_abi::shadow`, and calls for the rest.

use parascan_abi::Time as Record;
use parascan_abi::shadow::{
    ADDRESS_MASK, FULL, HALVES, MARGIN, P1_BASE, P4_BASE, P8_BASE, SPLIT, TAG_BASE, V1, V4, V8,
    WHOLE,
};

use super::{Copy, Emitter, Granules, PendingCode};
use crate::analysis::{self, AliasScope};
use crate::ir::{IntPredicate, Type, Value};

/// Bytes of the largest copy whose times move without a call.
const LARGEST_INLINE: u64 = 48;
const RECORD: u64 = size_of::<Record>() as u64;
/// Tag of a half after a strict store.
const STRICT_HALF: u8 = V4 | SPLIT;

impl Granules {
    /// Bytes of one.
    fn size(self) -> u64 {
        match self {
            Self::Halves => 4,
            Self::Strict | Self::Uniform => 8,
        }
    }

    /// The tags that a copy gives them.
    fn tag(self) -> u64 {
        match self {
            Self::Halves => STRICT_HALF.into(),
            Self::Strict => u64::from(V8) * 0x0101,
            Self::Uniform => u64::from(WHOLE) * 0x0101,
        }
    }
}

impl Emitter<'_> {
    fn word(&self, value: u64) -> Value {
        self.unit.types.i64.int(value)
    }

    /// The address bits that select shadow, rounded down to `granule`.
    fn masked(&self, address: Value, granule: u64) -> Value {
        let a = self.builder.ptr_to_int(address, self.unit.types.i64);
        self.builder
            .and(a, self.word(ADDRESS_MASK & !(granule - 1)))
    }

    /// The same, and bytes (a number of granules) to add to them: the fields of a structure have these bits in common,
    /// one value in a register instead of one for each field.
    fn masked_base(&self, address: Value, granule: u64) -> (Value, i64) {
        let (base, offset) = analysis::constant_base(self.unit.module, address);
        let apart = granule > 1 && offset % granule as i64 == 0 && offset.unsigned_abs() <= MARGIN;
        let (base, offset) = if apart { (base, offset) } else { (address, 0) };
        (self.masked(base, granule), offset)
    }

    /// Address of the record of `granule` bytes in a plane.
    fn record(&self, address: Value, granule: u64, base: u64) -> Value {
        let (a, offset) = self.masked_base(address, granule);
        let scale = RECORD / granule;
        let scaled = self.builder.shl(a, self.word(scale.ilog2().into()));
        let first = base.wrapping_add_signed(offset * scale as i64);
        let sum = self.builder.add(scaled, self.word(first));
        self.builder.int_to_ptr(sum, self.unit.types.ptr)
    }

    fn tag_address(&self, address: Value, granule: u64) -> Value {
        let (a, offset) = self.masked_base(address, granule);
        let index = self.builder.lshr(a, self.word(2));
        let first = TAG_BASE.wrapping_add_signed(offset / 4);
        let sum = self.builder.add(index, self.word(first));
        self.builder.int_to_ptr(sum, self.unit.types.ptr)
    }

    fn shadow_read(&self, ty: Type, at: Value) -> Value {
        let v = self.builder.load(ty, at);
        if ty == self.unit.time {
            v.set_alignment(RECORD as u32);
        }
        analysis::set_scope(self.unit.module, v, AliasScope::Shadow);
        v
    }

    fn shadow_write(&self, value: Value, at: Value) {
        let s = self.builder.store(value, at);
        if value.ty() == self.unit.time {
            s.set_alignment(RECORD as u32);
        }
        analysis::set_scope(self.unit.module, s, AliasScope::Shadow);
    }

    /// Time of the bytes that an instruction reads, which is noted.
    pub(super) fn shadow_read_by(
        &mut self,
        i: Value,
        address: Value,
        ty: Type,
        alignment: u32,
        strict: bool,
    ) -> Value {
        match self.records_read(Some(i), address, ty, alignment, strict) {
            Some(records) => {
                let records = self.cut(address, records);
                self.note_read(i, &records);
                let size = self.unit.module.store_size(ty);
                let noted = size == 8 && !strict && !self.may_leave_out_at(address);
                if size >= 4 && !noted && self.looks_at_bytes(i, strict) {
                    self.note_bytes(i, address, size);
                }
                self.max_tree(records)
            }
            None => {
                let size = self.word(self.unit.module.store_size(ty));
                self.note_range_of(i, address, size);
                self.builder.store(self.unit.zero, self.slots.scratch);
                self.load_by_call(address, size);
                self.builder.load(self.unit.time, self.slots.scratch)
            }
        }
    }

    /// Has the runtime put the maximum of what lies there and the times of bytes that are read into the scratch slot.
    pub(super) fn load_by_call(&mut self, address: Value, length: Value) {
        let scratch = self.slots.scratch;
        let void = self.unit.types.void;
        match self.left_out_at(address) {
            None => {
                let args = [address, length, scratch];
                self.unit
                    .call_runtime(&self.builder, "__ps_load", void, &args);
            }
            Some(bits) => {
                let args = [address, length, scratch, bits, self.base_for_call()];
                self.unit
                    .call_runtime(&self.builder, "__ps_load_without", void, &args);
            }
        }
    }

    /// Notes the bytes of halves whose bytes have times of their own: the record of such a half is their maximum, in
    /// which an own byte hides an older one.
    fn note_bytes(&mut self, i: Value, address: Value, size: u64) {
        let types = self.unit.types;
        let (ty, v1) = if size == 8 {
            (types.i16, u64::from(V1) * 0x0101)
        } else {
            (types.i8, u64::from(V1))
        };
        let tags = self.shadow_read(ty, self.tag_address(address, size));
        let fine = self.builder.and(tags, ty.int(v1));
        let condition = self.builder.icmp(IntPredicate::LLVMIntNE, fine, ty.zero());
        let before = self.nop();
        self.splits.push(PendingCode::Bytes {
            condition,
            before,
            reader: i,
            block: self.current,
            address,
            size,
        });
    }

    /// Time of the bytes of an access, without a note.
    pub(super) fn shadow_load(
        &mut self,
        address: Value,
        ty: Type,
        alignment: u32,
        strict: bool,
    ) -> Value {
        match self.records_read(None, address, ty, alignment, strict) {
            Some(records) => self.max_tree(records),
            None => self.shadow_load_by_call(address, ty),
        }
    }

    fn shadow_load_by_call(&mut self, address: Value, ty: Type) -> Value {
        let size = self.word(self.unit.module.store_size(ty));
        self.builder.store(self.unit.zero, self.slots.scratch);
        self.unit.call_runtime(
            &self.builder,
            "__ps_load",
            self.unit.types.void,
            &[address, size, self.slots.scratch],
        );
        self.builder.load(self.unit.time, self.slots.scratch)
    }

    /// Times of the records that an access reads; None where the runtime must do it. `reader`: whose reading of halves
    /// with different times is noted.
    fn records_read(
        &mut self,
        reader: Option<Value>,
        address: Value,
        ty: Type,
        alignment: u32,
        strict: bool,
    ) -> Option<Vec<Value>> {
        let size = self.unit.module.store_size(ty);
        let aligned = u64::from(alignment) >= size;
        Some(match (size, aligned, strict) {
            (8, true, true) => {
                vec![self.shadow_read(self.unit.time, self.record(address, 8, P8_BASE))]
            }
            (4, true, true) => {
                vec![self.shadow_read(self.unit.time, self.record(address, 4, P4_BASE))]
            }
            (1, ..) => self.loose_bytes(address, 1),
            (2, true, _) => self.loose_bytes(address, 2),
            (4, true, false) => {
                let tag = self.tag(address);
                vec![self.half(address, tag)]
            }
            (8, true, false) => self.granule(reader, address),
            _ => return None,
        })
    }

    /// Times of an aligned granule that is read without a type.
    fn granule(&mut self, reader: Option<Value>, address: Value) -> Vec<Value> {
        // Of halves of which one is left out the maximum says nothing.
        if self.may_leave_out_at(address) {
            let high = self.unit.offset(&self.builder, address, 4);
            return [address, high]
                .map(|half| self.half(half, self.tag(half)))
                .to_vec();
        }
        let i16 = self.unit.types.i16;
        let tags = self.shadow_read(i16, self.tag_address(address, 8));
        let split = i16.int(u64::from(SPLIT) * 0x0101);
        let split = self.builder.and(tags, split);
        let condition = (self.builder).icmp(IntPredicate::LLVMIntNE, split, i16.zero());
        let before = self.nop();
        self.splits.push(PendingCode::Split {
            condition,
            before,
            reader,
            block: self.current,
            address,
        });
        vec![self.shadow_read(self.unit.time, self.record(address, 8, P8_BASE))]
    }

    /// Tag of the half of a granule that an address lies in.
    fn tag(&self, address: Value) -> Value {
        self.shadow_read(self.unit.types.i8, self.tag_address(address, 4))
    }

    /// Address of the record of a half as a whole: P8 if only that is valid, else (also never written) P4.
    fn half_record(&self, address: Value, tag: Value) -> Value {
        let only_p8 = self.unit.types.i8.int(V8.into());
        let in_p8 = self.builder.icmp(IntPredicate::LLVMIntEQ, tag, only_p8);
        let p8 = self.record(address, 8, P8_BASE);
        let p4 = self.record(address, 4, P4_BASE);
        self.builder.select(in_p8, p8, p4)
    }

    /// Time of a half as a whole.
    fn half(&self, address: Value, tag: Value) -> Value {
        self.shadow_read(self.unit.time, self.half_record(address, tag))
    }

    /// Times of one byte or two of one half: V1 ? P1 : the half as a whole.
    fn loose_bytes(&self, address: Value, bytes: usize) -> Vec<Value> {
        let i8 = self.unit.types.i8;
        let tag = self.tag(address);
        let fine = self.builder.and(tag, i8.int(V1.into()));
        let in_p1 = self.builder.icmp(IntPredicate::LLVMIntNE, fine, i8.int(0));
        let coarse = self.half_record(address, tag);
        (0..bytes)
            .map(|n| {
                let byte = self.unit.offset(&self.builder, address, n);
                let p1 = self.record(byte, 1, P1_BASE);
                let at = self.builder.select(in_p1, p1, coarse);
                self.shadow_read(self.unit.time, at)
            })
            .collect()
    }

    /// Sets the time of the bytes that an access writes.
    pub(super) fn shadow_store(
        &mut self,
        address: Value,
        ty: Type,
        alignment: u32,
        strict: bool,
        t: Value,
    ) {
        let size = self.unit.module.store_size(ty);
        let aligned = u64::from(alignment) >= size;
        let types = self.unit.types;
        match (size, aligned, strict) {
            (8, true, true) => {
                self.shadow_write(t, self.record(address, 8, P8_BASE));
                self.shadow_write(
                    types.i16.int(u64::from(V8) * 0x0101),
                    self.tag_address(address, 8),
                );
            }
            (4, true, true) => {
                self.shadow_write(t, self.record(address, 4, P4_BASE));
                self.shadow_write(
                    types.i8.int(STRICT_HALF.into()),
                    self.tag_address(address, 4),
                );
            }
            // Whoever reads these bytes with a type may do so by halves or as a whole.
            (8, true, false) => {
                self.shadow_write(t, self.record(address, 8, P8_BASE));
                self.write_both_halves(address, t);
                self.shadow_write(
                    types.i16.int(u64::from(WHOLE) * 0x0101),
                    self.tag_address(address, 8),
                );
            }
            (1, ..) | (2, true, _) => {
                // All planes valid, then from the byte up: the half is the maximum of its bytes, the granule of its
                // halves.
                let tags = self.shadow_read(types.i16, self.tag_address(address, 8));
                let closed = self.builder.icmp(
                    IntPredicate::LLVMIntNE,
                    tags,
                    types.i16.int(u64::from(FULL) * 0x0101),
                );
                self.validate("__ps_open", closed, address);
                for n in 0..size as usize {
                    let byte = self.unit.offset(&self.builder, address, n);
                    self.shadow_write(t, self.record(byte, 1, P1_BASE));
                }
                let half_bytes = self
                    .builder
                    .shl(self.masked(address, 4), self.word(RECORD.ilog2().into()));
                let half_bytes = self
                    .builder
                    .int_to_ptr(self.builder.add(half_bytes, self.word(P1_BASE)), types.ptr);
                let read = |n: usize| {
                    self.shadow_read(
                        self.unit.time,
                        self.unit
                            .offset(&self.builder, half_bytes, n * RECORD as usize),
                    )
                };
                let half = self.max_tree((0..4).map(read).collect());
                self.shadow_write(half, self.record(address, 4, P4_BASE));
                self.shadow_write_whole(address, half);
            }
            (4, true, false) => {
                let other = self.tag(self.other_half(address));
                let only_p8 = types.i8.int(V8.into());
                let only_p8 = (self.builder).icmp(IntPredicate::LLVMIntEQ, other, only_p8);
                self.validate("__ps_halve", only_p8, address);
                self.shadow_write(t, self.record(address, 4, P4_BASE));
                self.shadow_write_whole(address, t);
                self.shadow_write(types.i8.int(HALVES.into()), self.tag_address(address, 4));
            }
            _ => {
                self.builder.store(t, self.slots.scratch);
                self.unit.call_runtime(
                    &self.builder,
                    "__ps_store",
                    types.void,
                    &[address, self.word(size), self.slots.scratch],
                );
            }
        }
    }

    /// Address of the other half of the granule.
    fn other_half(&self, address: Value) -> Value {
        let types = self.unit.types;
        let other = self.builder.ptr_to_int(address, types.i64);
        let other = self.builder.xor(other, self.word(4));
        self.builder.int_to_ptr(other, types.ptr)
    }

    /// Sets P8 of a granule one half of which has this time, and the other what its P4 says.
    fn shadow_write_whole(&mut self, address: Value, half: Value) {
        let other = self.record(self.other_half(address), 4, P4_BASE);
        let other = self.shadow_read(self.unit.time, other);
        let whole = self.max(half, other);
        self.shadow_write(whole, self.record(address, 8, P8_BASE));
    }

    /// Queues `if (condition) name(address)` at this place.
    fn validate(&mut self, name: &'static str, condition: Value, address: Value) {
        // An instruction to split at: what is emitted next stands behind it.
        let place = self.builder.ptr_to_int(address, self.unit.types.i64);
        let place = if place.is_instruction() {
            place
        } else {
            self.nop()
        };
        self.splits.push(PendingCode::Validate {
            name,
            condition,
            before: place,
            address,
        });
    }

    /// An instruction without effect, as a place to split at.
    pub(super) fn nop(&self) -> Value {
        self.builder.load(self.unit.types.i64, self.slots.work)
    }

    /// Moves times with copied bytes; `reader` is the instruction whose reading is noted, if any.
    pub(super) fn shadow_copy(
        &mut self,
        reader: Option<Value>,
        to: Value,
        from: Value,
        length: Value,
        t: Value,
        latency: u32,
    ) {
        self.shadow_copy_aligned(reader, to, from, length, t, latency, 1);
    }

    /// The same between addresses of at least this alignment: few granules without a call.
    #[expect(clippy::too_many_arguments, reason = "what a copy consists of")]
    pub(super) fn shadow_copy_aligned(
        &mut self,
        reader: Option<Value>,
        to: Value,
        from: Value,
        length: Value,
        t: Value,
        latency: u32,
        alignment: u64,
    ) {
        let length = self.builder.int_cast(length, self.unit.types.i64);
        let copy = Copy {
            reader,
            block: self.current,
            to,
            from,
            length,
            t,
            latency,
        };
        self.flush();
        let length = copy
            .length
            .constant_int()
            .filter(|&n| n != 0 && n <= LARGEST_INLINE);
        let strict = reader.is_some_and(analysis::strict_copy);
        let granules = length.and_then(|n| {
            let fits = |g: &Granules| alignment >= g.size() && n.is_multiple_of(g.size());
            let kinds = match strict {
                true => [Granules::Strict, Granules::Halves],
                false => [Granules::Uniform, Granules::Halves],
            };
            kinds.into_iter().find(fits)
        });
        let (Some(length), Some(granules)) = (length, granules) else {
            return self.copy_by_call(copy);
        };
        let ty = self.tag_type(granules);
        // Bits in which the tags differ from what is expected.
        let mut others = ty.zero();
        for offset in (0..length).step_by(granules.size() as usize) {
            let from = self.unit.offset(&self.builder, copy.from, offset as usize);
            let tag = self.shadow_read(ty, self.tag_address(from, granules.size()));
            let other = match granules {
                Granules::Uniform => tag,
                _ => self.builder.xor(tag, ty.int(granules.tag())),
            };
            others = self.builder.or(others, other);
        }
        if granules == Granules::Uniform {
            let split = ty.int(u64::from(SPLIT) * 0x0101);
            others = self.builder.and(others, split);
        }
        let condition = (self.builder).icmp(IntPredicate::LLVMIntEQ, others, ty.zero());
        let before = self.nop();
        self.splits.push(PendingCode::Copy {
            condition,
            before,
            granules,
            copy,
        });
    }

    fn tag_type(&self, granules: Granules) -> Type {
        match granules.size() {
            8 => self.unit.types.i16,
            _ => self.unit.types.i8,
        }
    }

    /// Copies the records of granules that are as expected.
    pub(super) fn copy_inline(&mut self, copy: Copy, granules: Granules) {
        let granule = granules.size();
        let base = if granule == 8 { P8_BASE } else { P4_BASE };
        let tag = self.tag_type(granules).int(granules.tag());
        let length = copy.length.constant_int().unwrap_or(0);
        let offsets = (0..length).step_by(granule as usize);
        let read: Vec<Value> = offsets
            .clone()
            .map(|offset| {
                let from = self.unit.offset(&self.builder, copy.from, offset as usize);
                self.shadow_read(self.unit.time, self.record(from, granule, base))
            })
            .collect();
        let read = self.cut(copy.from, read);
        if let Some(reader) = copy.reader {
            self.note_read(reader, &read);
        }
        let times: Vec<Value> = read
            .into_iter()
            .map(|t| self.plus(self.max(t, copy.t), copy.latency))
            .collect();
        for (offset, &t) in offsets.zip(&times) {
            let to = self.unit.offset(&self.builder, copy.to, offset as usize);
            self.shadow_write(t, self.record(to, granule, base));
            if granules == Granules::Uniform {
                self.write_both_halves(to, t);
            }
            self.shadow_write(tag, self.tag_address(to, granule));
        }
        self.pending_m.extend(times);
        self.flush();
    }

    /// Gives both halves of a granule this time.
    fn write_both_halves(&self, address: Value, t: Value) {
        let high = self.unit.offset(&self.builder, address, 4);
        self.shadow_write(t, self.record(address, 4, P4_BASE));
        self.shadow_write(t, self.record(high, 4, P4_BASE));
    }

    pub(super) fn copy_by_call(&mut self, copy: Copy) {
        if copy.reader.is_some() {
            self.note_range(copy.from, copy.length);
        }
        let types = self.unit.types;
        self.builder.store(copy.t, self.slots.scratch);
        let m = self.builder.load(self.unit.time, self.slots.m);
        self.builder.store(m, self.slots.scratch_m);
        let mut args = vec![
            copy.to,
            copy.from,
            copy.length,
            self.slots.scratch,
            types.i32.int(copy.latency.into()),
            self.slots.scratch_m,
        ];
        let name = match self.left_out_at(copy.from) {
            None => "__ps_copy",
            Some(bits) => {
                args.extend([bits, self.base_for_call()]);
                "__ps_copy_without"
            }
        };
        self.unit
            .call_runtime(&self.builder, name, types.void, &args);
        let m = self.builder.load(self.unit.time, self.slots.scratch_m);
        self.builder.store(m, self.slots.m);
    }

    pub(super) fn shadow_fill(&mut self, to: Value, length: Value, t: Value) {
        let types = self.unit.types;
        let length = self.builder.int_cast(length, types.i64);
        self.builder.store(t, self.slots.scratch);
        self.unit.call_runtime(
            &self.builder,
            "__ps_fill",
            types.void,
            &[to, length, self.slots.scratch],
        );
    }
}
