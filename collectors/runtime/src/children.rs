//! Adds closed children to the lists under construction of `builder.rs`.

use parascan_abi::log::{EqualChildren, FLAG_DICTIONARY_FULL, MAX_SEQUENCE};

use crate::builder::{
    ChildListBuilder, ClosedChild, RegionSummary, SUMMARISED, SUMMARY_SLOTS, mix,
};
use crate::contexts::scratch;
use crate::tracker::RegionTracker;

impl RegionTracker {
    /// Appends `count` equal children to the list of `level`. `symbol` is 0 when the dictionary has no room for them.
    #[inline(always)]
    pub(crate) fn append_child(&mut self, level: u32, child: ClosedChild, symbol: u32, count: u64) {
        let builder = self.builders.at(level);
        if builder.symbol == symbol && symbol != 0 {
            builder.count = builder.count.wrapping_add(count);
        } else {
            self.append_other(level, child, symbol, count);
        }
    }

    /// Appends children that differ from the last run.
    #[inline(never)]
    fn append_other(&mut self, level: u32, child: ClosedChild, new: u32, count: u64) {
        if new == 0 {
            self.collapse(level);
        }
        let ChildListBuilder {
            symbol,
            start,
            count: last,
            len,
            ..
        } = *self.builders.at(level);
        if symbol == SUMMARISED {
            return self.summarise(level, child, count);
        }
        if symbol != 0 {
            if len + 1 == MAX_SEQUENCE {
                self.collapse(level);
                return self.summarise(level, child, count);
            }
            let run = EqualChildren {
                symbol,
                reserved: 0,
                count: last,
            };
            self.builders.runs(start, len + 1)[len as usize] = run;
            let builder = self.builders.at(level);
            builder.hash = mix(builder.hash, run);
            builder.len = len + 1;
        }
        let builder = self.builders.at(level);
        builder.symbol = new;
        builder.count = count;
    }

    /// Turns the list of `level` into one summary per region, ordered by first appearance.
    #[cold]
    fn collapse(&mut self, level: u32) {
        let ChildListBuilder {
            symbol,
            start,
            count,
            len,
            ..
        } = *self.builders.at(level);
        if symbol == SUMMARISED {
            return;
        }
        // The summaries are made above the runs and then moved over them.
        let mut runs = len;
        if symbol != 0 {
            self.builders.runs(start, len + 1)[len as usize] = EqualChildren {
                symbol,
                reserved: 0,
                count,
            };
            runs += 1;
        }
        let above = start + runs;
        let mut made = 0;
        for i in 0..runs {
            let EqualChildren { symbol, count, .. } = self.builders.runs(start, runs)[i as usize];
            let entry = *self.log.symbols.at(symbol);
            let summaries = self.builders.summaries(above, made + 1);
            let found = summaries[..made as usize]
                .iter()
                .position(|s| s.region == entry.region);
            let summary = if let Some(index) = found {
                &mut summaries[index]
            } else {
                made += 1;
                let summary = &mut summaries[made as usize - 1];
                *summary = RegionSummary {
                    region: entry.region,
                    reserved: 0,
                    number: 0,
                    work: 0,
                    cp: 0,
                };
                summary
            };
            summary.number = summary
                .number
                .wrapping_add(entry.summarised.wrapping_mul(count));
            summary.work = summary.work.wrapping_add(entry.work.wrapping_mul(count));
            summary.cp = summary.cp.wrapping_add(entry.cp.wrapping_mul(count));
        }
        let slots = self.builders.runs(start, runs + made * SUMMARY_SLOTS);
        slots.copy_within(runs as usize.., 0);
        self.builders.serial += 1;
        let serial = self.builders.serial;
        let builder = self.builders.at(level);
        builder.symbol = SUMMARISED;
        builder.len = made;
        builder.serial = serial;
    }

    /// Adds children to a summarised list.
    #[inline(never)]
    pub(crate) fn summarise(&mut self, level: u32, child: ClosedChild, count: u64) {
        let ChildListBuilder {
            start, len, serial, ..
        } = *self.builders.at(level);
        let remembered = self.log.contexts.at(child.context).scratch;
        let index = if remembered[scratch::SUMMARY_SERIAL] == serial {
            remembered[scratch::SUMMARY_INDEX] as u32
        } else {
            let summaries = self.builders.summaries(start, len);
            let found = summaries.iter().position(|s| s.region == child.region);
            let index = found.map_or(len, |index| index as u32);
            if index == MAX_SEQUENCE {
                // More regions among the children than a list has room for: these stay unlisted.
                return self.log.flag(FLAG_DICTIONARY_FULL);
            }
            if index == len {
                self.builders.summaries(start, len + 1)[len as usize] = RegionSummary {
                    region: child.region,
                    reserved: 0,
                    number: 0,
                    work: 0,
                    cp: 0,
                };
                self.builders.at(level).len = len + 1;
            }
            let context = self.log.contexts.at(child.context);
            context.scratch[scratch::SUMMARY_SERIAL] = serial;
            context.scratch[scratch::SUMMARY_INDEX] = u64::from(index);
            index
        };
        let summary = &mut self.builders.summaries(start, index + 1)[index as usize];
        summary.number = summary.number.wrapping_add(count);
        summary.work = summary.work.wrapping_add(child.work.wrapping_mul(count));
        summary.cp = summary.cp.wrapping_add(child.cp.wrapping_mul(count));
    }
}
