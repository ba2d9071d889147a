//! `parascan regions`: reads profiles, prints figures of all regions.

use parascan_analysis::model::Model;
use parascan_analysis::regions as analysis;
use parascan_views::{regions_csv, regions_json, regions_text};

use crate::args::{Format, RegionsArgs};
use crate::exit::Outcome;
use crate::{planning, print, profile};

/// Runs `parascan regions`: prints all regions.
pub fn run(raw: &RegionsArgs) -> Outcome<()> {
    let sink = print::PrintTarget::new(raw.printing.output.as_deref())?;
    let profiles = profile::read_all(&raw.profiles)?;
    let model = Model::new(&profiles)?;
    let regions = analysis::Regions::new(model, raw.iterations, &planning::by_default()?)?;
    sink.write(&match raw.printing.format {
        Format::Text => sink.style().lay_out(|style| regions_text(&regions, style)),
        Format::Json => regions_json(&regions),
        Format::Csv => regions_csv(&regions),
    })
}
