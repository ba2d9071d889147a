//! Marks of programs that were made for other tools: Intel's ITT and NVIDIA's NVTX. Their tasks, frames and ranges are
//! phases.
//!
//! Both look for a library that an environment variable names (`INTEL_LIBITTNOTIFY64`, `NVTX_INJECTION64_PATH`), and
//! hand it their tables of function pointers at the first mark.

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_uint, c_ulong, c_void};

use crate::hooks::{begin, text};
use crate::tables::Construct;
use crate::{clock, process};

/// Ends the innermost phase of the thread: ITT and NVTX do not name what ends.
fn end_innermost() {
    process::with_thread(|t| t.leave_kind(clock::now(), Construct::Phase));
}

// --- ITT ---

/// `__itt_api_info`: a function of the program's copy of ITT.
#[repr(C)]
struct IttFunction {
    name: *const c_char,
    pointer: *mut *const c_void,
    initial: *const c_void,
    nothing: *const c_void,
    group: c_int,
}

/// `__itt_global`, as far as it is used.
#[repr(C)]
pub struct IttGlobal {
    magic: [u8; 8],
    version: [c_ulong; 3],
    state: [c_long; 3],
    mutex: libc::pthread_mutex_t,
    library: *mut c_void,
    error_handler: *mut c_void,
    path: *mut *const c_char,
    functions: *mut IttFunction,
}

const ITT_MAGIC: [u8; 8] = [0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30];

/// `__itt_domain`. The program's macros do nothing while `flags` is 0.
#[repr(C)]
struct IttDomain {
    flags: c_int,
    name: *const c_char,
    wide_name: *mut c_void,
    extra1: c_int,
    extra2: *mut c_void,
    next: *mut IttDomain,
}

/// `__itt_string_handle`.
#[repr(C)]
struct IttString {
    text: *const c_char,
    wide_text: *mut c_void,
    extra1: c_int,
    extra2: *mut c_void,
    next: *mut IttString,
}

/// `__itt_id`.
#[repr(C)]
struct IttId([u64; 3]);

/// Called by ITT when it is first used: fills in the functions for tasks and frames; all others do nothing.
///
/// # Safety
/// `global` is ITT's own, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __itt_api_init(global: *mut IttGlobal, _groups: c_int) {
    // SAFETY: the caller's.
    let Some(itt) = (unsafe { global.as_ref() }) else {
        return;
    };
    if itt.magic != ITT_MAGIC || itt.functions.is_null() {
        return;
    }
    let known: [(&CStr, *const c_void); 6] = [
        (c"__itt_domain_create", itt_domain_create as *const c_void),
        (
            c"__itt_string_handle_create",
            itt_string_create as *const c_void,
        ),
        (c"__itt_task_begin", itt_task_begin as *const c_void),
        (c"__itt_task_end", itt_task_end as *const c_void),
        (c"__itt_frame_begin_v3", itt_frame_begin as *const c_void),
        (c"__itt_frame_end_v3", itt_frame_end as *const c_void),
    ];
    // The OpenMP runtime uses ITT too, for what it reports through OMPT anyway.
    let program = !is_openmp_runtime(global.cast());
    let mut entry = itt.functions;
    // SAFETY: ITT's table ends with an entry without a name; its pointers are writable.
    unsafe {
        while !(*entry).name.is_null() {
            let name = CStr::from_ptr((*entry).name);
            let found = known.iter().find(|(known, _)| program && *known == name);
            *(*entry).pointer = found.map_or((*entry).nothing, |(_, function)| *function);
            entry = entry.add(1);
        }
    }
}

/// Whether an address belongs to the module that has the OpenMP runtime's functions.
fn is_openmp_runtime(address: *const c_void) -> bool {
    let base = |address: *const c_void| {
        // SAFETY: all-zero is a valid `Dl_info`; the call writes only there.
        unsafe {
            let mut info: libc::Dl_info = std::mem::zeroed();
            (libc::dladdr(address, &raw mut info) != 0).then_some((info.dli_fbase, info.dli_fname))
        }
    };
    let Some((module, path)) = base(address) else {
        return false;
    };
    // SAFETY: a path of the loader's; a handle of a loaded module, given back.
    let function = unsafe {
        let handle = libc::dlopen(path, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if handle.is_null() {
            return false;
        }
        let function = libc::dlsym(handle, c"__kmpc_global_thread_num".as_ptr());
        libc::dlclose(handle);
        function
    };
    !function.is_null() && base(function).is_some_and(|(other, _)| other == module)
}

/// A copy of a name that stays.
///
/// # Safety
/// `name` is null or a C string.
unsafe fn kept(name: *const c_char) -> *const c_char {
    // SAFETY: the caller's.
    let name = unsafe { text(name) };
    CString::new(name).map_or(std::ptr::null(), |n| n.into_raw().cast_const())
}

unsafe extern "C" fn itt_domain_create(name: *const c_char) -> *mut IttDomain {
    Box::into_raw(Box::new(IttDomain {
        flags: 1,
        // SAFETY: ITT's callers give C strings.
        name: unsafe { kept(name) },
        wide_name: std::ptr::null_mut(),
        extra1: 0,
        extra2: std::ptr::null_mut(),
        next: std::ptr::null_mut(),
    }))
}

unsafe extern "C" fn itt_string_create(name: *const c_char) -> *mut IttString {
    Box::into_raw(Box::new(IttString {
        // SAFETY: ITT's callers give C strings.
        text: unsafe { kept(name) },
        wide_text: std::ptr::null_mut(),
        extra1: 0,
        extra2: std::ptr::null_mut(),
        next: std::ptr::null_mut(),
    }))
}

unsafe extern "C" fn itt_task_begin(
    _domain: *const IttDomain,
    _task: IttId,
    _parent: IttId,
    name: *const IttString,
) {
    // SAFETY: a handle made by `itt_string_create`, or null.
    let name = unsafe { name.as_ref() }.map_or(std::ptr::null(), |name| name.text);
    // SAFETY: its text is a C string, or null.
    begin(Construct::Phase, unsafe { text(name) });
}

extern "C" fn itt_task_end(_domain: *const IttDomain) {
    end_innermost();
}

unsafe extern "C" fn itt_frame_begin(domain: *const IttDomain, _id: *const IttId) {
    // SAFETY: a domain made by `itt_domain_create`, or null.
    let name = unsafe { domain.as_ref() }.map_or(std::ptr::null(), |domain| domain.name);
    // SAFETY: its name is a C string, or null.
    begin(Construct::Phase, unsafe { text(name) });
}

extern "C" fn itt_frame_end(_domain: *const IttDomain, _id: *const IttId) {
    end_innermost();
}

// --- NVTX ---

/// `NvtxExportTableCallbacks`.
#[repr(C)]
struct NvtxCallbacks {
    size: usize,
    table: unsafe extern "C" fn(c_int, *mut *mut *mut *const c_void, *mut c_uint) -> c_int,
}

/// `nvtxEventAttributes_t`.
#[repr(C)]
struct NvtxEvent {
    version: u16,
    size: u16,
    category: u32,
    color_type: i32,
    color: u32,
    payload_type: i32,
    reserved: i32,
    payload: u64,
    message_type: i32,
    message: *const c_void,
}

/// Called by NVTX when it is first used: fills in the functions for ranges. The result tells NVTX that it worked.
///
/// # Safety
/// `export` is NVTX's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn InitializeInjectionNvtx2(
    export: unsafe extern "C" fn(u32) -> *const c_void,
) -> c_int {
    const CALLBACKS: u32 = 1;
    const CORE: c_int = 1;
    const CORE2: c_int = 5;
    // SAFETY: NVTX gives a table of this form, or null.
    let Some(callbacks) = (unsafe { export(CALLBACKS).cast::<NvtxCallbacks>().as_ref() }) else {
        return 0;
    };
    if callbacks.size < size_of::<NvtxCallbacks>() {
        return 0;
    }
    let functions: [(c_int, usize, *const c_void); 7] = [
        (CORE, 8, nvtx_push_event as *const c_void),
        (CORE, 9, nvtx_push as *const c_void),
        (CORE, 10, nvtx_push_wide as *const c_void),
        (CORE, 11, nvtx_pop as *const c_void),
        (CORE2, 4, nvtx_domain_push as *const c_void),
        (CORE2, 5, nvtx_domain_pop as *const c_void),
        (CORE2, 10, nvtx_register as *const c_void),
    ];
    for (module, index, function) in functions {
        let (mut table, mut size) = (std::ptr::null_mut(), 0);
        // SAFETY: NVTX gives a table of `size` pointers to writable function pointers, some of which are null.
        unsafe {
            let found = (callbacks.table)(module, &raw mut table, &raw mut size) != 0;
            if found && !table.is_null() && index < size as usize {
                let slot = *table.add(index);
                if !slot.is_null() {
                    *slot = function;
                }
            }
        }
    }
    1
}

unsafe extern "C" fn nvtx_push(name: *const c_char) -> c_int {
    // SAFETY: NVTX's callers give C strings.
    begin(Construct::Phase, unsafe { text(name) });
    0
}

unsafe extern "C" fn nvtx_push_wide(name: *const u32) -> c_int {
    // SAFETY: NVTX's callers give wide strings that end with 0.
    begin(Construct::Phase, unsafe { narrow(name) }.as_bytes());
    0
}

/// A wide string as text.
///
/// # Safety
/// `name` is null, or ends with 0.
unsafe fn narrow(name: *const u32) -> String {
    let mut text = String::new();
    let mut at = name;
    // SAFETY: the caller's.
    while let Some(&code) = unsafe { at.as_ref() }
        && code != 0
    {
        text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        at = at.wrapping_add(1);
    }
    text
}

unsafe extern "C" fn nvtx_push_event(event: *const NvtxEvent) -> c_int {
    const TEXT: i32 = 1;
    const WIDE: i32 = 2;
    const REGISTERED: i32 = 3;
    // SAFETY: NVTX's callers give an event or null.
    let Some(event) = (unsafe { event.as_ref() }) else {
        // SAFETY: null is the empty name.
        return unsafe { nvtx_push(std::ptr::null()) };
    };
    // SAFETY: the message is what its type says; registered ones were made by `nvtx_register`.
    unsafe {
        match event.message_type {
            TEXT | REGISTERED => nvtx_push(event.message.cast()),
            WIDE => nvtx_push_wide(event.message.cast()),
            _ => nvtx_push(std::ptr::null()),
        }
    }
}

unsafe extern "C" fn nvtx_domain_push(_domain: *const c_void, event: *const NvtxEvent) -> c_int {
    // SAFETY: as for `nvtx_push_event`.
    unsafe { nvtx_push_event(event) }
}

extern "C" fn nvtx_pop() -> c_int {
    end_innermost();
    0
}

extern "C" fn nvtx_domain_pop(_domain: *const c_void) -> c_int {
    end_innermost();
    0
}

/// A registered name is its copy.
unsafe extern "C" fn nvtx_register(_domain: *const c_void, name: *const c_char) -> *const c_char {
    // SAFETY: NVTX's callers give C strings.
    unsafe { kept(name) }
}
