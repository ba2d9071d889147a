//! The labelled loops: class and self-parallelism of every annotated loop under `loops/`, as one table.

use parascan_suite::check::{annotations, assert_all, check_all, sources};
use parascan_suite::tool::Tool;

#[test]
fn every_labelled_loop_is_classified_as_derived() -> anyhow::Result<()> {
    let tool = Tool::find()?;
    assert_all(&check_all(&tool, &sources("loops")));
    Ok(())
}

#[test]
fn there_are_enough_labels_and_all_can_be_read() -> anyhow::Result<()> {
    let mut labels = 0;
    for source in sources("loops") {
        labels += annotations(&source)?.expectations.len();
    }
    assert!(labels >= 60, "only {labels} labels");
    Ok(())
}
