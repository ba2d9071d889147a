//! Whether runs did the same, and if not, what differed first.

use super::Difference;
use crate::log::RawLog;
use crate::profile::Context;

/// Compares everything that does not depend on clocks. Runs record depths down to one below those they track, so one of
/// them has all contexts that the others have.
pub(super) fn compare(logs: &[&RawLog]) -> Result<(), Difference> {
    let all = deepest(logs).ok_or_else(|| Difference("there is no run".to_owned()))?;
    logs.iter()
        .filter(|other| !std::ptr::eq(**other, all))
        .try_for_each(|other| compare_two(other, all))
}

/// The run that recorded the deepest regions.
pub(super) fn deepest<'a>(logs: &[&'a RawLog]) -> Option<&'a RawLog> {
    logs.iter().copied().max_by_key(|log| log.max_depth)
}

/// Numbers in `all` of the contexts of a run that records no deeper regions, the program first. Contexts are numbered
/// in the order in which they were first entered, so leaving out deeper ones changes no order.
pub(super) fn recorded(all: &RawLog, max_depth: u32) -> Vec<u32> {
    let inner = (1u32..).zip(all.contexts.iter().skip(1));
    std::iter::once(0)
        .chain(inner.filter_map(|(n, c)| (c.depth < max_depth).then_some(n)))
        .collect()
}

/// `all` records as deep as `some`, or deeper.
fn compare_two(some: &RawLog, all: &RawLog) -> Result<(), Difference> {
    modules(some, all)?;
    let numbers = recorded(all, some.max_depth);
    for (x, &number) in some.contexts.iter().zip(&numbers).skip(1) {
        let y = &all.contexts[number as usize];
        if (numbers[x.parent as usize], x.region) != (y.parent, y.region) {
            let (here, there) = (describe(some, x.region), describe(all, y.region));
            return Err(Difference(format!(
                "{here} was entered with {}, {there} with {}",
                range(some),
                range(all)
            )));
        }
        // Children beyond the depth at which regions fold are not recorded.
        let with_children = x.depth + 1 < some.max_depth || some.max_depth == all.max_depth;
        let mut figures = same_everywhere(x).into_iter().zip(same_everywhere(y));
        let differs = figures.find(|((_, of_children, left), (_, _, right))| {
            left != right && (with_children || !of_children)
        });
        if let Some(((what, _, left), (_, _, right))) = differs {
            let what = format!("the {what} of {}", describe(some, x.region));
            return Err(values(some, all, &what, left, right));
        }
    }
    if some.contexts.len() != numbers.len() {
        let (more, fewer, region) = match numbers.get(some.contexts.len()) {
            Some(&extra) => (all, some, all.contexts[extra as usize].region),
            None => (some, all, some.contexts[numbers.len()].region),
        };
        return Err(Difference(format!(
            "{} was entered with {}, not with {}",
            describe(more, region),
            range(more),
            range(fewer)
        )));
    }
    let mut numbers = vec![
        ("the program's work", some.work, all.work),
        (
            "the depth reached",
            some.depth_reached.into(),
            all.depth_reached.into(),
        ),
    ];
    if some.max_depth == all.max_depth {
        numbers.push((
            "the number of folded region entries",
            some.folded,
            all.folded,
        ));
    }
    for (what, left, right) in numbers {
        if left != right {
            return Err(values(some, all, what, left, right));
        }
    }
    if some.finished != all.finished {
        let (killed, finished) = if all.finished {
            (some, all)
        } else {
            (all, some)
        };
        return Err(Difference(format!(
            "the run with {} was killed, that with {} was not",
            range(killed),
            range(finished)
        )));
    }
    blind_spots(some, all)
}

/// Figures that every run measures: name, whether it is about children, value.
fn same_everywhere(c: &Context) -> [(&'static str, bool, u64); 7] {
    [
        ("number of instances", false, c.instances),
        ("work", false, c.work),
        ("children's work", true, c.child_work),
        ("number of children", true, c.children),
        ("fewest children", true, c.children_min),
        ("most children", true, c.children_max),
        ("number of instances with several children", true, c.multi),
    ]
}

/// Whether the same modules were loaded in the same order.
pub(super) fn modules(a: &RawLog, b: &RawLog) -> Result<(), Difference> {
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
                let what = format!("the number of calls of {}", crate::names::demangle(name));
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
