//! The library table: latency and memory effects of functions that are not instrumented but known by name.
//!
//! A modelled call takes `max(arguments, control, what it reads) + latency`; what it writes gets that time. Functions
//! with state of their own (stdio, `rand`, clocks) run one after the other through a hidden location. The content that
//! formats like `%s` read is not followed.

use std::borrow::Cow;

use parascan_formats::latency::LatencyTable;

use super::{Emitter, Time, format};
use crate::cost::Kind;
use crate::ir::{TypeKind, Value};

/// Whether a function that the module only declares reads and writes no memory that the program could share (`errno` apart).
pub(crate) fn touches_nothing(name: &str) -> bool {
    let later = matches!(
        name,
        "atexit" | "__cxa_atexit" | "__cxa_thread_atexit" | "signal"
    );
    let own = |e: &Effect| matches!(e, Effect::Free(_) | Effect::WriteResult(_));
    !later && by_name(name).is_some_and(|m| m.effects.iter().all(own))
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

/// Length of a stretch of memory. Numbers are argument positions.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Len {
    Arg(u32),
    Product(u32, u32),
    Const(u64),
    /// The result, if positive.
    Result,
    /// The result times an argument.
    ResultTimes(u32),
    /// The string at the same address, NUL included.
    Str,
}

/// What a function does to memory. Numbers are argument positions.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Effect {
    Read(u32, Len),
    ReadStr(u32),
    /// At most as many bytes as the second argument says.
    ReadStrMax(u32, u32),
    Write(u32, Len),
    WriteResult(Len),
    Copy(u32, u32, Len),
    CopyStr(u32, u32),
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

const STDIO: u32 = 1;
const RANDOM: u32 = 2;
const CLOCK: u32 = 3;
const FILES: u32 = 4;
const TOKENS: u32 = 5;

/// Model of a function by symbol name.
fn by_name(name: &str) -> Option<Model> {
    use Cost::*;
    use Effect::*;
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
        "posix_memalign" => row(External, &[Write(0, Len::Const(8))]),
        "calloc" => row(External, &[WriteResult(Len::Product(0, 1))]),
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
        "mmap" | "mmap64" => row(External, &[]),
        "munmap" => row(External, &[Unmap(0, 1)]),
        // Memory and strings.
        "memcpy" | "memmove" | "mempcpy" => row(Memory, &[Copy(0, 1, Len::Arg(2))]),
        "memset" => row(Memory, &[Write(0, Len::Arg(2))]),
        "bzero" => row(Memory, &[Write(0, Len::Arg(1))]),
        "memcmp" | "bcmp" => row(External, &[Read(0, Len::Arg(2)), Read(1, Len::Arg(2))]),
        "memchr" | "memrchr" => row(External, &[Read(0, Len::Arg(2))]),
        "strlen" | "strchr" | "strrchr" | "atoi" | "atol" | "atoll" | "atof" | "getenv"
        | "index" | "rindex" | "strchrnul" => row(External, &[ReadStr(0)]),
        "strnlen" => row(External, &[ReadStrMax(0, 1)]),
        "strcmp" | "strcasecmp" | "strcoll" | "strstr" | "strspn" | "strcspn" | "strpbrk"
        | "strcasestr" => row(External, &[ReadStr(0), ReadStr(1)]),
        "strncmp" | "strncasecmp" => row(External, &[ReadStrMax(0, 2), ReadStrMax(1, 2)]),
        "strcpy" | "stpcpy" => row(External, &[CopyStr(0, 1)]),
        "strncpy" => row(External, &[ReadStrMax(1, 2), Write(0, Len::Arg(2))]),
        "strcat" | "strncat" => row(External, &[ReadStr(0), ReadStr(1), Write(0, Len::Str)]),
        "strdup" | "strndup" => row(External, &[ReadStr(0), WriteResult(Len::Str)]),
        "strtol" | "strtoul" | "strtoll" | "strtoull" | "strtod" | "strtof" | "strtold"
        | "__isoc23_strtol" | "__isoc23_strtoul" | "__isoc23_strtoll" | "__isoc23_strtoull" => {
            row(External, &[ReadStr(0)])
        }
        "sprintf" | "snprintf" | "vsprintf" | "vsnprintf" => row(External, &[Write(0, Len::Str)]),
        // Characters and small integers.
        "toupper" | "tolower" | "isalpha" | "isdigit" | "isalnum" | "isspace" | "isupper"
        | "islower" | "ispunct" | "isxdigit" | "isprint" | "iscntrl" | "isgraph" => {
            row(Lookup, &[])
        }
        "__ctype_b_loc" | "__ctype_tolower_loc" | "__ctype_toupper_loc" | "__errno_location" => {
            row(Nothing, &[])
        }
        "abs" | "labs" | "llabs" => row(IntAdd, &[]),
        // Standard streams and files.
        "printf" | "puts" | "putchar" | "putc" | "fputc" | "fprintf" | "vprintf" | "vfprintf"
        | "fflush" | "fclose" | "fseek" | "fseeko" | "ftell" | "ftello" | "rewind" | "feof"
        | "ferror" | "clearerr" | "setvbuf" | "setbuf" | "fgetc" | "getc" | "getchar"
        | "ungetc" | "fileno" | "tmpfile" | "fputs_unlocked" | "putchar_unlocked"
        | "putc_unlocked" | "getc_unlocked" | "getchar_unlocked" => row(External, &[Hidden(STDIO)]),
        "strtok" => row(External, &[Hidden(TOKENS)]),
        "fputs" | "perror" => row(External, &[ReadStr(0), Hidden(STDIO)]),
        "fopen" | "fopen64" | "fdopen" | "freopen" => row(External, &[Hidden(STDIO)]),
        "fwrite" | "fwrite_unlocked" => {
            row(External, &[Read(0, Len::Product(1, 2)), Hidden(STDIO)])
        }
        "fread" | "fread_unlocked" => {
            row(External, &[Hidden(STDIO), Write(0, Len::ResultTimes(1))])
        }
        "fgets" => row(External, &[Hidden(STDIO), Write(0, Len::Str)]),
        "read" | "recv" => row(External, &[Hidden(FILES), Write(1, Len::Result)]),
        "pread" | "pread64" => row(External, &[Write(1, Len::Result)]),
        "write" | "send" | "pwrite" | "pwrite64" => {
            row(External, &[Read(1, Len::Arg(2)), Hidden(FILES)])
        }
        "open" | "open64" | "close" | "lseek" | "lseek64" | "fsync" | "ftruncate"
        | "ftruncate64" | "unlink" | "access" | "getpid" | "isatty" | "fcntl" | "fcntl64" => {
            row(External, &[Hidden(FILES)])
        }
        "stat" | "fstat" | "lstat" | "stat64" | "fstat64" | "lstat64" => {
            row(External, &[Hidden(FILES), Write(1, Len::Const(144))])
        }
        // Random numbers and clocks.
        "rand" | "srand" | "random" | "srandom" | "drand48" | "lrand48" | "mrand48" | "srand48" => {
            row(External, &[Hidden(RANDOM)])
        }
        "rand_r" => row(External, &[Read(0, Len::Const(4)), Write(0, Len::Const(4))]),
        "clock" | "time" | "sleep" | "usleep" => row(External, &[Hidden(CLOCK)]),
        "gettimeofday" => row(External, &[Hidden(CLOCK), Write(0, Len::Const(16))]),
        "clock_gettime" => row(External, &[Hidden(CLOCK), Write(1, Len::Const(16))]),
        // Callbacks, ends and jumps.
        // The child's figures start where the state was last written.
        "fork" | "vfork" | "daemon" => row(External, &[Opens]),
        "qsort" | "qsort_r" => row(
            External,
            &[
                Opens,
                AfterAll,
                Read(0, Len::Product(1, 2)),
                Write(0, Len::Product(1, 2)),
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
        "atexit"
        | "__cxa_atexit"
        | "__cxa_thread_atexit"
        | "signal"
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
            let base = name
                .strip_suffix('f')
                .or_else(|| name.strip_suffix('l'))
                .filter(|b| is_math(b))
                .unwrap_or(name);
            match base {
                "sqrt" => row(Sqrt, &[]),
                "fabs" | "floor" | "ceil" | "round" | "trunc" | "rint" | "nearbyint" | "fmin"
                | "fmax" | "copysign" | "fdim" | "lround" | "llround" | "lrint" | "llrint" => {
                    row(FpAdd, &[])
                }
                "frexp" | "modf" => row(Math, &[Write(1, Len::Const(8))]),
                "sincos" => row(Math, &[Write(1, Len::Const(8)), Write(2, Len::Const(8))]),
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
    if !callee.is_function() || !callee.is_declaration() || callee.intrinsic_name().is_some() {
        return None;
    }
    let name = callee.name();
    let mut model = by_name(&name)?;
    let format = match name.as_str() {
        "sprintf" => 1,
        "snprintf" => 2,
        _ => return Some(model),
    };
    model.effects.to_mut().extend(format::reads(call, format));
    Some(model)
}

/// Latency of a modelled function that does nothing but compute.
pub(super) fn constant_latency(call: Value, table: &LatencyTable) -> Option<u32> {
    let model = model(call)
        .filter(|m| m.effects.is_empty() && call.ty().kind() != TypeKind::LLVMPointerTypeKind)?;
    Some(model.cost.units(table))
}

/// Whether no instrumented code can run inside a call.
pub(super) fn stays_outside(call: Value) -> bool {
    call.callee().is_inline_asm() || model(call).is_some_and(|m| !m.opens_regions())
}

impl Emitter<'_> {
    fn length(&self, call: Value, len: Len, at: Value) -> Value {
        let i64 = self.unit.types.i64;
        let arg = |i: u32| self.builder.int_cast(call.operand(i), i64);
        match len {
            Len::Arg(i) => arg(i),
            Len::Product(i, j) => self.builder.mul(arg(i), arg(j)),
            Len::Const(n) => i64.int(n),
            Len::Result => {
                let n = self.builder.int_cast(call, i64);
                self.builder
                    .intrinsic(self.unit.module, "llvm.smax", i64, &[n, i64.zero()])
            }
            Len::ResultTimes(i) => self.builder.mul(self.builder.int_cast(call, i64), arg(i)),
            Len::Str => {
                self.builder.store(self.unit.zero, self.slots.scratch_m);
                let n = self.string(at, i64.int(u64::MAX), self.slots.scratch_m);
                self.builder.add(n, i64.int(1))
            }
        }
    }

    fn string(&self, at: Value, max: Value, out: Value) -> Value {
        self.unit.call_runtime(
            &self.builder,
            "__ps_read_str",
            self.unit.types.i64,
            &[at, max, out],
        )
    }

    /// The same for a string that the call reads, NUL included.
    fn read_string(&mut self, at: Value, max: Value, out: Value) {
        let i64 = self.unit.types.i64;
        let length = self.string(at, max, out);
        let whole = self.builder.add(length, i64.int(1));
        let read = self
            .builder
            .intrinsic(self.unit.module, "llvm.umin", i64, &[whole, max]);
        self.note_range(at, read);
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

    /// What follows a modelled call. The builder stands behind it.
    pub(super) fn model_after(&mut self, call: Value, model: &Model, ready: Time) {
        let types = self.unit.types;
        let (void, i64, scratch) = (types.void, types.i64, self.slots.scratch);
        let mut t = ready.value.unwrap_or(self.unit.zero);
        let latency = model.cost.units(&self.unit.costs);
        if model.effects.iter().any(|e| {
            matches!(
                e,
                Effect::Read(..) | Effect::ReadStr(_) | Effect::ReadStrMax(..)
            )
        }) {
            self.builder.store(t, scratch);
            for e in model.effects.iter() {
                match *e {
                    Effect::Read(i, len) => {
                        let at = call.operand(i);
                        let n = self.length(call, len, at);
                        self.note_range(at, n);
                        self.unit
                            .call_runtime(&self.builder, "__ps_load", void, &[at, n, scratch]);
                    }
                    Effect::ReadStr(i) => {
                        self.read_string(call.operand(i), i64.int(u64::MAX), scratch);
                    }
                    Effect::ReadStrMax(i, max) => {
                        let max = self.builder.int_cast(call.operand(max), i64);
                        self.read_string(call.operand(i), max, scratch);
                    }
                    _ => {}
                }
            }
            t = self.builder.load(self.unit.time, scratch);
        }
        if model.effects.iter().any(|e| matches!(e, Effect::AfterAll)) {
            let m = self.load_slot(self.slots.m, self.unit.time);
            t = self.max(t, m);
        }
        let mut hidden = false;
        for e in model.effects.iter() {
            match *e {
                Effect::Realloc => self.after_realloc(call, t, latency),
                Effect::Hidden(id) => {
                    hidden = true;
                    self.builder.store(t, scratch);
                    let base = self.base_for_call();
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
                Effect::CopyStr(to, from) => {
                    let n = self.length(call, Len::Str, call.operand(from));
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
