//! Figures of every static region, aggregated over its contexts.

mod collapse;
mod letters;
mod list;
mod uneven;

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use parascan_formats::module::{RegionKind, RegionStatic};
use parascan_formats::source::{
    DoubtKind, Fingerprint, ObstacleKind, Sharing, SharingDoubt, Variable,
};
use serde::Serialize;

pub(crate) use collapse::loops_as_one;
pub use letters::{letter, letters};
pub use list::{Regions, regions};
pub(crate) use uneven::in_turn;

use crate::advice::{self, Advice, Certainty, Dialect, Patch, Reduction};
use crate::class::{ClassRule, Classing, RegionClass, SerialReason, classify};
use crate::evidence::{LoopFacts, unseen_in_words};
use crate::library;
use crate::model::{InstanceSums, Model, PROGRAM, StaticRegion};
use crate::numbers::{count, grouped, speedup};

/// Figures of a static region. Formulas: `docs/semantics.md`.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionFigures {
    /// Unique name, accepted by `--exclude`.
    pub id: Arc<str>,
    /// Its letter in charts and tables (`letters.rs`); none of iterations.
    pub letter: Option<Arc<str>>,
    /// Function, loop, or iteration.
    pub kind: RegionKind,
    /// Source file as the compiler named it.
    pub file: String,
    /// First line, 0 when unknown.
    pub line: u32,
    /// Column of the first line, 0 when unknown.
    pub column: u32,
    /// Last line, 0 when unknown.
    pub end_line: u32,
    /// Function, demangled.
    pub function: String,
    /// Kind of parallelism.
    pub class: RegionClass,
    /// Why it is serial, if it is.
    pub serial_reason: Option<SerialReason>,
    /// Self-parallelism over all instances; none where it was not measured.
    pub self_parallelism: Option<f64>,
    /// Total parallelism over the same instances.
    pub total_parallelism: Option<f64>,
    /// Work of the outermost instances over the program's.
    pub coverage: f64,
    /// Work done in the region but in no loop or function inside it, over the program's. Iterations belong to their
    /// loop.
    pub exclusive_coverage: f64,
    /// Ideal speedup of the whole program by parallelizing this region alone.
    pub speedup: f64,
    /// Iterations over all instances; of loops only, and not where loops were so deep that they were not counted.
    pub iterations: Option<LoopIterations>,
    /// How often it ran, nested and recursive instances included.
    pub instances: u64,
    /// Work of the outermost instances.
    pub work: u64,
    /// Critical paths of the outermost instances; none where not measured.
    pub critical_path: Option<u64>,
    /// Work outside of the direct children (for a loop: outside of its iterations).
    pub self_work: u64,
    /// Share of the region's work in instances whose self-parallelism is known: 1 unless depths were not tracked.
    pub measured: f64,
    /// Sum over instances of critical path minus longest child's; none where not measured.
    pub gap: Option<u64>,
    /// Smallest depth at which it occurs.
    pub depth: u32,
    /// Id of the enclosing loop or function in which it did most of its work; none for top-level regions.
    pub parent: Option<Arc<str>>,
    /// Loops: the dependence that stops it in one line, where one was observed.
    pub blocking: Option<String>,
    /// Ids of all loops and functions directly around it, the one with most work first.
    pub parents: Vec<Arc<str>>,
    /// Whether it runs inside itself.
    pub recursive: bool,
    /// Loops: the number of iterations is known before the loop starts.
    pub counted: bool,
    /// Reductions broken.
    pub reductions: Vec<Reduction>,
    /// Parallel loops: how often iterations were seen to be independent, in one sentence.
    pub confidence: Option<String>,
    /// Directive to paste above the loop; none where that could be wrong.
    pub pragma: Option<String>,
    /// Lines to put around the loop, where no directive alone would do.
    pub patch: Option<Patch>,
    /// Directive that it would be once `needs` are settled.
    pub proposal: Option<String>,
    /// Clauses of either.
    pub clauses: Vec<String>,
    /// How sure the directive is; none where there is none.
    pub certainty: Option<Certainty>,
    /// Of a directive or patch that is observed: that it is not proved, and what other inputs may change, in one
    /// sentence.
    pub unproved: Option<String>,
    /// What has to be looked at or changed before a directive is right.
    pub needs: Vec<String>,
    /// Variables that the loop writes and that are declared outside of it, with how iterations may share them.
    pub variables: Vec<Variable>,
    /// Whether other code stands before the loop on its line; not known of functions.
    pub shares_line: bool,
    /// What the loop's file held when it was compiled, where that is known.
    pub text: Option<Fingerprint>,
    /// Of a region in a system header: where the program's own code leads to it.
    pub caller: Option<Caller>,
    /// What else to know about it.
    pub hints: Vec<String>,
    /// What is behind the figures where they are estimates; none where every instance was measured from beginning to
    /// end.
    pub sample: Option<RegionSample>,
    /// Place in the plan to which the figures belong, from 1.
    pub rank: Option<u32>,
    /// Ideal speedup by this and all earlier regions of that plan.
    pub cumulative_speedup: Option<f64>,
}

/// What is behind the figures of a region in runs of which only stretches (bursts) were tracked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionSample {
    /// Instances that were seen from beginning to end, so that their figures are exact.
    pub whole: u64,
    /// Stretches that were seen of others.
    pub segments: u64,
    /// The coverage lies within this of the true one in 95 of 100 cases.
    pub coverage_error: f64,
    /// The same of self-parallelism: least and most, where that is known; most is none where what was seen sets no
    /// bound.
    pub self_parallelism: Option<(f64, Option<f64>)>,
}

impl RegionSample {
    /// How much of so many instances was seen, in words.
    pub fn in_words(&self, instances: u64) -> String {
        let parts = match self.segments {
            0 => String::new(),
            1 => ", and one stretch of others".to_owned(),
            more => format!(", and {} stretches of others", grouped(more)),
        };
        format!(
            "{} of {} seen from beginning to end{parts}",
            grouped(self.whole),
            count(instances, "instance", "instances")
        )
    }
}

/// Where the program's own code leads to a region in a system header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The nearest region around it in that code, of several the one below which it does most work.
    pub id: Arc<str>,
    /// That one's function.
    pub function: String,
    /// That one's first line.
    pub line: u32,
    /// Lines of calls in that function that lead there, ascending; empty where no direct ones are known.
    pub calls: Vec<u32>,
}

impl Caller {
    /// Lines of the calls, or the first one of the region where none are known.
    pub fn lines(&self) -> &[u32] {
        match self.calls.is_empty() {
            true => std::slice::from_ref(&self.line),
            false => &self.calls,
        }
    }

    /// Where these are in the source, as `file:line`.
    pub fn place(&self) -> String {
        let file = self.id.split(':').next().unwrap_or_default();
        let lines: Vec<String> = self.lines().iter().map(u32::to_string).collect();
        format!("{file}:{}", lines.join(", "))
    }
}

/// What is advised for a region.
struct RegionAdvice {
    class: RegionClass,
    serial_reason: Option<SerialReason>,
    /// The class that the advice is for.
    as_class: RegionClass,
    reductions: Vec<Reduction>,
    advice: Advice,
}

impl RegionFigures {
    /// What to say beside the directive: how sure it is, what it would be, what it needs, what else to know.
    pub fn notes(&self) -> Vec<String> {
        let sure = self.unproved.iter().chain(&self.confidence);
        let mut notes: Vec<String> = sure.cloned().collect();
        if let Some(sample) = &self.sample {
            let seen = sample.in_words(self.instances);
            notes.push(format!("its figures are estimates: {seen}"));
        }
        if let Some(caller) = &self.caller {
            let place = caller.place();
            let what = match self.kind {
                RegionKind::Function => "function",
                RegionKind::Loop | RegionKind::Iteration => "loop",
            };
            notes.push(format!(
                "a {what} in the system's headers ({}), reached from {place}",
                self.id
            ));
        }
        if let (RegionClass::Doacross, Some(blocking)) = (self.class, &self.blocking) {
            notes.push(blocking.clone());
        }
        if let Some(proposal) = &self.proposal {
            notes.push(format!("`{proposal}` would do, once this is sure:"));
        }
        notes.extend(self.needs.iter().cloned());
        notes.extend(self.hints.iter().cloned());
        notes
    }
}

/// How many iterations the instances of a loop have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LoopIterations {
    /// Over all instances.
    pub total: u64,
    /// Fewest in one instance.
    pub min: u64,
    /// Mean over instances.
    pub mean: f64,
    /// Most in one instance.
    pub max: u64,
}

/// Largest coverage first; ties by place in the source.
pub(crate) fn sort_by_coverage(rows: &mut [RegionFigures]) {
    rows.sort_by(by_coverage);
}

/// The order of [`sort_by_coverage`].
pub(crate) fn by_coverage(a: &RegionFigures, b: &RegionFigures) -> Ordering {
    (b.coverage.total_cmp(&a.coverage))
        .then_with(|| a.depth.cmp(&b.depth))
        .then_with(|| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)))
        .then_with(|| a.id.cmp(&b.id))
}

/// Where to look for regions at the same place in [`RegionSums::places`].
fn place_key(fixed: &RegionStatic) -> (u32, u64) {
    let mut hash = DefaultHasher::new();
    fixed.file.hash(&mut hash);
    (fixed.line, hash.finish())
}

/// Sums per static region.
pub(crate) struct RegionSums {
    /// Over all instances.
    pub(crate) all: Vec<InstanceSums>,
    /// Over outermost instances.
    pub(crate) outer: Vec<InstanceSums>,
    /// Work in no loop or function below.
    own: Vec<u64>,
    /// Smallest depth.
    pub(crate) depth: Vec<u32>,
    recursive: Vec<bool>,
    /// Enclosing loops and functions with the work done under each, most first.
    parents: Vec<Vec<(u32, u64)>>,
    /// Whether another loop or function runs directly inside.
    has_inside: Vec<bool>,
    /// The one loop that runs nowhere but in this region.
    pub(crate) only_loop: Vec<Option<u32>>,
    /// Of regions in system headers: the nearest region of the program's own code around the context with most work.
    callers: Vec<Option<(u32, u64)>>,
    /// Regions by their line and a hash of their file: few of a program's regions stand at one place.
    places: HashMap<(u32, u64), Vec<usize>>,
    /// By region; none of iterations and of what never ran.
    pub(crate) letters: Vec<Option<Arc<str>>>,
}

impl RegionSums {
    pub(crate) fn new(model: &Model) -> Self {
        let count = model.regions.len();
        let mut gathered = Self {
            all: vec![InstanceSums::default(); count],
            outer: vec![InstanceSums::default(); count],
            own: vec![0; count],
            depth: vec![u32::MAX; count],
            recursive: vec![false; count],
            parents: vec![Vec::new(); count],
            has_inside: vec![false; count],
            only_loop: vec![None; count],
            callers: vec![None; count],
            places: HashMap::new(),
            letters: Vec::new(),
        };
        for (number, region) in model.regions.iter().enumerate() {
            let at = place_key(&region.fixed);
            gathered.places.entry(at).or_default().push(number);
        }
        for (_, node) in model.contexts() {
            let region = node.region as usize;
            gathered.all[region].add(&node.sums);
            if node.outermost {
                gathered.outer[region].add(&node.sums);
            } else {
                gathered.recursive[region] = true;
            }
            gathered.depth[region] = gathered.depth[region].min(node.depth);
            if library::is_system(&model.regions[region].fixed.file)
                && gathered.callers[region].is_none_or(|(_, work)| work < node.sums.work)
                && let Some(caller) = own_code(model, node.parent)
            {
                gathered.callers[region] = Some((caller, node.sums.work));
            }
            let mut around = node.parent;
            let iteration = |n: u32| {
                let region = model.nodes[n as usize].region;
                region != PROGRAM
                    && model.regions[region as usize].fixed.kind == RegionKind::Iteration
            };
            let is_iteration = model.regions[region].fixed.kind == RegionKind::Iteration;
            let owner = if is_iteration && around != 0 {
                model.nodes[around as usize].region as usize
            } else {
                region
            };
            gathered.own[owner] = gathered.own[owner].saturating_add(node.sums.self_work());
            if iteration(around) {
                around = model.nodes[around as usize].parent;
            }
            let around = model.nodes[around as usize].region;
            if !is_iteration && let Some(inside) = gathered.has_inside.get_mut(around as usize) {
                *inside = true;
            }
            let parents = &mut gathered.parents[region];
            match parents.iter_mut().find(|(parent, _)| *parent == around) {
                Some((_, work)) => *work = work.saturating_add(node.sums.work),
                None => parents.push((around, node.sums.work)),
            }
        }
        for parents in &mut gathered.parents {
            parents.sort_by_key(|&(parent, work)| (std::cmp::Reverse(work), parent));
        }
        gathered.only_loop = collapse::only_loops(model, &gathered.parents);
        gathered.letters = letters::assign(model, &gathered);
        gathered
    }

    /// Class of a region, and what its source and evidence advise.
    fn advise(
        &self,
        model: &Model,
        number: usize,
        classing: Classing,
        dialect: Dialect,
    ) -> RegionAdvice {
        let region = &model.regions[number];
        let fixed = &region.fixed;
        let all = &self.all[number];
        let evidence = model.evidence[number].as_ref();
        let (class, serial_reason) = match classify(fixed, all, evidence, classing) {
            // How far its iterations overlap is not known.
            (RegionClass::Doacross, _) if region.understated => {
                (RegionClass::Serial, Some(SerialReason::Dependences))
            }
            found => found,
        };
        let reductions = advice::reductions(fixed, evidence);
        // What Kremlin calls DOALL may carry dependences that are short: no code for these.
        let advised = match (classing.rule, class) {
            (ClassRule::Kremlin, RegionClass::Doall | RegionClass::DoallReduction) => {
                let gap = Classing {
                    rule: ClassRule::Gap,
                    ..classing
                };
                match classify(fixed, all, evidence, gap).0 {
                    RegionClass::Serial => RegionClass::Doacross,
                    class => class,
                }
            }
            _ => class,
        };
        let by_control = waits_by_control(fixed, all);
        let advice = advice::advise(fixed, advised, &reductions, evidence, by_control, dialect);
        RegionAdvice {
            class,
            serial_reason,
            as_class: advised,
            reductions,
            advice,
        }
    }

    /// Whether another loop stands at the same place, of which another directive would be right, or none: one that ran,
    /// or another instance of a template that did not, unless the source proves the same of both.
    fn has_other_advice(
        &self,
        model: &Model,
        number: usize,
        advice: &Advice,
        classing: Classing,
        dialect: Dialect,
    ) -> bool {
        let place = |number: usize| {
            let fixed = &model.regions[number].fixed;
            (fixed.line, fixed.column, fixed.kind, &fixed.file)
        };
        let mine = &model.regions[number].fixed;
        let differs = |o: usize| {
            let other = &model.regions[o].fixed;
            if self.all[o].instances > 0 {
                let other = self.advise(model, o, classing, dialect).advice;
                return (other.pragma, other.patch)
                    != (advice.pragma.clone(), advice.patch.clone());
            }
            // Copies of one function are the same.
            let instance = other.linkage_name != mine.linkage_name;
            let same = (&other.source, &other.broken) == (&mine.source, &mine.broken);
            // What a run has shown of one instance says nothing of another.
            instance && !(same && advice.certainty == Some(Certainty::Complete))
        };
        let near = self.places.get(&place_key(mine));
        near.into_iter()
            .flatten()
            .any(|&o| o != number && place(o) == place(number) && differs(o))
    }

    /// Whether no other loop and no function of the program ran in a region, as far as what ran in it is known.
    pub(crate) fn is_innermost(&self, number: u32) -> bool {
        !self.has_inside[number as usize] && self.all[number as usize].counted > 0
    }

    /// Figures of one region that ran.
    pub(crate) fn figures(
        &self,
        model: &Model,
        number: usize,
        classing: Classing,
        dialect: Dialect,
    ) -> RegionFigures {
        let region = &model.regions[number];
        let fixed = &region.fixed;
        let (all, outer) = (&self.all[number], &self.outer[number]);
        let evidence = model.evidence[number].as_ref();
        let RegionAdvice {
            class,
            serial_reason,
            as_class: advised,
            reductions,
            mut advice,
        } = self.advise(model, number, classing, dialect);
        let is_code = advice.pragma.is_some() || advice.patch.is_some();
        if is_code && self.has_other_advice(model, number, &advice, classing, dialect) {
            advice.proposal = advice.pragma.take();
            advice.patch = None;
            advice.unproved = None;
            advice.certainty = advice.proposal.is_some().then_some(Certainty::Unchecked);
            advice.needs.push(
                "the loop is compiled more than once (for a template's arguments, in several files), or another begins at the same place, \
                 and what is right for this one is not for all: a directive stands above each of them"
                    .to_owned(),
            );
        }
        if region.understated {
            advice.hints.push(
                "its critical path leaves out the chain of updates whose results it uses as well: it is less parallel than its \
                 self-parallelism says"
                    .to_owned(),
            );
        }
        if let Some(without) = model.inputs.iter().find_map(|i| i.without.first()) {
            advice = Advice {
                needs: vec![format!(
                    "this build leaves out what the program does (PARASCAN_WITHOUT={without}): its figures say what a change would \
                     bring, not that the loop can run in parallel"
                )],
                ..Advice::default()
            };
        }
        let sample = (all.sampled > 0).then(|| RegionSample {
            whole: all.whole,
            segments: all.segments,
            coverage_error: share(outer.error as f64, model.work as f64).min(1.0),
            self_parallelism: all.self_parallelism_interval(),
        });
        let is_code = advice.pragma.is_some() || advice.patch.is_some();
        let looked_at = evidence.is_some_and(LoopFacts::is_whole);
        if sample.is_some() && is_code && !looked_at {
            advice.proposal = advice.pragma.take();
            advice.patch = None;
            advice.unproved = None;
            advice.certainty = advice.proposal.is_some().then_some(Certainty::Unchecked);
            advice.needs.push(
                "iterations that the recording did not see may depend on each other: `parascan explain` looks at all of them".to_owned(),
            );
        }
        if advice.pragma.is_some() && dialect == Dialect::Openmp {
            self.collapse(model, number, classing, &mut advice);
            self.share_out(model, number, &mut advice);
        }
        let parents: Vec<Arc<str>> = self.parents[number]
            .iter()
            .filter_map(|&(parent, _)| model.regions.get(parent as usize))
            .map(|parent| parent.id.clone())
            .collect();
        let top_level = self.parents[number]
            .first()
            .is_none_or(|&(parent, _)| parent == PROGRAM);
        let program = model.work as f64;
        RegionFigures {
            id: region.id.clone(),
            letter: self.letters[number].clone(),
            kind: fixed.kind,
            file: fixed.file.clone(),
            line: fixed.line,
            column: fixed.column,
            end_line: fixed.end_line,
            function: fixed.function.clone(),
            class,
            serial_reason,
            self_parallelism: all.self_parallelism(),
            total_parallelism: all.total_parallelism(),
            coverage: share(outer.work as f64, program),
            exclusive_coverage: share(self.own[number] as f64, program),
            speedup: speedup(program, outer.saving()),
            confidence: confidence(advised, all, evidence)
                .filter(|_| sample.is_none() || looked_at),
            iterations: (fixed.kind == RegionKind::Loop && all.counted > 0).then(|| {
                LoopIterations {
                    total: all.children,
                    min: all.children_min,
                    mean: share(all.children as f64, all.counted as f64),
                    max: all.children_max,
                }
            }),
            instances: all.instances,
            work: outer.work,
            critical_path: (outer.tracked_work > 0 || outer.known > 0).then_some(outer.cp),
            self_work: all.self_work(),
            measured: if all.work == 0 {
                1.0
            } else {
                share(all.known_work as f64, all.work as f64)
            },
            gap: (all.known > 0).then_some(all.gap),
            depth: self.depth[number],
            parent: if top_level {
                None
            } else {
                parents.first().cloned()
            },
            blocking: evidence
                .and_then(|facts| facts.in_one_line(&fixed.function))
                .or_else(|| by_control(class, serial_reason, fixed, all, evidence))
                .map(|text| advice::in_language_of(&fixed.file, text)),
            parents,
            recursive: self.recursive[number],
            counted: fixed.counted,
            reductions,
            pragma: advice.pragma,
            patch: advice.patch,
            hints: advice.hints,
            proposal: advice.proposal,
            clauses: advice.clauses,
            certainty: advice.certainty,
            unproved: advice.unproved,
            needs: advice.needs,
            variables: fixed
                .source
                .as_ref()
                .map(|s| s.variables.clone())
                .unwrap_or_default(),
            shares_line: fixed.source.as_ref().is_some_and(|s| !s.starts_line),
            text: fixed.source.as_ref().and_then(|s| s.text),
            caller: self.callers[number]
                .map(|(caller, _)| called_from(fixed, &model.regions[caller as usize])),
            sample,
            rank: None,
            cumulative_speedup: None,
        }
    }
}

/// Where a region of the program's own code leads to one in a system header.
fn called_from(region: &RegionStatic, caller: &StaticRegion) -> Caller {
    let doubts = region.source.iter().flat_map(|s| &s.doubts);
    let calls =
        doubts.filter(|d| d.kind == DoubtKind::Called && d.name == caller.fixed.linkage_name);
    let mut calls: Vec<u32> = calls.map(|d| d.line).collect();
    calls.sort_unstable();
    calls.dedup();
    Caller {
        id: caller.id.clone(),
        function: caller.fixed.function.clone(),
        line: caller.fixed.line,
        calls,
    }
}

/// What a loop waits for of which no iteration reads what an earlier one wrote: time passes from iteration to iteration
/// by data and by control alone.
fn by_control(
    class: RegionClass,
    reason: Option<SerialReason>,
    region: &RegionStatic,
    all: &InstanceSums,
    evidence: Option<&LoopFacts>,
) -> Option<String> {
    let waits = class == RegionClass::Doacross || reason == Some(SerialReason::Dependences);
    let unseen = evidence.is_some_and(|facts| !facts.unseen.is_empty());
    if region.kind != RegionKind::Loop || !waits || unseen {
        return None;
    }
    let exits = exits(region);
    if region.counted && exits.is_empty() {
        let whole = evidence.is_some_and(LoopFacts::is_whole);
        let kept = kept(region);
        return whole.then(|| {
            let what = match kept.is_empty() {
                true => "a variable".to_owned(),
                false => kept.join(" or "),
            };
            format!(
                "its iterations wait for earlier ones, but what for was not found among the accesses to memory: {what} that not every \
                 iteration sets, or a decision"
            )
        });
    }
    let how = match &exits[..] {
        [] => "by the loop's test or an exit".to_owned(),
        lines => format!(
            "where it may be left on line {}. If all may run, a search needs no such exit: combine what the iterations find (a \
             reduction by `||`, or by `min` over the index for the first), or end it early with `#pragma omp cancel for`",
            lines.join(" and ")
        ),
    };
    waits_by_control(region, all).then(|| {
        format!(
            "no iteration reads what an earlier one wrote, but whether there is another iteration is decided in the one before: {how}"
        )
    })
}

/// Variables that may carry a value from one iteration to the next, by the source alone.
fn kept(region: &RegionStatic) -> Vec<String> {
    let variables = region.source.iter().flat_map(|s| &s.variables);
    let kept = variables.filter(|v| v.sharing == Sharing::Unknown(SharingDoubt::Carried));
    kept.map(|v| format!("`{}` (line {})", v.name, v.at))
        .collect()
}

/// Lines on which a loop may be left before its end.
fn exits(region: &RegionStatic) -> Vec<String> {
    let exits = region.source.iter().flat_map(|s| &s.obstacles);
    let mut exits: Vec<String> = exits
        .filter(|o| o.kind == ObstacleKind::Exit && o.line > 0)
        .map(|o| o.line.to_string())
        .collect();
    exits.dedup();
    exits
}

/// Whether no iteration read what an earlier one wrote, and each decides whether there is another one.
fn waits_by_control(region: &RegionStatic, all: &InstanceSums) -> bool {
    let decides = !region.counted || !exits(region).is_empty();
    decides && all.carried == 0 && all.unobserved == 0
}

/// How often the iterations of a parallel loop were seen to be independent.
fn confidence(
    class: RegionClass,
    all: &InstanceSums,
    evidence: Option<&LoopFacts>,
) -> Option<String> {
    let apart = match class {
        RegionClass::Doall => "",
        RegionClass::DoallReduction => ", its reductions apart",
        _ => return None,
    };
    let (what, iterations, instances) = match evidence {
        Some(facts) if facts.is_whole() => {
            let unseen: Vec<String> = facts.unseen.iter().map(|f| unseen_in_words(f)).collect();
            let but = match unseen.len() {
                0 => String::new(),
                _ => format!(", but for those in {}", unseen.join(", ")),
            };
            (
                format!("every access looked at{but}"),
                facts.iterations,
                facts.instances,
            )
        }
        _ => ("reads looked at".to_owned(), all.children, all.instances),
    };
    Some(format!(
        "no carried dependence in {} of {} on this input{apart} ({what})",
        count(iterations, "iteration", "iterations"),
        count(instances, "instance", "instances")
    ))
}

/// The region of the nearest context outside of system headers, from one on; an iteration counts as its loop.
fn own_code(model: &Model, mut at: u32) -> Option<u32> {
    loop {
        let node = &model.nodes[at as usize];
        if node.region == PROGRAM {
            return None;
        }
        let fixed = &model.regions[node.region as usize].fixed;
        if fixed.kind != RegionKind::Iteration && !library::is_system(&fixed.file) {
            return Some(node.region);
        }
        at = node.parent;
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use parascan_formats::source::{LoopSource, VariableKind};

    use super::*;

    #[test]
    fn what_no_access_shows_is_named_where_the_source_tells() {
        let variable = |name: &str, sharing| Variable {
            name: name.to_owned(),
            line: 1,
            global: false,
            shape: VariableKind::Scalar,
            sharing,
            at: 7,
        };
        let mut region = RegionStatic {
            kind: RegionKind::Loop,
            parent: None,
            function: "f".to_owned(),
            linkage_name: "f".to_owned(),
            file: "f.c".to_owned(),
            line: 6,
            column: 3,
            end_line: 7,
            counted: true,
            broken: Vec::new(),
            folded: false,
            streams: Vec::new(),
            vectorized: None,
            writes_to_frame: None,
            source: Some(LoopSource {
                variables: vec![
                    variable("at", Sharing::Unknown(SharingDoubt::Carried)),
                    variable("t", Sharing::Private),
                ],
                ..LoopSource::default()
            }),
        };
        let facts = LoopFacts {
            instances: 1,
            iterations: 9,
            ..LoopFacts::default()
        };
        let said = |region: &RegionStatic| {
            by_control(
                RegionClass::Doacross,
                None,
                region,
                &InstanceSums::default(),
                Some(&facts),
            )
        };
        let end = "that not every iteration sets, or a decision";
        let named = said(&region).expect("all was looked at");
        assert!(
            named.ends_with(&format!(": `at` (line 7) {end}")),
            "{named}"
        );
        region.source = None;
        let unnamed = said(&region).expect("all was looked at");
        assert!(
            unnamed.ends_with(&format!(": a variable {end}")),
            "{unnamed}"
        );
    }
}
