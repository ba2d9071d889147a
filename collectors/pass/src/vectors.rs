//! Which loops the compiler makes vector code of: noted in the module's description behind the optimizer.
//!
//! The description ends with a byte for each region ([`UNKNOWN`] at first), so that its length stays as it is.

use std::ffi::c_void;

use indexmap::IndexMap;
use llvm_sys::prelude::LLVMModuleRef;
use parascan_formats::module::{ModuleStatic, NOT_VECTORIZED, RegionKind, UNKNOWN, VECTORIZED};

use crate::ir::Module;

/// Tells of a loop that is left: context, symbol of its function and length of that, line, column, and whether it is
/// vectorized.
type ReportLoop = extern "C" fn(*mut c_void, *const u8, usize, u32, u32, i32);

unsafe extern "C" {
    fn ps_tell_vectorized(module: LLVMModuleRef, context: *mut c_void, tell: ReportLoop);
}

/// By function's symbol, line and column: whether any loop from there is vectorized.
type LoopVectorization = IndexMap<(String, u32, u32), bool>;

extern "C" fn note(
    found: *mut c_void,
    name: *const u8,
    length: usize,
    line: u32,
    column: u32,
    vectorized: i32,
) {
    // SAFETY: `ps_pass_vectorized` gives its map, which nothing else uses meanwhile.
    let found = unsafe { &mut *found.cast::<LoopVectorization>() };
    // SAFETY: the shim gives a name and its length.
    let name = unsafe { std::slice::from_raw_parts(name, length) };
    let name = String::from_utf8_lossy(name).into_owned();
    *found.entry((name, line, column)).or_default() |= vectorized != 0;
}

/// The last step, behind the optimizer: what became of the loops of an instrumented module.
// SAFETY: the one symbol of this name; called by the shim only.
#[unsafe(no_mangle)]
pub extern "C" fn ps_pass_vectorized(module: LLVMModuleRef) {
    let global = Module(module).global_named("__ps_blob");
    let Some((global, blob)) = global.and_then(|g| Some((g, g.constant_string()?))) else {
        return;
    };
    let Ok((facts, rest)) = postcard::take_from_bytes::<ModuleStatic>(&blob) else {
        return;
    };
    if rest.len() != facts.regions.len() {
        return;
    }
    let mut found = LoopVectorization::new();
    // SAFETY: `note` takes this map, and only while this call lasts.
    unsafe { ps_tell_vectorized(module, (&raw mut found).cast(), note) };
    let state = |region: &parascan_formats::module::RegionStatic| {
        let place = (region.linkage_name.clone(), region.line, region.column);
        match found
            .get(&place)
            .filter(|_| region.kind == RegionKind::Loop)
        {
            None => UNKNOWN,
            Some(true) => VECTORIZED,
            Some(false) => NOT_VECTORIZED,
        }
    };
    let mut blob = blob;
    let from = blob.len() - facts.regions.len();
    blob.truncate(from);
    blob.extend(facts.regions.iter().map(state));
    global.set_initializer(Module(module).types().bytes(&blob));
}
