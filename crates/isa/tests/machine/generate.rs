//! Random instructions that a process may execute one at a time, and states in which their memory operands are where
//! there is memory.

use std::collections::HashMap;

use iced_x86::{
    Code, ConstantOffsets, CpuidFeature, Decoder, DecoderOptions, FlowControl, Instruction,
    InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, UsedMemory,
};

use super::{CODE, Random, SCRATCH, SCRATCH_SIZE, State};

/// An instruction under test.
pub struct Sample {
    pub bytes: Vec<u8>,
    pub raw: Instruction,
    /// Its memory operands as iced gives them, those of one iteration for `rep`.
    pub memory: Vec<UsedMemory>,
}

/// A stretch of memory, as offsets into [`State::memory`], and how it is used.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub start: usize,
    pub size: usize,
    pub read: bool,
    pub write: bool,
}

/// Generates instructions, no more than so many of each code.
pub struct Generator {
    random: Random,
    avx512: bool,
    limit: u32,
    seen: HashMap<(Code, bool), u32>,
}

impl Generator {
    pub fn new(seed: u64, avx512: bool, limit: u32) -> Self {
        Self {
            random: Random(seed),
            avx512,
            limit,
            seen: HashMap::new(),
        }
    }

    /// The next one, or nothing when most codes have been seen often enough.
    pub fn next(&mut self) -> Option<Sample> {
        for _ in 0..30_000 {
            let bytes = self.bytes();
            if let Some(sample) = sample(&bytes) {
                let has_memory = sample.raw.op_kinds().any(|kind| kind == OpKind::Memory);
                let seen = self
                    .seen
                    .entry((sample.raw.code(), has_memory))
                    .or_default();
                if *seen < self.limit {
                    *seen += 1;
                    return Some(sample);
                }
            }
        }
        None
    }

    /// Random bytes in the form of an instruction.
    fn bytes(&mut self) -> Vec<u8> {
        let random = &mut self.random;
        let mut bytes = Vec::with_capacity(24);
        if random.one_in(30) {
            bytes.push([0x64, 0x65, 0x67, 0xf0][random.below(4) as usize]);
        }
        match random.below(if self.avx512 { 10 } else { 6 }) {
            // Legacy encodings.
            0..4 => {
                if random.one_in(2) {
                    bytes.push([0x66, 0xf2, 0xf3][random.below(3) as usize]);
                }
                if random.one_in(2) {
                    bytes.push(0x40 | random.below(16) as u8);
                }
                match random.below(8) {
                    0 => {}
                    1 => bytes.push(0xd8 | random.below(8) as u8),
                    2 => bytes.extend([0x0f, 0x38]),
                    3 => bytes.extend([0x0f, 0x3a]),
                    _ => bytes.push(0x0f),
                }
            }
            // VEX.
            4 | 5 => {
                let map = 1 + random.below(3) as u8;
                let vvvv = if random.one_in(2) { 0x78 } else { 0 };
                bytes.extend([
                    0xc4,
                    random.bits() as u8 & 0xe0 | map,
                    random.bits() as u8 | vvvv,
                ]);
            }
            // EVEX.
            _ => {
                let map = [1, 2, 3, 5, 6][random.below(5) as usize];
                let vvvv = if random.one_in(2) { 0x78 } else { 0 };
                bytes.extend([
                    0x62,
                    random.bits() as u8 & 0xf0 | map,
                    random.bits() as u8 & 0xfb | 4 | vvvv,
                    random.bits() as u8,
                ]);
            }
        }
        bytes.push(random.bits() as u8);
        for _ in 0..12 {
            bytes.push(random.bits() as u8);
        }
        // Operands that are registers, half of the time.
        if random.one_in(2) {
            let position = bytes.len() - 12;
            bytes[position] |= 0xc0;
        }
        bytes
    }
}

/// The instruction at the start of `bytes`, if it may be executed alone; displacements of absolute and relative
/// addresses are made to point at memory.
pub fn sample(bytes: &[u8]) -> Option<Sample> {
    let (raw, offsets) = decode(bytes)?;
    if !is_harmless(&raw) {
        return None;
    }
    let mut bytes = bytes[..raw.len()].to_vec();
    let middle = SCRATCH + SCRATCH_SIZE as u64 / 2;
    let absolute = raw.op_kinds().any(|kind| kind == OpKind::Memory)
        && raw.memory_index() == Register::None
        && offsets.has_displacement();
    let displacement = match raw.memory_base() {
        _ if !absolute => None,
        Register::RIP | Register::EIP => Some(middle.wrapping_sub(CODE + raw.len() as u64)),
        Register::None => Some(middle),
        _ => None,
    };
    if let Some(displacement) = displacement {
        let size = offsets.displacement_size();
        let start = offsets.displacement_offset();
        bytes[start..start + size].copy_from_slice(&displacement.to_le_bytes()[..size]);
    }
    let (raw, _) = decode(&bytes)?;
    // Makers of processors do not agree on what an operand-size prefix means here.
    if is_near_branch(&raw) && bytes.iter().take(4).any(|byte| *byte == 0x66) {
        return None;
    }
    let mut plain = raw;
    if raw.is_string_instruction() {
        plain.set_has_rep_prefix(false);
        plain.set_has_repne_prefix(false);
    }
    let memory = InstructionInfoFactory::new()
        .info(&plain)
        .used_memory()
        .to_vec();
    Some(Sample { bytes, raw, memory })
}

fn decode(bytes: &[u8]) -> Option<(Instruction, ConstantOffsets)> {
    let mut decoder = Decoder::with_ip(64, bytes, CODE, DecoderOptions::NONE);
    let raw = decoder.decode();
    (!raw.is_invalid()).then(|| (raw, decoder.get_constant_offsets(&raw)))
}

/// Whether it is a jump, call or return within the code segment.
fn is_near_branch(raw: &Instruction) -> bool {
    match raw.flow_control() {
        FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch => {
            raw.op0_kind() == OpKind::NearBranch64
        }
        FlowControl::IndirectBranch => !raw.is_jmp_far_indirect(),
        FlowControl::Call => raw.mnemonic() == Mnemonic::Call,
        FlowControl::IndirectCall => !raw.is_call_far_indirect(),
        FlowControl::Return => raw.mnemonic() == Mnemonic::Ret,
        _ => false,
    }
}

/// Whether a process may execute it without leaving for the kernel, waiting, or meddling with segments, and whether its
/// result depends on the state alone.
fn is_harmless(raw: &Instruction) -> bool {
    use Mnemonic as M;
    let leaves = raw.flow_control() != FlowControl::Next && !is_near_branch(raw);
    let depends_on_time_or_place = matches!(
        raw.mnemonic(),
        M::Cpuid
            | M::Rdtsc
            | M::Rdtscp
            | M::Rdpid
            | M::Rdrand
            | M::Rdseed
            | M::Rdpmc
            | M::Rdpru
            | M::Xgetbv
            | M::Mwaitx
            | M::Monitorx
            | M::Rdpkru
            | M::Wrpkru
            | M::Incsspd
            | M::Incsspq
            | M::Xrstor
            | M::Xrstor64
            | M::Xsave
            | M::Xsave64
            | M::Xsavec
            | M::Xsavec64
            | M::Xsaveopt
            | M::Xsaveopt64
            | M::Lar
            | M::Lsl
            | M::Verr
            | M::Verw
            | M::Sgdt
            | M::Sidt
            | M::Sldt
            | M::Smsw
            | M::Str
            | M::In
            | M::Out
            | M::Insb
            | M::Insw
            | M::Insd
            | M::Outsb
            | M::Outsw
            | M::Outsd
            | M::Lss
            | M::Lfs
            | M::Lgs
    );
    let segment = (0..raw.op_count()).any(|operand| {
        raw.op_kind(operand) == OpKind::Register && raw.op_register(operand).is_segment_register()
    });
    // With a REX prefix processors take `pause` as the exchange of rax and r8 that its bytes were before it existed.
    let odd_pause = raw.mnemonic() == M::Pause && raw.len() > 2;
    // Fields that reach beyond the register leave it undefined.
    let undefined_field = match raw.code() {
        Code::Insertq_xmm_xmm_imm8_imm8 => {
            let (length, position) = (raw.immediate8() & 63, raw.immediate8_2nd() & 63);
            length + position > 64 || (length == 0 && position != 0)
        }
        Code::Insertq_xmm_xmm => true,
        _ => false,
    };
    let known = raw
        .cpuid_features()
        .iter()
        .all(|feature| is_ordinary(*feature));
    !leaves
        && !raw.is_privileged()
        && !depends_on_time_or_place
        && !segment
        && !odd_pause
        && !undefined_field
        && known
}

/// Features of programs (not of operating systems, hypervisors, or old machines).
fn is_ordinary(feature: CpuidFeature) -> bool {
    use CpuidFeature as F;
    let name = format!("{feature:?}");
    matches!(
        feature,
        F::INTEL8086
            | F::INTEL186
            | F::INTEL286
            | F::INTEL386
            | F::INTEL486
            | F::X64
            | F::ADX
            | F::AES
            | F::BMI1
            | F::BMI2
            | F::CLZERO
            | F::CMOV
            | F::CMPXCHG16B
            | F::CX8
            | F::F16C
            | F::FMA
            | F::FPU
            | F::FPU287
            | F::FPU387
            | F::FSGSBASE
            | F::FXSR
            | F::GFNI
            | F::LZCNT
            | F::MMX
            | F::MOVBE
            | F::MOVDIRI
            | F::MOVDIR64B
            | F::MULTIBYTENOP
            | F::PAUSE
            | F::PCLMULQDQ
            | F::POPCNT
            | F::PREFETCHW
            | F::SHA
            | F::VAES
            | F::VPCLMULQDQ
            | F::CLFSH
            | F::CLFLUSHOPT
            | F::CLWB
    ) || name.starts_with("SSE")
        || name == "SSSE3"
        || name.starts_with("AVX")
}

impl Sample {
    /// Sets registers that make up addresses so that memory operands are in memory. False if that is impossible.
    pub fn aim(&self, state: &mut State, random: &mut Random) -> bool {
        let mut aimed: Vec<Register> = Vec::new();
        for memory in &self.memory {
            let (base, index) = (memory.base(), memory.index());
            let segment = match memory.segment() {
                Register::FS => state.fs_base,
                Register::GS => state.gs_base,
                _ => 0,
            };
            let middle = SCRATCH + SCRATCH_SIZE as u64 / 2;
            let target = (middle + random.below(16) * 64)
                .wrapping_sub(memory.displacement())
                .wrapping_sub(segment);
            let scale = memory.scale() as u64;
            if index.is_vector_register() {
                if base == Register::None {
                    return false;
                }
                for element in &mut state.vectors[index.number()] {
                    let small = |random: &mut Random| random.below(64);
                    *element = if memory.vsib_size() == 4 {
                        small(random) | small(random) << 32
                    } else {
                        small(random)
                    };
                }
                set(state, base, target);
            } else if aimed.contains(&base.full_register())
                || (base == Register::None && index == Register::None)
            {
                continue;
            } else if index == Register::None {
                set(state, base, target);
            } else if base.full_register() == index.full_register() {
                set(state, base, target / (scale + 1));
            } else if base == Register::None {
                set(state, index, target / scale);
            } else if index == Register::AL {
                set(state, base, target.wrapping_sub(state.general[0] & 0xff));
            } else {
                let position = random.below(32);
                set(state, index, position);
                set(state, base, target.wrapping_sub(position * scale));
            }
            aimed.push(base.full_register());
        }
        if random.one_in(2) {
            self.let_compare_succeed(state);
        }
        if self.raw.mnemonic() == Mnemonic::Clzero {
            state.general[0] = SCRATCH + random.below(64) * 64;
        }
        let repeats = self.raw.has_rep_prefix() || self.raw.has_repne_prefix();
        if self.raw.is_string_instruction() && repeats {
            state.general[1] = 1 + random.below(3);
        }
        true
    }

    /// Makes the operand of a compare and exchange equal to what it is compared with.
    fn let_compare_succeed(&self, state: &mut State) {
        use Mnemonic as M;
        let size = match self.raw.mnemonic() {
            M::Cmpxchg if self.raw.op0_kind() == OpKind::Register => {
                set(state, self.raw.op0_register(), state.general[0]);
                return;
            }
            M::Cmpxchg | M::Cmpxchg16b => 8,
            M::Cmpxchg8b => 4,
            _ => return,
        };
        if let Some([range]) = self.ranges(state).as_deref() {
            let [low, _, high, ..] = state.general;
            let start = range.start;
            state.memory[start..start + size].copy_from_slice(&low.to_le_bytes()[..size]);
            if self.raw.mnemonic() != M::Cmpxchg {
                let high = &high.to_le_bytes()[..size];
                state.memory[start + size..start + 2 * size].copy_from_slice(high);
            }
        }
    }

    /// Whether it is a store under a mask of bytes or elements in a vector register, which keeps the rest of its
    /// operand.
    fn merges(&self) -> bool {
        let name = format!("{:?}", self.raw.mnemonic()).to_ascii_lowercase();
        name.contains("maskmov")
    }

    /// Where its memory operands are in a state, accesses only. None if one is out of memory or its place depends on
    /// elements.
    pub fn ranges(&self, state: &State) -> Option<Vec<Range>> {
        let mut ranges = Vec::new();
        for memory in &self.memory {
            if memory.access() == OpAccess::NoMemAccess || memory.index().is_vector_register() {
                continue;
            }
            let address = memory.virtual_address(0, |register, _, _| {
                Some(match register {
                    Register::FS => state.fs_base,
                    Register::GS => state.gs_base,
                    _ if register.is_segment_register() => 0,
                    _ => get(state, register),
                })
            })?;
            let start = address.checked_sub(SCRATCH)? as usize;
            let size = memory.memory_size().size();
            if start + size > SCRATCH_SIZE {
                return None;
            }
            let access = memory.access();
            ranges.push(Range {
                start,
                size,
                read: !matches!(access, OpAccess::Write) || self.merges(),
                write: !matches!(access, OpAccess::Read | OpAccess::CondRead),
            });
        }
        Some(ranges)
    }
}

fn get(state: &State, register: Register) -> u64 {
    let whole = state.general[register.full_register().number()];
    match register.size() {
        1 => whole & 0xff,
        4 => whole & 0xffff_ffff,
        _ => whole,
    }
}

fn set(state: &mut State, register: Register, value: u64) {
    if register.is_gpr() {
        state.general[register.full_register().number()] = value;
    }
}
