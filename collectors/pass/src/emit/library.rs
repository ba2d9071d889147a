//! The library table: latency and memory effects of functions that are not instrumented but known by name.
//!
//! A modelled call takes `max(arguments, control, what it reads) + latency`; what it writes gets that time. Functions
//! with state of their own (stdio, `rand`, clocks) run one after the other through a hidden location. What the `%s` of
//! a format reads is followed where a string is printed into ([`format`]).

use std::borrow::Cow;

use parascan_formats::latency::LatencyTable;
use parascan_formats::names::demangle;

use super::stretch::{self, Base, Len};
use super::{Emitter, Time, format, streams, strings, unit::Field};
use crate::cost::Kind;
use crate::ir::{Linkage, Opcode, TypeKind, Value};

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
    let hidden = |m: Model| m.effects.iter().any(|e| matches!(e, Effect::Hidden(_)));
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

impl Model {
    /// An external function with these effects.
    pub(super) fn external(effects: Vec<Effect>) -> Self {
        Self {
            cost: Cost::External,
            effects: effects.into(),
        }
    }
}

/// Latency of a modelled function.
#[derive(Clone, Copy, Debug)]
enum Cost {
    Nothing,
    Lookup,
    IntAdd,
    FpAdd,
    Sqrt,
    Math,
    External,
    Memory,
}

impl Cost {
    fn units(self, table: &LatencyTable) -> u32 {
        match self {
            Self::Nothing => 0,
            Self::Lookup => table.load,
            Self::IntAdd => table.int_add,
            Self::FpAdd => table.fp_add,
            Self::Sqrt => table.fp_sqrt,
            Self::Math => table.math,
            Self::External => table.external,
            Self::Memory => table.load + table.store,
        }
    }
}

/// What a function does to memory. Numbers are argument positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Read(u32, Len),
    Write(u32, Len),
    WriteResult(Len),
    Copy(u32, u32, Len),
    /// Hidden state by number.
    Hidden(u32),
    Free(u32),
    /// A range that is unmapped: address and length.
    Unmap(u32, u32),
    Realloc,
    /// Calls back into the program, or leaves the function without returning.
    Opens,
    /// The process ends or is replaced without running destructors.
    Finish,
    /// Its results depend on everything that its callbacks did.
    AfterAll,
    /// It accesses memory that these effects do not tell of.
    Unseen,
}

impl Effect {
    /// Whether a call has what this is about: another part of the program may define a function of the same name.
    fn fits(self, call: Value) -> bool {
        let pointer = |i| stretch::is_pointer(call, i);
        match self {
            Self::Read(at, len) | Self::Write(at, len) => pointer(at) && len.fits(call),
            Self::WriteResult(len) => call.ty().kind() == POINTER && len.fits(call),
            Self::Copy(to, from, len) => pointer(to) && pointer(from) && len.fits(call),
            Self::Free(at) => pointer(at),
            Self::Unmap(at, length) => pointer(at) && Len::Arg(length).fits(call),
            Self::Realloc => call.ty().kind() == POINTER && pointer(0) && Len::Arg(1).fits(call),
            Self::Hidden(_) | Self::Opens | Self::Finish | Self::AfterAll | Self::Unseen => true,
        }
    }
}

/// A row of the table.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    cost: Cost,
    /// What it does to memory.
    pub(crate) effects: Cow<'static, [Effect]>,
}

impl Model {
    /// Whether instrumented code may run inside, or control may leave.
    pub(super) fn opens_regions(&self) -> bool {
        self.effects
            .iter()
            .any(|e| matches!(e, Effect::Opens | Effect::Finish))
    }
}

const POINTER: TypeKind = TypeKind::LLVMPointerTypeKind;

const STDIO: u32 = 1;
const RANDOM: u32 = 2;
const CLOCK: u32 = 3;
const FILES: u32 = 4;
const TOKENS: u32 = 5;
const HANDLERS: u32 = 6;

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
fn by_name(name: &str) -> Option<Model> {
    let name = of_any_standard(name);
    row_of(name)
        .or_else(|| row_of(unfortified(name)?))
        .or_else(|| streams::by_name(name))
        .or_else(|| strings::by_name(name))
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
fn row_of(name: &str) -> Option<Model> {
    use Cost::*;
    use Effect::*;
    use Len::*;
    let row = |cost, effects: &'static [Effect]| {
        Some(Model {
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
        "realloc" => row(External, &[Realloc]),
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
                Some(Model {
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
pub(crate) fn model(call: Value) -> Option<Model> {
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
        if !stretch::is_pointer(call, format) {
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
    Some(model.cost.units(table))
}

/// Whether no instrumented code can run inside a call.
pub(super) fn stays_outside(call: Value) -> bool {
    call.callee().is_inline_asm() || model(call).is_some_and(|m| !m.opens_regions())
}

impl Emitter<'_> {
    fn length(&self, call: Value, len: Len, at: Value) -> Value {
        self.unit.stretch(&self.builder, call, len, at)
    }

    /// Notes the usable size of the block that `realloc` will give back.
    fn before_realloc(&mut self, call: Value) {
        let types = self.unit.types;
        let size = self.unit.call_runtime(
            &self.builder,
            "malloc_usable_size",
            types.i64,
            &[call.operand(0)],
        );
        self.realloc_sizes.insert(call, size);
    }

    /// Times move with the block; the old block is forgotten.
    fn after_realloc(&mut self, call: Value, t: Value, latency: u32) {
        let (i64, void) = (self.unit.types.i64, self.unit.types.void);
        let Some(&old) = self.realloc_sizes.get(&call) else {
            return;
        };
        let new = self.builder.int_cast(call.operand(1), i64);
        let n = self
            .builder
            .intrinsic(self.unit.module, "llvm.umin", i64, &[old, new]);
        let result = self.builder.ptr_to_int(call, i64);
        let before = self.builder.ptr_to_int(call.operand(0), i64);
        let equal = crate::ir::IntPredicate::LLVMIntEQ;
        let stays = self.builder.or(
            self.builder.icmp(equal, result, i64.zero()),
            self.builder.icmp(equal, result, before),
        );
        let n = self.builder.select(stays, i64.zero(), n);
        self.shadow_copy(None, call, call.operand(0), n, t, latency);
        self.unit
            .call_runtime(&self.builder, "__ps_forget", void, &[call.operand(0), n]);
    }

    /// What must happen before a modelled call.
    pub(super) fn model_before(&mut self, call: Value, model: &Model) {
        let void = self.unit.types.void;
        for e in model.effects.iter() {
            match *e {
                Effect::Free(i) => {
                    self.unit.call_runtime(
                        &self.builder,
                        "__ps_forget_heap",
                        void,
                        &[call.operand(i)],
                    );
                }
                Effect::Unmap(at, length) => {
                    let length = self
                        .builder
                        .int_cast(call.operand(length), self.unit.types.i64);
                    self.unit.call_runtime(
                        &self.builder,
                        "__ps_forget",
                        void,
                        &[call.operand(at), length],
                    );
                }
                Effect::Realloc => self.before_realloc(call),
                Effect::Finish => {
                    self.save();
                    self.unit
                        .call_runtime(&self.builder, "__ps_finish", void, &[]);
                }
                Effect::Opens => self.save(),
                _ => {}
            }
        }
    }

    /// Before a call uses its hidden state: that an earlier iteration did may be left out.
    fn leave_out_hidden(&mut self, call: Value, id: u32, base: Value) {
        if self.unit.cuts.is_empty() {
            return;
        }
        let Some(bits) = self.left_out(&function_name(call.callee())) else {
            return;
        };
        let types = self.unit.types;
        let args = [types.i32.int(id.into()), bits, base];
        self.unit
            .call_runtime(&self.builder, "__ps_hidden_without", types.void, &args);
    }

    /// Before a call that waits for its callbacks: they find a latest time as if nothing had run in the open instances
    /// before the call could begin, so that what they did shows by itself. A burst that begins in a callback finds the
    /// time of all that is older in the thread state. Returns the latest time until here, and what the thread state
    /// had.
    pub(super) fn before_callbacks(
        &mut self,
        call: Value,
        model: &Model,
        ready: &Time,
    ) -> Option<[Value; 2]> {
        let waits = model.effects.iter().any(|e| matches!(e, Effect::AfterAll));
        // An exception would leave the time as it is.
        if !waits || call.opcode() == Opcode::LLVMInvoke {
            return None;
        }
        let earlier = self.load_slot(self.slots.m, self.unit.time);
        let begin = ready.value.unwrap_or(self.unit.zero);
        let open = self.open_lanes(self.block_level(call.block()));
        let latest = self.builder.select(open, begin, earlier);
        self.store_state(Field::M, latest);
        if !self.unit.bursts {
            return Some([earlier; 2]);
        }
        let around = self.load_state(Field::Latest, self.unit.time);
        let latest = self.max(around, earlier);
        self.store_state(Field::Latest, latest);
        Some([earlier, around])
    }

    /// Behind it: `ready` becomes the time at which all callbacks are done as well.
    pub(super) fn after_callbacks(&mut self, ready: &mut Time, [earlier, around]: [Value; 2]) {
        if self.unit.bursts {
            self.store_state(Field::Latest, around);
        }
        let done = self.load_slot(self.slots.m, self.unit.time);
        ready.value = Some(ready.value.map_or(done, |t| self.max(t, done)));
        let latest = self.max(earlier, done);
        self.builder.store(latest, self.slots.m);
    }

    /// What follows a modelled call. The builder stands behind it.
    pub(super) fn model_after(&mut self, call: Value, model: &Model, ready: Time) {
        let types = self.unit.types;
        let (i64, scratch) = (types.i64, self.slots.scratch);
        let mut t = ready.value.unwrap_or(self.unit.zero);
        let latency = model.cost.units(&self.unit.costs);
        if model.effects.iter().any(|e| matches!(e, Effect::Read(..))) {
            self.builder.store(t, scratch);
            for e in model.effects.iter() {
                let Effect::Read(i, len) = *e else { continue };
                let at = call.operand(i);
                let n = self.length(call, len, at);
                self.note_range(at, n);
                self.load_by_call(at, n);
            }
            t = self.builder.load(self.unit.time, scratch);
        }
        let mut hidden = false;
        for e in model.effects.iter() {
            match *e {
                Effect::Realloc => self.after_realloc(call, t, latency),
                Effect::Hidden(id) => {
                    hidden = true;
                    self.builder.store(t, scratch);
                    let base = self.base_for_call();
                    self.leave_out_hidden(call, id, base);
                    let args = [
                        types.i32.int(id.into()),
                        types.i32.int(latency.into()),
                        scratch,
                        base,
                    ];
                    let bits =
                        self.unit
                            .call_runtime(&self.builder, "__ps_hidden", types.i32, &args);
                    self.note_bits(bits);
                    t = self.builder.load(self.unit.time, scratch);
                }
                Effect::Copy(to, from, len) => {
                    let n = self.length(call, len, call.operand(from));
                    self.shadow_copy(
                        Some(call),
                        call.operand(to),
                        call.operand(from),
                        n,
                        t,
                        latency,
                    );
                }
                _ => {}
            }
        }
        if hidden {
            self.pending_work += u64::from(latency);
            self.pending_m.push(t);
            self.set(call, Some(t), None);
        } else {
            self.external_operation(
                call,
                Time {
                    value: Some(t),
                    cover: ready.cover,
                },
                Kind::Op(latency),
            );
            t = self.times[&call].value.unwrap_or(t);
        }
        for e in model.effects.iter() {
            match *e {
                Effect::Write(i, len) => {
                    let n = self.length(call, len, call.operand(i));
                    self.shadow_fill(call.operand(i), n, t);
                }
                Effect::WriteResult(len) => {
                    let n = self.length(call, len, call);
                    let null = self.builder.ptr_to_int(call, i64);
                    let got =
                        self.builder
                            .icmp(crate::ir::IntPredicate::LLVMIntNE, null, i64.zero());
                    let n = self.builder.select(got, n, i64.zero());
                    self.shadow_fill(call, n, t);
                }
                _ => {}
            }
        }
        debug_assert!(call.ty().kind() != TypeKind::LLVMTokenTypeKind);
    }
}
