//! The list of regions: figures of all that ran, with their ranks in the plan.

use parascan_formats::module::RegionKind;
use parascan_formats::profile::Profile;

use super::{RegionFigures, RegionSums, sort_by_coverage};
use crate::Error;
use crate::advice::Dialect;
use crate::class::Classing;
use crate::model::Model;
use crate::plan::{self, PlanOptions};

/// Figures of all regions that ran at least once, without iterations, largest coverage first.
///
/// # Errors
/// No profile, or profiles of different programs.
pub fn regions(profiles: &[Profile]) -> Result<Regions, Error> {
    Regions::new(Model::new(profiles)?, false, &PlanOptions::default())
}

/// A list of regions with what belongs beside it.
#[derive(Clone, Debug)]
pub struct Regions {
    /// The profiles.
    pub model: Model,
    /// Rows, largest coverage first.
    pub rows: Vec<RegionFigures>,
}

impl Regions {
    /// Figures of all regions that ran, `with_iterations` those of loops' iterations too, with their ranks in the plan
    /// with these options.
    ///
    /// # Errors
    /// None for valid models; errors of [`plan::plan_model`] are passed on.
    pub fn new(model: Model, with_iterations: bool, options: &PlanOptions) -> Result<Self, Error> {
        let plan = plan::plan_model(&model, options)?;
        let gathered = RegionSums::new(&model);
        let mut rows = Vec::new();
        for (number, sums) in gathered.all.iter().enumerate() {
            let wanted =
                with_iterations || model.regions[number].fixed.kind != RegionKind::Iteration;
            if sums.instances > 0 && wanted {
                rows.push(gathered.figures(&model, number, Classing::default(), Dialect::Openmp));
            }
        }
        for row in &mut rows {
            if let Some(entry) = plan.entries.iter().find(|e| e.id == row.id) {
                row.rank = entry.rank;
                row.cumulative_speedup = entry.cumulative_speedup;
            }
        }
        sort_by_coverage(&mut rows);
        Ok(Self { model, rows })
    }
}
