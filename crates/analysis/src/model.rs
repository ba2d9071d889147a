//! One or several profiles of a program as one tree of contexts over one list of static regions.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use parascan_formats::module::{BrokenDependence, ReductionObstacle, RegionKind, RegionStatic};
use parascan_formats::names::demangle;
use parascan_formats::profile::{
    BlindSpot, Caveat, Context, End, Module, Profile, Provenance, Sample,
};
use parascan_formats::source::{DoubtKind, IN_TEST, INLINE_ASSEMBLY};
use serde::Serialize;

use crate::Error;
use crate::balance::Balance;
use crate::evidence::{self, LoopFacts, base, short};
use crate::identity::{self, NamedRegion, RegionKey};

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

/// Sums over instances. `known` ones are over those whose self-parallelism was measured only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InstanceSums {
    /// How many instances ran.
    pub instances: u64,
    /// Work of all instances in units of the latency table, that of everything inside included.
    pub work: u64,
    /// Work of direct children.
    pub child_work: u64,
    /// Work of instances whose critical path was measured.
    pub tracked_work: u64,
    /// Critical paths, where measured.
    pub cp: u64,
    /// Instances whose self-parallelism is known.
    pub known: u64,
    /// Work of the instances whose self-parallelism is known.
    pub known_work: u64,
    /// Their critical paths.
    pub known_cp: u64,
    /// Their `work / self-parallelism`.
    pub parallel_time: f64,
    /// Sum of `critical path - largest child's`.
    pub gap: u64,
    /// Largest such difference.
    pub gap_max: u64,
    /// Known instances with two children or more.
    pub multi: u64,
    /// Of those, instances with gap 0.
    pub multi_flat: u64,
    /// Known instances in which a child read what an earlier one had written (loops).
    pub carried: u64,
    /// Known instances of which that is not known: profiles of format version 1.
    pub unobserved: u64,
    /// Instances whose children were counted: not those of regions so deep that what is inside was not recorded.
    pub counted: u64,
    /// Direct children.
    pub children: u64,
    /// Fewest in one of the counted instances.
    pub children_min: u64,
    /// Most in one instance.
    pub children_max: u64,
    /// Instances in runs of which only stretches were tracked, without those that were seen from beginning to end: the
    /// figures of these stand for them.
    pub sampled: u64,
    /// Instances that were seen from beginning to end, in any run.
    pub whole: u64,
    /// Stretches that were seen of others.
    pub segments: u64,
    /// Half of the interval around `work`, where that is an estimate.
    pub error: u64,
    /// Half of the interval around `parallel_time`, infinite where nothing is known of it.
    pub time_error: f64,
}

impl InstanceSums {
    fn of(context: &Context, sample: Option<&Sample>) -> Self {
        let (tracked, known) = (context.tracked, context.tracked && context.children_tracked);
        let when = |condition: bool, value: u64| if condition { value } else { 0 };
        Self {
            instances: context.instances,
            work: context.work,
            child_work: context.child_work,
            tracked_work: when(tracked, context.work),
            cp: when(tracked, context.cp),
            known: when(known, context.instances),
            known_work: when(known, context.work),
            known_cp: when(known, context.cp),
            parallel_time: if known { context.parallel_time } else { 0.0 },
            gap: when(known, context.gap),
            gap_max: when(known, context.gap_max),
            multi: when(known, context.multi),
            multi_flat: when(known, context.multi_flat),
            carried: when(known, context.carried.unwrap_or(0)),
            unobserved: when(known && context.carried.is_none(), context.multi),
            counted: when(tracked || context.children > 0, context.instances),
            children: context.children,
            children_min: context.children_min,
            children_max: context.children_max,
            sampled: sample.map_or(0, |s| context.instances.saturating_sub(s.whole)),
            whole: sample.map_or(context.instances, |s| s.whole),
            segments: sample.map_or(0, |s| s.segments),
            error: sample.map_or(0, |s| s.error),
            time_error: match sample {
                Some(sample) if known && sample.whole < context.instances => {
                    sample.time_error.unwrap_or(f64::INFINITY)
                }
                _ => 0.0,
            },
        }
    }

    /// Adds the instances behind `other`.
    pub fn add(&mut self, other: &Self) {
        if other.instances == 0 {
            return;
        }
        if other.counted > 0 {
            self.children_min = if self.counted == 0 {
                other.children_min
            } else {
                self.children_min.min(other.children_min)
            };
        }
        self.children_max = self.children_max.max(other.children_max);
        self.gap_max = self.gap_max.max(other.gap_max);
        self.parallel_time += other.parallel_time;
        self.time_error += other.time_error;
        for (sum, value) in [
            (&mut self.instances, other.instances),
            (&mut self.work, other.work),
            (&mut self.child_work, other.child_work),
            (&mut self.tracked_work, other.tracked_work),
            (&mut self.cp, other.cp),
            (&mut self.known, other.known),
            (&mut self.known_work, other.known_work),
            (&mut self.known_cp, other.known_cp),
            (&mut self.gap, other.gap),
            (&mut self.multi, other.multi),
            (&mut self.multi_flat, other.multi_flat),
            (&mut self.carried, other.carried),
            (&mut self.unobserved, other.unobserved),
            (&mut self.counted, other.counted),
            (&mut self.children, other.children),
            (&mut self.sampled, other.sampled),
            (&mut self.whole, other.whole),
            (&mut self.segments, other.segments),
            (&mut self.error, other.error),
        ] {
            *sum = sum.saturating_add(value);
        }
    }

    /// Work outside of the children.
    pub fn self_work(&self) -> u64 {
        self.work.saturating_sub(self.child_work)
    }

    /// What parallelizing exactly these instances saves of the program's time: the sum of `work - work / SP`, over
    /// those whose self-parallelism is known.
    pub fn saving(&self) -> f64 {
        (self.known_work as f64 - self.parallel_time).max(0.0)
    }

    /// Self-parallelism, `sum(work) / sum(work / SP)`, if measured.
    pub fn self_parallelism(&self) -> Option<f64> {
        (self.known > 0).then(|| ratio(self.known_work as f64, self.parallel_time))
    }

    /// Between which figures the self-parallelism lies in 95 of 100 cases, if it is known: least, and most unless what
    /// was seen sets no bound. Errors add up, as if all contexts were off to the same side.
    pub fn self_parallelism_interval(&self) -> Option<(f64, Option<f64>)> {
        let (work, time) = (self.known_work as f64, self.parallel_time);
        let least = ratio(work, time + self.time_error).max(1.0);
        let most = (self.time_error < time).then(|| ratio(work, time - self.time_error));
        (self.known > 0).then_some((least, most))
    }

    /// Total parallelism, `sum(work) / sum(critical path)`, over the same instances as the self-parallelism where that
    /// is known for any, so that the two can be compared.
    pub fn total_parallelism(&self) -> Option<f64> {
        if self.known > 0 {
            Some(ratio(self.known_work as f64, self.known_cp as f64))
        } else if self.cp > 0 {
            Some(ratio(self.tracked_work as f64, self.cp as f64))
        } else {
            None
        }
    }
}

/// `a / b`, 1 where nothing was done.
fn ratio(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 { a / b } else { 1.0 }
}

/// Name of a function without classes, parameters and arguments of templates.
pub(crate) fn plain_name(name: &str) -> String {
    let short = short(name);
    let last = short.rsplit("::").next();
    last.unwrap_or_default().to_owned()
}

/// Notes of each observed loop which functions its source calls that did not run in it.
fn note_idle(
    profiles: &[Profile],
    regions: &[StaticRegion],
    nodes: &[ContextNode],
    evidence: &mut [Option<LoopFacts>],
) {
    let calls = |region: &StaticRegion| {
        let doubts = region.fixed.source.iter().flat_map(|s| s.doubts.clone());
        let calls = doubts.filter(|d| d.kind == DoubtKind::Call && !d.name.is_empty());
        let calls = calls.filter(|d| !d.name.starts_with(['*', IN_TEST]));
        calls.map(|d| d.name).collect::<Vec<String>>()
    };
    let mut functions: HashMap<String, Vec<u32>> = HashMap::new();
    for (number, region) in (0..).zip(regions) {
        if region.fixed.kind == RegionKind::Function {
            let name = plain_name(&region.fixed.function);
            functions.entry(name).or_default().push(number);
        }
    }
    // What nothing is known of. Had it run, that would rule out a directive.
    let spots = profiles.iter().flat_map(|p| &p.blind_spots);
    let mut unknown: HashSet<String> = spots.map(|spot| spot.callee.clone()).collect();
    unknown.insert(INLINE_ASSEMBLY.to_owned());
    // What ran in which observed loop. Of loops that lie too deep it is not known.
    let mut ran: HashSet<(u32, u32)> = HashSet::new();
    let mut deep: HashSet<u32> = HashSet::new();
    for node in nodes.iter().skip(1) {
        if node.sums.counted < node.sums.instances {
            deep.insert(node.region);
        }
        if regions[node.region as usize].fixed.kind != RegionKind::Function {
            continue;
        }
        let mut at = node.parent;
        while nodes[at as usize].region != PROGRAM {
            let around = &nodes[at as usize];
            if evidence[around.region as usize].is_some() {
                ran.insert((around.region, node.region));
            }
            at = around.parent;
        }
    }
    for ((number, region), facts) in (0..).zip(regions).zip(evidence) {
        let Some(facts) = facts.as_mut().filter(|_| !deep.contains(&number)) else {
            continue;
        };
        for name in calls(region) {
            let fixed = |f: &u32| &regions[*f as usize].fixed;
            let whole = demangle(&name);
            let mut same = functions
                .get(&plain_name(&whole))
                .cloned()
                .unwrap_or_default();
            // One of several overloads, or of the functions of several classes.
            if same.iter().any(|f| fixed(f).function == whole) {
                same.retain(|f| fixed(f).function == whole);
            } else if unknown.contains(&whole) {
                facts.idle.insert(name);
                continue;
            }
            // Another file may have a static one of this name.
            if same.iter().any(|f| fixed(f).file == region.fixed.file) {
                same.retain(|f| fixed(f).file == region.fixed.file);
            }
            if !same.is_empty() && same.iter().all(|f| !ran.contains(&(number, *f))) {
                facts.idle.insert(name);
            }
        }
    }
}

/// Forgets the reductions of a loop that were only such as long as it carried nothing.
fn refute(region: &mut StaticRegion, facts: Option<&mut LoopFacts>) {
    let broken = &mut region.fixed.broken;
    let read = |b: &BrokenDependence| match b.beside {
        ReductionObstacle::Read(line) => Some(line),
        ReductionObstacle::Nothing | ReductionObstacle::Set(_) | ReductionObstacle::Position => {
            None
        }
    };
    if let Some(facts) = facts {
        facts.blame(|name| {
            let mut same = broken.iter().filter(|b| base(&b.name) == base(name));
            same.find_map(read)
        });
    }
    region.understated = broken.iter().any(|b| read(b).is_some());
    broken.retain(|b| read(b).is_none());
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

fn input(profile: &Profile) -> ProfileInput {
    let mut latencies: Vec<String> = Vec::new();
    for module in &profile.modules {
        if !latencies.contains(&module.latency.name) {
            latencies.push(module.latency.name.clone());
        }
    }
    ProfileInput {
        provenance: profile.provenance.clone(),
        end: profile.end.clone(),
        caveats: profile.caveats.clone(),
        latencies,
        without: profile
            .modules
            .iter()
            .flat_map(|m| m.without.clone())
            .collect(),
        work: profile.work,
        critical_path: profile.critical_path,
        bursts: profile.bursts.as_ref().map(|bursts| InputBursts {
            count: bursts.count,
            seed: bursts.seed,
            work: bursts.work,
            native: bursts.native,
            ended: bursts.ended,
            native_seconds: bursts.native_seconds,
            unseen: (bursts.samples.iter().zip(&profile.contexts).skip(1))
                .filter(|(sample, context)| sample.whole + sample.segments + context.work == 0)
                .filter(|(_, context)| {
                    let region = profile.regions.get(context.region as usize);
                    region.is_some_and(|r| r.fixed.kind != RegionKind::Iteration)
                })
                .count() as u64,
            exact: (bursts.samples.iter().zip(&profile.contexts).skip(1))
                .all(|(sample, context)| sample.whole == context.instances),
        }),
    }
}

/// Whether two profiles come from one program: modules of the same source must have the same regions and latencies, and
/// the runs must have a top-level region in common.
fn same_program(a: (&Profile, &[RegionKey]), b: (&Profile, &[RegionKey])) -> Result<(), String> {
    let (in_a, in_b) = (by_module(a), by_module(b));
    for (source, regions) in &in_a {
        let Some(others) = in_b.get(source) else {
            continue;
        };
        if regions != others {
            return Err(format!("`{}` was compiled differently", source.1));
        }
    }
    let tops = |(profile, keys): (&Profile, &[RegionKey])| -> BTreeSet<RegionKey> {
        let contexts = profile.contexts.iter().skip(1);
        contexts
            .filter(|c| c.parent == 0)
            .filter_map(|c| keys.get(c.region as usize).cloned())
            .collect()
    };
    let (tops_a, tops_b) = (tops(a), tops(b));
    if !tops_a.is_empty() && !tops_b.is_empty() && tops_a.is_disjoint(&tops_b) {
        return Err("they have no outermost function in common".to_owned());
    }
    Ok(())
}

type Build<'a> = BTreeSet<(Option<&'a RegionKey>, Vec<u32>)>;

/// Region keys (or, for the module itself, none) with its latencies, by directory and source.
fn by_module<'a>(
    (profile, keys): (&'a Profile, &'a [RegionKey]),
) -> BTreeMap<(&'a str, &'a str), Build<'a>> {
    let mut found: BTreeMap<_, Build> = BTreeMap::new();
    for module in &profile.modules {
        let latencies = module.latency.rows().map(|(_, value)| value).to_vec();
        found
            .entry((module.directory.as_str(), module.source.as_str()))
            .or_default()
            .insert((None, latencies));
    }
    for (region, key) in profile.regions.iter().zip(keys) {
        if let Some(module) = profile.modules.get(region.module as usize) {
            found
                .entry((module.directory.as_str(), module.source.as_str()))
                .or_default()
                .insert((Some(key), Vec::new()));
        }
    }
    found
}

/// One list of static regions, and for every profile the number in it of each of its regions.
fn merge_regions(
    profiles: &[Profile],
    keys: &[Vec<RegionKey>],
) -> (Vec<StaticRegion>, Vec<Vec<u32>>) {
    let mut number_of: HashMap<&RegionKey, u32> = HashMap::new();
    let mut all: Vec<(&RegionKey, RegionStatic, Option<&Module>)> = Vec::new();
    let mut numbers = Vec::with_capacity(profiles.len());
    for (profile, keys) in profiles.iter().zip(keys) {
        let mut own: Vec<u32> = Vec::with_capacity(keys.len());
        for (region, key) in profile.regions.iter().zip(keys) {
            let next = all.len() as u32;
            let number = *number_of.entry(key).or_insert(next);
            if number == next {
                let mut fixed = region.fixed.clone();
                fixed.parent = fixed.parent.and_then(|p| own.get(p as usize).copied());
                let module = profile.modules.get(region.module as usize);
                all.push((key, fixed, module));
            } else {
                let known = &mut all[number as usize].1;
                for broken in &region.fixed.broken {
                    if !known.broken.contains(broken) {
                        known.broken.push(broken.clone());
                    }
                }
            }
            own.push(number);
        }
        numbers.push(own);
    }
    let named: Vec<NamedRegion> = all
        .iter()
        .map(|(key, fixed, module)| NamedRegion {
            key,
            kind: fixed.kind,
            function: &fixed.function,
            source: module.map_or("", |m| m.source.as_str()),
        })
        .collect();
    let ids = identity::ids(&named);
    let regions = all.into_iter().zip(ids);
    let regions = regions.map(|((_, fixed, module), id)| StaticRegion {
        id: id.into(),
        fixed,
        directory: module.map_or("", |m| m.directory.as_str()).into(),
        understated: false,
    });
    (regions.collect(), numbers)
}

/// Contexts of all profiles, parents before children.
fn merge_contexts(profiles: &[Profile], numbers: &[Vec<u32>]) -> Vec<ContextNode> {
    let largest = profiles.iter().map(|p| p.contexts.len()).max();
    let mut nodes = Vec::with_capacity(largest.unwrap_or(0).max(1));
    nodes.push(ContextNode {
        region: PROGRAM,
        ..ContextNode::default()
    });
    // Chains that occur twice in one profile (a function of two modules) may stay two nodes: nothing but sums over
    // nodes is ever looked at. So a single profile needs no search.
    let search = profiles.len() > 1;
    let mut number_of: HashMap<(u32, u32), u32> = HashMap::new();
    for (profile, numbers) in profiles.iter().zip(numbers) {
        let mut place = vec![0u32; profile.contexts.len()];
        for (index, context) in profile.contexts.iter().enumerate() {
            if index > 0 {
                let parent = place[context.parent as usize];
                let region = numbers[context.region as usize];
                let next = nodes.len() as u32;
                let number = if search {
                    *number_of.entry((parent, region)).or_insert(next)
                } else {
                    next
                };
                if number == next {
                    nodes.push(ContextNode {
                        parent,
                        region,
                        depth: context.depth,
                        ..ContextNode::default()
                    });
                }
                place[index] = number;
            }
            let sample = profile.bursts.as_ref().map(|b| &b.samples[index]);
            let sums = InstanceSums::of(context, sample);
            nodes[place[index] as usize].sums.add(&sums);
        }
    }
    nodes
}

/// Finds the outermost nodes of each region. Brings nodes into depth-first order, siblings as they stand, if they are
/// not.
fn depth_first(mut nodes: Vec<ContextNode>, regions: usize) -> Vec<ContextNode> {
    if !mark_outermost(&mut nodes, regions) {
        nodes = reordered(nodes);
        let ordered = mark_outermost(&mut nodes, regions);
        debug_assert!(ordered, "the order just made is depth first");
    }
    nodes
}

/// Walks nodes as if they stood depth first; false when they do not.
fn mark_outermost(nodes: &mut [ContextNode], regions: usize) -> bool {
    let mut open = vec![0u32; regions];
    let mut stack: Vec<u32> = vec![0];
    for index in 1..nodes.len() {
        let parent = nodes[index].parent;
        while stack.last().is_some_and(|&top| top != parent) {
            let closed = stack.pop().expect("checked");
            if let Some(count) = open.get_mut(nodes[closed as usize].region as usize) {
                *count -= 1;
            }
        }
        if stack.is_empty() {
            return false;
        }
        let count = &mut open[nodes[index].region as usize];
        nodes[index].outermost = *count == 0;
        *count += 1;
        stack.push(index as u32);
    }
    true
}

fn reordered(nodes: Vec<ContextNode>) -> Vec<ContextNode> {
    let mut next_sibling = vec![0u32; nodes.len()];
    let mut first_child = vec![0u32; nodes.len()];
    for index in (1..nodes.len()).rev() {
        let parent = nodes[index].parent as usize;
        next_sibling[index] = first_child[parent];
        first_child[parent] = index as u32;
    }
    let mut place = vec![0u32; nodes.len()];
    let mut order: Vec<u32> = Vec::with_capacity(nodes.len());
    let mut stack: Vec<u32> = vec![0];
    while let Some(index) = stack.pop() {
        place[index as usize] = order.len() as u32;
        order.push(index);
        let (sibling, child) = (next_sibling[index as usize], first_child[index as usize]);
        stack.extend([sibling, child].into_iter().filter(|&next| next != 0));
    }
    let ordered = order.iter().map(|&index| {
        let node = &nodes[index as usize];
        ContextNode {
            parent: place[node.parent as usize],
            ..node.clone()
        }
    });
    ordered.collect()
}

fn merge_blind_spots(profiles: &[Profile]) -> Vec<BlindSpot> {
    let mut calls: BTreeMap<&str, u64> = BTreeMap::new();
    let called = profiles.iter().flat_map(|p| &p.blind_spots);
    for spot in called.filter(|spot| spot.calls > 0) {
        let sum = calls.entry(&spot.callee).or_default();
        *sum = sum.saturating_add(spot.calls);
    }
    let mut spots: Vec<BlindSpot> = calls
        .into_iter()
        .map(|(callee, calls)| BlindSpot {
            callee: callee.to_owned(),
            calls,
        })
        .collect();
    spots.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.callee.cmp(&b.callee)));
    spots
}

impl StaticRegion {
    /// Whether it is a loop.
    pub fn is_loop(&self) -> bool {
        self.fixed.kind == RegionKind::Loop
    }
}
