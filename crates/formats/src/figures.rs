//! How the figures of one region instance add up to those of a context: the formulas of `docs/semantics.md`, once.

use crate::profile::Context;

/// Figures of one region instance that has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstanceFigures {
    /// Work, children included.
    pub work: u64,
    /// Critical path, on its own clock.
    pub cp: u64,
    /// Sum of the direct children's work.
    pub child_work: u64,
    /// Sum of the direct children's critical paths.
    pub child_cp: u64,
    /// Largest of the direct children's critical paths; 0 without children.
    pub child_cp_max: u64,
    /// Number of direct children.
    pub children: u64,
}

impl InstanceFigures {
    /// Counts `times` equal children with these figures.
    pub fn add_children(&mut self, work: u64, cp: u64, times: u64) {
        self.child_work = self.child_work.saturating_add(work.saturating_mul(times));
        self.child_cp = self.child_cp.saturating_add(cp.saturating_mul(times));
        self.child_cp_max = self.child_cp_max.max(cp);
        self.children = self.children.saturating_add(times);
    }

    /// Work outside of the children.
    pub fn self_work(&self) -> u64 {
        self.work.saturating_sub(self.child_work)
    }

    /// Self-parallelism: `(sum of the children's critical paths + self-work) / critical path`; 1 for an instance
    /// without critical path or work.
    pub fn self_parallelism(&self) -> f64 {
        match self.paths() {
            Some(paths) => paths / self.cp as f64,
            None => 1.0,
        }
    }

    /// `work / self-parallelism`, computed as `work * cp / (children's critical paths + self-work)`, as the runtime
    /// does.
    pub fn parallel_time(&self) -> f64 {
        match self.paths() {
            Some(paths) => self.work as f64 * self.cp as f64 / paths,
            None => self.work as f64,
        }
    }

    /// Time of an instance whose children each keep their own parallelism but run one after the other; None where that
    /// or the critical path is 0.
    fn paths(&self) -> Option<f64> {
        let paths = self.child_cp.saturating_add(self.self_work());
        (self.cp != 0 && paths != 0).then_some(paths as f64)
    }

    /// `cp - largest child's cp`: what iterations (or other children) waited for each other. The whole critical path
    /// when there are no children.
    pub fn gap(&self) -> u64 {
        self.cp.saturating_sub(self.child_cp_max)
    }
}

impl Context {
    /// Adds `times` equal instances. Sums saturate; a profile whose sums do not fit is refused when written.
    pub fn add(&mut self, one: &InstanceFigures, times: u64) {
        if times == 0 {
            return;
        }
        let add =
            |sum: &mut u64, value: u64| *sum = sum.saturating_add(value.saturating_mul(times));
        self.children_min = if self.instances == 0 {
            one.children
        } else {
            self.children_min.min(one.children)
        };
        self.children_max = self.children_max.max(one.children);
        add(&mut self.instances, 1);
        add(&mut self.work, one.work);
        add(&mut self.cp, one.cp);
        self.cp_max = self.cp_max.max(one.cp);
        add(&mut self.child_work, one.child_work);
        add(&mut self.child_cp, one.child_cp);
        add(&mut self.children, one.children);
        add(&mut self.gap, one.gap());
        self.gap_max = self.gap_max.max(one.gap());
        if one.children >= 2 {
            add(&mut self.multi, 1);
            if one.cp == one.child_cp_max {
                add(&mut self.multi_flat, 1);
            }
        }
        self.parallel_time += one.parallel_time() * times as f64;
    }

    /// Adds what another run saw of the same context.
    pub(crate) fn absorb(&mut self, other: &Self) {
        if other.instances == 0 {
            return;
        }
        if self.instances == 0 {
            *self = Self {
                parent: self.parent,
                region: self.region,
                depth: self.depth,
                ..other.clone()
            };
            return;
        }
        self.children_min = self.children_min.min(other.children_min);
        self.children_max = self.children_max.max(other.children_max);
        self.cp_max = self.cp_max.max(other.cp_max);
        self.gap_max = self.gap_max.max(other.gap_max);
        for (sum, more) in [
            (&mut self.instances, other.instances),
            (&mut self.work, other.work),
            (&mut self.cp, other.cp),
            (&mut self.child_work, other.child_work),
            (&mut self.child_cp, other.child_cp),
            (&mut self.children, other.children),
            (&mut self.gap, other.gap),
            (&mut self.multi, other.multi),
            (&mut self.multi_flat, other.multi_flat),
        ] {
            *sum = sum.saturating_add(more);
        }
        self.parallel_time += other.parallel_time;
        self.carried = self
            .carried
            .zip(other.carried)
            .map(|(a, b)| a.saturating_add(b));
        self.tracked &= other.tracked;
        self.children_tracked &= other.children_tracked;
        self.forget_untracked();
    }

    /// Clears what is unknown, because its depth or the one below was not tracked.
    pub(crate) fn forget_untracked(&mut self) {
        if !self.tracked {
            self.children_tracked = false;
            (self.cp, self.cp_max) = (0, 0);
        }
        if !self.children_tracked {
            (self.child_cp, self.gap, self.gap_max, self.multi_flat) = (0, 0, 0, 0);
            self.parallel_time = 0.0;
            self.carried = None;
        }
    }
}

/// Fills in entry 0, the program, from its top-level regions: one instance whose critical path is the sum of theirs.
pub(crate) fn close_root(contexts: &mut [Context], work: u64, top_level_cp_max: u64) {
    let mut one = InstanceFigures {
        work,
        child_cp_max: top_level_cp_max,
        ..InstanceFigures::default()
    };
    for top in contexts.iter().skip(1).filter(|c| c.parent == 0) {
        one.child_work = one.child_work.saturating_add(top.work);
        one.child_cp = one.child_cp.saturating_add(top.cp);
        one.children = one.children.saturating_add(top.instances);
    }
    one.cp = one.child_cp;
    let tracked = contexts
        .iter()
        .skip(1)
        .filter(|c| c.parent == 0)
        .all(|c| c.tracked);
    let root = &mut contexts[0];
    *root = Context {
        region: u32::MAX,
        tracked,
        children_tracked: tracked,
        ..Context::default()
    };
    root.add(&one, 1);
    root.forget_untracked();
}

/// Puts contexts into the profile's order: depth first, siblings in the order in which they stand. `contexts[0]` is
/// the root and parents come before their children.
pub(crate) fn depth_first(contexts: &[Context]) -> Vec<Context> {
    let mut children = vec![Vec::new(); contexts.len()];
    for (index, context) in contexts.iter().enumerate().skip(1) {
        children[context.parent as usize].push(index);
    }
    let mut place = vec![0; contexts.len()];
    let mut ordered = Vec::with_capacity(contexts.len());
    let mut stack = vec![0];
    while let Some(index) = stack.pop() {
        place[index] = ordered.len() as u32;
        let mut context = contexts[index].clone();
        context.parent = place[context.parent as usize];
        ordered.push(context);
        stack.extend(children[index].iter().rev());
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last bit counts: merged runs and closed regions must agree with the runtime.
    #[test]
    fn parallel_time_is_rounded_as_in_the_runtime() {
        let one = InstanceFigures {
            work: 6,
            cp: 3,
            child_work: 4,
            child_cp: 3,
            child_cp_max: 3,
            children: 1,
        };
        assert_eq!(one.parallel_time(), 6.0 * 3.0 / 5.0);
        assert_ne!(one.parallel_time(), 6.0 / (5.0 / 3.0));
        assert_eq!(one.self_parallelism(), 5.0 / 3.0);
        let mut context = Context::default();
        context.add(&one, 3);
        assert_eq!(context.parallel_time, 6.0 * 3.0 / 5.0 * 3.0);
        assert_eq!(
            (
                context.instances,
                context.work,
                context.child_cp,
                context.multi
            ),
            (3, 18, 9, 0)
        );
        context.add(&one, 0);
        assert_eq!(context.instances, 3);
    }

    /// Nothing to do takes no time and has no parallelism to speak of.
    #[test]
    fn empty_instances_are_serial() {
        let idle = InstanceFigures {
            children: 2,
            ..InstanceFigures::default()
        };
        assert_eq!(
            (idle.self_parallelism(), idle.parallel_time(), idle.gap()),
            (1.0, 0.0, 0)
        );
        let unclocked = InstanceFigures {
            work: 5,
            ..InstanceFigures::default()
        };
        assert_eq!(
            (unclocked.self_parallelism(), unclocked.parallel_time()),
            (1.0, 5.0)
        );
    }
}
