//! Who calls a function.

use crate::ir::{Linkage, Opcode, Value};

/// Whether all callers of a function are direct calls in this module, so that they agree on times without a check.
pub fn called_only(f: Value) -> bool {
    matches!(
        f.linkage(),
        Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage
    ) && f.users().into_iter().all(|u| {
        u.is_instruction()
            && matches!(u.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke)
            && u.callee() == f
            && !u.args().contains(&f)
    })
}
