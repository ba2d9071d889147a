//! Predictions worked out by hand.

use super::*;

const TAGE: Branches = Branches::Tage {
    tables: 7,
    index_bits: 10,
    tag_bits: 9,
    shortest: 5,
    longest: 130,
};

fn predictor(branches: Branches, indirect: Indirect, returns: ReturnPrediction) -> Predictor {
    Predictor::new(&MachineModel {
        branches,
        indirect,
        returns,
        ..MachineModel::perpi()
    })
}

fn of_branches(branches: Branches) -> Predictor {
    predictor(branches, Indirect::Perfect, ReturnPrediction::Perfect)
}

/// Whether each branch of a sequence at one address was mispredicted.
fn misses(branches: Branches, outcomes: impl IntoIterator<Item = bool>) -> Vec<bool> {
    let mut predictor = of_branches(branches);
    outcomes
        .into_iter()
        .map(|taken| predictor.conditional(0x40_0000, taken))
        .collect()
}

fn count(misses: &[bool]) -> usize {
    misses.iter().filter(|&&missed| missed).count()
}

/// A loop of `iterations` (its branch goes back but the last time), entered `times` times.
fn loops(iterations: usize, times: usize) -> impl Iterator<Item = bool> {
    (0..iterations * times).map(move |i| (i + 1) % iterations != 0)
}

#[test]
fn fixed_answers() {
    let outcomes = [true, false, true];
    assert_eq!(misses(Branches::Perfect, outcomes), [false, false, false]);
    assert_eq!(misses(Branches::None, outcomes), [true, true, true]);
    assert_eq!(misses(Branches::Taken, outcomes), [false, true, false]);
}

#[test]
fn an_alternating_branch_deceives_two_bits_and_not_gshare() {
    let alternating = (0..100).map(|i| i % 2 == 0);
    let two_bit = Branches::TwoBit { index_bits: 4 };
    // From 1: taken (wrong, 2), not taken (wrong, 1), and so on.
    assert_eq!(count(&misses(two_bit, alternating.clone())), 100);
    let gshare = Branches::Gshare {
        index_bits: 4,
        history: 1,
    };
    // One counter per last outcome: only the first "taken" is not foreseen.
    assert_eq!(count(&misses(gshare, alternating)), 1);
}

#[test]
fn two_bits_miss_each_loop_exit_and_nothing_else() {
    let two_bit = Branches::TwoBit { index_bits: 4 };
    let found = misses(two_bit, loops(5, 20));
    let expected: Vec<bool> = (0..100).map(|i| i == 0 || i % 5 == 4).collect();
    assert_eq!(found, expected);
}

#[test]
fn gshare_learns_the_exit_of_a_loop_shorter_than_its_history() {
    let gshare = Branches::Gshare {
        index_bits: 10,
        history: 8,
    };
    let found = misses(gshare, loops(5, 100));
    assert_eq!(count(&found[100..]), 0);
    // Sixteen iterations look alike to eight branches of history.
    let found = misses(gshare, loops(16, 100));
    assert_eq!(count(&found[160..]), 90);
}

#[test]
fn tage_learns_long_patterns() {
    let outcomes: Vec<bool> = loops(40, 400).collect();
    let gshare = Branches::Gshare {
        index_bits: 14,
        history: 12,
    };
    let tail = 40 * 300;
    assert_eq!(count(&misses(gshare, outcomes.clone())[tail..]), 100);
    assert_eq!(count(&misses(TAGE, outcomes)[tail..]), 0);
}

#[test]
fn a_branch_that_repeats_another_is_foreseen_by_history() {
    // The second branch goes as the first did two iterations ago, which is like a coin.
    let coin = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40 & 1 == 1;
    let gshare = Branches::Gshare {
        index_bits: 12,
        history: 6,
    };
    for (branches, at_most) in [(gshare, 0), (TAGE, 60)] {
        let mut predictor = of_branches(branches);
        let mut wrong = 0;
        for i in 0..4000 {
            predictor.conditional(0x1000, coin(i));
            let missed = predictor.conditional(0x1800, i >= 2 && coin(i - 2));
            wrong += usize::from(missed && i >= 2000);
        }
        assert!(wrong <= at_most, "{branches:?}: {wrong} of 2000");
    }
}

#[test]
fn tables_are_indexed_by_address() {
    let two_bit = Branches::TwoBit { index_bits: 4 };
    let mut predictor = of_branches(two_bit);
    for _ in 0..3 {
        predictor.conditional(0x100, true);
    }
    assert!(!predictor.conditional(0x101, false), "another counter");
    assert!(predictor.conditional(0x110, false), "the same counter");
}

#[test]
fn the_last_target_is_expected_again() {
    let last = Indirect::Last { index_bits: 4 };
    let mut predictor = predictor(Branches::Perfect, last, ReturnPrediction::Perfect);
    let found: Vec<bool> = [7, 7, 9, 9, 7]
        .into_iter()
        .map(|target| predictor.indirect(0x100, target))
        .collect();
    assert_eq!(found, [true, false, true, false, true]);
    assert!(predictor.indirect(0x110, 7), "another transfer, same entry");
    assert!(predictor.indirect(0x100, 7), "it was put out");
}

#[test]
fn the_return_stack_forgets_the_oldest() {
    let stack = ReturnPrediction::Stack { entries: 2 };
    let mut predictor = predictor(Branches::Perfect, Indirect::Perfect, stack);
    for address in [10, 20, 30] {
        predictor.call(address);
    }
    let found: Vec<bool> = [30, 20, 10]
        .into_iter()
        .map(|target| predictor.return_to(target))
        .collect();
    assert_eq!(found, [false, false, true]);
    predictor.call(40);
    assert!(!predictor.return_to(40), "and goes on working");
    predictor.call(50);
    assert!(predictor.return_to(60), "a return to elsewhere");
}
