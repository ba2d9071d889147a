//! The beginning of a run in bursts, which is recorded as a whole run is: short programs have all of their figures, and
//! the tree of their instances.
//!
//! A schedule with a first burst has a beginning: most of that burst. When it is over (or takes too much memory, or
//! clocks have come far), what the log has becomes what the first burst saw, and that burst goes on to its end as
//! others do, so that loops whose iterations end meanwhile have segments: how far their critical path had come with the
//! last whole iteration is not noted in the beginning. The tree is given up, and so are figures of instances that had
//! no clocks, for themselves or their children.
//!
//! It ends where a region is entered, or where a loop that is counted in registers asks. How the work of its instances
//! varies is not known ([`BurstPart::early`](parascan_abi::log::BurstPart::early)).

use parascan_abi::log::{Context, FLAG_BURSTS};
use parascan_abi::{OVERFLOW_LIMIT, State};

use crate::bursts::largest;
use crate::regions::tracked;
use crate::switches;
use crate::timing::Beginning;
use crate::tracker::RegionTracker;

impl RegionTracker {
    /// Looks whether the beginning is over. Regions are entered in the unusual way then, which ends it.
    pub(crate) fn look_at_beginning(&mut self, state: &State) {
        let Some(beginning) = &mut self.beginning else {
            return;
        };
        beginning.look(state.work.wrapping_sub(self.work_base), largest(state));
        if beginning.over {
            self.enterable = 0;
        }
        self.ask_at_beginning();
    }

    /// Has the beginning end as soon as possible, and the first burst with it, if it is not as long as clocks allow;
    /// whether it does.
    pub(crate) fn ends_beginning(&mut self) -> bool {
        let Some(beginning) = self.beginning.as_mut().filter(|it| !it.endless) else {
            return false;
        };
        beginning.over = true;
        beginning.bursts.growth.end();
        self.enterable = 0;
        self.ask_at_beginning();
        true
    }

    /// Has boundaries and loops that are counted in registers look in time.
    pub(crate) fn ask_at_beginning(&mut self) {
        if let Some(beginning) = &self.beginning {
            let next = beginning.next().saturating_add(self.work_base);
            switches::ask_from(next);
            if !beginning.over {
                self.next_check = self.next_check.min(next);
            }
        }
    }

    /// Ends the beginning if it is over: the first burst goes on from here.
    pub(crate) fn end_beginning(&mut self, state: &State) {
        self.look_at_beginning(state);
        let Some(Beginning { mut bursts, .. }) = self.beginning.take_if(|it| it.over) else {
            return;
        };
        let room = OVERFLOW_LIMIT.saturating_sub(largest(state));
        bursts.go_on_after(state.work.wrapping_sub(self.work_base), room);
        self.bursts = Some(bursts);
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
