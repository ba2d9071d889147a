//! The dictionary's symbols of instances that close.
//!
//! A context that has made [`MOST_ENTRIES`] entries gets no more: it hardly ever repeats itself, and looking for room
//! costs time. Its further instances are summarised in their parent's list, as those are that find no room.

use parascan_abi::log::{EqualChildren, FLAG_DICTIONARY_FULL, Sequence, Symbol};

use crate::builder::{ChildList, ClosedChild, mix};
use crate::contexts::scratch;
use crate::dictionary::{ClosedInstance, closed_place};
use crate::tracker::RegionTracker;

/// Most entries for instances of one context.
const MOST_ENTRIES: u64 = 1 << 12;

/// An entry that finds no room counts as so many: the parent's list is summarised anyway.
const NO_ROOM: u64 = 16;

impl RegionTracker {
    /// Ends the children list of frame `frame` and finds the instance's symbol, 0 when there is no room for one.
    #[inline(always)]
    pub(crate) fn close_children(&mut self, frame: u32, child: ClosedChild) -> u32 {
        let level = frame + 1;
        if self.builders.is_empty(level) {
            return self.childless(frame, child);
        }
        let ClosedChild {
            context, work, cp, ..
        } = child;
        let last = self.log.contexts.at(context).scratch;
        let sequence = (last[scratch::SYMBOL] >> 32) as u32;
        if last[scratch::WORK] == work && last[scratch::CP] == cp && sequence != 0 {
            let Sequence { start, len } = *self.log.sequences.at(sequence);
            if let Some((symbol, count)) = self.builders.single_run(level)
                && len == 1
                && *self.log.runs.at(start)
                    == (EqualChildren {
                        symbol,
                        reserved: 0,
                        count,
                    })
            {
                return last[scratch::SYMBOL] as u32;
            }
        }
        self.close_other(frame, child)
    }

    /// The same, of an instance that is not like its context's last.
    #[inline(never)]
    pub(crate) fn close_other(&mut self, frame: u32, child: ClosedChild) -> u32 {
        let ClosedChild {
            context, work, cp, ..
        } = child;
        let (log, dictionary) = (&mut self.log, &mut self.dictionary);
        let hash = match self.builders.children(frame + 1) {
            ChildList::Runs { runs, hash, last } => {
                let hash = mix(hash, last);
                let known = dictionary.closed[closed_place(context, hash)];
                if known.context == context
                    && known.hash == hash
                    && known.work == work
                    && known.cp == cp
                    && log.is_sequence(known.sequence, runs, last)
                {
                    return known.symbol;
                }
                hash
            }
            _ => 0,
        };
        if self.has_enough_entries(context) {
            return 0;
        }
        match self.children_sequence(frame + 1, frame + 1) {
            Some(sequence) => {
                let symbol = self.find_symbol(frame, child, sequence);
                if hash != 0 && symbol != 0 {
                    self.dictionary.closed[closed_place(context, hash)] = ClosedInstance {
                        context,
                        symbol,
                        sequence,
                        hash,
                        work,
                        cp,
                    };
                }
                symbol
            }
            None => {
                self.count_entries(context, NO_ROOM);
                0
            }
        }
    }

    /// Sequence of the list of `level`, with room as for instances of depth `quota - 1`.
    pub(crate) fn children_sequence(&mut self, level: u32, quota: u32) -> Option<u32> {
        let (log, dictionary) = (&mut self.log, &mut self.dictionary);
        match self.builders.children(level) {
            ChildList::None => Some(0),
            ChildList::Runs { runs, hash, last } => {
                dictionary.sequence(log, runs, last, hash, quota)
            }
            ChildList::Summaries { summaries, room } => {
                let mut hash = 0;
                for (summary, run) in summaries.iter().zip(room.iter_mut()) {
                    let symbol = Symbol {
                        region: summary.region,
                        sequence: 0,
                        work: summary.work,
                        cp: summary.cp,
                        summarised: summary.number,
                    };
                    *run = EqualChildren {
                        symbol: dictionary.symbol(log, symbol, quota)?,
                        reserved: 0,
                        count: 1,
                    };
                }
                let Some((&last, runs)) = room.split_last() else {
                    return Some(0);
                };
                for &run in runs {
                    hash = mix(hash, run);
                }
                dictionary.sequence(log, runs, last, hash, quota)
            }
        }
    }

    /// The symbol of an instance without children at depth `frame`.
    #[inline(always)]
    pub(crate) fn childless(&mut self, frame: u32, child: ClosedChild) -> u32 {
        let last = self.log.contexts.at(child.context).scratch;
        let symbol = last[scratch::SYMBOL];
        if last[scratch::WORK] == child.work
            && last[scratch::CP] == child.cp
            && symbol >> 32 == 0
            && symbol != 0
        {
            return symbol as u32;
        }
        self.find_symbol(frame, child, 0)
    }

    fn count_entries(&mut self, context: u32, number: u64) {
        self.log.contexts.at(context).scratch[scratch::ENTRIES_AND_CHILD] += number << 32;
    }

    /// Whether a context may make no more entries.
    fn has_enough_entries(&mut self, context: u32) -> bool {
        let enough =
            self.log.contexts.at(context).scratch[scratch::ENTRIES_AND_CHILD] >> 32 >= MOST_ENTRIES;
        if enough {
            self.log.flag(FLAG_DICTIONARY_FULL);
        }
        enough
    }

    #[inline(never)]
    fn find_symbol(&mut self, frame: u32, child: ClosedChild, sequence: u32) -> u32 {
        let ClosedChild {
            context,
            region,
            work,
            cp,
        } = child;
        if self.has_enough_entries(context) {
            return 0;
        }
        let entry = Symbol {
            region,
            sequence,
            work,
            cp,
            summarised: 1,
        };
        let before = self.log.symbols.len();
        let symbol = self
            .dictionary
            .symbol(&mut self.log, entry, frame + 1)
            .unwrap_or(0);
        if symbol != 0 {
            let last = &mut self.log.contexts.at(context).scratch;
            last[scratch::WORK] = work;
            last[scratch::CP] = cp;
            last[scratch::SYMBOL] = u64::from(sequence) << 32 | u64::from(symbol);
        }
        if symbol == 0 {
            self.count_entries(context, NO_ROOM);
        } else if symbol >= before {
            self.count_entries(context, 1);
        }
        symbol
    }
}
