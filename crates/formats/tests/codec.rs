//! Profile bytes: they come back as they were, and whatever happens to them is noticed.

mod common;

use std::io::{self, Read};

use common::{profiles, sample};
use parascan_formats::codec::{ForeignFile, FormatError, decode, decode_from, encode};
use parascan_formats::module::ReductionObstacle;
use parascan_formats::profile::{Caveat, End, EqualChildren, Profile};
use parascan_formats::validate::Inconsistency;
use proptest::prelude::*;

const FIXTURE_1: &[u8] = include_bytes!("../fixtures/v1.prof");
const FIXTURE_2: &[u8] = include_bytes!("../fixtures/v2.prof");
const FIXTURE_3: &[u8] = include_bytes!("../fixtures/v3.prof");
const FIXTURE_4: &[u8] = include_bytes!("../fixtures/v4.prof");
const FIXTURE_5: &[u8] = include_bytes!("../fixtures/v5.prof");
const FIXTURE_6: &[u8] = include_bytes!("../fixtures/v6.prof");
const FIXTURE_7: &[u8] = include_bytes!("../fixtures/v7.prof");
const FIXTURE_8: &[u8] = include_bytes!("../fixtures/v8.prof");
const FIXTURE_9: &[u8] = include_bytes!("../fixtures/v9.prof");

/// A stream that gives one byte at a time.
struct OneByteReader<'a>(&'a [u8]);

impl Read for OneByteReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(1);
        self.0.read(&mut buffer[..length])
    }
}

proptest! {
    #[test]
    fn every_profile_comes_back(profile in profiles()) {
        prop_assert_eq!(profile.validate(), Ok(()));
        let bytes = encode(&profile).unwrap();
        prop_assert_eq!(&decode(&bytes).unwrap(), &profile);
        prop_assert_eq!(&decode_from(OneByteReader(&bytes)).unwrap(), &profile);
        prop_assert_eq!(encode(&profile.clone()).unwrap(), bytes);
    }

    #[test]
    fn random_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(decode(&bytes).is_err());
    }

    /// Right checksums everywhere, random content: refused or read, but never a panic.
    #[test]
    fn random_sections_do_no_harm(sections in prop::array::uniform14(prop::collection::vec(any::<u8>(), 0..80))) {
        let _ = decode(&file_of(&sections));
    }

    /// The sections of a real profile with a few bytes changed before compression and checksums.
    #[test]
    fn changed_sections_do_no_harm(
        changes in prop::collection::vec((0..14usize, any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut sections = sections_of(&encode(&sample()).unwrap());
        for (section, position, byte) in changes {
            let position = position.index(sections[section].len());
            sections[section][position] = byte;
        }
        if let Ok(profile) = decode(&file_of(&sections)) {
            prop_assert_eq!(profile.validate(), Ok(()));
        }
    }
}

/// Bytes from the start of a version 9 file to its first section.
const HEADER: usize = 28 + 14 * 24 + 4;

/// Sections of a version 9 file, decompressed. Written from `docs/profile-format.md`, not from the reader.
fn sections_of(bytes: &[u8]) -> [Vec<u8>; 14] {
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let mut start = HEADER;
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13].map(|index| {
        let (stored, raw) = (number(28 + 24 * index + 8), number(28 + 24 * index + 16));
        let content = zstd::bulk::decompress(&bytes[start..start + stored], raw).unwrap();
        start += stored;
        content
    })
}

/// A version 9 file with these sections.
fn file_of(sections: &[Vec<u8>; 14]) -> Vec<u8> {
    let stored = sections
        .each_ref()
        .map(|raw| zstd::bulk::compress(raw, 1).unwrap());
    file(&stored, sections.each_ref().map(|raw| raw.len() as u64))
}

fn file(stored: &[Vec<u8>; 14], raw: [u64; 14]) -> Vec<u8> {
    let mut out = b"PARASCAN\x09\0\0\0".to_vec();
    out.extend(crc32fast::hash(&out).to_le_bytes());
    let length = HEADER + stored.iter().map(Vec::len).sum::<usize>() + 12;
    out.extend((length as u64).to_le_bytes());
    out.extend(14u32.to_le_bytes());
    for ((kind, stored), raw) in (1u32..).zip(stored).zip(raw) {
        out.extend(kind.to_le_bytes());
        out.extend(crc32fast::hash(stored).to_le_bytes());
        out.extend((stored.len() as u64).to_le_bytes());
        out.extend(raw.to_le_bytes());
    }
    out.extend(crc32fast::hash(&out[16..]).to_le_bytes());
    stored.iter().for_each(|stored| out.extend(stored));
    out.extend(b"PSCANEND");
    out.extend(crc32fast::hash(&out).to_le_bytes());
    out
}

#[test]
fn the_layout_is_the_documented_one() {
    let bytes = encode(&sample()).unwrap();
    let sections = sections_of(&bytes);
    assert_eq!(decode(&file_of(&sections)).unwrap(), sample());
}

/// Section 11 has a list whose length is its first byte: none at all, where section 10 has samples, is no profile.
#[test]
fn intervals_are_as_many_as_samples() {
    let mut sections = sections_of(&encode(&sample()).unwrap());
    sections[10] = vec![0];
    let error = decode(&file_of(&sections)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("there is not one for each sample"),
        "{error}"
    );
}

#[test]
fn the_fixtures_of_all_versions_are_readable() {
    let mut eighth = sample();
    for region in &mut eighth.regions {
        region.fixed.streams.clear();
        (region.fixed.vectorized, region.fixed.writes_to_frame) = (None, None);
    }
    let mut seventh = eighth.clone();
    for region in &mut seventh.regions {
        if let Some(source) = &mut region.fixed.source {
            source.uneven = false;
        }
    }
    let mut sixth = seventh.clone();
    for region in &mut sixth.regions {
        if let Some(source) = &mut region.fixed.source {
            source.text = None;
            source.captured.clear();
        }
    }
    if let Some(bursts) = &mut sixth.bursts {
        bursts.native_seconds = None;
    }
    let mut fifth = sixth.clone();
    for sample in fifth.bursts.iter_mut().flat_map(|b| &mut b.samples) {
        sample.time_error = None;
    }
    let mut fourth = fifth.clone();
    fourth.bursts = None;
    let mut third = fourth.clone();
    let newer =
        |caveat: &Caveat| matches!(caveat, Caveat::ClocksFull { .. } | Caveat::RunsVary { .. });
    third.caveats.retain(|caveat| !newer(caveat));
    for region in &mut third.regions {
        if let Some(source) = &mut region.fixed.source {
            source.doubts.clear();
            (source.last_line, source.descends) = (0, false);
            source.best.clear();
            source.start.clear();
            source.nest.clear();
            source.arrays.clear();
            source.reduced.clear();
        }
    }
    let mut second = third.clone();
    second.modules[1].without.clear();
    for region in &mut second.regions {
        for broken in &mut region.fixed.broken {
            broken.beside = ReductionObstacle::Nothing;
        }
    }
    let mut first = second.clone();
    for context in &mut first.contexts {
        context.carried = None;
    }
    first.evidence = None;
    for region in &mut first.regions {
        region.fixed.source = None;
    }
    assert_eq!(decode(FIXTURE_1).unwrap(), first);
    assert_eq!(decode(FIXTURE_2).unwrap(), second);
    assert_eq!(decode(FIXTURE_3).unwrap(), third);
    assert_eq!(decode(FIXTURE_4).unwrap(), fourth);
    assert_eq!(decode(FIXTURE_5).unwrap(), fifth);
    assert_eq!(decode(FIXTURE_6).unwrap(), sixth);
    assert_ne!(sixth, sample());
    assert_eq!(decode(FIXTURE_7).unwrap(), seventh);
    assert_ne!(seventh, sample());
    assert_eq!(decode(FIXTURE_8).unwrap(), eighth);
    assert_ne!(eighth, sample());
    assert_eq!(decode(FIXTURE_9).unwrap(), sample());
}

#[test]
fn truncation_is_noticed_at_every_byte() {
    let bytes = encode(&sample()).unwrap();
    assert!(matches!(decode(&[]), Err(FormatError::Empty)));
    for length in 1..bytes.len() {
        match decode(&bytes[..length]) {
            Err(FormatError::Truncated { offset, total }) => {
                assert_eq!(offset, length as u64);
                assert_eq!(total, (length >= HEADER).then_some(bytes.len() as u64));
            }
            other => panic!("{length} bytes: {other:?}"),
        }
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(matches!(
        decode(&longer),
        Err(FormatError::TrailingBytes { .. })
    ));
}

#[test]
fn every_flipped_bit_is_noticed() {
    let bytes = encode(&sample()).unwrap();
    for bit in 0..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        match decode(&changed) {
            Err(FormatError::Foreign(_)) if bit < 64 => {}
            Err(FormatError::Damaged { .. }) if bit >= 64 => {}
            other => panic!("bit {bit}: {other:?}"),
        }
    }
}

#[test]
fn other_files_are_recognised() {
    let foreign = |bytes: &[u8]| match decode(bytes) {
        Err(FormatError::Foreign(foreign)) => foreign,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        foreign(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0"),
        ForeignFile::Elf
    );
    assert_eq!(foreign(b"PSCNLOG\0\x01\0\0\0\0\0\0\0"), ForeignFile::Log);
    assert_eq!(foreign(b"PSCANOMP\x04\0\0\0"), ForeignFile::Recording);
    assert_eq!(foreign(b"PSCNTRCE\x01\0\0\0"), ForeignFile::Trace);
    assert_eq!(
        foreign("# Pl\u{e4}ne und mehr\n".as_bytes()),
        ForeignFile::Text
    );
    // The character at the end of the first 16 bytes is cut in two.
    assert_eq!(
        foreign("123456789012345\u{e4}".as_bytes()),
        ForeignFile::Text
    );
    assert_eq!(foreign(b"\x1f\x8b\x08\0\0\0\0\0"), ForeignFile::Compressed);
    assert_eq!(foreign(&[0; 100]), ForeignFile::Other);
    let message = decode(b"\x7fELF\x02").unwrap_err().to_string();
    assert!(message.contains("parascan record -- PROGRAM"), "{message}");
}

#[test]
fn a_newer_version_is_named() {
    let mut bytes = encode(&sample()).unwrap();
    bytes[8..12].copy_from_slice(&10u32.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..12]);
    bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
    assert!(matches!(
        decode(&bytes),
        Err(FormatError::TooNew { version: 10 })
    ));
    let message = decode(&bytes).unwrap_err().to_string();
    assert!(
        message.contains("version 10") && message.contains("update parascan"),
        "{message}"
    );
}

#[test]
fn contradictions_are_refused_both_ways() {
    type Change = fn(&mut Profile);
    let changes: [(Change, &str); 12] = [
        (
            |p| p.regions[0].module = 9,
            "region 0 refers to module 9, but there are only 2",
        ),
        (
            |p| p.regions[1].fixed.parent = Some(1),
            "region 1 refers to 1, which does not come before it",
        ),
        (|p| p.contexts.clear(), "context 0: missing"),
        (
            |p| p.contexts[0].region = 0,
            "context 0: is not the program",
        ),
        (
            |p| p.contexts[2].parent = 3,
            "context 2 refers to 3, which does not come before it",
        ),
        (
            |p| p.contexts[2].region = 99,
            "context 2 refers to region 99",
        ),
        (|p| p.contexts[3].depth = 7, "context 3: its depth"),
        (
            |p| p.contexts[1].parallel_time = f64::NAN,
            "context 1: its parallel time",
        ),
        (
            |p| p.contexts[1].work = u64::MAX,
            "the sum of work does not fit",
        ),
        (
            |p| p.tree.symbols[1].children[0].symbol = 1,
            "symbol 1 refers to 1, which does not come before it",
        ),
        (
            |p| {
                p.tree.root = vec![EqualChildren {
                    symbol: 99,
                    count: 1,
                }]
            },
            "refers to symbol 99",
        ),
        (
            |p| p.tree.root[0].count = u64::MAX,
            "the sum of instances in the tree does not fit",
        ),
    ];
    for (change, expected) in changes {
        let mut profile = sample();
        change(&mut profile);
        let message = encode(&profile).unwrap_err().to_string();
        assert!(
            message.contains(expected),
            "{message}\nexpected: {expected}"
        );
    }
    // The reader does not trust the writer: the same through bytes with right checksums.
    let profile = Profile {
        end: End::Unknown,
        ..sample()
    };
    let mut sections = sections_of(&encode(&profile).unwrap());
    let root = sections[3].len() - 1;
    sections[3][root] = 100;
    assert!(matches!(
        decode(&file_of(&sections)),
        Err(FormatError::Inconsistent(Inconsistency::OutOfRange {
            what: "root",
            target: 100,
            ..
        }))
    ));
}

/// A few bytes that ask for a lot: refused without making room first.
#[test]
fn bombs_are_defused() {
    let sections = sections_of(&encode(&sample()).unwrap());
    let small = sections
        .each_ref()
        .map(|raw| zstd::bulk::compress(raw, 1).unwrap());
    let lengths = sections.each_ref().map(|raw| raw.len() as u64);
    // A section that says it is small and is not.
    let mut stored = small.clone();
    stored[3] = zstd::bulk::compress(&vec![0; 1 << 26], 1).unwrap();
    assert!(matches!(
        decode(&file(&stored, lengths)),
        Err(FormatError::Damaged { .. })
    ));
    // One that says it is huge.
    let mut raw = lengths;
    raw[2] = 1 << 40;
    assert!(matches!(
        decode(&file(&small, raw)),
        Err(FormatError::TooLarge {
            section: "contexts",
            ..
        })
    ));
    // One whose only list says that it has 2^32 - 1 entries.
    let mut listing = sections.clone();
    listing[2] = vec![0xff, 0xff, 0xff, 0xff, 0x0f];
    assert!(matches!(
        decode(&file_of(&listing)),
        Err(FormatError::Damaged { .. })
    ));
    // One million symbols that share one long list of children.
    let varint = |mut value: u64| {
        let mut bytes = Vec::new();
        while value >= 0x80 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
        bytes
    };
    let runs = 1u64 << 20;
    let mut tree = varint(runs);
    tree.extend((0..runs).flat_map(|_| [0, 1]));
    tree.extend([2, 0]);
    tree.extend(varint(runs));
    tree.extend(varint(runs));
    tree.extend([0, 1, 1, 1, 0]);
    tree.extend((1..runs).flat_map(|_| [0, 1, 1, 1, 1]));
    tree.push(0);
    let mut shared = sections;
    shared[3] = tree;
    let result = decode(&file_of(&shared));
    assert!(
        matches!(
            result,
            Err(FormatError::Inconsistent(Inconsistency::TooMany { .. }))
        ),
        "{result:?}"
    );
}

/// Right checksums over lengths or kinds that do not fit together.
#[test]
fn the_table_must_add_up() {
    let bytes = encode(&sample()).unwrap();
    let changed = |at: usize, delta: u8| {
        let mut changed = bytes.clone();
        changed[at] = changed[at].wrapping_add(delta);
        let header = crc32fast::hash(&changed[16..HEADER - 4]);
        changed[HEADER - 4..HEADER].copy_from_slice(&header.to_le_bytes());
        let end = changed.len() - 4;
        let whole = crc32fast::hash(&changed[..end]);
        changed[end..].copy_from_slice(&whole.to_le_bytes());
        match decode(&changed) {
            Err(FormatError::Damaged { what, .. }) => what,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        changed(16, 1),
        "the length of the file is not that of its sections"
    );
    assert_eq!(
        changed(24, 1),
        "the section table is not one of its version"
    );
    assert_eq!(
        changed(28, 1),
        "the section table is not one of its version"
    );
    assert_eq!(
        changed(44, 1),
        "its run section does not decompress to its length"
    );
    assert_eq!(
        changed(44, 255),
        "its run section does not decompress to its length"
    );
    assert_eq!(changed(bytes.len() - 5, 1), "the end marker is missing");
}

#[test]
fn a_failing_stream_says_where() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the cable was pulled"))
        }
    }
    let bytes = encode(&sample()).unwrap();
    let error = decode_from(bytes[..40].chain(Failing)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot read the profile at byte 40: the cable was pulled"
    );
}

/// Writes the fixture of the newest version while that is not released yet:
/// `PARASCAN_BLESS=1 cargo test -p parascan-formats`.
#[test]
fn the_newest_fixture_is_what_is_written() {
    let bytes = encode(&sample()).unwrap();
    if std::env::var_os("PARASCAN_BLESS").is_some() {
        std::fs::write("fixtures/v9.prof", &bytes).unwrap();
    }
    assert_eq!(decode(FIXTURE_9).unwrap(), decode(&bytes).unwrap());
}
