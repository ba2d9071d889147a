//! Latency class of each instruction: the table in `docs/semantics.md`.

use parascan_formats::latency::LatencyTable;

use crate::ir::{Opcode, Value};

/// How an instruction is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimingRule {
    /// Maximum of its operands, no latency, no control.
    Free,
    /// Maximum of operands and control, plus this latency.
    Op(u32),
    /// Load.
    Load,
    /// Store.
    Store,
    /// Atomic read-modify-write.
    Atomic,
    /// Copy of memory: `(destination, source, length)`.
    Copy,
    /// Fill of memory: `(destination, value, length)`.
    Fill,
    /// `va_start`: fills the argument's `va_list`.
    ListStart,
    /// `va_copy`: copies one.
    ListCopy,
    /// Call or invoke of something other than a modelled intrinsic; a jump between functions (`__builtin_setjmp`).
    Call,
    /// Phi.
    Phi,
    /// Ends a block.
    Terminator,
    /// Has no time and no effect on times.
    Nothing,
}

/// Kind of an instruction under a latency table.
pub fn kind(instruction: Value, table: &LatencyTable) -> TimingRule {
    use Opcode::*;
    match instruction.opcode() {
        LLVMPHI => TimingRule::Phi,
        LLVMRet | LLVMBr | LLVMSwitch | LLVMIndirectBr | LLVMUnreachable | LLVMResume
        | LLVMCleanupRet | LLVMCatchRet | LLVMCatchSwitch => TimingRule::Terminator,
        LLVMInvoke | LLVMCallBr => TimingRule::Call,
        LLVMCall => match instruction.callee().intrinsic_name() {
            Some(name) => intrinsic(&name, table),
            None => TimingRule::Call,
        },
        LLVMAdd | LLVMSub => TimingRule::Op(table.int_add),
        LLVMMul => TimingRule::Op(table.int_mul),
        LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem => TimingRule::Op(table.int_div),
        LLVMShl | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor => {
            TimingRule::Op(table.int_logic)
        }
        LLVMICmp => TimingRule::Op(table.int_compare),
        LLVMFAdd | LLVMFSub | LLVMFNeg => TimingRule::Op(table.fp_add),
        LLVMFMul => TimingRule::Op(table.fp_mul),
        LLVMFDiv | LLVMFRem => TimingRule::Op(table.fp_div),
        LLVMFCmp => TimingRule::Op(table.fp_compare),
        LLVMFPToUI | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP | LLVMFPTrunc | LLVMFPExt => {
            TimingRule::Op(table.fp_convert)
        }
        LLVMSelect => TimingRule::Op(table.select),
        LLVMLoad => TimingRule::Load,
        LLVMStore => TimingRule::Store,
        LLVMAtomicRMW | LLVMAtomicCmpXchg => TimingRule::Atomic,
        LLVMAlloca | LLVMFence | LLVMLandingPad | LLVMCatchPad | LLVMCleanupPad => {
            TimingRule::Nothing
        }
        // Casts, address arithmetic, moves between aggregates.
        _ => TimingRule::Free,
    }
}

fn intrinsic(name: &str, table: &LatencyTable) -> TimingRule {
    let base = name.strip_prefix("llvm.").unwrap_or(name);
    let starts = |list: &[&str]| {
        list.iter()
            .any(|p| base == *p || base.strip_prefix(p).is_some_and(|r| r.starts_with('.')))
    };
    if starts(&["memcpy", "memmove", "memcpy.inline"]) {
        TimingRule::Copy
    } else if starts(&["memset", "memset.inline"]) {
        TimingRule::Fill
    } else if starts(&["va_start"]) {
        TimingRule::ListStart
    } else if starts(&["va_copy"]) {
        TimingRule::ListCopy
    } else if starts(&[
        "smax", "smin", "umax", "umin", "abs", "sadd", "uadd", "ssub", "usub", "scmp", "ucmp",
    ]) {
        TimingRule::Op(table.int_add)
    } else if starts(&["smul", "umul"]) {
        TimingRule::Op(table.int_mul)
    } else if starts(&[
        "ctpop",
        "ctlz",
        "cttz",
        "bswap",
        "bitreverse",
        "fshl",
        "fshr",
    ]) {
        TimingRule::Op(table.int_logic)
    } else if starts(&["fma", "fmuladd"]) {
        TimingRule::Op(table.fp_fma)
    } else if starts(&["sqrt"]) {
        TimingRule::Op(table.fp_sqrt)
    } else if starts(&[
        "pow", "powi", "exp", "exp2", "exp10", "log", "log2", "log10", "sin", "cos", "tan",
        "sincos", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "ldexp", "frexp",
        "modf",
    ]) {
        TimingRule::Op(table.math)
    } else if starts(&[
        "fabs",
        "minnum",
        "maxnum",
        "minimum",
        "maximum",
        "minimumnum",
        "maximumnum",
        "copysign",
        "floor",
        "ceil",
        "trunc",
        "rint",
        "nearbyint",
        "round",
        "roundeven",
        "is.fpclass",
        "canonicalize",
    ]) {
        TimingRule::Op(table.fp_add)
    } else if starts(&["lrint", "llrint", "lround", "llround", "fptosi", "fptoui"]) {
        TimingRule::Op(table.fp_convert)
    } else if starts(&[
        "expect",
        "launder",
        "strip",
        "ssa.copy",
        "ptrmask",
        "threadlocal.address",
        "eh.typeid.for",
        "ptr.annotation",
        "annotation",
        "preserve",
    ]) {
        TimingRule::Free
    } else if starts(&["vector", "x86", "masked", "experimental"]) {
        TimingRule::Op(table.int_add)
    } else if starts(&["eh.sjlj.setjmp", "eh.sjlj.longjmp"]) {
        TimingRule::Call
    } else {
        TimingRule::Nothing
    }
}
