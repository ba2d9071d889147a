//! What the first line of a loop reads to find out whether there is a next iteration, and at which index: the bound and
//! the step of `for (i = 0; i < n; i += step)` where they lie in memory.
//!
//! The compiler puts the test and the step behind the body, so that they end an iteration. In the source they begin the
//! next one: what the body writes to `n` is read one iteration later. They are reported there.

use parascan_formats::evidence::SiteAccess;

use crate::analysis::{self, NaturalLoop};
use crate::ir::{Opcode, Value};
use crate::recognise::{InstructionRule, Recognised};

use super::Reporter;
use super::sites::SiteTable;

/// Values are followed through as many instructions.
const DEEPEST: usize = 8;

/// The loads, in order. Nothing behind them in the iteration writes memory.
pub(super) fn reads(l: &NaturalLoop, found: &Recognised) -> Vec<Value> {
    let (Some(latch), Some(_)) = (l.latch, l.preheader) else {
        return Vec::new();
    };
    let again = latch.successors();
    if again.len() != 2 {
        return Vec::new();
    }
    let mut all = Vec::new();
    for i in latch.instructions() {
        match i.opcode() {
            Opcode::LLVMLoad => {
                let line = i.place().map_or(0, |p| p.0);
                let here = line != 0 && line == l.place.0;
                if here && !i.operand(0).is_constant_global() && decides(i, l, found, DEEPEST) {
                    all.push(i);
                }
            }
            Opcode::LLVMStore
            | Opcode::LLVMCall
            | Opcode::LLVMInvoke
            | Opcode::LLVMAtomicRMW
            | Opcode::LLVMAtomicCmpXchg => all.clear(),
            _ => {}
        }
    }
    all
}

/// Whether all that is done with a value of the latch decides about the next iteration: whether there is one, or its
/// index.
fn decides(value: Value, l: &NaturalLoop, found: &Recognised, deepest: usize) -> bool {
    let latch = l.latch.expect("asked for before");
    let users = value.users();
    let index = |user: Value| {
        user.opcode() == Opcode::LLVMPHI
            && user.block() == l.header
            && matches!(found.rules.get(&user), Some(InstructionRule::InductionPhi))
    };
    !users.is_empty()
        && users.into_iter().all(|user| {
            let passes = || {
                let effect = matches!(
                    user.opcode(),
                    Opcode::LLVMStore | Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMPHI
                );
                deepest > 0 && !effect && decides(user, l, found, deepest - 1)
            };
            index(user) || user.block() == latch && (user == latch.terminator() || passes())
        })
}

/// Reports them where the builder stands, at an iteration's begin; not at the first one's.
pub(super) fn report(
    reporter: &Reporter<'_>,
    sites: &mut SiteTable,
    l: &NaturalLoop,
    loads: &[Value],
) {
    let (Some(latch), Some(preheader)) = (l.latch, l.preheader) else {
        return;
    };
    let (types, builder) = (reporter.types, &reporter.builder);
    let zero = types.i64.zero();
    let begin = l.header.instructions()[0];
    let mut all = Vec::new();
    for &load in loads {
        let name = analysis::expression(load.operand(0), load);
        let site = sites.add(load, SiteAccess::Read, name, l.place.0, None);
        builder.before(latch.terminator());
        let address = builder.ptr_to_int(load.operand(0), types.i64);
        let bytes = reporter.unit.module.store_size(load.ty());
        builder.before_records(begin);
        let [address, len] = [address, types.i64.int(bytes)].map(|last| {
            let phi = builder.phi(types.i64);
            phi.add_incoming(&[(last, latch), (zero, preheader)]);
            phi
        });
        all.push((address, len, site));
    }
    for (address, len, site) in all {
        builder.before(l.header.first_insertion());
        reporter.call("__ps_deps_read", &[address, len, reporter.site(site)]);
    }
}
