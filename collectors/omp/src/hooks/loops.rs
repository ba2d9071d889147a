//! Beginnings of loops with static schedule, whose bounds are noted.

use std::cell::Cell;
use std::ffi::c_char;

use super::arguments::call_first;
use super::original::OriginalFunction;
use crate::callbacks::{self, LoopBounds};

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

/// The runtime's function and the place that it gets, as a function returns both: in `rax` and `rdx`.
#[repr(C)]
struct StaticLoop {
    function: usize,
    place: *const Ident,
}

/// Beginnings of loops with static schedule, with their places as [`as_loop`] gives them. Where their bounds are is
/// noted: clang has sections handed out so, and no event tells how many a thread gets.
macro_rules! static_loops {
    ($($name:ident, $text:literal, $form:ident, $bound:ty;)*) => {$(
        const _: () = {
            /// # Safety
            /// As for the runtime's function.
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            pub unsafe extern "C" fn $name() {
                call_first!(note, before: "mov rsi, [rsp + 56]", after: "mov [rsp + 48], rdx")
            }

            /// # Safety
            /// As [`as_loop`]; `caller` is a return address, and the bounds are those that the program passes to the
            /// runtime.
            unsafe extern "C" fn note(
                place: *const Ident,
                caller: u64,
                _schedule: i32,
                _last: *const i32,
                lower: *const $bound,
                upper: *const $bound,
            ) -> StaticLoop {
                static REAL: OriginalFunction = OriginalFunction::new($text);
                callbacks::set_bounds(LoopBounds::$form(lower, upper));
                StaticLoop {
                    function: REAL.of_module($name as *const (), [place as u64, caller]),
                    // SAFETY: the caller's.
                    place: unsafe { as_loop(place) },
                }
            }
        };
    )*};
}

static_loops! {
    __kmpc_for_static_init_4, c"__kmpc_for_static_init_4", Int, i32;
    __kmpc_for_static_init_4u, c"__kmpc_for_static_init_4u", Int, i32;
    __kmpc_for_static_init_8, c"__kmpc_for_static_init_8", Long, i64;
    __kmpc_for_static_init_8u, c"__kmpc_for_static_init_8u", Long, i64;
}
