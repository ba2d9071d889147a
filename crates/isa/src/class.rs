//! Classes of instructions: for latencies and functional units, and coarser ones for histograms.

/// Class of an instruction, for latencies and functional units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum InstructionClass {
    /// Integer arithmetic, logic, shifts, compares, `lea`, `setcc`, conditional moves.
    Integer,
    /// Integer multiplication.
    IntegerMultiply,
    /// Integer division.
    IntegerDivide,
    /// Floating-point addition, subtraction, minimum, maximum.
    FloatAdd,
    /// Floating-point multiplication.
    FloatMultiply,
    /// Fused multiply-add.
    FloatFused,
    /// Floating-point division.
    FloatDivide,
    /// Floating-point square root.
    FloatRoot,
    /// Floating-point compares, conversions, rounding, x87 functions (`fsin`, ...).
    FloatOther,
    /// Vector integer arithmetic, logic and compares; also bitwise operations on floating-point vectors.
    Vector,
    /// Vector integer multiplication.
    VectorMultiply,
    /// Shuffles, inserts, extracts, broadcasts, blends, moves between vector and general registers.
    Shuffle,
    /// Moves between registers of one kind, and constants into registers.
    Move,
    /// Moves from memory to a register (also `pop`, gathers).
    Load,
    /// Moves from a register or constant to memory (also `push`, scatters).
    Store,
    /// Moves from memory to memory and other string operations.
    String,
    /// Conditional and unconditional jumps.
    Jump,
    /// Calls and returns.
    Call,
    /// Atomic read-modify-write.
    Atomic,
    /// Encryption, hashing, checksums (`aesenc`, `sha256rnds2`, `crc32`, `pclmulqdq`).
    Crypto,
    /// System calls.
    System,
    /// `nop`, prefetches, fences, and what does no work.
    Nop,
    /// All else.
    Other,
}

/// Histogram class (PerPI, figure 4): the colour of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum HistogramClass {
    /// Floating-point arithmetic, scalar or packed.
    Float,
    /// Vector operations other than floating-point arithmetic.
    Vector,
    /// Integer operations and register moves.
    Integer,
    /// Loads.
    Load,
    /// Stores.
    Store,
    /// Jumps, calls and returns.
    Branch,
    /// All else.
    Other,
}

impl InstructionClass {
    /// All classes, in the order of their numbers.
    pub const ALL: [Self; 23] = [
        Self::Integer,
        Self::IntegerMultiply,
        Self::IntegerDivide,
        Self::FloatAdd,
        Self::FloatMultiply,
        Self::FloatFused,
        Self::FloatDivide,
        Self::FloatRoot,
        Self::FloatOther,
        Self::Vector,
        Self::VectorMultiply,
        Self::Shuffle,
        Self::Move,
        Self::Load,
        Self::Store,
        Self::String,
        Self::Jump,
        Self::Call,
        Self::Atomic,
        Self::Crypto,
        Self::System,
        Self::Nop,
        Self::Other,
    ];

    /// Name in model files and output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::IntegerMultiply => "integer-multiply",
            Self::IntegerDivide => "integer-divide",
            Self::FloatAdd => "float-add",
            Self::FloatMultiply => "float-multiply",
            Self::FloatFused => "float-fused",
            Self::FloatDivide => "float-divide",
            Self::FloatRoot => "float-root",
            Self::FloatOther => "float-other",
            Self::Vector => "vector",
            Self::VectorMultiply => "vector-multiply",
            Self::Shuffle => "shuffle",
            Self::Move => "move",
            Self::Load => "load",
            Self::Store => "store",
            Self::String => "string",
            Self::Jump => "jump",
            Self::Call => "call",
            Self::Atomic => "atomic",
            Self::Crypto => "crypto",
            Self::System => "system",
            Self::Nop => "nop",
            Self::Other => "other",
        }
    }

    /// Whether it is floating-point arithmetic (what `count = float` counts): no compares, no conversions.
    pub const fn is_float_arithmetic(self) -> bool {
        matches!(
            self,
            Self::FloatAdd
                | Self::FloatMultiply
                | Self::FloatFused
                | Self::FloatDivide
                | Self::FloatRoot
        )
    }

    /// The class that the instruction has in histograms.
    pub const fn kind(self) -> HistogramClass {
        match self {
            Self::FloatAdd
            | Self::FloatMultiply
            | Self::FloatFused
            | Self::FloatDivide
            | Self::FloatRoot
            | Self::FloatOther => HistogramClass::Float,
            Self::Vector | Self::VectorMultiply | Self::Shuffle => HistogramClass::Vector,
            Self::Integer
            | Self::IntegerMultiply
            | Self::IntegerDivide
            | Self::Move
            | Self::Crypto => HistogramClass::Integer,
            Self::Load => HistogramClass::Load,
            Self::Store => HistogramClass::Store,
            Self::Jump | Self::Call => HistogramClass::Branch,
            Self::String | Self::Atomic | Self::System | Self::Nop | Self::Other => {
                HistogramClass::Other
            }
        }
    }
}

impl HistogramClass {
    /// All histogram classes, in the order of their numbers.
    pub const ALL: [Self; 7] = [
        Self::Float,
        Self::Vector,
        Self::Integer,
        Self::Load,
        Self::Store,
        Self::Branch,
        Self::Other,
    ];

    /// Name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Float => "floating point",
            Self::Vector => "vector",
            Self::Integer => "integer",
            Self::Load => "load",
            Self::Store => "store",
            Self::Branch => "branch",
            Self::Other => "other",
        }
    }
}
