//! The class of a region, and what its source and evidence advise.

use super::sums::{RegionSums, place_key};
use super::waiting::waits_by_control;
use crate::advice::{self, Advice, Certainty, Dialect, Reduction};
use crate::class::{ClassRule, Classing, RegionClass, SerialReason, classify};
use crate::model::Model;

/// What is advised for a region.
pub(super) struct RegionAdvice {
    pub(super) class: RegionClass,
    pub(super) serial_reason: Option<SerialReason>,
    /// The class that the advice is for.
    pub(super) as_class: RegionClass,
    pub(super) reductions: Vec<Reduction>,
    pub(super) advice: Advice,
}

impl RegionSums {
    /// Class of a region, and what its source and evidence advise.
    pub(super) fn advise(
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
    pub(super) fn has_other_advice(
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
}
