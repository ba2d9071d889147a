//! A busy machine told apart: threads that were ready to run and had no processor, those that waited for them, and what
//! the run would look like without that. `docs/phases.md` (Busy machines) has the definitions.

use std::collections::BTreeMap;

use parascan_formats::omp::{NodeFigures, OverheadClass, Recording, RecordingGap, State};
use serde::Serialize;

use super::figures::TimeSummary;
use super::tree::JoinedTree;

/// From this share of the work, or of the time of all threads in waits, on, the machine is called busy.
const NOTICEABLE: f64 = 0.05;

/// How busy the machine was during the run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MachineLoad {
    /// Whether a reader must know.
    pub warn: bool,
    /// Processors that the program was allowed to use; 0 where that is not known.
    pub processors: u32,
    /// Nanoseconds during which threads worked, or were to come to a region, and had no processor; None where the
    /// kernel does not tell.
    pub no_processor: Option<u64>,
    /// The same over all work and the time of coming to regions, 0 to 1.
    pub share: Option<f64>,
    /// Nanoseconds by which waits of all threads were longer because threads had no processor, an estimate; None where
    /// that is not recorded.
    pub held_up: Option<u64>,
    /// Processor time of all threads in nanoseconds, as far as it was read; None in recordings without it.
    pub processor_time: Option<u64>,
    /// Switches of all threads away from a processor that they would have kept; None in recordings without it.
    pub involuntary_switches: Option<u64>,
    /// The whole run, had the threads always had a processor: an estimate. None where they always had one, as far as is
    /// known.
    pub without: Option<TimeSummary>,
}

/// What is known of the whole run.
pub fn busy(
    recording: &Recording,
    total: &TimeSummary,
    without: Option<TimeSummary>,
) -> MachineLoad {
    let known = !recording.blind.contains(&RecordingGap::NoSchedule);
    let records = recording.threads.iter().flat_map(|t| &t.records);
    let (mut lost, mut all, mut held_up) = (0u64, total.work, 0u64);
    for record in records {
        let figures = &record.figures;
        lost += figures.no_processor + figures.no_processor_fork;
        all += figures.time[State::Fork as usize];
        held_up += figures.held_up;
    }
    let share = (known && all > 0).then(|| lost as f64 / all as f64);
    let counter = |name: &str| {
        let at = recording.counters.iter().position(|c| c == name)?;
        let counted = recording.snapshots.iter().flat_map(|s| &s.counters);
        Some(counted.fold(0u64, |sum, c| sum.saturating_add(c.values[at])))
    };
    let processors = recording.run.processors;
    let crowded = processors > 0 && recording.threads.len() > processors as usize;
    MachineLoad {
        warn: crowded
            || share.is_some_and(|share| share >= NOTICEABLE)
            || total.part(held_up) >= NOTICEABLE,
        processors,
        no_processor: known.then_some(lost),
        share,
        held_up: tells(recording).then_some(held_up),
        processor_time: counter("cpu-time-ns"),
        involuntary_switches: counter("involuntary-switches"),
        without,
    }
}

/// Whether the recording has what the estimates need.
pub fn tells(recording: &Recording) -> bool {
    !recording.blind.contains(&RecordingGap::NoSchedule)
        && !recording.blind.contains(&RecordingGap::NoHoldUps)
}

/// States that others' delays make longer.
const WAITS: [State; 8] = [
    State::ImplicitBarrier,
    State::Barrier,
    State::Serial,
    State::Critical,
    State::Lock,
    State::Ordered,
    State::Atomic,
    State::TaskWait,
];

/// What a thread's figures would have been, had all threads always had a processor: an estimate. The times of all waits
/// together are shorter by [`NodeFigures::held_up`], in proportion (what is more than these was lost between tasks,
/// when there were some: [`State::Tasking`]), and the one that is largest is longer by [`NodeFigures::spared`].
pub fn undisturbed(figures: &NodeFigures) -> NodeFigures {
    let mut without = NodeFigures {
        no_processor: 0,
        no_processor_fork: 0,
        held_up: 0,
        spared: 0,
        ..figures.clone()
    };
    let time = &mut without.time;
    for (state, lost) in [
        (State::Work, figures.no_processor),
        (State::Fork, figures.no_processor_fork),
    ] {
        time[state as usize] = time[state as usize].saturating_sub(lost);
    }
    let of = |state: &State| figures.time[*state as usize];
    let mut waits: u64 = WAITS.iter().map(of).sum();
    let mut rest = figures.held_up.min(waits);
    for state in WAITS {
        let wait = of(&state);
        if wait > 0 {
            // The last one gets what the others' roundings left.
            let part = (u128::from(rest) * u128::from(wait) / u128::from(waits)) as u64;
            time[state as usize] -= part;
            rest -= part;
            waits -= wait;
        }
    }
    let more = figures.held_up.saturating_sub(WAITS.iter().map(of).sum());
    let tasking = &mut time[State::Tasking as usize];
    *tasking = tasking.saturating_sub(more);
    let longest = WAITS.iter().rev().max_by_key(|state| of(state));
    let longest = longest.map_or(State::ImplicitBarrier, |state| *state);
    time[longest as usize] = time[longest as usize].saturating_add(figures.spared);
    without
}

/// The summary of a part of the run of that wall time, had all threads always had a processor: an estimate. None where
/// nothing differs from what was.
///
/// The run is as much later behind the part as its initial thread is. But it takes no less than any of its threads
/// does: what was seen of the others may be less, and they would lose more than all of their time otherwise.
pub fn without<'a>(
    wall: u64,
    threads: u32,
    figures: impl Iterator<Item = (u32, &'a NodeFigures)>,
) -> Option<TimeSummary> {
    let mut differs = false;
    let mut behind = 0i128;
    let without: Vec<(u32, NodeFigures)> = figures
        .map(|(thread, figures)| {
            let lost = figures
                .no_processor
                .saturating_add(figures.no_processor_fork);
            let later = lost.saturating_add(figures.held_up);
            differs |= later > 0 || figures.spared > 0;
            if thread == 0 {
                behind += i128::from(later) - i128::from(figures.spared);
            }
            (thread, undisturbed(figures))
        })
        .collect();
    let wall = i128::from(wall).saturating_sub(behind).max(0);
    let mut each: BTreeMap<u32, u64> = BTreeMap::new();
    for (thread, figures) in &without {
        let sum = each.entry(*thread).or_default();
        let lost = OverheadClass::ALL.iter().map(|class| figures.lost(*class));
        *sum = lost.fold(
            sum.saturating_add(figures.time[State::Work as usize]),
            u64::saturating_add,
        );
    }
    let longest = each.into_values().max().unwrap_or(0);
    let wall = u64::try_from(wall).unwrap_or(u64::MAX).max(longest);
    differs.then(|| TimeSummary::new(wall, threads, without.iter().map(|(t, f)| (*t, f))))
}

/// The tree with such figures.
pub fn undisturbed_tree(tree: &JoinedTree) -> JoinedTree {
    let mut without = tree.clone();
    for node in &mut without.nodes {
        for (_, figures) in &mut node.threads {
            *figures = undisturbed(figures);
        }
    }
    without.add_up();
    without
}

#[cfg(test)]
mod tests {
    use parascan_formats::omp::synthetic::RunBuilder;
    use parascan_formats::omp::{
        Construct, NodeFigures, OverheadClass, Recording, RecordingGap, State,
    };

    use super::undisturbed;
    use crate::phases::conclusions::LossCause;
    use crate::phases::{PhaseOptions, Phases, phases};

    fn figures(times: &[(State, u64)]) -> NodeFigures {
        let mut figures = NodeFigures::default();
        for &(state, time) in times {
            figures.time[state as usize] = time;
        }
        figures
    }

    #[test]
    fn figures_without_what_a_busy_machine_did() {
        let mut was = figures(&[
            (State::Work, 100),
            (State::Fork, 30),
            (State::ImplicitBarrier, 50),
            (State::Serial, 25),
        ]);
        assert_eq!(undisturbed(&was), was);
        (was.no_processor, was.no_processor_fork) = (40, 10);
        (was.held_up, was.spared) = (30, 7);
        // 30 of 75 are 20 of 50 and 10 of 25.
        let expected = figures(&[
            (State::Work, 60),
            (State::Fork, 20),
            (State::ImplicitBarrier, 37),
            (State::Serial, 15),
        ]);
        assert_eq!(undisturbed(&was), expected);
        // What is more was lost between tasks, and never is it more than there is.
        was.time[State::Tasking as usize] = 60;
        was.held_up = 95;
        let without = undisturbed(&was).time;
        assert_eq!(without[State::Serial as usize], 0);
        assert_eq!(without[State::Tasking as usize], 40);
        was.held_up = 1000;
        assert_eq!(undisturbed(&was).time[State::Tasking as usize], 0);
        // Waits for tasks are waits.
        was = figures(&[(State::TaskWait, 50), (State::Tasking, 60)]);
        was.held_up = 20;
        let without = undisturbed(&was).time;
        assert_eq!(without[State::TaskWait as usize], 30);
        assert_eq!(without[State::Tasking as usize], 60);
    }

    fn analysed(run: RunBuilder) -> (Recording, Phases) {
        let recording = run.finish();
        assert_eq!(recording.validate(), Ok(()));
        let result = phases(&recording, &PhaseOptions::default()).unwrap();
        (recording, result)
    }

    /// Loops of a region, one after the other: of each thread its work, the part of that without a processor, its wait,
    /// and by how much that was longer or shorter.
    fn run(loops: &[[(u64, u64, u64, i64); 2]]) -> RunBuilder {
        let mut run = RunBuilder::new(2);
        run.enter(0, Construct::Parallel, "solve");
        run.adopt(1, 0);
        for one in loops {
            for (thread, &(work, without, wait, longer)) in one.iter().enumerate() {
                run.enter(thread, Construct::Loop, "sweep");
                run.iterations(thread, 10);
                run.spend(thread, State::Work, work);
                run.spend(thread, State::ImplicitBarrier, wait);
                run.figures(thread, |figures| {
                    figures.no_processor += without;
                    figures.held_up += longer.max(0) as u64;
                    figures.spared += (-longer).max(0) as u64;
                });
                run.leave(thread);
            }
        }
        run.release(1);
        run.leave(0);
        run
    }

    #[test]
    fn nothing_changes_where_nothing_was_missing() {
        let (_, result) = analysed(run(&[[(60, 0, 40, 0), (100, 0, 0, 0)]]));
        assert_eq!(result.busy.without, None);
        assert!(!result.busy.warn);
        assert_eq!(result.losses[0].lost, 40);
    }

    /// Both need 60; one is without a processor for 40, and the other waits for it.
    #[test]
    fn the_wait_for_a_thread_without_processor_goes() {
        let (_, result) = analysed(run(&[[(60, 0, 40, 40), (100, 40, 0, 0)]]));
        let without = result.busy.without.unwrap();
        assert_eq!((without.wall, without.work), (60, 120));
        assert_eq!(without.lost, [0; 4]);
        assert_eq!(without.parallel_efficiency, Some(1.0));
        assert!(result.busy.warn);
        assert_eq!(result.losses, []);
    }

    /// Each thread needs 60 for each of two loops. In the first one thread 1 is without a processor for 40, in the
    /// second thread 0: in sum they are equal, and still each waits for the other.
    #[test]
    fn threads_that_lose_their_processors_in_turn() {
        let (_, result) = analysed(run(&[
            [(60, 0, 40, 40), (100, 40, 0, 0)],
            [(100, 40, 0, 0), (60, 0, 40, 40)],
        ]));
        let without = result.busy.without.unwrap();
        assert_eq!((without.wall, without.lost), (120, [0; 4]));
        assert_eq!(result.total.lost, [0, 0, 0, 80]);
        assert_eq!(result.losses, []);
    }

    /// They need 60 and 80. The first is kept from its processor for 40, and the second waits 20 for it: the program
    /// itself makes the first wait 20.
    #[test]
    fn what_the_program_itself_does_unequally_stays() {
        let (_, result) = analysed(run(&[[(100, 40, 0, -20), (80, 0, 20, 20)]]));
        let without = result.busy.without.unwrap();
        assert_eq!((without.wall, without.lost), (80, [0, 0, 0, 20]));
        let loss = &result.losses[0];
        assert_eq!((loss.lost, loss.at_most), (20, 10));
        let LossCause::Imbalance(imbalance) = &loss.cause else {
            panic!("{loss:?}")
        };
        let works: Vec<u64> = imbalance.shares.iter().map(|s| s.work).collect();
        assert_eq!(works, [60, 80]);
        assert_eq!(imbalance.waits, [(0, 20), (1, 0)]);
    }

    /// Both need 50 for each of two loops. Thread 1 leaves the first barrier late by 30, though it was open: its wait
    /// is longer by that, and at the second barrier thread 0 waits for it.
    #[test]
    fn a_wait_that_ends_late_is_no_imbalance() {
        let (_, result) = analysed(run(&[
            [(50, 0, 0, 0), (50, 0, 30, 30)],
            [(50, 0, 30, 30), (50, 0, 0, 0)],
        ]));
        let without = result.busy.without.unwrap();
        assert_eq!((without.wall, without.lost), (100, [0; 4]));
        assert_eq!(result.total.lost[OverheadClass::Imbalance as usize], 60);
        assert_eq!(result.losses, []);
        // No thread was without a processor at work; what was lost in waits is enough for the warning.
        assert_eq!(
            (result.busy.share, result.busy.held_up),
            (Some(0.0), Some(60))
        );
        assert!(result.busy.warn);
    }

    /// Old recordings do not tell what waits were for: there is no estimate, and what is lost is as it was.
    #[test]
    fn recordings_that_do_not_tell() {
        let (mut recording, _) = analysed(run(&[[(60, 0, 40, 0), (100, 40, 0, 0)]]));
        recording.blind.push(RecordingGap::NoHoldUps);
        let result = phases(&recording, &PhaseOptions::default()).unwrap();
        assert_eq!((result.busy.without, result.busy.held_up), (None, None));
        assert!(result.busy.warn);
        assert_eq!(result.losses[0].lost, 40);
    }

    /// Thread 0 was without a processor for 60. Of thread 1, which waited for it, that was not seen (it was still in
    /// the wait when the recording ended): the run would have been no shorter than what it has of that thread.
    #[test]
    fn no_thread_takes_longer_than_the_run() {
        let (_, result) = analysed(run(&[[(100, 60, 0, 0), (20, 0, 80, 0)]]));
        let without = result.busy.without.unwrap();
        assert_eq!((without.wall, without.work, without.idle), (100, 60, 60));
        assert_eq!(without.lost, [0, 0, 0, 80]);
        assert_eq!(without.parallel_efficiency, Some(0.3));
    }

    #[test]
    fn serial_work_is_waited_for() {
        let mut run = RunBuilder::new(2);
        run.spend(0, State::Work, 100);
        run.figures(0, |figures| figures.no_processor += 30);
        let (_, result) = analysed(run);
        let without = result.busy.without.unwrap();
        assert_eq!((without.wall, without.work, without.idle), (70, 70, 70));
    }
}
