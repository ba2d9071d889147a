//! The stack of open loops, and what an access means for them.
//!
//! A loop whose quota is used up, or of which something did not fit, is *closed*: its iterations are no boundaries any
//! more, and nothing is counted of it. For the loops around it and in it that changes nothing.
//!
//! While all open loops are closed, and every value that others wrote was seen read after them or belongs to none of
//! them, no access can show anything: the observer is *idle*, and accesses need not be reported. What is written then
//! keeps an older mark, which says the same to every loop that begins later: it was written before.
//!
//! A [`Stamp`] counts boundaries: begin of a loop, begin of an iteration, end of a loop, and updates of what is
//! reduced. The open loops' instances began at growing stamps, and so did their current iterations: an earlier access
//! at stamp `t` is *carried* by the one loop with `start <= t < iteration`, lies before the loops with `t < start`, and
//! in the current iteration of those with `iteration <= t`.

mod accesses;
mod moves;
mod ranges;
mod spans;

use parascan_abi::deps::{ENV_EVIDENCE, FAR, FLAG_LIMIT};
use parascan_abi::shadow::ADDRESS_MASK;

use super::cell::{SiteStamp, Stamp};
use super::cells::Cells;
use super::lost::LostReads;
use super::output;
use super::tables::{ObservedTables, hash, zeros};
use super::variables::{LoopVariable, Variables};
use crate::init::variable;
use crate::sys::{self, Errno};
use spans::Spans;

/// Most loops that are open at once; deeper ones are not told apart from the one around them.
const DEPTH: usize = 1 << 12;
/// Iterations of an open loop whose stamps are known.
const RING: usize = FAR as usize + 1;

/// The last stamp at which something may begin.
const LAST: Stamp = Stamp::MAX - 2 * DEPTH as Stamp;

/// Iterations that are observed of a loop, unless they have this many times more accesses than are wanted: then a
/// second one is.
const FEWEST: u64 = 8;
const MANY: u64 = 2;

/// Begins of loops and iterations after which the clock is looked at.
const LOOK_AT_CLOCK: u64 = 1 << 14;

/// Numbers of [`ObservedTables::known`].
const READ: usize = 0;
const WRITE: usize = 1;

/// An open loop.
#[derive(Clone, Copy, Debug, Default)]
struct OpenLoop {
    region: u32,
    /// Begin of the instance.
    start: Stamp,
    /// Begin of the current iteration; equal to `start` before the first.
    iteration: Stamp,
    /// Number of the current iteration, from 1; 0 before the first.
    number: u32,
    /// Identifies the chain of open loops up to this one.
    chain: u32,
    /// The loop is not closed.
    live: bool,
    /// [`Observer::accesses`] at its last boundary.
    since: u64,
    /// Number of its first variable.
    variables: usize,
}

/// How much is observed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Begins of loops and iterations, of all loops together, after which observation ends.
    pub(super) all: u64,
    /// Those that are observed of each loop that is not in focus.
    pub(super) quota: u64,
    /// Accesses in a loop that is not in focus after which no more is observed of it.
    pub(super) accesses: u64,
    /// Those of an instance of one in focus after which sites may be looked at by their spans; [`u64::MAX`]: never.
    pub(super) spans: u64,
}

/// Everything that is known of one process.
#[derive(Debug)]
pub(super) struct Observer {
    pub(super) cells: Cells,
    pub(super) tables: ObservedTables,
    lost: LostReads,
    frames: *mut OpenLoop,
    /// Stamps of each open loop's last iterations, by number modulo [`RING`].
    rings: *mut [Stamp; RING],
    depth: usize,
    variables: Variables,
    spans: Spans,
    pub(super) now: Stamp,
    /// End of the loop that ended last.
    last_end: Stamp,
    limits: Limits,
    /// Begins of loops and iterations so far.
    pub(super) passed: u64,
    /// How many there will have been when the clock is looked at.
    clock_at: u64,
    /// When what was seen is to be written, in seconds of the clock, and when observation began.
    write_at: u64,
    began: u64,
    /// Accesses so far.
    accesses: u64,
    /// How many there will have been when open loops are looked at again for those that had too many.
    look: u64,
    /// Open loops that are not closed.
    pub(super) live: usize,
    pub(super) flags: u32,
}

/// Where an earlier access lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AccessOrder {
    /// Index of the loop that carries it.
    carrier: Option<usize>,
    /// Loops from this index on began after it.
    before: usize,
}

impl Observer {
    /// Nothing is open yet.
    pub(super) fn new(cells: Cells, limits: Limits) -> Result<Self, Errno> {
        Ok(Self {
            cells,
            tables: ObservedTables::new()?,
            lost: LostReads::new()?,
            frames: zeros(DEPTH)?,
            rings: zeros(DEPTH)?,
            depth: 0,
            variables: Variables::new()?,
            spans: Spans::new(limits.spans)?,
            now: 1,
            last_end: 0,
            limits,
            passed: 0,
            clock_at: LOOK_AT_CLOCK,
            write_at: sys::seconds() + 2,
            began: sys::seconds(),
            accesses: 0,
            look: limits.accesses,
            live: 0,
            flags: 0,
        })
    }

    /// Whether no access can show anything until the next loop begins.
    #[inline(always)]
    pub(super) fn is_idle(&self) -> bool {
        self.live == 0 && self.tables.unread == 0
    }

    /// Number of open loops.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    #[inline(always)]
    fn frame(&self, index: usize) -> &OpenLoop {
        // SAFETY: frames up to DEPTH lie in the mapping, which belongs to this observer.
        unsafe { &*self.frames.add(index) }
    }

    #[inline(always)]
    fn frame_mut(&mut self, index: usize) -> &mut OpenLoop {
        // SAFETY: as for `frame`.
        unsafe { &mut *self.frames.add(index) }
    }

    /// Passes the begin of a loop or an iteration; whether observation goes on.
    #[inline(always)]
    fn pass(&mut self) -> bool {
        self.passed += 1;
        self.accesses += 1;
        if self.accesses >= self.look {
            self.close_long();
        }
        if self.passed >= self.clock_at {
            self.look_at_clock();
        }
        // Every open loop's end takes another stamp.
        if self.passed < self.limits.all && self.now < LAST {
            return true;
        }
        self.flags |= FLAG_LIMIT;
        false
    }

    /// Has what was seen so far written whenever the run has become twice as long.
    #[cold]
    fn look_at_clock(&mut self) {
        self.clock_at = self.passed + LOOK_AT_CLOCK;
        let now = sys::seconds();
        if now >= self.write_at {
            self.leave_a_part();
            self.write_at = now + (now - self.began);
        }
    }

    /// Leaves what was seen so far, as a part of the run: the program may be killed.
    #[cold]
    fn leave_a_part(&mut self) {
        let Some(path) = variable(ENV_EVIDENCE) else {
            return;
        };
        self.cells.go_into_copies(false);
        sys::in_a_copy(|| {
            self.unwind_without_cells();
            self.flags |= FLAG_LIMIT;
            let _ = self.save(path);
        });
        self.cells.go_into_copies(true);
    }

    /// Writes what was seen to a file, which takes the place of one that is there. Nothing more is to be observed then.
    pub(super) fn save(&mut self, path: &[u8]) -> Result<(), Errno> {
        output::write(path, &mut self.tables, self.flags, self.passed)
    }

    /// Whether one more instance or iteration of a loop is observed, which had so many more accesses; a loop that has
    /// used up its quota is closed.
    #[inline(always)]
    fn admit(&mut self, region: u32, accesses: u64) -> bool {
        let limits = self.limits;
        let found = self.tables.region(region);
        let totals = found.totals;
        if totals.closed != 0 {
            return false;
        }
        found.accesses += accesses;
        let enough = totals.instances + totals.iterations >= limits.quota
            || found.accesses >= limits.accesses && totals.iterations >= FEWEST;
        if !enough || found.focus {
            return true;
        }
        self.close_region(region);
        false
    }

    /// Closes loops not in focus of which a second iteration has come, and far more accesses than are wanted, and waits
    /// no more for what reads the values of such loops that have ended.
    #[cold]
    fn close_long(&mut self) {
        let enough = self.limits.accesses;
        self.look = self.accesses.saturating_add(enough);
        // SAFETY: frames up to DEPTH lie in the mapping, and nobody else uses them.
        let open = unsafe { core::slice::from_raw_parts(self.frames, self.depth) };
        self.tables
            .wait_no_more(|region| open.iter().any(|f| f.live && f.region == region));
        for index in 0..self.depth {
            let OpenLoop {
                region,
                live,
                since,
                ..
            } = *self.frame(index);
            let spent = self.accesses - since;
            let found = self.tables.region(region);
            let many = (found.accesses + spent) / MANY >= enough;
            if live && !found.focus && found.totals.iterations >= 2 && many {
                self.close(index);
            }
        }
    }

    /// Closes the loop with this index in the middle of an iteration, which was not observed as a whole and does not
    /// count.
    #[cold]
    fn close(&mut self, index: usize) {
        let region = self.frame(index).region;
        for open in 0..self.depth {
            let frame = *self.frame(open);
            if frame.region == region && frame.live && frame.number > 0 {
                self.tables.region(region).totals.iterations -= 1;
            }
        }
        self.close_region(region);
    }

    #[cold]
    fn close_region(&mut self, region: u32) {
        if self.spans.is_of(region) {
            self.end_spans(false);
        }
        self.tables.close(region);
        for index in 0..self.depth {
            let frame = self.frame_mut(index);
            if frame.region == region && core::mem::take(&mut frame.live) {
                self.live -= 1;
            }
        }
    }

    /// Whether nothing is observed of the loop with this index.
    #[inline(always)]
    fn is_closed(&self, index: usize) -> bool {
        !self.frame(index).live
    }

    /// Ends loops that are still open beyond `depth`: control left them in some other way.
    #[inline(always)]
    pub(super) fn unwind(&mut self, depth: usize) {
        while self.depth > depth {
            self.end();
        }
    }

    /// Ends all loops in a copy of the process that has no cells. Which values of theirs were not read yet is not told.
    pub(super) fn unwind_without_cells(&mut self) {
        self.variables.forget();
        self.tables.unread = 0;
        self.unwind(0);
    }

    fn end(&mut self) {
        self.depth -= 1;
        let OpenLoop {
            region,
            live,
            since,
            start,
            variables,
            ..
        } = *self.frame(self.depth);
        while let Some(variable) = self.variables.pop(variables) {
            if live {
                self.leave(variable, start);
            }
        }
        if !live {
            return;
        }
        if !self.spans.is_off() && self.spans.is_at(self.depth) {
            self.end_spans(true);
        }
        self.live -= 1;
        self.now += 1;
        self.last_end = self.now;
        let (spent, now) = (self.accesses - since, self.now);
        let found = self.tables.region(region);
        found.end = now;
        found.accesses += spent;
    }

    /// A loop begins inside of `depth` others. False: the limit was reached.
    pub(super) fn enter(&mut self, depth: usize, region: u32) -> bool {
        self.unwind(depth);
        if self.depth + 1 >= DEPTH || depth != self.depth {
            self.tables.full = true;
            return true;
        }
        let go_on = self.pass();
        let (chain, around) = match self.depth {
            0 => (1, 0),
            d => {
                let outer = self.frame(d - 1);
                (outer.chain, outer.iteration)
            }
        };
        let lean = self.spans.is_lean() && !self.tables.region(region).focus;
        let live = !lean && self.admit(region, 0);
        let start = if live {
            self.now += 1;
            self.tables.region(region).totals.instances += 1;
            self.live += 1;
            self.now
        } else {
            // As if it were not there.
            around
        };
        *self.frame_mut(self.depth) = OpenLoop {
            region,
            start,
            iteration: start,
            number: 0,
            chain: hash(&[chain, region]),
            live,
            since: self.accesses,
            variables: self.variables.count(),
        };
        self.depth += 1;
        if live && self.tables.region(region).focus {
            self.begin_spans();
        }
        go_on
    }

    /// The loop that has just begun may give each thread a variable of its own in place of the one that lies here.
    pub(super) fn variable(&mut self, address: u64, len: u64, site: u32) {
        let Some(innermost) = self.depth.checked_sub(1) else {
            return;
        };
        if !self.frame(innermost).live {
            return;
        }
        let start = address & ADDRESS_MASK;
        let variable = LoopVariable {
            start,
            end: start + len,
            site,
        };
        if !self.variables.push(variable) {
            self.close(innermost);
        }
    }

    /// A loop that began at `start` leaves what it wrote to a variable of its own: whoever reads that from now on reads
    /// the variable.
    fn leave(&mut self, variable: LoopVariable, start: Stamp) {
        let LoopVariable {
            start: first,
            end,
            site,
        } = variable;
        let this = core::ptr::from_mut(self);
        self.variables.leave(variable);
        self.cells
            .visit_pages(first, end - first, false, |cell, _| {
                let write = cell.write;
                if write.stamp() >= start && write.site() != site {
                    // SAFETY: what is used of the observer here is not its cells, which `visit_pages` uses meanwhile.
                    let tables = unsafe { &mut (*this).tables };
                    tables.link(site, write.site());
                    let reduced = tables.site(write.site()).reduced;
                    if reduced != 0 {
                        tables.site(site).reduced = reduced;
                    }
                    cell.write = SiteStamp::new(write.stamp(), site);
                }
            });
    }

    /// A function that is not observed got this address: it may have read all of the variable there that loops have
    /// left.
    pub(super) fn shown(&mut self, address: u64, site: u32) {
        let at = address & ADDRESS_MASK;
        let Some(end) = self.variables.end_of_left(at) else {
            return;
        };
        self.read_values(at, end, site);
    }

    /// A site reads what a write left.
    #[inline(always)]
    fn note_value_read(&mut self, write: SiteStamp, site: u32) {
        // Only a loop that ended since then can have been left with the value.
        if !write.is_none() && write.stamp() < self.last_end {
            self.tables
                .note_live(write.site(), write.stamp(), self.last_end, site);
        }
    }

    /// The same for whatever wrote to these addresses; the cells stay as they are.
    fn read_values(&mut self, first: u64, end: u64, site: u32) {
        let this = core::ptr::from_mut(self);
        self.cells
            .visit_pages(first, end - first, false, |cell, _| {
                // SAFETY: what is used of the observer here is not its cells, which `visit_pages` uses meanwhile.
                unsafe { (*this).note_value_read(cell.write, site) };
            });
    }

    /// Site of the variable of the loop with this index in which an address lies, or 0.
    #[inline(always)]
    fn variable_at(&self, index: usize, address: u64) -> u32 {
        if !self.variables.is_near(address) {
            return 0;
        }
        let to = match index + 1 {
            next if next < self.depth => self.frame(next).variables,
            _ => self.variables.count(),
        };
        self.variables
            .site(self.frame(index).variables..to, address)
    }

    /// Notes how open loops from `first` on use their variables.
    #[inline(always)]
    fn note_variable(&mut self, address: u64, first: usize, flags: u32) {
        if self.variables.is_near(address) {
            self.note_variables(address, first, flags);
        }
    }

    #[inline(never)]
    fn note_variables(&mut self, address: u64, first: usize, flags: u32) {
        for index in first..self.depth {
            let site = self.variable_at(index, address);
            if site != 0 && !self.is_closed(index) {
                let region = self.frame(index).region;
                self.tables.note(site, region, flags);
            }
        }
    }

    /// The next iteration begins of the loop inside of `depth` others. False: the limit was reached.
    pub(super) fn iterate(&mut self, depth: usize) -> bool {
        self.unwind(depth + 1);
        if self.depth != depth + 1 {
            return true;
        }
        let go_on = self.pass();
        let accesses = self.accesses;
        let OpenLoop {
            region,
            since,
            live,
            ..
        } = *self.frame(depth);
        if !live || !self.admit(region, accesses - since) {
            return go_on;
        }
        self.now += 1;
        let now = self.now;
        let frame = self.frame_mut(depth);
        frame.since = accesses;
        frame.iteration = now;
        frame.number = frame.number.saturating_add(1);
        let number = frame.number;
        // SAFETY: there is a ring for each frame.
        unsafe { (*self.rings.add(depth))[number as usize % RING] = now };
        self.tables.region(region).totals.iterations += 1;
        if !self.spans.is_off() && self.spans.is_at(depth) {
            self.iterate_spans();
        }
        go_on
    }

    /// Where an access at stamp `t` lies.
    #[inline(always)]
    fn place(&self, t: Stamp) -> AccessOrder {
        for index in 0..self.depth {
            let frame = self.frame(index);
            if t < frame.start {
                return AccessOrder {
                    carrier: None,
                    before: index,
                };
            }
            if t < frame.iteration {
                return AccessOrder {
                    carrier: Some(index),
                    before: index + 1,
                };
            }
        }
        AccessOrder {
            carrier: None,
            before: self.depth,
        }
    }

    /// Iterations between an access at stamp `t`, in an earlier iteration of the loop `index`, and now. `guess`: what
    /// it may be.
    #[inline(always)]
    fn distance(&self, index: usize, t: Stamp, guess: u32) -> u32 {
        let number = self.frame(index).number;
        // SAFETY: there is a ring for each frame.
        let ring = unsafe { &*self.rings.add(index) };
        let began = |distance: u32| ring[(number - distance) as usize % RING];
        let known = guess != 0 && guess < number.min(FAR);
        if known && began(guess) <= t && began(guess - 1) > t {
            return guess;
        }
        if guess == FAR && number >= FAR && began(FAR - 1) > t {
            return FAR;
        }
        Self::search(ring, number, t)
    }

    /// Whether two stamps lie in the same iteration of the loop `index`, an earlier one; of those far back this is not
    /// known.
    #[inline(never)]
    fn is_same_iteration(&self, index: usize, a: Stamp, b: Stamp) -> bool {
        let distance = self.distance(index, a, 0);
        distance < FAR && distance == self.distance(index, b, distance)
    }

    /// As [`Self::distance`], without a guess.
    #[inline(never)]
    fn search(ring: &[Stamp; RING], number: u32, t: Stamp) -> u32 {
        // The latest iteration that began at `t` or before, among those whose begin is known.
        let (mut near, mut far) = (1, number.min(FAR));
        while near < far {
            let middle = near.midpoint(far);
            if ring[(number - middle) as usize % RING] <= t && number > middle {
                far = middle;
            } else {
                near = middle + 1;
            }
        }
        near
    }

    /// Counts a dependence that the loop `index` carries.
    #[inline(always)]
    fn carried(&mut self, index: usize, kind: u32, source: SiteStamp, sink: u32, address: u64) {
        if self.is_closed(index) {
            return;
        }
        let frame = *self.frame(index);
        let sites = (source.site(), sink);
        self.needs_cells(sites.0);
        self.needs_cells(sites.1);
        let variable = self.variable_at(index, address);
        if let Some(pair) = self
            .tables
            .pair(frame.region, kind, sites, variable, address)
        {
            let last = self.tables.last_distance(pair);
            // Of a reduction that goes on and on distances say nothing new.
            let reduces = |site| self.tables.site_of(site).reduced != 0;
            let settled = self.tables.is_frequent(pair) && reduces(sites.0) && reduces(sites.1);
            let distance = match settled {
                true => last,
                false => self.distance(index, source.stamp(), last),
            };
            let iteration = (frame.iteration, frame.number.saturating_sub(1));
            self.tables.count(pair, distance, iteration, frame.start);
        }
    }

    /// Chain of the open loops.
    #[inline(always)]
    fn chain(&self) -> u32 {
        match self.depth {
            0 => 0,
            d => self.frame(d - 1).chain,
        }
    }

    /// Notes for the open loops from `first` on how `site` uses them, unless the last note of the site was the same.
    #[inline(always)]
    fn note(&mut self, site: u32, first: usize, flags: u32) {
        if first >= self.depth {
            return;
        }
        // As good as a hash: the chain is one.
        let seen = self.chain() ^ (first as u32).wrapping_mul(0x9e37_79b9) ^ flags.rotate_right(8);
        if self.tables.site(site).seen == seen {
            return;
        }
        self.tables.site(site).seen = seen;
        self.note_all(site, first, flags);
    }

    #[inline(never)]
    fn note_all(&mut self, site: u32, first: usize, flags: u32) {
        for index in first..self.depth {
            if !self.is_closed(index) {
                let region = self.frame(index).region;
                self.tables.note(site, region, flags);
            }
        }
    }
}
