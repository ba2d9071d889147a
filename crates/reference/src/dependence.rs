//! Dependences between the iterations of a loop, from their definition: who wrote and who read a place last.
//!
//! The clock numbers region instances in the order in which they begin. The *moment* of an event is the number of
//! instances that had begun before it, so that it lies in an instance that is still open if it is not below the
//! instance's number, and before the innermost of them that it does not lie in if it is below that one's. Times have no
//! part in this.

use parascan_formats::profile::Context;

use crate::clock::Clock;
pub use crate::history::{CarriedKinds, History, Moment, Reduced, ReductionRead};

impl Clock {
    /// A place is read; `scope`: in a reduction in memory.
    pub(crate) fn read(&mut self, place: &mut History, scope: Option<ReductionRead>) {
        if let Some(depth) = place.written.and_then(|w| self.around(w)) {
            if scope.is_none_or(|s| depth < s.depth) {
                self.carried(depth).flow = true;
            } else if scope.is_some_and(|s| s.watching) {
                self.reduced(depth).met = true;
            }
        }
        let now = self.now();
        if place.read.last() != Some(&now) {
            place.read.push(now);
        }
    }

    /// A place is read which the loop at a depth reduces: where its iterations meet in one, nothing that it wrote since
    /// it began is to be seen.
    pub(crate) fn watch(&mut self, place: &History, depth: usize) {
        if place.written.is_some_and(|w| self.lies_in(w, depth)) {
            self.reduced(depth).watched = true;
        }
    }

    /// A place is written.
    pub(crate) fn write(&mut self, place: &mut History) {
        if let Some(depth) = place.written.and_then(|w| self.around(w)) {
            self.carried(depth).output = true;
        }
        for moment in std::mem::take(&mut place.read) {
            if let Some(depth) = self.around(moment) {
                self.carried(depth).anti = true;
            }
        }
        place.written = Some(self.now());
    }
}

/// Keeps what was found for loops only, and enters the carried flow dependences in their contexts.
pub(crate) fn of_loops(
    contexts: &mut [Context],
    carried: &mut [CarriedKinds<u64>],
    is_loop: impl Fn(u32) -> bool,
) {
    for (number, (context, counts)) in contexts.iter_mut().zip(carried).enumerate() {
        if number > 0 && is_loop(context.region) {
            context.carried = Some(counts.flow);
        } else {
            *counts = CarriedKinds::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was counted for instances of region 1, the loop; region 2 are its iterations, region 0 is around.
    fn of_the_loop(clock: Clock) -> CarriedKinds<u64> {
        let (_, contexts, carried) = clock.finish();
        let n = contexts.iter().position(|c| c.region == 1);
        n.map(|n| carried[n]).unwrap_or_default()
    }

    /// A clock in the first iteration of a loop.
    fn first() -> Clock {
        let mut clock = Clock::default();
        clock.enter(0);
        clock.enter(1);
        clock.enter(2);
        clock
    }

    /// On to the next iteration.
    fn next(clock: &mut Clock) {
        clock.exit_to(2);
        clock.enter(2);
    }

    #[test]
    fn what_the_same_iteration_wrote_is_not_carried() {
        let mut clock = first();
        let mut place = History::default();
        for _ in 0..3 {
            clock.write(&mut place);
            clock.enter(3); // something inside the iteration
            clock.read(&mut place, None);
            next(&mut clock);
        }
        let found = of_the_loop(clock);
        assert_eq!((found.flow, found.output, found.anti), (0, 1, 1));
    }

    #[test]
    fn instances_are_counted_once_and_apart() {
        let mut clock = first();
        let mut place = History::default();
        clock.write(&mut place);
        for _ in 0..2 {
            next(&mut clock);
            clock.read(&mut place, None);
        }
        clock.exit_to(1);
        // Another instance reads what the first one wrote.
        clock.enter(1);
        clock.enter(2);
        clock.read(&mut place, None);
        next(&mut clock);
        clock.read(&mut place, None);
        let found = of_the_loop(clock);
        assert_eq!((found.flow, found.output, found.anti), (1, 0, 0));
    }

    #[test]
    fn an_overwritten_read_is_forgotten() {
        let mut clock = first();
        let mut place = History::default();
        clock.read(&mut place, None);
        next(&mut clock);
        clock.write(&mut place); // anti
        clock.exit_to(1);
        clock.enter(1);
        clock.enter(2);
        clock.read(&mut place, None);
        clock.write(&mut place);
        next(&mut clock);
        clock.write(&mut place); // output only: the read was the writing iteration's own business
        let found = of_the_loop(clock);
        assert_eq!((found.flow, found.output, found.anti), (0, 1, 1));
    }

    /// Updates and watched reads of a place, in a loop that begins before or behind the first update.
    fn watched(updates: usize, inside: bool) -> u64 {
        let scope = Some(ReductionRead {
            depth: 1,
            watching: true,
        });
        let mut place = History::default();
        let mut clock = Clock::default();
        clock.enter(0);
        if !inside {
            clock.write(&mut place);
        }
        clock.enter(1);
        clock.enter(2);
        for _ in 0..updates {
            clock.read(&mut place, scope);
            if inside {
                clock.write(&mut place);
            }
            clock.watch(&place, 1);
            next(&mut clock);
        }
        of_the_loop(clock).flow
    }

    #[test]
    fn a_watched_read_sees_its_own_iteration_too_where_iterations_meet() {
        assert_eq!(watched(1, true), 0);
        assert_eq!(watched(2, true), 1);
        assert_eq!(watched(2, false), 0);
    }

    #[test]
    fn reads_of_a_reduction_count_around_its_scope() {
        for (depth, expected) in [(None, 1), (Some(1), 0), (Some(2), 1)] {
            let scope = depth.map(|depth| ReductionRead {
                depth,
                watching: false,
            });
            let mut clock = first();
            let mut place = History::default();
            clock.write(&mut place);
            next(&mut clock);
            clock.read(&mut place, scope);
            assert_eq!(of_the_loop(clock).flow, expected);
        }
    }
}
