//! All of the processor's state that instructions of a program see.

use std::arch::x86_64::__cpuid_count;

use super::{Random, SCRATCH_SIZE};

/// Flags that the model has: CF, PF, AF, ZF, SF, DF, OF.
pub const FLAGS: u64 = 0xcd5;
/// Condition codes C0, C2 and C3 in the x87 status word.
pub const CONDITION_CODES: u16 = 0x4500;

/// Where the parts of the extended state are.
#[derive(Debug)]
pub struct Layout {
    /// Upper halves of ymm registers.
    ymm: usize,
    /// Masks, upper halves of zmm 0 to 15, and zmm 16 to 31, if the processor has them.
    wide: Option<(usize, usize, usize)>,
    components: u64,
}

impl Layout {
    /// The layout that the processor reports.
    pub fn of_processor() -> Self {
        // `cpuid` itself, leaf 13: where each component of the extended state starts.
        let offset = |component| __cpuid_count(13, component).ebx as usize;
        Self {
            ymm: offset(2),
            wide: Some((offset(5), offset(6), offset(7))),
            components: 0xe7,
        }
    }

    /// Leaves out what the kernel does not have switched on, according to a state it has saved.
    pub fn limit(&mut self, saved: &[u8]) {
        self.components &= word(saved, 464);
        if self.components & 0xe0 != 0xe0 {
            self.wide = None;
        }
    }

    /// Whether there are mask registers and 32 registers of 512 bits.
    pub fn has_avx512(&self) -> bool {
        self.wide.is_some()
    }

    /// Whether there are registers of 256 bits.
    pub fn has_avx(&self) -> bool {
        self.components & 4 != 0
    }
}

/// Registers and memory.
#[derive(Clone, PartialEq)]
pub struct State {
    /// In the order of their numbers.
    pub general: [u64; 16],
    /// Of these only [`FLAGS`].
    pub flags: u64,
    pub fs_base: u64,
    pub gs_base: u64,
    /// Physical registers: mantissa, exponent with sign.
    pub x87: [(u64, u16); 8],
    /// Bit n: physical register n is in use.
    pub x87_used: u8,
    pub x87_top: u8,
    /// Of these only [`CONDITION_CODES`].
    pub x87_status: u16,
    pub x87_control: u16,
    pub mxcsr: u32,
    pub vectors: [[u64; 8]; 32],
    pub masks: [u64; 8],
    pub memory: Vec<u8>,
    /// Where execution goes on.
    pub next: u64,
}

impl State {
    /// Random values everywhere.
    pub fn random(random: &mut Random, layout: &Layout) -> Self {
        let mut state = Self {
            general: std::array::from_fn(|_| random.integer()),
            flags: random.bits() & FLAGS,
            fs_base: random.below(8) * 64,
            gs_base: random.below(8) * 64,
            x87: std::array::from_fn(|_| Self::random_x87(random)),
            x87_used: 0xff,
            x87_top: random.below(8) as u8,
            x87_status: random.bits() as u16 & CONDITION_CODES,
            x87_control: Self::random_control(random),
            mxcsr: 0x1f80,
            vectors: [[0; 8]; 32],
            masks: [0; 8],
            memory: vec![0; SCRATCH_SIZE],
            next: 0,
        };
        if random.below(8) != 0 {
            state.flags &= !0x400;
        }
        let (count, width) = match (layout.has_avx512(), layout.has_avx()) {
            (true, _) => (32, 8),
            (_, true) => (16, 4),
            _ => (16, 2),
        };
        for vector in &mut state.vectors[..count] {
            match random.below(8) {
                0 => {}
                1 => vector[..width].fill(u64::MAX),
                _ => vector[..width].fill_with(|| random.element()),
            }
        }
        if layout.has_avx512() {
            state.masks.fill_with(|| random.integer());
        }
        state.fill_memory(random);
        state
    }

    /// Random bytes in all memory.
    pub fn fill_memory(&mut self, random: &mut Random) {
        for piece in self.memory.chunks_exact_mut(8) {
            piece.copy_from_slice(&random.element().to_le_bytes());
        }
    }

    /// A number in the format of x87 registers: mostly ordinary, sometimes zero, infinite, or not a number.
    pub fn random_x87(random: &mut Random) -> (u64, u16) {
        let sign = (random.below(2) as u16) << 15;
        match random.below(16) {
            0 => (0, sign),
            1 => (1 << 63, sign | 0x7fff),
            2 => (3 << 62 | random.below(1 << 40), sign | 0x7fff),
            _ => (
                random.bits() | 1 << 63,
                sign | (16383 - 8 + random.below(24) as u16),
            ),
        }
    }

    /// A control word with any rounding and precision, all exceptions masked.
    pub fn random_control(random: &mut Random) -> u16 {
        let precision = [0, 2, 3][random.below(3) as usize];
        0x7f | precision << 8 | (random.below(4) as u16) << 10
    }

    /// Into the form of `PTRACE_SETREGS`.
    pub fn store_registers(&self, registers: &mut libc::user_regs_struct) {
        let g = &self.general;
        registers.rax = g[0];
        registers.rcx = g[1];
        registers.rdx = g[2];
        registers.rbx = g[3];
        registers.rsp = g[4];
        registers.rbp = g[5];
        registers.rsi = g[6];
        registers.rdi = g[7];
        registers.r8 = g[8];
        registers.r9 = g[9];
        registers.r10 = g[10];
        registers.r11 = g[11];
        registers.r12 = g[12];
        registers.r13 = g[13];
        registers.r14 = g[14];
        registers.r15 = g[15];
        registers.eflags = 0x202 | self.flags;
        registers.fs_base = self.fs_base;
        registers.gs_base = self.gs_base;
        registers.fs = 0;
        registers.gs = 0;
    }

    /// Into the form of the extended state.
    pub fn store_extended(&self, layout: &Layout, buffer: &mut [u8]) {
        buffer.fill(0);
        put(buffer, 0, &self.x87_control.to_le_bytes());
        let status = self.x87_status | u16::from(self.x87_top) << 11;
        put(buffer, 2, &status.to_le_bytes());
        buffer[4] = self.x87_used;
        put(buffer, 24, &self.mxcsr.to_le_bytes());
        put(buffer, 512, &layout.components.to_le_bytes());
        for position in 0..8 {
            let (mantissa, exponent) = self.x87[self.physical(position)];
            put(buffer, 32 + 16 * position, &mantissa.to_le_bytes());
            put(buffer, 40 + 16 * position, &exponent.to_le_bytes());
        }
        for number in 0..16 {
            let vector = &self.vectors[number];
            put_words(buffer, 160 + 16 * number, &vector[..2]);
            if layout.has_avx() {
                put_words(buffer, layout.ymm + 16 * number, &vector[2..4]);
            }
            if let Some((masks, upper, more)) = layout.wide {
                put_words(buffer, upper + 32 * number, &vector[4..]);
                put_words(buffer, more + 64 * number, &self.vectors[16 + number]);
                put_words(buffer, masks, &self.masks);
            }
        }
    }

    /// From what the kernel saved.
    pub fn load(
        layout: &Layout,
        r: &libc::user_regs_struct,
        buffer: &[u8],
        memory: Vec<u8>,
    ) -> Self {
        let status = word(buffer, 2) as u16;
        let mut state = Self {
            general: [
                r.rax, r.rcx, r.rdx, r.rbx, r.rsp, r.rbp, r.rsi, r.rdi, r.r8, r.r9, r.r10, r.r11,
                r.r12, r.r13, r.r14, r.r15,
            ],
            flags: r.eflags & FLAGS,
            fs_base: r.fs_base,
            gs_base: r.gs_base,
            x87: [(0, 0); 8],
            x87_used: buffer[4],
            x87_top: (status >> 11) as u8 & 7,
            x87_status: status & CONDITION_CODES,
            x87_control: word(buffer, 0) as u16,
            mxcsr: word(buffer, 24) as u32 & 0xffc0,
            vectors: [[0; 8]; 32],
            masks: [0; 8],
            memory,
            next: r.rip,
        };
        for position in 0..8 {
            let mantissa = word(buffer, 32 + 16 * position);
            let exponent = word(buffer, 40 + 16 * position) as u16;
            state.x87[state.physical(position)] = (mantissa, exponent);
        }
        for number in 0..16 {
            let vector = &mut state.vectors[number];
            get_words(buffer, 160 + 16 * number, &mut vector[..2]);
            if layout.has_avx() {
                get_words(buffer, layout.ymm + 16 * number, &mut vector[2..4]);
            }
            if let Some((masks, upper, more)) = layout.wide {
                get_words(buffer, upper + 32 * number, &mut vector[4..]);
                get_words(buffer, more + 64 * number, &mut state.vectors[16 + number]);
                get_words(buffer, masks, &mut state.masks);
            }
        }
        state
    }

    /// The physical x87 register at a position below the top.
    pub fn physical(&self, position: usize) -> usize {
        (usize::from(self.x87_top) + position) % 8
    }
}

/// Eight bytes at an offset, fewer at the end of the buffer counting as zero.
fn word(buffer: &[u8], offset: usize) -> u64 {
    let mut bytes = [0; 8];
    let piece = &buffer[offset..buffer.len().min(offset + 8)];
    bytes[..piece.len()].copy_from_slice(piece);
    u64::from_le_bytes(bytes)
}

fn put(buffer: &mut [u8], offset: usize, bytes: &[u8]) {
    buffer[offset..offset + bytes.len()].copy_from_slice(bytes);
}

fn put_words(buffer: &mut [u8], offset: usize, words: &[u64]) {
    for (index, value) in words.iter().enumerate() {
        put(buffer, offset + 8 * index, &value.to_le_bytes());
    }
}

fn get_words(buffer: &[u8], offset: usize, words: &mut [u64]) {
    for (index, value) in words.iter_mut().enumerate() {
        *value = word(buffer, offset + 8 * index);
    }
}
