//! Recordings of OpenMP runs as bytes, and logs of the collector as recordings.

use parascan_abi::omp as abi;
use parascan_formats::omp::codec::{FileError, decode, encode};
use parascan_formats::omp::log::{LogError, OmpLog, used};
use parascan_formats::omp::{
    Boundary, Construct, Contradiction, CountedInterval, Location, Place, Recording, RecordingGap,
    Run, State, synthetic::RunBuilder,
};
use proptest::prelude::*;

fn example() -> Recording {
    let mut run = RunBuilder::new(2);
    for round in 0..3 {
        run.enter(0, Construct::Parallel, "solve");
        run.adopt(1, 0);
        for thread in [0, 1] {
            run.enter(thread, Construct::Loop, "solve");
            run.spend(thread, State::Work, 100 + round);
            run.iterations(thread, 50);
            run.leave(thread);
        }
        run.spend(1, State::ImplicitBarrier, 40);
        run.release(1);
        run.leave(0);
    }
    run.finish()
}

#[test]
fn recordings_come_back_as_they_were() {
    let recording = example();
    let bytes = encode(&recording).unwrap();
    assert_eq!(decode(&bytes).unwrap(), recording);
    assert_eq!(encode(&recording).unwrap(), bytes);
}

#[test]
fn changed_and_incomplete_files_are_refused() {
    let bytes = encode(&example()).unwrap();
    assert!(matches!(decode(&[]), Err(FileError::Empty)));
    for length in 1..bytes.len() {
        let cut = decode(&bytes[..length]);
        assert!(
            matches!(cut, Err(FileError::Truncated { .. })),
            "{length}: {cut:?}"
        );
    }
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        let found = decode(&changed);
        let expected = if at < 8 {
            matches!(found, Err(FileError::Foreign(_)))
        } else {
            matches!(found, Err(FileError::Damaged(_)))
        };
        assert!(expected, "byte {at}: {found:?}");
    }
    let longer = [&bytes[..], b"x"].concat();
    assert!(matches!(decode(&longer), Err(FileError::Damaged(_))));
}

#[test]
fn other_files_and_newer_versions_are_named() {
    for (bytes, name) in [
        (&b"\x7fELF\x02\x01\x01"[..], "a program"),
        (b"PARASCAN........", "a profile"),
        (b"PSCNOMP\0........", "the raw log"),
        (b"hello, world", "another kind"),
    ] {
        let error = decode(bytes).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    }
    let mut newer = encode(&example()).unwrap();
    newer[8] = 5;
    let sum = crc32fast::hash(&newer[..36]);
    newer[36..40].copy_from_slice(&sum.to_le_bytes());
    assert!(matches!(decode(&newer), Err(FileError::TooNew(5))));
}

#[test]
fn contradictions_are_neither_written_nor_read() {
    let mut recording = example();
    recording.threads[1].records[0].figures.executions += 1;
    let fault = Contradiction::Sum { thread: 1, node: 1 };
    assert_eq!(recording.validate(), Err(fault));
    assert!(matches!(
        encode(&recording),
        Err(FileError::Inconsistent(_))
    ));
    let mut recording = example();
    recording.nodes[1].parent = Some(2);
    assert_eq!(recording.validate(), Err(Contradiction::Tree(1)));
    let mut recording = example();
    recording.snapshots.pop();
    assert!(recording.validate().is_err());
    let mut recording = example();
    recording.threads[0].records[1].predecessors[0].1 += 1;
    let fault = Contradiction::Predecessors { thread: 0, node: 1 };
    assert_eq!(recording.validate(), Err(fault));
}

/// A log written by hand, as the collector lays it out.
struct Image {
    bytes: Vec<u8>,
}

impl Image {
    /// With one nanosecond per two ticks.
    fn new(flags: u32) -> Self {
        let mut bytes = vec![0; abi::BLOCKS as usize];
        bytes[..8].copy_from_slice(&abi::MAGIC);
        let mut image = Self { bytes };
        for (at, value) in [
            (8, abi::VERSION),
            (12, abi::FINISHED),
            (16, 77),
            (20, flags),
        ] {
            image.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        for (at, value) in [(32, 1000u64), (40, 5), (48, 3000), (56, 1005), (64, 9000)] {
            image.bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        image
    }

    fn block(&mut self, kind: u32, owner: u32, content: &[u8]) {
        let size = (64 + content.len()).next_multiple_of(64);
        let start = self.bytes.len();
        self.bytes.resize(start + size, 0);
        let head = &mut self.bytes[start..start + 24];
        head[..4].copy_from_slice(&kind.to_le_bytes());
        head[4..8].copy_from_slice(&owner.to_le_bytes());
        head[8..16].copy_from_slice(&(size as u64).to_le_bytes());
        head[16..24].copy_from_slice(&(content.len() as u64).to_le_bytes());
        self.bytes[start + 64..start + 64 + content.len()].copy_from_slice(content);
    }

    fn place(construct: Construct, address: u64) -> Vec<u8> {
        let words = [u64::from(construct as u32), 0, address, 0];
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    fn thread(started: u64, last: u64) -> Vec<u8> {
        // Seven nanoseconds of processor time, known to the end.
        let words = [0, started, last, 7]
            .into_iter()
            .chain([0; 8])
            .chain([1, 0, 0, 0]);
        words.flat_map(u64::to_le_bytes).collect()
    }

    /// Executions, ticks of work, and predecessors.
    fn record(node: u32, executions: u64, work: u64, before: &[(u32, u64)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(node.to_le_bytes());
        bytes.extend((before.len() as u32).to_le_bytes());
        let mut figures = [0u64; abi::FIGURES];
        figures[abi::EXECUTIONS] = executions;
        figures[abi::TIMES] = work;
        bytes.extend(figures.iter().flat_map(|f| f.to_le_bytes()));
        let slots = |get: &dyn Fn(usize) -> u64| (0..abi::INLINE).map(get).collect::<Vec<_>>();
        for node in slots(&|i| before.get(i).map_or(0, |b| b.0.into())) {
            bytes.extend((node as u32).to_le_bytes());
        }
        bytes.extend([0; 4]);
        for count in slots(&|i| before.get(i).map_or(0, |b| b.1)) {
            bytes.extend(count.to_le_bytes());
        }
        bytes.resize(size_of::<abi::Record>(), 0);
        bytes
    }

    /// A cut at the entry of a node, with what one thread added at some nodes: executions and ticks of work.
    fn snapshot(time: u64, node: u32, visit: u64, parts: &[(u32, u64, u64)]) -> Vec<u8> {
        let counts = parts.len() as u64;
        let mut words = vec![time, u64::from(node) << 32, visit, counts | 1 << 32, 6];
        for &(node, executions, work) in parts {
            let mask = 1 << abi::EXECUTIONS | 1 << abi::TIMES;
            words.extend([u64::from(node), mask, executions, work]);
        }
        // Thread 0 was read, a nanosecond of processor time more than before where the visit is even.
        words.extend([0, 1 << 32 | u64::from(visit.is_multiple_of(2))]);
        words.extend(visit.is_multiple_of(2).then_some(1));
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    fn finish(mut self) -> Vec<u8> {
        let used = self.bytes.len() as u64;
        self.bytes[24..32].copy_from_slice(&used.to_le_bytes());
        self.bytes
    }
}

/// Two places of one region at different addresses (nodes 1 and 2), entered in turn: 600 visits.
fn image(visits: u64, kept: impl Fn(u64) -> bool) -> Vec<u8> {
    let mut image = Image::new(abi::FLAG_RUNTIME | abi::FLAG_TSC);
    let places = [
        Image::place(Construct::Program, 0),
        Image::place(Construct::Parallel, 0x1101),
        Image::place(Construct::Parallel, 0x1201),
    ];
    image.block(abi::kind::PLACES, 0, &places.concat());
    let nodes: Vec<u8> = [0u32, 0, 0, 1, 0, 2]
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    image.block(abi::kind::NODES, 0, &nodes);
    image.block(abi::kind::THREADS, 0, &Image::thread(1000, 9000));
    let records = [
        Image::record(0, 1, 11, &[]),
        Image::record(1, visits, 3 * visits, &[(0, 1), (2, visits - 1)]),
        Image::record(2, visits, visits, &[(1, visits)]),
    ];
    image.block(abi::kind::RECORDS, 0, &records.concat());
    let mut snapshots = Vec::new();
    let mut written = 0;
    for visit in (1..=visits).filter(|v| kept(*v)) {
        let news = visit - 1 - written;
        written = visit - 1;
        let parts: &[_] = if news > 0 {
            &[(1, news, 3 * news), (2, news, news)]
        } else {
            &[]
        };
        snapshots.extend(Image::snapshot(1000 + 10 * visit, 1, visit, parts));
    }
    image.block(abi::kind::SNAPSHOTS, 0, &snapshots);
    image.block(
        abi::kind::MAPS,
        0,
        b"1000-2000 r-xp 00000400 08:01 99   /usr/bin/a b\n",
    );
    image.finish()
}

/// All regions are one place.
fn joined(raw: &parascan_formats::omp::log::RawPlace) -> Place {
    Place {
        construct: raw.construct,
        name: String::new(),
        location: Location::Unknown,
    }
}

#[test]
fn a_log_becomes_a_recording() {
    let bytes = image(4, |_| true);
    assert_eq!(used(&bytes).unwrap(), bytes.len() as u64);
    let log = OmpLog::read(&bytes).unwrap();
    assert!(log.finished && log.runtime_seen);
    assert_eq!(log.module(0x1101), Some(("/usr/bin/a b", 0x501)));
    let recording = log.recording(Run::default(), &[], joined);
    assert_eq!(recording.validate(), Ok(()));
    // Two ticks are a nanosecond; the two addresses are one node.
    assert_eq!(recording.nodes.len(), 2);
    assert_eq!(recording.run.duration, 4000);
    let record = &recording.threads[0].records[1];
    assert_eq!(record.figures.executions, 8);
    // 12 ticks at one address and 4 at the other.
    assert_eq!(record.figures.time[State::Work as usize], 6 + 2);
    assert_eq!(record.predecessors, [(0, 1), (1, 7)]);
    let visits: Vec<_> = recording.snapshots.iter().map(|s| s.boundary).collect();
    let enter = |visit| Boundary::Enter { node: 1, visit };
    let end = Boundary::End;
    assert_eq!(visits, [enter(1), enter(2), enter(3), enter(4), end]);
    assert!(recording.thinned.is_empty());
    // What was written at the end is in the last interval.
    let counters: Vec<_> = recording.snapshots.iter().map(|s| &s.counters[0]).collect();
    assert!(counters.iter().all(|c| c.thread == 0 && c.known == 1));
    let times: Vec<u64> = counters.iter().map(|c| c.values[0]).collect();
    assert_eq!(times, [0, 1, 0, 1, 5]);
    // Six ticks after it.
    assert_eq!(recording.snapshots[0].read, 3);
}

/// Counters of nodes are read where the log has them: in nanoseconds what is time, as it is what is not, and nothing of
/// a counter that does not count.
#[test]
fn counters_of_nodes_are_read_from_the_log() {
    let mut bytes = image(4, |_| true);
    let records = size_of::<abi::Record>();
    let asked = ["task-clock".to_owned(), "cycles".to_owned()];
    // Its records are in the fourth block: of nodes 0 to 2, with 11, 12 and 4 ticks of work, two a nanosecond.
    let block = |bytes: &[u8], wanted: u32| {
        let mut at = abi::BLOCKS as usize;
        loop {
            let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
            if word(at) == wanted {
                return at + 64;
            }
            at += word(at + 8) as usize;
        }
    };
    let first = block(&bytes, abi::kind::RECORDS);
    let counters = [9u64, 3, 0, 0, 0, 2, 77, 0, 0];
    for node in 0..3 {
        let at = first + node * records + 8 + 8 * abi::COUNTS;
        for (counter, value) in counters.iter().enumerate() {
            bytes[at + 8 * counter..at + 8 * counter + 8].copy_from_slice(&value.to_le_bytes());
        }
    }
    let log = OmpLog::read(&bytes).unwrap();
    assert_eq!(
        log.recording(Run::default(), &asked, joined)
            .region_counters,
        0
    );
    let flags = abi::FLAG_RUNTIME | abi::FLAG_TSC | abi::FLAG_REGION_COUNTERS;
    bytes[20..24].copy_from_slice(&flags.to_le_bytes());
    // The second of those asked for does not count.
    bytes[96..104].copy_from_slice(&2u64.to_le_bytes());
    let recording = OmpLog::read(&bytes)
        .unwrap()
        .recording(Run::default(), &asked, joined);
    assert_eq!(recording.validate(), Ok(()));
    assert_eq!(recording.counters.len(), 7);
    assert_eq!(recording.region_counters, 0b11_1111);
    let of = |node: usize| recording.threads[0].records[node].figures.counters.clone();
    // 5 nanoseconds of work; two records of 6 and 2 make 8, less than twice 9.
    assert_eq!(of(0), [5, 3, 0, 0, 0, 2, 0]);
    assert_eq!(of(1), [8, 6, 0, 0, 0, 4, 0]);
    let parts = recording.snapshots.iter().flat_map(|s| &s.parts);
    assert!(
        parts
            .clone()
            .all(|p| p.figures.counters[0] <= p.figures.exclusive())
    );
    // All of it was read at the end, and most of it is of intervals before.
    let times: Vec<u64> = parts
        .filter(|p| p.node == 1)
        .map(|p| p.figures.counters[0])
        .collect();
    // Of 3 ticks and of 1, the nanoseconds up to each cut are 1, 3, 4, 6 and 0, 1, 1, 2.
    assert_eq!(times, [1, 3, 1, 3]);
}

#[test]
fn snapshots_are_thinned_evenly() {
    // The collector cut every visit, then every second, then every fourth.
    let stride = |visit: u64| match visit {
        0..=16 => 1,
        17..=32 => 2,
        _ => 4,
    };
    let log = OmpLog::read(&image(60, |v| (v - 1) % stride(v) == 0)).unwrap();
    let recording = log.recording(Run::default(), &[], joined);
    assert_eq!(recording.validate(), Ok(()));
    let visits: Vec<u64> = recording
        .snapshots
        .iter()
        .filter_map(|s| match s.boundary {
            Boundary::Enter { visit, .. } => Some(visit),
            _ => None,
        })
        .collect();
    assert_eq!(visits, (0..15).map(|k| 1 + 4 * k).collect::<Vec<_>>());
    assert_eq!(recording.thinned.len(), 1);
    assert_eq!(recording.thinned[0].stride, 4);
    assert_eq!(recording.threads[0].records[1].figures.executions, 120);
}

#[test]
fn logs_that_are_none() {
    assert_eq!(OmpLog::read(b"").unwrap_err(), LogError::Foreign);
    assert_eq!(OmpLog::read(&[0; 5000]).unwrap_err(), LogError::Foreign);
    let bytes = image(4, |_| true);
    assert_eq!(
        OmpLog::read(&bytes[..bytes.len() - 1]).unwrap_err(),
        LogError::Truncated
    );
}

proptest! {
    /// Whatever a dying process or a bad disk left: an error, or a recording that makes sense.
    #[test]
    fn damaged_logs_are_refused_or_make_sense(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = image(5, |_| true);
        let start = abi::BLOCKS as usize;
        for (at, value) in changes {
            let at = start + at.index(bytes.len() - start);
            bytes[at] = value;
        }
        if let Ok(log) = OmpLog::read(&bytes) {
            let recording = log.recording(Run::default(), &[], joined);
            // Figures beyond all sense are refused when the recording is written.
            let verdict = recording.validate();
            prop_assert!(matches!(verdict, Ok(()) | Err(Contradiction::Absurd)), "{verdict:?}");
        }
    }
}

/// What `parascan omp` wrote before counters were read at cuts.
const FIXTURE_1: &[u8] = include_bytes!("../fixtures/omp-v1.omp");
/// What it wrote before it knew what a lack of processors does to waits.
const FIXTURE_2: &[u8] = include_bytes!("../fixtures/omp-v2.omp");
/// What it wrote before counters were read at nodes.
const FIXTURE_3: &[u8] = include_bytes!("../fixtures/omp-v3.omp");
/// What it writes now.
const FIXTURE_4: &[u8] = include_bytes!("../fixtures/omp-v4.omp");

/// A recording with counters at every snapshot, of which thread 1's second is not always known, and time without a
/// processor.
fn counted() -> Recording {
    let mut recording = example();
    recording.counters = vec!["cpu-time-ns".to_owned(), "minor-faults".to_owned()];
    for (at, snapshot) in (0u64..).zip(&mut recording.snapshots) {
        let of = |thread, known, values: [u64; 2]| CountedInterval {
            thread,
            known,
            values: values.to_vec(),
        };
        snapshot.counters = vec![
            of(0, 3, [100 * at, 0]),
            of(1, 1 + 2 * (at % 2), [40 * at, at]),
        ];
        snapshot.read = 7;
    }
    let loops = &mut recording.threads[1].records[1];
    loops.figures.no_processor = 20;
    let parts = recording.snapshots.iter_mut().flat_map(|s| &mut s.parts);
    let mut parts = parts.filter(|p| p.thread == 1 && p.node == loops.node);
    parts.next().unwrap().figures.no_processor = 20;
    recording
}

#[test]
fn recordings_of_version_1_are_read() {
    let old = decode(FIXTURE_1).unwrap();
    let mut expected = counted();
    for snapshot in &mut expected.snapshots {
        snapshot.read = 0;
        // Nobody knows at which moment its counters were so.
        snapshot.counters.iter_mut().for_each(|c| c.known = 0);
        snapshot
            .parts
            .iter_mut()
            .for_each(|p| p.figures.no_processor = 0);
    }
    expected.threads[1].records[1].figures.no_processor = 0;
    expected.blind.push(RecordingGap::NoSchedule);
    assert_eq!(old, expected);
}

#[test]
fn recordings_of_version_2_are_read() {
    let mut expected = counted();
    expected.blind.push(RecordingGap::NoHoldUps);
    assert_eq!(decode(FIXTURE_2).unwrap(), expected);
}

/// Waits of [`counted`] that were longer and shorter.
fn held_up() -> Recording {
    let mut recording = counted();
    recording.threads[1].records[0].figures.held_up = 15;
    recording.threads[1].records[0].figures.spared = 4;
    let node = recording.threads[1].records[0].node;
    let parts = recording.snapshots.iter_mut().flat_map(|s| &mut s.parts);
    let mut parts = parts.filter(|p| p.thread == 1 && p.node == node);
    let part = parts.next().unwrap();
    (part.figures.held_up, part.figures.spared) = (15, 4);
    recording
}

#[test]
fn recordings_of_version_3_are_read() {
    assert_eq!(decode(FIXTURE_3).unwrap(), held_up());
}

/// The same with counters at nodes: processor time is half of the time, and each execution has two faults.
fn with_region_counters() -> Recording {
    let mut recording = held_up();
    recording.region_counters = 3;
    let records = recording.threads.iter_mut().flat_map(|t| &mut t.records);
    let totals = records.map(|r| &mut r.figures);
    let parts = recording.snapshots.iter_mut().flat_map(|s| &mut s.parts);
    for figures in parts.map(|p| &mut p.figures) {
        figures.counters = vec![figures.exclusive() / 2, 2 * figures.executions];
    }
    for figures in totals {
        figures.counters = vec![0; 2];
    }
    let parts = recording.snapshots.iter().flat_map(|s| &s.parts);
    for part in parts {
        let records = &mut recording.threads[part.thread as usize].records;
        let record = records.iter_mut().find(|r| r.node == part.node).unwrap();
        for (sum, one) in record
            .figures
            .counters
            .iter_mut()
            .zip(&part.figures.counters)
        {
            *sum += one;
        }
    }
    recording
}

#[test]
fn counters_of_nodes_add_up_and_are_complete() {
    assert_eq!(with_region_counters().validate(), Ok(()));
    // One more than the intervals have.
    let mut more = with_region_counters();
    more.threads[1].records[0].figures.counters[0] += 1;
    assert!(matches!(
        more.validate(),
        Err(Contradiction::Sum { thread: 1, .. })
    ));
    // A counter too few, in an interval or in all; and some where none were read.
    let mut few = with_region_counters();
    few.snapshots[0].parts[0].figures.counters.pop();
    assert!(matches!(few.validate(), Err(Contradiction::Order { .. })));
    let mut few = with_region_counters();
    few.threads[0].records[0].figures.counters.pop();
    assert!(matches!(few.validate(), Err(Contradiction::Order { .. })));
    let mut none = with_region_counters();
    none.region_counters = 0;
    assert!(none.validate().is_err());
}

/// Writes the fixture while this version is not released yet: `PARASCAN_BLESS=1 cargo test -p parascan-formats`.
#[test]
fn recordings_of_version_4_are_what_is_written() {
    let bytes = encode(&with_region_counters()).unwrap();
    if std::env::var_os("PARASCAN_BLESS").is_some() {
        std::fs::write("fixtures/omp-v4.omp", &bytes).unwrap();
    }
    assert_eq!(decode(FIXTURE_4).unwrap(), with_region_counters());
    assert_eq!(decode(&bytes).unwrap(), with_region_counters());
}
