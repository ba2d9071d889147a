//! Accesses of all iterations of a loop at once, where nobody asks for the iterations.

use parascan_abi::deps::{RANGE_UPDATES, Range};

use super::Observer;

impl Observer {
    /// Accesses of a loop that has begun inside of `depth` others, all of its iterations together, in the order of the program. False:
    /// they have to be reported one by one, because the loop is not closed, or because they may meet in other ways than element by
    /// element.
    pub(in crate::deps) fn ranges(&mut self, depth: usize, ranges: &[Range], count: u64) -> bool {
        if self.is_idle() {
            return true;
        }
        if self.depth != depth + 1 || self.frame(depth).live || !apart(ranges, count) {
            return false;
        }
        for range in ranges {
            self.range(range, count);
        }
        true
    }

    fn range(&mut self, range: &Range, count: u64) {
        let Range {
            address,
            stride,
            bytes,
            site,
            write,
        } = *range;
        if count == 0 {
            return;
        }
        let mut access = |at: u64, len: u64| match write {
            0 => self.read(at, len, site),
            RANGE_UPDATES => self.update(at, len, site),
            1 => self.write(at, len, site),
            _ => self.reduce(at, len, site, write - 1),
        };
        if stride.unsigned_abs() == bytes {
            let last = address.wrapping_add_signed(stride * (count as i64 - 1));
            access(address.min(last), bytes * count);
        } else if stride == 0 {
            access(address, bytes);
        } else {
            (0..count as i64).for_each(|k| access(address.wrapping_add_signed(stride * k), bytes));
        }
    }
}

/// Whether writes among these accesses meet others of them only in the same iteration and at the same element, or not at all: then
/// their order by element is that of the program, whichever iterations come first.
fn apart(ranges: &[Range], count: u64) -> bool {
    let end = |r: &Range| {
        let steps = i64::try_from(count).ok()?.checked_sub(1)?;
        let last = r.address.checked_add_signed(r.stride.checked_mul(steps)?)?;
        Some((
            r.address.min(last),
            r.address.max(last).checked_add(r.bytes)?,
        ))
    };
    let meet = |a: &Range, b: &Range| {
        let (Some(x), Some(y)) = (end(a), end(b)) else {
            return true;
        };
        if x.1 <= y.0 || y.1 <= x.0 {
            return false;
        }
        let same = (a.address, a.stride, a.bytes) == (b.address, b.stride, b.bytes);
        let steps = a.stride == 0 || a.stride.unsigned_abs() >= a.bytes;
        // Members of the elements of one array of structures.
        let stride = a.stride.unsigned_abs();
        let beside = a.stride == b.stride && stride != 0 && {
            let gap = y.0.abs_diff(x.0) % stride;
            let (first, second) = if x.0 <= y.0 { (a, b) } else { (b, a) };
            gap >= first.bytes && gap + second.bytes <= stride
        };
        !(same && steps || beside)
    };
    let writes = |r: &Range| !matches!(r.write, 0 | RANGE_UPDATES);
    let known = ranges.iter().all(|r| end(r).is_some());
    known
        && ranges.iter().enumerate().all(|(i, a)| {
            let mut others = ranges[..i].iter();
            !others.any(|b| (writes(a) || writes(b)) && meet(a, b))
        })
}
