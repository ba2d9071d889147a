//! Explicit tasks: their creation, and their execution by whatever thread.

use parascan_abi::omp::EXECUTIONS;

use super::frame::{NO_FRAME, OpenConstruct};
use super::{DEPTH, State, ThreadTracker, add};
use crate::tables::{ChildKey, Construct, Detail};
use crate::task::Task;

impl ThreadTracker {
    /// The creation of an explicit task begins.
    pub fn begin_making_task(&mut self, now: u64) {
        self.charge(now);
        if self.making_task.is_none() {
            self.making_task = Some(self.state);
            self.state = State::Tasking;
        }
    }

    /// The creation of a task ends at `now`, in ticks, if it was begun.
    pub fn end_making_task(&mut self, now: u64) {
        if let Some(before) = self.making_task.take() {
            self.charge(now);
            self.state = before;
        }
    }

    /// An explicit task is made at `address`; `dependent` where others may wait for it or it for others.
    pub fn make_task(&mut self, now: u64, address: u64, dependent: bool) -> *mut Task {
        let families = self.families();
        Task::make(&mut self.free_tasks, (now, address), dependent, families)
    }

    /// The runtime forgets a task.
    ///
    /// # Safety
    /// The task came from [`ThreadTracker::make_task`] of any thread and nobody uses it any more.
    pub unsafe fn free_task(&mut self, task: *mut Task) {
        // SAFETY: the caller's.
        unsafe { Task::free(task, &mut self.free_tasks, &mut self.free_families) };
    }

    /// A task starts or goes on.
    ///
    /// # Safety
    /// `task` is valid.
    pub unsafe fn start_task(&mut self, now: u64, task: *mut Task) {
        if let Some(depth) = (1..=self.depth)
            .rev()
            .find(|&d| self.frames[d].construct == Construct::Task && self.frames[d].task == task)
        {
            self.leave_to(now, depth);
            return;
        }
        self.end_making_task(now);
        self.forget_look();
        // SAFETY: the caller's.
        let task_ref = unsafe { &mut *task };
        if self.state.waits_for_tasks() {
            // Between the moment the task was ready and now the thread was fetching it, and not waiting.
            let since = self.since;
            let (ready, behind) = task_ref.ready();
            let ready = ready.clamp(since, now);
            self.charge(ready);
            self.obtain_task(since, ready, behind);
            let waiting = self.state;
            self.state = State::Tasking;
            let late = self.charge_wait(now, ready);
            self.fall_behind(self.delays.behind + late);
            self.state = waiting;
        } else {
            self.charge(now);
        }
        let region = (0..=self.depth)
            .rev()
            .find(|&d| {
                d == 0
                    || matches!(
                        self.frames[d].construct,
                        Construct::Parallel | Construct::Teams
                    )
            })
            .unwrap_or(0);
        let region = self.frames[region];
        let key = ChildKey {
            construct: Construct::Task,
            address: task_ref.address,
        };
        let child = if self.depth + 1 == DEPTH || self.beyond > 0 {
            None
        } else {
            self.child(region.node, key, Detail::None)
        };
        let Some((record, node)) = child else {
            self.beyond += 1;
            return;
        };
        self.count_up();
        if !std::mem::replace(&mut task_ref.started, true) {
            add(&record.figures[EXECUTIONS], 1);
            self.precede(record, node, region.node);
        }
        self.push(OpenConstruct {
            record,
            node,
            construct: Construct::Task,
            resume: self.state,
            team: region.team,
            task,
            address: key.address,
            ..NO_FRAME
        });
        self.state = State::Work;
    }

    /// Leaves the frame of a task, and everything inside.
    pub fn leave_task(&mut self, now: u64, task: *mut Task) {
        let found = (1..=self.depth)
            .rev()
            .find(|&d| self.frames[d].construct == Construct::Task && self.frames[d].task == task);
        match found {
            Some(depth) => {
                self.leave_to(now, depth - 1);
                if matches!(
                    self.state,
                    State::Barrier | State::ImplicitBarrier | State::Serial
                ) {
                    self.arrive_again(now);
                }
                self.await_tasks(now);
            }
            None => self.beyond = self.beyond.saturating_sub(1),
        }
    }
}
