//! One comparison of what a source demands with what was found: a line of the table.

use std::path::Path;

use crate::annotation::Expectation;
use crate::regions::{Region, Regions};

/// One line of the table.
#[derive(Clone, Debug)]
pub struct ComparedRow {
    /// `file:line`.
    pub place: String,
    /// Optimization level.
    pub level: String,
    /// What the source demands.
    pub expected: String,
    /// What was found.
    pub found: String,
    /// Outcome.
    pub verdict: Verdict,
}

/// Outcome of one comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As expected.
    Match,
    /// A documented blind spot, found as documented, with its reason.
    BlindSpot(String),
    /// Different.
    Differs,
}

/// The region that an expectation is about.
///
/// # Errors
/// There is none, or there are several.
pub fn region<'a>(
    source: &Path,
    expectation: &Expectation,
    regions: &'a Regions,
) -> Result<&'a Region, String> {
    let mut all = regions.at(source, expectation.line, expectation.target);
    if let Some(function) = &expectation.function {
        all.retain(|r| r.function.contains(function.as_str()));
    }
    match all[..] {
        [region] => Ok(region),
        [] => Err("no such region".to_owned()),
        _ => Err(format!("{} regions on this line", all.len())),
    }
}

/// A source's name without its folder.
pub fn name(source: &Path) -> String {
    source
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
