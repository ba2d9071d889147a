//! Which sites do without cells, by what they did so far, and whether they did what was thought.

use super::course::{AccessProgression, SiteMode, SiteSpan};
use super::{ENOUGH, MOST_GROUPS, MOST_SITES, Spans};

impl Spans {
    /// What the sites are to do, by what they did so far; whether it is anything else than before.
    pub(super) fn classify(&mut self) -> bool {
        self.keep_all();
        self.group_count = 0;
        for number in 0..self.count {
            let (site, span) = self.listed(number);
            let course = span.course;
            let steady = self.is_settled(&span) && (course.up || course.down);
            self.site(site).way = match (span.needs_cells, span.writes) {
                (false, false) => SiteMode::Reads,
                // A group of its own.
                (false, true) if steady => SiteMode::Group(number as u8),
                _ => SiteMode::Cells,
            };
        }
        loop {
            self.unite();
            if !self.set_apart() {
                break;
            }
        }
        self.number_groups();
        for number in 0..self.count {
            let (site, mut span) = self.listed(number);
            let grain = core::mem::take(&mut span.grain);
            self.site(site).grained =
                span.way == SiteMode::Reads && grain != 0 && self.reads_written(&span);
        }
        (0..self.count).any(|n| self.listed(n).1.way != SiteMode::Cells)
    }

    /// Whether a site had accesses in so many iterations that the next ones will be like them.
    fn is_settled(&self, span: &SiteSpan) -> bool {
        let few = self.known && matches!(span.habit, SiteMode::Group(_));
        let enough = if few {
            1
        } else {
            ENOUGH.min(self.iterations).max(2)
        };
        span.course.iterations >= enough
    }

    /// Whether there is a site that writes, and whose further writes cannot be foreseen yet.
    pub(super) fn some_are_new(&self) -> bool {
        let new = |o: SiteSpan| o.writes && !o.needs_cells && !self.is_settled(&o);
        (0..self.count).any(|n| new(self.listed(n).1))
    }

    /// Puts sites whose spans overlap into the same group, if one of them writes and all go the same way.
    fn unite(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for a in 0..self.count {
                let (_, one) = self.listed(a);
                let SiteMode::Group(group) = one.way else {
                    continue;
                };
                for b in 0..self.count {
                    let (site, other) = self.listed(b);
                    let (x, y) = (one.course, other.course);
                    let along = self.is_settled(&other) && (x.up && y.up || x.down && y.down);
                    let joins = match other.way {
                        SiteMode::Group(g) => g > group,
                        SiteMode::Reads => along,
                        SiteMode::Cells => false,
                    };
                    if joins && x.all.meets(y.all) {
                        self.site(site).way = SiteMode::Group(group);
                        changed = true;
                    }
                }
            }
        }
    }

    /// Sends the accesses of sites to the cells that meet others in a way that they must not; whether there are any.
    fn set_apart(&mut self) -> bool {
        let mut found = false;
        for number in 0..self.count {
            let (site, span) = self.listed(number);
            let meets = match span.way {
                SiteMode::Cells => false,
                SiteMode::Reads => {
                    let writer = |(_, o): (u32, SiteSpan)| {
                        o.way == SiteMode::Cells && o.writes && o.course.all.meets(span.course.all)
                    };
                    (0..self.count).any(|n| writer(self.listed(n))) || self.reads_written(&span)
                }
                SiteMode::Group(group) => {
                    let of = |o: &SiteSpan| o.way == SiteMode::Group(group);
                    let all = (0..self.count).map(|n| self.listed(n).1);
                    let go = |way: fn(&AccessProgression) -> bool| {
                        all.clone().filter(of).all(|o| way(&o.course))
                    };
                    let alone = !(go(|c| c.up) || go(|c| c.down));
                    alone
                        || all.clone().any(|o| {
                            o.way == SiteMode::Cells && o.course.all.meets(span.course.all)
                        })
                }
            };
            if meets {
                self.site(site).way = SiteMode::Cells;
                found = true;
            }
        }
        found
    }

    /// Gives groups numbers from 0 on, and their course so far; what is too much goes to the cells.
    fn number_groups(&mut self) {
        let mut numbers = [u8::MAX; MOST_SITES];
        self.group_count = 0;
        for number in 0..self.count {
            let (site, span) = self.listed(number);
            let SiteMode::Group(old) = span.way else {
                continue;
            };
            if numbers[old as usize] == u8::MAX && self.group_count < MOST_GROUPS {
                numbers[old as usize] = self.group_count as u8;
                self.groups[self.group_count] = AccessProgression {
                    up: true,
                    down: true,
                    ..AccessProgression::default()
                };
                self.group_count += 1;
            }
            let new = numbers[old as usize];
            if new == u8::MAX {
                self.site(site).way = SiteMode::Cells;
                continue;
            }
            self.site(site).way = SiteMode::Group(new);
            let group = &mut self.groups[new as usize];
            group.all.add(span.course.all);
            group.before = group.all;
            group.lost |= span.course.lost;
            group.up &= span.course.up;
            group.down &= span.course.down;
        }
    }

    /// Whether all sites did what they were meant to.
    pub(super) fn holds(&mut self) -> bool {
        self.keep_all();
        let groups = self.groups;
        let groups = &groups[..self.group_count];
        let apart =
            |i: usize, g: &AccessProgression| groups[..i].iter().all(|o| !o.all.meets(g.all));
        if !groups.iter().enumerate().all(|(i, g)| apart(i, g)) {
            return false;
        }
        (0..self.count).all(|number| {
            let (_, span) = self.listed(number);
            let places = span.course.all;
            match span.way {
                SiteMode::Group(_) => true,
                SiteMode::Reads => !self.reads_written(&span),
                SiteMode::Cells => {
                    let reader = |(_, o): (u32, SiteSpan)| {
                        o.way == SiteMode::Reads && o.course.all.meets(places)
                    };
                    let read = span.writes && (0..self.count).any(|n| reader(self.listed(n)));
                    !read && groups.iter().all(|g| !g.all.meets(places))
                }
            }
        })
    }
}
