//! Blocks as flat lists of small operations on register cells, compiled once for each state of the registers in which
//! they are entered.
//!
//! A register has three parts, but mostly they are written together. Neighbouring parts that hold the same are
//! *linked*: they share the cell of the lowest of them. [`Links`] says which are; it is known before a block is
//! compiled and changes in it in a known way.

use std::cmp::Ordering;

use parascan_isa::location::{Flags, GeneralPart, VectorPart};
use parascan_isa::{Class, Control, Location, Slot};

use super::lanes::Level;
use super::native::Code;
use super::tables::Tables;
use crate::model::{StackPointer, taken};
use crate::program::{Block, Placed, RoutineId};

/// Number of register cells, those that are none of a location's included: any `u8` is one.
pub const CELLS: usize = 256;
/// A cell that is never written.
pub const NOTHING: u8 = 254;
/// A cell that is never read.
pub const TRASH: u8 = 255;

/// The general registers come first of those of three parts.
const GENERAL: usize = 16;
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
const BASES: usize = Location::COUNT;
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

    /// The same, but as in `other` for the registers of a mask.
    #[inline(always)]
    pub fn with(self, other: Self, mask: u64) -> Self {
        Self {
            second: (self.second & !mask) | (other.second & mask),
            third: (self.third & !mask) | (other.third & mask),
        }
    }

    /// For each part the one whose cell holds it.
    fn holders(self, family: usize) -> [usize; 3] {
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
    fn base(self, family: usize) -> usize {
        match (self.second >> family & 1, self.third >> family & 1) {
            (1, _) => 0,
            (_, 1) => 1,
            _ => 3,
        }
    }

    /// The same is so from now on.
    fn set_base(&mut self, family: usize, cells: usize) {
        self.set(family, cells == 0, cells != 3);
    }

    /// Parts `chosen` are taken apart from the others (and linked to each other if `joined`). Adds the copies of cells
    /// that this needs.
    fn part(&mut self, family: usize, chosen: [bool; 3], joined: bool, copies: &mut Vec<(u8, u8)>) {
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

/// Position of the first part.
const fn base(family: usize) -> usize {
    if family < FLAGS_FAMILY {
        family * 3
    } else {
        FLAGS
    }
}

/// Where [`Links`] has what is known of the base of a general register; the stack pointer has none.
fn base_family(register: usize) -> Option<usize> {
    let stack_pointer = usize::from(Location::STACK_POINTER);
    match register.cmp(&stack_pointer) {
        Ordering::Less => Some(BASE_FAMILIES + register),
        Ordering::Equal => None,
        Ordering::Greater => Some(BASE_FAMILIES + register - 1),
    }
}

/// The register of three parts, and the part, a location is.
fn family(location: Location) -> Option<(usize, usize)> {
    match location.index() {
        index @ 0..MASK => Some((index / 3, index % 3)),
        index @ FLAGS..=LAST_FLAGS => Some((FLAGS_FAMILY, index - FLAGS)),
        _ => None,
    }
}

/// What an [`Op`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Shape {
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
    /// What it is.
    pub shape: Shape,
    /// Column of the profile.
    pub column: u8,
    /// Where its latency is, see [`latency_index`].
    pub latency: u8,
    /// Bytes of the memory operand.
    pub size: u8,
    /// Position among the block's [`General`]s; of its address, if it has a memory operand.
    pub general: u32,
}

/// All that is known of one instruction.
#[derive(Clone, Debug)]
pub struct General {
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
    pub slots: Box<[Slot]>,
    /// Position of the first one's address.
    pub first_slot: usize,
    /// Position in the block.
    pub position: u32,
    /// Routine that the block belongs to.
    pub routine: RoutineId,
    /// Class.
    pub class: Class,
    /// Where its latency is, if it has no memory source.
    latency: u8,
    /// Whether it is a system call.
    pub system: bool,
    /// Whether it has x87 registers.
    pub x87: bool,
    /// By how much the x87 stack top moves.
    pub x87_move: i8,
}

impl General {
    /// Where the latency of an instance is, see [`latency_index`].
    #[inline(always)]
    pub fn latency(&self, memory_source: bool) -> u8 {
        self.latency | u8::from(memory_source)
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

/// How control left a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// To the next instruction, or a fault.
    Next,
    /// A conditional branch.
    Branch,
    /// A direct jump.
    Jump,
    /// An indirect jump.
    IndirectJump,
    /// A direct call.
    Call,
    /// An indirect call.
    IndirectCall,
    /// A return.
    Return,
    /// A system call.
    System,
}

impl Exit {
    /// Whether predictors want to know where it leads.
    pub fn is_predicted(self) -> bool {
        !matches!(self, Self::Next | Self::Jump | Self::System)
    }
}

/// How a block ended.
#[derive(Clone, Copy, Debug)]
pub struct Last {
    /// Its transfer of control.
    pub exit: Exit,
    /// Address of its last instruction.
    pub address: u64,
    /// Address behind it.
    pub behind: u64,
}

impl Last {
    /// Before anything was executed.
    pub const NONE: Self = Self {
        exit: Exit::Next,
        address: 0,
        behind: 0,
    };

    /// With this instruction.
    pub fn of(last: Option<&Placed>) -> Self {
        let Some(last) = last else {
            return Self::NONE;
        };
        let exit = match last.instruction.control {
            Control::Branch { .. } => Exit::Branch,
            Control::Jump { .. } => Exit::Jump,
            Control::IndirectJump => Exit::IndirectJump,
            Control::Call { .. } => Exit::Call,
            Control::IndirectCall => Exit::IndirectCall,
            Control::Return => Exit::Return,
            Control::System => Exit::System,
            Control::Next => Exit::Next,
        };
        Self {
            exit,
            address: last.address,
            behind: last.address.wrapping_add(u64::from(last.length)),
        }
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
    /// Those with [`Shape::General`].
    pub generals: Box<[General]>,
    /// Memory slots.
    pub slots: usize,
    /// How it ends.
    pub last: Last,
    /// Instances of each index into the table of latencies.
    pub census: Box<[(u8, u32)]>,
    /// Operations, in the first lane.
    pub operations: u64,
    /// By how much the deepest level can rise.
    pub rise: u64,
    /// Its number among all that the machine compiled.
    pub number: u32,
    /// Machine code, once there is some.
    pub code: Option<Code>,
}

/// Where a table of latencies, and one of what counts, has an instruction.
pub fn latency_index(class: Class, creates: bool, memory_source: bool) -> u8 {
    class as u8 * 4 + u8::from(creates) * 2 + u8::from(memory_source)
}

/// Where the tables have what a stack engine does in the place of an instruction, and behind that the same with a
/// memory source: it is no operation, and takes no steps.
pub const FREE: u8 = Class::ALL.len() as u8 * 4;

/// Number of indices [`latency_index`] gives, [`FREE`] included.
pub const LATENCIES: usize = 128;
const _: () = assert!((FREE as usize) + 1 < LATENCIES);

/// How blocks are to be compiled for a machine.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Every instruction is a [`Shape::General`].
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

    /// State after the block.
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
        tables: &Tables<impl Level, N>,
    ) -> Self {
        let mut compiler = Compiler {
            links,
            touched: 0,
            style,
            routine: block.routine,
            columns: &tables.columns,
            ops: Vec::new(),
            generals: Vec::new(),
            slots: 0,
        };
        let instructions = &block.instructions[..executed as usize];
        for (position, placed) in instructions.iter().enumerate() {
            compiler.instruction(placed, position as u32);
        }
        let last = instructions.last();
        let mut census = [0u32; LATENCIES];
        for op in compiler.ops.iter().filter(|op| op.shape != Shape::Copy) {
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
            last: Last::of(last),
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
    generals: Vec<General>,
    slots: usize,
}

/// Which parts of which registers of three parts are among the locations, and the other locations.
fn parts(locations: &[Location]) -> (Vec<(usize, [bool; 3])>, Vec<u8>) {
    let mut families: Vec<(usize, [bool; 3])> = Vec::new();
    let mut others = Vec::new();
    for &location in locations {
        match family(location) {
            Some((family, part)) => match families.iter_mut().find(|known| known.0 == family) {
                Some(known) => known.1[part] = true,
                None => {
                    let mut chosen = [false; 3];
                    chosen[part] = true;
                    families.push((family, chosen));
                }
            },
            None => others.push(location.index() as u8),
        }
    }
    (families, others)
}

impl Compiler<'_> {
    /// Cells that hold the chosen parts, each once.
    fn cells(&self, families: &[(usize, [bool; 3])], others: &[u8]) -> Vec<u8> {
        let mut cells = others.to_vec();
        for &(family, chosen) in families {
            let holders = self.links.holders(family);
            for part in (0..3).filter(|&part| chosen[part]) {
                let cell = (base(family) + holders[part]) as u8;
                if !cells.contains(&cell) {
                    cells.push(cell);
                }
            }
        }
        cells
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

    fn instruction(&mut self, placed: &Placed, position: u32) {
        let instruction = &placed.instruction;
        let moves_stack =
            self.style.stack_pointer == StackPointer::Engine && instruction.moves_stack();
        let variable = instruction
            .only_adds_to()
            .filter(|&register| self.style.breaks && register != Location::STACK_POINTER)
            .map(usize::from);
        let of_variable = |family: usize| Some(family) == variable;
        let (mut families_read, others_read) = parts(&instruction.reads);
        families_read.retain(|&(family, _)| !of_variable(family));
        let (mut families_written, others_written) = parts(&instruction.writes);
        families_written.retain(|&(family, _)| {
            !(moves_stack && family == usize::from(Location::STACK_POINTER))
        });
        let mut copies = Vec::new();
        let bases = self.bases(variable, &families_written, &mut copies);
        for (family, chosen) in families_read.iter().chain(&families_written) {
            self.touched |= 1 << family;
            if self.style.separate {
                for part in 0..3 {
                    let chosen = std::array::from_fn(|other| other == part);
                    self.links.part(*family, chosen, false, &mut copies);
                }
            } else if self.style.readers {
                self.links.part(*family, *chosen, false, &mut copies);
            }
        }
        let mut reads = self.cells(&families_read, &others_read);
        reads.extend(bases);
        let overwrites = self.cells(&families_written, &others_written);
        for &(family, chosen) in &families_written {
            let joined = !self.style.separate;
            self.links.part(family, chosen, joined, &mut copies);
        }
        let writes = self.cells(&families_written, &others_written);
        let is_x87 = |location: &Location| location.x87_number().is_some();
        let x87 = instruction
            .reads
            .iter()
            .chain(&instruction.writes)
            .any(is_x87);
        let system = instruction.control == Control::System;
        let shape = match instruction.slots[..] {
            [] => Some((Shape::Plain, 0)),
            [Slot { read, write, size }] if (1..=64).contains(&size) => match (read, write) {
                (true, false) => Some((Shape::Load, size)),
                (false, true) => Some((Shape::Store, size)),
                (true, true) => Some((Shape::Modify, size)),
                (false, false) => None,
            },
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
            shape: Shape::General,
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
            for (from, to) in copies {
                let mut copy = op;
                copy.shape = Shape::Copy;
                copy.reads[0] = from;
                copy.writes[0] = to;
                self.ops.push(copy);
            }
            op.reads[..reads.len()].copy_from_slice(&reads);
            op.writes[..writes.len()].copy_from_slice(&writes);
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
        self.generals.push(General {
            copies: copies.into(),
            reads: reads.into(),
            overwrites: overwrites.into(),
            writes: writes.into(),
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
