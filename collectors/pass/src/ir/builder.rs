//! The builder calls that the pass needs.

use std::ffi::CStr;

use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::{Block, CommonTypes, IntPredicate, Module, Type, Value};

/// Appends instructions at a place in a block; LLVM's `IRBuilder`, with the common types at hand.
pub struct InstructionBuilder(pub(super) LLVMBuilderRef, pub CommonTypes);

impl Drop for InstructionBuilder {
    fn drop(&mut self) {
        ll!(LLVMDisposeBuilder(self.0));
    }
}

const NO_NAME: &CStr = c"";

impl InstructionBuilder {
    /// Next instructions go before this one.
    pub fn before(&self, instruction: Value) -> &Self {
        ll!(LLVMPositionBuilderBefore(self.0, instruction.0));
        // Instrumentation has no place in the source.
        ll!(LLVMSetCurrentDebugLocation2(self.0, std::ptr::null_mut()));
        self
    }
    /// Next instructions go in front of this one and of what debug information says there, as a phi must.
    pub fn before_records(&self, instruction: Value) -> &Self {
        ll!(LLVMPositionBuilderBeforeInstrAndDbgRecords(
            self.0,
            instruction.0
        ));
        ll!(LLVMSetCurrentDebugLocation2(self.0, std::ptr::null_mut()));
        self
    }
    /// Next instructions go to the end of this block.
    pub fn at_end(&self, block: Block) -> &Self {
        ll!(LLVMPositionBuilderAtEnd(self.0, block.0));
        ll!(LLVMSetCurrentDebugLocation2(self.0, std::ptr::null_mut()));
        self
    }
    /// Sum.
    pub fn add(&self, a: Value, b: Value) -> Value {
        Value(ll!(LLVMBuildAdd(self.0, a.0, b.0, NO_NAME.as_ptr())))
    }
    /// Difference.
    pub fn sub(&self, a: Value, b: Value) -> Value {
        Value(ll!(LLVMBuildSub(self.0, a.0, b.0, NO_NAME.as_ptr())))
    }
    /// Product.
    pub fn mul(&self, a: Value, b: Value) -> Value {
        Value(ll!(LLVMBuildMul(self.0, a.0, b.0, NO_NAME.as_ptr())))
    }
    /// Bitwise and.
    pub fn and(&self, a: Value, b: Value) -> Value {
        Value(ll!(LLVMBuildAnd(self.0, a.0, b.0, NO_NAME.as_ptr())))
    }
    /// Bitwise or.
    pub fn or(&self, a: Value, b: Value) -> Value {
        Value(ll!(LLVMBuildOr(self.0, a.0, b.0, NO_NAME.as_ptr())))
    }
    /// Bitwise exclusive or.
    pub fn xor(&self, a: Value, b: Value) -> Value {
        Value(ll!(LLVMBuildXor(self.0, a.0, b.0, NO_NAME.as_ptr())))
    }
    /// Left shift.
    pub fn shl(&self, a: Value, b: Value) -> Value {
        Value(ll!(LLVMBuildShl(self.0, a.0, b.0, NO_NAME.as_ptr())))
    }
    /// Logical right shift.
    pub fn lshr(&self, a: Value, b: Value) -> Value {
        Value(ll!(LLVMBuildLShr(self.0, a.0, b.0, NO_NAME.as_ptr())))
    }
    /// Compare.
    pub fn icmp(&self, predicate: IntPredicate, a: Value, b: Value) -> Value {
        Value(ll!(LLVMBuildICmp(
            self.0,
            predicate,
            a.0,
            b.0,
            NO_NAME.as_ptr()
        )))
    }
    /// `a` where the condition holds and `b` where not, without a branch.
    pub fn select(&self, condition: Value, a: Value, b: Value) -> Value {
        Value(ll!(LLVMBuildSelect(
            self.0,
            condition.0,
            a.0,
            b.0,
            NO_NAME.as_ptr()
        )))
    }
    /// A vector of `lanes` lanes moved up by one lane; the lowest lane stays.
    pub fn lanes_up(&self, v: Value, lanes: usize, types: CommonTypes) -> Value {
        let from = |lane: usize| types.i32.int(lane.saturating_sub(1) as u64).0;
        let mut mask: Vec<LLVMValueRef> = (0..lanes).map(from).collect();
        let mask = ll!(LLVMConstVector(mask.as_mut_ptr(), lanes as u32));
        Value(ll!(LLVMBuildShuffleVector(
            self.0,
            v.0,
            v.0,
            mask,
            NO_NAME.as_ptr()
        )))
    }
    /// The same bits, read as a value of another type.
    pub fn bitcast(&self, v: Value, ty: Type) -> Value {
        Value(ll!(LLVMBuildBitCast(self.0, v.0, ty.0, NO_NAME.as_ptr())))
    }
    /// Zero extension or truncation.
    pub fn int_cast(&self, v: Value, ty: Type) -> Value {
        self.int_cast_as(v, ty, false)
    }
    /// Sign extension or truncation.
    pub fn signed_cast(&self, v: Value, ty: Type) -> Value {
        self.int_cast_as(v, ty, true)
    }
    fn int_cast_as(&self, v: Value, ty: Type, signed: bool) -> Value {
        Value(ll!(LLVMBuildIntCast2(
            self.0,
            v.0,
            ty.0,
            signed.into(),
            NO_NAME.as_ptr()
        )))
    }
    /// Pointer to integer.
    pub fn ptr_to_int(&self, v: Value, ty: Type) -> Value {
        Value(ll!(LLVMBuildPtrToInt(self.0, v.0, ty.0, NO_NAME.as_ptr())))
    }
    /// Integer to pointer.
    pub fn int_to_ptr(&self, v: Value, ty: Type) -> Value {
        Value(ll!(LLVMBuildIntToPtr(self.0, v.0, ty.0, NO_NAME.as_ptr())))
    }
    /// Address of a byte `offset` behind a pointer.
    pub fn byte_offset(&self, base: Value, offset: Value) -> Value {
        let mut index = [offset.0];
        Value(ll!(LLVMBuildInBoundsGEP2(
            self.0,
            self.1.i8.0,
            base.0,
            index.as_mut_ptr(),
            1,
            NO_NAME.as_ptr()
        )))
    }
    /// Reads a value of this type from memory.
    pub fn load(&self, ty: Type, pointer: Value) -> Value {
        Value(ll!(LLVMBuildLoad2(
            self.0,
            ty.0,
            pointer.0,
            NO_NAME.as_ptr()
        )))
    }
    /// Writes to memory; gives the instruction, which has no result.
    pub fn store(&self, value: Value, pointer: Value) -> Value {
        Value(ll!(LLVMBuildStore(self.0, value.0, pointer.0)))
    }
    /// Stack slot.
    pub fn alloca(&self, ty: Type) -> Value {
        Value(ll!(LLVMBuildAlloca(self.0, ty.0, NO_NAME.as_ptr())))
    }
    /// The result of `callee`, a function of type `ty`, for these arguments.
    pub fn call(&self, ty: Type, callee: Value, args: &[Value]) -> Value {
        let mut raw: Vec<LLVMValueRef> = args.iter().map(|v| v.0).collect();
        Value(ll!(LLVMBuildCall2(
            self.0,
            ty.0,
            callee.0,
            raw.as_mut_ptr(),
            raw.len() as u32,
            NO_NAME.as_ptr()
        )))
    }
    /// Phi without edges.
    pub fn phi(&self, ty: Type) -> Value {
        Value(ll!(LLVMBuildPhi(self.0, ty.0, NO_NAME.as_ptr())))
    }
    /// Return without value.
    pub fn ret_void(&self) -> Value {
        Value(ll!(LLVMBuildRetVoid(self.0)))
    }
    /// Calls an intrinsic overloaded on one type.
    pub fn intrinsic(&self, module: Module, name: &str, overload: Type, args: &[Value]) -> Value {
        let id = ll!(LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len()));
        let mut types = [overload.0];
        let declaration = ll!(LLVMGetIntrinsicDeclaration(
            module.0,
            id,
            types.as_mut_ptr(),
            1
        ));
        let ty = Value(declaration).value_type();
        self.call(ty, Value(declaration), args)
    }
}
