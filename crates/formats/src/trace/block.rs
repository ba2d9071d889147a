//! What a basic block is, and what memory its instructions accessed.

use parascan_abi::trace::{
    ACCESS_READ, ACCESS_WRITE, MAX_BLOCK_WORDS, SLOT_LANES, SLOT_MASKED, SLOT_MEMORY, SLOT_REPEAT,
    SLOT_TIME, narrow,
};

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceBlock {
    /// Its number.
    pub id: u32,
    /// Address of its first instruction.
    pub pc: u64,
    /// Words that it takes, its head included.
    pub words: usize,
    /// Its instructions, one behind the other; at least one.
    pub instructions: Vec<Instruction>,
}

/// An instruction of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Its address.
    pub pc: u64,
    /// Its machine code, 1 to 15 bytes.
    pub bytes: Vec<u8>,
    /// What the block's words say of it.
    pub slots: Vec<Slot>,
}

/// What some words of a block mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// How to read it.
    pub kind: SlotKind,
    /// Whether memory is read.
    pub read: bool,
    /// Whether memory is written.
    pub write: bool,
    /// Bytes of one access.
    pub size: u16,
    /// Accesses at most.
    pub count: u8,
    /// Its first word, counted from the block's head.
    pub word: u16,
    /// What is added to it.
    pub displacement: u64,
}

/// How to read a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// A memory operand: one address.
    Memory,
    /// A gather or scatter: an address for each element, 0 where it is masked out.
    Lanes,
    /// A masked memory operand: its address, then a bit for each element.
    Masked,
    /// The count register before and after a repeated string instruction, and an address register after it.
    Repeat,
    /// The time before an atomic instruction.
    Time,
}

/// How a memory operand is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryAccess {
    /// Whether it was read.
    pub read: bool,
    /// Whether it was written.
    pub write: bool,
    /// Address of the first byte.
    pub address: u64,
    /// Length in bytes.
    pub size: u16,
}

/// What a repeated string instruction did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// Iterations that it executed.
    pub iterations: u64,
    /// By how much its addresses changed each time.
    pub step: i64,
}

/// Bytes of one slot's definition.
const SLOT_BYTES: usize = 15;

impl TraceBlock {
    /// Reads a block from the bytes of its definition; none if they are no definition.
    pub fn decode(id: u32, bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let pc = u64::from_le_bytes(take(&mut rest)?);
        let count = u16::from_le_bytes(take(&mut rest)?);
        let words = usize::from(u16::from_le_bytes(take(&mut rest)?)) + 1;
        if count == 0 || words > MAX_BLOCK_WORDS {
            return None;
        }
        let mut instructions = Vec::with_capacity(count.into());
        let mut at = pc;
        for _ in 0..count {
            let [length] = take(&mut rest)?;
            if !(1..=15).contains(&length) || rest.len() < length.into() {
                return None;
            }
            let (code, more) = rest.split_at(length.into());
            rest = more;
            let [slots] = take(&mut rest)?;
            let slots = (0..slots).map(|_| Slot::decode(take(&mut rest)?, words));
            instructions.push(Instruction {
                pc: at,
                bytes: code.to_vec(),
                slots: slots.collect::<Option<_>>()?,
            });
            at = at.wrapping_add(length.into());
        }
        Some(Self {
            id,
            pc,
            words,
            instructions,
        })
    }

    /// Number of the instruction at `pc`.
    pub fn position(&self, pc: u64) -> Option<usize> {
        self.instructions
            .iter()
            .position(|instruction| instruction.pc == pc)
    }

    /// Address behind its last instruction.
    pub fn end(&self) -> u64 {
        self.instructions.last().map_or(self.pc, |last| {
            last.pc.wrapping_add(last.bytes.len() as u64)
        })
    }
}

impl Instruction {
    /// Memory that it accessed, by the words of its block; of a repeated string instruction that of its first
    /// iteration.
    pub fn accesses<'a>(&'a self, words: &'a [u64]) -> impl Iterator<Item = MemoryAccess> + 'a {
        self.slots.iter().flat_map(|slot| slot.accesses(words))
    }

    /// What it did if it is a repeated string instruction.
    pub fn repeat(&self, words: &[u64]) -> Option<Repeat> {
        let slot = self
            .slots
            .iter()
            .find(|slot| slot.kind == SlotKind::Repeat)?;
        let memory = self
            .slots
            .iter()
            .rfind(|slot| slot.kind == SlotKind::Memory)?;
        let at = usize::from(slot.word);
        let [before, after, end] = *words.get(at..at + 3)? else {
            return None;
        };
        if after == 0 && end == 0 && before != 0 {
            // Left before it ended, and nothing is known.
            return Some(Repeat {
                iterations: 0,
                step: 0,
            });
        }
        let size = i64::from(memory.size);
        let back = end.wrapping_sub(memory.address(words)).cast_signed() < 0;
        Some(Repeat {
            iterations: before.wrapping_sub(after),
            step: if back { -size } else { size },
        })
    }
}

impl Slot {
    fn decode(bytes: [u8; SLOT_BYTES], words: usize) -> Option<Self> {
        let [kind, access, s0, s1, count, w0, w1, displacement @ ..] = bytes;
        let slot = Self {
            kind: match kind {
                SLOT_MEMORY => SlotKind::Memory,
                SLOT_LANES => SlotKind::Lanes,
                SLOT_MASKED => SlotKind::Masked,
                SLOT_REPEAT => SlotKind::Repeat,
                SLOT_TIME => SlotKind::Time,
                _ => return None,
            },
            read: access & ACCESS_READ != 0,
            write: access & ACCESS_WRITE != 0,
            size: u16::from_le_bytes([s0, s1]),
            count,
            word: u16::from_le_bytes([w0, w1]),
            displacement: u64::from_le_bytes(displacement),
        };
        (usize::from(slot.word) + slot.length() <= words).then_some(slot)
    }

    /// Words that it has.
    fn length(&self) -> usize {
        match self.kind {
            SlotKind::Memory | SlotKind::Time => 1,
            SlotKind::Lanes => self.count.into(),
            SlotKind::Masked => 2,
            SlotKind::Repeat => 3,
        }
    }

    /// Its address, by the words of its block. Meant for [`SlotKind::Memory`]: others may have several, or none.
    pub fn address(&self, words: &[u64]) -> u64 {
        words
            .get(usize::from(self.word))
            .map_or(0, |word| word.wrapping_add(self.displacement))
    }

    /// The time, if that is what it is.
    pub fn time(&self, words: &[u64]) -> Option<u64> {
        (self.kind == SlotKind::Time).then(|| narrow(self.address(words)))
    }

    /// Memory accessed, by the words of its block.
    pub fn accesses<'a>(&self, words: &'a [u64]) -> impl Iterator<Item = MemoryAccess> + 'a {
        let slot = *self;
        let count = match self.kind {
            SlotKind::Memory => 1,
            SlotKind::Lanes | SlotKind::Masked => self.count,
            SlotKind::Repeat | SlotKind::Time => 0,
        };
        let at = usize::from(self.word);
        (0..count).filter_map(move |place| {
            let address = match slot.kind {
                SlotKind::Lanes => *words.get(at + usize::from(place))?,
                SlotKind::Masked => {
                    let selected = words.get(at + 1)? >> place & 1 != 0;
                    let offset = u64::from(place) * u64::from(slot.size);
                    if selected {
                        slot.address(words).wrapping_add(offset)
                    } else {
                        0
                    }
                }
                _ => return Some(slot.access(slot.address(words))),
            };
            (address != 0).then(|| slot.access(address))
        })
    }

    fn access(&self, address: u64) -> MemoryAccess {
        MemoryAccess {
            read: self.read,
            write: self.write,
            address,
            size: self.size,
        }
    }
}

/// The next bytes.
fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (bytes, more) = rest.split_first_chunk()?;
    *rest = more;
    Some(*bytes)
}
