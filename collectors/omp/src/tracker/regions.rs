//! Parallel regions: how their leader begins and ends them, and how workers come and go.

use std::ptr::null_mut;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use parascan_abi::omp::EXECUTIONS;

use super::frame::{LastChild, NO_FRAME, OpenConstruct};
use super::team::Team;
use super::{State, ThreadTracker, add};
use crate::tables::{ChildKey, Construct, Detail};

const CLOSING: *mut Team = std::ptr::dangling_mut::<Team>();

impl ThreadTracker {
    /// A parallel region begins; the thread is its leader.
    pub fn begin_region(&mut self, now: u64, key: ChildKey, detail: Detail) -> *mut Team {
        let construct = key.construct;
        let outer = &self.frames[self.depth];
        let (parent, visit) = (outer.node, outer.visit);
        self.enter_as(now, key, detail, State::Fork);
        let team = if self.free_teams.is_null() {
            Team::new()
        } else {
            self.free_teams
        };
        // SAFETY: teams are never freed, and one from the pool belongs to this thread.
        let team_ref = unsafe {
            self.free_teams = (*team).next_free;
            (*team).next_free = null_mut();
            &*team
        };
        team_ref.reset();
        team_ref.begin.store(now, Relaxed);
        team_ref.behind.store(self.delays.behind, Relaxed);
        team_ref.outer_barriers.store(self.delays.barriers, Relaxed);
        self.delays.barriers = 0;
        team_ref.parent.store(parent, Relaxed);
        team_ref.visit.store(visit, Relaxed);
        team_ref.address.store(key.address, Relaxed);
        let outlined = match detail {
            Detail::Outlined(function) => function,
            Detail::None | Detail::Name(_) => 0,
        };
        team_ref.outlined.store(outlined, Relaxed);
        team_ref.teams.store(construct as u32, Relaxed);
        if self.beyond == 0 {
            // Where the construct came without one, an address was found for it.
            let address = self.frames[self.depth].address;
            team_ref.address.store(address, Relaxed);
            self.frames[self.depth].team = team;
            self.frames[self.depth].task = null_mut();
        }
        team
    }

    /// Whether a function is the body of the region that the thread is in, as its compiler made it.
    pub fn is_body(&self, function: u64) -> bool {
        let frame = &self.frames[self.depth];
        self.beyond == 0
            && matches!(frame.construct, Construct::Parallel | Construct::Teams)
            // SAFETY: teams are never freed.
            && unsafe { frame.team.as_ref() }
                .is_some_and(|team| team.outlined.load(Relaxed) == function)
    }

    /// The region ends: what is still open in it is left, and the workers' stays are ended.
    pub fn end_region(&mut self, now: u64, team: *mut Team, joined: u64) {
        // SAFETY: teams are never freed.
        let Some(team_ref) = (unsafe { team.as_ref() }) else {
            return;
        };
        let mut member = team_ref.members.load(Acquire);
        // SAFETY: trackers are never freed.
        while let Some(worker) = unsafe { member.as_ref() } {
            let next = worker.next_member.load(Relaxed);
            let claimed = worker
                .open_team
                .compare_exchange(team, CLOSING, AcqRel, Relaxed)
                .is_ok();
            if claimed {
                // SAFETY: the worker waits in the region's last barrier and has no events until the next region, where
                // it first waits until it is parked.
                unsafe { &mut *member }.park(now, joined, self.delays.behind);
            }
            member = next;
        }
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if let Some(depth) = (1..=self.depth).rev().find(|&d| {
            let frame = &self.frames[d];
            frame.team == team && matches!(frame.construct, Construct::Parallel | Construct::Teams)
        }) {
            self.leave_to(now, depth - 1);
        }
        self.look(now);
        self.forget_look();
        self.delays.barriers = team_ref.outer_barriers.load(Relaxed);
        // SAFETY: nobody uses the team any more, and it goes to this thread's pool.
        unsafe { (*team).next_free = self.free_teams };
        self.free_teams = team;
    }

    /// Ends a worker's stay in a region: it waited until `joined`, for threads that were `behind` then; from then to
    /// `now` the region was ended.
    fn park(&mut self, now: u64, joined: u64, behind: u64) {
        let joined = joined.clamp(self.since.min(now), now);
        self.accounted = true;
        self.charge(joined);
        self.count_up_from_outside();
        self.beyond = 0;
        if self.depth > 0 {
            self.leave_to(joined, 1);
            self.fall_behind(behind);
            self.state = State::Join;
            self.charge(now);
            self.leave(now);
        }
        self.accounted = false;
        self.state = State::Work;
        self.open_team.store(null_mut(), Release);
    }

    /// A worker's events of a region that it should have left: true when there is nothing left to do.
    pub fn parked(&self) -> bool {
        loop {
            let team = self.open_team.load(Acquire);
            if team == CLOSING {
                std::hint::spin_loop();
                continue;
            }
            return team.is_null();
        }
    }

    /// The thread leaves its region before its leader ended it (its own event came first).
    pub fn leave_region(&mut self, now: u64) {
        let team = self.open_team.load(Acquire);
        let mine = !team.is_null()
            && team != CLOSING
            && self
                .open_team
                .compare_exchange(team, CLOSING, AcqRel, Relaxed)
                .is_ok();
        if mine {
            // SAFETY: teams are never freed.
            let (opened, expected) = unsafe { &*team }.opened(self.delays.barriers);
            self.park(now, now, opened - expected);
        } else {
            self.parked();
        }
    }

    /// A worker begins its implicit task at `now`, in ticks.
    pub fn join_region(&mut self, now: u64, team: *mut Team, index: u32) {
        if !self.parked() {
            self.leave_region(now);
        }
        // SAFETY: teams are never freed.
        let Some(team_ref) = (unsafe { team.as_ref() }) else {
            return;
        };
        let parent = team_ref.parent.load(Relaxed);
        let visit = team_ref.visit.load(Relaxed);
        let construct = if team_ref.teams.load(Relaxed) == Construct::Teams as u32 {
            Construct::Teams
        } else {
            Construct::Parallel
        };
        let key = ChildKey {
            construct,
            address: team_ref.address.load(Relaxed),
        };
        self.forget_look();
        self.index = index;
        self.beyond = 0;
        self.depth = 0;
        self.since = team_ref.begin.load(Relaxed).max(self.since).min(now);
        self.delays.behind = team_ref.behind.load(Relaxed);
        self.delays.barriers = 0;
        let Some((record, node)) = self.child(parent, key, Detail::None) else {
            self.since = now;
            return;
        };
        let link = LastChild {
            node,
            construct,
            record,
            starved: false,
        };
        let before = match self.below.insert(parent, (visit, link)) {
            Some((same, last)) if same == visit => last.node,
            _ => parent,
        };
        add(&record.figures[EXECUTIONS], 1);
        self.precede(record, node, before);
        self.push(OpenConstruct {
            record,
            node,
            construct,
            team,
            address: key.address,
            ..NO_FRAME
        });
        self.state = State::Fork;
        self.become_state(now, State::Work);
        self.count_from_here();
        team_ref.join(self);
        self.open_team.store(team, Release);
    }

    /// Waits at the end of the region, whatever was still open in it.
    pub fn wait_at_end(&mut self, now: u64) {
        if let Some(depth) =
            self.find(|f| matches!(f.construct, Construct::Parallel | Construct::Teams))
        {
            self.leave_to(now, depth);
        }
        self.become_state(now, State::ImplicitBarrier);
        if self.index > 0 {
            // Its leader ends the stay, who cannot read all of its counters.
            self.count_up();
        }
        self.arrive(now);
        if !self.look(now) {
            self.forget_look();
        }
    }
}
