//! What the tests of programs worked out by hand share.

#![allow(dead_code, reason = "each test uses what it needs of this")]

use std::collections::BTreeMap;

use parascan_formats::module::RegionKind;
use parascan_reference::check::{InterpretedProgram, Tool};

/// A program at `-O1`, interpreted; also recorded, which must give the same figures.
pub fn measured(source: &str) -> anyhow::Result<InterpretedProgram> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("program.c");
    std::fs::write(&path, source)?;
    let tool = Tool::find()?;
    let report = tool.check(&path, "-O1")?;
    assert!(report.differences.is_empty(), "{:#?}", report.differences);
    Ok(report.subject)
}

/// Work and critical path of the regions of a kind, each summed over all instances, in the order of the source.
pub fn figures(subject: &InterpretedProgram, kind: RegionKind) -> Vec<(u64, u64)> {
    let regions = &subject.notes.module.regions;
    let mut found: Vec<(u32, (u64, u64))> = subject
        .outcome
        .contexts
        .iter()
        .skip(1)
        .map(|c| (&regions[c.region as usize], (c.work, c.cp)))
        .filter(|(r, _)| r.kind == kind)
        .map(|(r, f)| (r.line, f))
        .collect();
    found.sort_unstable();
    found.into_iter().map(|f| f.1).collect()
}

/// Of the loops in the order of the source: in how many instances there was a carried flow, output and anti dependence.
pub fn carried(subject: &InterpretedProgram) -> Vec<[u64; 3]> {
    let regions = &subject.notes.module.regions;
    let mut found: BTreeMap<(u32, u32), [u64; 3]> = BTreeMap::new();
    let outcome = &subject.outcome;
    for (context, carried) in outcome.contexts.iter().zip(&outcome.carried).skip(1) {
        let region = &regions[context.region as usize];
        if region.kind == RegionKind::Loop {
            let sums = found.entry((region.line, context.region)).or_default();
            for (sum, n) in sums
                .iter_mut()
                .zip([carried.flow, carried.output, carried.anti])
            {
                *sum += n;
            }
        }
    }
    found.into_values().collect()
}

/// Of the loops in the order of the source: in how many instances there was a carried flow dependence.
pub fn flow(subject: &InterpretedProgram) -> Vec<u64> {
    carried(subject).into_iter().map(|c| c[0]).collect()
}

/// Sums of the gaps of the loops, in the order of the source.
pub fn gaps(subject: &InterpretedProgram) -> Vec<u64> {
    let regions = &subject.notes.module.regions;
    let mut found: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for context in subject.outcome.contexts.iter().skip(1) {
        let region = &regions[context.region as usize];
        if region.kind == RegionKind::Loop {
            *found.entry((region.line, context.region)).or_default() += context.gap;
        }
    }
    found.into_values().collect()
}
