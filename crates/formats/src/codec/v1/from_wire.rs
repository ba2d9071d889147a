//! The sections of format version 1 into a profile.

use super::wire::*;
use crate::codec::FormatError;
use crate::latency::LatencyTable;
use crate::module::{
    BrokenDependence, BrokenKind, Operator, ReductionObstacle, RegionKind, RegionStatic,
};
use crate::profile::{self, Caveat, End, Profile};
use crate::validate::{Inconsistency, MAX_TREE_RUNS};

fn caveat(wire: WireCaveat) -> Caveat {
    match wire {
        WireCaveat::Threads(count) => Caveat::Threads(count),
        WireCaveat::Folded(entries, depth) => Caveat::Folded { entries, depth },
        WireCaveat::TreeSummarised => Caveat::TreeSummarised,
        WireCaveat::ContextsFull => Caveat::ContextsFull,
        WireCaveat::LogFull => Caveat::LogFull,
        WireCaveat::ForeignModule => Caveat::ForeignModule,
        WireCaveat::ShadowAlias => Caveat::ShadowAlias,
        WireCaveat::Partial => Caveat::Partial,
        WireCaveat::RunsDiffer(how) => Caveat::RunsDiffer(how),
        WireCaveat::NotTracked(depth) => Caveat::NotTracked(depth),
        WireCaveat::RunsVary(millionths) => Caveat::RunsVary { millionths },
        WireCaveat::ClocksFull(work, total, left_out) => Caveat::ClocksFull {
            work,
            total,
            left_out,
        },
    }
}

fn region(wire: Region) -> profile::Region {
    let fixed = RegionStatic {
        kind: match wire.kind {
            WireKind::Function => RegionKind::Function,
            WireKind::Loop => RegionKind::Loop,
            WireKind::Iteration => RegionKind::Iteration,
        },
        parent: wire.parent,
        function: wire.function,
        linkage_name: wire.linkage_name,
        file: wire.file,
        line: wire.line,
        column: wire.column,
        end_line: wire.end_line,
        counted: wire.counted,
        broken: Vec::new(),
        folded: wire.folded,
        source: None,
        streams: Vec::new(),
        vectorized: None,
        writes_to_frame: None,
    };
    profile::Region {
        module: wire.module,
        fixed,
    }
}

impl From<WireOperator> for Operator {
    fn from(operator: WireOperator) -> Self {
        match operator {
            WireOperator::Add => Self::Add,
            WireOperator::Mul => Self::Mul,
            WireOperator::And => Self::And,
            WireOperator::Or => Self::Or,
            WireOperator::Xor => Self::Xor,
            WireOperator::Min => Self::Min,
            WireOperator::Max => Self::Max,
        }
    }
}

pub(super) fn profile(
    (run, program, contexts, tree): super::Sections,
) -> Result<Profile, FormatError> {
    let p = run.provenance;
    let (modules, regions) = static_part(program)?;
    Ok(Profile {
        provenance: profile::Provenance {
            parascan: p.parascan,
            command: p.command.0,
            directory: p.directory,
            started: p.started,
            duration_ms: p.duration_ms,
            runs: p.runs,
            first_level: p.first_level,
            end_level: p.end_level,
            depth_reached: p.depth_reached,
            machine: p.machine,
        },
        end: match run.end {
            WireEnd::Exited(code) => End::Exited(code),
            WireEnd::Signalled(signal) => End::Signalled(signal),
            WireEnd::Unknown => End::Unknown,
        },
        caveats: run.caveats.into_iter().map(caveat).collect(),
        modules,
        regions,
        contexts: contexts
            .0
            .into_iter()
            .map(|c| context_fields!(profile::Context, c, carried: None))
            .collect(),
        blind_spots: run
            .blind_spots
            .into_iter()
            .map(|(callee, calls)| profile::BlindSpot { callee, calls })
            .collect(),
        work: run.work,
        critical_path: run.critical_path,
        tree: dynamic_tree(tree)?,
        evidence: None,
        bursts: None,
    })
}

/// A list entry by number, or the error that names who asked.
fn entry<'a, T>(
    list: &'a [T],
    number: u32,
    to: &'static str,
    who: (&'static str, usize),
) -> Result<&'a T, FormatError> {
    let (what, index) = who;
    list.get(number as usize).ok_or_else(|| {
        Inconsistency::OutOfRange {
            what,
            index,
            to,
            target: number.into(),
            len: list.len(),
        }
        .into()
    })
}

fn static_part(
    program: ProgramSection,
) -> Result<(Vec<profile::Module>, Vec<profile::Region>), FormatError> {
    let modules = program.modules.into_iter().map(|module| profile::Module {
        source: module.source,
        directory: module.directory,
        producer: module.producer,
        latency: latency_table(module.latency),
        without: Vec::new(),
    });
    let modules = modules.collect();
    let mut regions: Vec<_> = program.regions.into_iter().map(region).collect();
    for (index, broken) in program.broken.into_iter().enumerate() {
        entry(
            &regions,
            broken.region,
            "region",
            ("broken dependence", index),
        )?;
        regions[broken.region as usize]
            .fixed
            .broken
            .push(BrokenDependence {
                name: broken.name,
                kind: match broken.kind {
                    WireBrokenKind::Induction => BrokenKind::Induction,
                    WireBrokenKind::Reduction(operator) => BrokenKind::Reduction(operator.into()),
                    WireBrokenKind::ArrayReduction(operator) => {
                        BrokenKind::ArrayReduction(operator.into())
                    }
                },
                line: broken.line,
                beside: ReductionObstacle::Nothing,
            });
    }
    Ok((modules, regions))
}

fn latency_table(wire: Latency) -> LatencyTable {
    let [
        int_add,
        int_logic,
        int_compare,
        int_mul,
        int_div,
        fp_add,
        fp_compare,
        fp_mul,
        fp_fma,
        ..,
    ] = wire.units;
    let [
        ..,
        fp_div,
        fp_sqrt,
        fp_convert,
        load,
        store,
        atomic,
        select,
        math,
        external,
    ] = wire.units;
    LatencyTable {
        name: wire.name,
        source: wire.source,
        int_add,
        int_logic,
        int_compare,
        int_mul,
        int_div,
        fp_add,
        fp_compare,
        fp_mul,
        fp_fma,
        fp_div,
        fp_sqrt,
        fp_convert,
        load,
        store,
        atomic,
        select,
        math,
        external,
    }
}

fn dynamic_tree(wire: Tree) -> Result<profile::Tree, FormatError> {
    let too_many = |len| {
        let (what, limit) = ("runs of children", MAX_TREE_RUNS);
        FormatError::from(Inconsistency::TooMany { what, len, limit })
    };
    let runs: Vec<_> = wire
        .runs
        .into_iter()
        .map(|(symbol, count)| profile::EqualChildren { symbol, count })
        .collect();
    let short = Inconsistency::Impossible {
        what: "tree",
        index: 0,
        reason: "its lists of children are not as long as its runs",
    };
    let mut rest = runs.as_slice();
    let mut sequences = Vec::with_capacity(wire.sequences.0.len());
    for length in wire.sequences {
        let (sequence, others) = rest
            .split_at_checked(length as usize)
            .ok_or_else(|| short.clone())?;
        sequences.push(sequence);
        rest = others;
    }
    if !rest.is_empty() {
        return Err(short.into());
    }
    // Lists are shared in the file and not in memory: count before copying.
    let root = entry(&sequences, wire.root, "sequence", ("root", 0))?.to_vec();
    let mut copied = root.len();
    let mut symbols = Vec::with_capacity(wire.symbols.0.len());
    for (index, symbol) in wire.symbols.into_iter().enumerate() {
        let children = *entry(&sequences, symbol.sequence, "sequence", ("symbol", index))?;
        copied += children.len();
        if copied > MAX_TREE_RUNS {
            return Err(too_many(copied));
        }
        symbols.push(profile::Symbol {
            region: symbol.region,
            work: symbol.work,
            cp: symbol.cp,
            summarised: symbol.summarised,
            children: children.to_vec(),
        });
    }
    Ok(profile::Tree { symbols, root })
}
