//! What a basic block records: which words, in what order, and how the addresses of its memory operands follow from
//! them.
//!
//! An operand with nothing but a base register takes a word only if no word of the block holds a value from which the
//! register's differs by a known number.

mod changes;
mod operands;

use alloc::boxed::Box;
use alloc::vec::Vec;

use parascan_abi::trace::{
    ACCESS_READ, ACCESS_WRITE, MAX_BLOCK_WORDS, SLOT_LANES, SLOT_MASKED, SLOT_MEMORY, SLOT_REPEAT,
    SLOT_TIME,
};

use crate::dr::{self, DrContext, InstrPtr, List, Operand, Register};
use crate::opcodes::{SpecialOpcode, special};
use crate::registers::{self, RegisterSet};

use changes::{change, pop_size, stack_change};
pub use operands::vector;
use operands::{dynamic, operand_size};

/// What goes into a word before an instruction is executed.
#[derive(Debug)]
pub enum WordSource {
    /// A 64-bit register.
    Register(Register),
    /// Base and index of an operand, without the displacement.
    Sum(Operand),
    /// An operand's address in 32 bits.
    Short(Operand),
    /// The base of a segment, and of an operand in it base and index.
    Segment(Register, Option<Operand>),
    /// Time.
    Time,
    /// What a call finds out. It writes `count` words.
    Dynamic(&'static DynamicOperand),
}

/// An operand of which only execution tells what is accessed.
#[derive(Debug)]
pub struct DynamicOperand {
    /// First word.
    pub word: u16,
    /// Elements.
    pub count: u8,
    /// Bytes of one.
    pub element: u8,
    /// Base register of the address (base, index times scale, displacement), or none.
    pub base: Register,
    /// Index register, none, or a vector register.
    pub index: Register,
    /// What the index is multiplied by.
    pub scale: u64,
    /// What is added.
    pub displacement: u64,
    /// Of a vector of indices, whether they have 64 bits.
    pub wide: bool,
    /// Register with the number of a bit, counted from the address on, in units of the element; or none.
    pub bit: Register,
    /// What says which elements of a vector an instruction accesses.
    pub selector: Selector,
}

/// What selects elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selector {
    /// All are accessed.
    All,
    /// Bits of a mask register. Selected elements lie side by side if `packed`.
    Mask { register: u8, packed: bool },
    /// Signs of the elements of a vector register.
    Signs(u8),
}

/// A word to store before an instruction.
#[derive(Debug)]
pub struct Store {
    /// Number of the word within the block.
    pub word: u16,
    /// What goes into it.
    pub source: WordSource,
}

/// A repeated string instruction: words `word + 1` and `word + 2` are stored after it.
#[derive(Clone, Copy, Debug)]
pub struct Repeat {
    /// Address of the instruction.
    pub pc: u64,
    /// Its first word.
    pub word: u16,
    /// Its last operand's address is in RDI, else in RSI.
    pub by_rdi: bool,
}

/// How a slot's address is found.
#[derive(Clone, Copy, Debug)]
pub enum AddressSource {
    /// A word of the block, and what is added to it.
    Word(u16, i64),
    /// Always the same.
    Constant(u64),
}

/// A memory operand as the trace defines it with its block (`parascan_abi::trace`): where its address comes from.
#[derive(Clone, Copy, Debug)]
pub struct DefinedSlot {
    /// A `SLOT_*` of `parascan_abi::trace`.
    pub kind: u8,
    /// `ACCESS_READ`, `ACCESS_WRITE`, both, or 0 of what is no memory.
    pub access: u8,
    /// Bytes of the operand; of several, of each.
    pub size: u16,
    /// How many there are.
    pub count: u8,
    /// Where its address comes from.
    pub place: AddressSource,
}

/// What is done before and after one instruction of a block.
#[derive(Debug)]
pub struct InstructionPlan {
    /// Address of the instruction.
    pub pc: u64,
    /// Its bytes.
    pub length: u8,
    /// Its memory operands.
    pub slots: Vec<DefinedSlot>,
    /// Words to store before it is executed.
    pub stores: Vec<Store>,
    /// What is stored after a repeated string instruction.
    pub repeat: Option<Repeat>,
}

/// Which words a basic block records, and how far its code is made.
#[derive(Debug)]
pub struct BlockPlan {
    /// Its instructions, in order.
    pub steps: Vec<InstructionPlan>,
    /// Words, the head included.
    pub words: u16,
    /// Register that holds the place in the chunk while the block runs.
    pub pointer: Register,
    /// Number of the block, once it is defined.
    pub block: u32,
    /// Steps that have been emitted.
    pub emitted: usize,
}

/// Most blocks have fewer instructions.
const STEPS: usize = 16;
/// Elements of the largest vector of addresses.
const LANES: u8 = 16;
/// Words that one instruction takes at most.
const MAX_STEP_WORDS: usize = 2 * LANES as usize + 4;

/// Registers that may hold the place in the chunk: those that no repeated string instruction, no reading of the time
/// and no push or pop needs.
const POINTERS: [Register; 10] = [
    dr::RBX,
    dr::RBP,
    dr::R8,
    dr::R8 + 1,
    dr::R8 + 2,
    dr::R8 + 3,
    dr::R8 + 4,
    dr::R8 + 5,
    dr::R8 + 6,
    dr::R8 + 7,
];

/// Cuts a block off before the first instruction that does not follow the one before it, has no room, or would leave no
/// register for the place in the chunk.
///
/// The program must not use that register in the block. Where it reads it, drreg lends it the program's value and takes
/// it back, and after that finds the program's value no more when the block is left by a fault (DynamoRIO's issue 4939,
/// for fragments with stored translations): a program that writes to a page of which code is executed, as every
/// just-in-time compiler does, went on with the place in the chunk in that register, and the JVM crashed.
///
/// # Safety
/// In DynamoRIO's first phase, with its arguments.
pub unsafe fn truncate(context: DrContext, list: List) {
    let mut words = 1;
    // SAFETY: the list is walked as DynamoRIO documents; what is removed is destroyed.
    unsafe {
        let mut instr = dr::instrlist_first_app(list);
        let mut expected: dr::Pc = core::ptr::null_mut();
        let mut used = RegisterSet::default();
        while !instr.is_null() {
            let next = dr::instr_get_next_app(instr);
            let pc = dr::instr_get_app_pc(instr);
            words += most_words(instr);
            used = used.and(registers::used(instr));
            let full = POINTERS.iter().all(|register| used.has(*register));
            let first = expected.is_null();
            if !first && (pc != expected || words > MAX_BLOCK_WORDS || full) {
                while !instr.is_null() {
                    let next = dr::instr_get_next(instr);
                    dr::instrlist_remove(list, instr);
                    dr::instr_destroy(context, instr);
                    instr = next;
                }
                return;
            }
            expected = pc.add(dr::instr_length(context, instr) as usize);
            instr = next;
        }
    }
}

/// Words that an instruction takes at most.
unsafe fn most_words(instr: InstrPtr) -> usize {
    // SAFETY: the caller has an instruction.
    unsafe {
        let (sources, targets) = (
            dr::instr_num_srcs(instr) as u32,
            dr::instr_num_dsts(instr) as u32,
        );
        let vector = (0..sources).any(|i| dr::opnd_is_vsib(dr::instr_get_src(instr, i)))
            || (0..targets).any(|i| dr::opnd_is_vsib(dr::instr_get_dst(instr, i)));
        if vector {
            MAX_STEP_WORDS
        } else {
            (sources + targets) as usize + 4
        }
    }
}

impl BlockPlan {
    /// The plan of a block; None if it has no instructions.
    ///
    /// # Safety
    /// In DynamoRIO's analysis phase, with its arguments.
    pub unsafe fn new(context: DrContext, list: List) -> Option<Box<Self>> {
        let mut builder = BlockPlanBuilder {
            words: 1,
            known: [None; 17],
            segments: [None; 2],
        };
        let mut steps = Vec::with_capacity(STEPS);
        let mut used = RegisterSet::default();
        // SAFETY: the list is walked as DynamoRIO documents.
        unsafe {
            let mut instr = dr::instrlist_first_app(list);
            while !instr.is_null() {
                let step = builder.step(context, instr);
                used = used.and(registers::used(instr));
                steps.push(step);
                instr = dr::instr_get_next_app(instr);
            }
        }
        if steps.is_empty() {
            return None;
        }
        // There is one, see `truncate`; no instruction uses all ten.
        let mut free = POINTERS
            .iter()
            .rev()
            .filter(|register| !used.has(**register));
        let &pointer = free.next()?;
        Some(Box::new(Self {
            steps,
            words: builder.words,
            pointer,
            block: 0,
            emitted: 0,
        }))
    }
}

/// What is known while a block is looked through.
struct BlockPlanBuilder {
    words: u16,
    /// For each register, a word and the constant by which the register's value is known to differ from it.
    known: [Option<(u16, i64)>; 17],
    /// Words with the bases of FS and GS.
    segments: [Option<u16>; 2],
}

impl BlockPlanBuilder {
    fn take(&mut self, count: u16) -> u16 {
        let word = self.words;
        self.words += count;
        word
    }

    unsafe fn step(&mut self, context: DrContext, instr: InstrPtr) -> InstructionPlan {
        // SAFETY: the caller has an instruction of the program.
        unsafe {
            let special = special(instr);
            let mut step = InstructionPlan {
                pc: dr::instr_get_app_pc(instr) as u64,
                length: dr::instr_length(context, instr) as u8,
                slots: Vec::new(),
                stores: Vec::new(),
                repeat: None,
            };
            let idle = matches!(special, SpecialOpcode::NoAccess | SpecialOpcode::Address)
                || dr::instr_is_nop(instr);
            if !idle {
                self.memory(instr, special, &mut step);
            }
            self.forget(instr, special);
            step
        }
    }

    unsafe fn memory(
        &mut self,
        instr: InstrPtr,
        special: SpecialOpcode,
        step: &mut InstructionPlan,
    ) {
        // SAFETY: the caller has an instruction of the program.
        unsafe {
            let is_memory = |operand: &Operand| dr::opnd_is_memory_reference(*operand);
            let read = || {
                let sources = 0..dr::instr_num_srcs(instr) as u32;
                sources
                    .map(|i| dr::instr_get_src(instr, i))
                    .filter(is_memory)
            };
            let written = || {
                let targets = 0..dr::instr_num_dsts(instr) as u32;
                targets
                    .map(|i| dr::instr_get_dst(instr, i))
                    .filter(is_memory)
            };
            if read().next().is_none() && written().next().is_none() {
                return;
            }
            let locked = dr::instr_get_prefix_flag(instr, dr::PREFIX_LOCK);
            if locked || special == SpecialOpcode::Exchange {
                let word = self.take(1);
                step.stores.push(Store {
                    word,
                    source: WordSource::Time,
                });
                step.slots.push(DefinedSlot {
                    kind: SLOT_TIME,
                    access: 0,
                    size: 8,
                    count: 1,
                    place: AddressSource::Word(word, 0),
                });
            }
            let both = |operand: Operand| {
                let too = written().any(|other| dr::opnd_same(operand, other));
                ACCESS_READ | if too { ACCESS_WRITE } else { 0 }
            };
            let only_written =
                |operand: &Operand| !read().any(|other| dr::opnd_same(*operand, other));
            let all = read().map(|operand| (operand, both(operand))).chain(
                written()
                    .filter(only_written)
                    .map(|operand| (operand, ACCESS_WRITE)),
            );
            let mut last_base = 0;
            for (operand, access) in all {
                let size = operand_size(operand, special);
                if let Some(mut dynamic) = dynamic(instr, special, operand, size) {
                    let lanes = vector(dynamic.index).is_some();
                    let (count, element) = (dynamic.count, dynamic.element);
                    let word = self.take(if lanes { count.into() } else { 2 });
                    dynamic.word = word;
                    step.stores.push(Store {
                        word,
                        source: WordSource::Dynamic(Box::leak(Box::new(dynamic))),
                    });
                    step.slots.push(DefinedSlot {
                        kind: if lanes { SLOT_LANES } else { SLOT_MASKED },
                        access,
                        size: element.into(),
                        count,
                        place: AddressSource::Word(word, 0),
                    });
                    continue;
                }
                let more = pop_size(instr, special, operand);
                let place = self.address(operand, &mut step.stores, more);
                if dr::opnd_is_base_disp(operand) {
                    last_base = dr::opnd_get_base(operand);
                }
                step.slots.push(DefinedSlot {
                    kind: SLOT_MEMORY,
                    access,
                    size,
                    count: 1,
                    place,
                });
            }
            if special == SpecialOpcode::Repeat {
                let word = self.take(3);
                step.stores.push(Store {
                    word,
                    source: WordSource::Register(dr::RCX),
                });
                step.slots.push(DefinedSlot {
                    kind: SLOT_REPEAT,
                    access: 0,
                    size: 8,
                    count: 1,
                    place: AddressSource::Word(word, 0),
                });
                step.repeat = Some(Repeat {
                    pc: step.pc,
                    word,
                    by_rdi: last_base == dr::RDI,
                });
            }
        }
    }

    /// Where an operand's address will be, and what has to be stored for it.
    unsafe fn address(
        &mut self,
        operand: Operand,
        stores: &mut Vec<Store>,
        more: i64,
    ) -> AddressSource {
        // SAFETY: the caller has a memory operand.
        unsafe {
            if !dr::opnd_is_base_disp(operand) {
                return AddressSource::Constant(dr::opnd_get_addr(operand) as u64);
            }
            let (base, index) = (dr::opnd_get_base(operand), dr::opnd_get_index(operand));
            let displacement = i64::from(dr::opnd_get_disp(operand)) + more;
            let segment = dr::opnd_get_segment(operand);
            let wide =
                |register: Register| register == 0 || (dr::RAX..=dr::R15).contains(&register);
            let mut store = |this: &mut Self, source| {
                let word = this.take(1);
                stores.push(Store { word, source });
                word
            };
            if dr::opnd_is_far_base_disp(operand) && (segment == dr::FS || segment == dr::GS) {
                if base == 0 && index == 0 {
                    let place = usize::from(segment - dr::FS);
                    let word = match self.segments[place] {
                        Some(word) => word,
                        None => store(self, WordSource::Segment(segment, None)),
                    };
                    self.segments[place] = Some(word);
                    return AddressSource::Word(word, displacement);
                }
                let word = store(self, WordSource::Segment(segment, Some(operand)));
                return AddressSource::Word(word, displacement);
            }
            if !wide(base) || !wide(index) {
                return AddressSource::Word(store(self, WordSource::Short(operand)), more);
            }
            match (base, index) {
                (0, 0) => AddressSource::Constant(displacement as u64),
                (base, 0) => {
                    let (word, difference) = match self.known[usize::from(base)] {
                        Some(known) => known,
                        None => (store(self, WordSource::Register(base)), 0),
                    };
                    self.known[usize::from(base)] = Some((word, difference));
                    AddressSource::Word(word, difference + displacement)
                }
                _ => AddressSource::Word(store(self, WordSource::Sum(operand)), displacement),
            }
        }
    }

    /// Follows what the instruction does to registers whose values are known.
    unsafe fn forget(&mut self, instr: InstrPtr, special: SpecialOpcode) {
        // SAFETY: the caller has an instruction of the program.
        unsafe {
            let change = match special {
                SpecialOpcode::Push | SpecialOpcode::Pop => {
                    stack_change(instr, special).map(|by| (dr::RSP, dr::RSP, by))
                }
                SpecialOpcode::None => None,
                _ => change(instr, special),
            };
            let changed = change.and_then(|(to, from, by)| {
                let (word, difference) = self.known[usize::from(from)]?;
                Some((to, (word, difference.checked_add(by)?)))
            });
            let written = registers::written(instr);
            for register in (dr::RAX..=dr::R15).filter(|register| written.has(*register)) {
                self.known[usize::from(register)] = None;
            }
            if let Some((register, known)) = changed {
                self.known[usize::from(register)] = Some(known);
            }
        }
    }
}
