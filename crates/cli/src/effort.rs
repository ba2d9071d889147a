//! `parascan effort` and `parascan types`.

use parascan_analysis::effort as chart;
use parascan_analysis::types as scan;
use parascan_views::{
    effort_csv, effort_json, effort_svg, effort_text, types_csv, types_json, types_text,
};

use crate::args::{self, Format};
use crate::exit::Outcome;
use crate::output::Output;
use crate::report::{by_default, failure};
use crate::sources::{self, Places};
use crate::{print, profile};

/// Prints the parallelization effort chart, or draws it.
pub fn effort(raw: &args::Effort) -> Outcome<()> {
    let options = chart::Options {
        exclude: raw.exclude.clone(),
        done: raw.done.clone(),
        team: raw.team,
        serial_below: raw.serial,
        min_speedup: raw.min_speedup,
        plan: (!raw.paper).then(by_default).transpose()?,
    };
    options.check().map_err(|e| failure(&e))?;
    let output = raw.output.as_deref().map(Output::check).transpose()?;
    let profiles = profile::read_all(&raw.profiles)?;
    let code = sources::code_lines(&Places::new(&[])?.read(&profiles));
    let effort = chart::effort(&profiles, &code, &options).map_err(|e| failure(&e))?;
    if let Some(output) = output {
        output.write(effort_svg(&effort).as_bytes())?;
    }
    print::out(&match raw.format {
        Format::Text => effort_text(&effort, &print::style()),
        Format::Json => effort_json(&effort),
        Format::Csv => effort_csv(&effort),
    })
}

/// Prints the parallelism-type scan.
pub fn types(raw: &args::Types) -> Outcome<()> {
    let sink = print::Sink::new(raw.printing.output.as_deref())?;
    let options = scan::Options {
        p_dlp: raw.p_dlp,
        f_min: raw.f_min,
        tolerance: raw.tolerance,
        agreement: raw.agreement,
    };
    options.check().map_err(|e| failure(&e))?;
    let profiles = profile::read_all(&raw.profiles)?;
    let types = scan::types(&profiles, &options).map_err(|e| failure(&e))?;
    sink.write(&match raw.printing.format {
        Format::Text => types_text(&types, &sink.style()),
        Format::Json => types_json(&types),
        Format::Csv => types_csv(&types),
    })
}
