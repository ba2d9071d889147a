//! Logs into profiles: merged ranges equal one deep run, killed runs are closed, differing runs are found out.

mod common;

use common::image::Writer;
use common::simulate::{Event, REGIONS, Range, Stop, events, log};
use parascan_abi::log as abi;
use parascan_formats::build::{BuildError, build};
use parascan_formats::codec::{decode, encode};
use parascan_formats::log::RawLog;
use parascan_formats::module::RegionKind;
use parascan_formats::profile::{Caveat, End, Profile, Provenance};
use proptest::prelude::*;

const ALL: Range = Range {
    start: 0,
    lanes: 64,
    max_depth: 64,
};

fn parse(log: &Writer) -> RawLog {
    RawLog::parse(&log.image()).unwrap()
}

fn profile(logs: &[Writer]) -> Profile {
    let logs: Vec<RawLog> = logs.iter().map(parse).collect();
    build(&logs, Provenance::default(), End::Exited(0)).unwrap()
}

/// Logs of runs with `lanes` lanes each that cover `depth` levels, overlapping by one, and record one level more.
fn ranges(events: &[Event], lanes: u32, max_depth: u32, depth: u32) -> Vec<Writer> {
    let starts = (0..depth.max(1)).step_by(lanes as usize - 1);
    starts
        .map(|start| {
            log(
                events,
                Range {
                    start,
                    lanes,
                    max_depth: max_depth.min(start + lanes + 1),
                },
                Stop::Never,
            )
        })
        .collect()
}

fn leaf(region: u32, self_work: u64, cp: u32) -> Event {
    Event {
        region,
        self_work,
        cp,
        count: 1,
        children: Vec::new(),
    }
}

proptest! {
    /// The law of level ranges: bit for bit what one deep run would have given.
    #[test]
    fn merged_ranges_equal_one_deep_run(events in events(), lanes in 2..5u32, max_depth in 3..12u32) {
        let deep = profile(&[log(&events, Range { max_depth, ..ALL }, Stop::Never)]);
        let mut logs = ranges(&events, lanes, max_depth, 12);
        logs.reverse();
        let merged = profile(&logs);
        let runs = merged.provenance.runs;
        prop_assert_eq!(runs, logs.len() as u32);
        let merged = Profile { provenance: Provenance { runs: 1, ..merged.provenance }, ..merged };
        prop_assert_eq!(&merged, &deep);
        prop_assert!(deep.contexts.iter().all(|c| c.tracked && c.children_tracked));
        prop_assert_eq!(decode(&encode(&deep).unwrap()).unwrap(), deep);
    }

    /// A killed run has the figures of one that left by `exit` at the same moment.
    #[test]
    fn killed_runs_are_closed(events in events(), at in 1..30usize, start in 0..3u32, lanes in 1..6u32) {
        let range = Range { start, lanes, max_depth: 9 };
        let killed = log(&events, range, Stop::Kill(at));
        let left = log(&events, range, Stop::Exit(at));
        prop_assume!(killed.state == abi::RUNNING);
        let (killed, left) = (profile(&[killed]), profile(&[left]));
        prop_assert!(killed.caveats.contains(&Caveat::Partial));
        prop_assert_eq!(&killed.contexts, &left.contexts);
        prop_assert_eq!((killed.work, killed.critical_path), (left.work, left.critical_path));
        let covered = |p: &Profile| p.tree.root.iter().map(|r| r.count * p.tree.symbols[r.symbol as usize].work).sum::<u64>();
        prop_assert_eq!(covered(&killed), covered(&left));
        let instances = |p: &Profile| p.tree.root.iter().map(|r| r.count * p.tree.symbols[r.symbol as usize].summarised).sum::<u64>();
        prop_assert_eq!(instances(&killed), instances(&left));
    }

    /// Whatever the program writes over its log: an error or a valid profile.
    #[test]
    fn scribbled_logs_do_no_harm(
        events in events(),
        writes in prop::collection::vec((0..8usize, any::<prop::sample::Index>(), any::<[u8; 4]>(), any::<bool>()), 1..6),
        kill in any::<bool>(),
    ) {
        let stop = if kill { Stop::Kill(4) } else { Stop::Never };
        let mut image = log(&events, Range { start: 1, lanes: 3, max_depth: 9 }, stop).image();
        for (stretch, position, bytes, word) in writes {
            let (_, stretch) = &mut image.stretches[stretch];
            if stretch.len() >= 4 {
                // Whole words, small or arbitrary: most bytes of a word belong to small numbers.
                let position = position.index(stretch.len() - 3) / 4 * 4;
                let bytes = if word { bytes } else { [bytes[0] % 16, 0, 0, 0] };
                stretch[position..position + 4].copy_from_slice(&bytes);
            }
        }
        if let Ok(log) = RawLog::parse(&image)
            && let Ok(profile) = build(&[log.clone(), log], Provenance::default(), End::Unknown)
        {
            prop_assert_eq!(profile.validate(), Ok(()));
        }
    }
}

/// Lists beyond `MAX_SEQUENCE` are summarised in the deep run; no single range needs to, or all do.
#[test]
fn long_lists_are_summarised_alike() {
    // 2000 instances that differ in work: summarised in every run.
    let by_work: Vec<_> = (0..2000).map(|i| leaf(0, i, 1)).collect();
    // 2000 that differ in critical path only: told apart where depth 1 is tracked.
    let by_cp: Vec<_> = (0..2000).map(|i| leaf(0, 5, i)).collect();
    // Told apart by their own critical path or by one two levels below: each alone makes some 700 runs, both 1400.
    let by_both: Vec<_> = (0..1400u32)
        .map(|i| Event {
            children: vec![Event {
                children: vec![leaf(1, 1, i.div_ceil(2) % 2)],
                ..leaf(2, 1, 1)
            }],
            ..leaf(0, 5, i / 2 % 2)
        })
        .collect();
    let lists = |log: &Writer| log.sequences.iter().map(|&(_, len)| len).max();
    let events = [Event {
        children: by_both.clone(),
        ..leaf(4, 1, 1)
    }];
    for log in ranges(&events, 2, 64, 4) {
        assert!(lists(&log).is_some_and(|len| len <= abi::MAX_SEQUENCE && len != 1));
    }
    for (index, children) in [by_work, by_cp, by_both].into_iter().enumerate() {
        let events = [Event {
            children,
            ..leaf(4, 1, 1)
        }];
        let deep = profile(&[log(&events, ALL, Stop::Never)]);
        let merged = profile(&ranges(&events, 2, 64, 4));
        assert_eq!(merged.tree, deep.tree, "case {index}");
        assert_eq!(merged.contexts, deep.contexts);
        let root = &deep.tree.symbols[deep.tree.root[0].symbol as usize];
        assert_eq!(root.children.len(), 1);
        assert!(deep.tree.symbols[root.children[0].symbol as usize].summarised >= 1200);
        assert_eq!(deep.caveats, []);
    }
}

#[test]
fn one_range_says_what_it_did_not_track() {
    let events = [Event {
        children: vec![Event {
            children: vec![leaf(0, 1, 1)],
            ..leaf(1, 1, 2)
        }],
        ..leaf(0, 1, 3)
    }];
    let one = profile(&[log(
        &events,
        Range {
            start: 0,
            lanes: 2,
            max_depth: 64,
        },
        Stop::Never,
    )]);
    let tracked: Vec<_> = one
        .contexts
        .iter()
        .map(|c| (c.tracked, c.children_tracked))
        .collect();
    assert_eq!(
        tracked,
        [(true, true), (true, true), (true, false), (false, false)]
    );
    assert_eq!(one.caveats, [Caveat::NotTracked(2)]);
    assert_eq!(
        (one.provenance.end_level, one.provenance.depth_reached),
        (Some(2), 3)
    );
    let inner = profile(&[log(
        &events,
        Range {
            start: 1,
            lanes: 5,
            max_depth: 64,
        },
        Stop::Never,
    )]);
    assert_eq!(
        (inner.provenance.first_level, inner.provenance.end_level),
        (1, None)
    );
    assert!(
        !inner.contexts[0].tracked
            && !inner.contexts[1].tracked
            && inner.contexts[2].children_tracked
    );
    assert_eq!(
        (inner.contexts[1].cp, inner.contexts[1].parallel_time),
        (0, 0.0)
    );
}

#[test]
fn folded_iterations_need_no_lane() {
    let iterations = Event {
        count: 10,
        ..leaf(3, 7, 5)
    };
    let events = [Event {
        children: vec![iterations],
        ..leaf(1, 2, 6)
    }];
    let one = profile(&[log(
        &events,
        Range {
            start: 0,
            lanes: 1,
            max_depth: 64,
        },
        Stop::Never,
    )]);
    assert!(one.contexts.iter().all(|c| c.tracked && c.children_tracked));
    assert_eq!(one.contexts[1].child_cp, 50);
    assert_eq!(
        (one.caveats.as_slice(), one.provenance.end_level),
        (&[][..], None)
    );
}

#[test]
fn runs_that_differ_are_not_merged() {
    let run = |start, work, child| {
        let events = [Event {
            children: vec![leaf(child, work, 2)],
            ..leaf(0, 1, 3)
        }];
        log(
            &events,
            Range {
                start,
                lanes: 2,
                max_depth: 64,
            },
            Stop::Never,
        )
    };
    let differs = |logs: &[Writer]| {
        let profile = profile(logs);
        let alone = self::profile(&logs[..1]);
        assert_eq!(
            (&profile.contexts, &profile.tree),
            (&alone.contexts, &alone.tree)
        );
        assert_eq!(profile.provenance.runs, 2);
        match profile.caveats.last() {
            Some(Caveat::RunsDiffer(how)) => how.clone(),
            other => panic!("{other:?}"),
        }
    };
    let how = differs(&[run(0, 5, 1), run(1, 6, 1)]);
    assert_eq!(
        how,
        "the work of function f0 (a.c:0) is 6 with levels 0..2 and 7 with levels 1..3"
    );
    let how = differs(&[run(0, 5, 1), run(1, 5, 4)]);
    assert_eq!(
        how,
        "the loop in f1 (a.c:10) was entered with levels 0..2, function f4 (a.c:40) with levels 1..3"
    );
    let mut other = run(1, 5, 1);
    other.modules.pop();
    other.calls.truncate(3);
    assert!(differs(&[run(0, 5, 1), other]).contains("number of modules is 2"));
    // Both track depth 1 and disagree about its critical path.
    let clocked = |start, cp| {
        let events = [Event {
            children: vec![leaf(1, 9, cp)],
            ..leaf(0, 1, 3)
        }];
        log(
            &events,
            Range {
                start,
                lanes: 2,
                max_depth: 64,
            },
            Stop::Never,
        )
    };
    let how = differs(&[clocked(0, 4), clocked(1, 5)]);
    assert_eq!(
        how,
        "the critical path of the loop in f1 (a.c:10) is 4 with levels 0..2 and 5 with levels 1..3"
    );
}

/// Runs that differ by little are put together: each figure from the run that knows it.
#[test]
fn runs_that_differ_by_little_are_put_together() {
    // Depths 0 to 3; an instance at depth 1 comes in one run only, and one at depth 2.
    let run = |start, more: u64, extra: Option<u32>| {
        let inner = Event {
            children: vec![leaf(3, 5_000 + more, 100)],
            ..leaf(2, 1_000, 30)
        };
        let mut middle = Event {
            children: vec![inner],
            ..leaf(1, 1_000, 40)
        };
        middle
            .children
            .extend(extra.map(|region| leaf(region, 20, 7)));
        let events = [Event {
            children: vec![middle],
            ..leaf(0, 1_000, 50)
        }];
        let range = Range {
            start,
            lanes: 2,
            max_depth: start + 3,
        };
        log(&events, range, Stop::Never)
    };
    let exact = profile(&[run(0, 0, None), run(1, 0, None), run(2, 0, None)]);
    let merged = profile(&[run(0, 0, None), run(1, 0, Some(4)), run(2, 4, Some(8))]);
    let [Caveat::TreeSummarised, Caveat::RunsVary { millionths }] = merged.caveats[..] else {
        panic!("{:?}", merged.caveats);
    };
    // The extra regions: 20 of some 8000.
    assert!((2_400..3_100).contains(&millionths), "{millionths}");
    assert_eq!((merged.work, merged.provenance.runs), (8_000, 3));
    assert_eq!(merged.provenance.end_level, None);
    let of = |profile: &Profile, region| {
        let mut all = profile.contexts.iter().skip(1);
        all.find(|c| c.region == region).cloned()
    };
    for region in 0..4 {
        let (a, b) = (of(&merged, region).unwrap(), of(&exact, region).unwrap());
        assert!(a.tracked && a.children_tracked, "{region}");
        assert_eq!((a.depth, a.instances), (b.depth, b.instances));
    }
    assert_eq!(of(&merged, 3).unwrap().work, 5_004);
    // Each of the two is in one run.
    assert_eq!(of(&merged, 4).unwrap().work, 20);
    assert_eq!(of(&merged, 8).unwrap().work, 20);
    // What the first run did not record is a sum.
    assert_eq!(merged.tree.symbols.len(), 3);
    assert_eq!(decode(&encode(&merged).unwrap()).unwrap(), merged);
    // Other order, other calls of unknown functions: nothing that is measured.
    let ordered = |start, works: [u64; 2]| {
        let events = [Event {
            children: works.map(|work| leaf(1, work, 2)).to_vec(),
            ..leaf(0, 1, 3)
        }];
        let range = Range {
            start,
            lanes: 2,
            max_depth: 64,
        };
        log(&events, range, Stop::Never)
    };
    let mut other = ordered(1, [2, 1]);
    other.calls[1] = 9;
    let merged = profile(&[ordered(0, [1, 2]), other]);
    assert!(merged.caveats.contains(&Caveat::RunsVary { millionths: 0 }));
    // Too much: a hundredth and more.
    let apart = profile(&[run(0, 0, None), run(1, 90, None)]);
    assert!(matches!(apart.caveats.last(), Some(Caveat::RunsDiffer(_))));
}

#[test]
fn static_parts_are_joined() {
    let profile = profile(&[log(&[leaf(6, 1, 1)], ALL, Stop::Never)]);
    assert_eq!(profile.modules.len(), 2);
    assert_eq!(profile.regions.len() as u32, REGIONS);
    assert_eq!(profile.regions[5].module, 1);
    assert_eq!(
        (
            profile.regions[5].fixed.parent,
            profile.regions[7].fixed.parent
        ),
        (None, Some(6))
    );
    assert_eq!(profile.regions[6].fixed.kind, RegionKind::Iteration);
    assert_eq!(profile.contexts[1].region, 6);
    let spots: Vec<_> = profile
        .blind_spots
        .iter()
        .map(|b| (b.callee.as_str(), b.calls))
        .collect();
    let called = [("puts", 7), ("(indirect)", 1), ("add(int)", 1)];
    assert_eq!(spots[..3], called);
    assert_eq!(spots[3..], [("never", 0)]);
}

#[test]
fn flags_become_caveats() {
    let mut flagged = log(&[leaf(0, 1, 1)], ALL, Stop::Never);
    flagged.flags = 0b1111_1101;
    flagged.threads = 2;
    flagged.folded = 10;
    let expected = [
        Caveat::Threads(2),
        Caveat::Folded {
            entries: 10,
            depth: 64,
        },
        Caveat::TreeSummarised,
        Caveat::ContextsFull,
        Caveat::LogFull,
        Caveat::ForeignModule,
        Caveat::ShadowAlias,
    ];
    assert_eq!(profile(&[flagged.clone()]).caveats, expected);
    assert_eq!(
        build(&[], Provenance::default(), End::Unknown).unwrap_err(),
        BuildError::NoLog
    );
}

/// Where clocks were full the first run has what was measured before; later ones, which got less far, are left out.
#[test]
fn full_clocks_end_what_is_measured() {
    let events = [Event {
        children: vec![leaf(1, 5, 2)],
        ..leaf(0, 1, 3)
    }];
    let run = |start, flags| {
        let range = Range {
            start,
            lanes: 1,
            max_depth: start + 2,
        };
        let mut run = log(&events, range, Stop::Never);
        run.flags |= flags;
        run.total = 600;
        run
    };
    let full = |logs: &[Writer]| {
        let profile = profile(logs);
        (profile.work, profile.provenance.runs, profile.caveats)
    };
    let caveat = |left_out| Caveat::ClocksFull {
        work: 6,
        total: Some(600),
        left_out,
    };
    let over = abi::FLAG_OVERFLOW;
    assert_eq!(
        full(&[run(0, over), run(1, over)]),
        (6, 1, vec![Caveat::NotTracked(1), caveat(None)])
    );
    assert_eq!(
        full(&[run(0, 0), run(1, over)]),
        (6, 1, vec![Caveat::NotTracked(1), caveat(Some(1))])
    );
    assert_eq!(full(&[run(0, 0), run(1, 0)]), (6, 2, vec![]));
    // Nothing was measured.
    let nothing = log(&[leaf(0, 0, 0)], ALL, Stop::Never);
    let nothing = Writer {
        flags: over,
        ..nothing
    };
    let error = build(&[parse(&nothing)], Provenance::default(), End::Exited(0)).unwrap_err();
    assert_eq!(error, BuildError::Overflow);
}

/// What one dictionary had no room for, another may have listed: the first run's list is kept.
#[test]
fn full_dictionaries_do_not_prevent_merging() {
    let events = [Event {
        children: vec![leaf(1, 1, 2), leaf(2, 1, 2)],
        ..leaf(0, 1, 3)
    }];
    let run = |start| {
        log(
            &events,
            Range {
                start,
                lanes: 2,
                max_depth: 64,
            },
            Stop::Never,
        )
    };
    let mut full = run(1);
    full.flags = abi::FLAG_DICTIONARY_FULL;
    let top = full.runs[full.sequences[full.root_sequence as usize].0 as usize].0 as usize;
    let list = u32::from_le_bytes(full.symbols[top].0[4..8].try_into().unwrap());
    full.sequences[list as usize].1 = 1;
    let merged = profile(&[run(0), full]);
    assert_eq!(merged.caveats, [Caveat::TreeSummarised]);
    let deep = profile(&[log(&events, ALL, Stop::Never)]);
    assert_eq!(merged.tree, deep.tree);
    assert_eq!(merged.contexts, deep.contexts);
}
