//! `parascan types`: reads profiles, prints the type of parallelism of each region.

use parascan_analysis::types as analysis;
use parascan_views::{types_csv, types_json, types_text};

use crate::args::{Format, TypesArgs};
use crate::exit::Outcome;
use crate::{print, profile};

/// Runs `parascan types`: prints the parallelism-type scan.
pub fn run(raw: &TypesArgs) -> Outcome<()> {
    let sink = print::PrintTarget::new(raw.printing.output.as_deref())?;
    let options = analysis::TypeOptions {
        p_dlp: raw.p_dlp,
        f_min: raw.f_min,
        tolerance: raw.tolerance,
        agreement: raw.agreement,
    };
    options.check()?;
    let profiles = profile::read_all(&raw.profiles)?;
    let types = analysis::types(&profiles, &options)?;
    sink.write(&match raw.printing.format {
        Format::Text => sink.style().lay_out(|style| types_text(&types, style)),
        Format::Json => types_json(&types),
        Format::Csv => types_csv(&types),
    })
}
