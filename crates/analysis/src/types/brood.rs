//! The children of an instance as p-ray counts them: loops and functions; those of an iteration are its loop's.

use parascan_formats::module::RegionKind;

use crate::tree::{Distinct, Instances};

/// What the scan needs to know about all children of an instance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Brood {
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
    /// Least and most work of one.
    pub(crate) work_range: (u64, u64),
    /// Least and most total parallelism of one.
    pub(crate) parallelism_range: (f64, f64),
    /// Whether the critical path of one of them was not measured.
    pub(crate) unknown: bool,
}

impl Brood {
    /// The broods of all instances; that of an iteration is a part of its loop's.
    pub(crate) fn all(instances: &Instances) -> Vec<Self> {
        let mut broods: Vec<Self> = Vec::with_capacity(instances.all.len());
        for one in &instances.all {
            let mut brood = Self::default();
            for (index, times) in one.children() {
                let child = &instances.all[index];
                let part = if child.kind == RegionKind::Iteration {
                    broods[index]
                } else {
                    Self::of(child)
                };
                brood.add(&part, times);
            }
            broods.push(brood);
        }
        broods
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
        Self {
            count: number,
            region: Some(child.region),
            work,
            cp,
            cp_max: cp.div_ceil(number),
            work_range: (work / number, work.div_ceil(number)),
            parallelism_range: (parallelism, parallelism),
            unknown: child.cp.is_none(),
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
    }
}
