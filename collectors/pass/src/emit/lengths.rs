//! Of how many bytes a library function reads or writes, in terms of its arguments and result.

use crate::ir::{TypeKind, Value};

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
    /// The elements that a descriptor of Fortran describes, which is the argument.
    Described,
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
            Self::Const(_) | Self::Str | Self::StrUpTo(_) | Self::Described => true,
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
