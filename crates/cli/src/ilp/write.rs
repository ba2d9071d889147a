//! Files and text that `parascan ilp` leaves.

use parascan_views::Style;
use parascan_views::ilp::{self as views, IlpReport};

use super::config::{GraphForm, IlpConfig, PLOTS};
use crate::args::Format;
use crate::exit::Outcome;
use crate::output::OutputFile;
use crate::print;

/// Writes all that was asked for.
pub fn all(config: &IlpConfig, report: &IlpReport) -> Outcome<()> {
    let files = &config.files;
    if let Some(output) = &files.report {
        output.write(views::html(report).as_bytes())?;
    }
    let first = report.stretches.first();
    if let Some(output) = &files.histogram
        && let Some(drawing) = first.and_then(views::histogram_svg)
    {
        output.write(drawing.as_bytes())?;
    }
    if let Some((form, output)) = &files.graph
        && let Some(drawing) = first.and_then(|stretch| match form {
            GraphForm::Svg => views::graph_svg(stretch),
            GraphForm::Dot => views::graph_dot(stretch),
        })
    {
        output.write(drawing.as_bytes())?;
    }
    if let Some(folder) = &files.plots {
        for (name, drawing) in views::plots(report) {
            OutputFile::check_for(PLOTS, &folder.join(name))?.write(drawing.as_bytes())?;
        }
    }
    text(config, report)
}

/// The results as text: into the file of -o; else to standard output, which of a program that ran just now is its own,
/// so that then it is standard error.
fn text(config: &IlpConfig, report: &IlpReport) -> Outcome<()> {
    let top = match config.raw.output.top {
        0 => usize::MAX,
        top => top,
    };
    let make = |style: &Style| match config.raw.output.format {
        Format::Text => style.lay_out(|style| views::text(report, top, style)),
        Format::Json => views::json(report),
        Format::Csv => views::csv(report),
    };
    if let Some(output) = &config.files.text {
        return output.write(make(&print::plain_style()).as_bytes());
    }
    if config.raw.output.trace.is_some() {
        return print::out(&make(&print::style()));
    }
    print::error(&make(&print::error_style()))
}
