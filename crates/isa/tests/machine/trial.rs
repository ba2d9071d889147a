//! The facts of one instruction against what the processor does with it.

use iced_x86::{Mnemonic, OpKind, Register};
use parascan_isa::{Control, Instruction, Location};

use super::generate::Sample;
use super::place::LocationBits;
use super::{CODE, Machine, Random, State};

/// Undefined after an instruction: bits of flags, and of the x87 condition codes.
#[derive(Clone, Copy)]
struct Undefined {
    flags: u64,
    status: u16,
}

/// One instruction with its facts, and the machine's places.
pub struct Trial<'a> {
    pub sample: &'a Sample,
    pub facts: Instruction,
    pub places: &'a [(Location, LocationBits)],
    undefined: Undefined,
}

impl<'a> Trial<'a> {
    pub fn new(
        sample: &'a Sample,
        x87: &'a [(Location, LocationBits)],
        mmx: &'a [(Location, LocationBits)],
    ) -> Self {
        let (facts, length) =
            parascan_isa::decode(&sample.bytes, CODE).expect("the generator decoded it");
        assert_eq!(length, sample.bytes.len());
        Trial {
            sample,
            facts,
            places: if uses_mmx(sample) { mmx } else { x87 },
            undefined: undefined(sample),
        }
    }

    fn is(&self, mnemonics: &[Mnemonic]) -> bool {
        mnemonics.contains(&self.sample.raw.mnemonic())
    }

    pub fn name(&self) -> String {
        let text = parascan_isa::format(&self.sample.bytes, CODE);
        let bytes: Vec<String> = self
            .sample
            .bytes
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        format!("{text} ({})", bytes.join(""))
    }

    /// A state in which the instruction can be executed, as far as that can be told.
    pub fn state(&self, machine: &Machine, random: &mut Random) -> Option<State> {
        let mut state = State::random(random, machine.layout());
        if uses_mmx(self.sample) {
            state.x87_top = 0;
        }
        if self.facts.x87_move < 0 {
            state.x87_used &= !(1 << state.physical(7));
        }
        self.sample.aim(&mut state, random).then_some(state)
    }

    /// The same state with everything that the instruction does not read changed.
    pub fn perturbed(&self, state: &State, random: &mut Random) -> Option<State> {
        let mut other = state.clone();
        for (location, place) in self.places {
            if !self.facts.reads.contains(location) {
                place.randomize(&mut other, random);
            }
        }
        if !self.facts.dynamic {
            let ranges = self.sample.ranges(state)?;
            other.fill_memory(random);
            for range in ranges.iter().filter(|range| range.read) {
                let bytes = range.start..range.start + range.size;
                other.memory[bytes.clone()].copy_from_slice(&state.memory[bytes]);
            }
        }
        Some(other)
    }

    /// By how much it moved the register to which it adds a constant: the lower half, which the forms of 32 bits have
    /// too.
    pub fn moved(&self, before: &State, after: &State) -> Option<u32> {
        let register = usize::from(self.facts.adds_to?);
        let moved = after.general[register].wrapping_sub(before.general[register]);
        Some(moved as u32)
    }

    /// Whether it is a repeated compare that stopped, because one step is one iteration, before its last one.
    fn is_interrupted_compare(&self, after: &State) -> bool {
        use Mnemonic as M;
        let compares = self.is(&[
            M::Cmpsb,
            M::Cmpsw,
            M::Cmpsd,
            M::Cmpsq,
            M::Scasb,
            M::Scasw,
            M::Scasd,
            M::Scasq,
        ]);
        compares && self.sample.raw.is_string_instruction() && after.next == CODE
    }

    /// The place's value after the instruction, undefined flags left out.
    fn result(&self, place: LocationBits, before: &State, after: &State) -> [u64; 6] {
        let mut value = place.get(after, before.x87_top);
        match place {
            // Some processors (seen: Intel, family 6, model 167) write the flags after the last iteration only.
            LocationBits::Flags(_) if self.is_interrupted_compare(after) => value = [0; 6],
            LocationBits::Flags(_) => value[0] &= !self.undefined.flags,
            // A partial remainder that is not final, or of no numbers, leaves the bits of the quotient undefined.
            LocationBits::X87Status if self.is(&[Mnemonic::Fprem, Mnemonic::Fprem1]) => {
                let (_, exponent) = after.x87[after.physical(0)];
                if value[0] & 0x400 != 0 || exponent & 0x7fff == 0x7fff || exponent & 0x7fff == 0 {
                    value[0] = 0;
                }
            }
            LocationBits::X87Status => value[0] &= !u64::from(self.undefined.status),
            _ => {}
        }
        value
    }

    /// What changed though the facts do not say so.
    pub fn unexpected_writes(&self, before: &State, after: &State) -> Vec<String> {
        let mut problems = Vec::new();
        for (location, place) in self.places {
            let changed = place.get(before, before.x87_top) != place.get(after, before.x87_top);
            if changed && !self.facts.writes.contains(location) {
                problems.push(format!("{location} changed"));
            }
        }
        if !self.may_go_to(after.next) {
            problems.push(format!("went on at {:#x}", after.next));
        }
        let top = (before.x87_top as i8 + self.facts.x87_move) as u8 & 7;
        if top != after.x87_top && !moves_top_freely(self.sample) {
            problems.push(format!("top {} became {}", before.x87_top, after.x87_top));
        }
        if !self.facts.dynamic
            && let Some(ranges) = self.sample.ranges(before)
        {
            let mut expected = before.memory.clone();
            for range in ranges.iter().filter(|range| range.write) {
                let bytes = range.start..range.start + range.size;
                expected[bytes.clone()].copy_from_slice(&after.memory[bytes]);
            }
            if expected != after.memory {
                problems.push("memory changed that is no operand".to_owned());
            }
        }
        problems
    }

    /// Results that differ though all that the facts call sources was equal.
    pub fn unexpected_reads(
        &self,
        (before, after): (&State, &State),
        (other_before, other_after): (&State, &State),
    ) -> Vec<String> {
        let mut problems = Vec::new();
        for (location, place) in self.places {
            if self.facts.writes.contains(location)
                && self.result(*place, before, after)
                    != self.result(*place, other_before, other_after)
            {
                problems.push(format!("{location} depends on something else"));
            }
        }
        if after.next != other_after.next {
            problems.push("where it goes on depends on something else".to_owned());
        }
        if self.facts.dynamic {
            if after.memory != other_after.memory {
                problems.push("memory depends on something else".to_owned());
            }
        } else if let Some(ranges) = self.sample.ranges(before) {
            for range in ranges.iter().filter(|range| range.write) {
                let size = match self.sample.raw.mnemonic() {
                    // The tags of registers depend on what they hold.
                    Mnemonic::Fnstenv | Mnemonic::Fnsave => 4,
                    // The rest is left alone.
                    Mnemonic::Fxsave | Mnemonic::Fxsave64 => 416,
                    _ => range.size,
                };
                let bytes = range.start..range.start + size;
                if after.memory[bytes.clone()] != other_after.memory[bytes] {
                    problems.push("memory depends on something else".to_owned());
                }
            }
        }
        problems
    }

    /// Whether the kind of control transfer allows execution to go on at an address.
    fn may_go_to(&self, address: u64) -> bool {
        let following = CODE + self.sample.bytes.len() as u64;
        match self.facts.control {
            Control::Next => {
                let repeats = self.sample.raw.is_string_instruction();
                address == following || (repeats && address == CODE)
            }
            Control::Branch { target } => address == following || address == target,
            Control::Jump { target } | Control::Call { target } => address == target,
            Control::IndirectJump | Control::IndirectCall | Control::Return => true,
            Control::System => false,
        }
    }

    /// What the location is for the instruction: a part of an operand, or itself.
    pub fn role(&self, location: Location) -> String {
        let raw = &self.sample.raw;
        let text = location.to_string();
        let (register, part) = text.split_once('[').unwrap_or((&text, ""));
        for operand in 0..raw.op_count() {
            if raw.op_kind(operand) != OpKind::Register {
                continue;
            }
            let whole = raw.op_register(operand).full_register();
            let name = format!("{whole:?}")
                .to_ascii_lowercase()
                .replace("zmm", "v");
            if name == register {
                return format!("operand {operand} [{part}");
            }
        }
        if raw.memory_base() == Register::None && raw.memory_index() == Register::None {
            return text;
        }
        "another".to_owned()
    }

    /// Whether changing the location from `before` changes a result.
    pub fn influences(
        &self,
        machine: &mut Machine,
        (location, place): (Location, LocationBits),
        (before, after): (&State, &State),
        random: &mut Random,
    ) -> bool {
        for round in 0..4 {
            let mut other = before.clone();
            if round % 2 == 0 {
                place.nudge(&mut other, random);
            } else {
                place.randomize(&mut other, random);
            }
            let Ok(other_after) = machine.run(&self.sample.bytes, &other) else {
                return true;
            };
            if other_after.memory != after.memory
                || other_after.x87_top != after.x87_top
                || other_after.next != after.next
            {
                return true;
            }
            let differs = self.places.iter().any(|(result, place)| {
                (*result != location || self.facts.writes.contains(result))
                    && place.get(&other_after, before.x87_top) != place.get(after, before.x87_top)
            });
            if differs {
                return true;
            }
        }
        false
    }
}

fn uses_mmx(sample: &Sample) -> bool {
    (0..sample.raw.op_count()).any(|operand| {
        sample.raw.op_kind(operand) == OpKind::Register && sample.raw.op_register(operand).is_mm()
    })
}

/// Instructions after which the stack top is not where the move says: set by force, or only where a value is in range.
fn moves_top_freely(sample: &Sample) -> bool {
    let info = sample.raw.fpu_stack_increment_info();
    let by_force = info.writes_top() && (info.conditional() || info.increment() == 0);
    let mnemonic = sample.raw.mnemonic();
    by_force
        || uses_mmx(sample)
        || matches!(
            mnemonic,
            Mnemonic::Emms | Mnemonic::Fxrstor | Mnemonic::Fxrstor64
        )
}

fn undefined(sample: &Sample) -> Undefined {
    use iced_x86::RflagsBits as R;
    let mut bits = sample.raw.rflags_undefined();
    // Defined for rotations by one only.
    if matches!(sample.raw.mnemonic(), Mnemonic::Rcl | Mnemonic::Rcr) {
        bits |= R::OF;
    }
    let pick = |pairs: &[(u32, u64)]| {
        pairs
            .iter()
            .filter(|(bit, _)| bits & bit != 0)
            .fold(0, |sum, (_, mask)| sum | mask)
    };
    Undefined {
        flags: pick(&[
            (R::CF, 1),
            (R::PF, 4),
            (R::AF, 0x10),
            (R::ZF, 0x40),
            (R::SF, 0x80),
            (R::OF, 0x800),
        ]),
        status: pick(&[(R::C0, 0x100), (R::C2, 0x400), (R::C3, 0x4000)]) as u16,
    }
}
