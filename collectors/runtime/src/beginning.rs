//! The beginning of a run in bursts, which is recorded as a whole run is: short programs have all of their figures, and the tree of
//! their instances.
//!
//! A schedule with a first burst has a beginning: most of that burst. When it is over (or takes too much memory), what the log has becomes
//! what the first burst saw, and that burst goes on to its end as others do, so that loops whose iterations end meanwhile have segments: how
//! far their critical path had come with the last whole iteration is not noted in the beginning. The tree is given up, and so are figures
//! of instances that had no clocks, for themselves or their children.
//!
//! It ends where a region is entered, or where a loop that is counted in registers asks. How the work of its instances varies is not known
//! ([`Part::early`](parascan_abi::log::Part::early)).

use parascan_abi::State;
use parascan_abi::log::{Context, FLAG_BURSTS};

use crate::bursts::{Bursts, Schedule};
use crate::regions::tracked;
use crate::tracker::Tracker;
use crate::{exports, growth};

/// What waits for the beginning's end.
pub(crate) struct Beginning {
    bursts: Bursts,
    /// Work at which it is over; 0 when it is.
    due: u64,
}

impl Beginning {
    pub(crate) fn new(schedule: Schedule) -> Self {
        let bursts = Bursts::from_the_beginning(schedule);
        Self {
            due: bursts.due - bursts.due / 5,
            bursts,
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.due == 0
    }

    /// Work at which to look again whether it is over.
    fn next(&self) -> u64 {
        self.due.min(self.bursts.growth.due())
    }
}

impl Tracker {
    /// Looks whether the beginning is over, at so much work. Regions are entered in the unusual way then, which ends it.
    pub(crate) fn look_at_beginning(&mut self, now: u64) {
        let Some(beginning) = &mut self.beginning else {
            return;
        };
        let growth = &mut beginning.bursts.growth;
        let far = now >= growth.due() && growth.is_too_far(now, growth::of_first() / 4 * 3);
        if far || now >= beginning.due {
            beginning.due = 0;
            self.enterable = 0;
        }
        self.ask_at_beginning();
    }

    /// Has boundaries and loops that are counted in registers look in time.
    pub(crate) fn ask_at_beginning(&mut self) {
        if let Some(beginning) = &self.beginning {
            let next = beginning.next().saturating_add(self.work_base);
            exports::ask_from(next);
            if !beginning.is_over() {
                self.next_check = self.next_check.min(next);
            }
        }
    }

    /// Ends the beginning if it is over: the first burst goes on from here.
    pub(crate) fn end_beginning(&mut self, state: &State) {
        let now = state.work.wrapping_sub(self.work_base);
        self.look_at_beginning(now);
        let Some(beginning) = self.beginning.take_if(|beginning| beginning.is_over()) else {
            return;
        };
        self.bursts = Some(beginning.bursts);
        self.log.flag(FLAG_BURSTS);
        self.set_folded(self.folded);
        for index in 1..self.log.contexts.len() {
            self.take_over(index);
        }
        for index in 0..self.options.max_depth {
            self.log.frames.at(index).scratch = [0; 9];
        }
        // The tree ends here, without a root.
        self.builders.clear(self.options.max_depth);
        self.ask_in_time();
    }

    /// What was recorded of a context is what the first burst saw of it.
    fn take_over(&mut self, index: u32) {
        let context = *self.log.contexts.at(index);
        self.count_instances(index, context.instances, context.work);
        self.sample(index, context.work);
        let lane = i64::from(context.depth) - i64::from(self.options.start_level);
        let measured =
            tracked(lane).is_some() && (context.children == 0 || tracked(lane + 1).is_some());
        if !measured {
            *self.log.contexts.at(index) = Context {
                instances: 0,
                work: 0,
                cp: 0,
                cp_max: 0,
                child_work: 0,
                child_cp: 0,
                children: 0,
                children_min: 0,
                children_max: 0,
                gap: 0,
                gap_max: 0,
                multi: 0,
                multi_flat: 0,
                parallel_time: 0.0,
                carried: 0,
                ..context
            };
        } else if let Some(part) = self.part(index) {
            part.early = context.instances;
            part.early_own = context.work.saturating_sub(context.child_work);
        }
    }
}
