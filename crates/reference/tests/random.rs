//! Random programs: every figure of every context equals the reference's. `PARASCAN_REFERENCE_CASES` sets how many.

use parascan_reference::check::Tool;
use parascan_reference::generate::Programs;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

/// Programs tried where the environment does not say otherwise: less than a minute. `cargo xtask test --all` says more.
const CASES: u32 = 40;

#[test]
fn random_programs_have_the_same_figures() -> anyhow::Result<()> {
    let tool = Tool::find()?;
    let cases = match std::env::var("PARASCAN_REFERENCE_CASES") {
        Ok(text) => text.parse()?,
        Err(_) => CASES,
    };
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 1000,
        max_shrink_time: 120_000,
        ..Config::default()
    };
    // The same programs every time.
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[22; 32]);
    let found = TestRunner::new_with_rng(config, rng).run(&Programs, |sample| {
        let report = tool
            .check_sample(&sample)
            .map_err(|e| TestCaseError::fail(format!("{e:#}")))?;
        if report.differences.is_empty() {
            Ok(())
        } else {
            Err(TestCaseError::fail(report.differences.join("\n")))
        }
    });
    match found {
        Ok(()) => Ok(()),
        Err(TestError::Fail(reason, sample)) => panic!("{sample:?}\n{reason}"),
        Err(other) => panic!("{other}"),
    }
}
