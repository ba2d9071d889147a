//! How many bytes a library function reads or writes at an address, found out behind its call: never more than it looks
//! at itself.

use super::unit::Unit;
use crate::ir::{Builder, IntPredicate, TypeKind, Value};

/// Length of a stretch of memory. Numbers are argument positions. At a null pointer there is nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Len {
    Arg(u32),
    Product(u32, u32),
    Const(u64),
    /// The result, if positive.
    Result,
    /// The same and one more, if the result is not negative.
    ResultAndOne,
    /// The same, but at most an argument.
    Printed(u32),
    /// The result times an argument.
    ResultTimes(u32),
    /// The string at the same address, NUL included.
    Str,
    /// At most an argument's bytes of it.
    StrMax(u32),
    /// The string before that of the second argument, or as much of it as the argument says, was appended.
    Joined(Option<u32>),
    /// At most so many bytes of it.
    StrUpTo(u64),
    /// The string, unless the result is null.
    StrIfResult,
    /// The string up to and with what the result points to, if that is not null.
    Found,
    /// The same, of an argument's bytes.
    FoundWithin(u32),
    /// A number, with what follows it. An argument may be the address of a pointer that the function has made point to
    /// that.
    Number(Base, Option<u32>),
    /// What a comparison of the first two arguments looks at.
    Compared {
        /// The argument that says of how many bytes at most.
        most: Option<u32>,
        /// Whether capital letters are small letters.
        fold: bool,
    },
}

/// Figures of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Ten,
    Arg(u32),
    /// With a fraction.
    Real,
}

/// Whether a call has a pointer as this argument.
pub(super) fn is_pointer(call: Value, argument: u32) -> bool {
    is_of(call, argument, TypeKind::LLVMPointerTypeKind)
}

fn is_of(call: Value, argument: u32, kind: TypeKind) -> bool {
    let argument = call.args().get(argument as usize).copied();
    argument.is_some_and(|a| a.ty().kind() == kind)
}

impl Len {
    /// Whether a call has what this is made of.
    pub(super) fn fits(self, call: Value) -> bool {
        let number = |i| is_of(call, i, TypeKind::LLVMIntegerTypeKind);
        let gives = |kind| call.ty().kind() == kind;
        let gives_number = gives(TypeKind::LLVMIntegerTypeKind);
        let gives_pointer = gives(TypeKind::LLVMPointerTypeKind);
        match self {
            Self::Const(_) | Self::Str | Self::StrUpTo(_) => true,
            Self::Arg(i) | Self::StrMax(i) => number(i),
            Self::Product(i, j) => number(i) && number(j),
            Self::Result | Self::ResultAndOne => gives_number,
            Self::Printed(i) | Self::ResultTimes(i) => gives_number && number(i),
            Self::StrIfResult | Self::Found => gives_pointer,
            Self::FoundWithin(i) => gives_pointer && number(i),
            Self::Number(base, end) => {
                let base = match base {
                    Base::Arg(i) => number(i),
                    Base::Ten | Base::Real => true,
                };
                base && end.is_none_or(|i| is_pointer(call, i))
            }
            Self::Joined(most) => is_pointer(call, 1) && most.is_none_or(number),
            Self::Compared { most, .. } => {
                is_pointer(call, 0) && is_pointer(call, 1) && most.is_none_or(number)
            }
        }
    }
}

impl Unit {
    /// Length of a stretch at address `at`. The builder stands behind the call.
    pub(crate) fn stretch(&self, builder: &Builder, call: Value, len: Len, at: Value) -> Value {
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
            Len::Compared { most, fold } => {
                let most = most.map_or(all, arg);
                let args = [call.operand(0), call.operand(1), most, i32.int(fold.into())];
                self.call_runtime(builder, "__ps_compared", i64, &args)
            }
        }
    }
}
