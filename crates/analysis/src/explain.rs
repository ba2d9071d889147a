//! What stops which loop: the loops of a plan, or those that the user names, with their evidence.

use parascan_formats::module::RegionKind;
use parascan_formats::profile::Profile;

use crate::Error;
use crate::evidence::LoopFacts;
use crate::model::{Input, Model};
use crate::plan::{self, Options};
use crate::regions::RegionFigures;

/// Explanations in the order of the plan: chosen loops, then those left out, by coverage.
#[derive(Clone, Debug)]
pub struct Explanations {
    /// The program's name.
    pub program: String,
    /// The profiles behind it.
    pub inputs: Vec<Input>,
    /// The loops.
    pub loops: Vec<Explained>,
    /// Functions that the observation could not look into.
    pub unseen: Vec<String>,
    /// Whether any profile has evidence.
    pub observed: bool,
}

/// A loop and what was observed of it.
#[derive(Clone, Debug)]
pub struct Explained {
    /// Its figures.
    pub region: RegionFigures,
    /// Dependences; None where it was not observed.
    pub facts: Option<LoopFacts>,
}

/// Explains the loops that `given` names (ids, or places as in `--exclude`), or all of the plan if it is empty.
///
/// # Errors
/// Those of a plan, and a name that matches nothing.
pub fn explain(profiles: &[Profile], given: &[String]) -> Result<Explanations, Error> {
    let model = Model::new(profiles)?;
    let wanted = plan::named(&model, given)?;
    let plan = plan::plan_model(&model, &Options::default())?;
    let chosen = plan.entries.iter().cloned();
    let mut rows: Vec<RegionFigures> = chosen
        .chain(plan.rejected.iter().map(|r| r.region.clone()))
        .collect();
    if !given.is_empty() {
        // Also what the plan says nothing of.
        let all = crate::regions::Regions::new(model.clone(), false)?.rows;
        let more: Vec<RegionFigures> = all
            .into_iter()
            .filter(|r| rows.iter().all(|known| known.id != r.id))
            .collect();
        rows.extend(more);
    }
    let number = |row: &RegionFigures| model.regions.iter().position(|r| r.id == row.id);
    let loops = rows.into_iter().filter_map(|region| {
        let number = number(&region)?;
        let fits = region.kind == RegionKind::Loop && (given.is_empty() || wanted[number]);
        fits.then(|| Explained {
            facts: model.evidence[number].clone(),
            region,
        })
    });
    let loops = loops.collect();
    let evidence = || profiles.iter().filter_map(|p| p.evidence.as_ref());
    let mut unseen: Vec<String> = evidence().flat_map(|e| e.unseen.clone()).collect();
    unseen.sort();
    unseen.dedup();
    Ok(Explanations {
        program: model.program().to_owned(),
        observed: evidence().next().is_some(),
        inputs: model.inputs,
        loops,
        unseen,
    })
}
