//! Compares the figures of every context with those of a profile.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use parascan_formats::prepared::PreparedModule;
use parascan_formats::profile::{Context, Profile, Region};

use crate::machine::Execution;

/// Chain of open regions.
type Path = Vec<u32>;

fn by_path(contexts: &[Context]) -> BTreeMap<Path, &Context> {
    let mut paths: Vec<Path> = Vec::new();
    for (i, c) in contexts.iter().enumerate() {
        let mut path = if i == 0 {
            Path::new()
        } else {
            paths[c.parent as usize].clone()
        };
        if i > 0 {
            path.push(c.region);
        }
        paths.push(path);
    }
    paths.into_iter().zip(contexts).skip(1).collect()
}

/// Differences between what the reference and the profile say, one a line.
///
/// # Errors
/// The profile is of another program, or has remarks that say it is incomplete.
pub fn differences(
    outcome: &Execution,
    notes: &PreparedModule,
    profile: &Profile,
) -> Result<Vec<String>> {
    ensure!(
        profile.caveats.is_empty(),
        "the profile has remarks: {:?}",
        profile.caveats
    );
    ensure!(
        profile.regions.len() == notes.module.regions.len(),
        "the profile has {} regions, the notes {}",
        profile.regions.len(),
        notes.module.regions.len()
    );
    let mut found = Vec::new();
    if profile.work != outcome.work {
        found.push(format!(
            "program: work: reference {}, profile {}",
            outcome.work, profile.work
        ));
    }
    let (ours, theirs) = (by_path(&outcome.contexts), by_path(&profile.contexts));
    for (path, context) in &ours {
        let place = describe(path, &profile.regions);
        match theirs.get(path) {
            None => found.push(format!("{place}: not in the profile")),
            Some(other) => compare(&place, context, other, &mut found),
        }
    }
    for path in theirs.keys().filter(|p| !ours.contains_key(*p)) {
        let place = describe(path, &profile.regions);
        found.push(format!("{place}: not in the reference"));
    }
    Ok(found)
}

fn describe(path: &[u32], regions: &[Region]) -> String {
    let names: Vec<String> = path
        .iter()
        .map(|&r| {
            let fixed = &regions[r as usize].fixed;
            let kind = format!("{:?}", fixed.kind).to_lowercase();
            format!("{kind} {}:{}", fixed.function, fixed.line)
        })
        .collect();
    names.join(" > ")
}

fn compare(place: &str, ours: &Context, theirs: &Context, found: &mut Vec<String>) {
    if !theirs.tracked || !theirs.children_tracked {
        found.push(format!("{place}: not tracked in the profile"));
        return;
    }
    let figures: [(&str, u64, u64); 13] = [
        ("instances", ours.instances, theirs.instances),
        ("work", ours.work, theirs.work),
        ("critical path", ours.cp, theirs.cp),
        ("largest critical path", ours.cp_max, theirs.cp_max),
        ("children's work", ours.child_work, theirs.child_work),
        ("children's critical path", ours.child_cp, theirs.child_cp),
        ("children", ours.children, theirs.children),
        ("fewest children", ours.children_min, theirs.children_min),
        ("most children", ours.children_max, theirs.children_max),
        ("gap", ours.gap, theirs.gap),
        ("largest gap", ours.gap_max, theirs.gap_max),
        ("instances with children", ours.multi, theirs.multi),
        ("instances without gap", ours.multi_flat, theirs.multi_flat),
    ];
    for (name, ours, theirs) in figures {
        if ours != theirs {
            found.push(format!(
                "{place}: {name}: reference {ours}, profile {theirs}"
            ));
        }
    }
    if let (Some(ours), Some(theirs)) = (ours.carried, theirs.carried)
        && ours != theirs
    {
        found.push(format!(
            "{place}: instances with carried dependences: reference {ours}, profile {theirs}"
        ));
    }
    let (a, b) = (ours.parallel_time, theirs.parallel_time);
    if (a - b).abs() > 1e-9 * a.abs().max(b.abs()) {
        found.push(format!(
            "{place}: parallel time: reference {a}, profile {b}"
        ));
    }
}
