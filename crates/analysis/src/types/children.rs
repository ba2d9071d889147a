//! The children of an instance as p-ray counts them: loops and functions; those of an iteration are its loop's.

use parascan_formats::module::RegionKind;

use crate::tree::{Distinct, Instances};

/// What the scan needs to know about all children of an instance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ChildSums {
    /// How many.
    pub(crate) count: u64,
    /// Their region, if it is the same one for all.
    pub(crate) region: Option<u32>,
    /// Sum of their work.
    pub(crate) work: u64,
    /// Sum of their critical paths.
    pub(crate) cp: u64,
    /// Longest critical path.
    pub(crate) cp_max: u64,
    /// The longest one's critical path in each instance, added over the instances behind a summary (there an estimate).
    pub(crate) perfect: u64,
    /// Least and most work of one.
    pub(crate) work_range: (u64, u64),
    /// Least and most total parallelism of one.
    pub(crate) parallelism_range: (f64, f64),
    /// Whether the critical path of one of them was not measured.
    pub(crate) unknown: bool,
    /// Whether some of them are known through sums only.
    pub(crate) estimated: bool,
}

impl ChildSums {
    /// The all_children of all instances; that of an iteration is a part of its loop's.
    pub(crate) fn all(instances: &Instances) -> Vec<Self> {
        let mut all_children: Vec<Self> = Vec::with_capacity(instances.all.len());
        for one in &instances.all {
            let mut children = match one.part_of {
                Some((whole, part)) => all_children[whole].part(part),
                None => Self::default(),
            };
            for (index, times) in one.children() {
                let child = &instances.all[index];
                let part = if child.kind == RegionKind::Iteration {
                    all_children[index]
                } else {
                    Self::of(child)
                };
                children.add(&part, times);
            }
            children.perfect = if one.stands_for == 1 {
                children.cp_max
            } else {
                perfect_of_several(one, instances)
            };
            all_children.push(children);
        }
        all_children
    }

    /// One child.
    fn of(child: &Distinct) -> Self {
        let number = child.stands_for.max(1);
        let (work, cp) = (child.work, child.cp.unwrap_or(child.work));
        // A child that does nothing has no parallelism to compare.
        let parallelism = if cp == 0 {
            1.0
        } else {
            work as f64 / cp as f64
        };
        let mean = work / number;
        // How much the work of a summary's instances differs is not known, that of their critical paths is: if they do,
        // it does.
        let uneven = child.cp_max as f64 * number as f64 / cp.max(1) as f64;
        Self {
            count: number,
            region: Some(child.region),
            work,
            cp,
            cp_max: if child.cp.is_some() {
                child.cp_max
            } else {
                cp.div_ceil(number)
            },
            perfect: 0,
            work_range: if number == 1 {
                (work, work)
            } else {
                (mean, (mean as f64 * uneven.max(1.0)) as u64)
            },
            parallelism_range: (parallelism, parallelism),
            unknown: child.cp.is_none(),
            estimated: child.stands_for > 1,
        }
    }

    /// A part of it, for a part of the instances.
    fn part(&self, part: f64) -> Self {
        let scaled = |sum: u64| (sum as f64 * part).round() as u64;
        Self {
            count: scaled(self.count).max(self.count.min(1)),
            work: scaled(self.work),
            cp: scaled(self.cp),
            ..*self
        }
    }

    fn add(&mut self, part: &Self, times: u64) {
        if part.count == 0 || times == 0 {
            return;
        }
        if self.count == 0 {
            *self = Self {
                count: 0,
                work: 0,
                cp: 0,
                ..*part
            };
        }
        let add = |sum: &mut u64, one: u64| *sum = sum.saturating_add(one.saturating_mul(times));
        add(&mut self.count, part.count);
        add(&mut self.work, part.work);
        add(&mut self.cp, part.cp);
        self.region = self.region.filter(|_| self.region == part.region);
        self.cp_max = self.cp_max.max(part.cp_max);
        self.work_range.0 = self.work_range.0.min(part.work_range.0);
        self.work_range.1 = self.work_range.1.max(part.work_range.1);
        let (least, most) = part.parallelism_range;
        self.parallelism_range.0 = self.parallelism_range.0.min(least);
        self.parallelism_range.1 = self.parallelism_range.1.max(most);
        self.unknown |= part.unknown;
        self.estimated |= part.estimated;
    }
}

/// The longest child's critical path in each of several instances, added up, from sums: a region of which each instance
/// has at least one counts with its mean.
fn perfect_of_several(one: &Distinct, instances: &Instances) -> u64 {
    let of_child = |child: &Distinct| {
        let rare = one.stands_for as f64 / child.stands_for.max(1) as f64;
        (child.cp.unwrap_or(child.work) as f64 * rare.min(1.0)) as u64
    };
    let mut most = 0;
    for (index, _) in one.children() {
        let child = &instances.all[index];
        if child.kind == RegionKind::Iteration {
            for (index, _) in child.children() {
                most = most.max(of_child(&instances.all[index]));
            }
        } else {
            most = most.max(of_child(child));
        }
    }
    most
}
