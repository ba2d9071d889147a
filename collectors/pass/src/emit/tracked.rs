//! Which loops of a function are regions, and how their iterations are measured.

use indexmap::IndexMap;

use parascan_formats::module::{MemoryStream, RegionKind, RegionStatic};

use super::unit::UnitState;
use super::{IterationMode, TrackedLoop, library};
use crate::analysis::{Analysis, NaturalLoop};
use crate::cost::{self, TimingRule};
use crate::fold::{Constant, FoldedChild, FoldingContext};
use crate::ir::{Opcode, Value};
use crate::recognise::{LoopNest, Recognised};
use crate::source;

/// Chooses the loops that are regions and registers all regions of a function.
pub(super) fn choose(
    unit: &mut UnitState,
    f: Value,
    analysis: &Analysis,
    nest: &LoopNest<'_>,
    found: &Recognised,
) -> Vec<TrackedLoop> {
    with_folder(unit, analysis, nest, found, |unit, folder| {
        choose_with(unit, f, folder)
    })
}

fn choose_with(unit: &mut UnitState, f: Value, folder: &FoldingContext<'_>) -> Vec<TrackedLoop> {
    let &FoldingContext {
        analysis,
        loops,
        found,
        ..
    } = folder;
    let function_number = unit.region_of_function(f);
    let function = unit.facts.regions[function_number].clone();
    let function = RegionStatic {
        folded: false,
        ..function
    };
    let mut tracked: Vec<TrackedLoop> = Vec::new();
    let mut number_of: IndexMap<usize, usize> = IndexMap::new();
    let mut bases: Vec<Value> = Vec::new();
    for (index, l) in loops.iter().enumerate() {
        if !is_region(l) {
            continue;
        }
        let mut parent = l.parent;
        while let Some(p) = parent.filter(|p| !number_of.contains_key(p)) {
            parent = loops[p].parent;
        }
        let outer = parent.map(|p| &tracked[number_of[&p]]);
        let level = outer.map_or(1, |o| o.level + 2);
        let outer_region = outer.map_or(function_number, |o| o.iteration_region);
        let iterations = iterations(unit, folder, index);
        let whole = matches!(iterations, IterationMode::Folded(_))
            .then(|| folder.whole(index))
            .flatten();
        let alone = iterations == IterationMode::Flat(Vec::new()) && folder.stands_alone(index);
        // Children that the enclosing iteration lists are not reported by themselves.
        let hidden = outer.is_some_and(|o| {
            o.hidden
                || matches!(
                    o.iterations,
                    IterationMode::Folded(_) | IterationMode::Flat(_)
                )
        });
        let (line, column, end_line) = l.place;
        let place = RegionStatic {
            kind: RegionKind::Loop,
            parent: Some(outer_region as u32),
            line: if line == 0 { function.line } else { line },
            column,
            end_line: if line == 0 {
                function.end_line
            } else {
                end_line
            },
            counted: l.latch.is_some_and(|b| l.counted_exits.contains(&b)),
            broken: found.broken[index].clone(),
            folded: whole.is_some(),
            source: source::take(
                f,
                (line, column),
                &source::Recognised {
                    broken: &found.broken[index],
                    guarded: &found.guarded[index],
                    unordered: &found.unordered[index],
                    best: &found.best[index],
                },
                |name| analysis.shows(index, name),
            ),
            streams: streams(analysis, f, loops, index, &mut bases),
            writes_to_frame: Some(analysis.writes_to_frame(index)),
            ..function.clone()
        };
        let region = unit.add_region(place.clone());
        let iteration_region = unit.add_region(RegionStatic {
            kind: RegionKind::Iteration,
            parent: Some(region as u32),
            counted: false,
            broken: Vec::new(),
            folded: matches!(iterations, IterationMode::Folded(_)),
            source: None,
            streams: Vec::new(),
            vectorized: None,
            writes_to_frame: None,
            ..place
        });
        number_of.insert(index, tracked.len());
        tracked.push(TrackedLoop {
            index,
            iterations,
            region,
            iteration_region,
            level,
            slots: None,
            alone,
            whole,
            hidden,
            descriptor: None,
        });
    }
    // Inner loops come later in the list; their descriptors are needed first.
    let mut of_loop: IndexMap<usize, Value> = IndexMap::new();
    for t in tracked.iter_mut().rev() {
        let (constant, listed) = match &t.iterations {
            IterationMode::Full => continue,
            IterationMode::Folded(constant) => (constant.clone(), &constant.children),
            IterationMode::Flat(children) => (
                Constant {
                    cp: 0,
                    work: 0,
                    children: Vec::new(),
                    reads: false,
                },
                children,
            ),
        };
        let children: Vec<(Value, u64)> = listed
            .iter()
            .map(|piece| match piece {
                FoldedChild::Loop(l) => (of_loop[l], 1),
                FoldedChild::Function(f) => (unit.folded[f].descriptor, 1),
            })
            .collect();
        let iteration = unit.static_descriptor(t.iteration_region, &constant, &children);
        t.descriptor = Some(if let Some((constant, trips)) = &t.whole {
            let whole = unit.static_descriptor(t.region, constant, &[(iteration, *trips)]);
            of_loop.insert(t.index, whole);
            whole
        } else {
            unit.loop_descriptor(t.region, iteration)
        });
    }
    tracked
}

/// How tracked code sees a loop, as far as native code must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopVisibility {
    /// It is no region, or a constant part of an iteration that is counted in registers.
    Nothing,
    /// Its iterations are regions like any other: versions of the function look in its header.
    Iterations,
    /// Its iterations are counted in registers: versions look before it.
    Counted,
    /// It is constant as a whole.
    Whole,
}

/// How tracked code sees each loop of a function that is not folded.
pub fn sights(unit: &mut UnitState, f: Value, analysis: &Analysis) -> Vec<LoopVisibility> {
    let loops = analysis.loops();
    let innermost = crate::recognise::innermost(&loops);
    let nest = LoopNest {
        loops: &loops,
        innermost: &innermost,
    };
    let found = crate::recognise::recognise(&nest, analysis);
    debug_assert!(!unit.folded.contains_key(&f));
    with_folder(unit, analysis, &nest, &found, |unit, folder| {
        let mut sights: Vec<LoopVisibility> = Vec::new();
        // Outer loops come first.
        for (index, l) in loops.iter().enumerate() {
            let mut around = l.parent;
            while let Some(outer) = around.filter(|&outer| !is_region(&loops[outer])) {
                around = loops[outer].parent;
            }
            let hidden = around.is_some_and(|outer| sights[outer] != LoopVisibility::Iterations);
            sights.push(if !is_region(l) || hidden {
                LoopVisibility::Nothing
            } else {
                match iterations(unit, folder, index) {
                    IterationMode::Full => LoopVisibility::Iterations,
                    IterationMode::Folded(_) if folder.whole(index).is_some() => {
                        LoopVisibility::Whole
                    }
                    _ => LoopVisibility::Counted,
                }
            });
        }
        sights
    })
}

/// Has something done with the unit and what can be folded in a function of it.
fn with_folder<T>(
    unit: &mut UnitState,
    analysis: &Analysis,
    nest: &LoopNest<'_>,
    found: &Recognised,
    call: impl FnOnce(&mut UnitState, &FoldingContext<'_>) -> T,
) -> T {
    let costs = unit.costs.clone();
    let functions = unit.folded_functions();
    let folder = FoldingContext {
        module: unit.module,
        costs: &costs,
        analysis,
        loops: nest.loops,
        innermost: nest.innermost,
        found,
        library: &|call| library::constant_latency(call, &costs),
        functions: &functions,
    };
    call(unit, &folder)
}

/// Memory that a loop walks over, with its steps in loops that are regions; `bases` has what addresses start from.
fn streams(
    analysis: &Analysis,
    f: Value,
    loops: &[NaturalLoop],
    index: usize,
    bases: &mut Vec<Value>,
) -> Vec<MemoryStream> {
    let number = |base: Value| {
        let known = bases.iter().position(|&b| b == base);
        known.unwrap_or_else(|| {
            bases.push(base);
            bases.len() - 1
        }) as u32
    };
    let mut found = analysis.streams(f, index, number);
    let around = std::iter::successors(Some(index), |&l| loops[l].parent);
    let regions: Vec<bool> = around.map(|l| is_region(&loops[l])).collect();
    for stream in &mut found {
        let mut regions = regions.iter();
        stream.steps.retain(|_| regions.next() == Some(&true));
    }
    found
}

/// Whether a loop has the edges that a region needs.
fn is_region(l: &NaturalLoop) -> bool {
    l.preheader.is_some() && l.latch.is_some() && l.dedicated_exits && !l.header.is_landing_pad()
}

/// How the iterations of a loop can be measured.
fn iterations(unit: &UnitState, folder: &FoldingContext<'_>, index: usize) -> IterationMode {
    if let Some(constant) = folder.iteration(index) {
        return IterationMode::Folded(constant);
    }
    let opens = |i: Value| {
        matches!(i.opcode(), Opcode::LLVMInvoke | Opcode::LLVMCallBr)
            || (cost::kind(i, &unit.costs) == TimingRule::Call && !library::stays_outside(i))
    };
    let folded_loop = |m: usize| folder.iteration(m).is_some() && folder.whole(m).is_some();
    match folder.constant_children(index, &folded_loop, &opens) {
        Some(children) => IterationMode::Flat(children),
        None if opens_nothing(folder, index, &opens) => IterationMode::Flat(Vec::new()),
        None => IterationMode::Full,
    }
}

/// Whether nothing inside a loop opens regions.
fn opens_nothing(folder: &FoldingContext<'_>, index: usize, opens: &dyn Fn(Value) -> bool) -> bool {
    let blocks = &folder.loops[index].blocks;
    blocks.iter().all(|b| {
        folder.innermost.get(b) == Some(&index) && !b.instructions().into_iter().any(opens)
    })
}
