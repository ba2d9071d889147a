//! Which cells hold the registers.
//!
//! A register has three parts, but mostly they are written together. Neighbouring parts that hold the same are
//! *linked*: they share the cell of the lowest of them. [`Links`] says which are.

use std::cmp::Ordering;

use parascan_isa::Location;
use parascan_isa::location::{Flags, GeneralPart, VectorPart};

/// Number of register cells, those that are none of a location's included: any `u8` is one.
pub const CELLS: usize = 256;
/// A cell that is never written.
pub const NOTHING: u8 = 254;
/// A cell that is never read.
pub const TRASH: u8 = 255;

/// The general registers come first of those of three parts.
pub const GENERAL: usize = 16;
/// The flags, as a register of three parts; general registers and vectors come before.
const FLAGS_FAMILY: usize = GENERAL + 32;
const VECTOR: usize = Location::vector(0, VectorPart::Low).index();
const MASK: usize = Location::mask(0).index();
const FLAGS: usize = Location::flags(Flags::Carry).index();
/// DF is apart from the others.
const LAST_FLAGS: usize = FLAGS + 2;
const X87: usize = Location::x87(0).index();
const _: () = assert!(Location::general(1, GeneralPart::Low).index() == 3 && VECTOR == 48);
const _: () = assert!(
    Location::flags(Flags::Overflow).index() == FLAGS + 1
        && Location::flags(Flags::Status).index() == FLAGS + 2
);
/// General registers to which constants are added, as registers of which a bit is known: see [`Links::base`].
const BASE_FAMILIES: usize = FLAGS_FAMILY + 1;
const _: () = assert!(BASE_FAMILIES + 15 <= u64::BITS as usize);
/// Cells of what was in general registers before constants were added to them, in the order of the locations.
pub const BASES: usize = Location::COUNT;
const _: () = assert!(BASES + 3 * GENERAL <= NOTHING as usize);

/// Which neighbouring parts of the registers of three parts are linked. A bit for each such register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Links {
    /// The second part is linked to the first.
    second: u64,
    /// The third part is linked to the second.
    third: u64,
}

impl Links {
    /// Nothing was written yet: all parts hold the same.
    pub const ALL: Self = Self {
        second: u64::MAX,
        third: u64::MAX,
    };

    /// Whether both agree on the registers of a mask.
    #[inline(always)]
    pub fn agree(self, other: Self, mask: u64) -> bool {
        ((self.second ^ other.second) | (self.third ^ other.third)) & mask == 0
    }

    /// These links, but those of `other` for the registers of a mask.
    #[inline(always)]
    pub fn with(self, other: Self, mask: u64) -> Self {
        Self {
            second: (self.second & !mask) | (other.second & mask),
            third: (self.third & !mask) | (other.third & mask),
        }
    }

    /// For each part of a register of three parts the one whose cell holds it: 0, 1 or 2.
    pub fn holders(self, family: usize) -> [usize; 3] {
        let second = if self.second >> family & 1 == 1 { 0 } else { 1 };
        let third = if self.third >> family & 1 == 1 {
            second
        } else {
            2
        };
        [0, second, third]
    }

    fn set(&mut self, family: usize, second: bool, third: bool) {
        let bit = 1 << family;
        self.second = if second {
            self.second | bit
        } else {
            self.second & !bit
        };
        self.third = if third {
            self.third | bit
        } else {
            self.third & !bit
        };
    }

    /// The number of cells in which the base of a general register is: none if the last that wrote it did not add a
    /// constant. `family` is its [`base_family`].
    pub fn base(self, family: usize) -> usize {
        match (self.second >> family & 1, self.third >> family & 1) {
            (1, _) => 0,
            (_, 1) => 1,
            _ => 3,
        }
    }

    /// The same is so from now on.
    pub fn set_base(&mut self, family: usize, cells: usize) {
        self.set(family, cells == 0, cells != 3);
    }

    /// Parts `chosen` are taken apart from the others (and linked to each other if `joined`). Adds the copies of cells
    /// that this needs.
    pub fn part(
        &mut self,
        family: usize,
        chosen: [bool; 3],
        joined: bool,
        copies: &mut Vec<(u8, u8)>,
    ) {
        let before = self.holders(family);
        let [second, third] = [1, 2].map(|part| {
            let linked = before[part] == before[part - 1];
            match (chosen[part - 1], chosen[part]) {
                (true, true) => joined || linked,
                (false, false) => linked,
                _ => false,
            }
        });
        self.set(family, second, third);
        let after = self.holders(family);
        let base = base(family);
        for part in 1..3 {
            let fresh = !(joined && chosen[part]);
            if fresh && after[part] == part && before[part] != part {
                copies.push(((base + before[part]) as u8, (base + part) as u8));
            }
        }
    }
}

/// The cell of the first part of a register of three parts.
pub const fn base(family: usize) -> usize {
    if family < FLAGS_FAMILY {
        family * 3
    } else {
        FLAGS
    }
}

/// Where [`Links`] has what is known of the base of a general register; the stack pointer has none.
pub fn base_family(register: usize) -> Option<usize> {
    let stack_pointer = usize::from(Location::STACK_POINTER);
    match register.cmp(&stack_pointer) {
        Ordering::Less => Some(BASE_FAMILIES + register),
        Ordering::Equal => None,
        Ordering::Greater => Some(BASE_FAMILIES + register - 1),
    }
}

/// The register of three parts, and the part, a location is.
pub fn family(location: Location) -> Option<(usize, usize)> {
    match location.index() {
        index @ 0..MASK => Some((index / 3, index % 3)),
        index @ FLAGS..=LAST_FLAGS => Some((FLAGS_FAMILY, index - FLAGS)),
        _ => None,
    }
}

/// Cell of an x87 register when the stack top is at `top`; other cells as they are.
#[inline(always)]
pub fn x87_cell(cell: u8, top: u8) -> u8 {
    let number = cell.wrapping_sub(X87 as u8);
    if number < 8 {
        X87 as u8 + (number + top) % 8
    } else {
        cell
    }
}
