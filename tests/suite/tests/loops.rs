//! The labelled loops: class and self-parallelism of every annotated loop under `loops/`, as one table.

use parascan_suite::annotation::{Clauses, Expectation, Target};
use parascan_suite::check::{
    Verdict, annotations, assert_all, check_all, clauses_hold, explain_all, explained_at, name,
    region, sources,
};
use parascan_suite::explained;
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
fn what_stops_every_labelled_loop_is_explained() -> anyhow::Result<()> {
    let tool = Tool::find()?;
    assert_all(&explain_all(&tool, &sources("loops")));
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
    let (mut dependences, mut clauses, mut bare) = (0, 0, Vec::new());
    for source in sources("loops") {
        for e in annotations(&source)?.expectations {
            let reason = e.carries_none.is_some() || e.carries_more.is_some();
            let waits = e.wanted.waits() && e.carried.is_empty() && !reason;
            let parallel = e.wanted.parallel() && e.clauses.is_none();
            if e.target == Target::Loop && (waits || parallel) {
                bare.push(format!("{}:{}", source.display(), e.line));
            }
            dependences += e.carried.len();
            clauses += usize::from(e.clauses.is_some());
        }
    }
    assert!(bare.is_empty(), "loops without a label: {bare:#?}");
    assert!(dependences >= 120, "only {dependences} dependences named");
    assert!(clauses >= 150, "only {clauses} loops with clauses");
    Ok(())
}

/// An expectation with something wrong in it, in every way in which one can be wrong.
fn mistakes(right: &Expectation) -> Vec<Expectation> {
    let mut wrong = Vec::new();
    let mut with = |change: &dyn Fn(&mut Expectation)| {
        let mut one = right.clone();
        change(&mut one);
        wrong.push(one);
    };
    for (index, label) in right.carried.iter().enumerate() {
        with(&|e| e.carried[index].variable.insert(0, '_'));
        with(&|e| e.carried[index].writes += 1);
        with(&|e| e.carried[index].reads += 1);
        if let Some((least, most)) = label.distance {
            with(&|e| e.carried[index].distance = Some((least, most + 1)));
            with(&|e| e.carried[index].distance = Some((least - 1, most)));
        }
        if right.carries_more.is_none() {
            with(&|e| {
                e.carried.remove(index);
                e.carries_none.get_or_insert_default();
            });
        }
    }
    if right.wanted.waits() {
        with(&|e| {
            e.carried.clear();
            (e.carries_none, e.carries_more) = (None, None);
        });
    }
    wrong
}

#[test]
fn a_wrong_label_is_noticed() -> anyhow::Result<()> {
    let tool = Tool::find()?;
    let mut tried = 0;
    for source in sources("loops") {
        if !["hidden.c", "sometimes.c", "lists.c"].contains(&name(&source).as_str()) {
            continue;
        }
        let (mut labels, regions, found) = explained_at(&tool, &source, "O1")?;
        let right = std::mem::take(&mut labels.expectations);
        for wrong in right.iter().flat_map(mistakes) {
            labels.expectations = vec![wrong];
            let rows = explained::compare(&source, "O1", &labels, &regions, &found);
            assert_eq!(
                rows[0].verdict,
                Verdict::Differs,
                "{:?}",
                labels.expectations
            );
            tried += 1;
        }
        for mut wrong in right {
            let region = region(&source, &wrong, &regions).map_err(anyhow::Error::msg)?;
            if region.pragma.is_none() && region.proposal.is_none() || wrong.clauses.is_none() {
                continue;
            }
            wrong.clauses = Some(Clauses::Directive(vec!["private(unheard_of)".into()]));
            wrong.proposal = None;
            assert!(!clauses_hold(region, &wrong), "{wrong:?}");
            tried += 1;
        }
    }
    assert!(tried >= 100, "only {tried} mistakes");
    Ok(())
}
