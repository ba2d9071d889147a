//! One list of contexts out of several runs': each figure from a run that measured it.

use super::Difference;
use super::difference::{deepest, describe, range, recorded};
use crate::figures;
use crate::log::RawLog;
use crate::profile::Context;

/// Contexts in the profile's order with the critical paths of whichever run tracked them. Everything else was compared
/// before; critical paths that several runs measured must agree, unless the build leaves dependences out: each run can
/// do that in the loops that it tracks only, and of two the one that tracks deeper has all that a context's own loops
/// are about.
pub(super) fn merge(logs: &[&RawLog]) -> Result<Vec<Context>, Difference> {
    let all = deepest(logs).unwrap_or(logs[0]);
    let mut merged = all.contexts.clone();
    let mut sources = vec![all; merged.len()];
    let leaves_out = leaves_out(all);
    for &log in logs.iter().filter(|log| !std::ptr::eq(**log, all)) {
        let numbers = recorded(all, log.max_depth);
        for (&number, from) in numbers.iter().zip(&log.contexts).skip(1) {
            if !from.tracked {
                continue;
            }
            let into = &mut merged[number as usize];
            let source = sources[number as usize];
            if into.tracked && !leaves_out {
                let where_ = || describe(source, into.region);
                let versus = |what: &str, a: u64, b: u64| {
                    if a == b {
                        return Ok(());
                    }
                    let mut sides = [(source, a), (log, b)];
                    sides.sort_by_key(|(log, _)| log.start_level);
                    let [(first, a), (second, b)] = sides;
                    Err(Difference(format!(
                        "the {what} of {} is {a} with {} and {b} with {}",
                        where_(),
                        range(first),
                        range(second)
                    )))
                };
                versus("critical path", into.cp, from.cp)?;
                versus("largest critical path", into.cp_max, from.cp_max)?;
                if into.children_tracked && from.children_tracked {
                    versus(
                        "sum of the children's critical paths",
                        into.child_cp,
                        from.child_cp,
                    )?;
                    versus("gap", into.gap, from.gap)?;
                    versus(
                        "number of instances without gap",
                        into.multi_flat,
                        from.multi_flat,
                    )?;
                }
                if let (Some(a), Some(b)) = (into.carried, from.carried) {
                    versus("number of instances with carried dependences", a, b)?;
                }
            }
            let carried = into.carried.or(from.carried);
            if !into.tracked || (from.children_tracked && !into.children_tracked) {
                *into = Context {
                    parent: into.parent,
                    ..from.clone()
                };
                sources[number as usize] = log;
            }
            into.carried = carried;
        }
    }
    Ok(figures::depth_first(&merged))
}

/// Whether the build leaves dependences out.
pub(super) fn leaves_out(log: &RawLog) -> bool {
    log.modules.iter().any(|m| !m.content.without.is_empty())
}
