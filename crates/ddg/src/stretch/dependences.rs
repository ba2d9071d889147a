//! What each instance of a stretch depends on, and in which call it was executed: kept in a few bytes an instance, so
//! that single iterations can be looked at when the stretch is over.

use super::instance::DependenceVia;
use crate::event::ThreadId;

/// What is kept of all instances, in the order of the stream.
#[derive(Debug)]
pub(super) struct Dependences {
    /// For each instance twice the number of its sources, and 1 if it goes on with the instruction of the one before;
    /// for each source through what, and how many instances before it is. Numbers are in groups of 7 bits.
    bytes: Vec<u8>,
    /// Where they were executed, whenever that changed.
    places: Vec<CallPosition>,
    /// Most bytes of both.
    most: usize,
    full: bool,
    /// Whether the next instance is the first of an instruction that is executed.
    begins: bool,
}

/// From an instance on: the thread, and the calls around.
#[derive(Clone, Copy, Debug)]
struct CallPosition {
    first: u32,
    thread: ThreadId,
    depth: u32,
}

/// One instance of an instruction with everything that it waits for.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeptInstance<'a> {
    /// Position among the recorded ones.
    pub number: u32,
    /// Number of the thread that executed it, as the stream gives it.
    pub thread: ThreadId,
    /// Calls around.
    pub depth: u32,
    /// Whether it is the first one of an instruction that is executed (`rep` has one for each iteration).
    pub begins: bool,
    /// What it depends on.
    pub sources: &'a [(u32, DependenceVia)],
}

impl Dependences {
    /// A list that has no instance yet and takes at most so many bytes.
    pub fn new(most: usize) -> Self {
        Self {
            bytes: Vec::new(),
            places: Vec::new(),
            most,
            full: false,
            begins: true,
        }
    }

    /// Whether there was no room for all: then nothing is kept.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// A thread executes an instruction within so many calls; its instances, the next of which has a number, follow.
    pub fn instruction(&mut self, next: u32, thread: ThreadId, depth: usize) {
        self.begins = true;
        let depth = u32::try_from(depth).unwrap_or(u32::MAX);
        let same = |place: &CallPosition| (place.thread, place.depth) == (thread, depth);
        if self.full || self.places.last().is_some_and(same) {
            return;
        }
        // Nothing was executed there.
        if self.places.last().is_some_and(|place| place.first == next) {
            self.places.pop();
        }
        self.places.push(CallPosition {
            first: next,
            thread,
            depth,
        });
    }

    /// The next instance and what it depends on.
    pub fn instance(
        &mut self,
        number: u32,
        sources: impl Iterator<Item = (u32, DependenceVia)> + Clone,
    ) {
        if self.full {
            return;
        }
        let continues = !std::mem::take(&mut self.begins);
        let count = sources.clone().count() as u32;
        self.number(count << 1 | u32::from(continues));
        for (by, via) in sources {
            self.bytes.push(via.number() as u8);
            self.number(number - by);
        }
        if self.bytes.len() + self.places.len() * size_of::<CallPosition>() > self.most {
            (self.bytes, self.places, self.full) = (Vec::new(), Vec::new(), true);
        }
    }

    fn number(&mut self, mut number: u32) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// Calls back with each instance.
    pub fn each(&self, mut found: impl FnMut(KeptInstance<'_>)) {
        let mut bytes = self.bytes.iter().copied();
        let mut places = self.places.iter().peekable();
        let mut place = None;
        let mut sources = Vec::new();
        let mut number = 0;
        while let Some(head) = read(&mut bytes) {
            while let Some(next) = places.next_if(|next| next.first <= number) {
                place = Some(next);
            }
            sources.clear();
            for _ in 0..head >> 1 {
                let via = DependenceVia::from_number(bytes.next().unwrap_or(0).into());
                let back = read(&mut bytes).unwrap_or(0);
                sources.push((number - back, via));
            }
            if let Some(place) = place {
                found(KeptInstance {
                    number,
                    thread: place.thread,
                    depth: place.depth,
                    begins: head & 1 == 0,
                    sources: &sources,
                });
            }
            number += 1;
        }
    }
}

fn read(bytes: &mut impl Iterator<Item = u8>) -> Option<u32> {
    let mut number = 0;
    for shift in (0..32).step_by(7) {
        let byte = bytes.next()?;
        number |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An instance as it was given: thread, depth, whether it begins an instruction, sources.
    type GivenInstance = (u32, usize, bool, Vec<(u32, DependenceVia)>);

    fn kept(given: &[GivenInstance], most: usize) -> Option<Vec<GivenInstance>> {
        let mut all = Dependences::new(most);
        for (number, (thread, depth, begins, sources)) in given.iter().enumerate() {
            if *begins {
                all.instruction(number as u32, ThreadId(*thread), *depth);
            }
            all.instance(number as u32, sources.iter().copied());
        }
        let mut back = Vec::new();
        all.each(|it| {
            assert_eq!(it.number as usize, back.len());
            back.push((
                it.thread.0,
                it.depth as usize,
                it.begins,
                it.sources.to_vec(),
            ));
        });
        (!all.is_full()).then_some(back)
    }

    #[test]
    fn what_was_kept_comes_back() {
        let mut given: Vec<GivenInstance> = vec![
            (0, 0, true, vec![]),
            (0, 0, false, vec![(0, DependenceVia::Memory)]),
            (
                0,
                1,
                true,
                vec![(1, DependenceVia::Control), (0, DependenceVia::Start)],
            ),
            (7, 1, true, vec![(2, DependenceVia::Window)]),
        ];
        for number in 4..40_000_u32 {
            given.push((7, 1, true, vec![(number % 3, DependenceVia::SystemCall)]));
        }
        assert_eq!(kept(&given, 1 << 20), Some(given.clone()));
        // At most 5 bytes each (2 groups of 7 bits are too few for most ways back), and two changes of place.
        assert!(kept(&given, 5 * given.len() + 36).is_some());
    }

    #[test]
    fn nothing_is_kept_where_there_is_no_room_for_all() {
        let given: Vec<GivenInstance> = (0..100).map(|_| (0, 0, true, vec![])).collect();
        assert_eq!(kept(&given, 112), Some(given.clone()));
        assert_eq!(kept(&given, 111), None);
    }

    #[test]
    fn places_where_nothing_was_executed_are_none() {
        let mut all = Dependences::new(1000);
        all.instruction(0, ThreadId(1), 1);
        all.instruction(0, ThreadId(2), 2);
        all.instance(0, std::iter::empty());
        let mut found = Vec::new();
        all.each(|it| found.push((it.thread, it.depth)));
        assert_eq!(found, [(ThreadId(2), 2)]);
    }
}
