//! `parascan effort`: reads profiles, prints or draws the parallelization effort chart.

use parascan_analysis::effort as analysis;
use parascan_views::{effort_csv, effort_json, effort_svg, effort_text};

use crate::args::{EffortArgs, Format};
use crate::exit::Outcome;
use crate::picture::PictureFile;
use crate::planning::by_default;
use crate::sources::{self, SourceFolders};
use crate::{print, profile};

/// Prints the parallelization effort chart, or draws it into a file.
pub fn run(raw: &EffortArgs) -> Outcome<()> {
    let options = analysis::EffortOptions {
        exclude: raw.exclude.clone(),
        done: raw.done.clone(),
        team: raw.team,
        serial_below: raw.serial,
        min_speedup: raw.min_speedup,
        plan: (!raw.paper).then(by_default).transpose()?,
    };
    options.check()?;
    let output = raw.output.as_deref().map(PictureFile::check).transpose()?;
    let profiles = profile::read_all(&raw.profiles)?;
    let code = sources::code_lines(&SourceFolders::new(&[])?.read(&profiles));
    let effort = analysis::effort(&profiles, &code, &options)?;
    if let Some(output) = output {
        return output.write(&effort_svg(&effort));
    }
    print::out(&match raw.format {
        Format::Text => print::style().lay_out(|style| effort_text(&effort, style)),
        Format::Json => effort_json(&effort),
        Format::Csv => effort_csv(&effort),
    })
}
