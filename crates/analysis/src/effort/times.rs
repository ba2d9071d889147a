//! New execution times of region instances when some regions are parallelized: p-ray, section 6.1.

use parascan_formats::module::RegionKind;

use crate::tree::{Distinct, Instances};

/// Times of all distinct instances for one set of parallelized regions.
///
/// p-ray knows functions and loops. A loop's children are the loops and functions that run directly in its iterations;
/// an iteration is no region of its own but part of its loop. So an iteration hands two figures to its loop: how long
/// it takes serially, and the longest of its children, which is all that remains of it beside the loop's critical path
/// once the loop's iterations run in parallel.
#[derive(Clone, Debug, Default)]
pub(crate) struct InstanceTimes {
    /// New time of everything that the instance stands for.
    time: Vec<u64>,
    /// New time of one instance; of an iteration, that of its longest child.
    longest: Vec<u64>,
}

impl InstanceTimes {
    /// Times with the regions `chosen` (by region number) parallelized.
    pub(crate) fn new(instances: &Instances, chosen: &[bool]) -> Self {
        let count = instances.all.len();
        let mut times = Self {
            time: vec![0; count],
            longest: vec![0; count],
        };
        times.update(instances, chosen, 0);
        times
    }

    /// Computes the times of the instances from number `first` on anew. Those before are right already.
    pub(crate) fn update(&mut self, instances: &Instances, chosen: &[bool], first: usize) {
        for (index, one) in instances.all.iter().enumerate().skip(first) {
            if let Some((whole, part)) = one.part_of {
                self.time[index] = (self.time[whole] as f64 * part).round() as u64;
                self.longest[index] = self.longest[whole];
                continue;
            }
            let (mut serial, mut longest) = (one.self_work, 0);
            for (child, count) in one.children() {
                serial = serial.saturating_add(self.time[child].saturating_mul(count));
                longest = longest.max(self.longest[child]);
            }
            if one.kind == RegionKind::Iteration {
                self.time[index] = serial;
                self.longest[index] = longest;
            } else {
                let time = match one.cp {
                    Some(cp) if chosen[one.region as usize] => {
                        cp.max(longest.saturating_mul(one.stands_for))
                    }
                    _ => serial,
                };
                self.time[index] = time;
                self.longest[index] = time.div_ceil(one.stands_for.max(1));
            }
        }
    }

    /// Takes over the times from number `first` on.
    pub(crate) fn copy_from(&mut self, other: &Self, first: usize) {
        self.time[first..].copy_from_slice(&other.time[first..]);
        self.longest[first..].copy_from_slice(&other.longest[first..]);
    }

    /// Time of all runs together.
    pub(crate) fn program(&self, instances: &Instances) -> u64 {
        instances.roots.iter().fold(0u64, |sum, run| {
            sum.saturating_add(self.time[run.symbol as usize].saturating_mul(run.count))
        })
    }

    /// For every region at most how much time of the program parallelizing it as well can save. Exact unless the region
    /// is recursive or runs inside a parallelized one.
    ///
    /// Where an instance's time falls by one unit, that of the program falls by its *weight* at most. Weights add up
    /// from parents to children: all of it in a sum; in a maximum only the longest child counts, and none does where
    /// the critical path is longer. A parallelized instance's time falls to no less than its critical path, and as long
    /// as its region does not occur inside itself to no less than its longest child.
    pub(crate) fn bounds(
        &self,
        instances: &Instances,
        chosen: &[bool],
        recursive: &[bool],
    ) -> Vec<f64> {
        let count = instances.all.len();
        // Per unit of `time` and of `longest`.
        let (mut weight, mut weight_longest) = (vec![0.0f64; count], vec![0.0f64; count]);
        for run in &instances.roots {
            weight[run.symbol as usize] += run.count as f64;
        }
        let mut bounds = vec![0.0; chosen.len()];
        for (index, one) in instances.all.iter().enumerate().rev() {
            if let Some((whole, part)) = one.part_of {
                // Rounding may add one unit.
                weight[whole] += weight[index] * part;
                weight_longest[whole] += weight_longest[index];
                continue;
            }
            let iteration = one.kind == RegionKind::Iteration;
            let parallel = !iteration && chosen[one.region as usize] && one.cp.is_some();
            if !iteration {
                weight[index] += weight_longest[index];
            }
            let own = weight[index];
            if own == 0.0 && weight_longest[index] == 0.0 {
                continue;
            }
            if !parallel {
                for (child, count) in one.children() {
                    weight[child] += own * count as f64;
                }
            }
            // Whom the maximum over the children follows, and how strongly.
            let follows = if iteration {
                weight_longest[index]
            } else if parallel && Some(self.time[index]) > one.cp {
                own * one.stands_for as f64
            } else {
                0.0
            };
            if follows > 0.0
                && let Some((child, _)) =
                    one.children().max_by_key(|&(child, _)| self.longest[child])
            {
                weight_longest[child] += follows;
            }
            if let (Some(cp), false, false) = (one.cp, iteration, parallel) {
                let region = one.region as usize;
                let least = if recursive[region] {
                    cp
                } else {
                    cp.max(self.longest_child(one).saturating_mul(one.stands_for))
                };
                bounds[region] += own * self.time[index].saturating_sub(least) as f64;
            }
        }
        bounds
    }

    /// For every region how much time its instances lose when it is parallelized as well, added up as if nothing around
    /// them were: what is gained once everything beside them is shorter.
    pub(crate) fn local_gains(
        &self,
        instances: &Instances,
        occurrences: &[u64],
        regions: usize,
    ) -> Vec<f64> {
        let mut gains = vec![0.0; regions];
        for (index, one) in instances.all.iter().enumerate() {
            if let (Some(cp), None) = (one.cp, one.part_of)
                && one.kind != RegionKind::Iteration
            {
                let least = cp.max(self.longest_child(one).saturating_mul(one.stands_for));
                let gain = self.time[index].saturating_sub(least);
                gains[one.region as usize] += gain as f64 * occurrences[index] as f64;
            }
        }
        gains
    }

    fn longest_child(&self, one: &Distinct) -> u64 {
        let children = one.children().map(|(child, _)| self.longest[child]);
        children.max().unwrap_or(0)
    }
}
