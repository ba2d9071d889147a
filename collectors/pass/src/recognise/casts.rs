//! Casts on the cycle of a reduction: a variable of few bits is computed in more, and cut again.

use parascan_formats::module::Operator;

use crate::ir::{IntPredicate, Opcode, Value};

/// Whether an instruction makes a number wider.
pub(super) fn is_extension(v: Value) -> bool {
    use Opcode::{LLVMFPExt, LLVMSExt, LLVMZExt};
    v.is_instruction() && matches!(v.opcode(), LLVMSExt | LLVMZExt | LLVMFPExt)
}

/// Whether an instruction is a cast that takes no time.
pub(super) fn is_free_cast(v: Value) -> bool {
    use Opcode::{LLVMSExt, LLVMTrunc, LLVMZExt};
    v.is_instruction() && matches!(v.opcode(), LLVMSExt | LLVMZExt | LLVMTrunc)
}

/// Casts between a running value and what is made of it. Sums, products and the operators of bits of narrow integers
/// are computed in more bits than the variable has; those that are cut off decide about none that stay (of
/// floating-point numbers they are a matter of rounding). A `_Bool` is loaded as one bit and stored as what is not 0,
/// which makes no difference to "and" and "or".
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RunningValueCasts {
    /// Whether there are any.
    any: bool,
    /// Least number of bits that something is cut to, but for one; 0: nothing is.
    pub(super) cut: u32,
    /// Whether something is cut to one bit.
    one: bool,
    /// Whether a number is made a truth.
    truth: bool,
    /// Whether a minimum or maximum is not chosen between values that are both extended.
    pub(super) unequal: bool,
}

impl RunningValueCasts {
    /// Takes an instruction, if it is a cast.
    pub(super) fn takes(&mut self, v: Value) -> bool {
        use Opcode::{LLVMFPTrunc, LLVMTrunc};
        let cuts = v.is_instruction() && matches!(v.opcode(), LLVMTrunc | LLVMFPTrunc);
        match v.ty().bits() {
            1 if cuts => self.one = true,
            bits if cuts => {
                self.cut = if self.cut == 0 {
                    bits
                } else {
                    self.cut.min(bits)
                }
            }
            _ if is_truth(v) => self.truth = true,
            _ if is_extension(v) => {}
            _ => return false,
        }
        self.any = true;
        true
    }

    /// Whether a variable of so many bits is reduced by an operator nevertheless.
    pub(super) fn fit(self, operator: Operator, bits: u32) -> bool {
        let whole = self.cut == 0 || self.cut >= bits;
        let bit = self.one == self.truth;
        match operator {
            Operator::Min | Operator::Max => !self.any || whole && !self.one && !self.unequal,
            Operator::And | Operator::Or => whole && bit,
            _ => whole && !self.one && !self.truth,
        }
    }
}

/// Whether an instruction asks whether an integer is not 0.
pub(super) fn is_truth(v: Value) -> bool {
    v.is_instruction()
        && v.opcode() == Opcode::LLVMICmp
        && v.int_predicate() == IntPredicate::LLVMIntNE
        && v.operand(1).constant_int() == Some(0)
}

/// What `other` is in the bits of the variable, where both it and the running value are extended to be compared.
pub(super) fn narrowed(running: Value, other: Value) -> Value {
    let both = is_extension(running) && is_extension(other) && running.opcode() == other.opcode();
    if both && running.operand(0).ty() == other.operand(0).ty() {
        other.operand(0)
    } else {
        other
    }
}
