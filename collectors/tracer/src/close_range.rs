//! `close_range` up to the largest number there is: DynamoRIO looks at every number of the range, one by one.
//!
//! That takes minutes with the end that `closefrom` gives (2^31), and never ends with 2^32 - 1 (`SYS_close_range` in
//! DynamoRIO's `os.c`). No file has a number beyond the process's table of files.

use core::ffi::c_int;

use crate::arguments::Changed;
use crate::dr::{self, DrContext};
use crate::sys;

/// The call's number.
const CLOSE_RANGE: c_int = 436;
/// What Linux allows unless the administrator allows more (`fs.nr_open`), for where the table is not known.
const USUAL: u64 = 1 << 20;

/// Shortens the range of a call that is about to be made.
///
/// # Safety
/// In the event before a system call.
pub unsafe fn before(context: DrContext, number: c_int) -> Option<Changed> {
    if number != CLOSE_RANGE {
        return None;
    }
    let end = sys::file_table().unwrap_or(USUAL);
    // SAFETY: arguments may be asked for and changed here.
    unsafe {
        let [first, last] = [0, 1].map(|place| dr::dr_syscall_get_param(context, place) as u32);
        // A range that is empty is an error, and stays one.
        let shorter = u64::from(last) > end && u64::from(first) <= end;
        shorter.then(|| Changed::new(context, number, 1, end))
    }
}
