//! Programs under the tracer of `parascan ilp`: they behave as ever, and what is recorded is what the processor did.

/// Unit tests of the tracer: `no_std` and with a panic handler of its own, it cannot be a test program.
#[path = "../../../collectors/tracer/src/prefix.rs"]
mod prefix;

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use iced_x86::{
    Code, Decoder, DecoderOptions, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind,
    Register,
};
use parascan_suite::process::run;
use parascan_suite::steps::Stepper;
use parascan_suite::tool::{LIMIT, Setup, quiet, suite_dir};

/// What a run under the tracer counted.
type Counts = HashMap<String, u64>;

fn build(setup: &Setup, source: &str, flags: &[&str]) -> anyhow::Result<PathBuf> {
    let output = setup
        .folder
        .path()
        .join(Path::new(source).with_extension(""));
    let mut compiler = if source.ends_with(".f90") {
        Command::new("flang-22")
    } else {
        let mut clang = Command::new("clang-22");
        clang.args(["-pthread", "-Wno-unused-command-line-argument"]);
        clang
    };
    quiet(
        compiler
            .arg("-O2")
            .args(flags)
            .arg(suite_dir().join("traced").join(source))
            .arg("-o")
            .arg(&output),
    )?;
    Ok(output)
}

/// Runs a program alone and under the tracer, and demands the same output and end.
fn compare(setup: &Setup, words: &[&str]) -> anyhow::Result<Counts> {
    let file = setup.folder.path().join("counts.json");
    let command = |command: &mut Command| run(command.current_dir(setup.folder.path()), LIMIT);
    let alone = command(Command::new(words[0]).args(&words[1..]))?;
    let mut traced = setup.tool.parascan();
    traced
        .args(["ilp", "--children", "--count-only"])
        .arg(&file)
        .arg("--")
        .args(words);
    let traced = command(&mut traced)?;
    assert!(alone.code().is_some(), "{words:?} does not end");
    assert_eq!(
        traced.code(),
        alone.code(),
        "{words:?}: {}",
        traced.errors()
    );
    assert_eq!(traced.stdout, alone.stdout, "{words:?}");
    assert_eq!(traced.errors(), alone.errors(), "{words:?}");
    let counts: HashMap<String, serde_json::Value> =
        serde_json::from_slice(&std::fs::read(&file)?)?;
    let counts: Counts = counts
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_u64()?)))
        .collect();
    for name in ["undefined", "foreign", "lost"] {
        assert_eq!(counts[name], 0, "{words:?}: {name}");
    }
    assert!(
        counts["instructions"] > counts["blocks"] && counts["blocks"] > 0,
        "{words:?}: {counts:?}"
    );
    Ok(counts)
}

fn compare_built(setup: &Setup, source: &str, flags: &[&str]) -> anyhow::Result<Counts> {
    let program = build(setup, source, flags)?;
    compare(setup, &[&program.to_string_lossy()])
}

#[test]
fn threads() -> anyhow::Result<()> {
    let counts = compare_built(&Setup::new()?, "threads.c", &[])?;
    assert_eq!(counts["threads"], 1 + 8 * 40);
    Ok(())
}

#[test]
fn signals_and_faults() -> anyhow::Result<()> {
    let counts = compare_built(&Setup::new()?, "signals.c", &[])?;
    // One fault per round (the page is made read-only again), and each alarm and SIGUSR1.
    assert_eq!(counts["cuts"], 100);
    assert!(counts["signals"] >= 100 + 50 + 19, "{counts:?}");
    Ok(())
}

/// The reader, which measures here, is slower than the program: nearly all signals come while a thread waits for it.
#[test]
fn signals_reach_a_loop_that_waits_for_the_reader() -> anyhow::Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "alarms.c", &[])?;
    let alone = run(&mut Command::new(&program), LIMIT)?;
    let mut traced = setup.tool.parascan();
    traced.args(["ilp", "--no-routines", "--"]).arg(&program);
    let traced = run(&mut traced, LIMIT)?;
    assert!(alone.stdout.ends_with(b"done\n"), "{alone:?}");
    assert_eq!(
        (traced.code(), &traced.stdout),
        (alone.code(), &alone.stdout)
    );
    Ok(())
}

#[test]
fn the_break_goes_back_and_forth() -> anyhow::Result<()> {
    compare_built(&Setup::new()?, "break.c", &[])?;
    Ok(())
}

#[test]
fn all_files_from_a_number_on() -> anyhow::Result<()> {
    compare_built(&Setup::new()?, "close_range.c", &[])?;
    Ok(())
}

#[test]
fn registers_are_kept_where_a_block_faults() -> anyhow::Result<()> {
    compare_built(&Setup::new()?, "fault.c", &[])?;
    Ok(())
}

#[test]
fn registers_are_kept_where_code_is_written() -> anyhow::Result<()> {
    compare_built(&Setup::new()?, "jit.c", &[])?;
    Ok(())
}

#[test]
fn processes() -> anyhow::Result<()> {
    for flags in [&[][..], &["-static"]] {
        let counts = compare_built(&Setup::new()?, "processes.c", flags)?;
        // Itself, five forked, five shells and one more of system() that execute at least themselves.
        assert!(counts["processes"] >= 12, "{flags:?}: {counts:?}");
    }
    Ok(())
}

/// In a forked process the other threads are gone; that is not their end in the process in which they run on.
#[test]
fn threads_that_fork() -> anyhow::Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "forks.c", &[])?;
    let program = program.to_string_lossy();
    let counts = compare(&setup, &[&program])?;
    assert_eq!(counts["processes"], 1 + 16);
    assert_eq!(counts["threads"], 4 + 16 * 2);
    for children in [&[][..], &["--children"]] {
        let mut measured = setup.tool.parascan();
        measured.arg("ilp").args(children).args(["--", &program]);
        let measured = run(&mut measured, LIMIT)?;
        assert_eq!(measured.code(), Some(0), "{}", measured.errors());
    }
    Ok(())
}

#[test]
fn crashes() -> anyhow::Result<()> {
    let setup = Setup::new()?;
    let counts = compare_built(&setup, "crash.c", &[])?;
    assert_eq!(counts["cuts"], 1);
    let program = build(&setup, "crash.c", &[])?;
    let counts = compare(&setup, &[&program.to_string_lossy(), "abort"])?;
    assert_eq!(counts["cuts"], 0);
    Ok(())
}

#[test]
fn exit_while_other_threads_run() -> anyhow::Result<()> {
    let counts = compare_built(&Setup::new()?, "exit.c", &[])?;
    assert_eq!(counts["threads"], 5);
    Ok(())
}

#[test]
fn code_that_changes() -> anyhow::Result<()> {
    compare_built(&Setup::new()?, "code.c", &[])?;
    Ok(())
}

#[test]
fn scripts() -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let setup = Setup::new()?;
    let script = setup.folder.path().join("a script's name");
    std::fs::write(&script, "#!/bin/sh -e\necho \"$0\" \"$@\" | sort\nexit 4\n")?;
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755))?;
    compare(&setup, &[&script.to_string_lossy(), "one", "two words"])?;
    Ok(())
}

#[test]
fn ordinary_programs() -> anyhow::Result<()> {
    let setup = Setup::new()?;
    let text: String = (0..20_000)
        .map(|n| format!("{} line\n", n * 7919 % 20_011))
        .collect();
    std::fs::write(setup.folder.path().join("text"), text)?;
    compare(&setup, &["gzip", "-c", "text"])?;
    compare(&setup, &["sort", "text"])?;
    compare(&setup, &["env", "-u", "_"])?;
    compare_built(&setup, "sums.f90", &[])?;
    let rust = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    compare(&setup, &[&rust.to_string_lossy(), "--version"])?;
    if Path::new("/usr/bin/python3").exists() {
        compare(
            &setup,
            &[
                "/usr/bin/python3",
                "-c",
                "print(sum(i * i for i in range(10000)))",
            ],
        )?;
    }
    Ok(())
}

/// Accesses of one kind, as `--count-only` writes them.
#[derive(Debug, Default, PartialEq)]
struct Sum {
    count: u64,
    bytes: u64,
    addresses: u64,
}

impl Sum {
    fn of(counts: &Counts, names: [&str; 3]) -> Self {
        let [count, bytes, addresses] = names.map(|name| counts[name]);
        Self {
            count,
            bytes,
            addresses,
        }
    }

    fn add(&mut self, address: u64, size: usize) {
        self.count += 1;
        self.bytes += size as u64;
        self.addresses = self.addresses.wrapping_add(address);
    }
}

/// What single-stepping and another decoder say of a program.
#[derive(Debug, Default)]
struct Oracle {
    instructions: u64,
    reads: Sum,
    writes: Sum,
}

impl Oracle {
    fn of(program: &Path) -> anyhow::Result<Self> {
        let stepper = Stepper::start(program)?;
        let mut factory = InstructionInfoFactory::new();
        let mut decoded: HashMap<u64, Instruction> = HashMap::new();
        let mut oracle = Self::default();
        loop {
            let registers = stepper.registers()?;
            let instruction = match decoded.get(&registers.rip) {
                Some(instruction) => *instruction,
                None => {
                    let mut bytes = [0; 15];
                    let length = stepper.read(registers.rip, &mut bytes)?;
                    let instruction =
                        Decoder::with_ip(64, &bytes[..length], registers.rip, DecoderOptions::NONE)
                            .decode();
                    anyhow::ensure!(instruction.code() != Code::INVALID, "{:#x}", registers.rip);
                    decoded.insert(registers.rip, instruction);
                    instruction
                }
            };
            oracle.instructions += 1;
            oracle.accesses(&stepper, &registers, instruction, &mut factory)?;
            if let Some(code) = stepper.step()? {
                anyhow::ensure!(code == 23, "exit code {code}");
                return Ok(oracle);
            }
        }
    }

    fn accesses(
        &mut self,
        stepper: &Stepper,
        registers: &libc::user_regs_struct,
        mut instruction: Instruction,
        factory: &mut InstructionInfoFactory,
    ) -> anyhow::Result<()> {
        if instruction.has_rep_prefix() || instruction.has_repne_prefix() {
            if instruction.is_string_instruction() && registers.rcx == 0 {
                return Ok(());
            }
            instruction.set_has_rep_prefix(false);
            instruction.set_has_repne_prefix(false);
        }
        let mask = mask(stepper, &instruction)?;
        let index = if instruction.is_vsib() {
            Some(stepper.vector(instruction.memory_index().number())?)
        } else {
            None
        };
        let info = factory.info(&instruction);
        for memory in info.used_memory() {
            let (read, write) = match memory.access() {
                OpAccess::Read | OpAccess::CondRead => (true, false),
                OpAccess::Write | OpAccess::CondWrite => (false, true),
                OpAccess::ReadWrite | OpAccess::ReadCondWrite => (true, true),
                _ => continue,
            };
            let whole = match instruction.mnemonic() {
                Mnemonic::Fxsave => 512,
                _ => memory.memory_size().size(),
            };
            let address = |element: usize| {
                memory.virtual_address(element, |register, element, size| {
                    value(registers, index.as_ref(), register, element, size)
                })
            };
            let bits = bits(registers, &instruction, whole);
            let elements: Vec<(u64, usize)> = match &mask {
                None => vec![(address(0).unwrap_or_default().wrapping_add(bits), whole)],
                Some((mask, size)) if index.is_some() => (0..mask.len())
                    .filter(|&element| mask[element])
                    .map(|element| (address(element).unwrap_or_default(), *size))
                    .collect(),
                Some((mask, size)) => (0..mask.len())
                    .filter(|&element| mask[element])
                    .map(|element| {
                        (
                            address(0).unwrap_or_default() + (element * size) as u64,
                            *size,
                        )
                    })
                    .collect(),
            };
            for (address, size) in elements {
                if read {
                    self.reads.add(address, size);
                }
                if write {
                    self.writes.add(address, size);
                }
            }
        }
        Ok(())
    }
}

/// How far from its operand's address a bit test with a number in a register goes, in bytes.
fn bits(registers: &libc::user_regs_struct, instruction: &Instruction, size: usize) -> u64 {
    let tests = [Mnemonic::Bt, Mnemonic::Bts, Mnemonic::Btr, Mnemonic::Btc];
    if !tests.contains(&instruction.mnemonic()) || instruction.op1_kind() != OpKind::Register {
        return 0;
    }
    let number = value(registers, None, instruction.op1_register(), 0, 0).unwrap_or_default();
    let number = match size {
        2 => i64::from(number as i16),
        4 => i64::from(number as i32),
        _ => number as i64,
    };
    let unit = size as i64;
    (number.div_euclid(8 * unit) * unit) as u64
}

/// Which elements a masked instruction accesses, and their size.
fn mask(
    stepper: &Stepper,
    instruction: &Instruction,
) -> anyhow::Result<Option<(Vec<bool>, usize)>> {
    let (operand, size) = match instruction.mnemonic() {
        Mnemonic::Vpgatherdd | Mnemonic::Vpgatherqd => (2, 4),
        Mnemonic::Vgatherdpd => (2, 8),
        Mnemonic::Vpmaskmovd | Mnemonic::Vmaskmovps => (1, 4),
        Mnemonic::Vmaskmovpd => (1, 8),
        Mnemonic::Maskmovdqu => (2, 1),
        _ => return Ok(None),
    };
    let register = instruction.op_register(operand);
    let bytes = stepper.vector(register.number())?;
    let length = register.size();
    let signs = bytes[..length]
        .chunks(size)
        .map(|element| element[size - 1] >> 7 != 0);
    Ok(Some((signs.collect(), size)))
}

/// The value of a register, or of an element of the index vector.
fn value(
    registers: &libc::user_regs_struct,
    index: Option<&[u8; 32]>,
    register: Register,
    element: usize,
    size: usize,
) -> Option<u64> {
    if register.is_vector_register() {
        let bytes = &index?[element * size..][..size];
        return Some(match size {
            4 => i64::from(i32::from_le_bytes(bytes.try_into().ok()?)) as u64,
            _ => u64::from_le_bytes(bytes.try_into().ok()?),
        });
    }
    let full = match register.full_register() {
        Register::RAX => registers.rax,
        Register::RCX => registers.rcx,
        Register::RDX => registers.rdx,
        Register::RBX => registers.rbx,
        Register::RSP => registers.rsp,
        Register::RBP => registers.rbp,
        Register::RSI => registers.rsi,
        Register::RDI => registers.rdi,
        Register::R8 => registers.r8,
        Register::R9 => registers.r9,
        Register::R10 => registers.r10,
        Register::R11 => registers.r11,
        Register::R12 => registers.r12,
        Register::R13 => registers.r13,
        Register::R14 => registers.r14,
        Register::R15 => registers.r15,
        Register::FS => registers.fs_base,
        Register::GS => registers.gs_base,
        Register::ES | Register::CS | Register::SS | Register::DS => 0,
        _ => return None,
    };
    Some(match register.size() {
        1 => full & 0xff,
        2 if !register.is_segment_register() => full & 0xffff,
        4 => full & 0xffff_ffff,
        _ => full,
    })
}

#[test]
fn instructions_and_addresses_are_those_of_single_steps() -> anyhow::Result<()> {
    if !std::arch::is_x86_feature_detected!("avx2") {
        eprintln!("skipped: this processor has no AVX2");
        return Ok(());
    }
    let setup = Setup::new()?;
    let flags = ["-nostdlib", "-static"];
    let counts = compare_built(&setup, "operands.S", &flags)?;
    let oracle = Oracle::of(&setup.folder.path().join("operands"))?;
    assert_eq!(counts["instructions"], oracle.instructions);
    let reads = ["reads", "bytes_read", "addresses_read"];
    let writes = ["writes", "bytes_written", "addresses_written"];
    assert_eq!(Sum::of(&counts, reads), oracle.reads, "reads");
    assert_eq!(Sum::of(&counts, writes), oracle.writes, "writes");
    Ok(())
}

/// Needs no C library: that of the system uses AVX-512 before `main` where there is some.
#[test]
fn the_first_register_of_avx512_is_kept() -> anyhow::Result<()> {
    if !std::arch::is_x86_feature_detected!("avx512vl")
        || !std::arch::is_x86_feature_detected!("avx512bw")
    {
        // Not captured, as what `println!` prints is.
        writeln!(
            std::io::stderr(),
            "NOT TRIED: this processor has no AVX-512, so that nothing is known of its registers"
        )?;
        return Ok(());
    }
    let setup = Setup::new()?;
    let program = build(&setup, "first_evex.S", &["-nostdlib", "-static"])?;
    let program = program.to_string_lossy();
    assert_eq!(run(&mut Command::new(&*program), LIMIT)?.code(), Some(7));
    compare(&setup, &[&program])?;
    Ok(())
}
