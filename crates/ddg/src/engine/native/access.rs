//! Code that looks for an access in the live well. What is rare lies behind the block's code.

use iced_x86::{Code, MemoryOperand, Register};

use super::super::live_well::layout;
use super::assembler::{Assembler, Label, Operand, at, indexed};
use super::frame::{ADDRESSES, CACHE, SCRATCH, vector};
use super::writer::LevelWriter;

/// Accesses of at most so many bytes may be to one cell.
const WORD: u64 = 8;

/// What is computed at the moment.
const NUMBER: Register = SCRATCH[0];
/// The address, until the cell is found.
const ADDRESS: Register = SCRATCH[1];
/// The entry of the page's region, then of the page.
const ENTRY: Register = SCRATCH[2];

/// An access whose hot code is there already: what lies behind the block's code.
pub struct MemoryAccess {
    size: u64,
    /// The access is to several cells.
    several: Label,
    /// The live well itself has to look.
    slow: Label,
    done: Label,
}

impl MemoryAccess {
    fn new(code: &mut Assembler, size: u64) -> Self {
        Self {
            size,
            several: code.label(),
            slow: code.label(),
            done: code.label(),
        }
    }
}

fn wide(register: Register) -> Operand {
    Operand::Register(register)
}

/// The lower half of a register.
fn half(register: Register) -> Register {
    register.full_register32()
}

/// The cell at the sum of two registers, and bytes behind that.
fn cell(behind: i64) -> MemoryOperand {
    indexed(ENTRY, NUMBER, 1, behind)
}

impl LevelWriter<'_> {
    /// The deepest of `start` and what is in memory, as [`vector::START`]. What this returns is for
    /// [`LevelWriter::cold_read`].
    pub fn read(&mut self, slot: u32, size: u64, start: u32) -> MemoryAccess {
        let access = MemoryAccess::new(&mut self.code, size);
        self.entry(slot, access.slow);
        let shift = self.size_shift();
        if size <= WORD {
            if size > 1 {
                // The first and the last byte must be in one cell. An absent page, whose granule seems to be larger
                // than its cells, is zeros wherever one looks.
                let last = at(ADDRESS, size as i64 - 1);
                self.code
                    .two(Code::Lea_r64_m, NUMBER, Operand::Memory(last));
                self.code.two(Code::Xor_r64_rm64, NUMBER, wide(ADDRESS));
                let by = Code::VEX_Shrx_r64_rm64_r64;
                self.shift_right(by, NUMBER, NUMBER);
                self.code.two(Code::Test_rm64_r64, NUMBER, wide(NUMBER));
                self.code.jump(Code::Jne_rel32_64, access.several);
            }
            self.offset();
            self.shift_right(Code::VEX_Shrx_r32_rm32_r32, half(NUMBER), half(NUMBER));
            self.shift(Code::Shl_rm32_imm8, half(NUMBER), shift);
            self.code
                .number(Code::And_rm64_imm8, ENTRY, !(layout::LOW as i32));
            self.max(vector::START, start, Operand::Memory(cell(0)));
        } else if size.is_multiple_of(WORD) {
            self.whole_words(size, layout::GRANULE, access.several);
            // The granule is in the low bits of the pointer; that the page is absent may be, too.
            self.code
                .number(Code::And_rm64_imm8, ENTRY, !(layout::LOW as i32));
            self.scale(layout::COARSEST as u32);
            let mut start = start;
            for word in 0..(size / WORD) as i64 {
                let cell = cell(word << shift);
                self.max(vector::START, start, Operand::Memory(cell));
                start = vector::START;
            }
        } else {
            self.code.jump(Code::Jmp_rel32_64, access.several);
        }
        self.code.place(access.done);
        access
    }

    /// Makes memory as deep as `level`. What this returns is for [`LevelWriter::cold_write`].
    pub fn write(&mut self, slot: u32, size: u64, level: u32) -> MemoryAccess {
        let access = MemoryAccess::new(&mut self.code, size);
        self.entry(slot, access.slow);
        let shift = self.size_shift();
        if size <= WORD && size.is_power_of_two() {
            let granule = size.trailing_zeros();
            let low = Operand::Register(half(ENTRY));
            self.code.two(Code::Mov_r32_rm32, half(NUMBER), low);
            self.code
                .number(Code::And_rm32_imm8, half(NUMBER), layout::LOW as i32);
            self.code
                .number(Code::Cmp_rm32_imm8, half(NUMBER), granule as i32);
            self.code.jump(Code::Jne_rel32_64, access.several);
            if size > 1 {
                self.code
                    .number(Code::Test_rm32_imm32, half(ADDRESS), size as i32 - 1);
                self.code.jump(Code::Jne_rel32_64, access.several);
            }
            self.offset();
            self.scale(granule);
            self.store(cell(-i64::from(granule)), level);
        } else if size.is_multiple_of(WORD) {
            self.whole_words(size, layout::LOW, access.several);
            let granule = layout::COARSEST as u32;
            self.scale(granule);
            for word in 0..(size / WORD) as i64 {
                self.store(cell((word << shift) - i64::from(granule)), level);
            }
        } else {
            self.code.jump(Code::Jmp_rel32_64, access.several);
        }
        self.code.place(access.done);
        access
    }

    /// What lies behind the block's code of a read.
    pub fn cold_read(&mut self, access: &MemoryAccess, start: u32) {
        let MemoryAccess { size, .. } = *access;
        let shift = self.size_shift();
        self.code.place(access.several);
        self.within_page(size, access.slow);
        self.copy(vector::START, start);
        self.first_and_last(size, shift);
        let next = self.code.label();
        self.code.place(next);
        let here = Operand::Memory(at(NUMBER, 0));
        self.max(vector::START, vector::START, here);
        self.repeat(next, shift);
        self.code.jump(Code::Jmp_rel32_64, access.done);
        self.code.place(access.slow);
        self.copy(vector::START, start);
        self.call(self.stubs.read, size);
        self.code.jump(Code::Jmp_rel32_64, access.done);
    }

    /// What lies behind the block's code of a write.
    pub fn cold_write(&mut self, access: &MemoryAccess, level: u32) {
        let MemoryAccess { size, .. } = *access;
        let shift = self.size_shift();
        self.code.place(access.several);
        self.within_page(size, access.slow);
        // The page must be there, and no cell hold other bytes too.
        let absent = (layout::LOW & !layout::GRANULE) as i32;
        self.code.number(Code::Test_rm32_imm32, half(ENTRY), absent);
        self.code.jump(Code::Jne_rel32_64, access.slow);
        // CACHE is free for now: bytes of a cell, less one.
        let within = CACHE;
        self.code.set(within, -1);
        let by = Code::VEX_Shlx_r64_rm64_r64;
        self.shift_right(by, within, within);
        self.code.one(Code::Not_rm64, within);
        self.code.two(Code::Mov_r64_rm64, NUMBER, wide(ADDRESS));
        self.code.number(Code::Or_rm64_imm8, NUMBER, size as i32);
        self.code.two(Code::And_r64_rm64, NUMBER, wide(within));
        self.code.set(CACHE, self.layout.cache);
        self.code.two(Code::Test_rm64_r64, NUMBER, wide(NUMBER));
        self.code.jump(Code::Jne_rel32_64, access.slow);
        self.offset();
        self.first_and_last(size, shift);
        let next = self.code.label();
        self.code.place(next);
        self.store(at(NUMBER, 0), level);
        self.repeat(next, shift);
        self.code.jump(Code::Jmp_rel32_64, access.done);
        self.code.place(access.slow);
        self.copy(vector::START, level);
        self.call(self.stubs.write, size);
        self.code.jump(Code::Jmp_rel32_64, access.done);
    }

    /// The address of a slot as [`ADDRESS`], and the entry of its page as [`ENTRY`]; if its region is not in the cache,
    /// goes to `slow`.
    fn entry(&mut self, slot: u32, slow: Label) {
        let address = at(ADDRESSES, 8 * i64::from(slot));
        let load = Code::Mov_r64_rm64;
        self.code.two(load, ADDRESS, Operand::Memory(address));
        self.code.two(load, NUMBER, wide(ADDRESS));
        self.shift(Code::Shr_rm64_imm8, NUMBER, layout::REGION_BITS as u32);
        let low = Operand::Register(half(ADDRESS));
        self.code.two(Code::Mov_r32_rm32, half(ENTRY), low);
        let entry = layout::CACHE_ENTRY.trailing_zeros();
        let shift = layout::REGION_BITS as u32 - entry;
        self.shift(Code::Shr_rm32_imm8, half(ENTRY), shift);
        self.code.number(
            Code::And_rm32_imm32,
            half(ENTRY),
            (layout::CACHE as i32 - 1) << entry,
        );
        let tag = indexed(CACHE, ENTRY, 1, layout::TAG.into());
        self.code
            .two(Code::Cmp_r64_rm64, NUMBER, Operand::Memory(tag));
        self.code.jump(Code::Jne_rel32_64, slow);
        let pages = indexed(CACHE, ENTRY, 1, layout::PAGES.into());
        self.code.two(load, ENTRY, Operand::Memory(pages));
        self.code.two(Code::Mov_r32_rm32, half(NUMBER), low);
        self.shift(Code::Shr_rm32_imm8, half(NUMBER), layout::PAGE_BITS);
        let pages = layout::PAGES_IN_REGION as i32;
        self.code
            .number(Code::And_rm32_imm32, half(NUMBER), pages - 1);
        let entry = indexed(ENTRY, NUMBER, 8, 0);
        self.code.two(load, ENTRY, Operand::Memory(entry));
    }

    /// The address's offset in its page as [`NUMBER`].
    fn offset(&mut self) {
        let low = Operand::Register(half(ADDRESS));
        self.code.two(Code::Mov_r32_rm32, half(NUMBER), low);
        self.code
            .number(Code::And_rm32_imm32, half(NUMBER), layout::PAGE as i32 - 1);
    }

    /// Makes the offset in a page, a multiple of a granule, that of a cell.
    fn scale(&mut self, granule: u32) {
        let shift = self.size_shift();
        match shift.checked_sub(granule) {
            Some(left) => self.shift(Code::Shl_rm32_imm8, half(NUMBER), left),
            None => self.shift(Code::Shr_rm32_imm8, half(NUMBER), granule - shift),
        }
    }

    /// Requires that the access does not end behind its page, of which it then has the offset as [`NUMBER`].
    fn within_page(&mut self, size: u64, slow: Label) {
        self.offset();
        let most = (layout::PAGE - size) as i32;
        self.code.number(Code::Cmp_rm32_imm32, half(NUMBER), most);
        self.code.jump(Code::Ja_rel32_64, slow);
    }

    /// For an access of several words: requires that they are cells of their own, in one page, and has their offset as
    /// [`NUMBER`]. `low` are the bits of the entry that matter.
    fn whole_words(&mut self, size: u64, low: u64, several: Label) {
        let bits = Operand::Register(half(ENTRY));
        self.code.two(Code::Mov_r32_rm32, half(NUMBER), bits);
        self.code
            .number(Code::And_rm32_imm8, half(NUMBER), low as i32);
        let coarsest = layout::COARSEST as i32;
        self.code
            .number(Code::Cmp_rm32_imm8, half(NUMBER), coarsest);
        self.code.jump(Code::Jne_rel32_64, several);
        self.code
            .number(Code::Test_rm32_imm32, half(ADDRESS), WORD as i32 - 1);
        self.code.jump(Code::Jne_rel32_64, several);
        self.within_page(size, several);
    }

    /// Pointers to the first and the last cell of an access at the offset [`NUMBER`], as that and as [`ADDRESS`].
    fn first_and_last(&mut self, size: u64, shift: u32) {
        let last = at(NUMBER, size as i64 - 1);
        self.code
            .two(Code::Lea_r64_m, ADDRESS, Operand::Memory(last));
        for end in [NUMBER, ADDRESS] {
            self.shift_right(Code::VEX_Shrx_r32_rm32_r32, half(end), half(end));
            self.shift(Code::Shl_rm32_imm8, half(end), shift);
        }
        self.code
            .number(Code::And_rm64_imm8, ENTRY, !(layout::LOW as i32));
        for end in [NUMBER, ADDRESS] {
            self.code.two(Code::Add_r64_rm64, end, wide(ENTRY));
        }
    }

    /// Goes on to the next cell, up to the last one.
    fn repeat(&mut self, next: Label, shift: u32) {
        self.code.number(Code::Add_rm64_imm8, NUMBER, 1 << shift);
        self.code.two(Code::Cmp_r64_rm64, NUMBER, wide(ADDRESS));
        self.code.jump(Code::Jbe_rel32_64, next);
    }

    /// Calls a function for an access; level [`vector::START`].
    fn call(&mut self, stub: i64, size: u64) {
        self.code.set(NUMBER, size as i64);
        self.code.set(ENTRY, stub);
        self.code.one(Code::Call_rm64, ENTRY);
    }

    /// Shifts by the low bits of the entry, of which only the granule and that a page is absent are among those that
    /// matter: pages are at multiples of 64.
    fn shift_right(&mut self, code: Code, to: Register, from: Register) {
        let by = match code {
            Code::VEX_Shrx_r32_rm32_r32 => half(ENTRY),
            _ => ENTRY,
        };
        self.code
            .add(iced_x86::Instruction::with3(code, to, from, by));
    }
}
