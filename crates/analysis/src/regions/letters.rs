//! Letters for regions: the same one in every chart, table and report of a profile, whatever the options.

use std::sync::Arc;

use parascan_formats::module::RegionKind;

use crate::model::{InstanceSums, Model};

/// The letters of a model's regions, by region number: `A` has most work, then `B`, after `Z` comes `AA`. Ties go by
/// depth, then by place in the source, as in a region list. Iterations, and regions that never ran, have none. `all`,
/// `outer` and `depth` are what [`RegionSums`](super::RegionSums) has of these names.
pub(super) fn assign(
    model: &Model,
    all: &[InstanceSums],
    outer: &[InstanceSums],
    depth: &[u32],
) -> Vec<Option<Arc<str>>> {
    let mut order: Vec<usize> = (0..model.regions.len())
        .filter(|&number| {
            all[number].instances > 0 && model.regions[number].fixed.kind != RegionKind::Iteration
        })
        .collect();
    order.sort_by_key(|&number| {
        let region = &model.regions[number];
        let fixed = &region.fixed;
        let work = std::cmp::Reverse(outer[number].work);
        let place = (&fixed.file, fixed.line, fixed.column);
        (work, depth[number], place, &region.id)
    });
    let mut letters = vec![None; model.regions.len()];
    for (place, number) in order.into_iter().enumerate() {
        letters[number] = Some(Arc::from(letter(place)));
    }
    letters
}

/// The letter at a place, from 0: `A` to `Z`, `AA`, `AB`, ...
pub fn letter(place: usize) -> String {
    let mut text = Vec::new();
    let mut rest = place + 1;
    while rest > 0 {
        rest -= 1;
        text.push(char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    text.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::letter;

    #[test]
    fn letters_go_on_after_z() {
        let places = [0, 25, 26, 27, 51, 52, 701, 702];
        let letters = ["A", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA"];
        assert_eq!(places.map(letter), letters);
    }
}
