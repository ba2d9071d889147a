//! The library table: latency and memory effects of functions that are not instrumented but known by name.
//!
//! A modelled call takes `max(arguments, control, what it reads) + latency`; what it writes gets that time. Functions
//! with state of their own (stdio, `rand`, clocks) run one after the other through a hidden location. What the `%s` of
//! a format reads is followed where a string is printed into ([`mod@format`]). `modelled.rs` says what becomes of that
//! at a call.

use std::borrow::Cow;

use parascan_formats::latency::LatencyTable;
use parascan_formats::names::demangle;

use super::effects::{
    CLOCK, Effect, FILES, FunctionModel, HANDLERS, ModelLatency, RANDOM, STDIO, TOKENS,
};
use super::lengths::{self, Base, Len};
use super::{format, fortran, rust, streams, strings};
use crate::ir::{Linkage, TypeKind, Value};

/// Whether a function that the module only declares reads and writes no memory that the program could share (`errno`
/// apart).
pub(crate) fn touches_nothing(name: &str) -> bool {
    let later = matches!(name, "__cxa_atexit" | "__cxa_thread_atexit");
    let own = |e: &Effect| matches!(e, Effect::Free(_) | Effect::WriteResult(_));
    !later && by_name(name).is_some_and(|m| m.effects.iter().all(own))
}

/// Whether a function that the module only declares writes nothing to where its arguments lead.
pub(crate) fn only_reads(name: &str) -> bool {
    let reads = |e: &Effect| matches!(e, Effect::Read(..) | Effect::Hidden(_));
    by_name(name).is_some_and(|m| m.effects.iter().all(reads))
}

/// Whether a function that the module only declares works on a state that is not the program's, or on that of a stream.
pub(crate) fn has_state(name: &str) -> bool {
    let hidden = |m: FunctionModel| m.effects.iter().any(|e| matches!(e, Effect::Hidden(_)));
    streams::by_name(name).is_some() || by_name(name).is_some_and(hidden)
}

/// Whether a function that the module only declares works on files or streams of C.
pub(crate) fn works_on_files(name: &str) -> bool {
    let files = |e: &Effect| matches!(e, Effect::Hidden(STDIO | FILES));
    let name = of_any_standard(name);
    let model = row_of(name).or_else(|| row_of(unfortified(name)?));
    model.is_some_and(|m| m.effects.iter().any(files))
}

/// The function of `double`s of which this is that, or the form for another type (`sinf`, `sinl`); none where it is not
/// of libm.
pub(crate) fn of_math(name: &str) -> Option<&str> {
    let of = |suffix: char| name.strip_suffix(suffix).filter(|b| is_math(b));
    of('f')
        .or_else(|| of('l'))
        .or_else(|| is_math(name).then_some(name))
}

/// Whether a function that the module only declares is known to keep none of the addresses that it gets.
pub(crate) fn keeps_nothing(name: &str) -> bool {
    let keeps = ["strtok", "setbuf", "setvbuf", "on_exit", "__cxa_atexit"];
    let name = of_any_standard(name);
    let model = row_of(name).or_else(|| row_of(unfortified(name)?));
    !keeps.contains(&name) && model.is_some_and(|m| !m.opens_regions())
}

const POINTER: TypeKind = TypeKind::LLVMPointerTypeKind;

/// Bytes of a `struct drand48_data`.
const DRAND48_DATA: u64 = 24;

const COMPARED: Len = Len::Compared {
    most: None,
    fold: false,
};
const FOLDED: Len = Len::Compared {
    most: None,
    fold: true,
};
const COMPARED_MAX: Len = Len::Compared {
    most: Some(2),
    fold: false,
};
const FOLDED_MAX: Len = Len::Compared {
    most: Some(2),
    fold: true,
};

/// Model of a function by symbol name.
fn by_name(name: &str) -> Option<FunctionModel> {
    let name = of_any_standard(name);
    row_of(name)
        .or_else(|| row_of(unfortified(name)?))
        .or_else(|| streams::by_name(name))
        .or_else(|| strings::by_name(name))
        .or_else(|| fortran::by_name(name))
        .or_else(|| rust::by_name(name))
}

/// The function of which this is the form that checks its arguments (`-D_FORTIFY_SOURCE`), which come where they would
/// without, with more behind or between them.
pub(crate) fn unfortified(name: &str) -> Option<&str> {
    name.strip_prefix("__")?.strip_suffix("_chk")
}

/// The function of which this is the form that a language standard asks for (`__isoc99_fscanf`).
pub(crate) fn of_any_standard(name: &str) -> &str {
    let plain = ["__isoc99_", "__isoc23_"].into_iter();
    let mut plain = plain.filter_map(|form| name.strip_prefix(form));
    plain.next().unwrap_or(name)
}

/// What the source calls a function of the library with this symbol: headers give some another one (`basename` of
/// `<libgen.h>`).
pub(crate) fn source_name(symbol: &str) -> &str {
    let symbol = of_any_standard(symbol);
    match unfortified(symbol).unwrap_or(symbol) {
        "__xpg_basename" => "basename",
        "__xpg_strerror_r" => "strerror_r",
        "__xpg_sigpause" => "sigpause",
        "__sigsetjmp" => "sigsetjmp",
        "_setjmp" => "setjmp",
        "_longjmp" => "longjmp",
        name => name,
    }
}

/// What calls of a function are called.
pub(crate) fn function_name(f: Value) -> String {
    format!("{}()", demangle(source_name(&f.name())))
}

/// The function's row in the table.
fn row_of(name: &str) -> Option<FunctionModel> {
    use Effect::*;
    use Len::*;
    use ModelLatency::*;
    let row = |cost, effects: &'static [Effect]| {
        Some(FunctionModel {
            cost,
            effects: Cow::Borrowed(effects),
        })
    };
    match name {
        // Allocation: no state that a program can observe.
        "malloc"
        | "aligned_alloc"
        | "valloc"
        | "memalign"
        | "_Znwm"
        | "_Znam"
        | "_ZnwmSt11align_val_t"
        | "_ZnamSt11align_val_t"
        | "_ZnwmRKSt9nothrow_t"
        | "_ZnamRKSt9nothrow_t"
        | "malloc_usable_size" => row(External, &[]),
        "posix_memalign" => row(External, &[Write(0, Const(8))]),
        "calloc" => row(External, &[WriteResult(Product(0, 1))]),
        "realloc" => row(External, &[Realloc(1)]),
        "free"
        | "cfree"
        | "_ZdlPv"
        | "_ZdaPv"
        | "_ZdlPvm"
        | "_ZdaPvm"
        | "_ZdlPvSt11align_val_t"
        | "_ZdlPvmSt11align_val_t"
        | "_ZdaPvSt11align_val_t"
        | "_ZdaPvmSt11align_val_t" => row(External, &[Free(0)]),
        // What was written to a file's memory is read from it again; what belongs to no file `model` knows.
        "mmap" | "mmap64" => row(External, &[Hidden(FILES)]),
        "munmap" => row(External, &[Unmap(0, 1)]),
        // Memory and strings.
        "memcpy" | "memmove" | "mempcpy" => row(Memory, &[Copy(0, 1, Arg(2))]),
        "memset" => row(Memory, &[Write(0, Arg(2))]),
        "bzero" | "explicit_bzero" => row(Memory, &[Write(0, Arg(1))]),
        "memcmp" | "bcmp" => row(External, &[Read(0, Arg(2)), Read(1, Arg(2))]),
        "memchr" => row(External, &[Read(0, FoundWithin(2))]),
        "memrchr" => row(External, &[Read(0, Arg(2))]),
        "strlen" | "strrchr" | "rindex" | "getenv" => row(External, &[Read(0, Str)]),
        "strchr" | "index" | "strchrnul" | "rawmemchr" => row(External, &[Read(0, Found)]),
        "strpbrk" => row(External, &[Read(0, Found), Read(1, Str)]),
        "strnlen" => row(External, &[Read(0, StrMax(1))]),
        "strspn" | "strcspn" => row(External, &[Read(0, ResultAndOne), Read(1, Str)]),
        "strcoll" | "strstr" | "strcasestr" => row(External, &[Read(0, Str), Read(1, Str)]),
        "strcmp" => row(External, &[Read(0, COMPARED), Read(1, COMPARED)]),
        "strcasecmp" => row(External, &[Read(0, FOLDED), Read(1, FOLDED)]),
        "strncmp" => row(External, &[Read(0, COMPARED_MAX), Read(1, COMPARED_MAX)]),
        "strncasecmp" => row(External, &[Read(0, FOLDED_MAX), Read(1, FOLDED_MAX)]),
        "strcpy" | "stpcpy" => row(External, &[Copy(0, 1, Str)]),
        "strncpy" | "stpncpy" => row(External, &[Read(1, StrMax(2)), Write(0, Arg(2))]),
        "strcat" => row(
            External,
            &[Read(0, Joined(None)), Read(1, Str), Write(0, Str)],
        ),
        "strncat" => row(
            External,
            &[Read(0, Joined(Some(2))), Read(1, StrMax(2)), Write(0, Str)],
        ),
        "strdup" => row(External, &[Read(0, Str), WriteResult(Str)]),
        "strndup" => row(External, &[Read(0, StrMax(1)), WriteResult(Str)]),
        "atoi" | "atol" | "atoll" => row(External, &[Read(0, Number(Base::Ten, None))]),
        "atof" => row(External, &[Read(0, Number(Base::Real, None))]),
        "strtol" | "strtoul" | "strtoll" | "strtoull" | "strtoimax" | "strtoumax" => row(
            External,
            &[Read(0, Number(Base::Arg(2), Some(1))), Write(1, Const(8))],
        ),
        "strtod" | "strtof" | "strtold" => row(
            External,
            &[Read(0, Number(Base::Real, Some(1))), Write(1, Const(8))],
        ),
        "sprintf" => row(External, &[Write(0, ResultAndOne)]),
        "snprintf" => row(External, &[Write(0, Printed(1))]),
        // What the values are lies in a list.
        "vsprintf" => row(External, &[Write(0, ResultAndOne), Unseen]),
        "vsnprintf" => row(External, &[Write(0, Printed(1)), Unseen]),
        // Characters and small integers.
        "toupper" | "tolower" | "isalpha" | "isdigit" | "isalnum" | "isspace" | "isupper"
        | "islower" | "ispunct" | "isxdigit" | "isprint" | "iscntrl" | "isgraph" => {
            row(Lookup, &[])
        }
        "__ctype_b_loc" | "__ctype_tolower_loc" | "__ctype_toupper_loc" | "__errno_location" => {
            row(Nothing, &[])
        }
        "abs" | "labs" | "llabs" => row(IntAdd, &[]),
        "__fdelt_chk" => row(Lookup, &[]),
        "lgamma_r" | "lgammaf_r" | "lgammal_r" => row(Math, &[Write(1, Const(4))]),
        // Standard streams and files.
        "vprintf" | "vfprintf" | "scanf" | "fscanf" | "vscanf" | "vfscanf" => {
            row(External, &[Hidden(STDIO), Unseen])
        }
        "printf" | "putchar" | "putc" | "fputc" | "fprintf" | "fflush" | "fclose" | "fseek"
        | "fseeko" | "ftell" | "ftello" | "rewind" | "feof" | "ferror" | "clearerr" | "setvbuf"
        | "setbuf" | "fgetc" | "getc" | "getchar" | "ungetc" | "fileno" | "tmpfile"
        | "putchar_unlocked" | "putc_unlocked" | "getc_unlocked" | "getchar_unlocked" => {
            row(External, &[Hidden(STDIO)])
        }
        "strtok" => row(External, &[Read(1, Str), Hidden(TOKENS)]),
        "puts" | "fputs" | "fputs_unlocked" | "perror" => {
            row(External, &[Read(0, Str), Hidden(STDIO)])
        }
        "fopen" | "fopen64" | "freopen" => {
            row(External, &[Read(0, Str), Read(1, Str), Hidden(STDIO)])
        }
        "fdopen" => row(External, &[Read(1, Str), Hidden(STDIO)]),
        "fwrite" | "fwrite_unlocked" => row(External, &[Read(0, Product(1, 2)), Hidden(STDIO)]),
        "fread" | "fread_unlocked" => row(External, &[Hidden(STDIO), Write(0, ResultTimes(1))]),
        "__fread_chk" | "__fread_unlocked_chk" => {
            row(External, &[Hidden(STDIO), Write(0, ResultTimes(2))])
        }
        "fgets" | "fgets_unlocked" => row(External, &[Hidden(STDIO), Write(0, StrIfResult)]),
        "read" | "recv" | "pread" | "pread64" => row(External, &[Hidden(FILES), Write(1, Result)]),
        "write" | "send" | "pwrite" | "pwrite64" => {
            row(External, &[Read(1, Arg(2)), Hidden(FILES)])
        }
        "open" | "open64" | "unlink" | "access" => row(External, &[Read(0, Str), Hidden(FILES)]),
        "close" | "lseek" | "lseek64" | "fsync" | "ftruncate" | "ftruncate64" | "getpid"
        | "isatty" | "fcntl" | "fcntl64" => row(External, &[Hidden(FILES)]),
        "stat" | "lstat" | "stat64" | "lstat64" => row(
            External,
            &[Read(0, Str), Hidden(FILES), Write(1, Const(144))],
        ),
        "fstat" | "fstat64" => row(External, &[Hidden(FILES), Write(1, Const(144))]),
        // Random numbers and clocks.
        "rand" | "srand" | "random" | "srandom" | "drand48" | "lrand48" | "mrand48" | "srand48"
        | "seed48" | "lcong48" => row(External, &[Hidden(RANDOM)]),
        "rand_r" => row(External, &[Read(0, Const(4)), Write(0, Const(4))]),
        "erand48" | "nrand48" | "jrand48" => {
            row(External, &[Read(0, Const(6)), Write(0, Const(6))])
        }
        "drand48_r" | "lrand48_r" | "mrand48_r" => row(
            External,
            &[
                Read(0, Const(DRAND48_DATA)),
                Write(0, Const(DRAND48_DATA)),
                Write(1, Const(8)),
            ],
        ),
        "erand48_r" | "nrand48_r" | "jrand48_r" => row(
            External,
            &[
                Read(0, Const(6)),
                Read(1, Const(DRAND48_DATA)),
                Write(0, Const(6)),
                Write(1, Const(DRAND48_DATA)),
                Write(2, Const(8)),
            ],
        ),
        "srand48_r" => row(External, &[Write(1, Const(DRAND48_DATA))]),
        "time" => row(External, &[Hidden(CLOCK), Write(0, Const(8))]),
        "clock" | "sleep" | "usleep" => row(External, &[Hidden(CLOCK)]),
        "gettimeofday" => row(External, &[Hidden(CLOCK), Write(0, Const(16))]),
        "clock_gettime" => row(External, &[Hidden(CLOCK), Write(1, Const(16))]),
        // Callbacks, ends and jumps.
        // The child's figures start where the state was last written.
        "fork" | "vfork" | "daemon" => row(External, &[Opens]),
        "qsort" | "qsort_r" => row(
            External,
            &[
                Opens,
                AfterAll,
                Read(0, Product(1, 2)),
                Write(0, Product(1, 2)),
            ],
        ),
        "bsearch" | "lfind" | "lsearch" => row(External, &[Opens, AfterAll]),
        "exit" | "abort" | "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk"
        | "__assert_fail" | "__cxa_throw" | "__cxa_rethrow" | "_Unwind_Resume"
        | "__cxa_end_catch" | "pthread_exit" | "_ZSt9terminatev" | "__cxa_bad_cast" => {
            row(Nothing, &[Opens])
        }
        "_exit" | "_Exit" | "quick_exit" | "execve" | "execv" | "execvp" | "execl" | "execlp"
        | "execle" | "execvpe" => row(Nothing, &[Finish]),
        // What is called later, in an order or in place of another.
        "atexit" | "at_quick_exit" | "on_exit" | "signal" => row(External, &[Hidden(HANDLERS)]),
        "__cxa_atexit"
        | "__cxa_thread_atexit"
        | "__cxa_allocate_exception"
        | "__cxa_free_exception"
        | "__cxa_begin_catch"
        | "__cxa_guard_acquire"
        | "__cxa_guard_release"
        | "__cxa_guard_abort"
        | "__cxa_get_exception_ptr" => row(Nothing, &[]),
        "__dynamic_cast" => row(External, &[]),
        // Rows for types: `sinf`, `sinl` as `sin`.
        _ => {
            let of = |suffix: char| name.strip_suffix(suffix).filter(|b| is_math(b));
            let (base, size) = if let Some(base) = of('f') {
                (base, 4)
            } else if let Some(base) = of('l') {
                (base, 16)
            } else {
                (name, 8)
            };
            let writes = |arguments: &[u32]| {
                Some(FunctionModel {
                    cost: Math,
                    effects: arguments.iter().map(|&i| Write(i, Const(size))).collect(),
                })
            };
            match base {
                "sqrt" => row(Sqrt, &[]),
                "fabs" | "floor" | "ceil" | "round" | "trunc" | "rint" | "nearbyint" | "fmin"
                | "fmax" | "copysign" | "fdim" | "lround" | "llround" | "lrint" | "llrint" => {
                    row(FpAdd, &[])
                }
                "frexp" => row(Math, &[Write(1, Const(4))]),
                "remquo" => row(Math, &[Write(2, Const(4))]),
                "modf" => writes(&[1]),
                "sincos" => writes(&[1, 2]),
                b if is_math(b) => row(Math, &[]),
                _ => None,
            }
        }
    }
}

fn is_math(name: &str) -> bool {
    matches!(
        name,
        "sin"
            | "cos"
            | "tan"
            | "asin"
            | "acos"
            | "atan"
            | "atan2"
            | "sinh"
            | "cosh"
            | "tanh"
            | "asinh"
            | "acosh"
            | "atanh"
            | "exp"
            | "exp2"
            | "exp10"
            | "expm1"
            | "log"
            | "log2"
            | "log10"
            | "log1p"
            | "pow"
            | "cbrt"
            | "hypot"
            | "erf"
            | "erfc"
            | "tgamma"
            | "lgamma"
            | "fmod"
            | "remainder"
            | "ldexp"
            | "scalbn"
            | "logb"
            | "ilogb"
            | "sqrt"
            | "fabs"
            | "floor"
            | "ceil"
            | "round"
            | "trunc"
            | "rint"
            | "nearbyint"
            | "fmin"
            | "fmax"
            | "copysign"
            | "fdim"
            | "lround"
            | "llround"
            | "lrint"
            | "llrint"
            | "frexp"
            | "modf"
            | "remquo"
            | "sincos"
            | "cabs"
            | "carg"
            | "cexp"
            | "clog"
            | "cpow"
            | "csqrt"
            | "csin"
            | "ccos"
            | "ctan"
            | "csinh"
            | "ccosh"
            | "ctanh"
            | "__mulsc3"
            | "__muldc3"
            | "__divsc3"
            | "__divdc3"
    )
}

/// Model of a call, when its callee is a known library function that the program does not define itself.
pub(crate) fn model(call: Value) -> Option<FunctionModel> {
    let callee = call.callee();
    if !callee.is_function() || callee.intrinsic_name().is_some() {
        return None;
    }
    let name = callee.name();
    let known = if callee.is_declaration() {
        by_name(&name)
    } else if callee.linkage() == Linkage::LLVMAvailableExternallyLinkage {
        // What a header of the C++ library has beside the one that gets called.
        streams::by_name(&name)
    } else {
        None
    };
    let mut model = known.filter(|m| m.effects.iter().all(|e| e.fits(call)))?;
    let of_no_file = |call: Value| {
        let file = call.args().get(4).and_then(|file| file.constant_int());
        file == Some(u64::from(u32::MAX))
    };
    if ["mmap", "mmap64"].contains(&&*name) && of_no_file(call) {
        model.effects.to_mut().clear();
    }
    let format = match name.as_str() {
        "printf" => Some(0),
        "sprintf" | "fprintf" | "__printf_chk" => Some(1),
        "snprintf" | "__fprintf_chk" => Some(2),
        "__sprintf_chk" => Some(3),
        "__snprintf_chk" => Some(4),
        _ => None,
    };
    if let Some(format) = format {
        if !lengths::is_pointer(call, format) {
            return None;
        }
        let effects = model.effects.to_mut();
        effects.insert(0, Effect::Read(format, Len::Str));
        effects.extend(format::effects(call, format));
    }
    // Nobody writes what is constant.
    let constant = |at: u32| call.operand(at).is_constant_global();
    let read = |e: &Effect| matches!(e, Effect::Read(at, _) if constant(*at));
    if model.effects.iter().any(read) {
        model.effects.to_mut().retain(|e| !read(e));
    }
    Some(model)
}

/// Latency of a modelled function that does nothing but compute.
pub(super) fn constant_latency(call: Value, table: &LatencyTable) -> Option<u32> {
    let model = model(call).filter(|m| m.effects.is_empty() && call.ty().kind() != POINTER)?;
    Some(model.latency(table))
}

/// Whether no instrumented code can run inside a call.
pub(super) fn stays_outside(call: Value) -> bool {
    call.callee().is_inline_asm() || model(call).is_some_and(|m| !m.opens_regions())
}
