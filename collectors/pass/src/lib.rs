//! LLVM pass plugin: makes a program measure its own critical paths while it runs (hierarchical critical path
//! analysis).
//!
//! clang loads it with `-fpass-plugin`. The C++ shim (`shim/`, see `shim.h`) hooks it into the pipeline and lends the
//! analyses that LLVM's C API lacks; everything else is here, in the order in which it happens:
//!
//! * [`ps_pass_prepare`] is called before the preparation passes: `source` finds out what to write at each loop;
//! * [`ps_pass_run`] instruments: `control` and `recognise` say what a time depends on, `cost` what an instruction
//!   takes, `fold` what is constant, `ends` which checks end a function; `versions` makes native versions of functions
//!   for what lies between bursts, `deps` the bodies that `explain` runs, and `emit` writes the times (it explains the
//!   algorithm);
//! * behind the optimizer, `vectors` notes which loops became vector code.
//!
//! `ir` and `analysis` are the thin layer over LLVM, with nearly all of the unsafe code; `isa` says which instructions
//! tracked code may use.
//!
//! Environment, set by the compiler drivers: `PARASCAN_LATENCY` (preset or path of a TOML table),
//! `PARASCAN_CLOCK` (bits of a clock: 32 or 64), `PARASCAN_UNOBSERVED` (carried dependences are not observed: for
//! `parascan-bench hcpa`, which measures what observing them costs), `PARASCAN_BURSTS` (the runtime may raise the bases
//! of open instances; `native`, which is what users get: and there is a native version of every function),
//! `PARASCAN_STRIP_DEBUG` (remove debug information that the user did not ask for), `PARASCAN_DUMP` (prefix for the
//! prepared module and its notes).

mod analysis;
mod control;
mod cost;
mod deps;
mod emit;
mod ends;
mod fold;
mod ir;
mod isa;
mod recognise;
mod source;
mod vectors;
mod versions;

use std::ffi::{c_char, c_void};

use llvm_sys::prelude::LLVMModuleRef;
use parascan_formats::latency::LatencyTable;
use parascan_formats::module::LeftOutDependence;

use crate::ir::{Linkage, Module};
use crate::isa::Isa;

/// Mirrors `llvm::PassPluginLibraryInfo`.
#[repr(C)]
pub struct PassPluginLibraryInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: Option<unsafe extern "C" fn(*mut c_void)>,
    before_code_generation: Option<unsafe extern "C" fn()>,
}

unsafe extern "C" {
    fn ps_register_callbacks(pass_builder: *mut c_void);
    fn LLVMInitializeX86AsmParser();
}

/// Entry point that clang and flang look up in the plugin.
// SAFETY: the one symbol of this name in the plugin.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    // Labels of calls and marks of sections are assembly text, for which flang, unlike clang, registers no reader.
    // SAFETY: sets a pointer in LLVM's table of targets, to what it is already in clang.
    unsafe { LLVMInitializeX86AsmParser() };
    PassPluginLibraryInfo {
        api_version: 2,
        name: c"parascan".as_ptr(),
        version: concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast(),
        register: Some(ps_register_callbacks),
        before_code_generation: None,
    }
}

/// First step, before the preparation passes: makes sure they run everywhere.
// SAFETY: the one symbol of this name; called by the shim only.
#[unsafe(no_mangle)]
pub extern "C" fn ps_pass_prepare(module: LLVMModuleRef) {
    if Module(module).function("__ps_construct").is_none() {
        source::look(Module(module));
    }
    for f in Module(module).functions() {
        if f.is_declaration() {
            continue;
        }
        f.remove_attribute("optnone");
        if f.linkage() == Linkage::LLVMAvailableExternallyLinkage {
            // Whether such a body or the library's own is used would depend on the inliner: always use the body.
            f.set_linkage(Linkage::LLVMLinkOnceODRLinkage);
        }
    }
    for f in Module(module).functions() {
        if is_library_accessor(f) {
            f.remove_attribute("noinline");
            f.add_attribute(Module(module), "alwaysinline");
        }
    }
}

/// Small functions of system headers without loops (`std::vector::operator[]`, `size`, iterators): part of the
/// statement that uses them, as the user sees it, not regions of their own.
fn is_library_accessor(f: ir::Value) -> bool {
    const LARGEST: usize = 120;
    if f.is_declaration()
        || f.subprogram_line() == 0
        || f.has_attribute("optnone")
        || f.name() == "main"
    {
        return false;
    }
    if !f.is_in_system_header()
        || !matches!(
            f.linkage(),
            Linkage::LLVMLinkOnceODRLinkage | Linkage::LLVMInternalLinkage
        )
    {
        return false;
    }
    let blocks = f.blocks();
    let position = |b: &ir::Block| blocks.iter().position(|x| x == b);
    let backward = blocks.iter().enumerate().any(|(i, b)| {
        b.successors()
            .iter()
            .any(|s| position(s).is_some_and(|p| p <= i))
    });
    let mut size = 0;
    for i in blocks.iter().flat_map(|b| b.instructions()) {
        size += 1;
        let call = matches!(i.opcode(), ir::Opcode::LLVMCall | ir::Opcode::LLVMInvoke);
        if call && i.callee() == f {
            return false;
        }
    }
    !backward && size <= LARGEST
}

/// Whether a function of this name is the library's and keeps none of the addresses that it gets.
///
/// # Safety
/// `name` must point to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ps_keeps_nothing(name: *const u8, length: usize) -> i32 {
    // SAFETY: the caller vouches.
    let name = unsafe { std::slice::from_raw_parts(name, length) };
    std::str::from_utf8(name)
        .is_ok_and(emit::library::keeps_nothing)
        .into()
}

/// The instrumentation itself, after preparation.
// SAFETY: the one symbol of this name; called by the shim only.
#[unsafe(no_mangle)]
pub extern "C" fn ps_pass_run(module: LLVMModuleRef, analyses: *mut c_void) {
    let module = Module(module);
    // Not again what was instrumented before (link-time optimization), and no other machine's code.
    if module.function("__ps_construct").is_none() && module.triple().starts_with("x86_64") {
        instrument(module, analyses);
    }
    if std::env::var_os("PARASCAN_STRIP_DEBUG").is_some() {
        analysis::strip_debug(module);
    }
}

fn instrument(module: Module, analyses: *mut c_void) {
    let costs = latency_table().unwrap_or_else(|message| fail(&message));
    let dump = std::env::var("PARASCAN_DUMP").ok();
    if let Some(prefix) = &dump {
        module
            .write_bitcode(&format!("{prefix}.bc"))
            .unwrap_or_else(|m| fail(&m));
    }
    let mut functions: Vec<_> = module
        .functions()
        .into_iter()
        .filter(|f| emit::instrumentable(*f))
        .collect();
    if functions.is_empty() {
        return;
    }
    analysis::strip_memory_attributes(module);
    let only_read = analysis::only_read(module);
    let versions = deps::Versions::new(&functions);
    let mut unit = emit::UnitState::new(module, costs, clock(), dump.is_some());
    unit.observes = std::env::var_os("PARASCAN_UNOBSERVED").is_none();
    let bursts = std::env::var_os("PARASCAN_BURSTS");
    unit.bursts = bursts.is_some();
    unit.changes = bursts.is_some_and(|v| v == "native");
    if !unit.bursts {
        module.assemble(EXACT_MARK);
    }
    unit.cuts = cuts();
    unit.describe();
    let clones = unit.fold_functions(&functions);
    functions.extend(clones);
    // Callers look at what a folded function computes, so it must still be as the program has it.
    functions.sort_by_key(|f| unit.folded.contains_key(f));
    let isa = Isa::chosen(&functions).unwrap_or_else(|message| fail(&message));
    let natives = unit
        .changes
        .then(|| versions::NativeVersions::new(&mut unit, &functions, analyses));
    unit.needs_avx2 = isa == Isa::V3;
    for f in functions {
        // What has no native version, while others have, runs wherever the program does.
        let always_tracked = natives.as_ref().is_some_and(|natives| !natives.has(f));
        let isa = if always_tracked { Isa::V2 } else { isa };
        isa.allow(module, f);
        unit.wide = isa == Isa::V3;
        let analysis = analysis::Analysis::new(analyses, f);
        emit::instrument(&mut unit, f, &analysis);
        analysis::mark_written(f, true);
    }
    let descriptor = versions.finish(&unit, analyses);
    if let Some(natives) = natives {
        natives.finish(&unit);
    }
    let constructor = unit.finish();
    deps::register(&unit, constructor, descriptor);
    // Not before: what is printed and measured is the program as it was written.
    for global in only_read {
        global.make_constant();
    }
    analysis::near(module);
    if let (Some(prefix), Some(notes)) = (&dump, &mut unit.notes) {
        notes.module = unit.facts.clone();
        let text = serde_json::to_string(notes).expect("plain data encodes");
        let path = format!("{prefix}.json");
        std::fs::write(&path, text).unwrap_or_else(|e| fail(&format!("{path}: {e}")));
    }
    analysis::verify(module);
}

/// Says of the linked file that it has code which bursts must not begin in: it keeps bases in registers. The section is
/// that of `parascan record` and of the runtime, too.
const EXACT_MARK: &str = ".pushsection ps_exact,\"aR\",@progbits\n.byte 0\n.popsection\n";

/// Dependences to leave out: `PARASCAN_WITHOUT`.
fn cuts() -> Vec<LeftOutDependence> {
    let text = std::env::var("PARASCAN_WITHOUT").unwrap_or_default();
    emit::cuts(&text).unwrap_or_else(|part| {
        fail(&format!(
            "PARASCAN_WITHOUT: `{part}` is no file, line of a loop and name, such as solver.c:120:sum"
        ))
    })
}

/// Form of the clocks: `PARASCAN_CLOCK`, in bits.
fn clock() -> emit::Clock {
    match std::env::var("PARASCAN_CLOCK").as_deref() {
        Ok("64") => emit::Clock::Long,
        Ok("32" | "") | Err(_) => emit::Clock::Short,
        Ok(other) => fail(&format!("PARASCAN_CLOCK={other}: it is 32 or 64")),
    }
}

fn latency_table() -> Result<LatencyTable, String> {
    let Ok(name) = std::env::var("PARASCAN_LATENCY") else {
        return Ok(LatencyTable::default());
    };
    if let Some(table) = LatencyTable::preset(&name) {
        return Ok(table);
    }
    let text = std::fs::read_to_string(&name).map_err(|e| format!("latency table {name}: {e}"))?;
    LatencyTable::parse(&text).map_err(|e| format!("latency table {name}: {e}"))
}

/// Ends the compilation with a message.
fn fail(message: &str) -> ! {
    eprintln!("parascan: {message}");
    std::process::exit(1)
}
