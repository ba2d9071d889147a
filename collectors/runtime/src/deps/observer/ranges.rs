//! Accesses of all iterations of a loop at once, where their addresses are known before and no iteration meets another
//! in them.
//!
//! Then it makes no difference which iteration an access is counted to. If the loop reports nothing else, all of it
//! happens at the stamp of its begin; else these accesses do, and what its iterations report lies elsewhere.

use parascan_abi::deps::{AccessRange, RANGE_UPDATES, RANGES_ALONE, RANGES_TAKEN};

use super::Observer;

/// Accesses of a range that count as one.
const RANGED: u64 = 16;

impl Observer {
    /// Accesses of a loop that has begun inside of `depth` others, of all its iterations together, in the order of the
    /// program. `alone`: it reports nothing else but its iterations. Bits `RANGES_*`: what need not be reported any
    /// more.
    pub(in crate::deps) fn ranges(
        &mut self,
        depth: usize,
        ranges: &[AccessRange],
        count: u64,
        alone: bool,
    ) -> u32 {
        if self.is_idle() {
            return RANGES_TAKEN | RANGES_ALONE;
        }
        if self.depth != depth + 1 {
            return 0;
        }
        let region = self.frame(depth).region;
        let live = self.frame(depth).live;
        let mut sure = ranges.iter().filter(|r| r.conditional == 0);
        if !live
            && count != 0
            && sure.all(|r| self.spans.spare_cells(r.site) && extent(r, count).is_some())
        {
            for range in ranges.iter().filter(|r| r.conditional == 0) {
                self.spanned(range, count);
            }
            return RANGES_TAKEN | RANGES_ALONE;
        }
        // They take as long as some of those that are reported one by one.
        self.accesses += (3 + count / RANGED) * ranges.len() as u64;
        // No more iterations are observed than are wanted, and no fewer.
        if live && alone && self.exceeds(region, count) {
            return 0;
        }
        // Conditional accesses would happen later than the others of their iteration, or all in one; whether several
        // iterations write matters.
        let late = |r: &AccessRange| live && r.conditional != 0 && (!alone || writes(r));
        if ranges.iter().any(late) || !apart(ranges, count, live) {
            return 0;
        }
        let plain = |r: &AccessRange| r.conditional == 0 && !self.is_variable(r.address);
        let cells = !(live && alone && self.is_known(region) && ranges.iter().all(plain));
        for range in ranges.iter().filter(|r| r.conditional == 0) {
            match extent(range, count) {
                Some(places) if !cells && count != 0 => {
                    self.range_without_cells(region, range.site, places, writes(range));
                }
                _ => self.range(range, count),
            }
            if live && count > 1 && writes(range) {
                self.note_again(range.site, depth);
            }
        }
        if live && !alone {
            return RANGES_TAKEN;
        }
        if live {
            self.passed += count;
            self.tables.region(region).totals.iterations += count;
        }
        RANGES_TAKEN | RANGES_ALONE
    }

    /// Whether so many iterations more are beyond what is observed of a loop.
    fn exceeds(&mut self, region: u32, count: u64) -> bool {
        let quota = self.limits.quota;
        let found = self.tables.region(region);
        !found.focus && found.totals.instances + found.totals.iterations + count > quota
    }

    /// Accesses in an inner loop of one with spans.
    fn spanned(&mut self, range: &AccessRange, count: u64) {
        let Some((first, end)) = extent(range, count) else {
            return;
        };
        self.accesses += 1;
        self.tables.runs(range.site);
        let step = Some((range.stride.unsigned_abs(), range.bytes.into()));
        if self.spans.is_off() || !self.span(first, end - first, step, range.site, writes(range)) {
            // What was thought of the loop is wrong: this instance does not count.
            self.range(range, count);
        } else if writes(range) {
            self.again(range.site);
        }
    }

    fn range(&mut self, range: &AccessRange, count: u64) {
        let AccessRange {
            address,
            stride,
            bytes,
            site,
            write,
            ..
        } = *range;
        if count == 0 {
            return;
        }
        let bytes = u64::from(bytes);
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

/// Lowest address, and end of the highest, in so many iterations.
fn extent(range: &AccessRange, count: u64) -> Option<(u64, u64)> {
    let steps = i64::try_from(count).ok()?.checked_sub(1)?;
    let stride = range.stride.checked_mul(steps)?;
    let last = range.address.checked_add_signed(stride)?;
    let end = range.address.max(last).checked_add(range.bytes.into())?;
    Some((range.address.min(last), end))
}

fn writes(range: &AccessRange) -> bool {
    !matches!(range.write, 0 | RANGE_UPDATES)
}

/// Whether these accesses may be looked at one after the other, each in all iterations: where one of two writes, they
/// meet only at the same element, or not at all, and a conditional one comes later. `live`: whether iterations meet
/// matters.
fn apart(ranges: &[AccessRange], count: u64, live: bool) -> bool {
    let end = |r: &AccessRange| extent(r, count);
    let step = |r: &AccessRange| r.stride.unsigned_abs();
    // Each iteration has an element of its own.
    let own = |r: &AccessRange| step(r) >= r.bytes.into() && step(r) != 0;
    let meet = |a: &AccessRange, b: &AccessRange| {
        let (Some(x), Some(y)) = (end(a), end(b)) else {
            return true;
        };
        if x.1 <= y.0 || y.1 <= x.0 {
            return false;
        }
        let same = (a.address, a.stride, a.bytes) == (b.address, b.stride, b.bytes);
        // Members of the elements of one array of structures.
        let beside = a.stride == b.stride && a.stride != 0 && {
            let gap = y.0.abs_diff(x.0) % step(a);
            let (first, second) = if x.0 <= y.0 { (a, b) } else { (b, a) };
            gap >= first.bytes.into() && gap + u64::from(second.bytes) <= step(a)
        };
        // In one place that all iterations access, an earlier one's write shows nothing new but that a sum is read.
        let summed = a.write.min(b.write) == 0 && a.write.max(b.write) > 1;
        let element = own(a) || !live && a.stride == 0 && !summed;
        !(same && element && (a.conditional == 0 || b.conditional != 0) || beside)
    };
    let fit = |r: &AccessRange| !live || !writes(r) || own(r) && r.write == 1;
    ranges.iter().all(|r| end(r).is_some() && fit(r))
        && ranges.iter().enumerate().all(|(i, b)| {
            let mut before = ranges[..i].iter();
            !before.any(|a| {
                let both = a.conditional != 0 && b.conditional != 0;
                (writes(a) || writes(b)) && (live || !both) && meet(a, b)
            })
        })
}
