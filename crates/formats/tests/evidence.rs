//! The raw file of evidence: read as it was written, and refused when it is cut or changed.

use parascan_abi::ABI_VERSION;
use parascan_abi::deps::{FLOW, MAGIC, USE_LIVE, USE_WRITES};
use parascan_formats::evidence::raw::{RawError, read};
use parascan_formats::evidence::{DependenceKind, SiteAccess, SiteStatic, UnitStatic};

fn site(access: SiteAccess, line: u32) -> SiteStatic {
    SiteStatic {
        access,
        name: "sum".to_owned(),
        file: 0,
        line,
        column: 3,
        function: 0,
        reduction: Some(4),
        scope: vec![1],
        within: vec![1],
        once: Vec::new(),
    }
}

/// A module with three regions, of which 1 and 2 are loops, and two sites; loop 1 carries a flow dependence.
fn file() -> Vec<u8> {
    let unit = UnitStatic {
        source: "a.c".to_owned(),
        files: vec!["a.c".to_owned()],
        functions: vec!["main".to_owned()],
        sites: vec![site(SiteAccess::Write, 12), site(SiteAccess::Read, 9)],
        unseen: Vec::new(),
    };
    let blob = postcard::to_stdvec(&unit).unwrap();
    let mut out = MAGIC.to_vec();
    let words = |out: &mut Vec<u8>, list: &[u32]| {
        for w in list {
            out.extend(w.to_le_bytes());
        }
    };
    let longs = |out: &mut Vec<u8>, list: &[u64]| {
        for w in list {
            out.extend(w.to_le_bytes());
        }
    };
    // Version, flags, units, regions, pairs, uses; steps.
    words(&mut out, &[ABI_VERSION, 0, 1, 3, 1, 1]);
    longs(&mut out, &[100]);
    words(&mut out, &[0, 3, 1, 2]);
    longs(&mut out, &[blob.len() as u64]);
    out.extend(&blob);
    longs(&mut out, &[0, 0, 0, 2, 20, 0, 1, 5, 1]);
    words(&mut out, &[1, FLOW, 1, 2, 0, 1, 1, 9]);
    longs(&mut out, &[18, 18, 2, 0x1000]);
    words(&mut out, &[1, 1, USE_WRITES | USE_LIVE, 2]);
    // Which of its sites ran.
    out.extend([1, 1]);
    out
}

fn try_read(bytes: &[u8]) -> Result<parascan_formats::evidence::Evidence, RawError> {
    read(bytes, &[("a.c", 3)], recorded)
}

/// Of loop 2, whose quota was used up, the profile has one iteration more than were observed.
fn recorded(region: u32) -> Option<(u64, u64)> {
    let all = [None, Some((2, 20)), Some((1, 6))];
    all.get(region as usize).copied().flatten()
}

#[test]
fn it_is_read_as_it_was_written() {
    let evidence = try_read(&file()).unwrap();
    let of = evidence.of(1).unwrap();
    assert_eq!((of.instances, of.iterations), (2, 20));
    let d = &of.dependences[0];
    assert_eq!(
        (d.kind, d.least, d.most, d.iterations),
        (DependenceKind::Flow, 1, 1, 18)
    );
    assert!(d.reduction);
    assert_eq!(evidence.sites[d.source as usize].line, 12);
    assert_eq!(evidence.sites[d.sink as usize].line, 9);
    assert!(of.uses[0].writes && !of.uses[0].exposed && of.uses[0].live == Some(d.sink));
    assert_eq!(evidence.of(2).unwrap().iterations, 5);
    assert!(evidence.of(0).is_none());
    assert!(!evidence.partial, "the counts say it");
}

#[test]
fn accesses_that_did_not_run_are_told_of_their_loops() {
    let mut bytes = file();
    *bytes.last_mut().unwrap() = 0;
    let evidence = try_read(&bytes).unwrap();
    let [_, unused] = &evidence.of(1).unwrap().uses[..] else {
        panic!("two uses");
    };
    assert!(unused.is_unreached() && !unused.is_again());
    assert_eq!(evidence.sites[unused.site as usize].line, 9);
    assert!(evidence.of(2).unwrap().uses.is_empty());
}

#[test]
fn a_longer_run_than_recorded_is_partial_where_a_quota_ended_it() {
    let of_less =
        |region| recorded(region).map(|(instances, iterations)| (instances, iterations - 1));
    let evidence = read(&file(), &[("a.c", 3)], of_less).unwrap();
    assert!(evidence.partial);
    let of_nothing = |region| recorded(region).map(|_| (0, 0));
    let evidence = read(&file(), &[("a.c", 3)], of_nothing).unwrap();
    assert!(!evidence.partial, "it is not in the profile at all");
}

#[test]
fn every_shorter_or_longer_file_is_refused() {
    let whole = file();
    for len in 0..whole.len() {
        assert!(try_read(&whole[..len]).is_err(), "{len} bytes");
    }
    let mut longer = whole;
    longer.push(0);
    assert!(try_read(&longer).is_err());
}

#[test]
fn changed_bytes_never_panic_and_never_contradict_themselves() {
    let whole = file();
    for at in 0..whole.len() {
        for change in [1, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= change;
            if let Ok(evidence) = try_read(&bytes) {
                assert_eq!(evidence.check(3), Ok(()));
            }
        }
    }
}

#[test]
fn another_program_or_version_is_told() {
    let whole = file();
    let other = read(&whole, &[("b.c", 3)], recorded);
    assert_eq!(other, Err(RawError::Different));
    let other = read(&whole, &[("a.c", 4)], recorded);
    assert_eq!(other, Err(RawError::Different));
    let mut bytes = whole;
    bytes[8] = 77;
    assert!(matches!(try_read(&bytes), Err(RawError::Version(_))));
}
