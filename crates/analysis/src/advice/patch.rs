//! Lines around a loop, where no directive alone would do.

use parascan_formats::source::{Best, LoopSource};
use serde::Serialize;

/// Lines to put in front of a loop and behind it; the loop itself stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Patch {
    /// Lines in front of the loop's first one.
    pub before: Vec<String>,
    /// The loop's last line.
    pub last_line: u32,
    /// Lines behind that.
    pub after: Vec<String>,
}

/// The minima and maxima of a loop for which there can be a patch: lines can be added behind it.
pub(super) fn settled(source: &LoopSource) -> &[Best] {
    match source.last_line {
        0 => &[],
        _ => &source.best,
    }
}

/// Every thread keeps its own value with what belongs to it, of the iterations from one number to another in order (`schedule(static)`), so
/// that it has the first of equal ones. Of two threads the better value counts, of equal ones the one that was found first. A thread that
/// found none has what stood there before the loop, which is worse than all that was found. So the result is that of the serial loop, to
/// the bit: nothing is computed, and values that compare with nothing (NaN) replace nothing in either.
pub(super) fn keep_best(source: &LoopSource, clauses: &[String]) -> Patch {
    let best = settled(source);
    let names: Vec<&str> = best.iter().flat_map(Best::names).collect();
    let all = |name: &str| format!("parascan_{name}");
    let mut before = vec!["{".to_owned()];
    for name in &names {
        before.push(format!("    __typeof__({name}) {} = {name};", all(name)));
    }
    before.push(format!(
        "    #pragma omp parallel firstprivate({})",
        names.join(",")
    ));
    before.push("    {".to_owned());
    let directive = ["#pragma omp for schedule(static) nowait".to_owned()];
    let directive: Vec<String> = directive
        .into_iter()
        .chain(clauses.iter().cloned())
        .collect();
    before.push(format!("        {}", directive.join(" ")));
    let mut after = vec![
        "        #pragma omp critical".to_owned(),
        "        {".to_owned(),
    ];
    for best in best {
        let Best {
            value, position, ..
        } = best;
        let better = if best.is_minimum { "<" } else { ">" };
        let first = if source.descends { ">" } else { "<" };
        let (others, before) = (all(value), all(position));
        after.push(format!("            if ({value} {better} {others} ||"));
        after.push(format!(
            "                ({value} == {others} && {position} {first} {before})) {{"
        ));
        for name in best.names() {
            after.push(format!("                {} = {name};", all(name)));
        }
        after.push("            }".to_owned());
    }
    after.extend(["        }", "    }"].map(str::to_owned));
    for name in &names {
        after.push(format!("    {name} = {};", all(name)));
    }
    after.push("}".to_owned());
    Patch {
        before,
        last_line: source.last_line,
        after,
    }
}
