//! `parascan chart`: reads a profile, draws its p-chart.

use parascan_analysis::chart::{ChartOptions, chart};
use parascan_views::{chart_csv, chart_json, chart_svg, chart_text};

use crate::args::{self, Format};
use crate::exit::Outcome;
use crate::picture::PictureFile;
use crate::{print, profile};

/// Draws the p-chart into a file, or prints it.
pub fn run(raw: &args::ChartArgs) -> Outcome<()> {
    let options = ChartOptions {
        self_parallelism: raw.self_parallelism,
        serial_below: raw.serial_below,
        min_work: raw.min_work,
        together: raw.together,
        max_boxes: raw.max_boxes,
    };
    options.check()?;
    let output = raw.output.as_deref().map(PictureFile::check).transpose()?;
    let profiles = profile::read_all(std::slice::from_ref(&raw.profile))?;
    let chart = chart(&profiles[0], &options)?;
    if let Some(output) = output {
        return output.write(&chart_svg(&chart));
    }
    print::out(&match raw.format {
        Format::Text => print::style().lay_out(|style| chart_text(&chart, style)),
        Format::Json => chart_json(&chart),
        Format::Csv => chart_csv(&chart),
    })
}
