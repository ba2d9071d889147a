//! Functions that the program calls instead of, or before, others: function instrumentation, marks, `_exit`, and the
//! few entries of the OpenMP runtime that OMPT alone does not time.
//!
//! They take effect where the library is preloaded.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicUsize, Ordering};

use parascan_abi::omp::FIRST_ADDRESS;

use crate::tables::{ChildKey, Construct, Detail};
use crate::tracker::State;
use crate::{callbacks, clock, process};

// --- Functions (`-finstrument-functions`) ---

/// A function of the program begins.
#[unsafe(no_mangle)]
pub extern "C" fn __cyg_profile_func_enter(function: *const c_void, _call: *const c_void) {
    process::with_thread(|t| {
        let address = function as u64 | FIRST_ADDRESS;
        t.enter(clock::now(), Construct::Function, address, State::Work);
    });
}

/// A function compiled with `-finstrument-functions` returns.
#[unsafe(no_mangle)]
pub extern "C" fn __cyg_profile_func_exit(function: *const c_void, _call: *const c_void) {
    let key = ChildKey {
        construct: Construct::Function,
        address: function as u64 | FIRST_ADDRESS,
    };
    process::with_thread(|t| t.leave_key(clock::now(), key));
}

// --- Marks ---

/// Key of a named construct: names are told apart by a hash of 64 bits (FNV-1a).
fn named(construct: Construct, name: &[u8]) -> ChildKey {
    let address = name.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    ChildKey { construct, address }
}

/// The bytes of a name; a null pointer is the empty name.
///
/// # Safety
/// `name` is null or a C string.
pub unsafe fn text<'a>(name: *const c_char) -> &'a [u8] {
    if name.is_null() {
        return b"";
    }
    // SAFETY: the caller's.
    unsafe { CStr::from_ptr(name) }.to_bytes()
}

/// A phase or region begins that the program named itself.
pub fn begin(construct: Construct, name: &[u8]) {
    let key = named(construct, name);
    process::with_thread(|t| t.enter_as(clock::now(), key, Detail::Name(name), State::Work));
}

fn end(construct: Construct, name: &[u8]) {
    let key = named(construct, name);
    process::with_thread(|t| t.leave_key(clock::now(), key));
}

/// A phase begins.
///
/// # Safety
/// `name` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __parascan_phase_begin(name: *const c_char) {
    // SAFETY: the caller's.
    begin(Construct::Phase, unsafe { text(name) });
}

/// The innermost open phase of this name ends, and what was begun in it.
///
/// # Safety
/// `name` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __parascan_phase_end(name: *const c_char) {
    // SAFETY: the caller's.
    end(Construct::Phase, unsafe { text(name) });
}

/// The next iteration of a phase begins: ends the one before, if there is one.
///
/// # Safety
/// `name` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __parascan_iteration(name: *const c_char) {
    // SAFETY: the caller's.
    let name = unsafe { text(name) };
    end(Construct::Phase, name);
    begin(Construct::Phase, name);
}

/// A named region begins.
///
/// # Safety
/// `name` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __parascan_region_begin(name: *const c_char) {
    // SAFETY: the caller's.
    begin(Construct::UserRegion, unsafe { text(name) });
}

/// The innermost open region of this name ends, and what was begun in it.
///
/// # Safety
/// `name` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __parascan_region_end(name: *const c_char) {
    // SAFETY: the caller's.
    end(Construct::UserRegion, unsafe { text(name) });
}

// --- End of the process ---

/// Ends the recording, then the process.
#[unsafe(no_mangle)]
pub extern "C" fn _exit(status: c_int) -> ! {
    process::finish(Some(status));
    loop {
        // SAFETY: ends the process.
        unsafe { libc::syscall(libc::SYS_exit_group, status) };
    }
}

/// The process ends without handlers, by the name that C has for `_exit`.
#[unsafe(no_mangle)]
pub extern "C" fn _Exit(status: c_int) -> ! {
    _exit(status)
}

// --- Entries of the OpenMP runtime ---

/// The runtime's own function behind one of the library's, found at the first call.
struct OriginalFunction {
    name: &'static CStr,
    address: AtomicUsize,
}

impl OriginalFunction {
    const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            address: AtomicUsize::new(0),
        }
    }

    fn get(&self, own: *const ()) -> usize {
        let known = self.address.load(Relaxed);
        if known != 0 {
            return known;
        }
        let found = self.find(own);
        self.address.store(found, Ordering::Relaxed);
        found
    }

    #[cold]
    fn find(&self, own: *const ()) -> usize {
        // SAFETY: the name is a C string.
        let next = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        if !next.is_null() && next.cast_const().cast() != own {
            return next as usize;
        }
        // A runtime that was loaded by a library for itself alone: look into every module.
        let mut search = SymbolSearch {
            name: self.name,
            own,
            found: 0,
        };
        // SAFETY: the function runs during the call and takes `search` as its last argument.
        unsafe { libc::dl_iterate_phdr(Some(SymbolSearch::module), (&raw mut search).cast()) };
        if search.found == 0 {
            // The caller's module was linked to a runtime that is not there: nothing sensible can follow.
            std::process::abort();
        }
        search.found
    }
}

struct SymbolSearch {
    name: &'static CStr,
    own: *const (),
    found: usize,
}

impl SymbolSearch {
    /// # Safety
    /// As `dl_iterate_phdr` calls it, with a `SymbolSearch` as data.
    unsafe extern "C" fn module(
        info: *mut libc::dl_phdr_info,
        _size: usize,
        data: *mut c_void,
    ) -> c_int {
        // SAFETY: the caller's.
        let (search, path) = unsafe { (&mut *data.cast::<Self>(), (*info).dlpi_name) };
        if path.is_null() {
            return 0;
        }
        // SAFETY: a C string of the loader; a handle of a loaded module, asked for a name and given back.
        let found = unsafe {
            let handle = libc::dlopen(path, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
            if handle.is_null() {
                return 0;
            }
            let found = libc::dlsym(handle, search.name.as_ptr());
            libc::dlclose(handle);
            found
        };
        if found.is_null() || found.cast_const().cast() == search.own {
            return 0;
        }
        search.found = found as usize;
        1
    }
}

type TaskAlloc =
    unsafe extern "C" fn(*mut c_void, i32, i32, usize, usize, *mut c_void) -> *mut c_void;
type TaskCall = unsafe extern "C" fn(*mut c_void, i32, *mut c_void) -> i32;

/// Creation of an explicit task begins here, where its memory is allocated; it ends when the task was queued
/// ([`__kmpc_omp_task`]), or with the event of its creation where it is queued in another way.
///
/// # Safety
/// As for the runtime's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_task_alloc(
    location: *mut c_void,
    thread: i32,
    flags: i32,
    task_size: usize,
    shared_size: usize,
    entry: *mut c_void,
) -> *mut c_void {
    static REAL: OriginalFunction = OriginalFunction::new(c"__kmpc_omp_task_alloc");
    process::with_thread(|t| t.begin_making_task(clock::now()));
    let real = REAL.get(__kmpc_omp_task_alloc as *const ());
    // SAFETY: the runtime's function has this type, and the arguments are the program's.
    unsafe {
        let real = std::mem::transmute::<usize, TaskAlloc>(real);
        real(location, thread, flags, task_size, shared_size, entry)
    }
}

/// Passes the caller's return address on as a fourth argument.
///
/// # Safety
/// As for the runtime's function.
#[cfg(target_arch = "x86_64")]
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn __kmpc_omp_task(
    location: *mut c_void,
    thread: i32,
    task: *mut c_void,
) -> i32 {
    std::arch::naked_asm!("mov rcx, [rsp]", "jmp {}", sym queue_task)
}

/// # Safety
/// As for the runtime's function; `caller` is a return address.
#[cfg(target_arch = "x86_64")]
unsafe extern "C" fn queue_task(
    location: *mut c_void,
    thread: i32,
    task: *mut c_void,
    caller: u64,
) -> i32 {
    static REAL: OriginalFunction = OriginalFunction::new(c"__kmpc_omp_task");
    let real = REAL.get(__kmpc_omp_task as *const ());
    let outer = callbacks::set_caller(caller);
    // SAFETY: the runtime's function has this type, and the arguments are the program's.
    let answer = unsafe { std::mem::transmute::<usize, TaskCall>(real)(location, thread, task) };
    callbacks::set_caller(outer);
    process::with_thread(|t| t.end_making_task(clock::now()));
    answer
}

/// Start of a parallel region. The compiler may jump to it where a function ends with a region, and then the return
/// address is that of the function's caller: the outlined function, which is always the region's own, is noted here.
///
/// # Safety
/// As for the runtime's function.
#[cfg(target_arch = "x86_64")]
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn __kmpc_fork_call() {
    // Registers of arguments are kept, `rax` among them (the function is variadic); seven words align the stack.
    std::arch::naked_asm!(
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        "push rax",
        "mov rdi, rdx",
        "call {note}",
        "mov r11, rax",
        "pop rax",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "jmp r11",
        note = sym note_region,
    )
}

/// Notes the outlined function of the region that begins next; gives the runtime's function.
extern "C" fn note_region(outlined: u64) -> usize {
    static REAL: OriginalFunction = OriginalFunction::new(c"__kmpc_fork_call");
    callbacks::set_outlined(outlined);
    REAL.get(__kmpc_fork_call as *const ())
}

type Barrier = unsafe extern "C" fn(*mut c_void, i32) -> i32;

/// A barrier in a region that may be cancelled, which libomp reports without an address.
///
/// # Safety
/// As for the runtime's function.
#[cfg(target_arch = "x86_64")]
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn __kmpc_cancel_barrier(location: *mut c_void, thread: i32) -> i32 {
    std::arch::naked_asm!("mov rdx, [rsp]", "jmp {}", sym cancel_barrier)
}

/// # Safety
/// As for the runtime's function; `caller` is a return address.
#[cfg(target_arch = "x86_64")]
unsafe extern "C" fn cancel_barrier(location: *mut c_void, thread: i32, caller: u64) -> i32 {
    static REAL: OriginalFunction = OriginalFunction::new(c"__kmpc_cancel_barrier");
    let real = REAL.get(__kmpc_cancel_barrier as *const ());
    let outer = callbacks::set_caller(caller);
    // SAFETY: the runtime's function has this type, and the arguments are the program's.
    let answer = unsafe { std::mem::transmute::<usize, Barrier>(real)(location, thread) };
    callbacks::set_caller(outer);
    answer
}

type TaskLoop = unsafe extern "C" fn(
    *mut c_void,
    i32,
    *mut c_void,
    i32,
    *mut u64,
    *mut u64,
    i64,
    i32,
    i32,
    u64,
    *mut c_void,
);

/// A taskloop. libomp reports it, and its tasks, with an address of its own code; the caller's is noted here.
///
/// # Safety
/// As for the runtime's function.
#[cfg(target_arch = "x86_64")]
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn __kmpc_taskloop() {
    // The registers of the first six arguments are kept; with the seventh word the stack is aligned for the call.
    std::arch::naked_asm!(
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        "mov rdi, [rsp + 48]",
        "sub rsp, 8",
        "call {note}",
        "add rsp, 8",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "jmp {go}",
        note = sym note_loop,
        go = sym task_loop,
    )
}

thread_local! {
    static LOOP: Cell<u64> = const { Cell::new(0) };
}

/// Keeps the return address of a taskloop until [`task_loop`] takes it.
extern "C" fn note_loop(caller: u64) {
    LOOP.set(caller);
}

/// # Safety
/// As for the runtime's function.
#[allow(
    clippy::too_many_arguments,
    reason = "the runtime's function has as many"
)]
#[cfg(target_arch = "x86_64")]
unsafe extern "C" fn task_loop(
    location: *mut c_void,
    thread: i32,
    task: *mut c_void,
    condition: i32,
    low: *mut u64,
    high: *mut u64,
    step: i64,
    no_group: i32,
    schedule: i32,
    grain: u64,
    duplicate: *mut c_void,
) {
    static REAL: OriginalFunction = OriginalFunction::new(c"__kmpc_taskloop");
    let mut caller = LOOP.take();
    process::with_thread(|t| {
        t.end_making_task(clock::now());
        // Taskloops of gcc's programs are called by the runtime itself.
        if process::is_foreign_code(caller) {
            caller = t.address();
        }
    });
    let real = REAL.get(__kmpc_taskloop as *const ());
    let outer = callbacks::set_caller(caller);
    // SAFETY: the runtime's function has this type, and the arguments are the program's.
    unsafe {
        let real = std::mem::transmute::<usize, TaskLoop>(real);
        real(
            location, thread, task, condition, low, high, step, no_group, schedule, grain,
            duplicate,
        );
    }
    callbacks::set_caller(outer);
}

/// The end of a critical region. libomp notes its return address as if it were the first thread's, which gives wrong
/// places to constructs that the first thread begins at the same moment. Seen from here the address is the library's
/// own, which is recognised ([`process::is_foreign_code`]).
///
/// # Safety
/// As for the runtime's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_critical(
    location: *mut c_void,
    thread: i32,
    lock: *mut c_void,
) {
    static REAL: OriginalFunction = OriginalFunction::new(c"__kmpc_end_critical");
    let real = REAL.get(__kmpc_end_critical as *const ());
    // SAFETY: the runtime's function has this type up to its result, and the arguments are the program's.
    let answer = unsafe { std::mem::transmute::<usize, TaskCall>(real)(location, thread, lock) };
    // Keeps this from becoming a jump, by which the address would be the program's again.
    std::hint::black_box(answer);
}
