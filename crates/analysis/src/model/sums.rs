//! What instances of a region add up to.

use parascan_formats::profile::{Context, Sample};

/// Sums over instances. `known` ones are over those whose self-parallelism was measured only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InstanceSums {
    /// How many instances ran.
    pub instances: u64,
    /// Work of all instances in units of the latency table, that of everything inside included.
    pub work: u64,
    /// Work of direct children.
    pub child_work: u64,
    /// Work of instances whose critical path was measured.
    pub tracked_work: u64,
    /// Critical paths, where measured.
    pub cp: u64,
    /// Instances whose self-parallelism is known.
    pub known: u64,
    /// Work of the instances whose self-parallelism is known.
    pub known_work: u64,
    /// Their critical paths.
    pub known_cp: u64,
    /// Their `work / self-parallelism`.
    pub parallel_time: f64,
    /// Sum of `critical path - largest child's`.
    pub gap: u64,
    /// Largest such difference.
    pub gap_max: u64,
    /// Known instances with two children or more.
    pub multi: u64,
    /// Of those, instances with gap 0.
    pub multi_flat: u64,
    /// Known instances in which a child read what an earlier one had written (loops).
    pub carried: u64,
    /// Known instances of which that is not known: profiles of format version 1.
    pub unobserved: u64,
    /// Instances whose children were counted: not those of regions so deep that what is inside was not recorded.
    pub counted: u64,
    /// Direct children.
    pub children: u64,
    /// Fewest in one of the counted instances.
    pub children_min: u64,
    /// Most in one instance.
    pub children_max: u64,
    /// Instances in runs of which only stretches were tracked, without those that were seen from beginning to end: the
    /// figures of these stand for them.
    pub sampled: u64,
    /// Instances that were seen from beginning to end, in any run.
    pub whole: u64,
    /// Stretches that were seen of others.
    pub segments: u64,
    /// Half of the interval around `work`, where that is an estimate.
    pub error: u64,
    /// Half of the interval around `parallel_time`, infinite where nothing is known of it.
    pub time_error: f64,
}

impl InstanceSums {
    pub(super) fn of(context: &Context, sample: Option<&Sample>) -> Self {
        let (tracked, known) = (context.tracked, context.tracked && context.children_tracked);
        let when = |condition: bool, value: u64| if condition { value } else { 0 };
        Self {
            instances: context.instances,
            work: context.work,
            child_work: context.child_work,
            tracked_work: when(tracked, context.work),
            cp: when(tracked, context.cp),
            known: when(known, context.instances),
            known_work: when(known, context.work),
            known_cp: when(known, context.cp),
            parallel_time: if known { context.parallel_time } else { 0.0 },
            gap: when(known, context.gap),
            gap_max: when(known, context.gap_max),
            multi: when(known, context.multi),
            multi_flat: when(known, context.multi_flat),
            carried: when(known, context.carried.unwrap_or(0)),
            unobserved: when(known && context.carried.is_none(), context.multi),
            counted: when(tracked || context.children > 0, context.instances),
            children: context.children,
            children_min: context.children_min,
            children_max: context.children_max,
            sampled: sample.map_or(0, |s| context.instances.saturating_sub(s.whole)),
            whole: sample.map_or(context.instances, |s| s.whole),
            segments: sample.map_or(0, |s| s.segments),
            error: sample.map_or(0, |s| s.error),
            time_error: match sample {
                Some(sample) if known && sample.whole < context.instances => {
                    sample.time_error.unwrap_or(f64::INFINITY)
                }
                _ => 0.0,
            },
        }
    }

    /// Adds the instances behind `other`.
    pub fn add(&mut self, other: &Self) {
        if other.instances == 0 {
            return;
        }
        if other.counted > 0 {
            self.children_min = if self.counted == 0 {
                other.children_min
            } else {
                self.children_min.min(other.children_min)
            };
        }
        self.children_max = self.children_max.max(other.children_max);
        self.gap_max = self.gap_max.max(other.gap_max);
        self.parallel_time += other.parallel_time;
        self.time_error += other.time_error;
        for (sum, value) in [
            (&mut self.instances, other.instances),
            (&mut self.work, other.work),
            (&mut self.child_work, other.child_work),
            (&mut self.tracked_work, other.tracked_work),
            (&mut self.cp, other.cp),
            (&mut self.known, other.known),
            (&mut self.known_work, other.known_work),
            (&mut self.known_cp, other.known_cp),
            (&mut self.gap, other.gap),
            (&mut self.multi, other.multi),
            (&mut self.multi_flat, other.multi_flat),
            (&mut self.carried, other.carried),
            (&mut self.unobserved, other.unobserved),
            (&mut self.counted, other.counted),
            (&mut self.children, other.children),
            (&mut self.sampled, other.sampled),
            (&mut self.whole, other.whole),
            (&mut self.segments, other.segments),
            (&mut self.error, other.error),
        ] {
            *sum = sum.saturating_add(value);
        }
    }

    /// Work outside of the children.
    pub fn self_work(&self) -> u64 {
        self.work.saturating_sub(self.child_work)
    }

    /// What parallelizing exactly these instances saves of the program's time: the sum of `work - work / SP`, over
    /// those whose self-parallelism is known.
    pub fn saving(&self) -> f64 {
        (self.known_work as f64 - self.parallel_time).max(0.0)
    }

    /// Self-parallelism, `sum(work) / sum(work / SP)`, if measured.
    pub fn self_parallelism(&self) -> Option<f64> {
        (self.known > 0).then(|| ratio(self.known_work as f64, self.parallel_time))
    }

    /// Between which figures the self-parallelism lies in 95 of 100 cases, if it is known: least, and most unless what
    /// was seen sets no bound. Errors add up, as if all contexts were off to the same side.
    pub fn self_parallelism_interval(&self) -> Option<(f64, Option<f64>)> {
        let (work, time) = (self.known_work as f64, self.parallel_time);
        let least = ratio(work, time + self.time_error).max(1.0);
        let most = (self.time_error < time).then(|| ratio(work, time - self.time_error));
        (self.known > 0).then_some((least, most))
    }

    /// Total parallelism, `sum(work) / sum(critical path)`, over the same instances as the self-parallelism where that
    /// is known for any, so that the two can be compared.
    pub fn total_parallelism(&self) -> Option<f64> {
        if self.known > 0 {
            Some(ratio(self.known_work as f64, self.known_cp as f64))
        } else if self.cp > 0 {
            Some(ratio(self.tracked_work as f64, self.cp as f64))
        } else {
            None
        }
    }
}

/// `a / b`, 1 where nothing was done.
fn ratio(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 { a / b } else { 1.0 }
}
