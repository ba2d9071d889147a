//! `parascan report`: everything in one HTML file.

use parascan_analysis::model::Model;
use parascan_analysis::plan::plan_model;
use parascan_analysis::regions::Regions;
use parascan_views::{Report, report_html};

use crate::exit::Outcome;
use crate::output::Output;
use crate::report::{failure, options};
use crate::sources::Sources;
use crate::{args, profile};

/// Writes the report.
pub fn write(raw: &args::Report) -> Outcome<()> {
    let options = options(&raw.planning)?;
    let sources = Sources::new(&raw.source_root)?;
    let output = Output::check(&raw.output)?;
    let profiles = profile::read_all(&raw.profiles)?;
    let model = Model::new(&profiles).map_err(|e| failure(&e))?;
    let plan = plan_model(&model, &options).map_err(|e| failure(&e))?;
    let regions = Regions::new(model, false).map_err(|e| failure(&e))?;
    let sources = if raw.no_source {
        Vec::new()
    } else {
        sources.read(&profiles)
    };
    let page = report_html(&Report {
        plan: &plan,
        regions: &regions,
        sources: &sources,
    });
    output.write(page.as_bytes())
}
