//! Figures from contexts equal those of a walk over every region instance of the tree, on random programs.

mod common;

use common::{any_profile, close, id, walk};
use parascan_analysis::class::Class;
use parascan_analysis::model::Model;
use parascan_analysis::regions::{RegionFigures, Regions};
use parascan_formats::module::RegionKind;
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
        let regions = Regions::new(Model::new(std::slice::from_ref(&profile)).unwrap(), true).unwrap();
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
                let doall = matches!(row.class, Class::Doall | Class::DoallReduction);
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
            prop_assert_eq!(row.pragma.is_some(), row.class != Class::Serial);
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
}
