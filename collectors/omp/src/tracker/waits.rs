//! Waits for tasks, followed to the threads that executed them: how far a thread is behind when a taskwait or taskgroup
//! is over, or when a task came late because its creator had no processor.
//!
//! As a barrier opens with the last thread, a taskwait is over with the last child of the task, and a taskgroup with
//! the last task made in it, wherever these ran; and as for a barrier, it would have been over with the last of the
//! moments at which they would have ended (`super::delays`). A thread that waits, and gets a task when another thread
//! made it, is as far behind as that thread was, like one that gets a mutex.

use std::ptr::null_mut;

use super::{State, Tracker};
use crate::family::Family;
use crate::tables::Construct;
use crate::task::Task;

/// Where the tasks that a wait is for are kept.
#[derive(Clone, Copy, Debug)]
enum Waited {
    Children,
    Group,
}

impl Tracker {
    /// How far behind the thread is, and the families of a task that it makes now: its parent's children, and the
    /// innermost taskgroup.
    pub fn families(&mut self) -> (u64, [*mut Family; 2]) {
        let behind = self.delays.behind;
        if self.beyond > 0 {
            return (behind, [null_mut(); 2]);
        }
        let own = self.implicit_or_explicit();
        let task = self.frames[self.depth].task;
        let group = (own + 1..=self.depth)
            .rev()
            .find(|&d| self.frames[d].construct == Construct::TaskGroup);
        let pool = &mut self.free_families;
        let made = |place: &mut *mut Family, pool: &mut *mut Family| {
            if place.is_null() {
                *place = Family::make(pool);
            }
            *place
        };
        // SAFETY: a task that is executed is not freed.
        let children = match unsafe { task.as_mut() } {
            Some(task) => made(&mut task.children, pool),
            None => made(&mut self.frames[own].family, pool),
        };
        let group = match group {
            Some(depth) => made(&mut self.frames[depth].family, pool),
            // The group that the executing task is of is waited for by others.
            // SAFETY: as above.
            None => unsafe { task.as_ref() }.map_or(null_mut(), |task| task.of[1]),
        };
        let all = [children, group];
        for family in all {
            // SAFETY: somebody around knows it.
            if let Some(family) = unsafe { family.as_ref() } {
                family.join();
            }
        }
        (behind, all)
    }

    /// Where the stack of the executing task begins.
    fn implicit_or_explicit(&self) -> usize {
        let begins = |&depth: &usize| {
            matches!(
                self.frames[depth].construct,
                Construct::Parallel | Construct::Teams | Construct::Task
            )
        };
        (1..=self.depth).rev().find(begins).unwrap_or(0)
    }

    fn family(&self, waited: Waited) -> Option<&'static Family> {
        if self.beyond > 0 {
            return None;
        }
        let own = self.implicit_or_explicit();
        let task = self.frames[self.depth].task;
        let family = match waited {
            Waited::Children => {
                // SAFETY: a task that is executed is not freed.
                let task = unsafe { task.as_ref() };
                task.map_or(self.frames[own].family, |task| task.children)
            }
            Waited::Group => {
                let group = (own + 1..=self.depth)
                    .rev()
                    .find(|&d| self.frames[d].construct == Construct::TaskGroup);
                group.map_or(null_mut(), |depth| self.frames[depth].family)
            }
        };
        // SAFETY: families are never freed.
        unsafe { family.as_ref() }
    }

    /// What the thread waits for in the innermost construct, if that is for tasks.
    fn waited(&self) -> Option<Waited> {
        match (self.state, self.frames[self.depth].construct) {
            (State::TaskWait, Construct::TaskWait) => Some(Waited::Children),
            (State::TaskWait, Construct::TaskGroup) => Some(Waited::Group),
            _ => None,
        }
    }

    /// The thread begins to wait for tasks, or has ended one meanwhile.
    pub fn await_tasks(&self, now: u64) {
        if let Some(family) = self.waited().and_then(|waited| self.family(waited)) {
            family.arrive(now, now.saturating_sub(self.delays.behind));
        }
    }

    /// The wait is over.
    pub fn end_await(&mut self, now: u64) {
        let Some(family) = self.waited().and_then(|waited| self.family(waited)) else {
            return;
        };
        let (over, expected) = family.over();
        self.depart_at(now, over, expected);
    }

    /// A task that the thread executes ends.
    ///
    /// # Safety
    /// The task is valid.
    pub unsafe fn end_task(&self, now: u64, task: *mut Task) {
        // SAFETY: the caller's.
        for family in unsafe { (*task).of } {
            // SAFETY: the task knows it.
            if let Some(family) = unsafe { family.as_ref() } {
                family.arrive(now, now.saturating_sub(self.delays.behind));
            }
        }
    }

    /// The thread gets a task in a wait that it began at `since`: where it had to wait for the task's creation, it is
    /// as far behind as the creator was, at most by that wait further than before.
    pub fn obtain_task(&mut self, since: u64, created: u64, creator: u64) {
        let before = self.delays.behind;
        if created > since && creator > before {
            self.fall_behind(creator.min(before + (created - since)));
        }
    }
}
