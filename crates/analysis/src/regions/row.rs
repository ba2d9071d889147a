//! One region's figures: what is advised, and what its contexts add up to.

use std::sync::Arc;

use parascan_formats::module::RegionKind;

use super::advised::RegionAdvice;
use super::caller::called_from;
use super::sums::RegionSums;
use super::waiting::{by_control, confidence};
use super::{LoopIterations, RegionFigures, RegionSample, share};
use crate::advice::{Advice, Certainty, Dialect};
use crate::class::Classing;
use crate::evidence::LoopFacts;
use crate::language::{in_language_of, is_rust};
use crate::model::{Model, PROGRAM};
use crate::numbers::speedup;

impl RegionSums {
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
        let ends_early = dialect.has_ordered_loops() && !is_rust(&fixed.file);
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
                .or_else(|| by_control(class, serial_reason, fixed, all, evidence, ends_early))
                .map(|text| in_language_of(&fixed.file, text)),
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
