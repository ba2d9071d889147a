//! Builds and options for recordings without bursts.

use anyhow::{Context, Result};
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Setup};

use crate::{PROGRAM, build_usual, regions};

#[test]
fn options_that_do_not_go_together_are_refused() -> Result<()> {
    let setup = Setup::new()?;
    let profile = setup.path("b.prof");
    let program = build_usual(&setup, &["--parascan-exact"])?;
    let refused = setup
        .tool
        .record_with(&["--overhead", "5"], &program, &[], &profile)?;
    assert_eq!(refused.code(), Some(2));
    assert!(
        refused.errors().contains("--parascan-exact"),
        "{}",
        refused.errors()
    );
    let program = build_usual(&setup, &[])?;
    for flags in [
        &["--overhead", "0"][..],
        &["--levels", "0..4", "--seed", "2"],
        &["--repeat", "0"],
        &["--repeat", "2", "--once"],
        &["--exact", "--seed", "2"],
        &["--exact", "--beginning", "2"],
        &["--exact", "--until", "2"],
        &["--until", "0"],
        &["--beginning", "0"],
    ] {
        let refused = setup.tool.record_with(flags, &program, &[], &profile)?;
        assert_eq!(refused.code(), Some(2), "{flags:?}: {}", refused.errors());
    }
    Ok(())
}

#[test]
fn builds_for_exact_recordings_have_no_native_versions() -> Result<()> {
    let setup = Setup::new()?;
    let source = setup.path("a.c");
    std::fs::write(&source, PROGRAM)?;
    for (flags, variables, native) in [
        (&[][..], &[][..], true),
        (&["--parascan-exact"], &[], false),
        (&["--parascan-clock=64"], &[], false),
        (&[], &[("PARASCAN_EXACT", "1")], false),
        (&[], &[("PARASCAN_EXACT", "0")], true),
        (&[], &[("PARASCAN_CLOCK", "64")], false),
        // Of `record`, for the runtime: a program that compiles is recorded.
        (&[], &[("PARASCAN_BURSTS", "1:50:50:0:100000")], true),
    ] {
        let mut command = setup.tool.driver(&source);
        command.args(["-O1", "-c"]).args(flags).arg(&source);
        command.envs(variables.iter().copied());
        let done = run(command.current_dir(setup.folder.path()), LIMIT)?;
        assert_eq!(done.code(), Some(0), "{}", done.errors());
        let object = std::fs::read(setup.path("a.o"))?;
        let has = object.windows(8).any(|word| word == b"ps_sites");
        assert_eq!(has, native, "{flags:?} {variables:?}");
    }
    Ok(())
}

/// Code without native versions goes by bases that a burst would have to raise: where there is some all of the run is
/// tracked, also below a script, of which `record` knows nothing.
#[test]
fn programs_with_exact_code_are_tracked_as_a_whole() -> Result<()> {
    let setup = Setup::new()?;
    let profile = setup.path("b.prof");
    let (source, other) = (setup.path("a.c"), setup.path("other.c"));
    std::fs::write(&source, PROGRAM)?;
    std::fs::write(&other, "int other(int x) { return x + 1; }\n")?;
    let object = setup.path("other.o");
    setup
        .tool
        .compile(&other, &["-O1", "-c", "--parascan-exact"], &object)?;
    let linked = object.to_str().context("a path in UTF-8")?;
    let usual = setup.path("usual");
    setup.tool.compile(&source, &["-O1"], &usual)?;
    let mixed = setup.path("mixed");
    setup.tool.compile(&source, &["-O1", linked], &mixed)?;
    for (program, whole) in [(&usual, false), (&mixed, true)] {
        let script = setup.path("script");
        std::fs::write(&script, format!("#!/bin/sh\n{} 1000\n", program.display()))?;
        std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        for (command, arguments) in [(program, &["1000"][..]), (&script, &[])] {
            let flags = ["--beginning", "0.2", "--once"];
            if whole && command == program {
                // It is known before it runs.
                let refused = setup
                    .tool
                    .record_with(&flags, command, arguments, &profile)?;
                assert_eq!(refused.code(), Some(2), "{}", refused.errors());
                setup
                    .tool
                    .record_with(&["--once"], command, arguments, &profile)?;
            } else {
                setup
                    .tool
                    .record_with(&flags, command, arguments, &profile)?;
            }
            let found = regions(&setup, &profile)?;
            let bursts = &found["profiles"][0]["bursts"];
            assert_eq!(bursts.is_null(), whole, "{} {bursts}", command.display());
        }
    }
    Ok(())
}
