//! Ways into and out of the tracked version of a function, in code for bursts: at the headers of loops, native versions
//! go on for it, or it for them ([`crate::versions`]).

use super::unit::{Field, SwitchHeader};
use super::{Emitter, IterationMode, PendingCode};
use crate::analysis::{self, EntryTarget, Handover};
use crate::ir::{Block, IntPredicate, Value};

/// What the function's entry leaves for its ways in.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryWays {
    /// Number of the place where it goes on; 0 at its beginning.
    number: Value,
    /// Whether it goes on at one.
    pub(super) resumed: Value,
    /// Stands before all calls.
    start: Value,
    /// Stands in front of the function's own code.
    behind: Value,
}

impl Emitter<'_> {
    /// At the function's entry, before all calls: finds out where it goes on. What is handed over is taken here, since
    /// the handler of a signal may do the same while calls take their time.
    pub(super) fn prepare_ways(&mut self) {
        if self.places.is_empty() {
            return;
        }
        let i32 = self.unit.types.i32;
        let number = self.load_state(Field::Place, i32);
        let resumed = self
            .builder
            .icmp(IntPredicate::LLVMIntNE, number, i32.zero());
        let start = self.nop();
        self.ways = Some(EntryWays {
            number,
            resumed,
            start,
            behind: start,
        });
    }

    /// At the end of what the function's entry does.
    pub(super) fn open_ways(&mut self) {
        let behind = self.ways.is_some().then(|| self.nop());
        if let (Some(ways), Some(behind)) = (&mut self.ways, behind) {
            ways.behind = behind;
        }
    }

    /// Makes the ways in. Everything else of the function is there but for what its slots become.
    pub(super) fn ways_in(&mut self) {
        let Some(ways) = self.ways else {
            return;
        };
        let handed = Handover {
            take: analysis::split_if(ways.resumed, ways.start),
            number: ways.number,
        };
        let outer = analysis::split_if(ways.resumed, ways.behind);
        let places = std::mem::take(&mut self.places);
        self.builder.before(outer);
        self.resumed();
        for l in 0..self.loops.len() {
            self.reset_bound(l);
        }
        let last = places.iter().map(|place| place.live.way).max();
        let mut ends = Vec::new();
        for way in 0..=last.unwrap_or(0) {
            let group: Vec<&SwitchHeader> = places.iter().filter(|p| p.live.way == way).collect();
            let end = match Some(way) == last {
                true => outer,
                false => self.branch_to(&group, outer),
            };
            self.open_below(&group, 0, end);
            ends.push(end);
        }
        let targets: Vec<EntryTarget<'_>> = places
            .iter()
            .map(|place| EntryTarget {
                number: place.number,
                chain: &place.chain,
                live: &place.live,
            })
            .collect();
        let buffer = self.unit.buffer();
        analysis::ways_in(self.f, handed, ways.behind, &ends, &targets, &buffer);
    }

    /// Opens, before `end`, what is open at one of these places, but for the `depth` loops around all of them. Loops
    /// around several places are opened by the same code.
    fn open_below(&mut self, group: &[&SwitchHeader], depth: usize, end: Value) {
        let mut rest = group.to_vec();
        while let Some(first) = rest.first() {
            let header = first.chain[depth];
            let (inside, others): (Vec<_>, Vec<_>) =
                (rest.into_iter()).partition(|place| place.chain[depth] == header);
            let end = match inside.len() == group.len() {
                true => end,
                false => self.branch_to(&inside, end),
            };
            let (here, deeper): (Vec<_>, Vec<_>) =
                (inside.into_iter()).partition(|place| place.chain.len() == depth + 1);
            // Whether the place is where the loop begins.
            let begins = here.iter().any(|place| place.fresh);
            self.builder.before(end);
            self.open_at(header);
            if !begins {
                self.loop_resumed(header);
            }
            if !deeper.is_empty() {
                let end = match here.is_empty() {
                    true => end,
                    false => self.branch_to(&deeper, end),
                };
                self.builder.before(end);
                if begins {
                    self.loop_resumed(header);
                }
                self.open_around(header);
                self.open_below(&deeper, depth + 1, end);
            }
            rest = others;
        }
    }

    /// A block, before `end`, for where the function goes on at one of these places; its terminator.
    fn branch_to(&mut self, places: &[&SwitchHeader], end: Value) -> Value {
        let i32 = self.unit.types.i32;
        let number = self.ways.as_ref().map_or(i32.zero(), |ways| ways.number);
        self.builder.before(end);
        let is = |place: &&SwitchHeader| {
            let own = i32.int(place.number.into());
            self.builder.icmp(IntPredicate::LLVMIntEQ, number, own)
        };
        let any = places.iter().map(is);
        let any = any.reduce(|a, b| self.builder.or(a, b));
        analysis::split_if(any.expect("a way has places"), end)
    }

    /// The tracked loop of a header.
    fn loop_at(&self, header: Block) -> Option<usize> {
        (0..self.tracked.len()).find(|&t| self.loops[self.tracked[t].index].header == header)
    }

    /// Opens the loop of a header.
    fn open_at(&mut self, header: Block) {
        let Some(t) = self.loop_at(header) else {
            return;
        };
        // Around the loop, as far as its region is concerned.
        let preheader = self.loops[self.tracked[t].index].preheader;
        self.current = preheader.map_or(0, |block| self.number[&block]);
        self.ctrl = self.load_slot(self.slots.b, self.unit.time);
        self.open_loop(t);
        self.reset_control(self.tracked[t].index);
    }

    /// That loop goes on from before.
    fn loop_resumed(&mut self, header: Block) {
        let full = |t: usize| self.tracked[t].iterations == IterationMode::Full;
        if self.loop_at(header).is_some_and(full) {
            self.resumed();
        }
    }

    /// Opens an iteration of that loop as what was open before.
    fn open_around(&mut self, header: Block) {
        if let Some(t) = self.loop_at(header) {
            self.open_iteration(t);
            self.resumed();
        }
    }

    /// What was opened last goes on from before.
    fn resumed(&mut self) {
        let void = self.unit.types.void;
        self.unit
            .call_runtime(&self.builder, "__ps_resumed", void, &[]);
    }

    /// At the start of an iteration at whose header is a place: whether the burst is over, and native code goes on.
    pub(super) fn look_for_end(&mut self, t: usize) {
        let (module, types) = (self.unit.module, self.unit.types);
        let header = self.loops[self.tracked[t].index].header;
        let at = |p: &&SwitchHeader| p.chain.last() == Some(&header);
        let Some(place) = self.places.iter().find(at).cloned() else {
            return;
        };
        if self.tracked[t].iterations == IterationMode::Full {
            let off = self.is_off();
            let before = self.nop();
            self.splits.push(PendingCode::Leave {
                condition: off,
                before,
                block: self.number[&header],
                place,
            });
            return;
        }
        // The runtime hears nothing of these iterations.
        let due = module
            .global_named("__ps_due")
            .unwrap_or_else(|| module.global("__ps_due", types.i64));
        let due = self.builder.load(types.i64, due);
        let work = self.load_slot(self.slots.work, types.i64);
        let condition = self.builder.icmp(IntPredicate::LLVMIntUGE, work, due);
        let before = self.nop();
        self.splits.push(PendingCode::LeaveCounted {
            condition,
            before,
            tracked: t,
            place,
        });
    }

    /// Whether functions run their native versions.
    fn is_off(&self) -> Value {
        let types = self.unit.types;
        let off = self.load_state(Field::Native, types.i32);
        self.builder
            .icmp(IntPredicate::LLVMIntNE, off, types.i32.zero())
    }

    /// Closes everything of this function and goes on in native code; `end` is the current block's terminator.
    pub(super) fn go_native(&mut self, end: Value, place: &SwitchHeader) {
        let types = self.unit.types;
        self.builder.before(end);
        let depth = self.builder.sub(self.depth, types.i64.int(1));
        let depth = self.builder.add(self.outer, depth);
        self.unit
            .call_runtime(&self.builder, "__ps_exit_to", types.void, &[depth]);
        if let Some(ways) = &self.ways {
            let (number, buffer) = (place.number, self.unit.buffer());
            analysis::go_on(end, place.on, number, &buffer, &place.live, ways.resumed);
        }
    }

    /// Reports the iterations so far of a loop that is counted in registers, and goes on natively if the burst is over.
    pub(super) fn leave_counted(&mut self, t: usize, end: Value, place: &SwitchHeader) {
        let types = self.unit.types;
        self.current = self.number[&self.loops[self.tracked[t].index].header];
        self.builder.before(end);
        self.save();
        // What lies above the loop's lane is of what ran before it, as at the loop's end.
        let level = types.i64.int(self.tracked[t].level as u64);
        let lane = self.builder.add(self.depth, level);
        let has_lane = self.builder.icmp(
            IntPredicate::LLVMIntULT,
            lane,
            types.i64.int(self.unit.clock.lanes() as u64),
        );
        let lane = self.builder.int_cast(lane, types.i32);
        let bit = self.builder.shl(types.i32.int(2), lane);
        let below = self.builder.sub(bit, types.i32.int(1));
        let all = types.i32.int(u32::MAX.into());
        let kept = self.builder.select(has_lane, below, all);
        let before = self.load_state(Field::Carried, types.i32);
        let before = self.builder.and(before, kept);
        let bits = self.counted_bits(t);
        self.store_state(Field::Carried, self.builder.or(before, bits));
        self.report_counted("__ps_loop_change", t);
        if let Some(slots) = &self.tracked[t].slots {
            self.builder.store(types.i64.zero(), slots.count);
        }
        self.unit
            .call_runtime(&self.builder, "__ps_check", types.void, &[]);
        self.take_bases();
        let out = analysis::split_if(self.is_off(), end);
        self.go_native(out, place);
    }
}
