//! Functions that the program calls instead of, or before, others: function instrumentation, marks, `_exit`, and the
//! few entries of the OpenMP runtime that OMPT alone does not time.
//!
//! They take effect where the library is preloaded.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicUsize, Ordering};

use parascan_abi::omp::FIRST_ADDRESS;

use crate::callbacks::LoopBounds;
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

    /// The function that the code at `caller` would have called. Where libraries have runtimes for themselves alone,
    /// each may have another: these are looked for each time.
    fn of_caller(&self, own: *const (), caller: u64) -> usize {
        let known = self.address.load(Relaxed);
        if known != 0 {
            return known;
        }
        if let Some(found) = self.next(own) {
            self.address.store(found, Relaxed);
            return found;
        }
        self.in_module_of(caller).unwrap_or_else(|| self.find(own))
    }

    /// The one that follows this library's.
    fn next(&self, own: *const ()) -> Option<usize> {
        // SAFETY: the name is a C string.
        let next = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        (!next.is_null() && next.cast_const().cast() != own).then_some(next as usize)
    }

    /// The one that the module with this code has, or the libraries that it asks for.
    #[cold]
    fn in_module_of(&self, code: u64) -> Option<usize> {
        let mut module = std::mem::MaybeUninit::<libc::Dl_info>::uninit();
        // SAFETY: any address may be asked for; what is told of it is complete where there is anything. A handle of a
        // loaded module is asked for a name and given back.
        unsafe {
            if libc::dladdr(code as *const c_void, module.as_mut_ptr()) == 0 {
                return None;
            }
            let path = module.assume_init().dli_fname;
            let handle = libc::dlopen(path, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
            if handle.is_null() {
                return None;
            }
            let found = libc::dlsym(handle, self.name.as_ptr());
            libc::dlclose(handle);
            (!found.is_null()).then_some(found as usize)
        }
    }

    #[cold]
    fn find(&self, own: *const ()) -> usize {
        if let Some(next) = self.next(own) {
            return next;
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

/// Starts of parallel regions in programs of gcc. Its debug information gives the call the line of a statement in front
/// of it, which may be that of another region: the outlined function has the region's own.
macro_rules! gnu_regions {
    ($($name:ident, $text:literal, $prepare:ident;)*) => {$(
        /// # Safety
        /// As for the runtime's function.
        #[cfg(target_arch = "x86_64")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            // Registers of arguments are kept; with the seventh word the stack is aligned for the call. Behind these is
            // the return address, which the runtime takes for the region's, so that it is jumped to.
            std::arch::naked_asm!(
                "push rdi",
                "push rsi",
                "push rdx",
                "push rcx",
                "push r8",
                "push r9",
                "sub rsp, 8",
                "mov rsi, [rsp + 56]",
                "call {prepare}",
                "mov r11, rax",
                "add rsp, 8",
                "pop r9",
                "pop r8",
                "pop rcx",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                "jmp r11",
                prepare = sym $prepare,
            )
        }

        extern "C" fn $prepare(outlined: u64, caller: u64) -> usize {
            static REAL: OriginalFunction = OriginalFunction::new($text);
            callbacks::set_outlined(outlined);
            REAL.of_caller($name as *const (), caller)
        }
    )*};
}

gnu_regions! {
    GOMP_parallel, c"GOMP_parallel", gnu_parallel;
    GOMP_parallel_sections, c"GOMP_parallel_sections", gnu_sections;
    GOMP_parallel_reductions, c"GOMP_parallel_reductions", gnu_reductions;
    GOMP_parallel_loop_static, c"GOMP_parallel_loop_static", gnu_static;
    GOMP_parallel_loop_dynamic, c"GOMP_parallel_loop_dynamic", gnu_dynamic;
    GOMP_parallel_loop_guided, c"GOMP_parallel_loop_guided", gnu_guided;
    GOMP_parallel_loop_runtime, c"GOMP_parallel_loop_runtime", gnu_runtime;
    GOMP_parallel_loop_nonmonotonic_dynamic, c"GOMP_parallel_loop_nonmonotonic_dynamic", gnu_free_dynamic;
    GOMP_parallel_loop_nonmonotonic_guided, c"GOMP_parallel_loop_nonmonotonic_guided", gnu_free_guided;
    GOMP_parallel_loop_nonmonotonic_runtime, c"GOMP_parallel_loop_nonmonotonic_runtime", gnu_free_runtime;
    GOMP_parallel_loop_maybe_nonmonotonic_runtime, c"GOMP_parallel_loop_maybe_nonmonotonic_runtime", gnu_maybe_runtime;
}

/// What programs pass to the runtime as the place of a construct.
#[derive(Clone, Copy)]
#[repr(C)]
struct Ident {
    reserved: i32,
    flags: i32,
    others: [i32; 2],
    source: *const c_char,
}

/// In [`Ident::flags`]: that it is a loop, and any kind of worksharing.
const WORK_LOOP: i32 = 0x200;
const WORK: i32 = 0xE00;

thread_local! {
    static LOOP_PLACE: Cell<Ident> = const {
        Cell::new(Ident {
            reserved: 0,
            flags: 0,
            others: [0; 2],
            source: std::ptr::null(),
        })
    };
}

/// A place that says that it is a loop's, where it says of no kind what it is: flang's do not. Under a tool libomp
/// takes these for loops as well, but warns on the program's standard error.
///
/// # Safety
/// The place is one that the program passes to the runtime, or null.
unsafe fn as_loop(place: *const Ident) -> *const Ident {
    // SAFETY: the caller's.
    match unsafe { place.as_ref() } {
        Some(given) if given.flags & WORK == 0 => LOOP_PLACE.with(|copy| {
            copy.set(Ident {
                flags: given.flags | WORK_LOOP,
                ..*given
            });
            copy.as_ptr().cast_const()
        }),
        _ => place,
    }
}

/// A place and the runtime's function, as a function returns both in registers.
#[repr(C)]
struct StaticLoop {
    place: *const Ident,
    function: usize,
}

/// Beginnings of loops with static schedule, with their places as [`as_loop`] gives them. Where their bounds are is
/// noted: clang has sections handed out so, and no event tells how many a thread gets.
macro_rules! static_loops {
    ($($name:ident, $text:literal, $prepare:ident, $form:ident, $bound:ty;)*) => {$(
        /// # Safety
        /// As for the runtime's function.
        #[cfg(target_arch = "x86_64")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            // Registers of arguments are kept; with the seventh word the stack is aligned for the call. The runtime
            // takes the return address for the loop's, so that it is jumped to.
            std::arch::naked_asm!(
                "push rdi",
                "push rsi",
                "push rdx",
                "push rcx",
                "push r8",
                "push r9",
                "sub rsp, 8",
                "call {prepare}",
                "mov r11, rdx",
                "add rsp, 8",
                "pop r9",
                "pop r8",
                "pop rcx",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                "mov rdi, rax",
                "jmp r11",
                prepare = sym $prepare,
            )
        }

        /// # Safety
        /// As [`as_loop`]; the bounds are those that the program passes to the runtime.
        unsafe extern "C" fn $prepare(
            place: *const Ident,
            _thread: i32,
            _schedule: i32,
            _last: *const i32,
            lower: *const $bound,
            upper: *const $bound,
        ) -> StaticLoop {
            static REAL: OriginalFunction = OriginalFunction::new($text);
            callbacks::set_bounds(LoopBounds::$form(lower, upper));
            StaticLoop {
                // SAFETY: the caller's.
                place: unsafe { as_loop(place) },
                function: REAL.get($name as *const ()),
            }
        }
    )*};
}

static_loops! {
    __kmpc_for_static_init_4, c"__kmpc_for_static_init_4", static_loop_4, Int, i32;
    __kmpc_for_static_init_4u, c"__kmpc_for_static_init_4u", static_loop_4u, Int, i32;
    __kmpc_for_static_init_8, c"__kmpc_for_static_init_8", static_loop_8, Long, i64;
    __kmpc_for_static_init_8u, c"__kmpc_for_static_init_8u", static_loop_8u, Long, i64;
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
