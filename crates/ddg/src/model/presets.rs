//! The papers' settings and the tables of latencies.

use parascan_isa::Class;

use super::{
    Branches, Count, Indirect, Induction, Latency, Memory, Model, PhysicalRegisters, Rename,
    Returns, StackPointer, SystemCalls, Units,
};

impl Default for Model {
    fn default() -> Self {
        Self::perpi()
    }
}

impl Model {
    /// Names of the models that need no file.
    pub const PRESETS: [&'static str; 2] = ["perpi", "paragraph"];

    /// The model of a name in [`Model::PRESETS`].
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
            returns: Returns::Perfect,
            memory: Memory::Perfect,
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
            steps: [1; Class::ALL.len()],
            load_adds: false,
        }
    }

    /// Paragraph's Table 1, of a MIPS processor. What MIPS does not have goes by the nearest row: a fused multiply-add
    /// takes a multiplication and an addition, a root a division, other floating-point operations and vector
    /// multiplications 6, all else 1. An operation on memory is a load and an operation.
    pub fn paragraph() -> Self {
        Self::by_class("paragraph", true, |class| match class {
            Class::IntegerMultiply
            | Class::FloatAdd
            | Class::FloatMultiply
            | Class::FloatOther
            | Class::VectorMultiply => 6,
            Class::IntegerDivide | Class::FloatDivide | Class::FloatRoot | Class::FloatFused => 12,
            _ => 1,
        })
    }

    /// An estimate for x86-64 cores of the 2020s, in cycles, all accesses hitting the first cache: rounded figures of
    /// no particular core, and none measured.
    pub fn x86() -> Self {
        Self::by_class("x86", true, |class| match class {
            Class::Integer
            | Class::Vector
            | Class::Move
            | Class::Store
            | Class::String
            | Class::Jump
            | Class::Call
            | Class::Nop
            | Class::Other => 1,
            Class::Shuffle => 2,
            Class::IntegerMultiply | Class::Crypto => 3,
            Class::FloatAdd | Class::FloatMultiply | Class::FloatFused | Class::FloatOther => 4,
            Class::Load | Class::VectorMultiply => 5,
            Class::FloatDivide => 13,
            Class::IntegerDivide => 14,
            Class::FloatRoot => 18,
            Class::Atomic => 20,
            Class::System => 100,
        })
    }

    fn by_class(name: &str, load_adds: bool, steps: impl Fn(Class) -> u16) -> Self {
        Self {
            name: name.to_owned(),
            steps: Class::ALL.map(steps),
            load_adds,
        }
    }
}
