//! What instrumented builds take: processor time of the compiler and machine code of every program, beside
//! `clang-22 -O2 -g`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use object::{Object, ObjectSection, SectionKind};

use crate::machine::Machine;
use crate::measure::run;
use crate::program::{BenchProgram, is_cpp};
use crate::report::geometric_mean;
use crate::subject::LIMIT;
use crate::tool::{Build, Compiler, Tool};

/// Compiling all sources of a program, each by itself, without the link.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileEffort {
    /// Processor time of the compiler.
    seconds: f64,
    /// Bytes of machine code in the objects.
    code: u64,
}

/// A program's efforts: plain, as users have it, with tracked code alone (`--parascan-exact`).
pub struct Row {
    name: &'static str,
    /// Or what failed.
    pub result: Result<[CompileEffort; 3], String>,
}

/// Compiles a program in all three ways.
pub fn measure(tool: &Tool, program: &BenchProgram) -> Row {
    let parascan = |build| Compiler::Parascan {
        tool: tool.clone(),
        flags: Vec::new(),
        build,
    };
    let compilers = [
        Compiler::Native,
        parascan(Build::Native),
        parascan(Build::Exact),
    ];
    let all = compilers
        .iter()
        .map(|compiler| compile(program, compiler))
        .collect::<Result<Vec<CompileEffort>>>();
    Row {
        name: program.name,
        result: match all {
            Ok(efforts) => Ok([efforts[0], efforts[1], efforts[2]]),
            Err(error) => Err(format!("{error:#}")),
        },
    }
}

fn compile(program: &BenchProgram, compiler: &Compiler) -> Result<CompileEffort> {
    let folder = tempfile::tempdir()?;
    let object = folder.path().join("object.o");
    let mut effort = CompileEffort::default();
    for source in &program.sources {
        let mut command = compiler.driver(is_cpp(source));
        command
            .args(["-O2", "-g", "-w", "-c"])
            .args(&program.flags)
            .arg(source)
            .arg("-o")
            .arg(&object)
            .current_dir(folder.path());
        let finished = run(&mut command, LIMIT)?.success(&source.display().to_string())?;
        effort.seconds += finished.cost.cpu_seconds;
        effort.code += code(&object)?;
    }
    if effort.code == 0 {
        bail!("{} has no machine code", program.name);
    }
    Ok(effort)
}

/// Bytes in an object's sections of machine code.
fn code(path: &Path) -> Result<u64> {
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    let file = object::File::parse(&*bytes).with_context(|| path.display().to_string())?;
    let sections = file.sections().filter(|s| s.kind() == SectionKind::Text);
    Ok(sections.map(|s| s.size()).sum())
}

/// The table.
pub fn markdown(machine: &Machine, rows: &[Row]) -> String {
    let mut text = format!(
        "{}. Processor time of the compiler, each source by itself, without links; machine code of the objects.\n\n\
         | program | clang -O2, s | default | exact | code, kB | default | exact |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
        machine.measured(1)
    );
    let mut all = Vec::new();
    for row in rows {
        let [plain, default, exact] = match &row.result {
            Ok(efforts) => efforts,
            Err(message) => {
                let _ = writeln!(text, "| {} | {} |", row.name, message.replace('\n', " "));
                continue;
            }
        };
        let ratios = [default, exact]
            .map(|e| (e.seconds / plain.seconds, e.code as f64 / plain.code as f64));
        let _ = writeln!(
            text,
            "| {} | {:.2} | {:.1}x | {:.1}x | {:.1} | {:.1}x | {:.1}x |",
            row.name,
            plain.seconds,
            ratios[0].0,
            ratios[1].0,
            plain.code as f64 / 1e3,
            ratios[0].1,
            ratios[1].1,
        );
        all.push(ratios);
    }
    let figures = [0, 1].map(|way| {
        let mean = |part: fn(&(f64, f64)) -> f64| geometric_mean(all.iter().map(|r| part(&r[way])));
        let most =
            |part: fn(&(f64, f64)) -> f64| all.iter().map(|r| part(&r[way])).fold(0.0, f64::max);
        format!(
            "compile time {:.1}x in the geometric mean, {:.1}x at most; code {:.1}x and {:.1}x",
            mean(|r| r.0),
            most(|r| r.0),
            mean(|r| r.1),
            most(|r| r.1)
        )
    });
    let _ = writeln!(
        text,
        "\n{} programs. Default: {} (targets 4x and 5x). Exact: {}.",
        all.len(),
        figures[0],
        figures[1]
    );
    text
}
