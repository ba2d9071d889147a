//! Collects the locations an instruction reads and writes.

use iced_x86::{OpAccess, Register};

use crate::Location;
use crate::location::{GeneralPart, SingleRegister};

/// Locations read and written, in any order, some more than once.
#[derive(Default)]
pub(crate) struct AccessedLocations {
    reads: Vec<Location>,
    writes: Vec<Location>,
}

impl AccessedLocations {
    /// A location is read.
    pub(crate) fn read(&mut self, location: Location) {
        self.reads.push(location);
    }

    /// A location is written.
    pub(crate) fn write(&mut self, location: Location) {
        self.writes.push(location);
    }

    /// A location is used as `access` says. What is written on a condition keeps its value otherwise, and so is read.
    pub(crate) fn touch(&mut self, location: Location, access: OpAccess) {
        if reads(access) || access == OpAccess::CondWrite {
            self.read(location);
        }
        if writes(access) {
            self.write(location);
        }
    }

    /// A register other than vector and x87 registers, which have modules of their own, is used as `access` says.
    pub(crate) fn register(&mut self, register: Register, access: OpAccess) {
        if let Some((number, parts)) = general(register) {
            for &part in parts {
                self.touch(Location::general(number, part), access);
            }
            return;
        }
        let number = register.number() as u8;
        if register.is_mm() {
            self.touch(Location::mmx(number), access);
        } else if register.is_k() {
            self.touch(Location::mask(number), access);
        } else if register.is_tmm() {
            self.touch(Location::tile(number), access);
        } else if register == Register::FS {
            self.touch(Location::single(SingleRegister::FsBase), access);
        } else if register == Register::GS {
            self.touch(Location::single(SingleRegister::GsBase), access);
        } else if register.is_cr() || register.is_dr() || register.is_tr() || register.is_bnd() {
            self.touch(Location::single(SingleRegister::System), access);
        }
    }

    /// Reads and writes, each sorted, each location once.
    pub(crate) fn finish(self) -> (Vec<Location>, Vec<Location>) {
        let sorted = |mut list: Vec<Location>| {
            list.sort_unstable();
            list.dedup();
            list
        };
        (sorted(self.reads), sorted(self.writes))
    }
}

/// Whether the operand is read.
pub(crate) fn reads(access: OpAccess) -> bool {
    matches!(
        access,
        OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite
    )
}

/// Whether the operand is written, always or on a condition.
pub(crate) fn writes(access: OpAccess) -> bool {
    matches!(
        access,
        OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
    )
}

/// Number and parts of a general register.
fn general(register: Register) -> Option<(u8, &'static [GeneralPart])> {
    let parts: &[GeneralPart] = match register {
        Register::AH | Register::CH | Register::DH | Register::BH => &[GeneralPart::High],
        _ if register.is_gpr8() => &[GeneralPart::Low],
        _ if register.is_gpr16() => &[GeneralPart::Low, GeneralPart::High],
        _ if register.is_gpr() => &[GeneralPart::Low, GeneralPart::High, GeneralPart::Rest],
        _ => return None,
    };
    Some((register.full_register().number() as u8, parts))
}
