//! One or several profiles of a program as one tree of contexts over one list of static regions.

mod merge;
mod observed;
mod sums;

use std::sync::Arc;

use parascan_formats::module::{RegionKind, RegionStatic};
use parascan_formats::profile::{BlindSpot, Caveat, End, Profile, Provenance};
use serde::Serialize;

use crate::Error;
use crate::balance::Balance;
use crate::evidence::{self, LoopFacts, short};
use crate::identity::{self, RegionKey};

use merge::{depth_first, input, merge_blind_spots, merge_contexts, merge_regions, same_program};
use observed::{note_idle, refute};
pub use sums::InstanceSums;

/// Region number of [`Model::nodes`]' entry 0, the program.
pub const PROGRAM: u32 = u32::MAX;

/// Everything the analyses need from the profiles of a program.
#[derive(Clone, Debug)]
pub struct Model {
    /// The profiles, in the order given.
    pub inputs: Vec<ProfileInput>,
    /// Static regions; the same region of several modules or profiles occurs once.
    pub regions: Vec<StaticRegion>,
    /// For every profile, the number in [`Model::regions`] of each of its regions.
    pub numbers: Vec<Vec<u32>>,
    /// By region number: what was observed of dependences, for loops where that was looked at.
    pub evidence: Vec<Option<LoopFacts>>,
    /// By region number: how evenly long the iterations of loops were.
    pub(crate) balance: Vec<Balance>,
    /// Contexts, depth first. Entry 0 is the program.
    pub nodes: Vec<ContextNode>,
    /// Work of all runs together.
    pub work: u64,
    /// Critical path of all runs together.
    pub critical_path: u64,
    /// Calls into code that could not be looked into, over all profiles, most frequent first.
    pub blind_spots: Vec<BlindSpot>,
}

/// What is told about one profile.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileInput {
    /// Where it comes from.
    pub provenance: Provenance,
    /// How the process ended.
    pub end: End,
    /// Remarks on its figures.
    pub caveats: Vec<Caveat>,
    /// Names of the latency tables built in, without repetition.
    pub latencies: Vec<String>,
    /// Dependences that the build left out: file, line of the loop, and name.
    pub without: Vec<String>,
    /// Work of this run.
    pub work: u64,
    /// Critical path of this run.
    pub critical_path: u64,
    /// The stretches of it that were tracked, where that was not all.
    pub bursts: Option<InputBursts>,
}

/// The stretches of a run that were tracked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct InputBursts {
    /// How many there were.
    pub count: u64,
    /// Seed of the moments at which they began.
    pub seed: u64,
    /// Work within them.
    pub work: u64,
    /// Whether native code ran in between, so that the run's work is an estimate.
    pub native: bool,
    /// Whether clocks were full, so that none began after that.
    pub ended: bool,
    /// Functions and loops that ran in between alone, each in one context: their own work is in no figure.
    pub unseen: u64,
    /// Whether every instance of every region was seen from beginning to end all the same: nothing is an estimate.
    pub exact: bool,
    /// What the run takes by itself, in seconds of processor time, where that could be told.
    pub native_seconds: Option<f64>,
}

impl ProfileInput {
    /// Whether figures are estimates, from stretches of the run.
    pub fn estimated(&self) -> bool {
        self.bursts.is_some_and(|bursts| !bursts.exact)
    }

    /// Whether the figures are of a part of the run only.
    pub fn partial(&self) -> bool {
        let first_part =
            |caveat: &Caveat| matches!(caveat, Caveat::ClocksFull { left_out: None, .. });
        self.end.partial() || self.caveats.iter().any(first_part)
    }
}

/// A function, loop or iteration of the program, once for all its contexts.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticRegion {
    /// Unique, readable name.
    pub id: Arc<str>,
    /// Static facts; `parent` is a number in [`Model::regions`].
    pub fixed: RegionStatic,
    /// Folder in which the compiler ran, to which `fixed.file` is relative; empty when unknown.
    pub directory: Arc<str>,
    /// A loop whose critical path lacks the time of a chain: what it was taken to reduce is used as well, as the run
    /// showed.
    pub understated: bool,
}

impl StaticRegion {
    /// Whether it is a loop.
    pub fn is_loop(&self) -> bool {
        self.fixed.kind == RegionKind::Loop
    }
}

/// All instances of a region under one chain of open regions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextNode {
    /// Enclosing node; 0's parent is 0.
    pub parent: u32,
    /// Region number, [`PROGRAM`] for entry 0.
    pub region: u32,
    /// Depth, 0 for top-level regions.
    pub depth: u32,
    /// Whether no region around it is the same one.
    pub outermost: bool,
    /// Figures.
    pub sums: InstanceSums,
}

/// Name of a function without classes, parameters and arguments of templates.
pub(crate) fn plain_name(name: &str) -> String {
    let short = short(name);
    let last = short.rsplit("::").next();
    last.unwrap_or_default().to_owned()
}

impl Model {
    /// Brings profiles of one program together: equal regions become one, equal chains of open regions one node, and
    /// figures add up, so that every input weighs as much as its work.
    ///
    /// # Errors
    /// No profile, or profiles of different programs.
    pub fn new(profiles: &[Profile]) -> Result<Self, Error> {
        let first = profiles.first().ok_or(Error::NoProfiles)?;
        let keys: Vec<Vec<RegionKey>> = profiles.iter().map(identity::keys).collect();
        for (index, profile) in profiles.iter().enumerate().skip(1) {
            same_program((first, &keys[0]), (profile, &keys[index])).map_err(|why| {
                Error::DifferentPrograms {
                    number: index + 1,
                    command: profile.provenance.command.join(" "),
                    first: first.provenance.command.join(" "),
                    why,
                }
            })?;
        }
        let (mut regions, numbers) = merge_regions(profiles, &keys);
        let nodes = depth_first(merge_contexts(profiles, &numbers), regions.len());
        let mut evidence = evidence::gather(profiles, &numbers, regions.len());
        for node in nodes.iter().skip(1) {
            if let Some(facts) = &mut evidence[node.region as usize] {
                facts.recorded_instances += node.sums.instances;
                facts.recorded_iterations += node.sums.children;
            }
        }
        note_idle(profiles, &regions, &nodes, &mut evidence);
        let mut carries = vec![false; regions.len()];
        for node in nodes.iter().skip(1) {
            carries[node.region as usize] |= node.sums.carried > 0;
        }
        for (number, region) in regions.iter_mut().enumerate() {
            if carries[number] {
                refute(region, evidence[number].as_mut());
            }
        }
        let nests = evidence::nests(&regions, &nodes, &evidence);
        for ((region, nest), facts) in regions.iter().zip(&nests).zip(&mut evidence) {
            if let Some(facts) = facts {
                facts.find_remedies(&region.fixed, nest);
            }
        }
        let total = |f: fn(&Profile) -> u64| profiles.iter().map(f).fold(0, u64::saturating_add);
        Ok(Self {
            inputs: profiles.iter().map(input).collect(),
            balance: Balance::all(profiles, &numbers, regions.len()),
            evidence,
            regions,
            numbers,
            nodes,
            work: total(|p| p.work),
            critical_path: total(|p| p.critical_path),
            blind_spots: merge_blind_spots(profiles),
        })
    }

    /// The program's name: the first word of the first profile's command.
    pub fn program(&self) -> &str {
        self.inputs
            .first()
            .and_then(|input| input.provenance.command.first())
            .map_or("", String::as_str)
    }

    /// Nodes below the program's, with their numbers.
    pub fn contexts(&self) -> impl DoubleEndedIterator<Item = (usize, &ContextNode)> {
        self.nodes.iter().enumerate().skip(1)
    }
}
