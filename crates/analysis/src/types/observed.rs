//! What a recording with evidence saw going from one stage of a pipeline to another: proof that the later one waits.

use std::collections::BTreeSet;
use std::sync::Arc;

use parascan_formats::module::RegionStatic;
use parascan_formats::profile::Profile;

use crate::model::Model;

/// A value that one stage of a pipeline wrote, and that a later one read after the first had ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StageFlow {
    /// Id of the loop that wrote it.
    pub from: Arc<str>,
    /// Id of the loop that read it.
    pub to: Arc<str>,
    /// What was written, as the source names it; empty when unknown.
    pub name: String,
    /// Line of the write, 0 when unknown.
    pub written: u32,
    /// Line of the read.
    pub read: u32,
}

/// The flows among these loops, by their numbers in the model, that the evidence of any of the profiles has.
///
/// Evidence names at most one reader for each site that writes in a loop, and knows it by its place in the source. So a
/// flow that is found was there, and one that is not found may have been there all the same.
pub(super) fn flows(profiles: &[Profile], model: &Model, stages: &[u32]) -> Vec<StageFlow> {
    let mut found = BTreeSet::new();
    for (profile, numbers) in profiles.iter().zip(&model.numbers) {
        let Some(evidence) = &profile.evidence else {
            continue;
        };
        for of_loop in &evidence.loops {
            let number = numbers[of_loop.region as usize];
            let Some(place) = stages.iter().position(|&stage| stage == number) else {
                continue;
            };
            for used in of_loop.uses.iter().filter(|used| used.writes) {
                let Some(reader) = used.live.filter(|&reader| reader != used.site) else {
                    continue;
                };
                let (writer, reader) = (
                    &evidence.sites[used.site as usize],
                    &evidence.sites[reader as usize],
                );
                let reads = |stage: &&u32| {
                    let region = &model.regions[**stage as usize].fixed;
                    region.file == reader.file
                        && region.function == reader.function
                        && contains(region, reader.line)
                };
                if let Some(&to) = stages[place + 1..].iter().find(reads) {
                    found.insert(StageFlow {
                        from: model.regions[number as usize].id.clone(),
                        to: model.regions[to as usize].id.clone(),
                        name: writer.name.clone(),
                        written: writer.line,
                        read: reader.line,
                    });
                }
            }
        }
    }
    found.into_iter().collect()
}

/// Whether the region has the line; never where one of the two is unknown.
fn contains(region: &RegionStatic, line: u32) -> bool {
    region.line > 0 && (region.line..=region.end_line).contains(&line)
}
