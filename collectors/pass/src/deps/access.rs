//! Loads, stores, atomic operations, and what modelled library functions do to memory.

use parascan_abi::deps::{REPORT_READ, REPORT_REDUCE, REPORT_UPDATE, REPORT_WRITE};
use parascan_formats::evidence::SiteAccess;
use parascan_formats::names::demangle;
use parascan_formats::source::INLINE_ASSEMBLY;

use crate::analysis;
use crate::emit::effects::Effect;
use crate::emit::lengths::Len;
use crate::emit::{library, rust};
use crate::ir::{Opcode, TypeKind, Value};

use super::Reporter;
use super::sites::{MemoryReduction, SiteTable};

/// Reports what an instruction does to memory.
pub(super) fn report(
    reporter: &Reporter<'_>,
    sites: &mut SiteTable,
    i: Value,
    reduction: Option<&MemoryReduction>,
) {
    let size = |v: Value| {
        let bytes = reporter.unit.module.store_size(v.ty());
        reporter.types.i64.int(bytes)
    };
    let mut at = ReportedAccess {
        reporter,
        sites,
        instruction: i,
        reduction,
    };
    match i.opcode() {
        _ if is_of_no_concern(i) => {}
        Opcode::LLVMLoad => {
            reporter.builder.before(i);
            at.read(i.operand(0), size(i));
        }
        Opcode::LLVMStore => {
            reporter.builder.before(i);
            at.write(i.operand(1), size(i.operand(0)));
        }
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
            reporter.builder.before(i);
            at.read(i.operand(0), size(i.operand(1)));
            at.write(i.operand(0), size(i.operand(1)));
        }
        Opcode::LLVMCall | Opcode::LLVMInvoke => at.call(),
        _ => {}
    }
}

/// Whether this loads or stores what no iterations can share: what never changes, and `errno`.
pub(super) fn is_of_no_concern(i: Value) -> bool {
    match i.opcode() {
        Opcode::LLVMLoad => i.operand(0).is_constant_global() || analysis::is_errno(i.operand(0)),
        Opcode::LLVMStore => analysis::is_errno(i.operand(1)),
        _ => false,
    }
}

/// What stands for an access until those that come together are one call of `__ps_deps_reports` (`shim/deps.cpp`):
/// address, site, bytes, [`AccessEffect::code`].
const ACCESS: &str = "__ps_deps_access";

/// What an access does.
#[derive(Clone, Copy, Debug)]
enum AccessEffect {
    Read,
    Write,
    /// A read of what a reduction updates.
    Update,
    /// A write by a reduction in this number of loops.
    Reduce(u32),
}

impl AccessEffect {
    fn access(self) -> SiteAccess {
        match self {
            Self::Read | Self::Update => SiteAccess::Read,
            Self::Write | Self::Reduce(_) => SiteAccess::Write,
        }
    }

    /// As in [`AccessReport::how`](parascan_abi::deps::AccessReport::how).
    fn code(self) -> u16 {
        match self {
            Self::Read => REPORT_READ,
            Self::Write => REPORT_WRITE,
            Self::Update => REPORT_UPDATE,
            Self::Reduce(levels) => {
                REPORT_REDUCE.saturating_add(u16::try_from(levels).unwrap_or(u16::MAX))
            }
        }
    }

    /// What reports an access of this kind by itself. Reductions are loads and stores, whose size is known.
    fn function(self) -> &'static str {
        match self {
            Self::Read | Self::Update => "__ps_deps_read",
            Self::Write | Self::Reduce(_) => "__ps_deps_write",
        }
    }
}

struct ReportedAccess<'a, 'u> {
    reporter: &'a Reporter<'u>,
    sites: &'a mut SiteTable,
    instruction: Value,
    reduction: Option<&'a MemoryReduction>,
}

impl ReportedAccess<'_, '_> {
    /// An access of as many bytes as are known when the module is compiled, or only when it runs: the latter has a call
    /// of its own.
    fn access(&mut self, how: AccessEffect, address: Value, len: Value) {
        let reporter = self.reporter;
        let ranged = reporter.ranged.get(&self.instruction);
        let site = match ranged {
            Some((site, _)) => *site,
            None => self.site(how.access(), address),
        };
        let address = reporter.address(address);
        let void = reporter.types.void;
        let call = match len.constant_int().and_then(|len| u32::try_from(len).ok()) {
            Some(len) => {
                let known = [site, len, how.code().into()];
                let [site, len, how] = known.map(|n| reporter.types.i32.int(n.into()));
                reporter.call_for(ACCESS, void, &[address, site, len, how])
            }
            None => reporter.call_for(how.function(), void, &[address, len, reporter.site(site)]),
        };
        let known = ranged.map(|(_, known)| (call, *known));
        reporter.known.borrow_mut().extend(known);
    }

    fn levels(&self) -> u32 {
        self.reduction.map_or(0, |r| r.levels)
    }

    fn site(&mut self, access: SiteAccess, address: Value) -> u32 {
        let name = demangle(&analysis::expression(address, self.instruction));
        self.sites
            .add(self.instruction, access, name, 0, self.reduction)
    }

    fn read(&mut self, address: Value, len: Value) {
        let how = match self.levels() {
            0 => AccessEffect::Read,
            _ => AccessEffect::Update,
        };
        self.access(how, address, len);
    }

    fn write(&mut self, address: Value, len: Value) {
        let how = match self.levels() {
            0 => AccessEffect::Write,
            levels => AccessEffect::Reduce(levels),
        };
        self.access(how, address, len);
    }

    fn call(&mut self) {
        let call = self.instruction;
        let reporter = self.reporter;
        let i64 = reporter.types.i64;
        reporter.builder.before(call);
        for (i, argument) in call.args().into_iter().enumerate() {
            if let Some(ty) = call.param_type_attribute(i as u32, "byval", true) {
                let bytes = reporter.unit.module.store_size(ty);
                self.read(argument, i64.int(bytes));
            }
        }
        let arg = |i: u32| reporter.builder.int_cast(call.operand(i), i64);
        let name = call.callee().intrinsic_name().unwrap_or_default();
        if name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.") {
            let n = arg(2);
            self.read(call.operand(1), n);
            self.write(call.operand(0), n);
        } else if name.starts_with("llvm.memset.") {
            self.write(call.operand(0), arg(2));
        } else if name.starts_with("llvm.lifetime.start") {
            self.new_life();
        } else if touches_unknown(call, &name) {
            let site = self.unseen(format!("{name}()"));
            self.shown(i64.zero(), site);
            self.called(i64.zero(), site);
        } else if let Some(model) = library::model(call) {
            self.library(&model.effects);
        } else if name.is_empty() && !reporter.versions.contains(&call.callee()) {
            self.foreign();
        }
    }

    /// A call of something that may have no dependence version.
    fn foreign(&mut self) {
        let (call, reporter) = (self.instruction, self.reporter);
        let callee = call.callee();
        let name = if callee.is_function() {
            library::function_name(callee)
        } else if callee.is_inline_asm() {
            INLINE_ASSEMBLY.to_owned()
        } else {
            "a function pointer's target".to_owned()
        };
        let site = self.unseen(name);
        let target = if callee.is_inline_asm() {
            reporter.types.i64.zero()
        } else {
            reporter.address(callee)
        };
        // Nothing can come behind a call in place of a return: it counts as unseen. So does one that never comes back
        // to here.
        let Some(next) = behind(call) else {
            return self.called(reporter.types.i64.zero(), site);
        };
        reporter.builder.before(next);
        self.shown(target, site);
        self.called(target, site);
    }

    /// A call that has come back, of what may have no dependence version, or has none, got these addresses.
    fn shown(&self, target: Value, site: Value) {
        let arguments = self.instruction.args().into_iter();
        for argument in arguments.filter(|a| a.ty().kind() == TypeKind::LLVMPointerTypeKind) {
            let args = [target, self.reporter.address(argument), site];
            self.reporter.call("__ps_deps_shown", &args);
        }
    }

    /// The site of a call that may do what is not observed.
    fn unseen(&mut self, name: String) -> Value {
        let unseen = SiteAccess::Unseen;
        let site = self.sites.add(self.instruction, unseen, name, 0, None);
        self.reporter.site(site)
    }

    fn called(&self, target: Value, site: Value) {
        self.reporter.call("__ps_deps_called", &[target, site]);
    }

    /// A variable's life begins.
    fn new_life(&mut self) {
        let call = self.instruction;
        let variable = call.operand(call.args().len() as u32 - 1);
        if variable.is_instruction() && variable.opcode() == Opcode::LLVMAlloca {
            let reporter = self.reporter;
            let size = reporter.unit.module.abi_size(variable.allocated_type());
            let args = [reporter.address(variable), reporter.types.i64.int(size)];
            reporter.call("__ps_deps_forget", &args);
        }
    }

    /// A modelled library function.
    fn library(&mut self, effects: &[Effect]) {
        let call = self.instruction;
        let reporter = self.reporter;
        let i64 = reporter.types.i64;
        let arg = |i: u32| reporter.builder.int_cast(call.operand(i), i64);
        let mut moved = None;
        for effect in effects {
            match *effect {
                Effect::Free(i) => {
                    let len = self.usable(call.operand(i));
                    let args = [self.reporter.address(call.operand(i)), len];
                    reporter.call("__ps_deps_forget", &args);
                    reporter.call("__ps_deps_freed", &args[..1]);
                }
                Effect::Unmap(i, len) => {
                    let args = [self.reporter.address(call.operand(i)), arg(len)];
                    reporter.call("__ps_deps_forget", &args);
                }
                Effect::Realloc(size) => {
                    moved = Some((self.usable(call.operand(0)), size));
                    let old = self.reporter.address(call.operand(0));
                    reporter.call("__ps_deps_freed", &[old]);
                }
                Effect::Finish => reporter.call("__ps_deps_finish", &[]),
                _ => {}
            }
        }
        // What follows the call, if it comes back to here.
        let Some(next) = behind(call) else { return };
        reporter.builder.before(next);
        for effect in effects {
            self.effect(*effect);
        }
        if let Some((old, size)) = moved {
            let new = arg(size);
            let n = reporter
                .builder
                .intrinsic(reporter.unit.module, "llvm.umin", i64, &[old, new]);
            let args = [
                self.reporter.address(call),
                self.reporter.address(call.operand(0)),
                n,
            ];
            reporter.call("__ps_deps_moved", &args);
        }
        self.allocation();
    }

    fn usable(&self, pointer: Value) -> Value {
        let i64 = self.reporter.types.i64;
        self.reporter
            .call_for("malloc_usable_size", i64, &[pointer])
    }

    fn effect(&mut self, effect: Effect) {
        let call = self.instruction;
        match effect {
            Effect::Read(i, len) => {
                let n = self.length(len, call.operand(i));
                self.read(self.beginning(call.operand(i), len), n);
            }
            Effect::Write(i, len) => {
                let n = self.length(len, call.operand(i));
                self.write(self.beginning(call.operand(i), len), n);
            }
            Effect::WriteResult(_) => {}
            Effect::Copy(to, from, len) => {
                let n = self.length(len, call.operand(from));
                self.read(call.operand(from), n);
                self.write(call.operand(to), n);
            }
            Effect::Unseen => {
                let site = self.unseen(library::function_name(call.callee()));
                self.shown(self.reporter.types.i64.zero(), site);
                self.called(self.reporter.types.i64.zero(), site);
            }
            Effect::Hidden(id) => {
                let name = library::function_name(call.callee());
                let site = self.sites.add(call, SiteAccess::Hidden, name, 0, None);
                let (id, site) = (
                    self.reporter.types.i32.int(id.into()),
                    self.reporter.site(site),
                );
                self.reporter.call("__ps_deps_hidden", &[id, site]);
                self.shown(self.reporter.types.i64.zero(), site);
            }
            Effect::Free(_)
            | Effect::Unmap(..)
            | Effect::Realloc(_)
            | Effect::Opens
            | Effect::Finish
            | Effect::AfterAll => {}
        }
    }

    fn beginning(&self, argument: Value, len: Len) -> Value {
        let (unit, builder) = (self.reporter.unit, &self.reporter.builder);
        unit.beginning(builder, argument, len)
    }

    fn length(&self, len: Len, at: Value) -> Value {
        let (unit, builder) = (self.reporter.unit, &self.reporter.builder);
        unit.stretch(builder, self.instruction, len, at)
    }

    /// Notes a block that the heap gave out.
    fn allocation(&mut self) {
        let call = self.instruction;
        let reporter = self.reporter;
        let i64 = reporter.types.i64;
        let arg = |i: u32| reporter.builder.int_cast(call.operand(i), i64);
        let name = call.callee().name();
        let mut block = call;
        let allocator = rust::of_allocator(&name);
        let len = match allocator.unwrap_or(&name) {
            "alloc" | "alloc_zeroed" if allocator.is_some() => arg(0),
            "realloc" if allocator.is_some() => arg(3),
            "malloc"
            | "valloc"
            | "_Znwm"
            | "_Znam"
            | "_ZnwmSt11align_val_t"
            | "_ZnamSt11align_val_t"
            | "_ZnwmRKSt9nothrow_t"
            | "_ZnamRKSt9nothrow_t" => arg(0),
            "aligned_alloc" | "memalign" | "realloc" => arg(1),
            "calloc" => reporter.builder.mul(arg(0), arg(1)),
            "posix_memalign" => {
                block = reporter.builder.load(reporter.types.ptr, call.operand(0));
                arg(2)
            }
            _ => return,
        };
        let site = self.sites.add(
            call,
            SiteAccess::Allocate,
            library::function_name(call.callee()),
            0,
            None,
        );
        let args = [self.reporter.address(block), len, reporter.site(site)];
        reporter.call("__ps_deps_allocated", &args);
    }
}

/// Whether an intrinsic of this name does what its call does not tell of: to masked lanes, by a processor's own
/// instruction, in a coroutine, to rounding modes.
fn touches_unknown(call: Value, name: &str) -> bool {
    let families = [
        "llvm.masked.",
        "llvm.vp.",
        "llvm.matrix.",
        "llvm.x86.",
        // Another body that runs in steps; the state of the processor.
        "llvm.coro.",
        "llvm.set.",
        "llvm.reset.",
        "llvm.write_",
    ];
    families.iter().any(|f| name.starts_with(f)) && !call.callee().is_pure()
}

/// The first instruction that runs after a call, unless the call takes the place of a return.
fn behind(call: Value) -> Option<Value> {
    match call.opcode() {
        Opcode::LLVMInvoke => Some(call.normal_dest().first_insertion()),
        _ => call.next().filter(|_| !analysis::is_must_tail(call)),
    }
}
