//! Starts of parallel regions, whose outlined functions are noted.

use std::ffi::c_void;

use super::arguments::call_first;
use super::original::OriginalFunction;
use crate::callbacks;

/// Start of a parallel region. The compiler may jump to it where a function ends with a region, and then the return
/// address is that of the function's caller: the outlined function, which is always the region's own, is noted here.
///
/// # Safety
/// As for the runtime's function.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn __kmpc_fork_call() {
    call_first!(note_region)
}

/// Notes the outlined function of the region that begins next; gives the runtime's function.
extern "C" fn note_region(_location: *const c_void, _arguments: i32, outlined: u64) -> usize {
    static REAL: OriginalFunction = OriginalFunction::new(c"__kmpc_fork_call");
    callbacks::set_outlined(outlined);
    REAL.of_module(__kmpc_fork_call as *const (), [outlined, 0])
}

/// Starts of parallel regions in programs of gcc. Its debug information gives the call the line of a statement in front
/// of it, which may be that of another region: the outlined function has the region's own.
macro_rules! gnu_regions {
    ($($name:ident, $text:literal;)*) => {$(
        const _: () = {
            /// # Safety
            /// As for the runtime's function.
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            pub unsafe extern "C" fn $name() {
                call_first!(note)
            }

            extern "C" fn note(outlined: u64) -> usize {
                static REAL: OriginalFunction = OriginalFunction::new($text);
                callbacks::set_outlined(outlined);
                REAL.of_module($name as *const (), [outlined, 0])
            }
        };
    )*};
}

gnu_regions! {
    GOMP_parallel, c"GOMP_parallel";
    GOMP_parallel_sections, c"GOMP_parallel_sections";
    GOMP_parallel_reductions, c"GOMP_parallel_reductions";
    GOMP_parallel_loop_static, c"GOMP_parallel_loop_static";
    GOMP_parallel_loop_dynamic, c"GOMP_parallel_loop_dynamic";
    GOMP_parallel_loop_guided, c"GOMP_parallel_loop_guided";
    GOMP_parallel_loop_runtime, c"GOMP_parallel_loop_runtime";
    GOMP_parallel_loop_nonmonotonic_dynamic, c"GOMP_parallel_loop_nonmonotonic_dynamic";
    GOMP_parallel_loop_nonmonotonic_guided, c"GOMP_parallel_loop_nonmonotonic_guided";
    GOMP_parallel_loop_nonmonotonic_runtime, c"GOMP_parallel_loop_nonmonotonic_runtime";
    GOMP_parallel_loop_maybe_nonmonotonic_runtime, c"GOMP_parallel_loop_maybe_nonmonotonic_runtime";
}
