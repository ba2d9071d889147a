//! Properties of plans on random programs: the best choice is the best, and the rules are kept.

use std::collections::BTreeSet;

use crate::common::{Walk, any_profile, id, walk};
use parascan_analysis::class::RegionClass;
use parascan_analysis::personality::Personality;
use parascan_analysis::plan::{Plan, PlanOptions, plan};
use parascan_formats::module::RegionKind;
use parascan_formats::profile::Profile;
use proptest::prelude::*;

/// A personality with low thresholds, so that small random programs have something to choose from.
fn eager(name: &str) -> PlanOptions {
    let mut personality = Personality::built_in(name).expect("built in");
    personality.min_self_parallelism = 1.2;
    PlanOptions {
        personality,
        min_speedup_doall: Some(0.0),
        min_speedup_doacross: Some(0.0),
        ..PlanOptions::default()
    }
}

fn planned(profile: &Profile, options: &PlanOptions) -> Plan {
    plan(std::slice::from_ref(profile), options).expect("a plan")
}

/// Numbers of the chosen regions.
fn chosen(profile: &Profile, plan: &Plan) -> Vec<u32> {
    let by_id = |wanted: &str| {
        (0..profile.regions.len() as u32).find(|&number| id(profile, number) == wanted)
    };
    plan.entries
        .iter()
        .map(|entry| by_id(&entry.id).expect("listed"))
        .collect()
}

/// The most that any choice of loops saves that the rules allow, by trying all of them.
fn exhaustive(profile: &Profile, walk: &Walk, plan: &Plan) -> f64 {
    // Which loops are eligible follows from figures that `tests/reference.rs` checks.
    let eligible: Vec<u32> = walk
        .regions
        .keys()
        .copied()
        .filter(|&number| {
            let id = id(profile, number);
            let entry = plan.entries.iter().any(|e| *e.id == *id);
            let lost = plan
                .rejected
                .iter()
                .any(|r| *r.region.id == *id && !r.reason.chosen().is_empty());
            profile.regions[number as usize].fixed.kind == RegionKind::Loop && (entry || lost)
        })
        .collect();
    let allowed = |a: u32, b: u32| !walk.nested.contains(&(a, b)) && !walk.nested.contains(&(b, a));
    let mut most: f64 = 0.0;
    for set in 0u32..1 << eligible.len() {
        let members: Vec<u32> = (0..eligible.len())
            .filter(|i| set >> i & 1 == 1)
            .map(|i| eligible[i])
            .collect();
        let possible = members
            .iter()
            .all(|&a| members.iter().all(|&b| a == b || allowed(a, b)));
        if possible {
            most = most.max(members.iter().map(|m| walk.regions[m].saving).sum());
        }
    }
    most
}

fn saved(walk: &Walk, chosen: &[u32]) -> f64 {
    chosen
        .iter()
        .map(|number| walk.regions[number].saving)
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_plan_is_the_best_of_all_choices(profile in any_profile()) {
        let walk = walk(&profile);
        let best = planned(&profile, &eager("openmp"));
        prop_assert!(best.optimal);
        let numbers = chosen(&profile, &best);
        for &a in &numbers {
            for &b in &numbers {
                prop_assert!(a == b || !walk.nested.contains(&(a, b)), "one inside the other");
            }
        }
        let (saving, most) = (saved(&walk, &numbers), exhaustive(&profile, &walk, &best));
        // Regions of less than 0.1% coverage are not listed as rejected, and so missing from the reference.
        prop_assert!(saving >= most * (1.0 - 1e-9), "{} of {}", saving, most);
        let greedy = planned(&profile, &eager("greedy"));
        prop_assert!(greedy.speedup <= best.speedup * (1.0 + 1e-9));
    }

    #[test]
    fn excluding_a_region_never_helps(profile in any_profile(), which in any::<prop::sample::Index>()) {
        let all = planned(&profile, &eager("openmp"));
        let ids: Vec<String> = all.entries.iter().map(|e| e.id.to_string()).chain(all.rejected.iter().map(|r| r.region.id.to_string())).collect();
        prop_assume!(!ids.is_empty());
        let out = which.get(&ids).clone();
        let less = planned(&profile, &PlanOptions { exclude: vec![out.clone()], ..eager("openmp") });
        prop_assert!(less.speedup <= all.speedup * (1.0 + 1e-9));
        prop_assert!(less.entries.iter().all(|e| *e.id != *out));
        prop_assert!(less.rejected.iter().any(|r| *r.region.id == *out && r.reason.code() == "excluded"));
    }

    #[test]
    fn entries_are_ordered_and_accounted_for(profile in any_profile(), cores in 1u32..64) {
        for name in ["openmp", "greedy", "cilk"] {
            let plan = planned(&profile, &PlanOptions { cores: Some(cores), ..eager(name) });
            let mut last = f64::INFINITY;
            let mut together = 1.0;
            for (index, entry) in plan.entries.iter().enumerate() {
                prop_assert_eq!(entry.rank, Some(index as u32 + 1));
                prop_assert!(entry.speedup <= last);
                last = entry.speedup;
                let cumulative = entry.cumulative_speedup.unwrap();
                prop_assert!(cumulative >= together * (1.0 - 1e-9));
                together = cumulative;
                prop_assert!(entry.class != RegionClass::Serial);
                prop_assert!(plan.on_cores[index] <= entry.speedup * (1.0 + 1e-9));
                prop_assert!(plan.on_cores[index] <= f64::from(cores) * (1.0 + 1e-9));
            }
            prop_assert!((plan.speedup - together).abs() <= 1e-9 * together);
            let on_cores = plan.speedup_on_cores.unwrap();
            prop_assert!(on_cores <= plan.speedup * (1.0 + 1e-9) && on_cores <= f64::from(cores) * (1.0 + 1e-9));
            // Cores inform the estimate only.
            let without = planned(&profile, &eager(name));
            prop_assert_eq!(ids(&plan), ids(&without));
            // Everything of some coverage is either chosen or rejected.
            let regions = parascan_analysis::regions::regions(std::slice::from_ref(&profile)).unwrap();
            for row in regions.rows.iter().filter(|row| row.coverage >= 0.001) {
                let listed = plan.entries.iter().filter(|e| e.id == row.id).count()
                    + plan.rejected.iter().filter(|r| r.region.id == row.id).count();
                prop_assert_eq!(listed, 1, "{}", row.id);
            }
        }
    }

    /// All self-parallelism used at every level leaves the critical path at the least.
    #[test]
    fn nested_plans_never_beat_the_critical_path(profile in any_profile()) {
        let mut options = eager("cilk");
        options.personality.min_self_parallelism = 1.0;
        options.personality.min_speedup_task = 0.0;
        let plan = planned(&profile, &options);
        prop_assume!(profile.critical_path > 0);
        prop_assert!(plan.speedup <= profile.work as f64 / profile.critical_path as f64 * (1.0 + 1e-9));
    }
}

fn ids(plan: &Plan) -> BTreeSet<&str> {
    plan.entries.iter().map(|e| &*e.id).collect()
}
