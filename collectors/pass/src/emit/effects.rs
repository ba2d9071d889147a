//! What a row of the library table says of a function: how long it takes, and what it does to memory.

use std::borrow::Cow;

use parascan_formats::latency::LatencyTable;

use super::lengths::{Len, is_pointer};
use crate::ir::{TypeKind, Value};

/// Latency of a modelled function.
#[derive(Clone, Copy, Debug)]
pub(super) enum ModelLatency {
    Nothing,
    Lookup,
    IntAdd,
    FpAdd,
    Sqrt,
    Math,
    External,
    Memory,
}

impl ModelLatency {
    fn units(self, table: &LatencyTable) -> u32 {
        match self {
            Self::Nothing => 0,
            Self::Lookup => table.load,
            Self::IntAdd => table.int_add,
            Self::FpAdd => table.fp_add,
            Self::Sqrt => table.fp_sqrt,
            Self::Math => table.math,
            Self::External => table.external,
            Self::Memory => table.load + table.store,
        }
    }
}

// States of functions that the program does not see, by number.
pub(super) const STDIO: u32 = 1;
pub(super) const RANDOM: u32 = 2;
pub(super) const CLOCK: u32 = 3;
pub(super) const FILES: u32 = 4;
pub(super) const TOKENS: u32 = 5;
pub(super) const HANDLERS: u32 = 6;

/// What a function does to memory. Numbers are argument positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Read(u32, Len),
    Write(u32, Len),
    WriteResult(Len),
    Copy(u32, u32, Len),
    /// Hidden state by number.
    Hidden(u32),
    Free(u32),
    /// A range that is unmapped: address and length.
    Unmap(u32, u32),
    /// A block that moves: the position of its new size.
    Realloc(u32),
    /// Calls back into the program, or leaves the function without returning.
    Opens,
    /// The process ends or is replaced without running destructors.
    Finish,
    /// Its results depend on everything that its callbacks did.
    AfterAll,
    /// It accesses memory that these effects do not tell of.
    Unseen,
}

impl Effect {
    /// Whether a call has what this is about: another part of the program may define a function of the same name.
    pub(super) fn fits(self, call: Value) -> bool {
        let pointer = |i| is_pointer(call, i);
        match self {
            Self::Read(at, len) | Self::Write(at, len) => pointer(at) && len.fits(call),
            Self::WriteResult(len) => {
                call.ty().kind() == TypeKind::LLVMPointerTypeKind && len.fits(call)
            }
            Self::Copy(to, from, len) => pointer(to) && pointer(from) && len.fits(call),
            Self::Free(at) => pointer(at),
            Self::Unmap(at, length) => pointer(at) && Len::Arg(length).fits(call),
            Self::Realloc(size) => {
                call.ty().kind() == TypeKind::LLVMPointerTypeKind
                    && pointer(0)
                    && Len::Arg(size).fits(call)
            }
            Self::Hidden(_) | Self::Opens | Self::Finish | Self::AfterAll | Self::Unseen => true,
        }
    }
}

/// A row of the table.
#[derive(Clone, Debug)]
pub(crate) struct FunctionModel {
    pub(super) cost: ModelLatency,
    /// What it does to memory.
    pub(crate) effects: Cow<'static, [Effect]>,
}

impl FunctionModel {
    /// An external function with these effects.
    pub(super) fn external(effects: Vec<Effect>) -> Self {
        Self {
            cost: ModelLatency::External,
            effects: effects.into(),
        }
    }

    /// A function that computes a number of numbers.
    pub(super) fn of_numbers() -> Self {
        Self {
            cost: ModelLatency::Math,
            effects: Cow::Borrowed(&[]),
        }
    }

    /// What a call takes, in units of the table.
    pub(super) fn latency(&self, table: &LatencyTable) -> u32 {
        self.cost.units(table)
    }

    /// Whether instrumented code may run inside, or control may leave.
    pub(super) fn opens_regions(&self) -> bool {
        self.effects
            .iter()
            .any(|e| matches!(e, Effect::Opens | Effect::Finish))
    }
}
