//! `parascan compare`: reads two profiles, prints what differs.

use std::path::Path;
use std::process::ExitCode;

use parascan_analysis::compare as analysis;
use parascan_formats::profile::Profile;
use parascan_views::{compare_csv, compare_json, compare_text};

use crate::args::{CompareArgs, Format};
use crate::exit::{FailureKind, Outcome};
use crate::{planning, print, profile};

/// Prints what differs between two profiles; the exit code says whether anything that matters does, if that is asked
/// for.
pub fn run(raw: &CompareArgs) -> Outcome<ExitCode> {
    let sink = print::PrintTarget::new(raw.printing.output.as_deref())?;
    let options = planning::options(&raw.planning)?;
    let read = |path: &Path| -> Outcome<Profile> {
        let mut all = profile::read_all(std::slice::from_ref(&path.to_owned()))?;
        Ok(all.remove(0))
    };
    let (first, second) = (read(&raw.first)?, read(&raw.second)?);
    let found = analysis::compare(&first, &second, &options)?;
    sink.write(&match raw.printing.format {
        Format::Text => sink.style().lay_out(|style| compare_text(&found, style)),
        Format::Json => compare_json(&found),
        Format::Csv => compare_csv(&found),
    })?;
    Ok(match raw.exit_code && !found.agrees() {
        true => ExitCode::from(FailureKind::Differs as u8),
        false => ExitCode::SUCCESS,
    })
}
