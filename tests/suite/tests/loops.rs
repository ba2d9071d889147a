//! The labelled loops: class and self-parallelism of every annotated loop under `loops/`, as one table.

use parascan_suite::annotation::Target;
use parascan_suite::check::{annotations, assert_all, check_all, sources};
use parascan_suite::tool::Tool;

/// Files of loops made to mislead: hidden, rare, in callees, by bytes, in reused storage, with bounds in memory.
const ADVERSARIAL: [&str; 7] = [
    "hidden",
    "sometimes",
    "callees",
    "bytes",
    "reuse",
    "bounds",
    "vectors",
];

#[test]
fn every_labelled_loop_is_classified_as_derived() -> anyhow::Result<()> {
    let tool = Tool::find()?;
    assert_all(&check_all(&tool, &sources("loops")));
    Ok(())
}

#[test]
fn there_are_enough_labels_and_all_can_be_read() -> anyhow::Result<()> {
    let (mut loops, mut adversarial) = (0, 0);
    for source in sources("loops") {
        let found = annotations(&source)?.expectations;
        let name = source.file_stem().unwrap_or_default().to_string_lossy();
        let count = found.iter().filter(|e| e.target == Target::Loop).count();
        loops += count;
        if ADVERSARIAL.contains(&name.as_ref()) {
            adversarial += count;
        }
    }
    assert!(loops >= 240, "only {loops} labelled loops");
    assert!(adversarial >= 100, "only {adversarial} adversarial ones");
    Ok(())
}

#[test]
fn labels_say_what_stops_a_loop_and_what_it_needs() -> anyhow::Result<()> {
    let (mut carried, mut clauses) = (0, 0);
    for source in sources("loops") {
        for expectation in annotations(&source)?.expectations {
            carried += expectation.carried.len();
            clauses += usize::from(expectation.clauses.is_some());
        }
    }
    assert!(carried >= 34, "only {carried} dependences named");
    assert!(clauses >= 50, "only {clauses} loops with clauses");
    Ok(())
}
