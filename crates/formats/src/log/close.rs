//! Closes the regions that were open when the process was killed, as the runtime would have done at that moment.

use parascan_abi::log::{Sequence, Symbol};

use super::RawLog;
use super::tables::OpenAtEnd;
use crate::figures::InstanceFigures;
use crate::profile::EqualChildren;

/// An instance that was closed here.
struct ClosedInstance {
    context: usize,
    symbol: u32,
    work: u64,
    cp: u64,
}

/// Closes all frames, innermost first, and makes the list of top-level regions, which a killed process never wrote, out
/// of their contexts.
pub(super) fn close(log: &mut RawLog, frames: &[OpenAtEnd], clocks: &[u64]) {
    let mut kinds = vec![Vec::new(); log.contexts.len()];
    for (index, context) in log.contexts.iter().enumerate().skip(1) {
        kinds[context.parent as usize].push(index);
    }
    let mut inner: Option<ClosedInstance> = None;
    for (depth, frame) in frames.iter().enumerate().rev() {
        let context = frame.context as usize;
        let list = children(log, &kinds[context], frame, inner.as_ref());
        let mut instance = InstanceFigures {
            work: log.work.saturating_sub(frame.work),
            cp: 0,
            child_work: frame.child_work,
            child_cp: frame.child_cp,
            child_cp_max: frame.child_cp_max,
            children: frame.children,
        };
        if let Some(lane) = (depth as u32).checked_sub(log.start_level)
            && let Some(clock) = clocks.get(lane as usize)
        {
            instance.cp = clock.saturating_sub(frame.base);
        }
        if let Some(inner) = &inner {
            instance.add_children(inner.work, inner.cp, 1);
        }
        let InstanceFigures { work, cp, .. } = instance;
        let sequence = push_sequence(log, &list);
        let region = log.contexts[context].region;
        let symbol = push_symbol(
            log,
            Symbol {
                region,
                sequence,
                work,
                cp,
                summarised: 1,
            },
        );
        log.contexts[context].add(&instance, 1);
        inner = Some(ClosedInstance {
            context,
            symbol,
            work,
            cp,
        });
    }
    let list = summaries(log, &kinds[0], inner.as_ref());
    log.root_sequence = push_sequence(log, &list);
}

/// The children of an open region: those that had ended as one summary per region, because their order is lost, and
/// the one that was open.
fn children(
    log: &mut RawLog,
    kinds: &[usize],
    frame: &OpenAtEnd,
    inner: Option<&ClosedInstance>,
) -> Vec<EqualChildren> {
    if log.contexts[frame.context as usize].instances == 0 {
        // There is no other instance: all that is known of the contexts below belongs to this one.
        return summaries(log, kinds, inner);
    }
    let mut list = Vec::new();
    match kinds {
        [only] => summarise(
            log,
            &mut list,
            *only,
            (frame.children, frame.child_work, frame.child_cp),
        ),
        _ if frame.children > 0 => log.children_lost = true,
        _ => {}
    }
    list.extend(inner.map(|inner| EqualChildren {
        symbol: inner.symbol,
        count: 1,
    }));
    list
}

/// Everything counted in some contexts but for the instance that was open, and that one.
fn summaries(
    log: &mut RawLog,
    kinds: &[usize],
    inner: Option<&ClosedInstance>,
) -> Vec<EqualChildren> {
    let mut list = Vec::new();
    for &kind in kinds {
        let c = &log.contexts[kind];
        let mut total = (c.instances, c.work, c.cp);
        if let Some(inner) = inner.filter(|inner| inner.context == kind) {
            total = (
                c.instances - 1,
                c.work.saturating_sub(inner.work),
                c.cp.saturating_sub(inner.cp),
            );
        }
        summarise(log, &mut list, kind, total);
    }
    list.extend(inner.map(|inner| EqualChildren {
        symbol: inner.symbol,
        count: 1,
    }));
    list
}

/// Appends one summary of `(number, work, cp)` instances of a context's region.
fn summarise(
    log: &mut RawLog,
    list: &mut Vec<EqualChildren>,
    context: usize,
    (number, work, cp): (u64, u64, u64),
) {
    if number > 0 {
        let region = log.contexts[context].region;
        let symbol = push_symbol(
            log,
            Symbol {
                region,
                sequence: 0,
                work,
                cp,
                summarised: number,
            },
        );
        list.push(EqualChildren { symbol, count: 1 });
    }
}

fn push_symbol(log: &mut RawLog, symbol: Symbol) -> u32 {
    log.symbols.push(symbol);
    log.symbols.len() as u32 - 1
}

fn push_sequence(log: &mut RawLog, list: &[EqualChildren]) -> u32 {
    let start = log.runs.len() as u32;
    log.runs.extend(list);
    log.sequences.push(Sequence {
        start,
        len: list.len() as u32,
    });
    log.sequences.len() as u32 - 1
}
