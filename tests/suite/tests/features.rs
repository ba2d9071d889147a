//! Programs with unusual features of C and C++ behave the same instrumented and not, with various flags.

use std::process::Command;

use parascan_suite::process::{in_parallel, run};
use parascan_suite::tool::{LIMIT, Tool, quiet, suite_dir};

/// Compiles with and without parascan and compares exit code and output, recorded in both ways and not.
fn same_behaviour(source: &str, compiler: &str, flags: &[&str]) -> anyhow::Result<()> {
    let tool = Tool::find()?;
    let source = suite_dir().join("traps/features").join(source);
    let directory = tempfile::tempdir()?;
    let (native, program) = (
        directory.path().join("native"),
        directory.path().join("program"),
    );
    let flags = [&["-w"], flags].concat();
    quiet(
        Command::new(compiler)
            .args(&flags)
            .arg(&source)
            .arg("-o")
            .arg(&native)
            .arg("-lm"),
    )?;
    tool.compile(&source, &flags, &program)?;
    let expected = run(&mut Command::new(&native), LIMIT)?;
    let plain = run(&mut Command::new(&program), LIMIT)?;
    let profile = directory.path().join("out.prof");
    let explained = tool.record_with(&["--explain"], &program, &[], &profile)?;
    let recorded = tool.record(&program, &[], &profile)?;
    for (how, found) in [
        ("not recorded", plain),
        ("explained", explained),
        ("recorded", recorded),
    ] {
        assert_eq!(
            found.code(),
            expected.code(),
            "{flags:?}, {how}: {}",
            found.errors()
        );
        assert_eq!(found.text(), expected.text(), "{flags:?}, {how}");
    }
    tool.regions(&profile)?.consistent()
}

fn with_all_flags(source: &str, compiler: &str, common: &[&str]) -> anyhow::Result<()> {
    let variants: [&[&str]; 8] = [
        &["-O0"],
        &["-O1", "-g"],
        &["-O2", "-fno-strict-aliasing"],
        &["-O3", "-march=native"],
        &["-O2", "-ffast-math"],
        &["-O2", "-flto"],
        &["-Os", "-static"],
        &[
            "-O2",
            "-fno-pie",
            "-no-pie",
            "-fomit-frame-pointer",
            "-fstack-protector-all",
        ],
    ];
    let failures: Vec<String> = in_parallel(&variants, |flags| {
        std::panic::catch_unwind(|| same_behaviour(source, compiler, &[common, flags].concat()))
            .map_or_else(
                |_| Some(format!("{flags:?}: see above")),
                |r| r.err().map(|e| format!("{flags:?}: {e:#}")),
            )
    })
    .into_iter()
    .flatten()
    .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}

#[test]
fn unusual_c_behaves_the_same() -> anyhow::Result<()> {
    with_all_flags("unusual.c", "clang-22", &[])
}

#[test]
fn unusual_cpp_behaves_the_same() -> anyhow::Result<()> {
    with_all_flags("unusual.cc", "clang++-22", &["-std=c++20"])
}

#[test]
fn lent_addresses_lead_to_what_they_led_to() -> anyhow::Result<()> {
    with_all_flags("lent.cc", "clang++-22", &["-std=c++20"])
}

#[test]
fn library_functions_are_not_asked_for_more_than_they_do() -> anyhow::Result<()> {
    for flags in [
        ["-O0", "-g"],
        ["-O2", "-D_FORTIFY_SOURCE=0"],
        ["-O2", "-D_FORTIFY_SOURCE=2"],
    ] {
        same_behaviour("library.c", "clang-22", &flags)?;
    }
    Ok(())
}
