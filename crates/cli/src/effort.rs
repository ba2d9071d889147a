//! `parascan effort` and `parascan types`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use parascan_analysis::effort::{self as chart, CodeLines, Sources};
use parascan_analysis::types as scan;
use parascan_formats::profile::Profile;
use parascan_views::{
    effort_csv, effort_json, effort_svg, effort_text, types_csv, types_json, types_text,
};

use crate::args::{self, Format};
use crate::exit::Outcome;
use crate::output::Output;
use crate::report::failure;
use crate::{print, profile};

/// Longest source file read, in bytes.
const LARGEST: u64 = 32 << 20;

/// Prints the parallelization effort chart, or draws it.
pub fn effort(raw: &args::Effort) -> Outcome<()> {
    let options = chart::Options {
        exclude: raw.exclude.clone(),
        done: raw.done.clone(),
        team: raw.team,
        serial_below: raw.serial,
        min_speedup: raw.min_speedup,
    };
    options.check().map_err(|e| failure(&e))?;
    let output = raw.output.as_deref().map(Output::check).transpose()?;
    let profiles = profile::read_all(&raw.profiles)?;
    let effort =
        chart::effort(&profiles, &sources(&profiles), &options).map_err(|e| failure(&e))?;
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
    let options = scan::Options {
        p_dlp: raw.p_dlp,
        f_min: raw.f_min,
        tolerance: raw.tolerance,
        agreement: raw.agreement,
    };
    options.check().map_err(|e| failure(&e))?;
    let profiles = profile::read_all(&raw.profiles)?;
    let types = scan::types(&profiles, &options).map_err(|e| failure(&e))?;
    print::out(&match raw.format {
        Format::Text => types_text(&types, &print::style()),
        Format::Json => types_json(&types),
        Format::Csv => types_csv(&types),
    })
}

/// Which lines of the profiles' sources are code, where the compiler found them. Files that are not there are left out.
fn sources(profiles: &[Profile]) -> Sources {
    let mut sources = Sources::new();
    for profile in profiles {
        for region in &profile.regions {
            let file = &region.fixed.file;
            let Some(module) = profile.modules.get(region.module as usize) else {
                continue;
            };
            if file.is_empty() || sources.contains_key(file) {
                continue;
            }
            if let Some(text) = text(&Path::new(&module.directory).join(file)) {
                sources.insert(file.clone(), CodeLines::new(&text));
            }
        }
    }
    sources
}

/// The text of a regular file of reasonable size, bytes that are not UTF-8 replaced.
fn text(path: &Path) -> Option<String> {
    if !path.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
    let fits = read.is_ok() && bytes.len() as u64 <= LARGEST;
    fits.then(|| String::from_utf8_lossy(&bytes).into_owned())
}
