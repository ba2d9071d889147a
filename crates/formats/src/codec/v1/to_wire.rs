//! A profile into the sections of format version 1.

use std::collections::HashMap;

use super::wire::*;
use crate::codec::capped::CappedList;
use crate::module::{BrokenKind, Operator, RegionKind};
use crate::profile::{self, Caveat, End, Profile};

pub(super) fn run(profile: &Profile) -> RunSection {
    let p = &profile.provenance;
    RunSection {
        provenance: Provenance {
            parascan: p.parascan.clone(),
            command: p.command.iter().cloned().collect(),
            directory: p.directory.clone(),
            started: p.started,
            duration_ms: p.duration_ms,
            runs: p.runs,
            first_level: p.first_level,
            end_level: p.end_level,
            depth_reached: p.depth_reached,
            machine: p.machine.clone(),
        },
        end: match profile.end {
            End::Exited(code) => WireEnd::Exited(code),
            End::Signalled(signal) => WireEnd::Signalled(signal),
            End::Unknown => WireEnd::Unknown,
        },
        caveats: profile.caveats.iter().map(wire_caveat).collect(),
        work: profile.work,
        critical_path: profile.critical_path,
        blind_spots: profile
            .blind_spots
            .iter()
            .map(|b| (b.callee.clone(), b.calls))
            .collect(),
    }
}

fn wire_caveat(caveat: &Caveat) -> WireCaveat {
    match caveat {
        Caveat::Threads(count) => WireCaveat::Threads(*count),
        Caveat::Folded { entries, depth } => WireCaveat::Folded(*entries, *depth),
        Caveat::TreeSummarised => WireCaveat::TreeSummarised,
        Caveat::ContextsFull => WireCaveat::ContextsFull,
        Caveat::LogFull => WireCaveat::LogFull,
        Caveat::ForeignModule => WireCaveat::ForeignModule,
        Caveat::ShadowAlias => WireCaveat::ShadowAlias,
        Caveat::Partial => WireCaveat::Partial,
        Caveat::RunsDiffer(how) => WireCaveat::RunsDiffer(how.clone()),
        Caveat::NotTracked(depth) => WireCaveat::NotTracked(*depth),
        Caveat::RunsVary { millionths } => WireCaveat::RunsVary(*millionths),
        Caveat::ClocksFull {
            work,
            total,
            left_out,
        } => WireCaveat::ClocksFull(*work, *total, *left_out),
    }
}

pub(super) fn program(profile: &Profile) -> ProgramSection {
    let modules = profile.modules.iter().map(|module| Module {
        source: module.source.clone(),
        directory: module.directory.clone(),
        producer: module.producer.clone(),
        latency: Latency {
            name: module.latency.name.clone(),
            source: module.latency.source.clone(),
            units: module.latency.rows().map(|(_, units)| units),
        },
    });
    let broken = (0u32..).zip(&profile.regions).flat_map(|(number, region)| {
        region.fixed.broken.iter().map(move |broken| WireBroken {
            region: number,
            name: broken.name.clone(),
            kind: match broken.kind {
                BrokenKind::Induction => WireBrokenKind::Induction,
                BrokenKind::Reduction(operator) => WireBrokenKind::Reduction(operator.into()),
                BrokenKind::ArrayReduction(operator) => {
                    WireBrokenKind::ArrayReduction(operator.into())
                }
            },
            line: broken.line,
        })
    });
    ProgramSection {
        modules: modules.collect(),
        regions: profile.regions.iter().map(wire_region).collect(),
        broken: broken.collect(),
    }
}

fn wire_region(region: &profile::Region) -> Region {
    let fixed = &region.fixed;
    Region {
        module: region.module,
        kind: match fixed.kind {
            RegionKind::Function => WireKind::Function,
            RegionKind::Loop => WireKind::Loop,
            RegionKind::Iteration => WireKind::Iteration,
        },
        parent: fixed.parent,
        function: fixed.function.clone(),
        linkage_name: fixed.linkage_name.clone(),
        file: fixed.file.clone(),
        line: fixed.line,
        column: fixed.column,
        end_line: fixed.end_line,
        counted: fixed.counted,
        folded: fixed.folded,
    }
}

impl From<Operator> for WireOperator {
    fn from(operator: Operator) -> Self {
        match operator {
            Operator::Add => Self::Add,
            Operator::Mul => Self::Mul,
            Operator::And => Self::And,
            Operator::Or => Self::Or,
            Operator::Xor => Self::Xor,
            Operator::Min => Self::Min,
            Operator::Max => Self::Max,
        }
    }
}

pub(super) fn contexts(contexts: &[profile::Context]) -> Contexts {
    Contexts(
        contexts
            .iter()
            .map(|c| context_fields!(Context, c,))
            .collect(),
    )
}

pub(super) fn tree(tree: &profile::Tree) -> Tree {
    let mut lists = Lists::default();
    let symbols = tree.symbols.iter().map(|s| Symbol {
        region: s.region,
        work: s.work,
        cp: s.cp,
        summarised: s.summarised,
        sequence: lists.number(&s.children),
    });
    let symbols = symbols.collect();
    let root = lists.number(&tree.root);
    Tree {
        runs: CappedList(lists.runs),
        sequences: CappedList(lists.lengths),
        symbols,
        root,
    }
}

/// Distinct lists of children.
#[derive(Default)]
struct Lists<'a> {
    number_of: HashMap<&'a [profile::EqualChildren], u32>,
    runs: Vec<(u32, u64)>,
    lengths: Vec<u32>,
}

impl<'a> Lists<'a> {
    fn number(&mut self, children: &'a [profile::EqualChildren]) -> u32 {
        *self.number_of.entry(children).or_insert_with(|| {
            self.runs
                .extend(children.iter().map(|run| (run.symbol, run.count)));
            self.lengths.push(children.len() as u32);
            self.lengths.len() as u32 - 1
        })
    }
}
