//! How many bytes a library function reads or writes at an address, found out behind its call: never more than it looks
//! at itself, but for sections of arrays of Fortran (`collectors/runtime/src/descriptors.rs`).

use super::lengths::{Base, Len};
use super::unit::UnitState;
use crate::ir::{InstructionBuilder, IntPredicate, Value};

impl UnitState {
    /// Where the stretch begins that an argument leads to.
    pub(crate) fn beginning(
        &self,
        builder: &InstructionBuilder,
        argument: Value,
        len: Len,
    ) -> Value {
        match len {
            Len::Described => {
                self.call_runtime(builder, "__ps_described", self.types.ptr, &[argument])
            }
            _ => argument,
        }
    }

    /// Length of the stretch to which an argument leads. The builder stands behind the call.
    pub(crate) fn stretch(
        &self,
        builder: &InstructionBuilder,
        call: Value,
        len: Len,
        at: Value,
    ) -> Value {
        let (i32, i64, ptr) = (self.types.i32, self.types.i64, self.types.ptr);
        let arg = |i: u32| builder.int_cast(call.operand(i), i64);
        let two =
            |name: &str, a: Value, b: Value| builder.intrinsic(self.module, name, i64, &[a, b]);
        let from_zero = |n: Value| two("llvm.smax", n, i64.zero());
        let result = || from_zero(builder.signed_cast(call, i64));
        let and_one = || from_zero(builder.add(builder.signed_cast(call, i64), i64.int(1)));
        let is_there = |pointer: Value| {
            let number = builder.ptr_to_int(pointer, i64);
            builder.icmp(IntPredicate::LLVMIntNE, number, i64.zero())
        };
        let found = || {
            let distance = builder.sub(builder.ptr_to_int(call, i64), builder.ptr_to_int(at, i64));
            builder.add(distance, i64.int(1))
        };
        let string = |most| self.call_runtime(builder, "__ps_string", i64, &[at, most]);
        let all = i64.int(u64::MAX);
        match len {
            Len::Arg(i) => arg(i),
            Len::Product(i, j) => builder.mul(arg(i), arg(j)),
            Len::Const(n) => builder.select(is_there(at), i64.int(n), i64.zero()),
            Len::Result => result(),
            Len::ResultAndOne => and_one(),
            Len::Printed(most) => two("llvm.umin", and_one(), arg(most)),
            Len::ResultTimes(i) => builder.mul(result(), arg(i)),
            Len::Str => string(all),
            // Negative precisions of formats are none.
            Len::StrMax(i) => string(builder.signed_cast(call.operand(i), i64)),
            Len::Joined(most) => {
                let args = [at, call.operand(1), most.map_or(all, arg)];
                self.call_runtime(builder, "__ps_joined", i64, &args)
            }
            Len::StrUpTo(n) => string(i64.int(n)),
            Len::StrIfResult => string(builder.select(is_there(call), all, i64.zero())),
            Len::Found => string(builder.select(is_there(call), found(), all)),
            Len::FoundWithin(i) => builder.select(is_there(call), found(), arg(i)),
            Len::Number(base, end) => {
                let end = end.map_or(ptr.zero(), |i| call.operand(i));
                let base = match base {
                    Base::Ten => i32.int(10),
                    Base::Arg(i) => builder.int_cast(call.operand(i), i32),
                    Base::Real => i32.int(1),
                };
                self.call_runtime(builder, "__ps_number", i64, &[at, end, base])
            }
            Len::Described => self.call_runtime(builder, "__ps_described_bytes", i64, &[at]),
            Len::Compared { most, fold } => {
                let most = most.map_or(all, arg);
                let args = [call.operand(0), call.operand(1), most, i32.int(fold.into())];
                self.call_runtime(builder, "__ps_compared", i64, &args)
            }
        }
    }
}
