//! Waits for tasks, followed to the threads that executed them: how far a thread is behind when a taskwait or taskgroup
//! is over, or when a task came late because its creator had no processor.
//!
//! As a barrier opens with the last thread, a taskwait is over with the last child of the task, and a taskgroup with
//! the last task made in it, wherever these ran; and as for a barrier, it would have been over with the last of the
//! moments at which they would have ended (`super::delays`); `taskwait depend` is over with the last of those that it
//! names. A thread that waits, and gets a task when that gets ready, is as far behind as the task was then, like one
//! that gets a mutex.

use std::ptr::null_mut;
use std::sync::atomic::AtomicPtr;

use super::{State, ThreadTracker};
use crate::family::Family;
use crate::tables::Construct;
use crate::task::{self, Task};

/// Where the tasks that a wait is for are kept.
#[derive(Clone, Copy, Debug)]
enum WaitedTasks {
    Children,
    Group,
    /// Those that `taskwait depend` names.
    Named,
}

impl ThreadTracker {
    /// How far behind the thread is, and the families of a task that it makes now: its parent's children, and the
    /// innermost taskgroup.
    pub(super) fn families(&mut self) -> (u64, [*mut Family; 2]) {
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

    fn family(&self, waited: WaitedTasks) -> Option<&'static Family> {
        if self.beyond > 0 {
            return None;
        }
        let own = self.implicit_or_explicit();
        let task = self.frames[self.depth].task;
        let family = match waited {
            WaitedTasks::Children => {
                // SAFETY: a task that is executed is not freed.
                let task = unsafe { task.as_ref() };
                task.map_or(self.frames[own].family, |task| task.children)
            }
            WaitedTasks::Group => {
                let group = (own + 1..=self.depth)
                    .rev()
                    .find(|&d| self.frames[d].construct == Construct::TaskGroup);
                group.map_or(null_mut(), |depth| self.frames[depth].family)
            }
            WaitedTasks::Named => self.frames[self.depth].family,
        };
        // SAFETY: families are never freed.
        unsafe { family.as_ref() }
    }

    /// What the thread waits for in the innermost construct, if that is for tasks.
    fn waited(&self) -> Option<WaitedTasks> {
        match (self.state, self.frames[self.depth].construct) {
            (State::TaskWait, Construct::TaskWait) => {
                let named = !self.frames[self.depth].family.is_null();
                Some(if named {
                    WaitedTasks::Named
                } else {
                    WaitedTasks::Children
                })
            }
            (State::TaskWait, Construct::TaskGroup) => Some(WaitedTasks::Group),
            _ => None,
        }
    }

    /// The thread begins to wait for the tasks that `taskwait depend` names, or that a task which it executes at once
    /// depends on.
    pub fn begin_wait_for_named(&mut self, now: u64, address: u64) {
        self.enter(now, Construct::TaskWait, address, State::TaskWait);
        if self.beyond == 0 {
            self.frames[self.depth].family = Family::make(&mut self.free_families);
        }
        self.await_tasks(now);
    }

    /// The wait for the named tasks is over, at `now` in ticks.
    pub fn end_wait_for_named(&mut self, now: u64) {
        self.end_await(now);
        self.leave_kind(now, Construct::TaskWait);
    }

    /// A task has to wait for the one of a word of the runtime's. The runtime has no word for the wait of `taskwait
    /// depend`, whose links follow its begin at once.
    ///
    /// # Safety
    /// `before` is such a word; `after` is null or valid, and is being made by this thread.
    pub unsafe fn link(&mut self, before: &AtomicPtr<Task>, after: *mut Task) {
        // SAFETY: the caller's.
        let place = match unsafe { after.as_mut() } {
            Some(after) => &mut after.before,
            None => {
                let top = &mut self.frames[self.depth];
                let waits = top.construct == Construct::TaskWait && !top.family.is_null();
                if self.beyond > 0 || !waits {
                    return;
                }
                &mut top.family
            }
        };
        // SAFETY: the caller's; the place is the thread's own.
        unsafe { task::link(before, place, &mut self.free_families) };
    }

    /// The thread begins to wait for tasks, or has ended one meanwhile.
    pub fn await_tasks(&self, now: u64) {
        if let Some(family) = self.waited().and_then(|waited| self.family(waited)) {
            family.arrive(now, now.saturating_sub(self.delays.behind));
        }
    }

    /// The wait for tasks is over, at `now` in ticks.
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

    /// The thread gets a task in a wait that it began at `since`: where it had to wait for the task to be `ready`, it
    /// is as far behind as the task was, at most by that wait further than before.
    pub fn obtain_task(&mut self, since: u64, ready: u64, behind: u64) {
        let before = self.delays.behind;
        if ready > since && behind > before {
            self.fall_behind(behind.min(before + (ready - since)));
        }
    }
}
