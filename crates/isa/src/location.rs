//! Register parts as small numbers.

use std::fmt;

/// A register part (see `docs/ilp-model.md`, "Locations"). Memory is not among them: its locations are addresses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location(u8);

/// Parts of a general register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneralPart {
    /// Bits 0 to 7.
    Low,
    /// Bits 8 to 15.
    High,
    /// Bits 16 to 63.
    Rest,
}

/// Parts of a vector register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorPart {
    /// Bits 0 to 63.
    Low,
    /// Bits 64 to 127.
    High,
    /// Bits 128 to 511.
    Wide,
}

/// Groups of flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flags {
    /// CF.
    Carry,
    /// OF.
    Overflow,
    /// SF, ZF, AF and PF.
    Status,
    /// DF.
    Direction,
}

/// Kinds of registers that hold data: processors have a file of physical registers for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterKind {
    /// General registers.
    General,
    /// Vector, mask, x87 and MMX registers, and tiles.
    Vector,
}

/// Registers that come once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SingleRegister {
    /// Condition codes C0, C2 and C3 of the x87 status word. C1, the direction of rounding, is left out.
    X87Status,
    /// The x87 control word.
    X87Control,
    /// MXCSR, for its explicit loads and stores only.
    Mxcsr,
    /// The base of FS.
    FsBase,
    /// The base of GS.
    GsBase,
    /// Whatever else an instruction may keep state in (PKRU, tile configuration, ...), as one location.
    System,
}

const VECTORS: u8 = 48;
const MASKS: u8 = VECTORS + 96;
const FLAGS: u8 = MASKS + 8;
const X87: u8 = FLAGS + 4;
const MMX: u8 = X87 + 8;
const TILES: u8 = MMX + 8;
const SINGLES: u8 = TILES + 8;

impl Location {
    /// Number of different locations.
    pub const COUNT: usize = SINGLES as usize + 6;

    /// Number of the stack pointer among the general registers.
    pub const STACK_POINTER: u8 = 4;

    /// A part of general register `number` (0 to 15, in the order of the encoding: rax, rcx, rdx, rbx, rsp, rbp, rsi,
    /// rdi, r8, ...). The three parts of a register have neighbouring indices.
    pub const fn general(number: u8, part: GeneralPart) -> Self {
        assert!(number < 16);
        Self(number * 3 + part as u8)
    }

    /// A part of vector register `number` (0 to 31). The three parts have neighbouring indices.
    pub const fn vector(number: u8, part: VectorPart) -> Self {
        assert!(number < 32);
        Self(VECTORS + number * 3 + part as u8)
    }

    /// Mask register `number` (0 to 7).
    pub const fn mask(number: u8) -> Self {
        assert!(number < 8);
        Self(MASKS + number)
    }

    /// A group of flags.
    pub const fn flags(group: Flags) -> Self {
        Self(FLAGS + group as u8)
    }

    /// x87 register `number`, counted from the stack top *before* the instruction; who executes the stream adds the
    /// top.
    pub const fn x87(number: u8) -> Self {
        assert!(number < 8);
        Self(X87 + number)
    }

    /// MMX register `number`.
    pub const fn mmx(number: u8) -> Self {
        assert!(number < 8);
        Self(MMX + number)
    }

    /// AMX tile `number`.
    pub const fn tile(number: u8) -> Self {
        assert!(number < 8);
        Self(TILES + number)
    }

    /// A register that comes once.
    pub const fn single(which: SingleRegister) -> Self {
        Self(SINGLES + which as u8)
    }

    /// Position among all locations, below [`Location::COUNT`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The location at a position.
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < Self::COUNT {
            Some(Self(index as u8))
        } else {
            None
        }
    }

    /// Whether it is a group of flags.
    pub const fn is_flags(self) -> bool {
        self.0 >= FLAGS && self.0 < X87
    }

    /// The number of the general register of which it is a part.
    pub const fn general_number(self) -> Option<u8> {
        if self.0 < VECTORS {
            Some(self.0 / 3)
        } else {
            None
        }
    }

    /// Whether it is part of the stack pointer.
    pub const fn is_stack_pointer(self) -> bool {
        matches!(self.general_number(), Some(Self::STACK_POINTER))
    }

    /// The kind of register of which it is a part; `None` for flags and for what comes once.
    pub const fn kind(self) -> Option<RegisterKind> {
        if self.0 < VECTORS {
            Some(RegisterKind::General)
        } else if self.is_flags() || self.0 >= SINGLES {
            None
        } else {
            Some(RegisterKind::Vector)
        }
    }

    /// The x87 register's number relative to the stack top, if it is one.
    pub const fn x87_number(self) -> Option<u8> {
        if self.0 >= X87 && self.0 < MMX {
            Some(self.0 - X87)
        } else {
            None
        }
    }

    /// The position of the first part of the register this is a part of: equal for all parts of one register.
    pub const fn register(self) -> usize {
        if self.0 < MASKS {
            (self.0 - self.0 % 3) as usize
        } else {
            self.0 as usize
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const GENERAL: [&str; 16] = [
            "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11",
            "r12", "r13", "r14", "r15",
        ];
        const SINGLE: [&str; 6] = ["x87sw", "x87cw", "mxcsr", "fsbase", "gsbase", "system"];
        let n = self.0;
        match n {
            0..VECTORS => {
                let part = ["7..0", "15..8", "63..16"][usize::from(n % 3)];
                write!(f, "{}[{part}]", GENERAL[usize::from(n / 3)])
            }
            VECTORS..MASKS => {
                let part = ["63..0", "127..64", "511..128"][usize::from((n - VECTORS) % 3)];
                write!(f, "v{}[{part}]", (n - VECTORS) / 3)
            }
            MASKS..FLAGS => write!(f, "k{}", n - MASKS),
            FLAGS..X87 => f.write_str(["CF", "OF", "SZAPF", "DF"][usize::from(n - FLAGS)]),
            X87..MMX => write!(f, "st{}", n - X87),
            MMX..TILES => write!(f, "mm{}", n - MMX),
            TILES..SINGLES => write!(f, "tmm{}", n - TILES),
            _ => f.write_str(SINGLE[usize::from(n - SINGLES)]),
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
