//! How evenly long the iterations of loops were: what the busiest thread has if each takes an equal part of them, or
//! short parts in turn.
//!
//! From the trees of the profiles, which have the iterations of every instance in their order: of each loop its
//! heaviest distinct instances, as the work done up to each of at most 256 places along the loop. What the trees have
//! only summed up is not in it, nor are loops of which a recording in bursts saw no whole instance.

use parascan_formats::module::RegionKind;
use parascan_formats::profile::{EqualChildren, Profile, Symbol};

/// Distinct instances of a loop that are looked at, heaviest first.
const MOST: usize = 8;
/// Places along an instance.
const PLACES: u64 = 256;
/// Parts in turn beyond which they are taken as even.
const PARTS: f64 = 4096.0;

/// Iterations of one loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Balance {
    instances: Vec<EqualInstances>,
}

/// Equal instances.
#[derive(Clone, Debug, PartialEq)]
struct EqualInstances {
    /// Work of all of them.
    work: f64,
    iterations: u64,
    /// Share of the work done at equal steps along the iterations, from 0 to 1.
    done: Vec<f64>,
}

impl EqualInstances {
    /// None of one with fewer than two iterations, or of which they are not known one by one.
    fn new(symbol: &Symbol, symbols: &[Symbol], times: f64) -> Option<Self> {
        let iterations: u64 = symbol.children.iter().map(|run| run.count).sum();
        let work = |run: &EqualChildren| {
            let one = &symbols[run.symbol as usize];
            (one.summarised == 1).then_some(one.work as f64)
        };
        let all: Option<f64> = symbol
            .children
            .iter()
            .map(|run| Some(work(run)? * run.count as f64))
            .sum();
        let all = all.filter(|all| *all > 0.0 && iterations > 1 && symbol.summarised == 1)?;
        let places = match symbol.children.len() {
            1 => 1,
            _ => iterations.min(PLACES),
        };
        let mut done = Vec::with_capacity(places as usize + 1);
        // Iterations passed, and the work in them.
        let (mut passed, mut before) = (0.0, 0.0);
        for run in &symbol.children {
            let (count, each) = (run.count as f64, work(run)?);
            loop {
                let at = done.len() as f64 * iterations as f64 / places as f64;
                if at > passed + count || done.len() as u64 > places {
                    break;
                }
                done.push(((before + (at - passed) * each) / all).min(1.0));
            }
            passed += count;
            before += count * each;
        }
        done.resize(places as usize + 1, 1.0);
        Some(Self {
            work: symbol.work as f64 * times,
            iterations,
            done,
        })
    }

    /// Share of the work in the iterations before this one.
    fn before(&self, iteration: f64) -> f64 {
        let at = iteration / self.iterations as f64 * (self.done.len() - 1) as f64;
        let place = (at as usize).min(self.done.len() - 2);
        let (from, to) = (self.done[place], self.done[place + 1]);
        from + (to - from) * (at - place as f64).clamp(0.0, 1.0)
    }

    /// Share of the busiest of so many threads with equal parts: the first have one iteration more where they do not
    /// come out even.
    fn in_parts(&self, threads: u32) -> f64 {
        let (each, more) = (
            self.iterations / u64::from(threads),
            self.iterations % u64::from(threads),
        );
        let begins = |thread: u64| self.before((thread * each + thread.min(more)) as f64);
        let busy = u64::from(threads).min(self.iterations);
        let parts = (0..busy).map(|thread| begins(thread + 1) - begins(thread));
        parts.fold(0.0, f64::max)
    }

    /// The same if all iterations were as long.
    fn if_even(&self, threads: u32) -> f64 {
        self.iterations.div_ceil(u64::from(threads)) as f64 / self.iterations as f64
    }

    /// Share of the busiest if threads take turns at so many iterations.
    fn in_turn(&self, threads: u32, part: u32) -> f64 {
        let (iterations, part) = (self.iterations as f64, f64::from(part));
        if iterations / part > PARTS {
            return 1.0 / f64::from(threads);
        }
        let busy = f64::from(threads).min((iterations / part).ceil()) as usize;
        let mut shares = vec![0.0; busy];
        let mut at = 0.0;
        for number in 0.. {
            let end = (at + part).min(iterations);
            shares[number % busy] += self.before(end) - self.before(at);
            if end >= iterations {
                break;
            }
            at = end;
        }
        shares.into_iter().fold(0.0, f64::max)
    }
}

impl Balance {
    /// Of every region of the model, by number; `numbers` are those of the regions of each profile.
    pub(crate) fn all(profiles: &[Profile], numbers: &[Vec<u32>], regions: usize) -> Vec<Self> {
        let mut found = vec![Self::default(); regions];
        for (profile, numbers) in profiles.iter().zip(numbers) {
            let symbols = &profile.tree.symbols;
            let mut times = vec![0.0; symbols.len()];
            for run in &profile.tree.root {
                times[run.symbol as usize] += run.count as f64;
            }
            let mut loops: Vec<usize> = Vec::new();
            // Parents come behind their children.
            for (number, symbol) in symbols.iter().enumerate().rev() {
                for run in &symbol.children {
                    times[run.symbol as usize] += run.count as f64 * times[number];
                }
                let kind = profile
                    .regions
                    .get(symbol.region as usize)
                    .map(|r| r.fixed.kind);
                if kind == Some(RegionKind::Loop) {
                    loops.push(number);
                }
            }
            let weight = |number: usize| symbols[number].work as f64 * times[number];
            loops.sort_by(|&a, &b| {
                let region = |number: usize| symbols[number].region;
                (region(a).cmp(&region(b))).then_with(|| weight(b).total_cmp(&weight(a)))
            });
            for same in loops.chunk_by(|&a, &b| symbols[a].region == symbols[b].region) {
                let Some(&region) = numbers.get(symbols[same[0]].region as usize) else {
                    continue;
                };
                let heaviest = same.iter().take(MOST);
                let instances =
                    heaviest.filter_map(|&n| EqualInstances::new(&symbols[n], symbols, times[n]));
                found[region as usize].instances.extend(instances);
            }
        }
        found
    }

    /// A mean over instances, by their work; none where nothing is known.
    fn mean(&self, of: impl Fn(&EqualInstances) -> f64) -> Option<f64> {
        let work: f64 = self.instances.iter().map(|i| i.work).sum();
        let sum: f64 = self.instances.iter().map(|i| i.work * of(i)).sum();
        (work > 0.0).then(|| sum / work)
    }

    /// Share of a loop's work that the busiest of so many threads (at least one) has: with equal parts, or taking turns
    /// at so many iterations (at least one).
    pub(crate) fn busiest(&self, threads: u32, in_turn: Option<u32>) -> Option<f64> {
        self.mean(|instance| match in_turn {
            Some(part) => instance.in_turn(threads, part),
            None => instance.in_parts(threads),
        })
    }

    /// The same with equal parts, if all iterations were as long.
    pub(crate) fn if_even(&self, threads: u32) -> Option<f64> {
        self.mean(|instance| instance.if_even(threads))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// One instance of a loop whose iterations take so long each.
    fn instance(work: &[u64]) -> EqualInstances {
        let iteration = |&work: &u64| Symbol {
            region: 1,
            work,
            cp: work,
            summarised: 1,
            children: Vec::new(),
        };
        let mut symbols: Vec<Symbol> = work.iter().map(iteration).collect();
        symbols.push(Symbol {
            region: 0,
            work: work.iter().sum(),
            cp: 1,
            summarised: 1,
            children: (0..work.len() as u32)
                .map(|symbol| EqualChildren { symbol, count: 1 })
                .collect(),
        });
        EqualInstances::new(&symbols[work.len()], &symbols, 1.0).unwrap()
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    /// 1 to 8: two threads have 10 and 26 of 36, three 1 + 2 + 3, 4 + 5 + 6 and 7 + 8.
    #[test]
    fn parts_by_hand() {
        let triangle = instance(&[1, 2, 3, 4, 5, 6, 7, 8]);
        for (threads, busiest, even) in [
            (1, 36.0, 8.0),
            (2, 26.0, 4.0),
            (3, 15.0, 3.0),
            (8, 8.0, 1.0),
            (20, 8.0, 1.0),
        ] {
            assert!(
                close(triangle.in_parts(threads), busiest / 36.0),
                "{threads}"
            );
            assert!(close(triangle.if_even(threads), even / 8.0), "{threads}");
        }
        // In turn: 2 + 4 + 6 + 8, and by twos 3 + 4 + 7 + 8.
        assert!(close(triangle.in_turn(2, 1), 20.0 / 36.0));
        assert!(close(triangle.in_turn(2, 2), 22.0 / 36.0));
        assert!(close(triangle.in_turn(2, 8), 1.0));
    }

    /// More iterations than places: a triangle of 10,000 has three quarters of its work in its second half.
    #[test]
    fn long_loops_are_looked_at_in_places() {
        let triangle = instance(&(1..=10_000).collect::<Vec<u64>>());
        assert_eq!(triangle.done.len(), PLACES as usize + 1);
        assert!((triangle.in_parts(2) - 0.75).abs() < 1e-3);
        assert!((triangle.in_turn(2, 8) - 0.5).abs() < 1e-2);
        let even = instance(&vec![7; 1000]);
        assert!(close(even.in_parts(4), 0.25) && close(even.in_turn(4, 8), 256.0 / 1000.0));
    }

    proptest! {
        /// Against a walk over all iterations.
        #[test]
        fn any_iterations_as_one_by_one(
            work in prop::collection::vec(1..50u64, 2..PLACES as usize),
            threads in 1..10usize,
            part in 1..10usize,
        ) {
            let found = instance(&work);
            let all = work.iter().sum::<u64>() as f64;
            let mut in_turn = vec![0; threads];
            for (number, work) in work.iter().enumerate() {
                in_turn[number / part % threads] += work;
            }
            let busiest = *in_turn.iter().max().unwrap() as f64;
            prop_assert!(close(found.in_turn(threads as u32, part as u32), busiest / all));
            let (each, more) = (work.len() / threads, work.len() % threads);
            let (mut rest, mut most) = (&work[..], 0);
            for thread in 0..threads {
                let (own, others) = rest.split_at(each + usize::from(thread < more));
                most = most.max(own.iter().sum::<u64>());
                rest = others;
            }
            prop_assert!(close(found.in_parts(threads as u32), most as f64 / all));
        }
    }
}
