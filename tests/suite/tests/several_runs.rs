//! Programs that take several runs: runs that differ by little are put together.

use anyhow::{Context, Result};
use parascan_suite::tool::Tool;

/// Twelve depths and more; a few units of work depend on what differs between the runs that `record` makes.
const NESTED: &str = "
#include <stdlib.h>
volatile int n = 6;
static int sum;
__attribute__((noinline)) static void deep(int a) {
    for (int l = 0; l < n; l++)
        sum += a * l;
}
__attribute__((noinline)) static void inner(int a) {
    for (int k = 0; k < n; k++)
        for (int m = 0; m < n; m++)
            deep(a + k + m);
}
__attribute__((noinline)) static void noise(int a) {
    for (int i = 0; i < a; i++)
        sum ^= a;
}
int main(void) {
    const char *level = getenv(\"PARASCAN_START_LEVEL\");
    noise(level ? atoi(level) / SCALE : 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            inner(i * j);
    return sum == 1;
}
";

#[test]
fn small_differences_are_told_and_nothing_is_lost() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let source = directory.path().join("a.c");
    let (program, profile) = (directory.path().join("a"), directory.path().join("a.prof"));
    for (scale, near) in [("1", true), ("100", true), ("1 * 10000", false)] {
        std::fs::write(&source, NESTED.replace("SCALE", scale))?;
        tool.compile(&source, &["-O1"], &program)?;
        let recorded = tool.record(&program, &[], &profile)?;
        assert_eq!(recorded.code(), Some(0), "{}", recorded.errors());
        let found = tool.regions(&profile)?;
        let deepest = found
            .regions
            .iter()
            .find(|r| r.function == "deep" && r.kind == "loop");
        if near {
            let deepest = deepest.context("the loop in deep")?;
            assert!(deepest.self_parallelism.is_some(), "{scale}");
            assert_eq!(deepest.instances, Some(1296.0));
            assert!(!found.profiles[0].remarks("runs_differ"));
            assert!(!found.profiles[0].remarks("not_tracked"));
            let vary = found.profiles[0].remarks("runs_vary");
            assert_eq!(vary, scale == "1", "{scale}");
        } else {
            assert!(found.profiles[0].remarks("runs_differ"));
            assert!(deepest.is_none_or(|d| d.self_parallelism.is_none()));
        }
    }
    Ok(())
}
