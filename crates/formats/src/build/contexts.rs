//! One list of contexts out of several runs': each figure from a run that measured it.

use super::Difference;
use super::difference::{describe, range};
use crate::figures;
use crate::log::RawLog;
use crate::profile::Context;

/// Contexts in the profile's order with the critical paths of whichever run tracked them. Everything else was compared
/// before; critical paths that several runs measured must agree.
pub(super) fn merge(logs: &[&RawLog]) -> Result<Vec<Context>, Difference> {
    // Entered in the same order in all runs (compared before), so the same context has the same number in each.
    let mut merged = logs[0].contexts.clone();
    for (index, into) in merged.iter_mut().enumerate().skip(1) {
        let mut source = logs[0];
        for &log in &logs[1..] {
            let from = &log.contexts[index];
            if !from.tracked {
                continue;
            }
            if into.tracked {
                let where_ = || describe(source, into.region);
                let versus = |what: &str, a: u64, b: u64| {
                    if a == b {
                        return Ok(());
                    }
                    let (here, there) = (range(source), range(log));
                    Err(Difference(format!(
                        "the {what} of {} is {a} with {here} and {b} with {there}",
                        where_()
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
            }
            if !into.tracked || (from.children_tracked && !into.children_tracked) {
                *into = from.clone();
                source = log;
            }
        }
    }
    Ok(figures::depth_first(&merged))
}
