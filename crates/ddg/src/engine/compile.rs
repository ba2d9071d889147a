//! Blocks as flat lists of small operations on register cells, compiled once for each state of the registers in which
//! they are entered: which parts of registers share cells ([`Links`]) is known before a block is compiled, and changes
//! in it in a known way.

use parascan_isa::{Control, InstructionClass, Location, MemoryOperand};

use super::code::BlockCode;
use super::exit::BlockExit;
use super::lanes::Level;
use super::latencies::{FREE, LATENCIES, latency_index};
use super::links::{BASES, GENERAL, Links, NOTHING, TRASH, base, base_family, family};
use super::tables::ModelTables;
use crate::model::{StackPointer, taken};
use crate::program::{Block, PlacedInstruction, RoutineId};

/// Which kind of operation an [`Op`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum OpKind {
    /// An instance without memory operands.
    Plain,
    /// An instance with one memory operand that is read.
    Load,
    /// An instance with one memory operand that is written.
    Store,
    /// An instance with one memory operand that is read and written.
    Modify,
    /// No instance: copies the first cell read to the first one written.
    Copy,
    /// An instance of any other kind.
    General,
}

/// A small operation.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    /// Cells read.
    pub reads: [u8; 4],
    /// Cells written.
    pub writes: [u8; 2],
    /// Which memory operands it has, if it is an instance at all.
    pub shape: OpKind,
    /// Column of the profile.
    pub column: u8,
    /// Where its latency is, see [`latency_index`].
    pub latency: u8,
    /// Bytes of the memory operand.
    pub size: u8,
    /// Position among the block's [`GeneralInstruction`]s; of its address, if it has a memory operand.
    pub general: u32,
}

/// All that the engine must know of an instruction that no simpler form is enough for.
#[derive(Clone, Debug)]
pub struct GeneralInstruction {
    /// Cells copied before anything else.
    pub copies: Box<[(u8, u8)]>,
    /// Cells read.
    pub reads: Box<[u8]>,
    /// Cells whose contents are overwritten.
    pub overwrites: Box<[u8]>,
    /// Cells written.
    pub writes: Box<[u8]>,
    /// Registers read, for values: positions of their first parts.
    pub registers_read: Box<[u8]>,
    /// Registers written, flags and the stack pointer apart.
    pub registers_written: Box<[u8]>,
    /// Physical registers that it takes, of each kind.
    pub taken: [u32; 2],
    /// Memory operands.
    pub slots: Box<[MemoryOperand]>,
    /// Position of the first one's address.
    pub first_slot: usize,
    /// Position in the block.
    pub position: u32,
    /// Routine that the block belongs to.
    pub routine: RoutineId,
    /// Which functional units it takes.
    pub class: InstructionClass,
    /// Where its latency is, if it has no memory source.
    latency: u8,
    /// Whether it is a system call.
    pub system: bool,
    /// Whether it has x87 registers.
    pub x87: bool,
    /// By how much the x87 stack top moves.
    pub x87_move: i8,
}

impl GeneralInstruction {
    /// Where the latency of an instance is, see [`latency_index`].
    #[inline(always)]
    pub fn latency(&self, memory_source: bool) -> u8 {
        self.latency | u8::from(memory_source)
    }
}

/// A block, compiled for one state of the registers.
#[derive(Debug)]
pub struct Compiled {
    /// Links with which it is entered.
    pub links_before: Links,
    /// Links with which it is left.
    pub links_after: Links,
    /// Registers for which these matter.
    pub touched: u64,
    /// Instructions executed.
    pub executed: u32,
    /// See [`Style::separate`].
    pub separate: bool,
    /// Operations, in order.
    pub ops: Box<[Op]>,
    /// Those with [`OpKind::General`].
    pub generals: Box<[GeneralInstruction]>,
    /// Memory slots.
    pub slots: usize,
    /// How it ends.
    pub last: BlockExit,
    /// Instances of each index into the table of latencies.
    pub census: Box<[(u8, u32)]>,
    /// Operations, in the first lane.
    pub operations: u64,
    /// By how much the deepest level can rise.
    pub rise: u64,
    /// Its number among all that the machine compiled.
    pub number: u32,
    /// Machine code, once there is some.
    pub code: Option<BlockCode>,
}

/// How blocks are to be compiled for a machine.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Every instruction is a [`OpKind::General`].
    pub general: bool,
    /// Who reads a location matters: linked parts are taken apart when one of them is read.
    pub readers: bool,
    /// Parts of registers are never linked, so that an instruction finds its cells where they were when it is repeated;
    /// only with `general`.
    pub separate: bool,
    /// Who moves the stack pointer.
    pub stack_pointer: StackPointer,
    /// Additions of constants do not wait for each other: see [`crate::model::Induction`].
    pub breaks: bool,
}

impl Compiled {
    /// Whether the compiled block is right for this state.
    #[inline(always)]
    pub fn fits(&self, links: Links, executed: u32, separate: bool) -> bool {
        self.executed == executed
            && self.links_before.agree(links, self.touched)
            && self.separate == separate
    }

    /// Which parts of registers are linked after the block, if these were before.
    #[inline(always)]
    pub fn after(&self, links: Links) -> Links {
        links.with(self.links_after, self.touched)
    }

    /// Compiles the first `executed` instructions of a block.
    pub fn new<const N: usize>(
        block: &Block,
        executed: u32,
        links: Links,
        style: Style,
        tables: &ModelTables<impl Level, N>,
    ) -> Self {
        let mut compiler = Compiler {
            links,
            touched: 0,
            style,
            routine: block.routine,
            columns: &tables.columns,
            ops: Vec::with_capacity(executed as usize),
            generals: Vec::new(),
            slots: 0,
        };
        let instructions = &block.instructions[..executed as usize];
        let mut scratch = Scratch::default();
        for (position, placed) in instructions.iter().enumerate() {
            compiler.instruction(placed, position as u32, &mut scratch);
        }
        let last = instructions.last();
        let mut census = [0u32; LATENCIES];
        for op in compiler.ops.iter().filter(|op| op.shape != OpKind::Copy) {
            census[usize::from(op.latency)] += 1;
        }
        let counts = |index: usize| tables.counted[index] & 1 == 1;
        let operations = (0..LATENCIES)
            .filter(|&index| counts(index))
            .map(|index| census[index]);
        Self {
            operations: operations.map(u64::from).sum(),
            rise: u64::from(executed) * tables.slowest,
            links_before: links,
            links_after: compiler.links,
            touched: compiler.touched,
            executed,
            separate: style.separate,
            ops: compiler.ops.into(),
            generals: compiler.generals.into(),
            slots: compiler.slots,
            last: BlockExit::of(last),
            census: (0..).zip(census).filter(|&(_, count)| count > 0).collect(),
            number: 0,
            code: None,
        }
    }
}

struct Compiler<'a> {
    columns: &'a [u8; LATENCIES],
    links: Links,
    touched: u64,
    style: Style,
    routine: RoutineId,
    ops: Vec<Op>,
    generals: Vec<GeneralInstruction>,
    slots: usize,
}

/// Which parts of which registers of three parts are among some locations, and the other locations.
#[derive(Default)]
struct Parts {
    families: Vec<(usize, [bool; 3])>,
    others: Vec<u8>,
}

impl Parts {
    /// Takes other locations than before.
    fn set(&mut self, locations: &[Location]) {
        self.families.clear();
        self.others.clear();
        for &location in locations {
            match family(location) {
                Some((family, part)) => {
                    let known = self.families.iter_mut().find(|known| known.0 == family);
                    match known {
                        Some(known) => known.1[part] = true,
                        None => {
                            let mut chosen = [false; 3];
                            chosen[part] = true;
                            self.families.push((family, chosen));
                        }
                    }
                }
                None => self.others.push(location.index() as u8),
            }
        }
    }
}

/// What is worked out for one instruction after the other, in memory that is taken once for a block.
#[derive(Default)]
struct Scratch {
    parts_read: Parts,
    parts_written: Parts,
    copies: Vec<(u8, u8)>,
    reads: Vec<u8>,
    overwrites: Vec<u8>,
    writes: Vec<u8>,
}

impl Compiler<'_> {
    /// Puts cells that hold the chosen parts into `cells`, each once, in place of what was there.
    fn cells(&self, parts: &Parts, cells: &mut Vec<u8>) {
        cells.clear();
        cells.extend_from_slice(&parts.others);
        for &(family, chosen) in &parts.families {
            let holders = self.links.holders(family);
            for part in (0..3).filter(|&part| chosen[part]) {
                let cell = (base(family) + holders[part]) as u8;
                if !cells.contains(&cell) {
                    cells.push(cell);
                }
            }
        }
    }

    /// The cells that an instruction reads instead of its induction variable, if it has one: those of what was there
    /// before constants were added to it. Of other registers that it writes none are kept. Adds the copies of cells
    /// that this needs, which come first.
    fn bases(
        &mut self,
        variable: Option<usize>,
        written: &[(usize, [bool; 3])],
        copies: &mut Vec<(u8, u8)>,
    ) -> Vec<u8> {
        if !self.style.breaks {
            return Vec::new();
        }
        let registers = written.iter().map(|&(family, _)| family);
        for register in registers.filter(|&family| family < GENERAL && Some(family) != variable) {
            if let Some(family) = base_family(register) {
                self.touched |= 1 << family;
                self.links.set_base(family, 0);
            }
        }
        let Some((register, family)) = variable.and_then(|it| Some((it, base_family(it)?))) else {
            return Vec::new();
        };
        self.touched |= 1 << family;
        let first = base(register);
        if self.links.base(family) == 0 {
            let holders = self.links.holders(register);
            let cells = if holders == [0; 3] { 1 } else { 3 };
            let places = holders[..cells].iter().zip(BASES + first..);
            copies.extend(places.map(|(holder, to)| ((first + holder) as u8, to as u8)));
            self.links.set_base(family, cells);
        }
        let cells = (BASES + first..).take(self.links.base(family));
        cells.map(|cell| cell as u8).collect()
    }

    fn instruction(&mut self, placed: &PlacedInstruction, position: u32, scratch: &mut Scratch) {
        let Scratch {
            parts_read,
            parts_written,
            copies,
            reads,
            overwrites,
            writes,
        } = scratch;
        let instruction = &placed.instruction;
        let moves_stack =
            self.style.stack_pointer == StackPointer::Engine && instruction.moves_stack();
        let variable = instruction
            .only_adds_to()
            .filter(|&register| self.style.breaks && register != Location::STACK_POINTER)
            .map(usize::from);
        let of_variable = |family: usize| Some(family) == variable;
        parts_read.set(&instruction.reads);
        parts_read
            .families
            .retain(|&(family, _)| !of_variable(family));
        parts_written.set(&instruction.writes);
        parts_written.families.retain(|&(family, _)| {
            !(moves_stack && family == usize::from(Location::STACK_POINTER))
        });
        copies.clear();
        let bases = self.bases(variable, &parts_written.families, copies);
        let of_both = parts_read.families.iter().chain(&parts_written.families);
        for (family, chosen) in of_both {
            self.touched |= 1 << family;
            if self.style.separate {
                for part in 0..3 {
                    let chosen = std::array::from_fn(|other| other == part);
                    self.links.part(*family, chosen, false, copies);
                }
            } else if self.style.readers {
                self.links.part(*family, *chosen, false, copies);
            }
        }
        self.cells(parts_read, reads);
        reads.extend(bases);
        self.cells(parts_written, overwrites);
        for &(family, chosen) in &parts_written.families {
            let joined = !self.style.separate;
            self.links.part(family, chosen, joined, copies);
        }
        self.cells(parts_written, writes);
        let is_x87 = |location: &Location| location.x87_number().is_some();
        let x87 = instruction
            .reads
            .iter()
            .chain(&instruction.writes)
            .any(is_x87);
        let system = instruction.control == Control::System;
        let shape = match instruction.slots[..] {
            [] => Some((OpKind::Plain, 0)),
            [MemoryOperand { read, write, size }] if (1..=64).contains(&size) => {
                match (read, write) {
                    (true, false) => Some((OpKind::Load, size)),
                    (false, true) => Some((OpKind::Store, size)),
                    (true, true) => Some((OpKind::Modify, size)),
                    (false, false) => None,
                }
            }
            _ => None,
        };
        let memory_source = instruction
            .slots
            .iter()
            .any(|slot| slot.read && slot.size > 0);
        let only_moves_stack = instruction.only_adds_to() == Some(Location::STACK_POINTER);
        let free = moves_stack && only_moves_stack;
        let latency = if free {
            FREE
        } else {
            latency_index(instruction.class, instruction.creates_value(), false)
        };
        let mut op = Op {
            reads: [NOTHING; 4],
            writes: [TRASH; 2],
            shape: OpKind::General,
            column: 0,
            latency: latency | u8::from(memory_source),
            size: 0,
            general: 0,
        };
        op.column = self.columns[usize::from(op.latency)];
        let first_slot = self.slots;
        self.slots += instruction.slots.len();
        let simple = !(self.style.general || x87 || system || instruction.x87_move != 0);
        if let Some((shape, size)) = shape
            && simple
            && reads.len() <= op.reads.len()
            && writes.len() <= op.writes.len()
        {
            for &mut (from, to) in copies {
                let mut copy = op;
                copy.shape = OpKind::Copy;
                copy.reads[0] = from;
                copy.writes[0] = to;
                self.ops.push(copy);
            }
            op.reads[..reads.len()].copy_from_slice(reads);
            op.writes[..writes.len()].copy_from_slice(writes);
            op.shape = shape;
            op.size = size as u8;
            op.general = first_slot as u32;
            self.ops.push(op);
            return;
        }
        let registers = |locations: &[Location], all: bool| {
            let mut registers: Vec<u8> = locations
                .iter()
                .filter(|location| all || !(location.is_flags() || location.is_stack_pointer()))
                .map(|location| location.register() as u8)
                .collect();
            registers.dedup();
            registers.into_boxed_slice()
        };
        op.general = self.generals.len() as u32;
        self.ops.push(op);
        self.generals.push(GeneralInstruction {
            copies: copies[..].into(),
            reads: reads[..].into(),
            overwrites: overwrites[..].into(),
            writes: writes[..].into(),
            registers_read: registers(&instruction.reads, true),
            registers_written: registers(&instruction.writes, false),
            taken: taken(instruction, self.style.stack_pointer),
            slots: instruction.slots.clone().into(),
            first_slot,
            position,
            routine: self.routine,
            class: instruction.class,
            latency,
            system,
            x87,
            x87_move: instruction.x87_move,
        });
    }
}
