//! Figures from contexts equal those of a walk over every region instance of the tree, on random programs.

use crate::common::{Reference, any_profile, close, id, walk};
use parascan_analysis::class::RegionClass;
use parascan_analysis::model::Model;
use parascan_analysis::plan::PlanOptions;
use parascan_analysis::regions::{RegionFigures, Regions};
use parascan_formats::module::RegionKind;
use parascan_formats::profile::Profile;
use proptest::prelude::*;

fn row<'a>(rows: &'a [RegionFigures], id: &str) -> &'a RegionFigures {
    rows.iter()
        .find(|row| *row.id == *id)
        .unwrap_or_else(|| panic!("{id}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn contexts_and_tree_agree(profile in any_profile()) {
        prop_assert_eq!(profile.validate(), Ok(()));
        let walk = walk(&profile);
        let regions = Regions::new(Model::new(std::slice::from_ref(&profile)).unwrap(), true, &PlanOptions::default()).unwrap();
        prop_assert_eq!(regions.rows.len(), walk.regions.len());
        let program = profile.work as f64;
        for (&number, expected) in &walk.regions {
            let row = row(&regions.rows, &id(&profile, number));
            prop_assert_eq!(row.instances, expected.instances);
            prop_assert_eq!(row.work, expected.outer_work);
            prop_assert_eq!(row.critical_path, Some(expected.outer_cp));
            prop_assert_eq!(row.self_work, expected.self_work);
            if row.kind == RegionKind::Loop {
                prop_assert_eq!(row.iterations.map(|i| i.total), Some(expected.iterations));
                let doall = matches!(row.class, RegionClass::Doall | RegionClass::DoallReduction);
                prop_assert_eq!(doall, expected.multi && expected.flat);
            }
            let sp = if expected.work == 0 { 1.0 } else { expected.work as f64 / expected.parallel_time };
            prop_assert!(close(row.self_parallelism.unwrap(), sp));
            let tp = if expected.work == 0 { 1.0 } else { expected.work as f64 / expected.cp as f64 };
            prop_assert!(close(row.total_parallelism.unwrap(), tp));
            if program > 0.0 {
                prop_assert!(close(row.coverage, expected.outer_work as f64 / program));
                let speedup = program / (program - expected.saving);
                prop_assert!((row.speedup - speedup).abs() <= 1e-6 * speedup);
            }
            prop_assert_eq!(row.recursive, walk.nested.contains(&(number, number)));
        }
    }

    /// Facts of every program whose critical paths are possible: K13 among them.
    #[test]
    fn figures_are_in_range(profile in any_profile()) {
        let regions = parascan_analysis::regions::regions(std::slice::from_ref(&profile)).unwrap();
        let mut own = 0.0;
        for row in &regions.rows {
            let (sp, tp) = (row.self_parallelism.unwrap(), row.total_parallelism.unwrap());
            prop_assert!(sp >= 1.0 - 1e-12 && sp <= tp * (1.0 + 1e-12), "{}: {} {}", row.id, sp, tp);
            prop_assert!(row.critical_path.unwrap() <= row.work);
            prop_assert!((0.0..=1.0 + 1e-12).contains(&row.coverage));
            prop_assert!(row.exclusive_coverage <= row.coverage * (1.0 + 1e-12));
            prop_assert!(row.speedup >= 1.0);
            prop_assert_eq!(row.pragma.is_some() || !row.needs.is_empty(), row.class != RegionClass::Serial);
            prop_assert!(row.pragma.is_none() || row.proposal.is_none() && row.needs.is_empty());
            own += row.exclusive_coverage;
        }
        if profile.work > 0 {
            prop_assert!(close(own, 1.0), "exclusive coverages add up to {}", own);
        }
    }

    /// Two runs of the same input weigh the same: every ratio stays.
    #[test]
    fn the_same_profile_twice_changes_sums_only(profile in any_profile()) {
        let once = parascan_analysis::regions::regions(std::slice::from_ref(&profile)).unwrap();
        let twice = parascan_analysis::regions::regions(&[profile.clone(), profile]).unwrap();
        prop_assert_eq!(twice.model.work, 2 * once.model.work);
        prop_assert_eq!(twice.rows.len(), once.rows.len());
        for (one, two) in once.rows.iter().zip(&twice.rows) {
            prop_assert_eq!((&one.id, one.class, one.depth, &one.parents), (&two.id, two.class, two.depth, &two.parents));
            prop_assert_eq!(2 * one.work, two.work);
            prop_assert_eq!(2 * one.instances, two.instances);
            prop_assert!(close(one.self_parallelism.unwrap(), two.self_parallelism.unwrap()));
            prop_assert!(close(one.speedup, two.speedup));
        }
    }

    /// Contexts need only come after their parents: order changes nothing.
    #[test]
    fn the_order_of_contexts_does_not_matter(profile in any_profile()) {
        let mut order: Vec<usize> = (0..profile.contexts.len()).collect();
        order.sort_by_key(|&index| (profile.contexts[index].depth + u32::from(index > 0), std::cmp::Reverse(index)));
        let mut place = vec![0u32; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| place[old] = new as u32);
        let mut turned = profile.clone();
        turned.contexts = order.iter().map(|&old| profile.contexts[old].clone()).collect();
        for context in &mut turned.contexts {
            context.parent = place[context.parent as usize];
        }
        prop_assert_eq!(turned.validate(), Ok(()));
        let rows = |profile: &Profile| parascan_analysis::regions::regions(std::slice::from_ref(profile)).unwrap().rows;
        let (a, b) = (rows(&profile), rows(&turned));
        prop_assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(&b) {
            prop_assert_eq!((&a.id, a.work, a.recursive, &a.parents), (&b.id, b.work, b.recursive, &b.parents));
            prop_assert!(close(a.speedup, b.speedup));
        }
    }

    /// Profiles of different inputs: sums over both, whatever each of them reached.
    #[test]
    fn different_profiles_add_up(one in any_profile(), two in any_profile()) {
        let (first, second) = (walk(&one), walk(&two));
        let both = parascan_analysis::regions::regions(&[one.clone(), two.clone()]).unwrap();
        for row in &both.rows {
            let number = (0..one.regions.len() as u32).find(|&n| id(&one, n) == *row.id).unwrap();
            let none = Reference::default();
            let (a, b) = (first.regions.get(&number).unwrap_or(&none), second.regions.get(&number).unwrap_or(&none));
            prop_assert_eq!(row.instances, a.instances + b.instances);
            prop_assert_eq!(row.work, a.outer_work + b.outer_work);
            prop_assert_eq!(row.critical_path, Some(a.outer_cp + b.outer_cp));
            prop_assert_eq!(row.recursive, first.nested.contains(&(number, number)) || second.nested.contains(&(number, number)));
        }
    }
}
