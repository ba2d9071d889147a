//! When bursts are wanted, as `record` asks for it in the environment, and how native code is paced between them.

/// Most lengths of a schedule.
const LENGTHS: usize = 8;

/// When to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Schedule {
    pub(crate) seed: u64,
    /// Share of the work, in a thousand: at least 1.
    pub(crate) share: u64,
    /// The same of what bursts may be prolonged by.
    pub(crate) longer: u64,
    /// Length of the first burst; 0: the longest of the others; none where a time is given.
    first: u64,
    /// Its length in milliseconds of processor time; 0: none.
    milliseconds: u64,
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
        let first = words.next()?;
        let (first, milliseconds) = match first.strip_suffix("ms") {
            Some(time) => (u64::MAX, number(time).filter(|&time| time > 0)?),
            None => (number(first)?, 0),
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
            some => some,
        };
        (self.first - self.first / 5, milliseconds)
    }

    pub(crate) fn longest(&self) -> u64 {
        self.lengths.iter().copied().fold(1, u64::max)
    }

    /// How often a length is chosen.
    pub(crate) fn weight(&self, length: u64) -> u64 {
        self.longest().checked_div(length).unwrap_or(0)
    }

    pub(crate) fn weights(&self) -> u64 {
        let weights = self.lengths.iter().map(|&length| self.weight(length));
        weights.sum::<u64>().max(1)
    }
}

/// What code that can be switched does next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Next {
    /// Functions run their tracked versions.
    Tracked,
    /// They run their native versions for so many checks.
    Native(i64),
}

/// When native code is interrupted, in cycles of the processor's clock.
#[derive(Clone, Copy, Default)]
pub(crate) struct Pace {
    /// When the burst began.
    pub(crate) begun: u64,
    /// When it ended, or native code was last looked at.
    pub(crate) ended: u64,
    /// What bursts took, and their work.
    pub(crate) cost: u64,
    pub(crate) units: u64,
    /// Cycles and checks in native code.
    pub(crate) cycles: u64,
    pub(crate) checks: u64,
    /// Cycles until the next burst, from `ended` on, and checks that were given.
    pub(crate) gap: u64,
    pub(crate) given: u64,
}

/// The processor's clock.
pub(crate) fn clock() -> u64 {
    // SAFETY: every x86-64 processor has it.
    unsafe { core::arch::x86_64::_rdtsc() }
}

impl Pace {
    /// Checks for so many cycles, as far as is known how long checks take.
    pub(crate) fn wait(&mut self, cycles: u64) -> Next {
        const FEW: u64 = 64;
        // Checks may become rare: the clock is looked at often enough, which takes less than a thousandth of the time.
        const MANY: u64 = 1 << 16;
        let checks = match self.cycles {
            _ if cycles == 0 => 0,
            0 => FEW,
            known => (u128::from(cycles) * u128::from(self.checks) / u128::from(known)) as u64,
        };
        // At least one, or a loop whose header is left at once would not get on.
        self.given = checks.clamp(1, MANY);
        Next::Native(self.given as i64)
    }
}
