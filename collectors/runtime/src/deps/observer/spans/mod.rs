//! Shows that iterations of a loop do not meet by the span of addresses that each site accesses, without a mark for
//! every place.
//!
//! While one loop alone is observed, all that matters is whether its iterations meet. After a first part of an
//! instance, which is observed as everything is, sites that were seen to keep to themselves are looked at by their
//! span, from the lowest to the highest address:
//!
//! * [`SiteMode::Reads`]: it only reads, and no other site writes in its span. Where it lies in that of a group, what
//!   that writes is told apart by iterations;
//! * [`SiteMode::Group`]: sites with spans that overlap, one of which writes. Every iteration stays beyond all that
//!   earlier ones accessed, always above or always below, so that no two iterations meet;
//! * [`SiteMode::Cells`]: all others. Their accesses go to the cells, and their spans may meet no group's and, if they
//!   write, no reader's.
//!
//! All of that is tested again when the instance ends, for all of its accesses; an iteration that turns back is seen at
//! once. If it did not hold the instance is not counted, and the loop gets no spans any more ([`FLAG_MISSED`]: another
//! run without them tells all). So a loop of which this is said carries nothing between those sites. What is not known
//! then is assumed: that groups read what was there before, and that what they wrote is read after the loop. What their
//! readers read of earlier loops' values the cells still say.
//!
//! Cost: a comparison or two for an access, in memory that does not grow with what the program touches.

mod course;
mod ledger;
mod ways;

use parascan_abi::deps::{FLAG_MISSED, USE_EXPOSED, USE_WRITES};

use course::{AccessProgression, AddressRange, SiteMode, SiteSpan};
use ledger::Ledger;

use super::{Observer, Stamp};
use crate::deps::tables::{SITES, zeros};
use crate::sys::Errno;

/// Most sites of a loop that gets spans.
const MOST_SITES: usize = 96;
/// Groups of an instance.
const MOST_GROUPS: usize = 32;
/// Iterations with accesses of a site from which it is clear how it goes on, if the loop had as many.
const ENOUGH: u32 = 16;
/// The first part is so many times shorter in loops that had spans before.
const KNOWN: u64 = 512;
/// Addresses from here on are of memory.
const LOWEST: u64 = if cfg!(test) { 16 } else { 4096 };

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// No loop has spans.
    #[default]
    Off,
    /// All accesses go to the cells, too.
    Watch,
    /// So they do; what sites are meant to do is tried.
    Trial,
    /// Only those of some sites do.
    Lean,
}

/// The spans of one loop's open instance.
#[derive(Debug)]
pub(super) struct Spans {
    phase: Phase,
    /// Accesses of the first part; [`u64::MAX`]: there are no spans.
    part: u64,
    /// Index, region and begin of the loop.
    index: usize,
    region: u32,
    start: Stamp,
    /// Begin of the current iteration.
    iteration: Stamp,
    /// Accesses of all loops when the instance began.
    began: u64,
    /// Accesses of a phase, and those of all loops when it is to end.
    half: u64,
    until: u64,
    sites: *mut SiteSpan,
    list: [u32; MOST_SITES],
    count: usize,
    /// Sites that write.
    writers: u32,
    /// Whether earlier instances showed what its sites do.
    known: bool,
    /// Iterations that have ended.
    iterations: u32,
    groups: [AccessProgression; MOST_GROUPS],
    group_count: usize,
    #[cfg(test)]
    leans: u64,
    ledger: Ledger,
}

impl Spans {
    pub(super) fn new(part: u64) -> Result<Self, Errno> {
        Ok(Self {
            phase: Phase::Off,
            part,
            index: 0,
            region: 0,
            start: 0,
            iteration: 0,
            began: 0,
            half: 0,
            until: 0,
            sites: zeros(SITES)?,
            list: [0; MOST_SITES],
            count: 0,
            writers: 0,
            known: false,
            iterations: 0,
            groups: [AccessProgression::default(); MOST_GROUPS],
            group_count: 0,
            #[cfg(test)]
            leans: 0,
            ledger: Ledger::new()?,
        })
    }

    #[inline(always)]
    pub(super) fn is_off(&self) -> bool {
        self.phase == Phase::Off
    }

    #[inline(always)]
    pub(super) fn is_lean(&self) -> bool {
        self.phase == Phase::Lean
    }

    /// Whether they are those of the open loop with this index.
    #[inline(always)]
    pub(super) fn is_at(&self, index: usize) -> bool {
        self.index == index
    }

    /// Whether they are those of this region.
    pub(super) fn is_of(&self, region: u32) -> bool {
        !self.is_off() && self.region == region
    }

    /// Whether the cells need not know what a site does.
    pub(super) fn spare_cells(&self, site: u32) -> bool {
        // SAFETY: within the table.
        let span = unsafe { &*self.sites.add(site as usize & (SITES - 1)) };
        self.is_lean() && span.instance == self.start && span.way != SiteMode::Cells
    }

    #[inline(always)]
    fn site(&mut self, site: u32) -> &mut SiteSpan {
        // SAFETY: within the table; exclusive as `self` is.
        unsafe { &mut *self.sites.add(site as usize & (SITES - 1)) }
    }

    fn listed(&self, number: usize) -> (u32, SiteSpan) {
        let site = self.list[number];
        // SAFETY: within the table.
        (site, unsafe {
            *self.sites.add(site as usize & (SITES - 1))
        })
    }

    /// Widens a site's course by an access. False if it is one site too many.
    #[inline(always)]
    fn widen(
        &mut self,
        site: u32,
        places: AddressRange,
        range: Option<(u64, u64)>,
        writes: bool,
    ) -> bool {
        let (start, iteration) = (self.start, self.iteration);
        let span = self.site(site);
        if span.instance != start {
            *span = SiteSpan {
                instance: start,
                habit: span.habit,
                origin: places.first,
                course: AccessProgression {
                    up: true,
                    down: true,
                    ..AccessProgression::default()
                },
                ..SiteSpan::default()
            };
            if self.count == MOST_SITES {
                return false;
            }
            self.list[self.count] = site;
            self.count += 1;
        }
        let span = self.site(site);
        let first = writes && !span.writes;
        span.writes |= writes;
        let (step, len) = match range {
            None => (0, places.end - places.first),
            Some((step, len)) => (step, len),
        };
        span.align(places.first, step, len);
        // What happens in no iteration, or in all at once, and what is no memory.
        span.needs_cells |= iteration == start || places.first < LOWEST;
        self.writers += u32::from(first);
        self.with_course(site, |ledger, course| {
            ledger.follow(course, iteration, site, places, writes);
        });
        true
    }

    /// Whether a site that reads may have read where a site of a group wrote. Writes of the current iteration must have
    /// been kept.
    fn reads_written(&mut self, span: &SiteSpan) -> bool {
        let places = span.course.all;
        let group =
            |o: &SiteSpan| matches!(o.way, SiteMode::Group(_)) && o.course.all.meets(places);
        let near = (0..self.count).any(|n| group(&self.listed(n).1))
            || self.groups[..self.group_count]
                .iter()
                .any(|g| g.all.meets(places));
        if !near {
            return false;
        }
        let sites = self.sites;
        // SAFETY: within the table.
        let way = |site: u32| unsafe { (*sites.add(site as usize & (SITES - 1))).way };
        let mut all = self.ledger.entries().iter();
        let kept =
            all.any(|w| span.may_meet(w.places) && matches!(way(w.site), SiteMode::Group(_)));
        let lost = |c: &AccessProgression| c.lost && c.all.meets(places);
        let of = |(_, o): (u32, SiteSpan)| matches!(o.way, SiteMode::Group(_)) && lost(&o.course);
        let groups = &self.groups[..self.group_count];
        kept || groups.iter().any(lost) || (0..self.count).any(|n| of(self.listed(n)))
    }

    /// Has the ledger do something with the course of a site.
    #[inline(always)]
    fn with_course(&mut self, site: u32, call: impl FnOnce(&mut Ledger, &mut AccessProgression)) {
        // SAFETY: within the table, of which the ledger is no part; exclusive as `self` is.
        let span = unsafe { &mut *self.sites.add(site as usize & (SITES - 1)) };
        call(&mut self.ledger, &mut span.course);
    }

    /// Keeps what sites and groups wrote in the last iteration.
    fn keep_all(&mut self) {
        for number in 0..self.count {
            let site = self.list[number];
            self.with_course(site, |ledger, course| ledger.keep(course, site));
        }
        for number in 0..self.group_count {
            let member = self.member(number);
            self.ledger.keep(&mut self.groups[number], member);
        }
    }

    /// A site of a group.
    fn member(&self, group: usize) -> u32 {
        let mut all = (0..self.count).map(|n| self.listed(n));
        let of = |(_, span): &(u32, SiteSpan)| span.way == SiteMode::Group(group as u8);
        all.find(of).map_or(0, |(site, _)| site)
    }

    /// An access of a site of a group; false if it turns back.
    #[inline(always)]
    fn follow(&mut self, group: u8, site: u32, places: AddressRange, writes: bool) -> bool {
        let course = &mut self.groups[group as usize];
        self.ledger
            .follow(course, self.iteration, site, places, writes);
        course.up || course.down
    }
}

impl Observer {
    /// A loop in focus has begun, the innermost.
    pub(super) fn begin_spans(&mut self) {
        let index = self.depth - 1;
        let frame = *self.frame(index);
        let spans = &mut self.spans;
        if !spans.is_off() {
            // Of this one all is wanted, too.
            if spans.is_lean() {
                self.miss();
            } else {
                spans.phase = Phase::Off;
            }
            return;
        }
        let found = self.tables.region(frame.region);
        if spans.part == u64::MAX || self.live != 1 || found.missed {
            return;
        }
        let known = found.watched >= spans.part;
        let part = match known {
            true => spans.part / KNOWN,
            false => spans.part,
        };
        spans.known = known;
        spans.phase = Phase::Watch;
        (spans.index, spans.region) = (index, frame.region);
        (spans.start, spans.iteration) = (frame.start, frame.start);
        (spans.count, spans.group_count) = (0, 0);
        spans.ledger.clear();
        spans.writers = 0;
        spans.began = self.accesses;
        spans.half = part / 2;
        spans.until = self.accesses + spans.half;
    }

    /// The next iteration of the loop with spans has begun.
    pub(super) fn iterate_spans(&mut self) {
        let (number, iteration) = {
            let frame = self.frame(self.spans.index);
            (frame.number, frame.iteration)
        };
        self.spans.iteration = iteration;
        self.spans.iterations = number.saturating_sub(1);
        let few = if self.spans.known { 1 } else { 2 };
        if self.spans.is_lean() || self.spans.iterations < few || self.accesses < self.spans.until {
            return;
        }
        let region = self.spans.region;
        if self.spans.writers < self.tables.region(region).writers || self.spans.some_are_new() {
            // Wait for the others.
            self.spans.phase = Phase::Watch;
            self.spans.until = self.accesses + self.spans.half;
            return;
        }
        let lean = self.spans.phase == Phase::Trial;
        if !self.spans.classify() {
            self.spans.phase = Phase::Off;
            return;
        }
        self.spans.phase = if lean { Phase::Lean } else { Phase::Trial };
        self.spans.until = self.accesses + self.spans.half;
        if !lean {
            return;
        }
        for number in 0..self.spans.count {
            let (site, span) = self.spans.listed(number);
            let kept = self.spans.site(site);
            kept.habit = span.way;
            if !span.grained {
                // It is not kept from here on.
                kept.grain = 0;
            }
            match (span.way, span.writes) {
                (SiteMode::Group(_), true) => self.tables.assume_read(site, region),
                (SiteMode::Group(_), false) => self.tables.note(site, region, USE_EXPOSED),
                _ => {}
            }
        }
    }

    /// An access while a loop has spans; whether the cells need not know.
    #[inline(always)]
    pub(super) fn span(
        &mut self,
        address: u64,
        len: u64,
        range: Option<(u64, u64)>,
        site: u32,
        writes: bool,
    ) -> bool {
        if len == 0 {
            return true;
        }
        let places = AddressRange {
            first: address,
            end: address.saturating_add(len),
        };
        if self.spans.is_lean() {
            let start = self.spans.start;
            let span = self.spans.site(site);
            let (way, known) = (span.way, span.writes || !writes);
            if span.instance != start {
                // It is new.
            } else if way == SiteMode::Cells {
                if known && span.course.all.holds(places) {
                    return false;
                }
            } else if !known
                || self.is_variable(address)
                || !self.stays(site, way, places, range, writes)
            {
                self.miss();
                return false;
            } else {
                return true;
            }
        }
        self.watch(site, places, range, writes);
        false
    }

    /// An access that the cells need not know; false if it turns back.
    #[inline(always)]
    fn stays(
        &mut self,
        site: u32,
        way: SiteMode,
        places: AddressRange,
        range: Option<(u64, u64)>,
        writes: bool,
    ) -> bool {
        if let SiteMode::Group(group) = way {
            return self.spans.follow(group, site, places, writes);
        }
        let span = self.spans.site(site);
        if span.grained {
            let (step, len) = range.unwrap_or((0, places.end - places.first));
            span.align(places.first, step, len);
        }
        span.course.all.add(places);
        true
    }

    #[inline(never)]
    fn watch(&mut self, site: u32, places: AddressRange, range: Option<(u64, u64)>, writes: bool) {
        if !self.spans.widen(site, places, range, writes) {
            // There are too many sites.
            return self.end_spans(false);
        }
        let near = self.is_variable(places.first);
        let trial = self.spans.phase == Phase::Trial;
        let span = self.spans.site(site);
        span.needs_cells |= near;
        if let (true, SiteMode::Group(group)) = (trial, span.way)
            && !self.spans.follow(group, site, places, false)
        {
            for number in 0..self.spans.count {
                let (site, span) = self.spans.listed(number);
                if span.way == SiteMode::Group(group) {
                    self.spans.site(site).needs_cells = true;
                }
            }
        }
    }

    /// Instances that were lean to their end.
    #[cfg(test)]
    pub(in crate::deps) fn leans(&self) -> u64 {
        self.spans.leans
    }

    /// Whether a loop that has begun, the only one that is observed, may leave the cells alone where no iteration meets
    /// another.
    pub(super) fn is_known(&self, region: u32) -> bool {
        self.spans.is_of(region) && self.live == 1 && self.spans.known
    }

    /// All iterations of the loop that has just begun make these accesses, none of which meets another: they need no
    /// cells.
    pub(super) fn range_without_cells(
        &mut self,
        region: u32,
        site: u32,
        (first, end): (u64, u64),
        writes: bool,
    ) {
        self.accesses += 1;
        self.tables.runs(site);
        if writes {
            self.tables.note(site, region, USE_WRITES);
            self.tables.assume_read(site, region);
        } else {
            self.tables.note(site, region, USE_EXPOSED);
            self.read_values_of(AddressRange { first, end }, site);
        }
    }

    /// Whether an address lies in a variable of the loop with spans, or of one inside of it.
    #[inline(always)]
    pub(super) fn is_variable(&self, address: u64) -> bool {
        self.variables.is_near(address) && {
            let first = self.frame(self.spans.index).variables;
            self.variables.site(first..self.variables.count(), address) != 0
        }
    }

    /// A dependence that the loop carries was found, or a reduction: the cells must know all of it.
    #[inline(always)]
    pub(super) fn needs_cells(&mut self, site: u32) {
        if !self.spans.is_off() && self.spans.site(site).instance == self.spans.start {
            self.spans.site(site).needs_cells = true;
        }
    }

    /// The loop with spans ends, or gets none any more in this instance: `whole` says whether it may have been lean so
    /// far.
    pub(super) fn end_spans(&mut self, whole: bool) {
        let watched = self.accesses - self.spans.began;
        let found = self.tables.region(self.spans.region);
        found.writers = found.writers.max(self.spans.writers);
        found.watched += watched;
        if self.spans.is_lean() && !(whole && self.spans.holds()) {
            self.miss();
        } else if self.spans.is_lean() {
            #[cfg(test)]
            {
                self.spans.leans += 1;
            }
            self.read_before();
        }
        self.spans.phase = Phase::Off;
    }

    /// What the sites did without the cells was not what was thought.
    #[cold]
    fn miss(&mut self) {
        let region = self.spans.region;
        self.spans.phase = Phase::Off;
        self.flags |= FLAG_MISSED;
        let found = self.tables.region(region);
        found.missed = true;
        found.totals.instances -= 1;
    }

    /// What the sites without cells read may be what earlier loops wrote, if that matters to any.
    fn read_before(&mut self) {
        for number in 0..self.spans.count {
            let (site, span) = self.spans.listed(number);
            match span.way {
                SiteMode::Reads => self.read_values_of(span.course.all, site),
                SiteMode::Group(group) if !span.writes => {
                    self.read_values_of(self.spans.groups[group as usize].all, site);
                }
                _ => {}
            }
        }
    }

    /// What lies here will be gone; sites without cells may have read it.
    pub(super) fn forget_span(&mut self, address: u64, len: u64) {
        let gone = AddressRange {
            first: address,
            end: address.saturating_add(len),
        };
        for number in 0..self.spans.count {
            let (site, span) = self.spans.listed(number);
            let read = match span.way {
                SiteMode::Cells => continue,
                SiteMode::Reads => span.course.all,
                SiteMode::Group(group) => self.spans.groups[group as usize].all,
            };
            if read.meets(gone) {
                return self.read_values_of(gone, site);
            }
        }
    }

    fn read_values_of(&mut self, places: AddressRange, site: u32) {
        if self.tables.unread != 0 {
            self.read_values(places.first, places.end, site);
        }
    }
}
