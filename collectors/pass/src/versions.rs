//! Native versions of functions beside the tracked ones, unless `--parascan-exact` leaves them out: see
//! `docs/bursts.md`.
//!
//! A function chooses at its entry; where no label is jumped to in it, it is that choice alone, and its tracked version
//! a function beside it. Native versions look at a counter at their entry and at *places*: in the headers of loops
//! whose iterations are regions, and before those that the tracked version counts in registers; before the outer one of
//! a nest whose inner loops are short and of constant length, and nowhere within, since the optimizer takes such a nest
//! for one loop; and not at all in a function that has no other loops and calls only arithmetic. When the counter has
//! run out, the runtime may have the tracked version go on there. That looks at the same places whether the burst is
//! over, and has the native continuation go on. Native versions count what begins in them (`emit/counts.rs`).
//! `shim/versions.cpp` makes the native versions, [`crate::emit`] the ways into and out of tracked ones.

use std::ffi::c_void;

use crate::analysis::{self, Analysis, Division, NaturalLoop, SwitchCheck};
use crate::emit::{LoopVisibility, SwitchHeader, UnitState, library, sights};
use crate::ir::{Block, Opcode, Value};
use indexmap::IndexMap;

/// Native versions of a module.
pub struct NativeVersions {
    /// Functions with their native versions.
    pairs: Vec<(Value, Value)>,
    /// Folded functions, and copies without times.
    twins: Vec<(Value, Value)>,
    /// Native code to go on with.
    copies: Vec<Value>,
    /// All that is instrumented.
    tracked: Vec<Value>,
}

impl NativeVersions {
    /// Makes them, before the functions are instrumented.
    pub fn new(unit: &mut UnitState, functions: &[Value], analyses: *mut c_void) -> Self {
        let (module, types) = (unit.module, unit.types);
        let left = module.global_of_segment("__ps_left", types.i64);
        let turn = unit.runtime("__ps_turn", types.i64, &[]).1;
        let ahead = [types.i64, types.i64];
        let turn_before = unit.runtime("__ps_turn_before", types.i64, &ahead).1;
        let symbols = [left, turn, turn_before];
        let mut natives = Self {
            pairs: Vec::new(),
            twins: Vec::new(),
            copies: Vec::new(),
            tracked: functions.to_vec(),
        };
        for f in functions.iter().filter(|f| unit.folded.contains_key(*f)) {
            analysis::mark_folded(*f);
        }
        for &f in functions {
            if unit.folded.contains_key(&f) {
                // Its callers account for it; native ones have no use for times.
                natives.twins.push((f, analysis::clone_internal(f)));
                continue;
            }
            let division = analysis::division(f);
            if division == Division::Never {
                continue;
            }
            analysis::prepare(f);
            let analysis = Analysis::new(analyses, f);
            let loops = analysis.loops();
            let sights = sights(unit, f, &analysis);
            let small = small_nests(&loops, &sights, &analysis);
            let brief = is_brief(unit, f, &loops, &analysis);
            let places = match division {
                Division::Anywhere if !brief => places(&loops, &sights, &small),
                _ => Vec::new(),
            };
            let counts = unit.count_natively(f, &loops, &sights, &small, &places);
            let sites = unit.add_sites(f, &loops, &sights);
            let calls_itself = f.users().iter().any(|u| {
                u.is_instruction()
                    && matches!(u.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke)
                    && u.callee() == f
                    && f.blocks().contains(&u.block())
            });
            let long = !loops.is_empty() && !brief && !looks_at_once(f, &loops, &places);
            let at_entry = long || calls_itself || goes_on_in_tail(f);
            let buffer = unit.buffer();
            let notes = analysis::Notes {
                counters: unit.native_counters,
                counts: &counts,
                sites: &sites,
            };
            let made = analysis::versions(f, &places, symbols, &buffer, at_entry, &notes);
            natives.copies.extend(made.on);
            for (index, live) in made.places {
                let chain = places[index].chain.clone();
                let (number, on) = (index as u32 + 1, made.on.expect("a place has one"));
                unit.add_place(
                    f,
                    SwitchHeader {
                        number,
                        chain,
                        live,
                        on,
                        fresh: matches!(places[index].looks, SwitchCheck::Before(_)),
                    },
                );
            }
            natives.pairs.push((f, made.native));
        }
        natives.call_each_other();
        natives
    }

    /// Whether a function has a native version.
    pub fn has(&self, function: Value) -> bool {
        let mut all = self.pairs.iter().chain(&self.twins);
        all.any(|&(tracked, _)| tracked == function)
    }

    fn call_each_other(&self) {
        let all = self.pairs.iter().chain(&self.twins);
        // Those of variadic functions take other arguments, which the functions make.
        let alike = |pair: &&(Value, Value)| pair.0.value_type() == pair.1.value_type();
        let of: IndexMap<Value, Value> = all.clone().filter(alike).copied().collect();
        let native = all.map(|(_, native)| native);
        for version in native.chain(&self.copies) {
            for i in version.blocks().iter().flat_map(|b| b.instructions()) {
                let call = matches!(i.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke);
                // The way from a native version's entry to the tracked one stays.
                let back = call && i.stays_call();
                if let Some(target) = (call && !back).then(|| of.get(&i.callee())).flatten() {
                    i.set_callee(*target);
                }
            }
        }
    }

    /// Has the functions choose at their entries, and tells the runtime of their calls.
    pub fn finish(self, unit: &UnitState) {
        for f in self.tracked {
            analysis::label_tracked(f);
        }
        for (f, native) in self.pairs {
            analysis::mark_written(f, false);
            analysis::choose_version(f, &unit.buffer(), native);
        }
    }
}

/// Where versions of a function can go on for each other.
fn places(
    loops: &[NaturalLoop],
    sights: &[LoopVisibility],
    small: &IndexMap<usize, NestRole>,
) -> Vec<analysis::SwitchPoint> {
    let place = |(index, (l, sight)): (usize, (&NaturalLoop, &LoopVisibility))| {
        let looks =
            match (sight, small.get(&index)) {
                (LoopVisibility::Nothing | LoopVisibility::Whole, _)
                | (_, Some(NestRole::Inner)) => return None,
                (LoopVisibility::Iterations, None) => SwitchCheck::InHeader,
                (LoopVisibility::Counted, None) if is_alone(index, loops, sights) => {
                    SwitchCheck::Nowhere
                }
                (LoopVisibility::Iterations, Some(NestRole::Outer))
                | (LoopVisibility::Counted, _) => SwitchCheck::Before(l.preheader?),
            };
        let mut chain = vec![l.header];
        let mut around = l.parent;
        while let Some(outer) = around {
            chain.insert(0, loops[outer].header);
            around = loops[outer].parent;
        }
        // Nothing but an exception leads to such a header.
        let open = !chain.iter().any(|header| header.is_landing_pad());
        open.then_some(analysis::SwitchPoint { chain, looks })
    };
    let all = loops.iter().zip(sights).enumerate();
    all.filter_map(place).collect()
}

/// Whether a function ends in calls that must be in tail position: functions that do are often a loop together, as
/// those of an interpreter's instructions are.
fn goes_on_in_tail(f: Value) -> bool {
    let is_tail = |i: &Value| i.opcode() == Opcode::LLVMCall && analysis::is_must_tail(*i);
    let blocks = f.blocks();
    blocks.iter().any(|b| b.instructions().iter().any(is_tail))
}

/// Whether a function is over soon: its loops run a constant, small number of times, and what it calls is arithmetic.
/// Native code has no looks in it, as in functions without loops.
fn is_brief(unit: &UnitState, f: Value, loops: &[NaturalLoop], analysis: &Analysis) -> bool {
    let mut trips: Vec<u64> = Vec::new();
    // Outer loops come first.
    for (index, l) in loops.iter().enumerate() {
        let around = l.parent.map_or(1, |parent| trips[parent]);
        let own = analysis.constant_trips(index).map_or(FEW + 1, u64::from);
        trips.push(around.saturating_mul(own));
    }
    let calls = f.blocks();
    let mut calls = calls.iter().flat_map(|block| block.instructions());
    trips.into_iter().fold(0, u64::saturating_add) <= FEW
        && calls.all(|i| {
            !calls_code(i) || unit.folded.contains_key(&i.callee()) || is_of_math(i.callee())
        })
}

/// Whether a function is the mathematics library's.
fn is_of_math(f: Value) -> bool {
    f.is_function() && f.is_declaration() && library::of_math(&f.name()).is_some()
}

/// What a block follows whenever it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// The function.
    Function,
    /// An iteration of the loop around.
    Iteration,
}

/// What leads to a block, always and with nothing between that may leave: the function's entry, or the header of the
/// loop around. None where it may be reached another way, or not at all.
pub fn always_led_by(f: Value, block: Block, around: Option<Block>) -> Option<Beginning> {
    let entry = f.blocks()[0];
    let mut at = block;
    loop {
        if at.instructions().into_iter().any(calls_code) {
            return None;
        }
        if Some(at) == around {
            return Some(Beginning::Iteration);
        }
        if at == entry {
            return Some(Beginning::Function);
        }
        let [before] = at.predecessors()[..] else {
            return None;
        };
        if before.successors().len() != 1 {
            return None;
        }
        at = before;
    }
}

/// Whether the function begins with a loop in whose header native versions look: its entry needs no look of its own.
fn looks_at_once(f: Value, loops: &[NaturalLoop], places: &[analysis::SwitchPoint]) -> bool {
    loops.iter().any(|l| {
        let looks = |p: &analysis::SwitchPoint| {
            p.looks == SwitchCheck::InHeader && p.chain.last() == Some(&l.header)
        };
        l.preheader.is_some_and(|preheader| {
            always_led_by(f, preheader, None) == Some(Beginning::Function)
                && places.iter().any(looks)
        })
    })
}

/// Whether an iteration of the loop around a loop is that loop, and nothing else that takes long: a look in the header
/// of the one around is as good as one before the loop.
fn is_alone(index: usize, loops: &[NaturalLoop], sights: &[LoopVisibility]) -> bool {
    let around = loops[index].parent;
    let Some(around) = around.filter(|&around| sights[around] == LoopVisibility::Iterations) else {
        return false;
    };
    let siblings = |m: &&NaturalLoop| m.parent == Some(around);
    let own = |block: &&Block| !loops[index].blocks.contains(block);
    let mut others = loops[around].blocks.iter().filter(own);
    loops.iter().filter(siblings).count() == 1
        && others.all(|block| !block.instructions().into_iter().any(calls_code))
}

/// Whether a loop without looks is worth a guess of how long it takes, which costs something whenever it begins: its
/// test is a counted one, and it is in no loop of the function, or in one that does more than such loops do, as loops
/// of time steps.
pub fn may_take_long(index: usize, loops: &[NaturalLoop]) -> bool {
    let own = &loops[index];
    let is_large = |around: usize| {
        let nests = |l: &NaturalLoop| {
            let parent = l.parent.filter(|&parent| parent != index);
            parent.is_some_and(|parent| loops[parent].parent == Some(around))
        };
        let others = loops[around].blocks.iter();
        let mut others = others.filter(|block| !own.blocks.contains(block));
        loops[around].parent.is_none()
            && (loops.iter().any(nests)
                || others.any(|block| block.instructions().into_iter().any(calls_code)))
    };
    !own.counted_exits.is_empty() && own.parent.is_none_or(is_large)
}

/// What a loop is in a nest that the optimizer may make one loop of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NestRole {
    /// The outer one, of any length.
    Outer,
    /// One of the others, which run a constant, small number of times.
    Inner,
}

/// Iterations of inner loops in one of the outer loop, or of all loops in a function. LLVM unrolls that if they are
/// short.
const FEW: u64 = 64;

/// Nests of which all loops but the outer one are short and of constant length, and where nothing is called.
fn small_nests(
    loops: &[NaturalLoop],
    sights: &[LoopVisibility],
    analysis: &Analysis,
) -> IndexMap<usize, NestRole> {
    let mut found = IndexMap::new();
    // Outer loops come first.
    for (outer, l) in loops.iter().enumerate() {
        if sights[outer] != LoopVisibility::Iterations || found.contains_key(&outer) {
            continue;
        }
        let mut trips: IndexMap<usize, u64> = IndexMap::from([(outer, 1)]);
        let mut all = 0_u64;
        for (inner, m) in loops.iter().enumerate() {
            if let Some(&around) = m.parent.and_then(|parent| trips.get(&parent)) {
                let own = analysis.constant_trips(inner).map_or(FEW + 1, u64::from);
                let times = around.saturating_mul(own);
                trips.insert(inner, times);
                all = all.saturating_add(times);
            }
        }
        let quiet = |block: &Block| !block.instructions().into_iter().any(calls_code);
        if all <= FEW && l.blocks.iter().all(quiet) {
            found.extend(trips.into_keys().map(|index| (index, NestRole::Inner)));
            found.insert(outer, NestRole::Outer);
        }
    }
    found
}

/// Whether an instruction calls anything but an intrinsic.
fn calls_code(i: Value) -> bool {
    match i.opcode() {
        Opcode::LLVMInvoke | Opcode::LLVMCallBr => true,
        Opcode::LLVMCall => i.callee().intrinsic_name().is_none(),
        _ => false,
    }
}
