//! What a recorder knows of one thread.

use std::collections::VecDeque;

use parascan_isa::{Location, MemoryOperand};

use super::calls::{Calls, Ending};
use super::instance::DependenceVia;
use super::memory::{NOBODY, real};
use crate::announced::AnnouncedOperands;
use crate::event::MemorySpan;
use crate::model::MachineModel;
use crate::predict::Predictor;
use crate::registers::{RegisterFile, files};

/// Writer and deepest reader of a register part.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterCell {
    pub writer: u32,
    pub reader: u32,
}

impl RegisterCell {
    pub const EMPTY: Self = Self {
        writer: NOBODY,
        reader: NOBODY,
    };
}

/// An instance before which nothing more may start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Firewall {
    pub instance: u32,
    pub via: DependenceVia,
}

/// What the next instances of a thread may depend on, and what was announced of its next block.
#[derive(Debug)]
pub(super) struct StretchThread {
    pub registers: Box<[RegisterCell; Location::COUNT]>,
    /// Of a general register to which constants were added: who wrote its parts before.
    pub bases: [Option<[u32; 3]>; 16],
    /// Physical number of the x87 stack's top.
    pub x87_top: u8,
    pub firewall: Option<Firewall>,
    /// The instances that fill the window, oldest first.
    pub window: VecDeque<u32>,
    /// The files of physical registers: the deepest instance when those who took them retire.
    pub physical: Vec<RegisterFile<u32>>,
    /// The instance of the largest level so far.
    pub deepest: Option<u32>,
    pub stack: Option<MemorySpan>,
    pub calls: Calls,
    pub predictor: Predictor,
    pub ending: Option<Ending>,
    pub signal: bool,
    pub ended: bool,
    /// What was given for the next block.
    pub given: PendingOperands,
}

/// Operands that precede their block.
#[derive(Debug, Default)]
pub(super) struct PendingOperands {
    pub instructions: Vec<AnnouncedOperands>,
    pub kernel: Option<(Vec<MemorySpan>, Vec<MemorySpan>)>,
}

/// Memory operands of one instance.
#[derive(Debug, Default)]
pub(super) struct Operands {
    pub reads: Vec<MemorySpan>,
    pub writes: Vec<MemorySpan>,
}

impl Operands {
    pub fn clear(&mut self) {
        self.reads.clear();
        self.writes.clear();
    }

    pub fn slot(&mut self, slot: MemoryOperand, address: u64) {
        let span = real(MemorySpan {
            address,
            size: u64::from(slot.size),
        });
        if span.size == 0 {
            return;
        }
        if slot.read {
            self.reads.push(span);
        }
        if slot.write {
            self.writes.push(span);
        }
    }
}

impl StretchThread {
    pub fn new(model: &MachineModel) -> Self {
        Self {
            registers: Box::new([RegisterCell::EMPTY; Location::COUNT]),
            bases: [None; 16],
            x87_top: 0,
            firewall: None,
            window: VecDeque::new(),
            physical: files(model.physical_registers).collect(),
            deepest: None,
            stack: None,
            calls: Calls::default(),
            predictor: Predictor::new(model),
            ending: None,
            signal: false,
            ended: false,
            given: PendingOperands::default(),
        }
    }

    /// Who wrote the parts of a general register before constants were added to it, of which one more is.
    pub fn base(&mut self, register: u8) -> [u32; 3] {
        let registers = &self.registers;
        let writer = |part: usize| registers[usize::from(register) * 3 + part].writer;
        *self.bases[usize::from(register)].get_or_insert_with(|| std::array::from_fn(writer))
    }

    /// The physical location of a register part.
    pub fn place(&self, location: Location) -> Location {
        match location.x87_number() {
            Some(number) => Location::x87((self.x87_top + number) & 7),
            None => location,
        }
    }

    /// Cuts a span into what lies on the thread's stack (`true`) and what does not.
    pub fn by_stack(&self, span: MemorySpan) -> impl Iterator<Item = (MemorySpan, bool)> + use<> {
        let stack = real(self.stack.unwrap_or(MemorySpan {
            address: 0,
            size: 0,
        }));
        let (mut address, mut left) = (span.address, span.size);
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let within = address.wrapping_sub(stack.address);
            let on_stack = within < stack.size;
            // Up to where the stack ends, or begins.
            let reach = if on_stack {
                stack.size - within
            } else {
                stack.address.wrapping_sub(address)
            };
            let size = if stack.size == 0 {
                left
            } else {
                left.min(reach)
            };
            let piece = MemorySpan { address, size };
            address = address.wrapping_add(size);
            left -= size;
            Some((piece, on_stack))
        })
    }
}
