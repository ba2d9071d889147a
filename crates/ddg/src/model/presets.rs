//! The papers' settings and the tables of latencies.

use parascan_isa::InstructionClass;

use super::{
    Branches, Count, Disambiguation, Indirect, Induction, Latency, MachineModel, PhysicalRegisters,
    Rename, ReturnPrediction, StackPointer, SystemCalls, Units,
};

impl Default for MachineModel {
    fn default() -> Self {
        Self::perpi()
    }
}

impl MachineModel {
    /// Names of the models that need no file.
    pub const PRESETS: [&'static str; 2] = ["perpi", "paragraph"];

    /// The model of a name in [`MachineModel::PRESETS`].
    pub fn preset(name: &str) -> Option<Self> {
        match name {
            "perpi" => Some(Self::perpi()),
            "paragraph" => Some(Self::paragraph()),
            _ => None,
        }
    }

    /// PerPI's ideal machine (section 3.1): everything renamed, unlimited, predicted; a step for every instruction;
    /// system calls modify nothing ("are not considered"). Every read waits for the last write: stack pointer and
    /// induction variables chain.
    pub fn perpi() -> Self {
        Self {
            name: "perpi".to_owned(),
            rename: Rename::ALL,
            window: None,
            system_calls: SystemCalls::Optimistic,
            latency: Latency::unit(),
            units: Units::Unlimited,
            physical_registers: PhysicalRegisters::Unlimited,
            branches: Branches::Perfect,
            indirect: Indirect::Perfect,
            returns: ReturnPrediction::Perfect,
            memory: Disambiguation::Perfect,
            stack_pointer: StackPointer::Chain,
            induction: Induction::Chain,
            count: Count::All,
        }
    }

    /// Paragraph's data-flow limit (section 4, Table 3): as PerPI's, but system calls are firewalls, latencies are
    /// those of its Table 1, and only what creates a value counts. Section 3.2: iterations of a loop are connected by
    /// its counter.
    pub fn paragraph() -> Self {
        Self {
            name: "paragraph".to_owned(),
            system_calls: SystemCalls::Conservative,
            latency: Latency::paragraph(),
            count: Count::Values,
            ..Self::perpi()
        }
    }
}

impl Rename {
    /// Nothing is renamed.
    pub const NONE: Self = Self {
        registers: false,
        stack: false,
        memory: false,
    };

    /// Everything is.
    pub const ALL: Self = Self {
        registers: true,
        stack: true,
        memory: true,
    };
}

impl Latency {
    /// Names of the tables that need no file.
    pub const TABLES: [&'static str; 3] = ["unit", "paragraph", "x86"];

    /// The table of a name in [`Latency::TABLES`].
    pub fn table(name: &str) -> Option<Self> {
        match name {
            "unit" => Some(Self::unit()),
            "paragraph" => Some(Self::paragraph()),
            "x86" => Some(Self::x86()),
            _ => None,
        }
    }

    /// Latencies of one step for every class (PerPI, section 3.1).
    pub fn unit() -> Self {
        Self {
            name: "unit".to_owned(),
            steps: [1; InstructionClass::ALL.len()],
            load_adds: false,
        }
    }

    /// Paragraph's Table 1, of a MIPS processor. What MIPS does not have goes by the nearest row: a fused multiply-add
    /// takes a multiplication and an addition, a root a division, other floating-point operations and vector
    /// multiplications 6, all else 1. An operation on memory is a load and an operation.
    pub fn paragraph() -> Self {
        Self::by_class("paragraph", true, |class| match class {
            InstructionClass::IntegerMultiply
            | InstructionClass::FloatAdd
            | InstructionClass::FloatMultiply
            | InstructionClass::FloatOther
            | InstructionClass::VectorMultiply => 6,
            InstructionClass::IntegerDivide
            | InstructionClass::FloatDivide
            | InstructionClass::FloatRoot
            | InstructionClass::FloatFused => 12,
            _ => 1,
        })
    }

    /// An estimate for x86-64 cores of the 2020s, in cycles, all accesses hitting the first cache: rounded figures of
    /// no particular core, and none measured.
    pub fn x86() -> Self {
        Self::by_class("x86", true, |class| match class {
            InstructionClass::Integer
            | InstructionClass::Vector
            | InstructionClass::Move
            | InstructionClass::Store
            | InstructionClass::String
            | InstructionClass::Jump
            | InstructionClass::Call
            | InstructionClass::Nop
            | InstructionClass::Other => 1,
            InstructionClass::Shuffle => 2,
            InstructionClass::IntegerMultiply | InstructionClass::Crypto => 3,
            InstructionClass::FloatAdd
            | InstructionClass::FloatMultiply
            | InstructionClass::FloatFused
            | InstructionClass::FloatOther => 4,
            InstructionClass::Load | InstructionClass::VectorMultiply => 5,
            InstructionClass::FloatDivide => 13,
            InstructionClass::IntegerDivide => 14,
            InstructionClass::FloatRoot => 18,
            InstructionClass::Atomic => 20,
            InstructionClass::System => 100,
        })
    }

    fn by_class(name: &str, load_adds: bool, steps: impl Fn(InstructionClass) -> u16) -> Self {
        Self {
            name: name.to_owned(),
            steps: InstructionClass::ALL.map(steps),
            load_adds,
        }
    }
}
