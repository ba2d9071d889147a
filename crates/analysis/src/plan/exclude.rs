//! Regions that the user ruled out, by id or by place.

use parascan_formats::module::RegionKind;

use crate::Error;
use crate::identity::ends_with_path;
use crate::model::{Model, StaticRegion};

/// Most ids suggested for one that does not exist.
const SUGGESTIONS: usize = 3;

/// For every static region whether one of `given` excludes it. An entry is an id, else `file:line` or
/// `file:line:column` with any tail of the file's path, which stands for all loops and functions that begin there.
///
/// # Errors
/// An entry that matches nothing.
pub(crate) fn excluded(model: &Model, given: &[String]) -> Result<Vec<bool>, Error> {
    let mut out = vec![false; model.regions.len()];
    for text in given {
        let text = text.trim();
        let mut found = false;
        let by_id = model.regions.iter().any(|r| *r.id == *text);
        for (region, out) in model.regions.iter().zip(&mut out) {
            let matches = if by_id {
                *region.id == *text
            } else {
                at_place(region, text)
            };
            if matches && region.fixed.kind != RegionKind::Iteration {
                *out = true;
                found = true;
            }
        }
        if !found {
            return Err(Error::UnknownRegion {
                given: text.to_owned(),
                similar: similar(model, text),
            });
        }
    }
    Ok(out)
}

fn at_place(region: &StaticRegion, text: &str) -> bool {
    let fixed = &region.fixed;
    let mut parts = text.rsplitn(2, ':');
    let (Some(last), Some(rest)) = (parts.next(), parts.next()) else {
        return false;
    };
    let Ok(last) = last.parse::<u32>() else {
        return false;
    };
    let with_column = rest
        .rsplit_once(':')
        .and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?)));
    (last != 0 && fixed.line == last && ends_with_path(&fixed.file, rest))
        || with_column.is_some_and(|(file, line)| {
            line != 0
                && (fixed.line, fixed.column) == (line, last)
                && ends_with_path(&fixed.file, file)
        })
}

/// Ids that resemble `text`: same file and nearest line, or the same function name.
fn similar(model: &Model, text: &str) -> Vec<String> {
    let mut words = text.rsplit('/').next().unwrap_or(text).split(':');
    let file = words.next().unwrap_or_default();
    let line: Option<u32> = words.next().and_then(|word| word.parse().ok());
    let mut near: Vec<(u32, &str)> = model
        .regions
        .iter()
        .filter(|r| r.fixed.kind != RegionKind::Iteration)
        .filter_map(|r| {
            let name = r.fixed.file.rsplit('/').next().unwrap_or_default();
            if !file.is_empty() && name == file {
                let distance = line.map_or(0, |line| line.abs_diff(r.fixed.line));
                Some((distance, &*r.id))
            } else {
                (r.fixed.function == text).then_some((0, &*r.id))
            }
        })
        .collect();
    near.sort();
    near.into_iter()
        .take(SUGGESTIONS)
        .map(|(_, id)| id.to_owned())
        .collect()
}
