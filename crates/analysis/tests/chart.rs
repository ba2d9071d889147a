//! The p-chart: the paper's rules on hand-made trees, layouts solved by hand, and every instance of random trees.

use std::collections::BTreeMap;

use parascan_analysis::Error;
use parascan_analysis::chart::{Chart, ChartBox, ChartOptions, Pruned, chart, letters};
use parascan_formats::module::RegionKind;
use parascan_formats::profile::{EqualChildren, Profile};
use parascan_formats::synthetic::{SyntheticProgram, node};
use proptest::prelude::*;

const ALL: ChartOptions = ChartOptions {
    self_parallelism: false,
    serial_below: 0.0,
    min_work: 0.0,
    together: false,
    max_boxes: 100_000,
};

fn drawn(profile: &Profile, options: &ChartOptions) -> Chart {
    chart(profile, options).unwrap()
}

/// (level, function or line, start, work, instances) of every box.
fn boxes(chart: &Chart) -> Vec<(u32, String, u64, u64, u64)> {
    let name = |one: &ChartBox| {
        let fixed = &chart.model.regions[one.region as usize].fixed;
        match fixed.kind {
            RegionKind::Function => fixed.function.clone(),
            _ => fixed.line.to_string(),
        }
    };
    let tuple = |one: &ChartBox| (one.level, name(one), one.start, one.work, one.instances);
    chart.boxes.iter().map(tuple).collect()
}

fn row(
    level: u32,
    name: &str,
    start: u64,
    work: u64,
    instances: u64,
) -> (u32, String, u64, u64, u64) {
    (level, name.to_owned(), start, work, instances)
}

/// `main` calls a serial `s` around a parallel `p`, then `p` again, then a small `q`. Work 1000.
fn two_rules() -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let s = program.function("s", 10..=19);
    let p = program.function("p", 20..=29);
    let q = program.function("q", 30..=39);
    let parallel = || node(p, 300, 10, []);
    let serial = node(s, 100, 395, [parallel(), node(q, 5, 5, [])]);
    program.build([node(
        main,
        291,
        500,
        [serial, parallel(), node(q, 4, 4, [])],
    )])
}

/// Fact R3: what is inside a serial instance is dropped, and what does little work.
#[test]
fn r3_the_two_rules() {
    let profile = two_rules();
    assert_eq!(profile.work, 1000);
    let everything = drawn(&profile, &ALL);
    let all = [
        row(0, "main", 0, 1000, 1),
        row(1, "s", 0, 405, 1),
        row(2, "p", 0, 300, 1),
        row(2, "q", 300, 5, 1),
        row(1, "p", 405, 300, 1),
        row(1, "q", 705, 4, 1),
    ];
    assert_eq!(boxes(&everything), all);
    let none = Pruned::default();
    assert_eq!(
        (
            everything.serial,
            everything.insignificant,
            everything.beyond
        ),
        (none, none, none)
    );
    // s has parallelism 405/395 = 1.025; the second p stays, as main is parallel.
    let first = ChartOptions {
        serial_below: 1.1,
        ..ALL
    };
    let chart = drawn(&profile, &first);
    let kept = [
        all[0].clone(),
        all[1].clone(),
        all[4].clone(),
        all[5].clone(),
    ];
    assert_eq!(boxes(&chart), kept);
    assert_eq!(
        chart.serial,
        Pruned {
            instances: 2,
            work: 305
        }
    );
    assert_eq!(
        boxes(&drawn(
            &profile,
            &ChartOptions {
                serial_below: 1.02,
                ..ALL
            }
        )),
        all
    );
    // 0.5% of 1000 is 5: exactly as much is not less.
    let second = ChartOptions {
        min_work: 0.5,
        ..ALL
    };
    let chart = drawn(&profile, &second);
    assert_eq!(boxes(&chart), all[..5]);
    assert_eq!(
        chart.insignificant,
        Pruned {
            instances: 1,
            work: 4
        }
    );
    let both = ChartOptions {
        serial_below: 1.1,
        min_work: 0.5,
        ..ALL
    };
    let chart = drawn(&profile, &both);
    assert_eq!(boxes(&chart), kept[..3]);
    assert_eq!(
        chart.serial,
        Pruned {
            instances: 2,
            work: 305
        }
    );
    assert_eq!(
        chart.insignificant,
        Pruned {
            instances: 1,
            work: 4
        }
    );
    assert_eq!(chart.instances, 6);
}

/// A million equal calls in a loop are one box; iterations have none, and the loop is the calls' parent.
#[test]
fn a_row_is_one_box() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (looping, body) = program.add_loop(main, 2..=8);
    let f = program.function("f", 10..=19);
    let g = program.function("g", 20..=29);
    let call = node(f, 6, 3, [node(g, 2, 1, []).times(2)]);
    let iterations = node(body, 5, 8, [call]).times(1_000_000);
    let profile = program.build([node(main, 100, 200, [node(looping, 0, 8, [iterations])])]);
    let chart = drawn(&profile, &ALL);
    let million = 1_000_000;
    let rows = [
        row(0, "main", 0, 15 * million + 100, 1),
        row(1, "2", 0, 15 * million, 1),
        row(2, "f", 0, 10 * million, million),
        row(3, "g", 0, 4 * million, 2 * million),
    ];
    assert_eq!(boxes(&chart), rows);
    let f = &chart.boxes[2];
    assert_eq!(f.total_parallelism, Some(10.0 / 3.0));
    assert_eq!(f.spread, Some((10.0 / 3.0, 10.0 / 3.0)));
    // Children 2 x 1 beside own work 6, over a critical path of 3.
    assert!(crate::common::close(f.self_parallelism.unwrap(), 8.0 / 3.0));
    // Each instance alone is insignificant; together they are not.
    let alone = drawn(
        &profile,
        &ChartOptions {
            min_work: 0.1,
            ..ALL
        },
    );
    assert_eq!(boxes(&alone), rows[..2]);
    assert_eq!(
        alone.insignificant,
        Pruned {
            instances: 3 * million,
            work: 10 * million
        }
    );
    let together = drawn(
        &profile,
        &ChartOptions {
            min_work: 0.1,
            together: true,
            ..ALL
        },
    );
    assert_eq!(boxes(&together), rows);
}

/// Narrow instances that take turns become one box per region, wide ones stand where they ran.
#[test]
fn similar_and_alternating_instances() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let f = program.function("f", 10..=19);
    let g = program.function("g", 20..=29);
    let small = |at: u64| [node(f, 3 + at % 2, 2, []), node(g, 2, 2, [])];
    let mut calls: Vec<_> = (0..10).flat_map(small).collect();
    calls.push(node(f, 500, 5, []));
    calls.extend((0..4).flat_map(small));
    let profile = program.build([node(main, 400, 600, calls)]);
    let chart = drawn(&profile, &ALL);
    let rows = [
        row(0, "main", 0, 977, 1),
        row(1, "f", 0, 35, 10),
        row(1, "g", 35, 20, 10),
        row(1, "f", 55, 500, 1),
        row(1, "f", 555, 14, 4),
        row(1, "g", 569, 8, 4),
    ];
    assert_eq!(boxes(&chart), rows);
    assert_eq!(chart.boxes[1].spread, Some((1.5, 2.0)));
    // The widest boxes stay; the rest is told.
    let few = drawn(
        &profile,
        &ChartOptions {
            max_boxes: 3,
            ..ALL
        },
    );
    assert_eq!(
        boxes(&few),
        [rows[0].clone(), rows[1].clone(), rows[3].clone()]
    );
    assert_eq!(
        few.beyond,
        Pruned {
            instances: 18,
            work: 42
        }
    );
}

#[test]
fn depths_that_were_not_tracked_have_no_height_and_prune_nothing() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (f, g) = (
        program.function("f", 10..=19),
        program.function("g", 20..=29),
    );
    program.levels(0..1);
    let profile = program.build([node(main, 10, 20, [node(f, 40, 40, [node(g, 50, 50, [])])])]);
    let chart = drawn(&profile, &ChartOptions::default());
    assert_eq!(chart.boxes.len(), 3);
    assert_eq!(chart.unmeasured, 2);
    assert_eq!(chart.boxes[0].total_parallelism, Some(5.0));
    assert_eq!(
        (
            chart.boxes[0].self_parallelism,
            chart.boxes[1].total_parallelism
        ),
        (None, None)
    );
}

#[test]
fn summaries_are_rows() {
    let mut profile = two_rules();
    let q = profile
        .tree
        .symbols
        .iter_mut()
        .find(|s| s.work == 4)
        .unwrap();
    q.summarised = 2;
    let chart = drawn(&profile, &ALL);
    let last = chart.boxes.last().unwrap();
    assert_eq!(
        (last.instances, last.work, last.self_parallelism),
        (2, 4, None)
    );
    assert_eq!(chart.instances, 7);
}

#[test]
fn letters_follow_work_and_nothing_else() {
    let profile = two_rules();
    let named = |options: &ChartOptions| -> BTreeMap<u32, String> {
        let chart = drawn(&profile, options);
        let row = chart
            .legend
            .iter()
            .map(|row| (row.region, row.letter.to_string()));
        row.collect()
    };
    let all = named(&ALL);
    assert_eq!(all.values().collect::<Vec<_>>(), ["A", "C", "B", "D"]);
    for (region, letter) in named(&ChartOptions {
        min_work: 35.0,
        ..ALL
    }) {
        assert_eq!(all[&region], letter);
    }
}

#[test]
fn empty_trees_and_wrong_options() {
    let empty = drawn(&SyntheticProgram::new().build([]), &ALL);
    assert!(empty.boxes.is_empty() && empty.instances == 0);
    let profile = two_rules();
    for wrong in [
        ChartOptions {
            serial_below: 0.5,
            ..ALL
        },
        ChartOptions {
            serial_below: f64::NAN,
            ..ALL
        },
        ChartOptions {
            min_work: -1.0,
            ..ALL
        },
        ChartOptions {
            min_work: f64::NAN,
            ..ALL
        },
        ChartOptions {
            max_boxes: 0,
            ..ALL
        },
    ] {
        assert!(matches!(
            chart(&profile, &wrong),
            Err(Error::Threshold { .. })
        ));
    }
}

/// Random profiles; their loops may do work in no time, which no program can and which means "not tracked" in a tree.
fn measured() -> impl Strategy<Value = Profile> {
    crate::common::any_profile().prop_map(|mut profile| {
        for symbol in &mut profile.tree.symbols {
            symbol.cp = symbol.cp.max(symbol.work.min(1));
        }
        profile
    })
}

/// What a walk over every instance finds.
#[derive(Debug, Default, PartialEq)]
struct Reference {
    /// Instances, work and critical paths of what is drawn, by level and region.
    sums: BTreeMap<(u32, u32), (u64, u64, u64)>,
    /// (start, level, region, work) of instances of 1% of the work or more.
    wide: Vec<(u64, u32, u32, u64)>,
    serial: (u64, u64),
    insignificant: (u64, u64),
}

struct Walker<'a> {
    profile: &'a Profile,
    options: &'a ChartOptions,
    found: Reference,
}

impl Walker<'_> {
    /// Instances of functions and loops in a sequence.
    fn inside(&self, children: &[EqualChildren]) -> u64 {
        let mut sum = 0;
        for run in children {
            let symbol = &self.profile.tree.symbols[run.symbol as usize];
            let kind = self.profile.regions[symbol.region as usize].fixed.kind;
            let own = u64::from(kind != RegionKind::Iteration);
            sum += run.count * (own + self.inside(&symbol.children));
        }
        sum
    }

    fn visit(&mut self, children: &[EqualChildren], level: u32, serial: bool, mut at: u64) {
        for run in children {
            let profile = self.profile;
            let symbol = &profile.tree.symbols[run.symbol as usize];
            for _ in 0..run.count {
                let kind = profile.regions[symbol.region as usize].fixed.kind;
                if kind == RegionKind::Iteration {
                    self.visit(&symbol.children, level, serial, at);
                } else {
                    self.instance(run.symbol, level, serial, at);
                }
                at += symbol.work;
            }
        }
    }

    fn instance(&mut self, number: u32, level: u32, serial: bool, at: u64) {
        let symbol = &self.profile.tree.symbols[number as usize];
        let whole = self.profile.work;
        let inside = 1 + self.inside(&symbol.children);
        if serial {
            self.found.serial.0 += inside;
            self.found.serial.1 += symbol.work;
        } else if symbol.work == 0
            || (symbol.work as f64) < self.options.min_work / 100.0 * whole as f64
        {
            self.found.insignificant.0 += inside;
            self.found.insignificant.1 += symbol.work;
        } else {
            let sums = self.found.sums.entry((level, symbol.region)).or_default();
            *sums = (sums.0 + 1, sums.1 + symbol.work, sums.2 + symbol.cp);
            if symbol.work * 100 >= whole {
                self.found
                    .wide
                    .push((at, level, symbol.region, symbol.work));
            }
            let parallelism = if symbol.cp == 0 {
                1.0
            } else {
                symbol.work as f64 / symbol.cp as f64
            };
            let serial = parallelism <= self.options.serial_below;
            self.visit(&symbol.children, level + 1, serial, at);
        }
    }
}

fn reference(profile: &Profile, options: &ChartOptions) -> Reference {
    let mut walker = Walker {
        profile,
        options,
        found: Reference::default(),
    };
    walker.visit(&profile.tree.root, 0, false, 0);
    walker.found.wide.sort_unstable();
    walker.found
}

fn summed(chart: &Chart) -> Reference {
    let pair = |pruned: Pruned| (pruned.instances, pruned.work);
    let mut found = Reference {
        serial: pair(chart.serial),
        insignificant: pair(chart.insignificant),
        ..Reference::default()
    };
    for one in &chart.boxes {
        let sums = found.sums.entry((one.level, one.region)).or_default();
        let cp = one.critical_path.unwrap();
        *sums = (sums.0 + one.instances, sums.1 + one.work, sums.2 + cp);
        if one.instances == 1 && one.work * 100 >= chart.model.work {
            found
                .wide
                .push((one.start, one.level, one.region, one.work));
        }
    }
    found.wide.sort_unstable();
    found
}

fn total(chart: &Chart) -> u64 {
    let shown: u64 = chart.boxes.iter().map(|one| one.instances).sum();
    shown + chart.serial.instances + chart.insignificant.instances + chart.beyond.instances
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_instance_is_drawn_or_counted(
        profile in measured(),
        serial_below in prop_oneof![Just(0.0), 1.0..4.0f64],
        min_work in prop_oneof![Just(0.0), 0.0..10.0f64],
    ) {
        let options = ChartOptions { serial_below, min_work, ..ALL };
        let chart = drawn(&profile, &options);
        let (found, expected) = (summed(&chart), reference(&profile, &options));
        prop_assert_eq!(found.serial, expected.serial);
        prop_assert_eq!(found.insignificant, expected.insignificant);
        prop_assert_eq!(found.wide, expected.wide);
        prop_assert_eq!(found.sums, expected.sums);
        prop_assert_eq!(total(&chart), chart.instances);
    }

    #[test]
    fn boxes_are_nested_in_order_and_bounded(
        profile in measured(),
        max_boxes in 1usize..60,
        together in any::<bool>(),
        min_work in 0.0..5.0f64,
    ) {
        let options = ChartOptions { max_boxes, together, min_work, ..ALL };
        let chart = drawn(&profile, &options);
        prop_assert!(chart.boxes.len() <= max_boxes);
        prop_assert_eq!(total(&chart), chart.instances);
        let mut ends: BTreeMap<Option<usize>, u64> = BTreeMap::new();
        for (index, one) in chart.boxes.iter().enumerate() {
            let end = one.start + one.work;
            let (low, high, level) = match one.parent {
                Some(parent) => {
                    prop_assert!(parent < index);
                    let around = &chart.boxes[parent];
                    (around.start, around.start + around.work, around.level + 1)
                }
                None => (0, profile.work, 0),
            };
            prop_assert!(low <= one.start && end <= high, "inside its parent");
            prop_assert_eq!(one.level, level);
            let before = ends.insert(one.parent, end).unwrap_or(0);
            prop_assert!(before <= one.start, "beside its neighbour");
            if let (Some(tp), Some((low, high))) = (one.total_parallelism, one.spread) {
                prop_assert!(low <= tp * 1.000_001 && tp <= high * 1.000_001);
            }
        }
        let letters = letters(&chart.model);
        for row in &chart.legend {
            prop_assert_eq!(letters[row.region as usize].as_ref(), Some(&row.letter));
        }
    }

    #[test]
    fn higher_thresholds_leave_out_more(
        profile in measured(),
        serial in (1.0..3.0f64, 0.0..3.0f64),
        work in (0.0..5.0f64, 0.0..5.0f64),
    ) {
        let shown = |serial_below, min_work| -> u64 {
            let chart = drawn(&profile, &ChartOptions { serial_below, min_work, ..ALL });
            chart.boxes.iter().map(|one| one.instances).sum()
        };
        let base = shown(serial.0, work.0);
        prop_assert!(shown(serial.0 + serial.1, work.0) <= base);
        prop_assert!(shown(serial.0, work.0 + work.1) <= base);
    }
}
