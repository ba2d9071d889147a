//! Runs whose clocks were full: which part of them goes into a profile.

use parascan_abi::log as abi;

use super::{BuildError, covered};
use crate::log::RawLog;
use crate::profile::Caveat;

/// Leaves out of `logs`, which are in order of depth and not empty, those that cannot be put together with the others
/// because clocks were full: runs of different depths are measured up to different points then. Of what was left out,
/// or of the first run if that is it, a remark.
pub(super) fn leave_out(logs: &mut Vec<&RawLog>) -> Result<Option<Caveat>, BuildError> {
    let Some(number) = logs
        .iter()
        .position(|log| log.flags & abi::FLAG_OVERFLOW != 0)
    else {
        return Ok(None);
    };
    let full = logs[number];
    logs.truncate(number.max(1));
    let left_out = (number > 0).then(|| covered(logs));
    if left_out.is_none() && full.work == 0 {
        return Err(BuildError::Overflow);
    }
    Ok(Some(Caveat::ClocksFull {
        work: full.work,
        total: full.total,
        left_out,
    }))
}
