//! What loops leave in `errno`: each thread of a directive has its own, so that code behind the loop would read what
//! the iterations of one thread left there.

use indexmap::{IndexMap, IndexSet};

use parascan_formats::source::{Doubt, DoubtKind};

use crate::emit::library::{of_any_standard, of_math, unfortified, works_on_files};
use crate::ir::{Block, Linkage, Module, Opcode, Value};

/// Finds the variable.
const LOCATION: &str = "__errno_location";

/// Functions that print what `errno` means.
const PRINTERS: &[&str] = &["perror", "err", "verr", "warn", "vwarn"];

/// Functions of libm that have no errors.
const CLEAN: &[&str] = &[
    "fabs",
    "floor",
    "ceil",
    "round",
    "trunc",
    "rint",
    "nearbyint",
    "fmin",
    "fmax",
    "copysign",
    "cbrt",
    "frexp",
    "modf",
    "carg",
    "__mulsc3",
    "__muldc3",
    "__divsc3",
    "__divdc3",
];

/// Other functions of libm that may set it, for `double`.
const MORE_MATH: &[&str] = &[
    "fma",
    "gamma",
    "drem",
    "pow10",
    "scalb",
    "scalbln",
    "significand",
    "nextafter",
    "nexttoward",
    "j0",
    "j1",
    "jn",
    "y0",
    "y1",
    "yn",
    "lgamma_r",
];

/// Whether a library function of this name may set `errno`.
pub(super) fn sets(name: &str) -> bool {
    let name = of_any_standard(name);
    let name = unfortified(name).unwrap_or(name);
    if let Some(base) = of_math(name) {
        return !CLEAN.contains(&base);
    }
    let of_type = |base: &&str| {
        let suffix = name.strip_prefix(base);
        suffix.is_some_and(|s| ["", "f", "l"].contains(&s))
    };
    MORE_MATH.iter().any(of_type) || is_other(name) || works_on_files(name)
}

/// Those that convert, allocate, or call the system.
fn is_other(name: &str) -> bool {
    matches!(
        name,
        "malloc"
            | "calloc"
            | "realloc"
            | "reallocarray"
            | "aligned_alloc"
            | "valloc"
            | "memalign"
            | "_ZnwmRKSt9nothrow_t"
            | "_ZnamRKSt9nothrow_t"
            | "strdup"
            | "strndup"
            | "asprintf"
            | "vasprintf"
            | "munmap"
            | "mmap"
            | "mmap64"
            | "atoi"
            | "atol"
            | "atoll"
            | "atof"
            | "strtol"
            | "strtoul"
            | "strtoll"
            | "strtoull"
            | "strtoimax"
            | "strtoumax"
            | "strtod"
            | "strtof"
            | "strtold"
            | "wcstol"
            | "wcstoul"
            | "wcstoll"
            | "wcstoull"
            | "wcstod"
            | "wcstof"
            | "wcstold"
            | "sprintf"
            | "snprintf"
            | "vsprintf"
            | "vsnprintf"
            | "sscanf"
            | "vsscanf"
            | "mbtowc"
            | "mbrtowc"
            | "mblen"
            | "mbstowcs"
            | "wcstombs"
            | "wctomb"
            | "strcoll"
            | "strerror"
            | "time"
            | "clock_gettime"
            | "gettimeofday"
            | "sleep"
            | "usleep"
            | "nanosleep"
            | "fork"
            | "vfork"
            | "lsearch"
            | "qsort"
            | "signal"
    )
}

/// What is known of a module that reads `errno`.
pub(super) struct Errno {
    /// Functions of the module that may set it, each with one of the library's that does so.
    setters: IndexMap<Value, String>,
    /// One of those that may be called through a pointer.
    by_pointer: Option<String>,
    /// Functions that use it, but only what they set themselves before: they see nothing that loops of other functions
    /// left.
    closed: IndexSet<Value>,
    /// Whether others use it.
    open: bool,
}

impl Errno {
    /// None where the module does not read it.
    pub(super) fn of(module: Module) -> Option<Self> {
        let functions = module.functions();
        let with_body = functions.iter().copied().filter(|f| !f.is_declaration());
        let calls: Vec<(Value, Vec<Value>)> = with_body
            .map(|f| (f, calls_in(&f.blocks())))
            .filter(|(_, calls)| !calls.is_empty())
            .collect();
        let readers = calls.iter().filter(|(f, calls)| {
            let read = |call: &Value| reads(*call) && !is_of_a_call_before(*call);
            !f.is_in_system_header() && calls.iter().any(read)
        });
        let (closed, open): (Vec<_>, Vec<_>) = readers.partition(|(f, calls)| is_closed(*f, calls));
        if closed.is_empty() && open.is_empty() {
            return None;
        }
        let mut all = Self {
            setters: IndexMap::new(),
            by_pointer: None,
            closed: closed.iter().map(|(f, _)| *f).collect(),
            open: !open.is_empty(),
        };
        all.find_setters(&functions, &calls);
        Some(all)
    }

    /// Functions that call what sets it, until no more are found.
    fn find_setters(&mut self, functions: &[Value], calls: &[(Value, Vec<Value>)]) {
        let of_pointers: Vec<Value> = functions.iter().copied().filter(|f| is_taken(*f)).collect();
        loop {
            let known = (self.setters.len(), self.by_pointer.is_some());
            for (f, calls) in calls {
                let mut names = calls.iter().filter_map(|call| self.set_by(*call));
                let name = names.next();
                if let Some(name) = name.filter(|_| !self.setters.contains_key(f)) {
                    self.setters.insert(*f, name);
                }
            }
            if self.by_pointer.is_none() {
                let mut names = of_pointers.iter().filter_map(|f| self.set_in(*f));
                self.by_pointer = names.next();
            }
            if known == (self.setters.len(), self.by_pointer.is_some()) {
                return;
            }
        }
    }

    /// The library's function that sets it where this one runs.
    fn set_in(&self, f: Value) -> Option<String> {
        let elsewhere =
            f.is_declaration() || f.linkage() == Linkage::LLVMAvailableExternallyLinkage;
        let name = f.name();
        match elsewhere && sets(&name) {
            true if f.is_pure() => None,
            true => Some(of_any_standard(&name).to_owned()),
            false => self.setters.get(&f).cloned(),
        }
    }

    /// The same of a call.
    fn set_by(&self, call: Value) -> Option<String> {
        let callee = call.callee();
        if callee.is_function() {
            (!call.is_pure_call())
                .then(|| self.set_in(callee))
                .flatten()
        } else if callee.is_inline_asm() {
            None
        } else {
            self.by_pointer.clone()
        }
    }

    /// Doubts about a loop of a function, besides these. Where the loop uses it itself, they say more.
    pub(super) fn doubts(&self, f: Value, body: &[Block], known: &[Doubt]) -> Vec<Doubt> {
        let own = |d: &Doubt| d.kind == DoubtKind::ThreadLocal && d.name == "errno";
        let mut doubts: Vec<Doubt> = Vec::new();
        if known.iter().any(own) || !(self.open || self.closed.contains(&f)) {
            return doubts;
        }
        for call in calls_in(body) {
            let Some(name) = self.set_by(call) else {
                continue;
            };
            let doubt = Doubt {
                kind: DoubtKind::Errno,
                name,
                line: call.line(),
            };
            if !doubts.contains(&doubt) {
                doubts.push(doubt);
            }
        }
        doubts
    }
}

/// Calls, without those of the compiler's own functions.
fn calls_in(blocks: &[Block]) -> Vec<Value> {
    calls_among(blocks.iter().flat_map(|b| b.instructions()))
}

/// The same among instructions.
fn calls_among(instructions: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let is_call = |i: &Value| matches!(i.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke);
    let all = instructions.into_iter();
    all.filter(|i| is_call(i) && i.callee().intrinsic_name().is_none())
        .collect()
}

/// Whether a call has to do with what `errno` is.
fn reads(call: Value) -> bool {
    let callee = call.callee();
    if !callee.is_function() {
        return false;
    }
    let name = callee.name();
    let prints = |text: Vec<u8>| text.windows(2).any(|two| two == b"%m");
    let formats = ["printf", "syslog"].iter().any(|of| name.contains(of));
    name == LOCATION
        || callee.is_declaration() && PRINTERS.contains(&&*name)
        || formats
            && call
                .args()
                .iter()
                .any(|a| a.constant_string().is_some_and(prints))
}

/// Whether a use of `errno` is about a library function that was called just before, as where a file could not be
/// opened: what loops left is gone by then, or nobody looks at it.
fn is_of_a_call_before(call: Value) -> bool {
    let mut block = call.block();
    let instructions = block.instructions();
    let mut before: Vec<Value> = (instructions.into_iter().take_while(|i| *i != call)).collect();
    let mut seen: Vec<Block> = vec![block];
    loop {
        let calls = calls_among(before);
        let mut callees = calls.iter().map(|call| call.callee());
        if callees.any(|f| f.is_function() && f.is_declaration() && sets(&f.name())) {
            return true;
        }
        // Straight back, but not into a loop that ended.
        let [from] = block.predecessors()[..] else {
            return false;
        };
        if seen.contains(&from) || reaches(from, from) && !reaches(block, from) {
            return false;
        }
        seen.push(from);
        block = from;
        before = block.instructions();
    }
}

/// Whether control may come from one block to another by at least one step.
fn reaches(from: Block, to: Block) -> bool {
    let mut work = from.successors();
    let mut seen: IndexSet<Block> = IndexSet::new();
    while let Some(block) = work.pop() {
        if block == to {
            return true;
        }
        if seen.insert(block) {
            work.extend(block.successors());
        }
    }
    false
}

/// Whether a function sets `errno` before all else that it does with it, and calls nothing but functions of the
/// library: a helper that looks whether one of these failed.
fn is_closed(f: Value, calls: &[Value]) -> bool {
    let first = calls.iter().find(|call| reads(**call));
    let stores = |call: &&Value| {
        let users = call.users();
        let store = |u: &Value| u.opcode() == Opcode::LLVMStore && u.operand(1) == **call;
        !users.is_empty() && users.iter().all(store)
    };
    let outside = |call: &Value| call.callee().is_function() && call.callee().is_declaration();
    let entry = f.blocks().first().copied();
    first
        .filter(stores)
        .is_some_and(|call| Some(call.block()) == entry)
        && calls.iter().all(outside)
}

/// Whether something else than calls uses a function.
fn is_taken(f: Value) -> bool {
    let calls = |u: &Value| {
        let call =
            u.is_instruction() && matches!(u.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke);
        let handed = |u: &Value| u.args().contains(&f);
        call && u.callee() == f && !handed(u)
    };
    !f.users().iter().all(calls)
}

#[cfg(test)]
mod tests {
    use super::sets;

    #[test]
    fn functions_that_may_fail_set_it() {
        for name in [
            "sqrt",
            "powf",
            "expl",
            "strtol",
            "__isoc23_strtol",
            "malloc",
        ] {
            assert!(sets(name), "{name}");
        }
        for name in ["fopen", "__snprintf_chk", "atoi", "nextafterf", "read"] {
            assert!(sets(name), "{name}");
        }
    }

    #[test]
    fn others_leave_it_as_it_is() {
        for name in [
            "fabs", "floorf", "cbrtl", "strlen", "memcpy", "free", "_Znwm",
        ] {
            assert!(!sets(name), "{name}");
        }
        for name in ["frexp", "rand", "isalpha", "__errno_location", "own"] {
            assert!(!sets(name), "{name}");
        }
    }
}
