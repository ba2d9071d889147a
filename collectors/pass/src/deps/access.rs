//! Loads, stores, atomic operations, and what modelled library functions do to memory.

use parascan_formats::evidence::Access;

use crate::analysis;
use crate::emit::library::{self, Effect, Len};
use crate::ir::{Opcode, Value};

use super::Reporter;
use super::sites::Sites;

/// Reduction that an instruction belongs to.
type Reduction<'a> = Option<&'a (u32, Vec<u32>)>;

/// Reports what an instruction does to memory.
pub(super) fn report(
    reporter: &Reporter<'_>,
    sites: &mut Sites,
    i: Value,
    reduction: Reduction<'_>,
) {
    let size = |v: Value| {
        let bytes = reporter.unit.module.store_size(v.ty());
        reporter.types.i64.int(bytes)
    };
    let mut at = At {
        reporter,
        sites,
        instruction: i,
        reduction,
    };
    match i.opcode() {
        Opcode::LLVMLoad if i.operand(0).is_constant_global() => {}
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

struct At<'a, 'u> {
    reporter: &'a Reporter<'u>,
    sites: &'a mut Sites,
    instruction: Value,
    reduction: Reduction<'a>,
}

impl At<'_, '_> {
    fn access(&mut self, function: &str, access: Access, address: Value, rest: &[Value]) {
        let ranged = self.reporter.ranged.get(&self.instruction);
        let site = match ranged {
            Some((site, _)) => *site,
            None => self.site(access, address),
        };
        let address = self.reporter.address(address);
        let mut args = vec![address];
        args.extend(rest);
        args.push(self.reporter.site(site));
        let void = self.reporter.types.void;
        let call = self.reporter.call_for(function, void, &args);
        let known = ranged.map(|(_, known)| (call, *known));
        self.reporter.known.borrow_mut().extend(known);
    }

    fn site(&mut self, access: Access, address: Value) -> u32 {
        let name = analysis::expression(address);
        self.sites
            .add(self.instruction, access, name, 0, self.reduction)
    }

    fn read(&mut self, address: Value, len: Value) {
        self.access("__ps_deps_read", Access::Read, address, &[len]);
    }

    fn write(&mut self, address: Value, len: Value) {
        self.access("__ps_deps_write", Access::Write, address, &[len]);
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
            format!("{}()", parascan_formats::names::demangle(&callee.name()))
        } else if callee.is_inline_asm() {
            "inline assembly".to_owned()
        } else {
            "a function pointer's target".to_owned()
        };
        let site = self.sites.add(call, Access::Unseen, name, 0, None);
        let site = reporter.site(site);
        let target = if callee.is_inline_asm() {
            reporter.types.i64.zero()
        } else {
            reporter.address(callee)
        };
        // Nothing can come behind a call in place of a return: it counts as unseen. So does one that never comes back to here.
        let Some(next) = behind(call) else {
            return reporter.call("__ps_deps_called", &[reporter.types.i64.zero(), site]);
        };
        reporter.builder.before(next);
        reporter.call("__ps_deps_called", &[target, site]);
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
                }
                Effect::Unmap(i, len) => {
                    let args = [self.reporter.address(call.operand(i)), arg(len)];
                    reporter.call("__ps_deps_forget", &args);
                }
                Effect::Realloc => moved = Some(self.usable(call.operand(0))),
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
        if let Some(old) = moved {
            let new = arg(1);
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
            Effect::Read(i, len) => self.stretch(call.operand(i), len, false),
            Effect::ReadStr(i) => self.stretch(call.operand(i), Len::Str, false),
            Effect::ReadStrMax(i, most) => {
                let i64 = self.reporter.types.i64;
                let most = self.reporter.builder.int_cast(call.operand(most), i64);
                let string = "__ps_deps_read_string";
                self.access(string, Access::Read, call.operand(i), &[most]);
            }
            Effect::Write(i, len) => self.stretch(call.operand(i), len, true),
            Effect::WriteResult(_) => {}
            Effect::Copy(to, from, len) => {
                self.stretch(call.operand(from), len, false);
                self.stretch(call.operand(to), len, true);
            }
            Effect::CopyStr(to, from) => {
                self.stretch(call.operand(from), Len::Str, false);
                self.stretch(call.operand(to), Len::Str, true);
            }
            Effect::Hidden(id) => {
                let name = format!("{}()", call.callee().name());
                let site = self.sites.add(call, Access::Hidden, name, 0, None);
                let id = self.reporter.types.i32.int(id.into());
                self.reporter
                    .call("__ps_deps_hidden", &[id, self.reporter.site(site)]);
            }
            Effect::Free(_)
            | Effect::Unmap(..)
            | Effect::Realloc
            | Effect::Opens
            | Effect::Finish
            | Effect::AfterAll => {}
        }
    }

    /// Reads or writes a stretch of memory.
    fn stretch(&mut self, address: Value, len: Len, write: bool) {
        let call = self.instruction;
        let reporter = self.reporter;
        let i64 = reporter.types.i64;
        let arg = |i: u32| reporter.builder.int_cast(call.operand(i), i64);
        // Negative results say that nothing was read.
        let result = || {
            let n = reporter.builder.int_cast(call, i64);
            let zero = i64.zero();
            reporter
                .builder
                .intrinsic(reporter.unit.module, "llvm.smax", i64, &[n, zero])
        };
        let n = match len {
            Len::Arg(i) => arg(i),
            Len::Product(i, j) => reporter.builder.mul(arg(i), arg(j)),
            Len::Const(n) => i64.int(n),
            Len::Result => result(),
            Len::ResultTimes(i) => reporter.builder.mul(result(), arg(i)),
            Len::Str if write => {
                return self.access("__ps_deps_write_string", Access::Write, address, &[]);
            }
            Len::Str => {
                let most = i64.int(u64::MAX);
                return self.access("__ps_deps_read_string", Access::Read, address, &[most]);
            }
        };
        if write {
            self.write(address, n);
        } else {
            self.read(address, n);
        }
    }

    /// Notes a block that the heap gave out.
    fn allocation(&mut self) {
        let call = self.instruction;
        let reporter = self.reporter;
        let i64 = reporter.types.i64;
        let arg = |i: u32| reporter.builder.int_cast(call.operand(i), i64);
        let name = call.callee().name();
        let len = match name.as_str() {
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
            _ => return,
        };
        let site = self
            .sites
            .add(call, Access::Allocate, format!("{name}()"), 0, None);
        let args = [self.reporter.address(call), len, reporter.site(site)];
        reporter.call("__ps_deps_allocated", &args);
    }
}

/// The first instruction that runs after a call, unless the call takes the place of a return.
fn behind(call: Value) -> Option<Value> {
    match call.opcode() {
        Opcode::LLVMInvoke => Some(call.normal_dest().first_insertion()),
        _ => call.next().filter(|_| !analysis::is_must_tail(call)),
    }
}
