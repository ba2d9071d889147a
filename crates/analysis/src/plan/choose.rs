//! Which candidates to choose where at most one may lie on any chain of open regions.
//!
//! Contexts form a tree, and on a tree the bottom-up dynamic programme of the Kremlin paper is exact. But a choice is a
//! static region, chosen in all its contexts or in none. The programme on contexts, each free for itself, gives an
//! upper bound; where its answer happens to treat every region alike (always, if no region has two different chains) it
//! is the optimum. Otherwise one of the torn regions is fixed, once to be chosen and once not to be, and both cases are
//! solved the same way: branch and bound.

use super::forest::{Forest, NONE};

/// Steps (chains looked at) after which the search for the optimum of one plan stops with the best choice so far.
pub(crate) const BUDGET: u64 = 250_000;

/// A choice of candidates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CandidateChoice {
    /// Chosen candidates, sorted.
    pub(crate) chosen: Vec<u32>,
    /// Whether no other choice saves more.
    pub(crate) optimal: bool,
}

/// Again and again the candidate that saves most, as long as it conflicts with none chosen before.
pub(crate) fn greedy(forest: &Forest) -> CandidateChoice {
    let all: Vec<u32> = (0..forest.savings.len() as u32).collect();
    let mut chosen = fill(forest, &forest.largest_first(&all));
    chosen.sort_unstable();
    CandidateChoice {
        chosen,
        optimal: false,
    }
}

/// A region may save this much less than what was chosen inside it, and is preferred all the same: estimates are no
/// better than that.
const NEAR: f64 = 0.02;

/// The same choice, where regions around chosen ones that save nearly as much are chosen instead.
pub(crate) fn outermost(forest: &Forest, choice: CandidateChoice) -> CandidateChoice {
    let count = forest.savings.len();
    let mut chosen = vec![false; count];
    choice
        .chosen
        .iter()
        .for_each(|&c| chosen[c as usize] = true);
    // By candidate, those that occur inside it, and whether any occurs around it that is chosen.
    let mut inside: Vec<Vec<u32>> = vec![Vec::new(); count];
    for chain in &forest.chains {
        let mut outer = chain.parent;
        while outer != NONE {
            let other = &forest.chains[outer as usize];
            inside[other.candidate as usize].push(chain.candidate);
            outer = other.parent;
        }
    }
    for list in &mut inside {
        list.sort_unstable();
        list.dedup();
    }
    let all: Vec<u32> = (0..count as u32).collect();
    for candidate in forest.largest_first(&all) {
        let index = candidate as usize;
        let within = |c: &&u32| inside[index].binary_search(c).is_ok();
        let around = |c: &&u32| inside[**c as usize].binary_search(&candidate).is_ok();
        let against: Vec<u32> = (forest.conflicts[index].iter())
            .filter(|&&c| chosen[c as usize])
            .copied()
            .collect();
        let lies_around = against.iter().all(|c| within(&c) && !around(&c));
        let instead: f64 = against.iter().map(|&c| forest.savings[c as usize]).sum();
        if chosen[index] || against.is_empty() || !lies_around {
            continue;
        }
        if forest.savings[index] >= (1.0 - NEAR) * instead {
            against.iter().for_each(|&c| chosen[c as usize] = false);
            chosen[index] = true;
        }
    }
    CandidateChoice {
        chosen: all.into_iter().filter(|&c| chosen[c as usize]).collect(),
        ..choice
    }
}

/// The choice that saves most.
pub(crate) fn best(forest: &Forest, budget: u64) -> CandidateChoice {
    let mut chosen = Vec::new();
    let mut optimal = true;
    let mut budget = budget;
    let components = forest.components();
    let mut component_of = vec![0u32; forest.savings.len()];
    for (number, members) in components.iter().enumerate() {
        for &member in members {
            component_of[member as usize] = number as u32;
        }
    }
    let mut chains: Vec<Vec<u32>> = vec![Vec::new(); components.len()];
    for (number, chain) in forest.chains.iter().enumerate() {
        chains[component_of[chain.candidate as usize] as usize].push(number as u32);
    }
    let mut work = Work {
        value: vec![0.0; forest.chains.len()],
        below: vec![0.0; forest.chains.len()],
        covered: vec![false; forest.chains.len()],
    };
    for (members, chains) in components.iter().zip(&chains) {
        if let [only] = members[..] {
            if forest.savings[only as usize] > 0.0 {
                chosen.push(only);
            }
            continue;
        }
        let mut search = ComponentSearch {
            forest,
            members,
            chains,
            work: &mut work,
            out: vec![0; forest.savings.len()],
            best: fill(forest, &forest.largest_first(members)),
            best_saving: 0.0,
            steps: budget,
            cut: false,
        };
        search.best_saving = search.saving(&search.best);
        search.run();
        optimal &= !search.cut;
        budget = search.steps;
        chosen.append(&mut search.best);
    }
    chosen.sort_unstable();
    CandidateChoice { chosen, optimal }
}

/// Candidates of `order` that save anything, each unless it conflicts with one taken before.
fn fill(forest: &Forest, order: &[u32]) -> Vec<u32> {
    let mut blocked = vec![false; forest.savings.len()];
    let mut taken = Vec::new();
    for &candidate in order {
        let saves = forest.savings[candidate as usize] > 0.0;
        if saves && !std::mem::replace(&mut blocked[candidate as usize], true) {
            taken.push(candidate);
            for &other in &forest.conflicts[candidate as usize] {
                blocked[other as usize] = true;
            }
        }
    }
    taken
}

/// Scratch, by chain.
struct Work {
    /// Most that can be saved in and below a chain.
    value: Vec<f64>,
    /// Most that can be saved below it.
    below: Vec<f64>,
    /// Whether a chain around it, or itself, is chosen.
    covered: Vec<bool>,
}

/// The search within one component.
struct ComponentSearch<'a> {
    forest: &'a Forest,
    members: &'a [u32],
    chains: &'a [u32],
    work: &'a mut Work,
    /// How many decisions forbid a candidate.
    out: Vec<u32>,
    best: Vec<u32>,
    best_saving: f64,
    steps: u64,
    cut: bool,
}

/// What the relaxed problem says about a candidate.
#[derive(Clone, Copy, Default, PartialEq)]
struct RelaxedChoice {
    /// Chosen in some chains, saving this much there.
    gain: f64,
    /// Chosen somewhere.
    yes: bool,
    /// Not chosen somewhere, because of another one.
    no: bool,
}

impl ComponentSearch<'_> {
    fn saving(&self, chosen: &[u32]) -> f64 {
        chosen
            .iter()
            .map(|&c| self.forest.savings[c as usize])
            .sum()
    }

    /// Branches until the bound says that nothing better is left.
    fn run(&mut self) {
        if self.cut || self.steps < self.chains.len() as u64 {
            self.cut = true;
            return;
        }
        self.steps -= self.chains.len() as u64;
        let bound = self.relax();
        // Sums taken in different order differ in the last digits.
        if bound <= self.best_saving * (1.0 + 1e-12) {
            return;
        }
        let votes = self.votes();
        let mut wanted: Vec<(f64, u32)> = votes
            .iter()
            .zip(self.members)
            .filter(|(vote, _)| vote.yes)
            .map(|(vote, &member)| (vote.gain, member))
            .collect();
        wanted.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut order: Vec<u32> = wanted.into_iter().map(|(_, member)| member).collect();
        let free: Vec<u32> = self
            .members
            .iter()
            .copied()
            .filter(|&m| self.out[m as usize] == 0)
            .collect();
        order.extend(self.forest.largest_first(&free));
        let tried = fill(self.forest, &order);
        let saving = self.saving(&tried);
        if saving > self.best_saving {
            (self.best, self.best_saving) = (tried, saving);
        }
        let torn = votes
            .iter()
            .zip(self.members)
            .filter(|(vote, _)| vote.yes && vote.no)
            .max_by(|a, b| a.0.gain.total_cmp(&b.0.gain).then(b.1.cmp(a.1)));
        let Some((_, &torn)) = torn else {
            return;
        };
        let conflicts = &self.forest.conflicts[torn as usize];
        conflicts.iter().for_each(|&c| self.out[c as usize] += 1);
        self.run();
        conflicts.iter().for_each(|&c| self.out[c as usize] -= 1);
        self.out[torn as usize] += 1;
        self.run();
        self.out[torn as usize] -= 1;
    }

    /// Bottom-up dynamic programme over chains, each free for itself: an upper bound of what can be saved.
    fn relax(&mut self) -> f64 {
        let Work { value, below, .. } = &mut *self.work;
        let mut total = 0.0;
        for &chain in self.chains {
            below[chain as usize] = 0.0;
        }
        for &index in self.chains.iter().rev() {
            let chain = &self.forest.chains[index as usize];
            let own = if self.out[chain.candidate as usize] == 0 {
                chain.saving
            } else {
                0.0
            };
            let best = own.max(below[index as usize]);
            value[index as usize] = best;
            if chain.parent == NONE {
                total += best;
            } else {
                below[chain.parent as usize] += best;
            }
        }
        total
    }

    /// Where the programme chose each member, top down; a chain beats what is below it on equal terms.
    fn votes(&mut self) -> Vec<RelaxedChoice> {
        let Work {
            value,
            below,
            covered,
        } = &mut *self.work;
        let mut votes = vec![RelaxedChoice::default(); self.members.len()];
        for &index in self.chains {
            let chain = &self.forest.chains[index as usize];
            let around = chain.parent != NONE && covered[chain.parent as usize];
            let free = self.out[chain.candidate as usize] == 0;
            let here =
                !around && free && chain.saving > 0.0 && chain.saving >= below[index as usize];
            covered[index as usize] = around || here;
            let member = self
                .members
                .binary_search(&chain.candidate)
                .expect("a member");
            let vote = &mut votes[member];
            if here {
                vote.yes = true;
                vote.gain += value[index as usize];
            } else if free && (around || below[index as usize] > 0.0) {
                vote.no = true;
            }
        }
        votes
    }
}

#[cfg(test)]
mod tests {
    use super::super::forest::ForestBuilder;
    use super::*;
    use proptest::prelude::*;

    /// The best of all subsets.
    fn exhaustive(forest: &Forest) -> f64 {
        let count = forest.savings.len();
        (0u32..1 << count)
            .filter(|set| {
                (0..count).filter(|i| set >> i & 1 == 1).all(|i| {
                    forest.conflicts[i]
                        .iter()
                        .all(|&other| set >> other & 1 == 0)
                })
            })
            .map(|set| {
                (0..count)
                    .filter(|i| set >> i & 1 == 1)
                    .map(|i| forest.savings[i])
                    .sum()
            })
            .fold(0.0, f64::max)
    }

    /// A forest from a list of (chain around, candidate, saving); a candidate inside itself is left out, as in a model.
    fn forest(candidates: u32, chains: &[(usize, u32, u32)]) -> Forest {
        let mut builder = ForestBuilder::new(candidates as usize);
        let mut placed: Vec<(u32, Vec<u32>)> = vec![(NONE, Vec::new())];
        for &(around, candidate, saving) in chains {
            let (around, open) = placed[around % placed.len()].clone();
            if open.contains(&candidate) {
                continue;
            }
            let chain = builder.add(around, candidate, saving.into());
            placed.push((chain, [open, vec![candidate]].concat()));
        }
        builder.finish()
    }

    fn saved(forest: &Forest, choice: &CandidateChoice) -> f64 {
        choice
            .chosen
            .iter()
            .map(|&c| forest.savings[c as usize])
            .sum()
    }

    fn valid(forest: &Forest, choice: &CandidateChoice) -> bool {
        choice.chosen.iter().all(|&a| {
            choice
                .chosen
                .iter()
                .all(|b| !forest.conflicts[a as usize].contains(b))
        })
    }

    /// A parent that is the best single choice, but worth less than its children together (as in ft and lu).
    #[test]
    fn children_together_beat_their_parent() {
        let forest = forest(3, &[(0, 0, 100), (1, 1, 70), (1, 2, 60)]);
        assert_eq!(greedy(&forest).chosen, [0]);
        assert_eq!(
            best(&forest, BUDGET),
            CandidateChoice {
                chosen: vec![1, 2],
                optimal: true
            }
        );
    }

    /// Of loops in loops the outer one is chosen unless it saves clearly less, or part of it lies in something chosen.
    #[test]
    fn the_outer_of_two_near_equals_is_chosen() {
        let near = forest(2, &[(0, 0, 990), (1, 1, 1000)]);
        assert_eq!(best(&near, BUDGET).chosen, [1]);
        assert_eq!(outermost(&near, best(&near, BUDGET)).chosen, [0]);
        let far = forest(2, &[(0, 0, 970), (1, 1, 1000)]);
        assert_eq!(outermost(&far, best(&far, BUDGET)).chosen, [1]);
        // What is inside saves elsewhere as well.
        let elsewhere = forest(2, &[(0, 0, 990), (1, 1, 1000), (0, 1, 100)]);
        assert_eq!(outermost(&elsewhere, best(&elsewhere, BUDGET)).chosen, [1]);
    }

    /// A region under two parents of which only one is worth more than it.
    #[test]
    fn a_shared_region_is_chosen_everywhere_or_nowhere() {
        let forest = forest(3, &[(0, 0, 100), (1, 2, 40), (0, 1, 30), (3, 2, 50)]);
        // Free contexts would take 0 (100) and 2 below 1 (50); but 2 is inside 0 as well.
        assert_eq!(
            best(&forest, BUDGET),
            CandidateChoice {
                chosen: vec![0, 1],
                optimal: true
            }
        );
        assert!(!best(&forest, 0).optimal);
        assert!(saved(&forest, &best(&forest, 0)) >= saved(&forest, &greedy(&forest)));
    }

    fn any_forest(shared: bool) -> impl Strategy<Value = Forest> {
        let chains = prop::collection::vec((0usize..40, 0u32..10, 0u32..60), 1..24);
        chains.prop_map(move |mut chains| {
            if !shared {
                // Every candidate once: a tree of regions.
                chains.truncate(10);
                for (index, chain) in chains.iter_mut().enumerate() {
                    chain.1 = index as u32;
                }
            }
            forest(10, &chains)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn the_best_choice_is_that_of_exhaustive_search(forest in any_forest(true)) {
            let choice = best(&forest, BUDGET);
            prop_assert!(choice.optimal && valid(&forest, &choice));
            prop_assert_eq!(saved(&forest, &choice), exhaustive(&forest));
        }

        #[test]
        fn trees_need_no_branching(forest in any_forest(false)) {
            let choice = best(&forest, forest.chains.len() as u64);
            prop_assert!(choice.optimal && valid(&forest, &choice));
            prop_assert_eq!(saved(&forest, &choice), exhaustive(&forest));
        }

        #[test]
        fn outer_regions_are_chosen_where_they_save_nearly_as_much(forest in any_forest(true)) {
            let best = best(&forest, BUDGET);
            let outer = outermost(&forest, best.clone());
            prop_assert!(valid(&forest, &outer));
            prop_assert!(outer.chosen.len() <= best.chosen.len());
            // Each swap may lose the same share again, of what was swapped before.
            let least = (1.0 - NEAR).powi(forest.savings.len() as i32) * saved(&forest, &best);
            prop_assert!(saved(&forest, &outer) >= least - 1e-9);
        }

        #[test]
        fn greedy_and_a_cut_search_are_valid_and_never_better(forest in any_forest(true), budget in 0u64..200) {
            let (best, cut, greedy) = (best(&forest, BUDGET), best(&forest, budget), greedy(&forest));
            prop_assert!(valid(&forest, &greedy) && valid(&forest, &cut));
            prop_assert!(saved(&forest, &greedy) <= saved(&forest, &cut));
            prop_assert!(saved(&forest, &cut) <= saved(&forest, &best));
        }
    }
}
