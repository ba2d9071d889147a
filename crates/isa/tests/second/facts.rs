//! What two decoders say of an instruction, in one form.

use std::collections::BTreeSet;

use parascan_isa::location::{Flags, GeneralPart, SingleRegister};
use parascan_isa::{Instruction, Location};
use zydis::ffi::{DecodedOperandKind, MemoryInfo};
use zydis::{
    CpuFlag, FullInstruction, MemoryOperandType, OperandAction, OperandEncoding, Register,
    RegisterClass,
};

/// Reads, writes and memory operands.
pub struct Facts {
    /// General registers and flags by part, others by number.
    reads: BTreeSet<String>,
    writes: BTreeSet<String>,
    /// Whether read, whether written, bytes; `None` where they are known only when it is executed.
    memory: Option<Vec<(bool, bool, u16)>>,
}

impl Facts {
    /// As this crate has them.
    pub fn ours(facts: &Instruction) -> Self {
        let mut memory: Vec<_> = facts
            .slots
            .iter()
            .map(|slot| (slot.read, slot.write, slot.size))
            .collect();
        memory.sort_unstable();
        Self {
            reads: names(&facts.reads),
            writes: names(&facts.writes),
            memory: (!facts.dynamic).then_some(memory),
        }
    }

    /// As the second decoder has them, with the rules of `docs/ilp-model.md` ("The stream") applied.
    pub fn theirs(other: &FullInstruction) -> Self {
        let mut facts = Self {
            reads: BTreeSet::new(),
            writes: BTreeSet::new(),
            memory: Some(Vec::new()),
        };
        let idiom = is_idiom(other);
        let sources = other.visible_operands().len().saturating_sub(2);
        for operand in other.operands() {
            let (mut read, write) = used(operand.action);
            let visible = usize::from(operand.id) < other.visible_operands().len();
            if idiom && visible && usize::from(operand.id) >= sources {
                read = false;
            }
            match &operand.kind {
                // As a mask k0 stands for none.
                DecodedOperandKind::Reg(Register::K0)
                    if operand.encoding == OperandEncoding::MASK => {}
                DecodedOperandKind::Reg(register) => facts.register(*register, read, write),
                DecodedOperandKind::Mem(memory) => {
                    facts.address(memory);
                    facts.access(memory.ty, read, write, operand.size);
                }
                _ => {}
            }
        }
        facts.flags(other);
        if let Some(memory) = &mut facts.memory {
            memory.sort_unstable();
        }
        facts
    }

    fn register(&mut self, register: Register, read: bool, write: bool) {
        for name in of_register(register) {
            if read {
                self.reads.insert(name.clone());
            }
            if write {
                self.writes.insert(name);
            }
        }
    }

    /// Registers that make up an address are read.
    fn address(&mut self, memory: &MemoryInfo) {
        for register in [memory.base, memory.index, memory.segment] {
            self.register(register, true, false);
        }
    }

    fn access(&mut self, kind: MemoryOperandType, read: bool, write: bool, bits: u16) {
        match kind {
            MemoryOperandType::VSIB => self.memory = None,
            MemoryOperandType::MEM | MemoryOperandType::MIB if read || write => {
                if let Some(memory) = &mut self.memory {
                    memory.push((read, write, bits / 8));
                }
            }
            _ => {}
        }
    }

    fn flags(&mut self, other: &FullInstruction) {
        let flags = other.cpu_flags;
        let written = flags.modified | flags.set_0 | flags.set_1 | flags.undefined;
        let status = CpuFlag::SF | CpuFlag::ZF | CpuFlag::AF | CpuFlag::PF;
        for (group, bits) in [
            (Flags::Carry, CpuFlag::CF),
            (Flags::Overflow, CpuFlag::OF),
            (Flags::Status, status),
            (Flags::Direction, CpuFlag::DF),
        ] {
            let name = Location::flags(group).to_string();
            let changed = written & bits;
            if flags.tested.intersects(bits) || (!changed.is_empty() && changed != bits) {
                self.reads.insert(name.clone());
            }
            if !changed.is_empty() {
                self.writes.insert(name);
            }
        }
    }

    /// What is not the same, and in words.
    pub fn differences(&self, other: &Self) -> Vec<(DifferenceKind, String)> {
        let mut found = Vec::new();
        let mut more = |kind, what, one: &BTreeSet<String>, of: &BTreeSet<String>| {
            let only: Vec<_> = one.difference(of).cloned().collect();
            if !only.is_empty() {
                found.push((kind, format!("{what} only {}", only.join(", "))));
            }
        };
        more(
            DifferenceKind::ReadsMore,
            "reads here",
            &self.reads,
            &other.reads,
        );
        more(
            DifferenceKind::ReadsLess,
            "reads there",
            &other.reads,
            &self.reads,
        );
        more(
            DifferenceKind::WritesMore,
            "writes here",
            &self.writes,
            &other.writes,
        );
        more(
            DifferenceKind::WritesLess,
            "writes there",
            &other.writes,
            &self.writes,
        );
        if self.memory != other.memory {
            let text = format!("memory {:?} here, {:?} there", self.memory, other.memory);
            found.push((DifferenceKind::Memory, text));
        }
        found
    }
}

/// In what two decoders differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// Something is read according to this crate only.
    ReadsMore,
    /// Something is read according to the second decoder only.
    ReadsLess,
    /// Something is written according to this crate only.
    WritesMore,
    /// Something is written according to the second decoder only.
    WritesLess,
    /// The memory operands.
    Memory,
}

/// Whether the result is the same whatever two equal registers at the end of the operands hold.
fn is_idiom(other: &FullInstruction) -> bool {
    let name = format!("{:?}", other.mnemonic).to_lowercase();
    let plain = name.strip_prefix('v').unwrap_or(&name);
    let starts = ["psub", "pcmpeq", "pcmpgt", "pxor", "kxor", "kxnor"];
    if !starts.iter().any(|start| plain.starts_with(start))
        && !["xor", "xorps", "xorpd", "sub", "sbb"].contains(&plain)
    {
        return false;
    }
    match other.visible_operands() {
        [.., a, b] => matches!(
            (&a.kind, &b.kind),
            (DecodedOperandKind::Reg(a), DecodedOperandKind::Reg(b)) if a == b
        ),
        _ => false,
    }
}

/// Names of locations: vector registers whole, and without what the second decoder does not tell apart (see
/// [`of_register`]).
fn names(locations: &[Location]) -> BTreeSet<String> {
    let shown = locations.iter().map(Location::to_string);
    shown
        .map(|name| match name.strip_prefix('v') {
            Some(vector) => format!("v{}", vector.split('[').next().unwrap_or_default()),
            None => name,
        })
        .filter(|name| {
            !["st", "x87", "mxcsr", "system"]
                .iter()
                .any(|other| name.starts_with(other))
        })
        .collect()
}

/// Whether an operand is read and written. What is written on a condition keeps its value otherwise, and so is read.
fn used(action: OperandAction) -> (bool, bool) {
    (
        action.intersects(OperandAction::MASK_READ | OperandAction::CONDWRITE),
        action.intersects(OperandAction::MASK_WRITE),
    )
}

/// Names of the locations of a register. Left out are the instruction pointer (no location), MXCSR (which the model
/// follows in explicit loads and stores only), and the x87 stack (numbered otherwise); the comparison with the
/// processor has those.
fn of_register(register: Register) -> Vec<String> {
    use GeneralPart as P;
    let id = register.id();
    let (number, parts): (u8, &[P]) = match register.class() {
        RegisterClass::GPR8 => match id {
            4..8 => (id - 4, &[P::High]),
            8.. => (id - 4, &[P::Low]),
            _ => (id, &[P::Low]),
        },
        RegisterClass::GPR16 => (id, &[P::Low, P::High]),
        RegisterClass::GPR32 | RegisterClass::GPR64 => (id, &[P::Low, P::High, P::Rest]),
        RegisterClass::XMM | RegisterClass::YMM | RegisterClass::ZMM => {
            return vec![format!("v{id}")];
        }
        RegisterClass::MASK => return vec![Location::mask(id).to_string()],
        RegisterClass::MMX => return vec![Location::mmx(id).to_string()],
        RegisterClass::TMM => return vec![Location::tile(id).to_string()],
        RegisterClass::SEGMENT => {
            let single = match register {
                Register::FS => SingleRegister::FsBase,
                Register::GS => SingleRegister::GsBase,
                _ => return Vec::new(),
            };
            return vec![Location::single(single).to_string()];
        }
        _ => return Vec::new(),
    };
    let all = parts.iter();
    all.map(|part| Location::general(number, *part).to_string())
        .collect()
}
