//! Whether runs did the same, and if not, what differed first.

use super::Difference;
use crate::log::RawLog;
use crate::profile::Context;

/// Compares everything that does not depend on clocks.
pub(super) fn compare(logs: &[&RawLog]) -> Result<(), Difference> {
    let (first, others) = logs
        .split_first()
        .ok_or_else(|| Difference("there is no run".to_owned()))?;
    others
        .iter()
        .try_for_each(|other| compare_two(first, other))
}

fn compare_two(a: &RawLog, b: &RawLog) -> Result<(), Difference> {
    modules(a, b)?;
    for (index, (x, y)) in a.contexts.iter().zip(&b.contexts).enumerate().skip(1) {
        if (x.parent, x.region) != (y.parent, y.region) {
            let (here, there) = (describe(a, x.region), describe(b, y.region));
            return Err(Difference(format!(
                "{here} was entered with {}, {there} with {}",
                range(a),
                range(b)
            )));
        }
        for ((what, left), (_, right)) in same_everywhere(x).into_iter().zip(same_everywhere(y)) {
            if left != right {
                return Err(values(
                    a,
                    b,
                    &format!("the {what} of {}", describe(a, a.contexts[index].region)),
                    left,
                    right,
                ));
            }
        }
    }
    if a.contexts.len() != b.contexts.len() {
        let (more, fewer) = if a.contexts.len() > b.contexts.len() {
            (a, b)
        } else {
            (b, a)
        };
        let extra = describe(more, more.contexts[fewer.contexts.len()].region);
        return Err(Difference(format!(
            "{extra} was entered with {}, not with {}",
            range(more),
            range(fewer)
        )));
    }
    for (what, left, right) in [
        ("the program's work", a.work, b.work),
        ("the number of folded region entries", a.folded, b.folded),
        (
            "the depth reached",
            a.depth_reached.into(),
            b.depth_reached.into(),
        ),
        (
            "the depth at which regions fold",
            a.max_depth.into(),
            b.max_depth.into(),
        ),
    ] {
        if left != right {
            return Err(values(a, b, what, left, right));
        }
    }
    if a.finished != b.finished {
        let (killed, finished) = if b.finished { (a, b) } else { (b, a) };
        return Err(Difference(format!(
            "the run with {} was killed, that with {} was not",
            range(killed),
            range(finished)
        )));
    }
    blind_spots(a, b)
}

/// Figures that every run measures, with their names.
fn same_everywhere(c: &Context) -> [(&'static str, u64); 7] {
    [
        ("number of instances", c.instances),
        ("work", c.work),
        ("children's work", c.child_work),
        ("number of children", c.children),
        ("fewest children", c.children_min),
        ("most children", c.children_max),
        ("number of instances with several children", c.multi),
    ]
}

fn modules(a: &RawLog, b: &RawLog) -> Result<(), Difference> {
    for (x, y) in a.modules.iter().zip(&b.modules) {
        if x.content != y.content {
            let (here, there) = (&x.content.source, &y.content.source);
            return Err(Difference(format!(
                "module {here} was loaded with {}, {there} with {}",
                range(a),
                range(b)
            )));
        }
    }
    if a.modules.len() == b.modules.len() {
        return Ok(());
    }
    Err(values(
        a,
        b,
        "the number of modules",
        a.modules.len() as u64,
        b.modules.len() as u64,
    ))
}

fn blind_spots(a: &RawLog, b: &RawLog) -> Result<(), Difference> {
    for (x, y) in a.modules.iter().zip(&b.modules) {
        for ((name, &left), &right) in x.content.blind.iter().zip(&x.calls).zip(&y.calls) {
            if left != right {
                let what = format!("the number of calls of {}", super::blind::demangle(name));
                return Err(values(a, b, &what, left, right));
            }
        }
    }
    Ok(())
}

fn values(a: &RawLog, b: &RawLog, what: &str, left: u64, right: u64) -> Difference {
    Difference(format!(
        "{what} is {left} with {} and {right} with {}",
        range(a),
        range(b)
    ))
}

/// A region in words.
pub(super) fn describe(log: &RawLog, region: u32) -> String {
    use crate::module::RegionKind::{Function, Iteration, Loop};
    let Some(region) = log.region(region) else {
        return format!("region {region}");
    };
    let kind = match region.kind {
        Function => "function",
        Loop => "the loop in",
        Iteration => "an iteration of the loop in",
    };
    let file = if region.file.is_empty() {
        "?"
    } else {
        &region.file
    };
    format!("{kind} {} ({file}:{})", region.function, region.line)
}

/// The run in words: the depths it tracked.
pub(super) fn range(log: &RawLog) -> String {
    format!(
        "levels {}..{}",
        log.start_level,
        log.start_level + log.lanes
    )
}
