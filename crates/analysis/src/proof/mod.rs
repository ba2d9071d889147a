//! What a plan was seen to bring: runs of the parallel program beside the serial one, and a verdict for every entry.
//!
//! Times are compared in pairs: in every round the serial program runs, and then every variant on every number of
//! threads, so that what slows the machine down for a while does so for all of them. A variant's speedup is the median
//! of these ratios, its range all of them. One is faster than another if its speedup is larger by a margin and it was
//! ahead in four of five rounds.

mod chance;
mod compare;

use serde::{Deserialize, Serialize};

pub use compare::difference;

use crate::costs::ExpectedRange;

use chance::{is_by_margin, is_faster, median};

/// From this speedup on an entry pays, over the serial program and over itself on one thread, if most rounds agree, and
/// below its inverse it slows the program down. Smaller differences say nothing: where the code lies in memory makes as
/// much, which the run on one thread shows.
pub const PAYS: f64 = 1.02;

/// What was found out about a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Numbers of threads, smallest first.
    pub threads: Vec<u32>,
    /// Times of the serial program in seconds, by round.
    pub serial: Vec<f64>,
    /// How two serial runs differed, if they did: then nobody can say whether a parallel one is right.
    pub nondeterministic: Option<String>,
    /// Whether the program ran with what it was recorded with, so that expectations are for these runs.
    pub same_input: bool,
    /// Each entry alone, all together, and what [`Proof::untried`] had to be run in further rounds.
    pub variants: Vec<Variant>,
}

/// Which entries a variant has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VariantEntries {
    /// One.
    Entry,
    /// All that have code.
    All,
    /// Those that pay by themselves.
    Kept,
    /// Those whose results are right, whether they pay by themselves or not.
    Right,
}

/// The program with some entries of the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// By which rule its entries were taken.
    pub which: VariantEntries,
    /// Their places in the plan, from 1.
    pub entries: Vec<u32>,
    /// Where: `file:line` of one entry; empty otherwise.
    pub place: String,
    /// What the plan expects on most threads; none of ideal plans.
    pub expected: Option<ExpectedRange>,
    /// Whether sums or products are added up in another order, so that floating results may differ in their last
    /// digits.
    pub reorders: bool,
    /// Why there is no program.
    pub unbuilt: Option<String>,
    /// Runs, in their order.
    pub runs: Vec<TimedRun>,
    /// What the race check found; none where it was not asked for.
    pub races: Option<Races>,
}

/// A run of a variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimedRun {
    /// Threads that the program was given (`OMP_NUM_THREADS`).
    pub threads: u32,
    /// Wall time of the run, from its start to its end.
    pub seconds: f64,
    /// Those of the serial program in the same round.
    pub serial_seconds: f64,
    /// How its results differ from the serial program's.
    pub difference: Option<String>,
}

/// What the race check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Races {
    /// No race in this run.
    None,
    /// The first one: both places.
    Found(String),
    /// The check could not be made; why.
    Unchecked(String),
}

/// A measured speedup, with the interval in which it lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Speedup {
    /// Median of the rounds.
    pub speedup: f64,
    /// Of the slowest round.
    pub least: f64,
    /// Of the fastest.
    pub most: f64,
    /// How many rounds the median is of.
    pub rounds: usize,
}

/// Whether to keep an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Its results are right, and it pays.
    Keep,
    /// Its results are right, and it pays with others only; what it does by itself.
    Together(String),
    /// It does not; why.
    Drop(String),
    /// Nobody can tell; why.
    Unsure(String),
}

impl Variant {
    /// The speedup on so many threads; none without a run.
    #[must_use]
    pub fn speedup(&self, threads: u32) -> Option<Speedup> {
        let rounds = self.rounds(threads);
        let least = rounds.iter().copied().min_by(f64::total_cmp)?;
        let most = rounds.iter().copied().max_by(f64::total_cmp)?;
        Some(Speedup {
            speedup: median(&rounds),
            least,
            most,
            rounds: rounds.len(),
        })
    }

    /// The speedups on so many threads, in the order of the rounds; of a variant without a wrong result one for each
    /// round.
    fn rounds(&self, threads: u32) -> Vec<f64> {
        let right = self.runs.iter().filter(|run| run.difference.is_none());
        let own = right.filter(|run| run.threads == threads);
        own.map(|run| run.serial_seconds / run.seconds).collect()
    }

    /// The first run with other results: its threads, and how they differ.
    #[must_use]
    pub fn difference(&self) -> Option<(u32, &str)> {
        let mut all = self.runs.iter();
        all.find_map(|run| Some((run.threads, run.difference.as_deref()?)))
    }

    /// Whether there is nothing to be gained by more runs.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.unbuilt.is_some() || self.difference().is_some()
    }
}

impl Proof {
    /// Most threads that were tried.
    #[must_use]
    pub fn most_threads(&self) -> u32 {
        self.threads.last().copied().unwrap_or(1)
    }

    /// Whether one thread is all that was meant: for its vectors.
    fn is_of_one_thread(&self) -> bool {
        self.threads == [1]
    }

    /// The speedups of a variant, by round, on each number of threads but one, unless that is all.
    fn on_several(&self, variant: &Variant) -> impl Iterator<Item = Vec<f64>> {
        let several = |&&threads: &&u32| threads > 1 || self.is_of_one_thread();
        let several = self.threads.iter().filter(several);
        let found = several.map(|&threads| variant.rounds(threads));
        found.filter(|rounds| !rounds.is_empty())
    }

    /// Those on the number of threads on which it was fastest.
    fn best(&self, variant: &Variant) -> Option<Vec<f64>> {
        let all = self.on_several(variant);
        all.max_by(|a, b| median(a).total_cmp(&median(b)))
    }

    /// Whether to keep a variant.
    #[must_use]
    pub fn verdict(&self, variant: &Variant) -> Verdict {
        match self.alone(variant) {
            Verdict::Drop(why)
                if variant.which == VariantEntries::Entry
                    && self.is_right(variant)
                    && self.proven().contains(&variant.entries[0]) =>
            {
                Verdict::Together(why)
            }
            verdict => verdict,
        }
    }

    /// Whether to keep a variant for its own sake.
    fn alone(&self, variant: &Variant) -> Verdict {
        if let Some(why) = &variant.unbuilt {
            return Verdict::Drop(format!("it cannot be built: {why}"));
        }
        if let Some((threads, what)) = variant.difference() {
            return match &self.nondeterministic {
                None => Verdict::Drop(format!("on {threads} threads {what}")),
                Some(_) => Verdict::Unsure("serial runs differ, too".to_owned()),
            };
        }
        if let Some(Races::Found(places)) = &variant.races {
            return Verdict::Drop(format!("a race: {places}"));
        }
        if self.nondeterministic.is_some() {
            return Verdict::Unsure("serial runs differ".to_owned());
        }
        let Some(best) = self.best(variant) else {
            return Verdict::Unsure("it was not run on several threads".to_owned());
        };
        let one_thread = match self.is_of_one_thread() {
            true => Vec::new(),
            false => variant.rounds(1),
        };
        let pays = |holds: fn(&[f64], &[f64]) -> bool| {
            self.on_several(variant).any(|rounds| {
                let serial = vec![1.0; rounds.len()];
                holds(&rounds, &serial) && (one_thread.is_empty() || holds(&rounds, &one_thread))
            })
        };
        if pays(is_faster) {
            Verdict::Keep
        } else if pays(is_by_margin) {
            Verdict::Drop("it is faster in too few of the rounds".to_owned())
        } else if median(&best) > 1.0 / PAYS {
            Verdict::Drop("it makes no difference to the time".to_owned())
        } else {
            Verdict::Drop("it is slower than the serial program".to_owned())
        }
    }

    /// Whether it was run on several threads and gave the serial program's results, without a race that was seen.
    fn is_right(&self, variant: &Variant) -> bool {
        let failed = variant.has_failed() || matches!(variant.races, Some(Races::Found(_)));
        !failed && self.nondeterministic.is_none() && self.best(variant).is_some()
    }

    /// Entries whose variants hold, in the plan's order.
    fn entries_that(&self, hold: impl Fn(&Variant) -> bool) -> Vec<u32> {
        let alone = self
            .variants
            .iter()
            .filter(|v| v.which == VariantEntries::Entry);
        let holding = alone.filter(|v| hold(v));
        let mut entries: Vec<u32> = holding.flat_map(|v| v.entries.iter().copied()).collect();
        entries.sort_unstable();
        entries
    }

    /// Entries that pay by themselves, by their places in the plan.
    #[must_use]
    pub fn kept(&self) -> Vec<u32> {
        self.entries_that(|v| self.alone(v) == Verdict::Keep)
    }

    /// Entries whose results are right.
    #[must_use]
    pub fn right(&self) -> Vec<u32> {
        self.entries_that(|v| self.is_right(v))
    }

    /// The variant that has exactly these entries; none if there are none, or if it was not tried.
    #[must_use]
    pub fn variant_of(&self, entries: &[u32]) -> Option<&Variant> {
        let mut last = self.variants.iter().rev();
        last.find(|v| !entries.is_empty() && v.entries == entries)
    }

    /// What has to run in further rounds: what pays entry by entry and all that is right, where one of them was not
    /// tried as it is. The other one runs again then, if it pays: they are compared round by round, which says
    /// something of rounds that both ran in.
    #[must_use]
    pub fn untried(&self) -> Vec<(VariantEntries, Vec<u32>)> {
        let mut sets = vec![
            (VariantEntries::Kept, self.kept()),
            (VariantEntries::Right, self.right()),
        ];
        sets.dedup_by(|a, b| a.1 == b.1);
        sets.retain(|(_, entries)| !entries.is_empty());
        if sets.iter().all(|(_, e)| self.variant_of(e).is_some()) {
            return Vec::new();
        }
        let may_pay = |v: &Variant| self.alone(v) == Verdict::Keep;
        sets.retain(|(_, entries)| self.variant_of(entries).is_none_or(may_pay));
        sets
    }

    /// What the final patch has: what pays entry by entry, or all that is right, if that is faster by more than chance
    /// is. Loops beside each other may pay together alone: threads find in their caches what they wrote in another
    /// loop. None if nothing pays, or if it does not hold together.
    #[must_use]
    pub fn final_variant(&self) -> Option<&Variant> {
        let tried = |entries: Vec<u32>| {
            let variant = self.variant_of(&entries)?;
            let pays = self.alone(variant) == Verdict::Keep;
            Some((variant, self.best(variant).filter(|_| pays)?))
        };
        match (tried(self.kept()), tried(self.right())) {
            (Some((kept, of_kept)), Some((_, of_right))) if !is_faster(&of_right, &of_kept) => {
                Some(kept)
            }
            (kept, right) => right.or(kept).map(|(variant, _)| variant),
        }
    }

    /// The entries of the final patch.
    #[must_use]
    pub fn proven(&self) -> Vec<u32> {
        let last = self.final_variant();
        last.map_or_else(Vec::new, |v| v.entries.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(ranks: &[u32], seconds: &[f64]) -> Variant {
        Variant {
            which: match ranks {
                [_] => VariantEntries::Entry,
                _ => VariantEntries::All,
            },
            entries: ranks.to_vec(),
            place: String::new(),
            expected: None,
            reorders: false,
            unbuilt: None,
            runs: seconds
                .iter()
                .map(|&seconds| TimedRun {
                    threads: 2,
                    seconds,
                    serial_seconds: 2.0,
                    difference: None,
                })
                .collect(),
            races: None,
        }
    }

    fn proof(variants: Vec<Variant>) -> Proof {
        Proof {
            command: vec!["./p".into()],
            threads: vec![1, 2],
            serial: vec![2.0],
            nondeterministic: None,
            same_input: true,
            variants,
        }
    }

    #[test]
    fn speedups_are_medians_of_pairs() {
        let speedup = variant(&[1], &[4.0, 1.0, 2.0, 2.5]).speedup(2).unwrap();
        assert!((speedup.speedup - 0.9).abs() < 1e-12);
        assert_eq!((speedup.least, speedup.most, speedup.rounds), (0.5, 2.0, 4));
        assert_eq!(variant(&[1], &[1.0]).speedup(4), None);
    }

    #[test]
    fn only_what_is_right_and_pays_is_kept() {
        let mut wrong = variant(&[2], &[1.0, 1.0]);
        wrong.runs[1].difference = Some("line 1 differs".into());
        let mut unbuilt = variant(&[3], &[]);
        unbuilt.unbuilt = Some("error: x".into());
        let mut raced = variant(&[4], &[1.0]);
        raced.races = Some(Races::Found("a.c:1 against a.c:2".into()));
        let mut unchecked = variant(&[5], &[1.0]);
        unchecked.races = Some(Races::Unchecked("no room".into()));
        let all = vec![
            variant(&[1], &[1.0]),
            wrong,
            unbuilt,
            raced,
            unchecked,
            variant(&[6], &[2.5]),
            variant(&[7], &[2.01]),
        ];
        let mut proof = proof(all);
        let keeps = |v: &Variant, p: &Proof| p.verdict(v) == Verdict::Keep;
        let kept: Vec<bool> = proof.variants.iter().map(|v| keeps(v, &proof)).collect();
        assert_eq!(kept, [true, false, false, false, true, false, false]);
        assert_eq!(proof.kept(), [1, 5]);
        // They were not tried together.
        assert!(proof.final_variant().is_none() && proof.proven().is_empty());
        proof.variants.push(variant(&[1, 5], &[3.0]));
        assert!(proof.final_variant().is_none() && proof.proven().is_empty());
        proof.variants.push(variant(&[1, 5], &[0.5]));
        assert_eq!(proof.proven(), [1, 5]);
    }

    /// Entry 2 is slow alone, 3 wrong: 1 and 2 together are kept only where they are faster than 1 by more than chance.
    #[test]
    fn what_pays_together_is_kept() {
        let mut wrong = variant(&[3], &[1.0]);
        wrong.runs[0].difference = Some("line 1 differs".into());
        let alone = vec![variant(&[1], &[1.5]), variant(&[2], &[2.5]), wrong];
        let mut proof = proof(alone);
        assert_eq!((proof.kept(), proof.right()), (vec![1], vec![1, 2]));
        assert_eq!(proof.proven(), [1]);
        proof.variants.push(variant(&[1, 2], &[1.48]));
        assert_eq!(proof.proven(), [1]);
        assert!(matches!(
            proof.verdict(&proof.variants[1]),
            Verdict::Drop(_)
        ));
        proof.variants[3] = variant(&[1, 2], &[1.3]);
        assert_eq!(proof.proven(), [1, 2]);
        let verdicts: Vec<Verdict> = proof.variants.iter().map(|v| proof.verdict(v)).collect();
        assert!(matches!(
            verdicts[..],
            [
                Verdict::Keep,
                Verdict::Together(_),
                Verdict::Drop(_),
                Verdict::Keep
            ]
        ));
        // Nothing pays by itself.
        proof.variants[0] = variant(&[1], &[2.0]);
        assert_eq!((proof.kept(), proof.proven()), (vec![], vec![1, 2]));
        // A race that only a look at all of it showed.
        proof.variants[3].races = Some(Races::Found("a.c:1 against a.c:2".into()));
        assert!(proof.proven().is_empty());
    }

    #[test]
    fn what_pays_does_in_most_rounds() {
        let verdict = |seconds: &[f64]| proof(Vec::new()).verdict(&variant(&[1], seconds));
        assert_eq!(verdict(&[1.7, 2.1, 1.7, 1.7, 1.9]), Verdict::Keep);
        let few = Verdict::Drop("it is faster in too few of the rounds".into());
        assert_eq!(verdict(&[1.7, 2.1, 1.7, 1.7, 2.1]), few);
        assert_eq!(verdict(&[1.7, 2.1, 1.7, 1.7]), few);
        assert_eq!(verdict(&[1.0, 2.1]), few);
        let none = Verdict::Drop("it makes no difference to the time".into());
        assert_eq!(verdict(&[1.98; 5]), none);
        // On three threads it is faster in the median, and in too few rounds; on two it pays.
        let mut uneven = variant(&[1], &[1.5, 2.1, 1.5, 2.1, 1.5]);
        uneven.runs.iter_mut().for_each(|run| run.threads = 3);
        let mut proof = proof(Vec::new());
        proof.threads.push(3);
        assert_eq!(proof.verdict(&uneven), few);
        uneven.runs.append(&mut variant(&[1], &[1.7; 5]).runs);
        assert_eq!(proof.verdict(&uneven), Verdict::Keep);
    }

    /// All that is right takes the place of what pays alone only if most rounds agree, each beside its own.
    #[test]
    fn what_makes_no_difference_together_is_dropped() {
        let alone = [1.5, 1.6, 1.5, 1.7, 1.5];
        let mut proof = proof(vec![variant(&[1], &alone), variant(&[2], &[2.0; 5])]);
        proof.variants.push(variant(&[1, 2], &alone));
        let mut proven = |together: [f64; 5]| {
            proof.variants[2] = variant(&[1, 2], &together);
            proof.proven()
        };
        assert_eq!(proven([1.4, 1.5, 1.4, 1.8, 1.4]), [1, 2]);
        // In four of five rounds, and by less than the margin.
        assert_eq!(proven([1.49, 1.59, 1.49, 1.8, 1.49]), [1]);
        // By the margin, and in three of five rounds.
        assert_eq!(proven([1.4, 1.7, 1.4, 1.8, 1.4]), [1]);
        // In four of five rounds if they were sorted.
        assert_eq!(proven([1.6, 1.4, 1.6, 1.4, 1.4]), [1]);
        assert_eq!(proven([1.4; 5]), [1, 2]);
    }

    #[test]
    fn what_is_compared_runs_in_the_same_rounds() {
        let mut wrong = variant(&[4], &[1.0]);
        wrong.runs[0].difference = Some("line 1 differs".into());
        let (pays, slow) = (|rank| variant(&[rank], &[1.5]), variant(&[3], &[2.5]));
        let alone = vec![pays(1), pays(2), slow.clone()];
        let (kept, right) = (
            (VariantEntries::Kept, vec![1, 2]),
            (VariantEntries::Right, vec![1, 2, 3]),
        );
        let mut proof = proof(alone);
        assert_eq!(proof.untried(), [kept.clone(), right.clone()]);
        // All ran in earlier rounds than what pays alone will.
        proof.variants.push(variant(&[1, 2, 3], &[1.2]));
        assert_eq!(proof.untried(), [kept.clone(), right]);
        // It is no rival.
        proof.variants[3] = variant(&[1, 2, 3], &[2.2]);
        assert_eq!(proof.untried(), std::slice::from_ref(&kept));
        proof.variants.push(variant(&[1, 2], &[1.3]));
        assert_eq!(proof.untried(), []);
        // What pays is one entry, which ran beside all.
        proof.variants = vec![pays(1), slow, variant(&[1, 3], &[1.2])];
        assert_eq!(proof.untried(), []);
        // And here it did not run beside what is right.
        proof.variants[2] = wrong;
        let (one, both) = (
            (VariantEntries::Kept, vec![1]),
            (VariantEntries::Right, vec![1, 3]),
        );
        assert_eq!(proof.untried(), [one, both]);
        // Everything pays.
        proof.variants = vec![pays(1), pays(2)];
        assert_eq!(proof.untried(), [kept]);
    }

    #[test]
    fn what_one_thread_gains_is_not_the_threads_doing() {
        let mut one = variant(&[1], &[1.9]);
        let run = TimedRun {
            threads: 1,
            ..one.runs[0].clone()
        };
        one.runs.push(run);
        assert!(matches!(proof(Vec::new()).verdict(&one), Verdict::Drop(_)));
        one.runs[1].seconds = 2.0;
        assert_eq!(proof(Vec::new()).verdict(&one), Verdict::Keep);
    }

    /// Vectors are of one thread: what it gains is their doing.
    #[test]
    fn where_one_thread_is_all_it_counts() {
        let mut one = variant(&[1], &[1.0]);
        one.runs.iter_mut().for_each(|run| run.threads = 1);
        let mut proof = proof(Vec::new());
        assert!(matches!(proof.verdict(&one), Verdict::Unsure(_)));
        proof.threads = vec![1];
        assert_eq!(proof.verdict(&one), Verdict::Keep);
    }

    #[test]
    fn where_serial_runs_differ_nobody_can_tell() {
        let mut wrong = variant(&[1], &[1.0]);
        wrong.runs[0].difference = Some("x".into());
        let mut proof = proof(vec![wrong, variant(&[2], &[1.0])]);
        proof.nondeterministic = Some("line 3".into());
        let unsure = |v: &Variant| matches!(proof.verdict(v), Verdict::Unsure(_));
        assert!(proof.variants.iter().all(unsure));
    }
}
