//! `parascan plan`: reads profiles, prints their plan.

use parascan_analysis::model::Model;
use parascan_analysis::plan as analysis;
use parascan_analysis::regions::Regions;
use parascan_views::{plan_csv, plan_json, plan_text, stats_csv, stats_json, stats_text};

use crate::args::{Format, PlanArgs};
use crate::exit::Outcome;
use crate::{planning, print, profile};

/// Runs `parascan plan`: prints the plan.
pub fn run(raw: &PlanArgs) -> Outcome<()> {
    let sink = print::PrintTarget::new(raw.printing.output.as_deref())?;
    let options = planning::options(&raw.planning)?;
    let profiles = profile::read_all(&raw.profiles)?;
    let plan = analysis::plan(&profiles, &options)?;
    if raw.stats {
        let model = Model::new(&profiles)?;
        let regions = Regions::new(model, false, &options)?;
        let stats = analysis::stats(&regions.rows, &plan);
        return sink.write(&match raw.printing.format {
            Format::Text => sink.style().lay_out(|style| stats_text(&stats, style)),
            Format::Json => stats_json(&stats),
            Format::Csv => stats_csv(&stats),
        });
    }
    sink.write(&match raw.printing.format {
        Format::Text => sink.style().lay_out(|style| plan_text(&plan, style)),
        Format::Json => plan_json(&plan),
        Format::Csv => plan_csv(&plan),
    })
}
