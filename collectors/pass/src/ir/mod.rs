//! The fence around LLVM's C API: typed handles and, in `builder.rs`, the few builder calls the pass needs. All
//! `unsafe` of the pass that touches LLVM is here and in [`crate::analysis`].
//!
//! The handles are plain pointers into the module that clang is compiling. They are valid because the pass runs inside
//! one call of the plugin, on one thread, and never keeps a handle to an instruction it has erased.

use std::ffi::CString;

pub use builder::InstructionBuilder;
use llvm_sys::bit_writer::LLVMWriteBitcodeToFile;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMStoreSizeOfType};
pub use llvm_sys::{
    LLVMIntPredicate as IntPredicate, LLVMLinkage as Linkage, LLVMOpcode as Opcode,
    LLVMTypeKind as TypeKind, LLVMVisibility,
};

/// Calls a C API function.
macro_rules! ll {
    ($function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: all handles come from the module being compiled and are alive (see the module's text); lengths and
        // pointers passed along come from slices that outlive the call.
        unsafe { $function($($argument),*) }
    };
}

// Behind the macro that it uses.
mod builder;

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident, $raw:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct $name(pub $raw);
    };
}
handle!(
    /// A module.
    Module,
    LLVMModuleRef
);
handle!(
    /// A value: instruction, argument, constant, global or function.
    Value,
    LLVMValueRef
);
handle!(
    /// A basic block.
    Block,
    LLVMBasicBlockRef
);
handle!(
    /// A type.
    Type,
    LLVMTypeRef
);

fn some<T>(pointer: *mut T) -> Option<*mut T> {
    (!pointer.is_null()).then_some(pointer)
}

fn text(pointer: *const std::ffi::c_char, length: usize) -> String {
    if pointer.is_null() || length == 0 {
        return String::new();
    }
    // SAFETY: LLVM returned this pointer and length together, for a string owned by a live object.
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

fn c(name: &str) -> CString {
    CString::new(name.replace('\0', "")).unwrap_or_default()
}

impl Module {
    /// Adds assembly text to the module.
    pub fn assemble(self, text: &str) {
        ll!(LLVMAppendModuleInlineAsm(
            self.0,
            text.as_ptr().cast(),
            text.len()
        ));
    }

    /// Functions, in order.
    pub fn functions(self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut next = ll!(LLVMGetFirstFunction(self.0));
        while let Some(f) = some(next) {
            all.push(Value(f));
            next = ll!(LLVMGetNextFunction(f));
        }
        all
    }

    /// Global variables.
    pub fn globals(self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut next = ll!(LLVMGetFirstGlobal(self.0));
        while let Some(g) = some(next) {
            all.push(Value(g));
            next = ll!(LLVMGetNextGlobal(g));
        }
        all
    }

    /// Function by symbol name.
    pub fn function(self, name: &str) -> Option<Value> {
        let name = c(name);
        some(ll!(LLVMGetNamedFunction(self.0, name.as_ptr()))).map(Value)
    }

    /// Declares (or finds) a function.
    pub fn declare(self, name: &str, ty: Type) -> Value {
        self.function(name).unwrap_or_else(|| {
            let name = c(name);
            Value(ll!(LLVMAddFunction(self.0, name.as_ptr(), ty.0)))
        })
    }

    /// Adds a global variable.
    pub fn global(self, name: &str, ty: Type) -> Value {
        let name = c(name);
        Value(ll!(LLVMAddGlobal(self.0, ty.0, name.as_ptr())))
    }

    /// The same, relative to the segment register gs.
    pub fn global_of_segment(self, name: &str, ty: Type) -> Value {
        const GS: u32 = 256;
        let name = c(name);
        Value(ll!(LLVMAddGlobalInAddressSpace(
            self.0,
            ty.0,
            name.as_ptr(),
            GS
        )))
    }

    /// Finds a global variable.
    pub fn global_named(self, name: &str) -> Option<Value> {
        let name = c(name);
        some(ll!(LLVMGetNamedGlobal(self.0, name.as_ptr()))).map(Value)
    }

    /// The context's types.
    pub fn types(self) -> CommonTypes {
        let cx = ll!(LLVMGetModuleContext(self.0));
        CommonTypes {
            cx,
            void: Type(ll!(LLVMVoidTypeInContext(cx))),
            i1: Type(ll!(LLVMInt1TypeInContext(cx))),
            i8: Type(ll!(LLVMInt8TypeInContext(cx))),
            i16: Type(ll!(LLVMInt16TypeInContext(cx))),
            i32: Type(ll!(LLVMInt32TypeInContext(cx))),
            i64: Type(ll!(LLVMInt64TypeInContext(cx))),
            ptr: Type(ll!(LLVMPointerTypeInContext(cx, 0))),
        }
    }

    /// Machine that it is for.
    pub fn triple(self) -> String {
        let triple = ll!(LLVMGetTarget(self.0));
        // SAFETY: a C string that lives as long as the module.
        unsafe { std::ffi::CStr::from_ptr(triple) }
            .to_string_lossy()
            .into_owned()
    }
    /// Source file name recorded in the module.
    pub fn source_file(self) -> String {
        let mut length = 0;
        let pointer = ll!(LLVMGetSourceFileName(self.0, &raw mut length));
        text(pointer, length)
    }

    /// The compiler as `llvm.ident` names it.
    pub fn producer(self) -> String {
        let name = c"llvm.ident";
        if ll!(LLVMGetNamedMetadataNumOperands(self.0, name.as_ptr())) == 0 {
            return String::new();
        }
        let mut node = [std::ptr::null_mut()];
        ll!(LLVMGetNamedMetadataOperands(
            self.0,
            name.as_ptr(),
            node.as_mut_ptr()
        ));
        let mut entry = [std::ptr::null_mut()];
        if ll!(LLVMGetMDNodeNumOperands(node[0])) != 1 {
            return String::new();
        }
        ll!(LLVMGetMDNodeOperands(node[0], entry.as_mut_ptr()));
        let mut length = 0;
        let pointer = ll!(LLVMGetMDString(entry[0], &raw mut length));
        text(pointer, length as usize)
    }

    /// Writes bitcode to a file.
    pub fn write_bitcode(self, path: &str) -> Result<(), String> {
        let name = c(path);
        match ll!(LLVMWriteBitcodeToFile(self.0, name.as_ptr())) {
            0 => Ok(()),
            _ => Err(format!("cannot write {path}")),
        }
    }

    /// Size in bytes of a value of this type in memory (without tail padding of arrays).
    pub fn store_size(self, ty: Type) -> u64 {
        let layout = ll!(LLVMGetModuleDataLayout(self.0));
        ll!(LLVMStoreSizeOfType(layout, ty.0))
    }

    fn store_size_raw(self, ty: Type) -> u64 {
        let layout = ll!(LLVMGetModuleDataLayout(self.0));
        ll!(LLVMABISizeOfType(layout, ty.0))
    }

    /// Distance between array elements of this type.
    pub fn abi_size(self, ty: Type) -> u64 {
        self.store_size_raw(ty)
    }
}

/// Common types of a context.
#[derive(Clone, Copy)]
pub struct CommonTypes {
    cx: LLVMContextRef,
    /// What functions have as result that give back nothing.
    pub void: Type,
    /// `i1`
    pub i1: Type,
    /// `i8`
    pub i8: Type,
    /// `i16`
    pub i16: Type,
    /// `i32`
    pub i32: Type,
    /// `i64`
    pub i64: Type,
    /// Addresses of whatever type, in the usual address space.
    pub ptr: Type,
}

impl CommonTypes {
    /// `ret (params)`
    pub fn function(self, ret: Type, params: &[Type]) -> Type {
        let mut raw: Vec<LLVMTypeRef> = params.iter().map(|t| t.0).collect();
        Type(ll!(LLVMFunctionType(
            ret.0,
            raw.as_mut_ptr(),
            raw.len() as u32,
            0
        )))
    }

    /// `<n x element>`
    pub fn vector(self, element: Type, n: u32) -> Type {
        Type(ll!(LLVMVectorType(element.0, n)))
    }

    /// `i<bits>`
    pub fn int(self, bits: u32) -> Type {
        Type(ll!(LLVMIntTypeInContext(self.cx, bits)))
    }

    /// `[n x element]`
    pub fn array(self, element: Type, n: u64) -> Type {
        Type(ll!(LLVMArrayType2(element.0, n)))
    }

    /// An anonymous structure.
    pub fn structure(self, fields: &[Type]) -> Type {
        let mut raw: Vec<LLVMTypeRef> = fields.iter().map(|t| t.0).collect();
        Type(ll!(LLVMStructTypeInContext(
            self.cx,
            raw.as_mut_ptr(),
            raw.len() as u32,
            0
        )))
    }

    /// A constant byte string as an array.
    pub fn bytes(self, data: &[u8]) -> Value {
        Value(ll!(LLVMConstStringInContext2(
            self.cx,
            data.as_ptr().cast(),
            data.len(),
            1
        )))
    }

    /// A constant structure.
    pub fn const_struct(self, fields: &[Value]) -> Value {
        let mut raw: Vec<LLVMValueRef> = fields.iter().map(|v| v.0).collect();
        Value(ll!(LLVMConstStructInContext(
            self.cx,
            raw.as_mut_ptr(),
            raw.len() as u32,
            0
        )))
    }

    /// A new block at the end of a function.
    pub fn append_block(self, function: Value, name: &str) -> Block {
        let name = c(name);
        Block(ll!(LLVMAppendBasicBlockInContext(
            self.cx,
            function.0,
            name.as_ptr()
        )))
    }

    /// Makes instructions, once it was told where ([`InstructionBuilder::before`], [`InstructionBuilder::at_end`]).
    pub fn builder(self) -> InstructionBuilder {
        InstructionBuilder(ll!(LLVMCreateBuilderInContext(self.cx)), self)
    }
}

impl Type {
    /// Whether it is an integer, a pointer, a vector, ..., whatever its size.
    pub fn kind(self) -> TypeKind {
        ll!(LLVMGetTypeKind(self.0))
    }
    /// Width of a number's type in bits, 0 of others.
    pub fn bits(self) -> u32 {
        match self.kind() {
            TypeKind::LLVMIntegerTypeKind => ll!(LLVMGetIntTypeWidth(self.0)),
            TypeKind::LLVMHalfTypeKind | TypeKind::LLVMBFloatTypeKind => 16,
            TypeKind::LLVMFloatTypeKind => 32,
            TypeKind::LLVMDoubleTypeKind => 64,
            TypeKind::LLVMX86_FP80TypeKind => 80,
            TypeKind::LLVMFP128TypeKind => 128,
            _ => 0,
        }
    }
    /// Integer constant of this type.
    pub fn int(self, value: u64) -> Value {
        Value(ll!(LLVMConstInt(self.0, value, 0)))
    }
    /// Zero of this type.
    pub fn zero(self) -> Value {
        Value(ll!(LLVMConstNull(self.0)))
    }
    /// Constant array with elements of this type.
    pub fn const_array(self, elements: &[Value]) -> Value {
        let mut raw: Vec<LLVMValueRef> = elements.iter().map(|v| v.0).collect();
        Value(ll!(LLVMConstArray2(
            self.0,
            raw.as_mut_ptr(),
            raw.len() as u64
        )))
    }
    /// Constant vector whose lanes are all `value`.
    pub fn splat(value: Value, lanes: usize) -> Value {
        let mut raw = vec![value.0; lanes];
        Value(ll!(LLVMConstVector(raw.as_mut_ptr(), lanes as u32)))
    }
    /// Parameters of a function type.
    pub fn params(self) -> Vec<Type> {
        let n = ll!(LLVMCountParamTypes(self.0)) as usize;
        let mut raw = vec![std::ptr::null_mut(); n];
        ll!(LLVMGetParamTypes(self.0, raw.as_mut_ptr()));
        raw.into_iter().map(Type).collect()
    }
    /// Result of a function type.
    pub fn result(self) -> Type {
        Type(ll!(LLVMGetReturnType(self.0)))
    }
}

impl Value {
    /// Type.
    pub fn ty(self) -> Type {
        Type(ll!(LLVMTypeOf(self.0)))
    }
    /// Symbol name.
    pub fn name(self) -> String {
        let mut length = 0;
        let pointer = ll!(LLVMGetValueName2(self.0, &raw mut length));
        text(pointer, length)
    }
    /// Whether it is an instruction.
    pub fn is_instruction(self) -> bool {
        !ll!(LLVMIsAInstruction(self.0)).is_null()
    }
    /// Whether it is a pointer that a variable of the program holds: no global and no computed address.
    pub fn is_variable_pointer(self) -> bool {
        !ll!(LLVMIsAArgument(self.0)).is_null()
            || !ll!(LLVMIsALoadInst(self.0)).is_null()
            || !ll!(LLVMIsAPHINode(self.0)).is_null()
    }
    /// Value of a constant integer of at most 64 bits.
    pub fn constant_int(self) -> Option<u64> {
        some(ll!(LLVMIsAConstantInt(self.0))).map(|c| ll!(LLVMConstIntGetZExtValue(c)))
    }
    /// Whether it is a function.
    pub fn is_function(self) -> bool {
        !ll!(LLVMIsAFunction(self.0)).is_null()
    }
    /// Whether it is inline assembly.
    pub fn is_inline_asm(self) -> bool {
        !ll!(LLVMIsAInlineAsm(self.0)).is_null()
    }
    /// Whether it is a function without a body.
    pub fn is_declaration(self) -> bool {
        ll!(LLVMIsDeclaration(self.0)) != 0
    }
    /// Opcode of an instruction.
    pub fn opcode(self) -> Opcode {
        ll!(LLVMGetInstructionOpcode(self.0))
    }
    /// Number of operands.
    pub fn operand_count(self) -> u32 {
        ll!(LLVMGetNumOperands(self.0)).unsigned_abs()
    }
    /// What it uses at this position, from 0; there must be so many.
    pub fn operand(self, index: u32) -> Value {
        Value(ll!(LLVMGetOperand(self.0, index)))
    }
    /// What it uses, in order; of a call the callee comes last.
    pub fn operands(self) -> Vec<Value> {
        (0..self.operand_count()).map(|i| self.operand(i)).collect()
    }
    /// Users of this value.
    pub fn users(self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut next = ll!(LLVMGetFirstUse(self.0));
        while let Some(u) = some(next) {
            all.push(Value(ll!(LLVMGetUser(u))));
            next = ll!(LLVMGetNextUse(u));
        }
        all
    }
    /// Block of an instruction.
    pub fn block(self) -> Block {
        Block(ll!(LLVMGetInstructionParent(self.0)))
    }
    /// Next instruction in the block.
    pub fn next(self) -> Option<Value> {
        some(ll!(LLVMGetNextInstruction(self.0))).map(Value)
    }
    /// Incoming edges of a phi.
    pub fn incoming(self) -> Vec<(Value, Block)> {
        let n = ll!(LLVMCountIncoming(self.0));
        (0..n)
            .map(|i| {
                (
                    Value(ll!(LLVMGetIncomingValue(self.0, i))),
                    Block(ll!(LLVMGetIncomingBlock(self.0, i))),
                )
            })
            .collect()
    }
    /// Adds incoming edges to a phi.
    pub fn add_incoming(self, edges: &[(Value, Block)]) {
        let mut values: Vec<LLVMValueRef> = edges.iter().map(|e| e.0.0).collect();
        let mut blocks: Vec<LLVMBasicBlockRef> = edges.iter().map(|e| e.1.0).collect();
        ll!(LLVMAddIncoming(
            self.0,
            values.as_mut_ptr(),
            blocks.as_mut_ptr(),
            edges.len() as u32
        ));
    }
    /// Callee of a call or invoke.
    pub fn callee(self) -> Value {
        Value(ll!(LLVMGetCalledValue(self.0)))
    }
    /// Sets the callee of a call.
    pub fn set_callee(self, callee: Value) {
        ll!(LLVMSetOperand(self.0, self.operand_count() - 1, callee.0));
    }
    /// Function type of a call.
    pub fn called_type(self) -> Type {
        Type(ll!(LLVMGetCalledFunctionType(self.0)))
    }
    /// Arguments of a call.
    pub fn args(self) -> Vec<Value> {
        (0..ll!(LLVMGetNumArgOperands(self.0)))
            .map(|i| self.operand(i))
            .collect()
    }
    /// Normal destination of an invoke.
    pub fn normal_dest(self) -> Block {
        Block(ll!(LLVMGetNormalDest(self.0)))
    }
    /// Whether a branch has a condition.
    pub fn is_conditional(self) -> bool {
        ll!(LLVMIsConditional(self.0)) != 0
    }
    /// Type of the elements through which an address computation steps.
    pub fn element_type(self) -> Type {
        Type(ll!(LLVMGetGEPSourceElementType(self.0)))
    }
    /// Alignment of a load or store in bytes.
    pub fn alignment(self) -> u32 {
        ll!(LLVMGetAlignment(self.0))
    }
    /// Whether a load or store is neither volatile nor atomic.
    pub fn is_simple_access(self) -> bool {
        ll!(LLVMGetVolatile(self.0)) == 0
            && ll!(LLVMGetOrdering(self.0))
                == llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
    }
    /// Integer predicate of a compare.
    pub fn int_predicate(self) -> IntPredicate {
        ll!(LLVMGetICmpPredicate(self.0))
    }
    /// Floating-point predicate of a compare.
    pub fn real_predicate(self) -> llvm_sys::LLVMRealPredicate {
        ll!(LLVMGetFCmpPredicate(self.0))
    }
    /// Whether a compare of floating-point numbers may take it that none of them is NaN.
    pub fn has_no_nans(self) -> bool {
        ll!(LLVMGetFastMathFlags(self.0)) & llvm_sys::LLVMFastMathNoNaNs != 0
    }
    /// Blocks of a function.
    pub fn blocks(self) -> Vec<Block> {
        let mut all = Vec::new();
        let mut next = ll!(LLVMGetFirstBasicBlock(self.0));
        while let Some(b) = some(next) {
            all.push(Block(b));
            next = ll!(LLVMGetNextBasicBlock(b));
        }
        all
    }
    /// Instructions of a function.
    pub fn size(self) -> usize {
        self.blocks().iter().map(|b| b.instructions().len()).sum()
    }
    /// Parameters of a function.
    pub fn params(self) -> Vec<Value> {
        (0..ll!(LLVMCountParams(self.0)))
            .map(|i| Value(ll!(LLVMGetParam(self.0, i))))
            .collect()
    }
    /// Type of a function or global variable (not the pointer's).
    pub fn value_type(self) -> Type {
        Type(ll!(LLVMGlobalGetValueType(self.0)))
    }
    /// Which other modules see a function or global variable, and whose definition counts.
    pub fn linkage(self) -> Linkage {
        ll!(LLVMGetLinkage(self.0))
    }
    /// Says which other modules see it, and whose definition counts.
    pub fn set_linkage(self, linkage: Linkage) {
        ll!(LLVMSetLinkage(self.0, linkage));
    }
    /// Sets a global's initial value.
    pub fn set_initializer(self, value: Value) {
        ll!(LLVMSetInitializer(self.0, value.0));
    }
    /// Gives a global hidden visibility: that of the same linked file is meant.
    pub fn hide(self) {
        ll!(LLVMSetVisibility(
            self.0,
            LLVMVisibility::LLVMHiddenVisibility
        ));
    }
    /// Replaces every use of this global by another and deletes it.
    pub fn replace_global(self, by: Value) {
        ll!(LLVMReplaceAllUsesWith(self.0, by.0));
        ll!(LLVMDeleteGlobal(self.0));
    }
    /// Marks a global constant.
    pub fn set_constant(self) {
        ll!(LLVMSetGlobalConstant(self.0, 1));
    }
    /// Makes a global thread-local, initial-exec.
    pub fn set_thread_local(self) {
        ll!(LLVMSetThreadLocal(self.0, 1));
        ll!(LLVMSetThreadLocalMode(
            self.0,
            llvm_sys::LLVMThreadLocalMode::LLVMInitialExecTLSModel
        ));
    }
    /// Address of a global as a number, in the measured thread if it is relative to gs.
    pub fn address(self, number: Type) -> Value {
        Value(ll!(LLVMConstPtrToInt(self.0, number.0)))
    }
    /// Sets the alignment of a global, load, store or alloca.
    pub fn set_alignment(self, bytes: u32) {
        ll!(LLVMSetAlignment(self.0, bytes));
    }
    /// Line of an instruction's debug location, 0 for none; that of the outermost call where functions were inlined.
    pub fn line(self) -> u32 {
        if self.is_instruction() {
            self.place().map_or(0, |place| place.0)
        } else {
            ll!(LLVMGetDebugLocLine(self.0))
        }
    }
    /// Line, column, and file with its directory of an instruction's debug location; that of the outermost call where
    /// functions were inlined.
    pub fn place(self) -> Option<(u32, u32, String, String)> {
        use llvm_sys::debuginfo::{
            LLVMDIFileGetDirectory, LLVMDIFileGetFilename, LLVMDILocationGetColumn,
            LLVMDILocationGetInlinedAt, LLVMDILocationGetLine, LLVMDILocationGetScope,
            LLVMDIScopeGetFile, LLVMInstructionGetDebugLoc,
        };
        let mut at = some(ll!(LLVMInstructionGetDebugLoc(self.0)))?;
        while let Some(outer) = some(ll!(LLVMDILocationGetInlinedAt(at))) {
            at = outer;
        }
        let (mut file, mut directory) = (String::new(), String::new());
        let scope = ll!(LLVMDILocationGetScope(at));
        if let Some(f) = some(ll!(LLVMDIScopeGetFile(scope))) {
            let (mut n, mut m) = (0, 0);
            let name = ll!(LLVMDIFileGetFilename(f, &raw mut n));
            file = text(name, n as usize);
            let name = ll!(LLVMDIFileGetDirectory(f, &raw mut m));
            directory = text(name, m as usize);
        }
        Some((
            ll!(LLVMDILocationGetLine(at)),
            ll!(LLVMDILocationGetColumn(at)),
            file,
            directory,
        ))
    }
    /// Type of what an `alloca` makes room for.
    pub fn allocated_type(self) -> Type {
        Type(ll!(LLVMGetAllocatedType(self.0)))
    }
    /// Whether it is a constant global variable, which nobody writes.
    pub fn is_constant_global(self) -> bool {
        some(ll!(LLVMIsAGlobalVariable(self.0))).is_some_and(|g| ll!(LLVMIsGlobalConstant(g)) != 0)
    }
    /// Says of a global variable that nobody writes it.
    pub fn make_constant(self) {
        ll!(LLVMSetGlobalConstant(self.0, 1));
    }
    /// Bytes of a constant global string, with its NUL.
    pub fn constant_string(self) -> Option<Vec<u8>> {
        let global = some(ll!(LLVMIsAGlobalVariable(self.0)))?;
        if ll!(LLVMIsGlobalConstant(global)) == 0 {
            return None;
        }
        let content = some(ll!(LLVMGetInitializer(global)))?;
        // What it answers of other constants is undefined.
        let content = some(ll!(LLVMIsAConstantDataArray(content)))?;
        if ll!(LLVMIsConstantString(content)) == 0 {
            return None;
        }
        let mut length = 0;
        let bytes = ll!(LLVMGetAsString(content, &raw mut length));
        // SAFETY: LLVM owns so many bytes there.
        Some(unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), length) }.to_vec())
    }
    /// File of a function's or instruction's debug location and its directory.
    pub fn debug_file(self) -> (String, String) {
        let (mut n, mut m) = (0, 0);
        let file = ll!(LLVMGetDebugLocFilename(self.0, &raw mut n));
        let directory = ll!(LLVMGetDebugLocDirectory(self.0, &raw mut m));
        (text(file, n as usize), text(directory, m as usize))
    }
    /// Name of an intrinsic, or None.
    pub fn intrinsic_name(self) -> Option<String> {
        (self.is_function() && ll!(LLVMGetIntrinsicID(self.0)) != 0).then(|| self.name())
    }
    fn attribute_kind(name: &str) -> u32 {
        ll!(LLVMGetEnumAttributeKindForName(
            name.as_ptr().cast(),
            name.len()
        ))
    }
    /// Whether the result of a function follows from its arguments alone: `memory(none)`.
    pub fn is_pure(self) -> bool {
        let kind = Self::attribute_kind("memory");
        let function = llvm_sys::LLVMAttributeFunctionIndex;
        let attribute = ll!(LLVMGetEnumAttributeAtIndex(self.0, function, kind));
        !attribute.is_null() && ll!(LLVMGetEnumAttributeValue(attribute)) == 0
    }
    /// Whether a call says so of itself.
    pub fn is_pure_call(self) -> bool {
        let kind = Self::attribute_kind("memory");
        let function = llvm_sys::LLVMAttributeFunctionIndex;
        let attribute = ll!(LLVMGetCallSiteEnumAttribute(self.0, function, kind));
        !attribute.is_null() && ll!(LLVMGetEnumAttributeValue(attribute)) == 0
    }
    /// Whether it is declared in a system header, as far as debug information tells.
    pub fn is_in_system_header(self) -> bool {
        let (file, directory) = self.debug_file();
        let absolute = file.starts_with('/');
        let path = if absolute {
            file
        } else {
            format!("{directory}/{file}")
        };
        path.starts_with("/usr/")
    }
    /// Whether a function carries an enum attribute.
    pub fn has_attribute(self, name: &str) -> bool {
        let kind = Self::attribute_kind(name);
        !ll!(LLVMGetEnumAttributeAtIndex(
            self.0,
            llvm_sys::LLVMAttributeFunctionIndex,
            kind
        ))
        .is_null()
    }
    /// Whether a call must not be replaced by the body of what it calls, as the call itself says.
    pub fn stays_call(self) -> bool {
        let kind = Self::attribute_kind("noinline");
        let function = llvm_sys::LLVMAttributeFunctionIndex;
        !ll!(LLVMGetCallSiteEnumAttribute(self.0, function, kind)).is_null()
    }
    /// Has a call, and the function that it names, keep all registers but those of the result.
    pub fn keep_registers(self) {
        const PRESERVE_ALL: u32 = llvm_sys::LLVMCallConv::LLVMPreserveAllCallConv as u32;
        ll!(LLVMSetInstructionCallConv(self.0, PRESERVE_ALL));
        ll!(LLVMSetFunctionCallConv(self.callee().0, PRESERVE_ALL));
    }
    /// Removes an enum attribute from a function.
    pub fn remove_attribute(self, name: &str) {
        let kind = Self::attribute_kind(name);
        ll!(LLVMRemoveEnumAttributeAtIndex(
            self.0,
            llvm_sys::LLVMAttributeFunctionIndex,
            kind
        ));
    }
    /// Adds an enum attribute to a function.
    pub fn add_attribute(self, module: Module, name: &str) {
        let cx = ll!(LLVMGetModuleContext(module.0));
        let attribute = ll!(LLVMCreateEnumAttribute(cx, Self::attribute_kind(name), 0));
        ll!(LLVMAddAttributeAtIndex(
            self.0,
            llvm_sys::LLVMAttributeFunctionIndex,
            attribute
        ));
    }
    /// Whether a function carries a string attribute.
    pub fn string_attribute(self, name: &str) -> Option<String> {
        let attribute = some(ll!(LLVMGetStringAttributeAtIndex(
            self.0,
            llvm_sys::LLVMAttributeFunctionIndex,
            name.as_ptr().cast(),
            name.len() as u32
        )))?;
        let mut length = 0;
        let pointer = ll!(LLVMGetStringAttributeValue(attribute, &raw mut length));
        Some(text(pointer, length as usize))
    }
    /// Sets a string attribute of a function.
    pub fn set_string_attribute(self, module: Module, name: &str, value: &str) {
        let cx = ll!(LLVMGetModuleContext(module.0));
        let attribute = ll!(LLVMCreateStringAttribute(
            cx,
            name.as_ptr().cast(),
            name.len() as u32,
            value.as_ptr().cast(),
            value.len() as u32
        ));
        ll!(LLVMAddAttributeAtIndex(
            self.0,
            llvm_sys::LLVMAttributeFunctionIndex,
            attribute
        ));
    }
    /// Type of a parameter attribute such as `byval` (index from 0) on a function or a call.
    pub fn param_type_attribute(self, index: u32, name: &str, call: bool) -> Option<Type> {
        let kind = Self::attribute_kind(name);
        let attribute = if call {
            ll!(LLVMGetCallSiteEnumAttribute(self.0, index + 1, kind))
        } else {
            ll!(LLVMGetEnumAttributeAtIndex(self.0, index + 1, kind))
        };
        some(attribute).map(|a| Type(ll!(LLVMGetTypeAttributeValue(a))))
    }
    /// Alignment that a call promises of a pointer argument (index from 0); 1 if it says nothing.
    pub fn argument_alignment(self, index: u32) -> u64 {
        let kind = Self::attribute_kind("align");
        some(ll!(LLVMGetCallSiteEnumAttribute(self.0, index + 1, kind)))
            .map_or(1, |a| ll!(LLVMGetEnumAttributeValue(a)))
    }
    /// Line of a function's declaration in its debug information (0: none).
    pub fn subprogram_line(self) -> u32 {
        use llvm_sys::debuginfo::{LLVMDISubprogramGetLine, LLVMGetSubprogram};
        let subprogram = ll!(LLVMGetSubprogram(self.0));
        if subprogram.is_null() {
            0
        } else {
            ll!(LLVMDISubprogramGetLine(subprogram))
        }
    }
}

impl Block {
    /// Number of edges that lead here.
    pub fn predecessor_count(self) -> usize {
        self.predecessors().len()
    }
    /// Blocks from which edges lead here, with repetitions.
    pub fn predecessors(self) -> Vec<Block> {
        let mut all = Vec::new();
        let mut next = ll!(LLVMGetFirstUse(LLVMBasicBlockAsValue(self.0)));
        while !next.is_null() {
            all.push(Value(ll!(LLVMGetUser(next))).block());
            next = ll!(LLVMGetNextUse(next));
        }
        all
    }
    /// Instructions, in order.
    pub fn instructions(self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut next = ll!(LLVMGetFirstInstruction(self.0));
        while let Some(i) = some(next) {
            all.push(Value(i));
            next = ll!(LLVMGetNextInstruction(i));
        }
        all
    }
    /// The last instruction, with which control leaves; complete blocks have one.
    pub fn terminator(self) -> Value {
        Value(ll!(LLVMGetBasicBlockTerminator(self.0)))
    }
    /// Successors, with repetitions.
    pub fn successors(self) -> Vec<Block> {
        let t = self.terminator();
        (0..ll!(LLVMGetNumSuccessors(t.0)))
            .map(|i| Block(ll!(LLVMGetSuccessor(t.0, i))))
            .collect()
    }
    /// First instruction that is neither a phi nor a landing pad.
    pub fn first_insertion(self) -> Value {
        let is_head = |v: &Value| matches!(v.opcode(), Opcode::LLVMPHI | Opcode::LLVMLandingPad);
        self.instructions()
            .into_iter()
            .find(|i| !is_head(i))
            .unwrap_or_else(|| self.terminator())
    }
    /// Whether control comes here by unwinding.
    pub fn is_landing_pad(self) -> bool {
        self.instructions()
            .iter()
            .any(|i| i.opcode() == Opcode::LLVMLandingPad)
    }
}
