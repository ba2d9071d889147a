//! Logs that are none, or of another version, or damaged: each is refused with the reason and the place.

mod common;

use std::mem::offset_of;

use common::image::Image;
use common::simulate::{Event, Range, Stop, log};
use parascan_abi::log as abi;
use parascan_formats::log::{LogError, RawLog, RunProgress};

fn image(stop: Stop) -> Image {
    let leaf = Event {
        region: 1,
        self_work: 3,
        cp: 2,
        count: 2,
        children: Vec::new(),
    };
    let main = Event {
        region: 0,
        self_work: 5,
        cp: 4,
        count: 1,
        children: vec![leaf],
    };
    log(
        &[main],
        Range {
            start: 0,
            lanes: 8,
            max_depth: 64,
        },
        stop,
    )
    .image()
}

fn with(stop: Stop, offset: u64, bytes: &[u8]) -> String {
    let mut image = image(stop);
    image.write(offset, bytes);
    RawLog::parse(&image).unwrap_err().to_string()
}

/// A run that goes on is looked at without reading all of its log.
#[test]
fn a_glance_says_how_far_a_run_has_come() {
    let mut image = image(Stop::Kill(2));
    let regions = 2;
    let found = RunProgress::read(&image).unwrap();
    assert_eq!(
        found,
        RunProgress {
            bursts: None,
            regions
        }
    );
    let flags = offset_of!(abi::Header, flags) as u64;
    image.write(flags, &abi::FLAG_BURSTS.to_le_bytes());
    let number = abi::OFF_PARTS + offset_of!(abi::BurstPart, instances) as u64;
    image.stretches.push((number, 7_u64.to_le_bytes().to_vec()));
    let share = abi::OFF_PARTS + offset_of!(abi::BurstPart, shares) as u64;
    image
        .stretches
        .push((share, 0.25_f64.to_le_bytes().to_vec()));
    image.length = image.length.max(abi::FILE_SIZE);
    let bursts = Some((7, 0.25));
    assert_eq!(
        RunProgress::read(&image).unwrap(),
        RunProgress { bursts, regions }
    );
    assert!(matches!(
        RunProgress::read(&b"hello"[..]),
        Err(LogError::NotALog)
    ));
}

#[test]
fn other_files_are_refused() {
    assert!(matches!(
        RawLog::parse(&b"hello"[..]),
        Err(LogError::NotALog)
    ));
    assert!(matches!(
        RawLog::parse(&[0; 1 << 16][..]),
        Err(LogError::NotALog)
    ));
    let mut short = image(Stop::Never);
    short.length = abi::OFF_CONTEXTS;
    assert!(matches!(
        RawLog::parse(&short),
        Err(LogError::Read {
            offset: abi::OFF_CONTEXTS,
            ..
        })
    ));
    let message = with(Stop::Never, 8, &99u32.to_le_bytes());
    assert!(
        message.contains("ABI 99") && message.contains("build the program again"),
        "{message}"
    );
}

#[test]
fn corrupt_entries_are_named() {
    let huge = u32::MAX.to_le_bytes();
    let context = |index: u64, field: u64| abi::OFF_CONTEXTS + index * 192 + field;
    for (offset, bytes, expected) in [
        (
            12,
            &huge[..],
            "damaged at offset 0xc: the state is 4294967295, possible are 0 to 1",
        ),
        (24, &[7, 0, 0, 0], "a tick has 7 bits"),
        (28, &huge, "number of lanes"),
        (32, &huge, "first level"),
        (36, &huge, "maximum depth"),
        (48, &huge, "number of contexts"),
        (48, &[0, 0, 0, 0], "number of contexts is 0"),
        (52, &huge, "number of symbols"),
        (56, &huge, "number of sequences"),
        (60, &huge, "number of runs"),
        (71, &[1], "length of modules"),
        (76, &huge, "number of blind spots"),
        (80, &huge, "number of frames"),
        (96, &huge, "root sequence"),
        (context(0, 4), &[0; 4], "context 0 is not the program"),
        (
            context(2, 0),
            &huge,
            "context 2 does not come after its parent",
        ),
        (
            context(2, 0),
            &[0; 4],
            "context 2 does not have its parent's depth",
        ),
        (
            context(2, 4),
            &[99, 0, 0, 0],
            "context 2 has a region that does not exist",
        ),
        (
            context(1, 128),
            &f64::NAN.to_le_bytes(),
            "context 1 has a parallel time",
        ),
        (abi::OFF_RUNS, &huge, "run 0 is of symbol 4294967295"),
        (abi::OFF_RUNS + 8, &[0; 8], "run 0 is of symbol 1, 0 times"),
        (
            abi::OFF_SEQUENCES + 12,
            &huge,
            "sequence 1 is 4294967295 runs from 0 on",
        ),
        (
            abi::OFF_SYMBOLS + 32,
            &huge,
            "symbol 1 has a region or children",
        ),
        (
            abi::OFF_SYMBOLS + 32 + 4,
            &[1, 0, 0, 0],
            "symbol 1 has a region or children",
        ),
        (
            abi::OFF_SYMBOLS + 32 + 24,
            &[0; 8],
            "symbol 1 has a region or children",
        ),
        (abi::OFF_MODULES + 16, &huge, "counters beyond their table"),
        (abi::OFF_MODULES + 24, &huge, "record is longer"),
        (
            abi::OFF_MODULES + 4,
            &[1, 0, 0, 0],
            "does not have the parts",
        ),
        (abi::OFF_MODULES + 8, &huge, "never counted"),
        (
            abi::OFF_MODULES + 32,
            &huge,
            "module 0 was built by another version",
        ),
    ] {
        let message = with(Stop::Never, offset, bytes);
        assert!(
            message.contains(expected),
            "{message}\nexpected: {expected}"
        );
    }
    let message = with(Stop::Kill(2), abi::OFF_FRAMES, &[2, 0, 0, 0]);
    assert!(message.contains("open region 0 is not inside"), "{message}");
}

#[test]
fn a_killed_run_is_closed_at_its_last_boundary() {
    let log = RawLog::parse(&image(Stop::Kill(3))).unwrap();
    assert!(!log.finished);
    // main was half way (2 of 4), its first child complete, the second half way (1 of 2).
    let figures: Vec<_> = log
        .contexts
        .iter()
        .map(|c| (c.instances, c.work, c.cp, c.child_cp))
        .collect();
    assert_eq!(figures[1..], [(1, 11, 2, 3), (2, 6, 3, 0)]);
    let root = log.sequences[log.root_sequence as usize];
    let run = log.runs[root.start as usize];
    assert_eq!((root.len, run.count), (1, 1));
    let main = log.symbols[run.symbol as usize];
    assert_eq!((main.region, main.work, main.cp), (0, 11, 2));
}

/// A forked process inherits its parent's contexts, open regions included, with all figures at zero.
#[test]
fn a_forked_process_has_its_own_contexts_only() {
    let leaf = |region| Event {
        region,
        self_work: 3,
        cp: 2,
        count: 1,
        children: Vec::new(),
    };
    let main = Event {
        region: 0,
        self_work: 5,
        cp: 4,
        count: 1,
        children: vec![leaf(1), leaf(2), leaf(4)],
    };
    // At the third entry main and its second child are open; the first child ended before the fork.
    let mut child = log(
        &[main],
        Range {
            start: 0,
            lanes: 8,
            max_depth: 64,
        },
        Stop::Kill(3),
    );
    for context in &mut child.contexts {
        context.0[24..136].fill(0);
    }
    for frame in &mut child.frames {
        frame.0[8..].fill(0);
    }
    (child.work, child.clocks) = (7, vec![6; 8]);
    child.symbols.truncate(1);
    (child.sequences, child.runs) = (vec![(0, 0)], Vec::new());
    let log = RawLog::parse(&child.image()).unwrap();
    let figures: Vec<_> = log
        .contexts
        .iter()
        .map(|c| (c.parent, c.region, c.instances, c.work, c.cp))
        .collect();
    assert_eq!(figures[1..], [(0, 0, 1, 7, 6), (1, 2, 1, 7, 6)]);
}

/// Not even the program's own list found room in the dictionary: it is summarised.
#[test]
fn a_missing_root_list_is_made_up_for() {
    let leaf = |region, count| Event {
        region,
        self_work: 3,
        cp: 2,
        count,
        children: Vec::new(),
    };
    let mut full = log(
        &[leaf(0, 5), leaf(1, 2)],
        Range {
            start: 0,
            lanes: 8,
            max_depth: 64,
        },
        Stop::Never,
    );
    (full.root_sequence, full.flags) = (0, abi::FLAG_DICTIONARY_FULL);
    let log = RawLog::parse(&full.image()).unwrap();
    let root = log.sequences[log.root_sequence as usize];
    let summaries = log.runs[root.start as usize..][..root.len as usize]
        .iter()
        .map(|run| log.symbols[run.symbol as usize]);
    let summaries: Vec<_> = summaries
        .map(|s| (s.region, s.work, s.cp, s.summarised))
        .collect();
    assert_eq!(summaries, [(0, 15, 10, 5), (1, 6, 4, 2)]);
}

/// Where there was no room for blind-spot counters, the module is still good.
#[test]
fn modules_without_counters_are_read() {
    let mut image = image(Stop::Never);
    image.write(abi::OFF_MODULES + 12, &[0; 4]);
    let log = RawLog::parse(&image).unwrap();
    assert_eq!(
        (
            log.modules[0].content.blind.len(),
            log.modules[0].calls.len()
        ),
        (3, 0)
    );
}
