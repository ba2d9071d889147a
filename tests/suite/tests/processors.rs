//! Instrumented programs run on any x86-64-v2 processor, whatever machine compiled them. The processor without AVX is
//! this one, executing instruction by instruction: `cpuid` answers as such a processor would, and every instruction is
//! looked at before it is executed.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use iced_x86::{CpuidFeature, Decoder, DecoderOptions, EncodingKind, Instruction, Mnemonic};
use parascan_suite::steps::Stepper;
use parascan_suite::tool::{Tool, suite_dir};

/// Functions with native versions, and one of each kind that has none: such as call `setjmp`, take variable arguments
/// or structures by value, have arrays of variable length, or jump to labels.
const SOURCE: &str = "processors/kinds.c";

/// Spares most programs the dynamic linker, which takes most of their instructions.
const STATIC: &str = "-static";

/// Builds it, with more options for the driver.
fn build(directory: &Path, options: &[&str]) -> Result<PathBuf> {
    let program = directory.join("kinds");
    let flags = [&["-O2"], options].concat();
    Tool::find()?.compile(&suite_dir().join(SOURCE), &flags, &program)?;
    Ok(program)
}

/// What a program did on a processor of level v2.
struct Ended {
    code: i32,
    /// Standard output and error.
    text: String,
    /// Instructions that were executed, `cpuid` among them.
    steps: u64,
}

/// Whether no x86-64-v2 processor has this instruction. `tzcnt` is executed as `bsf` there, as compilers know.
fn is_newer(instruction: &Instruction) -> bool {
    let newer = [
        CpuidFeature::LZCNT,
        CpuidFeature::MOVBE,
        CpuidFeature::ADX,
        CpuidFeature::RDRAND,
        CpuidFeature::RDSEED,
        CpuidFeature::XSAVE,
    ];
    instruction.encoding() != EncodingKind::Legacy
        || instruction
            .cpuid_features()
            .iter()
            .any(|f| newer.contains(f))
}

/// Has `cpuid`, which was just executed for this leaf, answer as a processor without AVX and what came with it and
/// later.
fn take_features_away(stepper: &Stepper, leaf: u64) -> Result<()> {
    // FMA, MOVBE, XSAVE, OSXSAVE, AVX, F16C, RDRAND.
    const FIRST: u64 = 1 << 12 | 1 << 22 | 1 << 26 | 1 << 27 | 1 << 28 | 1 << 29 | 1 << 30;
    let mut registers = stepper.registers()?;
    match leaf {
        1 => registers.rcx &= !FIRST,
        7 => (registers.rbx, registers.rcx, registers.rdx) = (0, 0, 0),
        // XSAVE's areas, and LZCNT among AMD's.
        0xd => (registers.rax, registers.rbx, registers.rcx, registers.rdx) = (0, 0, 0, 0),
        0x8000_0001 => registers.rcx &= !(1 << 5),
        _ => return Ok(()),
    }
    Ok(stepper.set_registers(&registers)?)
}

/// Runs a program on a processor of level v2.
fn run_on_v2(program: &Path, environment: &[&str], output: &Path) -> Result<Ended> {
    let file = File::create(output)?;
    let stepper = Stepper::start_with(program, environment, Some(&file))?;
    let mut known: HashMap<u64, bool> = HashMap::new();
    let mut steps = 0;
    let code = loop {
        let registers = stepper.registers()?;
        let at = registers.rip;
        let asks = match known.get(&at) {
            Some(&asks) => asks,
            None => {
                let mut bytes = [0; 15];
                let read = stepper.read(at, &mut bytes)?;
                let code = bytes.get(..read).context("so many were read")?;
                let instruction = Decoder::with_ip(64, code, at, DecoderOptions::NONE).decode();
                ensure!(
                    !is_newer(&instruction),
                    "{:?} at {at:#x} after {steps} steps is not of x86-64-v2",
                    instruction.code()
                );
                let asks = instruction.mnemonic() == Mnemonic::Cpuid;
                known.insert(at, asks);
                asks
            }
        };
        steps += 1;
        if let Some(code) = stepper.step()? {
            break code;
        }
        if asks {
            take_features_away(&stepper, registers.rax & 0xffff_ffff)?;
        }
    };
    Ok(Ended {
        code,
        text: std::fs::read_to_string(output)?,
        steps,
    })
}

/// What the program prints.
fn expected(program: &Path) -> Result<String> {
    let output = std::process::Command::new(program).output()?;
    ensure!(output.status.success(), "{:?}", output.status);
    Ok(String::from_utf8(output.stdout)?)
}

#[test]
fn programs_run_without_avx2_and_say_why_they_cannot_be_recorded() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let program = build(directory.path(), &[STATIC])?;
    let output = directory.path().join("output");
    let expected = expected(&program)?;
    let ended = run_on_v2(&program, &[], &output)?;
    ensure!(
        (ended.code, &ended.text) == (0, &expected),
        "{}",
        ended.text
    );
    ensure!(ended.steps > 10_000, "{} steps are no program", ended.steps);
    let folder = format!("PARASCAN_DIR={}", directory.path().display());
    let refused = run_on_v2(&program, &[&folder], &output)?;
    ensure!(refused.code == 78, "{}: {}", refused.code, refused.text);
    ensure!(
        refused.text.contains("build it with --parascan-isa=v2"),
        "{}",
        refused.text
    );
    Ok(())
}

#[test]
fn tracked_code_alone_says_at_once_that_it_needs_avx2() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let program = build(directory.path(), &["--parascan-exact"])?;
    let ended = run_on_v2(&program, &[], &directory.path().join("output"))?;
    ensure!(ended.code == 78, "{}: {}", ended.code, ended.text);
    ensure!(ended.text.contains("no AVX2"), "{}", ended.text);
    Ok(())
}

#[test]
fn what_is_built_for_v2_is_recorded_there() -> Result<()> {
    for options in [
        &["--parascan-isa=v2", STATIC][..],
        &["--parascan-isa=v2", "--parascan-exact", STATIC],
    ] {
        let directory = tempfile::tempdir()?;
        let program = build(directory.path(), options)?;
        let output = directory.path().join("output");
        let expected = expected(&program)?;
        let folder = format!("PARASCAN_DIR={}", directory.path().display());
        let ended = run_on_v2(&program, &[&folder], &output)?;
        ensure!(
            (ended.code, &ended.text) == (0, &expected),
            "{}",
            ended.text
        );
        let mut names = std::fs::read_dir(directory.path())?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect::<std::io::Result<Vec<_>>>()?;
        names.retain(|name| name.starts_with("log."));
        ensure!(names.len() == 1, "logs: {names:?}");
    }
    Ok(())
}
