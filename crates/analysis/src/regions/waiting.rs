//! What is said of a loop's iterations beside the dependences observed: how often they were seen to be independent, and
//! what they wait for where no access to memory shows it.

use parascan_formats::module::{RegionKind, RegionStatic};
use parascan_formats::source::{ObstacleKind, Sharing, SharingDoubt};

use crate::class::{RegionClass, SerialReason};
use crate::evidence::{LoopFacts, unseen_in_words};
use crate::model::InstanceSums;
use crate::numbers::count;

/// What a loop waits for of which no iteration reads what an earlier one wrote: time passes from iteration to iteration
/// by data and by control alone. `ends_early`: the target's loops can be left by a directive.
pub(super) fn by_control(
    class: RegionClass,
    reason: Option<SerialReason>,
    region: &RegionStatic,
    all: &InstanceSums,
    evidence: Option<&LoopFacts>,
    ends_early: bool,
) -> Option<String> {
    let waits = class == RegionClass::Doacross || reason == Some(SerialReason::Dependences);
    let unseen = evidence.is_some_and(|facts| !facts.unseen.is_empty());
    if region.kind != RegionKind::Loop || !waits || unseen {
        return None;
    }
    let exits = exits(region);
    if region.counted && exits.is_empty() {
        let whole = evidence.is_some_and(LoopFacts::is_whole);
        let kept = kept(region);
        return whole.then(|| {
            let what = match kept.is_empty() {
                true => "a variable".to_owned(),
                false => kept.join(" or "),
            };
            format!(
                "its iterations wait for earlier ones, but what for was not found among the accesses to memory: {what} that not every \
                 iteration sets, or a decision"
            )
        });
    }
    let how = match &exits[..] {
        [] => "by the loop's test or an exit".to_owned(),
        lines => format!(
            "where it may be left on line {}. If all may run, a search needs no such exit: combine what the iterations find (a \
             reduction by `||`, or by `min` over the index for the first){}",
            lines.join(" and "),
            match ends_early {
                true => ", or end it early with `#pragma omp cancel for`",
                false => "",
            }
        ),
    };
    waits_by_control(region, all).then(|| {
        format!(
            "no iteration reads what an earlier one wrote, but whether there is another iteration is decided in the one before: {how}"
        )
    })
}

/// Variables that may carry a value from one iteration to the next, by the source alone.
fn kept(region: &RegionStatic) -> Vec<String> {
    let variables = region.source.iter().flat_map(|s| &s.variables);
    let kept = variables.filter(|v| v.sharing == Sharing::Unknown(SharingDoubt::Carried));
    kept.map(|v| format!("`{}` (line {})", v.name, v.at))
        .collect()
}

/// Lines on which a loop may be left before its end.
fn exits(region: &RegionStatic) -> Vec<String> {
    let exits = region.source.iter().flat_map(|s| &s.obstacles);
    let mut exits: Vec<String> = exits
        .filter(|o| o.kind == ObstacleKind::Exit && o.line > 0)
        .map(|o| o.line.to_string())
        .collect();
    exits.dedup();
    exits
}

/// Whether no iteration read what an earlier one wrote, and each decides whether there is another one.
pub(super) fn waits_by_control(region: &RegionStatic, all: &InstanceSums) -> bool {
    let decides = !region.counted || !exits(region).is_empty();
    decides && all.carried == 0 && all.unobserved == 0
}

/// How often the iterations of a parallel loop were seen to be independent.
pub(super) fn confidence(
    class: RegionClass,
    all: &InstanceSums,
    evidence: Option<&LoopFacts>,
) -> Option<String> {
    let apart = match class {
        RegionClass::Doall => "",
        RegionClass::DoallReduction => ", its reductions apart",
        _ => return None,
    };
    let (what, iterations, instances) = match evidence {
        Some(facts) if facts.is_whole() => {
            let unseen: Vec<String> = facts.unseen.iter().map(|f| unseen_in_words(f)).collect();
            let but = match unseen.len() {
                0 => String::new(),
                _ => format!(", but for those in {}", unseen.join(", ")),
            };
            (
                format!("every access looked at{but}"),
                facts.iterations,
                facts.instances,
            )
        }
        _ => ("reads looked at".to_owned(), all.children, all.instances),
    };
    Some(format!(
        "no carried dependence in {} of {} on this input{apart} ({what})",
        count(iterations, "iteration", "iterations"),
        count(instances, "instance", "instances")
    ))
}

#[cfg(test)]
mod tests {
    use parascan_formats::source::{LoopSource, Variable, VariableKind};

    use super::*;

    #[test]
    fn what_no_access_shows_is_named_where_the_source_tells() {
        let variable = |name: &str, sharing| Variable {
            name: name.to_owned(),
            line: 1,
            global: false,
            shape: VariableKind::Scalar,
            sharing,
            at: 7,
        };
        let mut region = RegionStatic {
            kind: RegionKind::Loop,
            parent: None,
            function: "f".to_owned(),
            linkage_name: "f".to_owned(),
            file: "f.c".to_owned(),
            line: 6,
            column: 3,
            end_line: 7,
            counted: true,
            broken: Vec::new(),
            folded: false,
            streams: Vec::new(),
            vectorized: None,
            writes_to_frame: None,
            source: Some(LoopSource {
                variables: vec![
                    variable("at", Sharing::Unknown(SharingDoubt::Carried)),
                    variable("t", Sharing::Private),
                ],
                ..LoopSource::default()
            }),
        };
        let facts = LoopFacts {
            instances: 1,
            iterations: 9,
            ..LoopFacts::default()
        };
        let said = |region: &RegionStatic| {
            by_control(
                RegionClass::Doacross,
                None,
                region,
                &InstanceSums::default(),
                Some(&facts),
                true,
            )
        };
        let end = "that not every iteration sets, or a decision";
        let named = said(&region).expect("all was looked at");
        assert!(
            named.ends_with(&format!(": `at` (line 7) {end}")),
            "{named}"
        );
        region.source = None;
        let unnamed = said(&region).expect("all was looked at");
        assert!(
            unnamed.ends_with(&format!(": a variable {end}")),
            "{unnamed}"
        );
    }
}
