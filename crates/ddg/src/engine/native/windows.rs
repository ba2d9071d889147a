//! Code for windows: what left them is loaded from rings of deepest levels, to which those after each instance are
//! added.

use iced_x86::{Code, Instruction, Register};

use super::super::compile::{Op, OpKind};
use super::super::window::{AT_ONCE, GROUP};
use super::WindowsLayout;
use super::assembler::{Assembler, Label, Operand, at, indexed};
use super::frame::{SCRATCH, STATE, WINDOW_POINTERS, WINDOWS, vector};
use super::writer::LevelWriter;

impl LevelWriter<'_> {
    /// Cuts a group of operations so that no piece has more instances than a window.
    pub fn at_once<'o>(&self, group: &'o [Op]) -> Vec<&'o [Op]> {
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

    /// Logarithm of the bytes of the levels in a ring for one instance.
    fn row(&self) -> u32 {
        2 + self.layout.lanes.min(GROUP).trailing_zeros()
    }

    /// Puts pointers to where the windows are for the next instances into the frame: for each ring where its lanes'
    /// begin, then where levels go.
    pub fn view(&mut self, windows: &WindowsLayout) {
        let shift = self.row();
        let [place, start, behind] = SCRATCH;
        let load = Code::Mov_r64_rm64;
        let position = at(STATE, windows.position.into());
        self.code.two(load, behind, Operand::Memory(position));
        self.shift(Code::Shl_rm64_imm8, behind, shift);
        let address = at(STATE, windows.address.into());
        self.code.two(load, start, Operand::Memory(address));
        for (number, ring) in windows.rings.iter().enumerate() {
            if ring.room == 0 {
                continue;
            }
            let backs = ring.lengths.iter().copied().chain([Some(0)]);
            for (lane, back) in backs.enumerate() {
                let Some(back) = back else {
                    continue;
                };
                let known = ring.lengths[..lane.min(ring.lengths.len())].contains(&Some(back));
                if known {
                    continue;
                }
                let from = Operand::Memory(at(behind, -((back as i64) << shift)));
                self.code.two(Code::Lea_r64_m, place, from);
                let within = ((ring.room as i64 - 1) << shift) as i32;
                self.code.number(Code::And_rm64_imm32, place, within);
                let from = indexed(start, place, 1, 4 * ring.start as i64);
                self.code.two(Code::Lea_r64_m, place, Operand::Memory(from));
                let pointer = at(Register::RSP, pointer(number, lane));
                self.code.to(Code::Mov_rm64_r64, pointer, place);
            }
        }
    }

    /// What left the windows before an instance, as [`vector::OPERAND`].
    pub fn left(&mut self, windows: &WindowsLayout, instance: usize) {
        let behind = (instance as i64) << self.row();
        let pointer_register = SCRATCH[0];
        for (number, ring) in windows.rings.iter().enumerate().rev() {
            let part = match number {
                0 => vector::OPERAND,
                _ => vector::PART,
            };
            let part = Register::XMM0 + part;
            let zero = |code: &mut Assembler| {
                let xor = Code::VEX_Vpxor_xmm_xmm_xmmm128;
                code.three(xor, part, part, Operand::Register(part));
            };
            if ring.room == 0 || ring.lengths[0].is_none() {
                zero(&mut self.code);
            }
            let alike = ring.lengths.iter().all(|length| *length == ring.lengths[0]);
            for (lane, length) in ring.lengths.iter().enumerate() {
                if ring.room == 0 || length.is_none() || alike && lane > 0 {
                    continue;
                }
                let first = ring.lengths.iter().position(|same| same == length);
                let from = at(Register::RSP, pointer(number, first.unwrap_or(lane)));
                let load = Code::Mov_r64_rm64;
                self.code.two(load, pointer_register, Operand::Memory(from));
                let level = at(pointer_register, behind + 4 * lane as i64);
                if alike && ring.lengths.len() > 1 {
                    let load = Code::VEX_Vmovdqu_xmm_xmmm128;
                    self.code.two(load, part, Operand::Memory(level));
                } else if lane == 0 {
                    let load = Code::VEX_Vmovd_xmm_rm32;
                    self.code.two(load, part, Operand::Memory(level));
                } else {
                    let insert = Code::VEX_Vpinsrd_xmm_xmm_rm32_imm8;
                    self.code
                        .add(Instruction::with4(insert, part, part, level, lane as u32));
                }
            }
            if number == 1 {
                continue;
            }
            if windows.rings.len() > 1 {
                let insert = Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8;
                let whole = Register::YMM0 + vector::OPERAND;
                let upper = Register::XMM0 + vector::PART;
                self.code
                    .add(Instruction::with4(insert, whole, whole, upper, 1u32));
            }
        }
    }

    /// Puts the deepest levels after an instance into the windows.
    pub fn put(&mut self, windows: &WindowsLayout, instance: usize) {
        let behind = (instance as i64) << self.row();
        let pointer_register = SCRATCH[0];
        for (number, ring) in windows.rings.iter().enumerate() {
            if ring.room == 0 {
                continue;
            }
            let from = at(Register::RSP, pointer(number, ring.lengths.len()));
            let load = Code::Mov_r64_rm64;
            self.code.two(load, pointer_register, Operand::Memory(from));
            let place = at(pointer_register, behind);
            let deepest = Register::XMM0 + vector::DEEPEST;
            match (number, ring.lengths.len()) {
                (0, 1) => self.code.to(Code::VEX_Vmovd_rm32_xmm, place, deepest),
                (0, _) => self.code.to(Code::VEX_Vmovdqu_xmmm128_xmm, place, deepest),
                _ => {
                    let extract = Code::VEX_Vextracti128_xmmm128_ymm_imm8;
                    let deepest = Register::YMM0 + vector::DEEPEST;
                    self.code
                        .add(Instruction::with3(extract, place, deepest, 1u32));
                }
            }
        }
    }

    /// So many instances were put into the windows. If there are any, what this returns is where code goes to if levels
    /// are to be put twice into a ring, and where it is to come back to.
    pub fn close(&mut self, windows: &WindowsLayout, count: usize) -> Option<(Label, Label)> {
        let shift = self.row();
        let [place, after, behind] = SCRATCH;
        let position = at(STATE, windows.position.into());
        let load = Code::Mov_r64_rm64;
        self.code.two(load, behind, Operand::Memory(position));
        let then = Operand::Memory(at(behind, count as i64));
        self.code.two(Code::Lea_r64_m, after, then);
        self.code.to(Code::Mov_rm64_r64, position, after);
        self.shift(Code::Shl_rm64_imm8, behind, shift);
        let (from, back) = (self.code.label(), self.code.label());
        let mut any = false;
        for ring in windows.rings.iter().filter(|ring| ring.room > 0) {
            any = true;
            // Whether levels are twice in the ring, or behind its end.
            self.code.two(load, place, Operand::Register(behind));
            let within = ((ring.room as i64 - 1) << shift) as i32;
            self.code.number(Code::And_rm64_imm32, place, within);
            let first = (AT_ONCE as i32) << shift;
            self.code.number(Code::Sub_rm64_imm32, place, first);
            let most = ((ring.room - AT_ONCE - count) as i64) << shift;
            self.code.number(Code::Cmp_rm64_imm32, place, most as i32);
            self.code.jump(Code::Ja_rel32_64, from);
        }
        any.then(|| {
            self.code.place(back);
            (from, back)
        })
    }
}

/// Place in the frame of a pointer into a ring: for a lane, or (the last) for what is put there.
fn pointer(ring: usize, lane: usize) -> i64 {
    let number = ring * (GROUP + 1) + lane;
    debug_assert!(number < WINDOW_POINTERS, "there are two rings at most");
    WINDOWS + 8 * number as i64
}

/// Whether code can look at windows: they are as far apart as an instruction can say.
pub fn can_view(windows: &WindowsLayout) -> bool {
    let most = i32::MAX as usize / (4 * GROUP);
    windows
        .rings
        .iter()
        .all(|ring| ring.room <= most && 4 * ring.start <= i32::MAX as usize)
}
