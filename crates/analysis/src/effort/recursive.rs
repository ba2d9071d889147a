//! Which regions run inside themselves.

use std::collections::HashMap;

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

use crate::tree::Instances;

/// Regions of which one walk over all instances follows what is inside: bits of a word.
const TOGETHER: usize = 64;

/// For each of `regions` regions whether an instance of it runs inside another one of it.
///
/// A chain of instances from a region back to itself is a cycle of regions. So only regions on cycles (recursive
/// programs have some, others none) are followed through the instances, which are many more: 64 regions in one walk.
pub(super) fn recursive(instances: &Instances, regions: usize) -> Vec<bool> {
    let mut recursive = vec![false; regions];
    for regions in on_cycles(instances).chunks(TOGETHER) {
        for region in inside_themselves(instances, regions) {
            recursive[region as usize] = true;
        }
    }
    recursive
}

/// The regions that a chain of regions, each directly inside the one before in some instance, leads back to.
fn on_cycles(instances: &Instances) -> Vec<u32> {
    let mut inside: DiGraphMap<u32, ()> = DiGraphMap::new();
    for one in &instances.all {
        for (child, _) in one.children() {
            inside.add_edge(one.region, instances.all[child].region, ());
        }
        // What contains a part contains the whole, which is most often the same region's and then leads nowhere new.
        if let Some((whole, _)) = one.part_of {
            let whole = instances.all[whole].region;
            if whole != one.region {
                inside.add_edge(one.region, whole, ());
            }
        }
    }
    let cycles = kosaraju_scc(&inside);
    let on_one = |cycle: &Vec<u32>| cycle.len() > 1 || inside.contains_edge(cycle[0], cycle[0]);
    cycles.into_iter().filter(on_one).flatten().collect()
}

/// Those of at most 64 regions that run inside themselves.
fn inside_themselves(instances: &Instances, regions: &[u32]) -> Vec<u32> {
    let bit = regions.iter().enumerate();
    let bits: HashMap<u32, u64> = bit.map(|(bit, &region)| (region, 1 << bit)).collect();
    // For every instance the regions around it.
    let mut around = vec![0u64; instances.all.len()];
    let mut found = 0;
    for (index, one) in instances.all.iter().enumerate().rev() {
        if let Some((whole, _)) = one.part_of {
            around[whole] |= around[index];
        }
        let own = bits.get(&one.region).copied().unwrap_or(0);
        found |= own & around[index];
        let inside = around[index] | own;
        if inside != 0 {
            for (child, _) in one.children() {
                around[child] |= inside;
            }
        }
    }
    let of = |region: &u32| bits[region] & found != 0;
    regions.iter().copied().filter(of).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tree::Distinct;

    /// The definition, region by region: what is inside an instance of it, and whether one of those is another.
    fn one_by_one(instances: &Instances, regions: usize) -> Vec<bool> {
        let runs_inside_itself = |region: u32| {
            let mut inside = vec![false; instances.all.len()];
            for (index, one) in instances.all.iter().enumerate().rev() {
                if let (true, Some((whole, _))) = (inside[index], one.part_of) {
                    inside[whole] = true;
                }
                if inside[index] || one.region == region {
                    for (child, _) in one.children() {
                        inside[child] = true;
                    }
                }
            }
            let all = instances.all.iter().zip(inside);
            all.into_iter()
                .any(|(one, inside)| inside && one.region == region)
        };
        (0..regions as u32).map(runs_inside_itself).collect()
    }

    /// Instances by region, children and the earlier one of which they are a part; children come before parents.
    fn instances(of: &[(u32, Vec<usize>, Option<usize>)]) -> Instances<'static> {
        let mut instances = Instances::default();
        for (region, children, whole) in of {
            instances
                .all
                .push(Distinct::synthetic(*region, children, *whole));
        }
        instances
    }

    #[test]
    fn a_cycle_of_regions_is_not_yet_recursion() {
        // a calls b in one place, b calls a in another: neither is inside itself.
        let apart = [
            (0, vec![], None),
            (1, vec![], None),
            (0, vec![1], None),
            (1, vec![0], None),
        ];
        assert_eq!(recursive(&instances(&apart), 2), [false, false]);
        // a calls b calls a.
        let nested = [(0, vec![], None), (1, vec![0], None), (0, vec![1], None)];
        assert_eq!(recursive(&instances(&nested), 2), [true, false]);
        // b contains a part of an a in which a b ran.
        let parts = [
            (1, vec![], None),
            (0, vec![0], None),
            (0, vec![], Some(1)),
            (1, vec![2], None),
        ];
        assert_eq!(recursive(&instances(&parts), 2), [false, true]);
    }

    fn shapes() -> impl Strategy<Value = Vec<(u32, Vec<usize>, Option<usize>)>> {
        let one = (
            0u32..150,
            prop::collection::vec(0usize..1000, 0..4),
            0usize..4000,
        );
        prop::collection::vec(one, 1..120).prop_flat_map(|raw| {
            // Few regions, and more than fit into one walk.
            prop_oneof![Just(3u32), Just(20), Just(150)].prop_map(move |regions| {
                let shape =
                    |(index, (region, children, whole)): (usize, &(u32, Vec<usize>, usize))| {
                        let earlier = |n: &usize| if index > 0 { Some(n % index) } else { None };
                        let whole = if *whole < 800 { earlier(whole) } else { None };
                        (
                            region % regions,
                            children.iter().filter_map(earlier).collect(),
                            whole,
                        )
                    };
                raw.iter().enumerate().map(shape).collect()
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn as_by_the_definition(shape in shapes()) {
            let instances = instances(&shape);
            prop_assert_eq!(recursive(&instances, 150), one_by_one(&instances, 150));
        }
    }
}
