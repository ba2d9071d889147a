//! A construct that a thread is in: an element of its stack.

use std::ptr::null_mut;

use parascan_abi::omp::Record;

use super::State;
use super::team::Team;
use crate::family::Family;
use crate::tables::Construct;
use crate::task::Task;

/// A child entered last.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastChild {
    pub(super) node: u32,
    pub(super) construct: Construct,
    pub(super) record: *const Record,
    /// Its barrier is for lack of parallel work.
    pub(super) starved: bool,
}

pub(super) const NO_LINK: LastChild = LastChild {
    node: u32::MAX,
    construct: Construct::Program,
    record: std::ptr::null(),
    starved: false,
};

/// A construct that the thread is in.
#[derive(Clone, Copy, Debug)]
pub struct OpenConstruct {
    pub(super) record: *const Record,
    pub(super) node: u32,
    /// Its kind.
    pub construct: Construct,
    /// What the thread does when it leaves.
    pub(super) resume: State,
    /// Fewer sections than threads, and none for this one.
    pub starved: bool,
    /// It counts as work of one thread alone in the team.
    pub alone: bool,
    pub(super) previous: LastChild,
    /// The region's team, in frames of parallel regions and inherited by all inside.
    pub team: *mut Team,
    /// The task, in frames of explicit tasks.
    pub task: *mut Task,
    /// Tasks that are waited for: in frames of regions those of the implicit task, of taskgroups the group's, of
    /// taskwaits those that `depend` names. Null before there are any; of explicit tasks the task has it.
    pub(super) family: *mut Family,
    /// Tells visits apart.
    pub(super) visit: u64,
    /// Address of the construct.
    pub(super) address: u64,
}

pub(super) const NO_FRAME: OpenConstruct = OpenConstruct {
    record: std::ptr::null(),
    node: 0,
    construct: Construct::Program,
    resume: State::Work,
    starved: false,
    alone: false,
    previous: NO_LINK,
    team: null_mut(),
    task: null_mut(),
    family: null_mut(),
    visit: 0,
    address: 0,
};
