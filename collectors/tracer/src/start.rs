//! Since when blocks are recorded: from the first one on, or from when an address is executed for the first time.

use core::ffi::c_void;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicU64};

use crate::dr::{self, DrContext, List, MachineContext};

static RECORDING: AtomicBool = AtomicBool::new(false);
/// Where recording begins, or 0.
static START: AtomicU64 = AtomicU64::new(0);

/// Recording begins now, or at an offset into the program's own file.
///
/// # Safety
/// When the client is loaded.
pub unsafe fn init(from: Option<u64>) {
    match from {
        // SAFETY: the main module's data is given back.
        Some(offset) => unsafe {
            let module = dr::dr_get_main_module();
            START.store((*module).start as u64 + offset, Relaxed);
            dr::dr_free_module_data(module);
        },
        None => RECORDING.store(true, Relaxed),
    }
}

/// Whether what is executed is recorded.
pub fn recording() -> bool {
    RECORDING.load(Relaxed)
}

/// Inserts a call of [`start()`] where recording begins, if that is in this block.
///
/// # Safety
/// In DynamoRIO's analysis phase.
pub unsafe fn wait_for(context: DrContext, list: List) {
    let first = START.load(Relaxed);
    if first == 0 {
        return;
    }
    // SAFETY: the list is walked as DynamoRIO documents.
    unsafe {
        let mut instr = dr::instrlist_first_app(list);
        while !instr.is_null() {
            if dr::instr_get_app_pc(instr) as u64 == first {
                let callee = start as *const () as *const c_void;
                dr::dr_insert_clean_call(context, list, instr, callee, false, 0);
            }
            instr = dr::instr_get_next_app(instr);
        }
    }
}

/// Recording begins: forgets all code that was built without it, and goes on here.
unsafe extern "C" fn start() {
    let mut machine = MachineContext::new();
    // SAFETY: within a call from generated code.
    unsafe {
        dr::dr_get_mcontext(dr::dr_get_current_drcontext(), &raw mut machine);
        machine.pc = START.load(Relaxed) as dr::Pc;
        RECORDING.store(true, Relaxed);
        dr::dr_flush_region(core::ptr::null_mut(), usize::MAX);
        dr::dr_redirect_execution(&raw mut machine);
    }
}
