//! The greedy search: in every step the region that brings most speedup per line of code.

use crate::effort::recursive::recursive;
use crate::effort::times::InstanceTimes;
use crate::tree::Instances;

/// A region that may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CandidateRegion {
    pub(crate) region: u32,
    /// Lines of code, at least 1.
    pub(crate) lines: u32,
}

/// A choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) region: u32,
    /// Time of the program before.
    pub(crate) time_before: u64,
    /// Time of the program with the region parallelized as well.
    pub(crate) time: u64,
}

/// A search in progress.
pub(crate) struct GreedySearch<'a> {
    instances: &'a Instances<'a>,
    candidates: Vec<CandidateRegion>,
    chosen: Vec<bool>,
    /// Regions that run inside themselves.
    recursive: Vec<bool>,
    /// Number of the first instance of each region: nothing before it depends on the region.
    first: Vec<usize>,
    now: InstanceTimes,
    /// The same as `now` but while a candidate is tried.
    trial: InstanceTimes,
    time: u64,
    /// What rounding can make of bounds.
    rounding: f64,
    occurrences: Vec<u64>,
    /// Time of the program with all candidates chosen.
    least: u64,
}

impl<'a> GreedySearch<'a> {
    /// Starts with the regions `done` parallelized.
    pub(crate) fn new(
        instances: &'a Instances<'a>,
        done: Vec<bool>,
        candidates: Vec<CandidateRegion>,
    ) -> Self {
        let mut first = vec![instances.all.len(); done.len()];
        for (index, one) in instances.all.iter().enumerate().rev() {
            first[one.region as usize] = index;
        }
        let now = InstanceTimes::new(instances, &done);
        let mut search = Self {
            candidates,
            recursive: recursive(instances, done.len()),
            first,
            trial: now.clone(),
            time: now.program(instances),
            now,
            occurrences: instances.occurrences(),
            least: 0,
            chosen: done,
            rounding: instances
                .all
                .iter()
                .filter(|one| one.part_of.is_some())
                .count() as f64,
            instances,
        };
        search.drop_hopeless();
        search.find_least();
        search
    }

    /// Time of the program with what is chosen so far.
    pub(crate) fn time(&self) -> u64 {
        self.time
    }

    /// Chooses the candidate with the largest `(old time / new time - 1) / lines`, of equal ones the first in the
    /// program's order of regions. Where none brings anything by itself (several are equally slow beside each other),
    /// the one whose own instances get shortest. None when all candidates together make the program faster by at most
    /// `least`.
    pub(crate) fn step(&mut self, least: f64) -> Option<Chosen> {
        if self.time as f64 <= self.least as f64 * (1.0 + least) {
            return None;
        }
        let (time, region) = self.best().or_else(|| self.on_plateau())?;
        self.choose(region);
        let time_before = std::mem::replace(&mut self.time, time);
        Some(Chosen {
            region,
            time_before,
            time,
        })
    }

    /// The candidate that brings most per line, and the time with it.
    fn best(&mut self) -> Option<(u64, u32)> {
        let bounds = self
            .now
            .bounds(self.instances, &self.chosen, &self.recursive);
        // What may be best comes first, so that most candidates need not be tried.
        let mut open: Vec<(f64, CandidateRegion)> = self
            .candidates
            .iter()
            .map(|&candidate| {
                // Sums of floating-point numbers, parts rounded to units: a little more than the true bound is as good.
                let saved = bounds[candidate.region as usize] * (1.0 + 1e-6) + self.rounding;
                let saved = saved.min(self.time as f64);
                (
                    self.merit(self.time as f64 - saved, candidate.lines),
                    candidate,
                )
            })
            .filter(|(bound, _)| *bound > 0.0)
            .collect();
        open.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.region.cmp(&b.1.region)));
        let mut best: Option<(f64, u64, CandidateRegion)> = None;
        for (bound, candidate) in open {
            if best.is_some_and(|(merit, ..)| bound < merit) {
                break;
            }
            let time = self.try_out(candidate.region);
            let merit = self.merit(time as f64, candidate.lines);
            let better = best.is_none_or(|(most, _, chosen)| {
                merit > most || (merit == most && candidate.region < chosen.region)
            });
            if time < self.time && better {
                best = Some((merit, time, candidate));
            }
        }
        best.map(|(_, time, candidate)| (time, candidate.region))
    }

    /// The candidate whose own instances lose most time per line.
    fn on_plateau(&self) -> Option<(u64, u32)> {
        let gains = self
            .now
            .local_gains(self.instances, &self.occurrences, self.chosen.len());
        let merit = |c: &CandidateRegion| gains[c.region as usize] / f64::from(c.lines.max(1));
        let open = self.candidates.iter().filter(|c| merit(c) > 0.0);
        let best = open
            .max_by(|a, b| (merit(a).total_cmp(&merit(b))).then_with(|| b.region.cmp(&a.region)))?;
        Some((self.time, best.region))
    }

    /// Removes the candidates that run inside instances of `region`, or in whose instances it runs; returns them.
    pub(crate) fn without_nested(&mut self, region: u32) -> Vec<u32> {
        let mut nested = vec![false; self.chosen.len()];
        let inside = self.inside(region);
        let mut around = vec![false; inside.len()];
        for (index, one) in self.instances.all.iter().enumerate() {
            around[index] = one.part_of.is_some_and(|(whole, _)| around[whole])
                || one
                    .children()
                    .any(|(child, _)| around[child] || self.instances.all[child].region == region);
            nested[one.region as usize] |= inside[index] || around[index];
        }
        let (out, stay) = self
            .candidates
            .iter()
            .partition(|c| nested[c.region as usize]);
        self.candidates = stay;
        let out: Vec<CandidateRegion> = out;
        self.find_least();
        out.iter().map(|c| c.region).collect()
    }

    /// Gain per line: how much faster the program would be, less 1, over lines of code.
    fn merit(&self, time: f64, lines: u32) -> f64 {
        let gain = if time > 0.0 {
            (self.time as f64 - time) / time
        } else {
            f64::INFINITY
        };
        gain / f64::from(lines.max(1))
    }

    /// Time of the program with this region parallelized as well.
    fn try_out(&mut self, region: u32) -> u64 {
        let first = self.first[region as usize];
        self.chosen[region as usize] = true;
        self.trial.update(self.instances, &self.chosen, first);
        self.chosen[region as usize] = false;
        let time = self.trial.program(self.instances);
        self.trial.copy_from(&self.now, first);
        time
    }

    fn choose(&mut self, region: u32) {
        let first = self.first[region as usize];
        self.chosen[region as usize] = true;
        self.now.update(self.instances, &self.chosen, first);
        self.trial.copy_from(&self.now, first);
        self.candidates.retain(|c| c.region != region);
    }

    /// For every distinct instance whether it runs inside one of `region`.
    fn inside(&self, region: u32) -> Vec<bool> {
        let mut inside = vec![false; self.instances.all.len()];
        for (index, one) in self.instances.all.iter().enumerate().rev() {
            if let (true, Some((whole, _))) = (inside[index], one.part_of) {
                inside[whole] = true;
            }
            if inside[index] || one.region == region {
                for (child, _) in one.children() {
                    inside[child] = true;
                }
            }
        }
        inside
    }

    fn find_least(&mut self) {
        let mut all = self.chosen.clone();
        for candidate in &self.candidates {
            all[candidate.region as usize] = true;
        }
        self.least = InstanceTimes::new(self.instances, &all).program(self.instances);
    }

    /// Candidates whose whole work beyond their critical paths is nothing cannot ever bring anything.
    fn drop_hopeless(&mut self) {
        let mut hope = vec![false; self.chosen.len()];
        for one in &self.instances.all {
            hope[one.region as usize] |= one.cp.is_some_and(|cp| cp < one.work);
        }
        self.candidates.retain(|c| hope[c.region as usize]);
    }
}
