//! Native versions of functions beside the tracked ones, in code for bursts (`PARASCAN_BURSTS=native`). Not for users yet: see
//! `docs/bursts.md`.
//!
//! A function chooses at its entry. A native version looks at a counter at its entry, and at outermost loops: in their headers, or before
//! those that the tracked version counts in registers; when the counter has run out, the runtime may have it go on in a tracked copy that
//! begins there. A tracked version looks in the headers whether the burst is over, and goes on in a native copy. `shim/versions.cpp`
//! makes the copies, [`crate::emit`] the ways out of tracked ones.

use std::collections::HashMap;
use std::ffi::c_void;

use crate::analysis::{self, Analysis, Way};
use crate::emit::{Leave, Unit, full_loops};
use crate::ir::{Opcode, Value};

/// Native versions of a module.
pub struct Natives {
    /// Functions with their native versions.
    pairs: Vec<(Value, Value)>,
    /// Folded functions, and copies without times.
    twins: Vec<(Value, Value)>,
    /// Native code to go on with.
    copies: Vec<Value>,
    off: Value,
}

impl Natives {
    /// Makes them. Tracked copies, which are to be instrumented after the functions, are added to these.
    pub fn new(unit: &mut Unit, functions: &mut Vec<Value>, analyses: *mut c_void) -> Self {
        let (module, types) = (unit.module, unit.types);
        let left = module.global("__ps_left", types.i64);
        let off = module.global("__ps_off", types.i32);
        let turn = unit.runtime("__ps_turn", types.void, &[]).1;
        let symbols = [left, off, turn];
        let mut natives = Self {
            pairs: Vec::new(),
            twins: Vec::new(),
            copies: Vec::new(),
            off,
        };
        for f in functions.clone() {
            if unit.folded.contains_key(&f) {
                // Its callers account for it; native ones have no use for times.
                natives.twins.push((f, analysis::clone_internal(f)));
                continue;
            }
            if !analysis::divisible(f) {
                continue;
            }
            let analysis = Analysis::new(analyses, f);
            let loops = analysis.loops();
            let full = full_loops(unit, f, &analysis);
            let all: Vec<_> = loops.iter().map(|l| l.header).collect();
            let places: Vec<_> = (loops.iter().zip(&full))
                .filter(|(l, _)| l.parent.is_none())
                .filter_map(|(l, full)| Some((l.header, (*full)?, l.preheader?)))
                .map(|(header, full, preheader)| (header, (!full).then_some(preheader)))
                .collect();
            let calls_itself = f.users().iter().any(|u| {
                u.is_instruction()
                    && matches!(u.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke)
                    && u.callee() == f
                    && f.blocks().contains(&u.block())
            });
            let at_entry = !loops.is_empty() || calls_itself;
            let (native, ways) =
                analysis::versions(f, &places, &all, symbols, &unit.buffer(), at_entry);
            for way in ways {
                match way {
                    Way::Copy {
                        copy,
                        header,
                        original,
                        within,
                    } => {
                        if !functions.contains(&copy) {
                            functions.push(copy);
                            unit.add_copy(copy, f, within);
                        }
                        unit.note_header(header, original);
                    }
                    Way::Out {
                        header,
                        copy,
                        values,
                    } => unit.add_leave(header, Leave { copy, values }),
                    Way::Native { copy } => natives.copies.push(copy),
                }
            }
            natives.pairs.push((f, native));
        }
        natives.call_each_other();
        natives
    }

    fn call_each_other(&self) {
        let all = self.pairs.iter().chain(&self.twins);
        let of: HashMap<Value, Value> = all.clone().copied().collect();
        let native = all.map(|(_, native)| native);
        for version in native.chain(&self.copies) {
            for i in version.blocks().iter().flat_map(|b| b.instructions()) {
                let call = matches!(i.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke);
                // The way from a native version's entry to the tracked one stays.
                let back = call && i.stays_call();
                if let Some(target) = (call && !back).then(|| of.get(&i.callee())).flatten() {
                    i.set_callee(*target);
                }
            }
        }
    }

    /// Has the functions choose at their entries.
    pub fn finish(self) {
        for (f, native) in self.pairs {
            analysis::choose_body(f, self.off, native);
        }
    }
}
