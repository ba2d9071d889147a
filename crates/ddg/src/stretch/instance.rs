//! One instance in twelve bytes.

use parascan_isa::Location;

use super::statics::{MOST_STATICS, StaticId};

/// One instruction instance of a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Step in which its result is there, from 1; 0 where it takes no steps and waits for nothing.
    pub level: u32,
    before: u32,
    packed: u32,
}

/// Through what one instance held back another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DependenceVia {
    /// Nothing did: it depends on nothing within the stretch.
    Start,
    /// A value in a register or in flags. Of a register in parts the first part stands for all.
    Register(Location),
    /// A value in memory.
    Memory,
    /// The register that it overwrites was still in use.
    RegisterStorage,
    /// The memory that it overwrites was still in use.
    MemoryStorage,
    /// Addresses are not known before accesses are made.
    Disambiguation,
    /// It had to enter the window first.
    Window,
    /// No physical register was free.
    PhysicalRegisters,
    /// A system call came between.
    SystemCall,
    /// A transfer of control that was mispredicted, or not predicted.
    Control,
}

const NONE: u32 = u32::MAX;
/// Most instances of a stretch.
pub(super) const MOST_INSTANCES: u32 = NONE - 1;

const OTHERS: [DependenceVia; 9] = [
    DependenceVia::Start,
    DependenceVia::Memory,
    DependenceVia::RegisterStorage,
    DependenceVia::MemoryStorage,
    DependenceVia::Disambiguation,
    DependenceVia::Window,
    DependenceVia::PhysicalRegisters,
    DependenceVia::SystemCall,
    DependenceVia::Control,
];
const _: () = assert!(Location::COUNT + OTHERS.len() <= 256);
const _: () = assert!(MOST_STATICS <= 1 << (u32::BITS - 8));

impl Instance {
    pub(super) fn new(
        level: u32,
        before: Option<u32>,
        via: DependenceVia,
        statics: StaticId,
    ) -> Self {
        Self {
            level,
            before: before.unwrap_or(NONE),
            packed: statics.0 << 8 | via.number(),
        }
    }

    /// Position of its critical predecessor among the instances.
    pub fn before(self) -> Option<usize> {
        (self.before != NONE).then_some(self.before as usize)
    }

    /// Through what the critical predecessor held it back.
    pub fn via(self) -> DependenceVia {
        DependenceVia::from_number(self.packed & 0xff)
    }

    /// Which instruction it is an instance of.
    pub fn statics(self) -> StaticId {
        StaticId(self.packed >> 8)
    }
}

impl DependenceVia {
    /// A value in a register part.
    pub(super) fn of_register(part: Location) -> Self {
        Self::Register(Location::from_index(part.register()).unwrap_or(part))
    }

    /// As a number below 256.
    pub(super) fn number(self) -> u32 {
        match self {
            Self::Register(location) => location.index() as u32,
            other => {
                let position = OTHERS.iter().position(|o| *o == other).unwrap_or(0);
                (Location::COUNT + position) as u32
            }
        }
    }

    pub(super) fn from_number(number: u32) -> Self {
        let number = number as usize;
        match Location::from_index(number) {
            Some(location) => Self::Register(location),
            None => OTHERS[number - Location::COUNT],
        }
    }

    /// Whether a value goes this way (the graph's edges in the papers); the others are constraints of the machine.
    pub fn is_data(self) -> bool {
        matches!(self, Self::Register(_) | Self::Memory)
    }

    /// Name for tables and pictures: `rax`, `xmm3` (whatever its width), `CF`, `memory`, `window`, ...
    pub fn name(self) -> String {
        match self {
            Self::Start => "start".to_owned(),
            Self::Register(location) => {
                let name = location.to_string();
                let register = name.split('[').next().unwrap_or(&name);
                match register.strip_prefix('v') {
                    Some(number) => format!("xmm{number}"),
                    None => register.to_owned(),
                }
            }
            Self::Memory => "memory".to_owned(),
            Self::RegisterStorage => "register reuse".to_owned(),
            Self::MemoryStorage => "memory reuse".to_owned(),
            Self::Disambiguation => "unknown address".to_owned(),
            Self::Window => "window".to_owned(),
            Self::PhysicalRegisters => "physical registers".to_owned(),
            Self::SystemCall => "system call".to_owned(),
            Self::Control => "misprediction".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_survives_packing() {
        let registers = (0..Location::COUNT)
            .filter_map(|i| Location::from_index(i).map(DependenceVia::Register));
        for via in registers.chain(OTHERS) {
            let instance = Instance::new(7, Some(3), via, StaticId(0xab_cdef));
            assert_eq!(
                (instance.via(), instance.statics(), instance.before()),
                (via, StaticId(0xab_cdef), Some(3))
            );
        }
        assert_eq!(
            Instance::new(0, None, DependenceVia::Start, StaticId(0)).before(),
            None
        );
        assert_eq!(size_of::<Instance>(), 12);
    }
}
