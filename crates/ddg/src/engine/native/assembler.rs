//! Writes machine code, with labels; what the instructions are made of is `iced_x86`'s.

use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};

/// A place in the code, maybe one that is yet to come.
#[derive(Clone, Copy, Debug)]
pub struct Label(usize);

/// An operand that may be in a register or in memory.
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    Register(Register),
    Memory(MemoryOperand),
}

/// Code in the making.
pub struct Assembler {
    encoder: Encoder,
    /// Bytes so far.
    length: usize,
    /// Where labels are.
    places: Vec<Option<usize>>,
    /// Ends of instructions whose last four bytes are the way from there to a label.
    ways: Vec<(usize, Label)>,
    /// Bytes that code reads, with the label by which it does.
    constants: Vec<(Vec<u8>, Label)>,
    /// The first instruction that cannot be.
    error: Option<IcedError>,
}

/// Where an instruction is encoded before its place is known.
const SOMEWHERE: u64 = 1 << 32;

/// Memory at a register and so many bytes behind that.
pub fn at(base: Register, behind: i64) -> MemoryOperand {
    MemoryOperand::with_base_displ(base, behind)
}

/// Memory at the sum of a register, so many times another, and so many bytes behind that.
pub fn indexed(base: Register, index: Register, scale: u32, behind: i64) -> MemoryOperand {
    let size = u32::from(behind != 0);
    MemoryOperand::with_base_index_scale_displ_size(base, index, scale, behind, size)
}

impl Assembler {
    /// No code.
    pub fn new() -> Self {
        Self {
            encoder: Encoder::new(64),
            length: 0,
            places: Vec::with_capacity(32),
            ways: Vec::with_capacity(32),
            constants: Vec::new(),
            error: None,
        }
    }

    /// A label whose place is yet to be [set](Self::place).
    pub fn label(&mut self) -> Label {
        self.places.push(None);
        Label(self.places.len() - 1)
    }

    /// The label is here.
    pub fn place(&mut self, label: Label) {
        self.places[label.0] = Some(self.length);
    }

    /// Adds an instruction; one that cannot be makes [`Assembler::finish`] fail.
    pub fn add(&mut self, instruction: Result<Instruction, IcedError>) {
        let here = SOMEWHERE + self.length as u64;
        match instruction.and_then(|it| self.encoder.encode(&it, here)) {
            Ok(bytes) => self.length += bytes,
            Err(error) => {
                self.error.get_or_insert(error);
            }
        }
    }

    /// An instruction with one operand.
    pub fn one(&mut self, code: Code, register: Register) {
        self.add(Instruction::with1(code, register));
    }

    /// An instruction with two operands.
    pub fn two(&mut self, code: Code, first: Register, second: Operand) {
        self.add(match second {
            Operand::Register(second) => Instruction::with2(code, first, second),
            Operand::Memory(second) => Instruction::with2(code, first, second),
        });
    }

    /// An instruction with two operands, the first of which is memory.
    pub fn to(&mut self, code: Code, memory: MemoryOperand, register: Register) {
        self.add(Instruction::with2(code, memory, register));
    }

    /// An instruction with a register and a number.
    pub fn number(&mut self, code: Code, register: Register, number: i32) {
        self.add(Instruction::with2(code, register, number));
    }

    /// An instruction with three operands.
    pub fn three(&mut self, code: Code, first: Register, second: Register, third: Operand) {
        self.add(match third {
            Operand::Register(third) => Instruction::with3(code, first, second, third),
            Operand::Memory(third) => Instruction::with3(code, first, second, third),
        });
    }

    /// Sets a register of 64 bits.
    pub fn set(&mut self, register: Register, number: i64) {
        self.add(match u32::try_from(number) {
            Ok(number) => {
                Instruction::with2(Code::Mov_r32_imm32, register.full_register32(), number)
            }
            Err(_) => Instruction::with2(Code::Mov_r64_imm64, register, number),
        });
    }

    /// A jump to a label.
    pub fn jump(&mut self, code: Code, label: Label) {
        let here = SOMEWHERE + self.length as u64;
        self.add(Instruction::with_branch(code, here));
        self.ways.push((self.length, label));
    }

    /// An instruction whose third operand is a constant.
    pub fn with_constant(&mut self, code: Code, first: Register, second: Register, bytes: &[u8]) {
        let known = self.constants.iter().find(|(known, _)| known == bytes);
        let label = match known {
            Some(&(_, label)) => label,
            None => {
                let label = self.label();
                self.constants.push((bytes.to_vec(), label));
                label
            }
        };
        let here = at(Register::RIP, (SOMEWHERE + self.length as u64) as i64);
        self.three(code, first, second, Operand::Memory(here));
        self.ways.push((self.length, label));
    }

    /// How many bytes there are.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The code, in two parts that need not follow each other: what comes before `split`, and the rest, with constants
    /// behind it. `place` is given how long both are, and says how far the second part is behind the first one's end.
    /// `patches`: ends of instructions of the first part whose last four bytes are these numbers. `None` if an
    /// instruction could not be, or there is no place.
    pub fn finish(
        mut self,
        split: usize,
        patches: &[(usize, i32)],
        place: impl FnOnce(usize, usize) -> Option<i64>,
    ) -> Option<(Vec<u8>, Vec<u8>)> {
        if self.error.is_some() {
            return None;
        }
        let mut code = self.encoder.take_buffer();
        for (bytes, label) in std::mem::take(&mut self.constants) {
            self.places[label.0] = Some(code.len());
            code.extend(bytes);
        }
        let gap = place(split, code.len() - split)?;
        let placed = |offset: usize| offset as i64 + if offset < split { 0 } else { gap };
        let mut patch = |end: usize, number: i32| {
            let place = code.get_mut(..end)?.last_chunk_mut::<4>()?;
            *place = number.to_le_bytes();
            Some(())
        };
        for &(end, label) in &self.ways {
            // The instruction's last byte says which part it is in.
            let way = placed(self.places[label.0]?) - (placed(end - 1) + 1);
            patch(end, i32::try_from(way).ok()?)?;
        }
        for &(end, number) in patches {
            patch(end, number)?;
        }
        let rest = code.split_off(split);
        Some((code, rest))
    }
}
