//! Where a location of the model is in the processor's state.

use parascan_isa::Location;
use parascan_isa::location::{Flags, GeneralPart, SingleRegister, VectorPart};

use super::state::{CONDITION_CODES, State};
use super::{Layout, Random};

/// A location's bits in a state.
#[derive(Clone, Copy, Debug)]
pub enum LocationBits {
    /// Register, bits.
    General(usize, u64),
    /// Register, first and last of its eight words.
    Vector(usize, usize, usize),
    Mask(usize),
    Flags(u64),
    /// Counted from the top.
    X87(usize),
    Mmx(usize),
    X87Status,
    X87Control,
    Mxcsr,
    FsBase,
    GsBase,
}

/// All locations there are on this processor; x87 registers, or MMX registers, which are the same bits.
pub fn all(layout: &Layout, mmx: bool) -> Vec<(Location, LocationBits)> {
    let mut places = Vec::new();
    for number in 0..16_u8 {
        let index = usize::from(number);
        for (part, bits) in [
            (GeneralPart::Low, 0xff),
            (GeneralPart::High, 0xff00),
            (GeneralPart::Rest, !0xffff),
        ] {
            places.push((
                Location::general(number, part),
                LocationBits::General(index, bits),
            ));
        }
    }
    let (vectors, words) = if layout.has_avx512() {
        (32, 8)
    } else {
        (16, 4)
    };
    for number in 0..vectors {
        let index = usize::from(number);
        for (part, first, last) in [(VectorPart::Low, 0, 0), (VectorPart::High, 1, 1)] {
            places.push((
                Location::vector(number, part),
                LocationBits::Vector(index, first, last),
            ));
        }
        if layout.has_avx() {
            places.push((
                Location::vector(number, VectorPart::Wide),
                LocationBits::Vector(index, 2, words - 1),
            ));
        }
    }
    for number in 0..8_u8 {
        let index = usize::from(number);
        if layout.has_avx512() {
            places.push((Location::mask(number), LocationBits::Mask(index)));
        }
        places.push(if mmx {
            (Location::mmx(number), LocationBits::Mmx(index))
        } else {
            (Location::x87(number), LocationBits::X87(index))
        });
    }
    for (group, bits) in [
        (Flags::Carry, 1),
        (Flags::Overflow, 0x800),
        (Flags::Status, 0xd4),
        (Flags::Direction, 0x400),
    ] {
        places.push((Location::flags(group), LocationBits::Flags(bits)));
    }
    for (single, place) in [
        (SingleRegister::X87Status, LocationBits::X87Status),
        (SingleRegister::X87Control, LocationBits::X87Control),
        (SingleRegister::Mxcsr, LocationBits::Mxcsr),
        (SingleRegister::FsBase, LocationBits::FsBase),
        (SingleRegister::GsBase, LocationBits::GsBase),
    ] {
        places.push((Location::single(single), place));
    }
    places
}

impl LocationBits {
    /// What it holds; x87 registers are counted from `top`.
    pub fn get(self, state: &State, top: u8) -> [u64; 6] {
        let one = |value: u64| [value, 0, 0, 0, 0, 0];
        match self {
            Self::General(number, bits) => one(state.general[number] & bits),
            Self::Vector(number, first, last) => {
                let mut value = [0; 6];
                value[..=last - first].copy_from_slice(&state.vectors[number][first..=last]);
                value
            }
            Self::Mask(number) => one(state.masks[number]),
            Self::Flags(bits) => one(state.flags & bits),
            Self::X87(position) => {
                let (mantissa, exponent) = state.x87[(usize::from(top) + position) % 8];
                [mantissa, u64::from(exponent), 0, 0, 0, 0]
            }
            Self::Mmx(number) => one(state.x87[number].0),
            Self::X87Status => one(u64::from(state.x87_status)),
            Self::X87Control => one(u64::from(state.x87_control)),
            Self::Mxcsr => one(u64::from(state.mxcsr)),
            Self::FsBase => one(state.fs_base),
            Self::GsBase => one(state.gs_base),
        }
    }

    /// Changes what it holds to something random. MXCSR stays: arithmetic depends on it by definition of the model,
    /// which leaves it out.
    pub fn randomize(self, state: &mut State, random: &mut Random) {
        match self {
            Self::General(number, bits) => {
                state.general[number] = state.general[number] & !bits | random.bits() & bits;
            }
            Self::Vector(number, first, last) => {
                state.vectors[number][first..=last].fill_with(|| random.element());
            }
            Self::Mask(number) => state.masks[number] = random.bits(),
            Self::Flags(bits) => state.flags = state.flags & !bits | random.bits() & bits,
            Self::X87(position) => {
                let physical = state.physical(position);
                state.x87[physical] = State::random_x87(random);
            }
            Self::Mmx(number) => state.x87[number].0 = random.element(),
            Self::X87Status => state.x87_status = random.bits() as u16 & CONDITION_CODES,
            Self::X87Control => state.x87_control = State::random_control(random),
            Self::Mxcsr => {}
            Self::FsBase => state.fs_base = random.below(64) * 64,
            Self::GsBase => state.gs_base = random.below(64) * 64,
        }
    }

    /// Changes a little of what it holds, so that an address stays near.
    pub fn nudge(self, state: &mut State, random: &mut Random) {
        match self {
            Self::General(number, bits) => {
                let lowest = bits.trailing_zeros();
                state.general[number] ^= 1 << (u64::from(lowest) + random.below(8));
            }
            Self::Vector(number, first, last) => {
                let word = first + random.below((last - first + 1) as u64) as usize;
                state.vectors[number][word] ^= 1 << random.below(64);
            }
            _ => self.randomize(state, random),
        }
    }
}
