//! The log's tables, entry by entry: modules, contexts, dictionary, open regions.

use std::collections::HashSet;
use std::mem::{offset_of, size_of};

use parascan_abi::log::{self as abi, ModuleRecord, Sequence, Symbol};

use super::source::{RawEntry, ReadAt, bytes, table};
use super::{Head, LogError, RawModule, corrupt};
use crate::module::{ModuleStatic, UNKNOWN, VECTORIZED};
use crate::profile::{Context, EqualChildren};

/// Modules and which of the process's region numbers are whose.
pub(super) struct Modules {
    pub(super) list: Vec<RawModule>,
    /// First number, regions, and number of the first when counted over `list`.
    ranges: Vec<(u32, u32, u32)>,
}

impl Modules {
    /// A region of the process, counted over all modules.
    fn number(&self, region: u32) -> Option<u32> {
        let next = self.ranges.partition_point(|&(first, ..)| first <= region);
        let &(first, regions, start) = self.ranges.get(next.checked_sub(1)?)?;
        (region - first < regions).then(|| start + (region - first))
    }
}

pub(super) fn modules(source: &(impl ReadAt + ?Sized), head: &Head) -> Result<Modules, LogError> {
    const RECORD: usize = size_of::<ModuleRecord>();
    let calls = table(source, abi::OFF_BLIND, head.blind, 8, |_, entry| {
        Ok(entry.u64(0))
    })?;
    let mut modules = Modules {
        list: Vec::new(),
        ranges: Vec::new(),
    };
    let (mut at, mut next_region, mut counted) = (0, 0, 0u32);
    while at < head.module_bytes {
        let offset = abi::OFF_MODULES + at;
        let left = head.module_bytes - at;
        let short = || {
            corrupt(
                offset,
                "a module's record is longer than what is left of the table",
            )
        };
        let after_record = left.checked_sub(RECORD as u64).ok_or_else(short)?;
        let record = bytes(source, offset, RECORD)?;
        let entry = RawEntry(&record);
        let first_region = entry.u32(offset_of!(ModuleRecord, first_region));
        let regions = entry.u32(offset_of!(ModuleRecord, regions));
        let first_blind = entry.u32(offset_of!(ModuleRecord, first_blind)) as usize;
        let blind = entry.u32(offset_of!(ModuleRecord, blind)) as usize;
        let length = entry.u64(offset_of!(ModuleRecord, blob_len));
        if length > after_record {
            return Err(short());
        }
        let blob = bytes(source, offset + RECORD as u64, length as usize)?;
        let index = modules.list.len();
        let content = module(&blob).ok_or(LogError::Module { index })?;
        // No counters at all: there was no room for them in the log.
        let counted_all = blind == 0 || content.blind.len() == blind;
        if content.regions.len() != regions as usize || !counted_all {
            return Err(corrupt(
                offset,
                format!("module {index} does not have the parts its record says"),
            ));
        }
        let calls = calls
            .get(first_blind..)
            .and_then(|calls| calls.get(..blind));
        let calls = calls.ok_or_else(|| {
            corrupt(
                offset,
                format!("module {index} has blind spots that were never counted"),
            )
        })?;
        let end = first_region
            .checked_add(regions)
            .filter(|_| first_region >= next_region);
        next_region = end.ok_or_else(|| {
            corrupt(
                offset,
                format!("module {index} has regions of another module"),
            )
        })?;
        modules.ranges.push((first_region, regions, counted));
        counted = counted
            .checked_add(regions)
            .ok_or_else(|| corrupt(offset, "too many regions"))?;
        let first_counter = entry.u32(offset_of!(ModuleRecord, first_counter));
        let counters = entry.u32(offset_of!(ModuleRecord, counters));
        let native = native(source, &content, first_counter, counters)?;
        modules.list.push(RawModule {
            content,
            calls: calls.to_vec(),
            native,
        });
        at += (RECORD as u64 + length).next_multiple_of(8);
    }
    Ok(modules)
}

/// By region of a module: how often it began in native code, by these counters.
fn native(
    source: &(impl ReadAt + ?Sized),
    content: &ModuleStatic,
    first: u32,
    counters: u32,
) -> Result<Vec<u64>, LogError> {
    let mut native = vec![0u64; content.regions.len()];
    let offset = abi::OFF_COUNTERS + u64::from(first) * 8;
    if u64::from(first) + u64::from(counters) > abi::CAP_COUNTERS.into() {
        return Err(corrupt(offset, "a module has counters beyond their table"));
    }
    let counted = table(source, offset, counters, 8, |_, entry| Ok(entry.u64(0)))?;
    for count in &content.counts {
        // Where there was no room in the log there is no counter.
        let counted = counted.get(count.counter as usize).copied().unwrap_or(0);
        let all = &mut native[count.region as usize];
        *all = all.saturating_add(counted.saturating_mul(count.times));
    }
    Ok(native)
}

/// Decodes and checks a module's description.
fn module(blob: &[u8]) -> Option<ModuleStatic> {
    let (mut module, rest) = postcard::take_from_bytes::<ModuleStatic>(blob).ok()?;
    let (states, rest) = rest.split_at_checked(module.regions.len())?;
    for (region, &state) in module.regions.iter_mut().zip(states) {
        region.vectorized = (state != UNKNOWN).then_some(state == VECTORIZED);
    }
    let parents_first = (0..)
        .zip(&module.regions)
        .all(|(number, region)| region.parent.is_none_or(|p| p < number));
    let regions = module.regions.len();
    let counts_regions = module.counts.iter().all(|c| (c.region as usize) < regions);
    (rest.len() < 8 && parents_first && counts_regions).then_some(module)
}

pub(super) fn contexts(
    source: &(impl ReadAt + ?Sized),
    head: &Head,
    modules: &Modules,
) -> Result<Vec<Context>, LogError> {
    const SIZE: usize = size_of::<abi::Context>();
    let mut depths: Vec<u32> = Vec::new();
    let mut seen = HashSet::new();
    table(
        source,
        abi::OFF_CONTEXTS,
        head.contexts,
        SIZE,
        |index, entry| {
            let bad = |what: &str| {
                corrupt(
                    abi::OFF_CONTEXTS + u64::from(index) * SIZE as u64,
                    format!("context {index} {what}"),
                )
            };
            let mut context = context(entry);
            if index == 0 {
                if context.region != u32::MAX {
                    return Err(bad("is not the program"));
                }
                depths.push(0);
                return Ok(Context {
                    region: u32::MAX,
                    ..Context::default()
                });
            }
            if context.parent >= index {
                return Err(bad("does not come after its parent"));
            }
            let depth = if context.parent == 0 {
                0
            } else {
                depths[context.parent as usize] + 1
            };
            // Bursts have as many depths of their own below callers that are deep already.
            let deepest = if head.flags & abi::FLAG_BURSTS == 0 {
                head.max_depth
            } else {
                head.max_depth.saturating_mul(2)
            };
            if context.depth != depth || depth >= deepest {
                return Err(bad("does not have its parent's depth plus one"));
            }
            if !(context.parallel_time.is_finite() && context.parallel_time >= 0.0) {
                return Err(bad("has a parallel time that is not a duration"));
            }
            context.region = modules
                .number(context.region)
                .ok_or_else(|| bad("has a region that does not exist"))?;
            if !seen.insert((context.parent, context.region)) {
                return Err(bad("occurs twice"));
            }
            depths.push(depth);
            Ok(context)
        },
    )
}

pub(super) fn context(entry: RawEntry<'_>) -> Context {
    use abi::Context as C;
    Context {
        parent: entry.u32(offset_of!(C, parent)),
        region: entry.u32(offset_of!(C, region)),
        depth: entry.u32(offset_of!(C, depth)),
        tracked: false,
        children_tracked: false,
        instances: entry.u64(offset_of!(C, instances)),
        work: entry.u64(offset_of!(C, work)),
        cp: entry.u64(offset_of!(C, cp)),
        cp_max: entry.u64(offset_of!(C, cp_max)),
        child_work: entry.u64(offset_of!(C, child_work)),
        child_cp: entry.u64(offset_of!(C, child_cp)),
        children: entry.u64(offset_of!(C, children)),
        children_min: entry.u64(offset_of!(C, children_min)),
        children_max: entry.u64(offset_of!(C, children_max)),
        gap: entry.u64(offset_of!(C, gap)),
        gap_max: entry.u64(offset_of!(C, gap_max)),
        multi: entry.u64(offset_of!(C, multi)),
        multi_flat: entry.u64(offset_of!(C, multi_flat)),
        parallel_time: entry.f64(offset_of!(C, parallel_time)),
        carried: Some(entry.u64(offset_of!(C, carried))),
    }
}

/// The region tree as a log has it: distinct instances, lists of children, and runs of equal ones in these.
pub(super) struct LogDictionary {
    pub(super) symbols: Vec<Symbol>,
    pub(super) sequences: Vec<Sequence>,
    pub(super) runs: Vec<EqualChildren>,
}

pub(super) fn tree(
    source: &(impl ReadAt + ?Sized),
    head: &Head,
    modules: &Modules,
) -> Result<LogDictionary, LogError> {
    const RUN: usize = size_of::<abi::EqualChildren>();
    let runs = table(source, abi::OFF_RUNS, head.runs, RUN, |index, entry| {
        let symbol = entry.u32(offset_of!(abi::EqualChildren, symbol));
        let count = entry.u64(offset_of!(abi::EqualChildren, count));
        if symbol == 0 || symbol >= head.symbols || count == 0 {
            let offset = abi::OFF_RUNS + u64::from(index) * RUN as u64;
            return Err(corrupt(
                offset,
                format!("run {index} is of symbol {symbol}, {count} times"),
            ));
        }
        Ok(EqualChildren { symbol, count })
    })?;
    // The latest symbol in each sequence: a parent must come after it.
    let mut latest = Vec::with_capacity(head.sequences as usize);
    let sequences = table(
        source,
        abi::OFF_SEQUENCES,
        head.sequences,
        size_of::<Sequence>(),
        |index, entry| {
            let start = entry.u32(offset_of!(Sequence, start));
            let len = entry.u32(offset_of!(Sequence, len));
            let stretch = runs
                .get(start as usize..)
                .and_then(|runs| runs.get(..len as usize));
            let Some(stretch) = stretch.filter(|_| len <= abi::MAX_SEQUENCE) else {
                let offset = abi::OFF_SEQUENCES + u64::from(index) * size_of::<Sequence>() as u64;
                return Err(corrupt(
                    offset,
                    format!("sequence {index} is {len} runs from {start} on"),
                ));
            };
            latest.push(stretch.iter().map(|run| run.symbol).max().unwrap_or(0));
            Ok(Sequence { start, len })
        },
    )?;
    let symbols = table(
        source,
        abi::OFF_SYMBOLS,
        head.symbols,
        size_of::<Symbol>(),
        |index, entry| {
            let symbol = Symbol {
                region: entry.u32(offset_of!(Symbol, region)),
                sequence: entry.u32(offset_of!(Symbol, sequence)),
                work: entry.u64(offset_of!(Symbol, work)),
                cp: entry.u64(offset_of!(Symbol, cp)),
                summarised: entry.u64(offset_of!(Symbol, summarised)),
            };
            if index == 0 {
                return Ok(Symbol {
                    region: 0,
                    sequence: 0,
                    work: 0,
                    cp: 0,
                    summarised: 0,
                });
            }
            let after_children = latest
                .get(symbol.sequence as usize)
                .is_some_and(|&latest| latest < index);
            match modules.number(symbol.region) {
                Some(region) if after_children && symbol.summarised > 0 => {
                    Ok(Symbol { region, ..symbol })
                }
                _ => {
                    let offset = abi::OFF_SYMBOLS + u64::from(index) * size_of::<Symbol>() as u64;
                    Err(corrupt(
                        offset,
                        format!("symbol {index} has a region or children that do not exist"),
                    ))
                }
            }
        },
    )?;
    Ok(LogDictionary {
        symbols,
        sequences,
        runs,
    })
}

/// A region that was open at the end.
pub(super) struct OpenAtEnd {
    pub(super) context: u32,
    pub(super) work: u64,
    pub(super) base: u64,
    pub(super) child_work: u64,
    pub(super) child_cp: u64,
    pub(super) child_cp_max: u64,
    pub(super) children: u64,
}

/// Open regions, outermost first; each must be inside the one before.
pub(super) fn frames(
    source: &(impl ReadAt + ?Sized),
    head: &Head,
    contexts: &[Context],
) -> Result<Vec<OpenAtEnd>, LogError> {
    use abi::OpenRegion as F;
    let mut outer = 0;
    table(
        source,
        abi::OFF_FRAMES,
        head.frames,
        size_of::<F>(),
        |index, entry| {
            let context = entry.u32(offset_of!(F, context));
            if context == 0
                || contexts
                    .get(context as usize)
                    .is_none_or(|c| c.parent != outer)
            {
                let offset = abi::OFF_FRAMES + u64::from(index) * size_of::<F>() as u64;
                return Err(corrupt(
                    offset,
                    format!("open region {index} is not inside the one before it"),
                ));
            }
            outer = context;
            Ok(OpenAtEnd {
                context,
                work: entry.u64(offset_of!(F, work)),
                base: entry.u64(offset_of!(F, base)),
                child_work: entry.u64(offset_of!(F, child_work)),
                child_cp: entry.u64(offset_of!(F, child_cp)),
                child_cp_max: entry.u64(offset_of!(F, child_cp_max)),
                children: entry.u64(offset_of!(F, children)),
            })
        },
    )
}
