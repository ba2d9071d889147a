//! When bursts are wanted, as `record` asks for it in the environment, and how native code is paced between them.

use crate::sys;

/// Most lengths of a schedule.
const LENGTHS: usize = 8;
/// A first burst as long as clocks allow.
const ENDLESS: &str = "exact";

/// When to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Schedule {
    pub(crate) seed: u64,
    /// Share of the work, in a thousand: at least 1.
    pub(crate) share: u64,
    /// The same of what bursts may be prolonged by.
    pub(crate) longer: u64,
    /// Length of the first burst; 0: the longest of the others; the largest where a time is given, or no length at all.
    first: u64,
    /// Its length in milliseconds of processor time; 0: none.
    milliseconds: u64,
    /// Milliseconds of processor time after which no burst begins.
    until: u64,
    /// Lengths of bursts, at least 1 each; what is 0 is none.
    pub(crate) lengths: [u64; LENGTHS],
}

impl Schedule {
    /// From the text of `PARASCAN_BURSTS`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let number = |word: &str| word.parse::<u64>().ok();
        let mut words = text.split(':');
        let (seed, share, longer) = (
            number(words.next()?)?,
            number(words.next()?)?,
            number(words.next()?)?,
        );
        let time = |word: &str| number(word.strip_suffix("ms")?).filter(|&time| time > 0);
        let word = words.next()?;
        let (first, until) = match word.split_once("..") {
            Some((first, until)) => (first, time(until)?),
            None => (word, u64::MAX),
        };
        let (first, milliseconds) = match number(first) {
            Some(units) => (units, 0),
            None if first == ENDLESS => (u64::MAX, 0),
            None => (u64::MAX, time(first)?),
        };
        let mut lengths = [0; LENGTHS];
        let mut count = 0;
        for word in words {
            *lengths.get_mut(count)? = number(word).filter(|&length| length > 0)?;
            count += 1;
        }
        let valid = (1..=1000).contains(&share) && longer <= 1000 && count > 0;
        valid.then_some(Self {
            seed,
            share,
            longer,
            first,
            milliseconds,
            until,
            lengths,
        })
    }
}

impl Schedule {
    /// Whether the first burst has a length of its own, and so a beginning.
    pub(crate) fn has_beginning(&self) -> bool {
        self.first > 0
    }

    /// Work and processor time in milliseconds after which the beginning is over.
    pub(crate) fn beginning(&self) -> (u64, u64) {
        let milliseconds = match self.milliseconds {
            0 => u64::MAX,
            some => some - some / 10,
        };
        let milliseconds = milliseconds.min(self.until);
        (self.first - self.first / 10, milliseconds)
    }

    /// Whether the beginning is as long as clocks allow, whatever time and memory that takes.
    pub(crate) fn is_endless(&self) -> bool {
        self.first == u64::MAX && self.milliseconds == 0
    }

    /// Whether bursts follow one another without native code between, as far as clocks allow.
    pub(crate) fn is_continuous(&self) -> bool {
        self.share == 1000
    }

    /// Whether the time has not passed yet for which the beginning is wanted.
    pub(crate) fn is_early(&self) -> bool {
        self.milliseconds > 0 && sys::thread_milliseconds() < self.beginning().1
    }

    /// Whether no burst begins any more, after what the thread has taken.
    pub(crate) fn is_over(&self) -> bool {
        self.until < u64::MAX && sys::thread_milliseconds() >= self.until
    }

    /// The longest length up to this one, or the shortest.
    pub(crate) fn longest_within(&self, most: u64) -> u64 {
        let lengths = self.lengths.iter().copied().filter(|&length| length > 0);
        let within = lengths.clone().filter(|&length| length <= most).max();
        within.or(lengths.min()).unwrap_or(1)
    }

    pub(crate) fn longest(&self) -> u64 {
        self.lengths.iter().copied().fold(1, u64::max)
    }

    /// How often a length is chosen.
    pub(crate) fn weight(&self, length: u64) -> u64 {
        self.longest().checked_div(length).unwrap_or(0)
    }

    /// Mean length of a burst.
    pub(crate) fn mean(&self) -> u64 {
        let lengths = self.lengths.iter().filter(|&&length| length > 0);
        let all = self.longest().saturating_mul(lengths.count() as u64);
        all / self.weights()
    }

    pub(crate) fn weights(&self) -> u64 {
        let weights = self.lengths.iter().map(|&length| self.weight(length));
        weights.sum::<u64>().max(1)
    }
}

/// What code that can be switched does next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NextMode {
    /// Functions run their tracked versions.
    Tracked,
    /// They run their native versions for so many checks.
    Native(i64),
}

/// When native code is interrupted, in cycles of the processor's clock.
#[derive(Clone, Copy, Default)]
pub(crate) struct InterruptPace {
    /// When the burst began.
    pub(crate) begun: u64,
    /// When it ended, or native code was last looked at.
    pub(crate) ended: u64,
    /// How many bursts there were that native code has asked for, and what all took.
    pub(crate) all: u64,
    pub(crate) spent: u64,
    /// What those took, and their work, that tell what others will take: the first, until there is another one. (It
    /// began with the program: its memory was new, as was its input.)
    pub(crate) cost: u64,
    pub(crate) units: u64,
    /// What those took that came after the first, but for what they were prolonged by, and how many there were.
    pub(crate) later: u64,
    pub(crate) bursts: u64,
    /// What tracked code took behind the ends of bursts, up to the places where native code went on, with bursts that
    /// began there.
    pub(crate) tails: u64,
    /// What bursts took that were for new loops.
    pub(crate) glances: u64,
    /// Cycles and checks in native code.
    pub(crate) cycles: u64,
    pub(crate) checks: u64,
    /// Cycles until the next burst, from `ended` on, and checks that were given.
    pub(crate) gap: u64,
    pub(crate) given: u64,
    /// What was left of the gap where the burst that goes on began before a loop that was likely to take longer.
    pub(crate) early: u64,
    /// Checks that the loop counts for before which native code asked last, 0 if it was elsewhere.
    pub(crate) ahead: u64,
    /// Cycles and checks of such loops.
    pub(crate) loop_cycles: u64,
    pub(crate) loop_checks: u64,
}

/// The processor's clock.
pub(crate) fn clock() -> u64 {
    // SAFETY: every x86-64 processor has it.
    unsafe { core::arch::x86_64::_rdtsc() }
}

impl InterruptPace {
    /// Counts a burst: one that native code has `asked` for, or one that began in the tail of such.
    pub(crate) fn count(&mut self, cost: u64, units: u64, asked: bool) {
        if self.all == 1 && asked {
            (self.cost, self.units) = (0, 0);
        }
        if asked {
            self.all += 1;
        } else {
            self.tails = self.tails.saturating_add(cost);
        }
        self.spent = self.spent.saturating_add(cost);
        self.cost = self.cost.saturating_add(cost);
        self.units = self.units.saturating_add(units);
    }

    /// Counts a burst for a new loop that ends `now`: it says little of what others take, and the next one is due when
    /// it was to be.
    pub(crate) fn count_glance(&mut self, now: u64) {
        let cost = now.wrapping_sub(self.begun);
        self.spent = self.spent.saturating_add(cost);
        self.glances = self.glances.saturating_add(cost);
        self.ended = now;
        self.gap = core::mem::take(&mut self.early);
    }

    /// Counts tracked code behind a burst's end: so much work, `now` by the processor's clock. It is not native time.
    pub(crate) fn count_tail(&mut self, units: u64, now: u64) {
        let expected = u128::from(units) * u128::from(self.cost) / u128::from(self.units.max(1));
        let tail = now.wrapping_sub(self.ended).min(expected as u64);
        self.tails = self.tails.saturating_add(tail);
        self.spent = self.spent.saturating_add(tail);
        self.ended = self.ended.wrapping_add(tail);
    }

    /// What a burst takes that is not prolonged, with its tail; where few were seen, about what one of the mean length
    /// would.
    pub(crate) fn mean_cost(&self, mean: u64) -> u64 {
        const FEW: u64 = 8;
        let expected = u128::from(mean) * u128::from(self.cost) / u128::from(self.units.max(1));
        let all = expected * u128::from(FEW) + u128::from(self.later);
        let plain = (all / u128::from(FEW + self.bursts)) as u64;
        plain.saturating_add(self.tails.checked_div(self.all).unwrap_or(0))
    }

    /// Work that bursts do in so many cycles.
    pub(crate) fn units_in(&self, cycles: u64) -> u64 {
        (u128::from(cycles) * u128::from(self.units) / u128::from(self.cost.max(1))) as u64
    }

    /// Native code asks after so many cycles, with `unused` of its checks.
    pub(crate) fn pass(&mut self, cycles: u64, unused: u64) {
        self.cycles += cycles;
        self.checks += self.given.saturating_sub(unused);
        if self.ahead > 0 {
            self.loop_cycles += cycles;
            self.loop_checks += self.ahead;
            self.ahead = 0;
        }
    }

    /// What a loop takes that counts for so many checks, as far as is known. A check in one is that of many iterations:
    /// they take other times than checks elsewhere.
    pub(crate) fn time_of(&self, checks: u64) -> u64 {
        let (cycles, all) = match self.loop_checks {
            0 => (self.cycles, self.checks),
            known => (self.loop_cycles, known),
        };
        let time = u128::from(checks) * u128::from(cycles) / u128::from(all.max(1));
        u64::try_from(time).unwrap_or(u64::MAX)
    }

    /// Checks for so many cycles, as far as is known how long checks take, where a loop comes that counts for `ahead`:
    /// native code asks behind that, which shows how long it took.
    pub(crate) fn wait(&mut self, cycles: u64, ahead: u64) -> NextMode {
        const FEW: u64 = 64;
        // Checks may become rare: the clock is looked at often enough, which takes less than a thousandth of the time.
        const MANY: u64 = 1 << 16;
        let checks = match self.cycles {
            _ if cycles == 0 => 0,
            0 => FEW,
            known => (u128::from(cycles) * u128::from(self.checks) / u128::from(known)) as u64,
        };
        // At least one, or a loop whose header is left at once would not get on.
        let most = if ahead > 1 { ahead.min(MANY) } else { MANY };
        self.given = checks.clamp(1, most);
        self.ahead = ahead;
        NextMode::Native(self.given as i64)
    }
}
