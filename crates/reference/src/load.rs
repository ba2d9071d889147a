//! Reads bitcode into [`crate::ir`]: the fence around LLVM's C API, with all `unsafe` of this crate.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char};
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use llvm_sys::bit_reader::LLVMParseBitcodeInContext2;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{
    LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMStoreSizeOfType,
};
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use crate::ir::{
    Callee, Constant, Function, Global, IrInstruction, LinkedProgram, Operand, Operation, Type,
    TypeKind, TypeRef,
};

/// Calls a C API function.
macro_rules! ll {
    ($function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: all handles come from the one module that `Loader` keeps alive, and are used as what they are;
        // lengths and pointers passed along come from slices that outlive the call.
        unsafe { $function($($argument),*) }
    };
}

/// Reads a module from a bitcode file.
///
/// # Errors
/// The file cannot be read, or is no bitcode of this LLVM.
pub fn load(path: &Path) -> Result<LinkedProgram> {
    let name = CString::new(path.to_string_lossy().into_owned())?;
    let mut buffer = std::ptr::null_mut();
    let mut message: *mut c_char = std::ptr::null_mut();
    if ll!(LLVMCreateMemoryBufferWithContentsOfFile(
        name.as_ptr(),
        &raw mut buffer,
        &raw mut message
    )) != 0
    {
        bail!("{}: {}", path.display(), take(message));
    }
    let context = ll!(LLVMContextCreate());
    let mut module = std::ptr::null_mut();
    let failed = ll!(LLVMParseBitcodeInContext2(context, buffer, &raw mut module)) != 0;
    ll!(LLVMDisposeMemoryBuffer(buffer));
    if failed {
        ll!(LLVMContextDispose(context));
        bail!("{}: not bitcode of this LLVM", path.display());
    }
    let mut loader = Loader {
        context,
        module,
        types: HashMap::new(),
        globals: HashMap::new(),
        functions: HashMap::new(),
    };
    loader.module().with_context(|| path.display().to_string())
}

/// Takes over a string that LLVM allocated.
fn take(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: LLVM returned this NUL-terminated string for us to dispose of.
    let text = unsafe { CStr::from_ptr(message) }
        .to_string_lossy()
        .into_owned();
    ll!(LLVMDisposeMessage(message));
    text
}

fn chain<T>(first: *mut T, next: impl Fn(*mut T) -> *mut T) -> Vec<*mut T> {
    let mut all = Vec::new();
    let mut at = first;
    while !at.is_null() {
        all.push(at);
        at = next(at);
    }
    all
}

struct Loader {
    context: LLVMContextRef,
    module: LLVMModuleRef,
    types: HashMap<LLVMTypeRef, TypeRef>,
    globals: HashMap<LLVMValueRef, usize>,
    functions: HashMap<LLVMValueRef, usize>,
}

impl Drop for Loader {
    fn drop(&mut self) {
        ll!(LLVMDisposeModule(self.module));
        ll!(LLVMContextDispose(self.context));
    }
}

/// Numbers of the local values of one function.
#[derive(Default)]
struct Locals {
    parameters: HashMap<LLVMValueRef, usize>,
    results: HashMap<LLVMValueRef, usize>,
    blocks: HashMap<LLVMBasicBlockRef, usize>,
}

impl Loader {
    fn module(&mut self) -> Result<LinkedProgram> {
        let globals = chain(ll!(LLVMGetFirstGlobal(self.module)), |g| {
            ll!(LLVMGetNextGlobal(g))
        });
        let functions = chain(ll!(LLVMGetFirstFunction(self.module)), |f| {
            ll!(LLVMGetNextFunction(f))
        });
        self.globals = globals.iter().copied().zip(0..).collect();
        self.functions = functions.iter().copied().zip(0..).collect();
        Ok(LinkedProgram {
            globals: globals
                .into_iter()
                .map(|g| Global {
                    name: name(g),
                    ty: self.ty(ll!(LLVMGlobalGetValueType(g))),
                    initial: (ll!(LLVMIsDeclaration(g)) == 0)
                        .then(|| self.constant(ll!(LLVMGetInitializer(g)))),
                })
                .collect(),
            functions: functions
                .into_iter()
                .map(|f| self.function(f))
                .collect::<Result<_>>()?,
        })
    }

    fn function(&mut self, f: LLVMValueRef) -> Result<Function> {
        let blocks = chain(ll!(LLVMGetFirstBasicBlock(f)), |b| {
            ll!(LLVMGetNextBasicBlock(b))
        });
        let count = ll!(LLVMCountParams(f));
        let mut locals = Locals {
            parameters: (0..count)
                .map(|i| (ll!(LLVMGetParam(f, i)), i as usize))
                .collect(),
            ..Locals::default()
        };
        let (mut ranges, mut handles) = (Vec::new(), Vec::new());
        for (number, &block) in blocks.iter().enumerate() {
            locals.blocks.insert(block, number);
            let start = handles.len();
            handles.extend(chain(ll!(LLVMGetFirstInstruction(block)), |i| {
                ll!(LLVMGetNextInstruction(i))
            }));
            ranges.push(start..handles.len());
        }
        locals.results = handles.iter().copied().zip(0..).collect();
        let ty = ll!(LLVMGlobalGetValueType(f));
        Ok(Function {
            name: name(f),
            intrinsic: ll!(LLVMGetIntrinsicID(f)) != 0,
            result: self.ty(ll!(LLVMGetReturnType(ty))),
            parameter_types: (0..count)
                .map(|i| self.ty(ll!(LLVMTypeOf(LLVMGetParam(f, i)))))
                .collect(),
            blocks: ranges,
            instructions: handles
                .into_iter()
                .map(|i| self.instruction(i, &locals))
                .collect(),
        })
    }

    fn ty(&mut self, raw: LLVMTypeRef) -> TypeRef {
        if let Some(known) = self.types.get(&raw) {
            return known.clone();
        }
        let layout = ll!(LLVMGetModuleDataLayout(self.module));
        let kind = match ll!(LLVMGetTypeKind(raw)) {
            LLVMTypeKind::LLVMVoidTypeKind => TypeKind::Void,
            LLVMTypeKind::LLVMIntegerTypeKind => match ll!(LLVMGetIntTypeWidth(raw)) {
                bits @ 1..=128 => TypeKind::Int(bits),
                bits => TypeKind::Other(format!("i{bits}")),
            },
            LLVMTypeKind::LLVMFloatTypeKind => TypeKind::Float,
            LLVMTypeKind::LLVMDoubleTypeKind => TypeKind::Double,
            LLVMTypeKind::LLVMPointerTypeKind => TypeKind::Pointer,
            LLVMTypeKind::LLVMArrayTypeKind => TypeKind::Sequence(
                self.ty(ll!(LLVMGetElementType(raw))),
                ll!(LLVMGetArrayLength2(raw)),
            ),
            LLVMTypeKind::LLVMVectorTypeKind => TypeKind::Sequence(
                self.ty(ll!(LLVMGetElementType(raw))),
                ll!(LLVMGetVectorSize(raw)).into(),
            ),
            LLVMTypeKind::LLVMStructTypeKind if ll!(LLVMIsOpaqueStruct(raw)) == 0 => {
                let n = ll!(LLVMCountStructElementTypes(raw));
                TypeKind::Structure(
                    (0..n)
                        .map(|i| {
                            (
                                ll!(LLVMOffsetOfElement(layout, raw, i)),
                                self.ty(ll!(LLVMStructGetTypeAtIndex(raw, i))),
                            )
                        })
                        .collect(),
                )
            }
            _ => TypeKind::Other(take(ll!(LLVMPrintTypeToString(raw)))),
        };
        let sized = ll!(LLVMTypeIsSized(raw)) != 0;
        let size = |f: unsafe extern "C" fn(_, _) -> u64| {
            if sized {
                // SAFETY: as in `ll!`; a sized type of this module and its layout.
                unsafe { f(layout, raw) }
            } else {
                0
            }
        };
        let ty = Rc::new(Type {
            kind,
            size: size(LLVMABISizeOfType),
            stored: size(LLVMStoreSizeOfType),
        });
        self.types.insert(raw, ty.clone());
        ty
    }

    fn constant(&mut self, v: LLVMValueRef) -> Constant {
        if let Some(&g) = self.globals.get(&v) {
            return Constant::Global(g, 0);
        }
        if let Some(&f) = self.functions.get(&v) {
            return Constant::Function(f);
        }
        if ll!(LLVMIsNull(v)) != 0 || ll!(LLVMIsUndef(v)) != 0 || ll!(LLVMIsPoison(v)) != 0 {
            return Constant::Zero;
        }
        let ty = self.ty(ll!(LLVMTypeOf(v)));
        let unknown = || Constant::Unknown(print(v));
        if !ll!(LLVMIsAConstantInt(v)).is_null() {
            return match ty.kind {
                TypeKind::Int(bits @ 65..) => {
                    let text = print(v);
                    let number = text.rsplit(' ').next().and_then(|n| n.parse::<i128>().ok());
                    let mask = u128::MAX >> (128 - bits);
                    number.map_or_else(unknown, |n| Constant::Int(n.cast_unsigned() & mask))
                }
                _ => Constant::Int(ll!(LLVMConstIntGetZExtValue(v)).into()),
            };
        }
        if !ll!(LLVMIsAConstantFP(v)).is_null() {
            let mut lost = 0;
            return match ty.kind {
                TypeKind::Float | TypeKind::Double => {
                    Constant::Real(ll!(LLVMConstRealGetDouble(v, &raw mut lost)))
                }
                _ => unknown(),
            };
        }
        if !ll!(LLVMIsAConstantExpr(v)).is_null() {
            return self.expression(v).unwrap_or_else(unknown);
        }
        match ty.parts() {
            0 => unknown(),
            n => Constant::Aggregate(
                (0..n as u32)
                    .map(|i| {
                        let part = ll!(LLVMGetAggregateElement(v, i));
                        if part.is_null() {
                            unknown()
                        } else {
                            self.constant(part)
                        }
                    })
                    .collect(),
            ),
        }
    }

    /// Constant expressions: addresses within globals.
    fn expression(&mut self, v: LLVMValueRef) -> Option<Constant> {
        let operand = |i: u32| ll!(LLVMGetOperand(v, i));
        match ll!(LLVMGetConstOpcode(v)) {
            LLVMOpcode::LLVMGetElementPtr => {
                let Constant::Global(base, offset) = self.constant(operand(0)) else {
                    return None;
                };
                let mut at = self.ty(ll!(LLVMGetGEPSourceElementType(v)));
                let mut offset = offset;
                for i in 1..ll!(LLVMGetNumOperands(v)).unsigned_abs() {
                    let index = operand(i);
                    let index = (!ll!(LLVMIsAConstantInt(index)).is_null())
                        .then(|| ll!(LLVMConstIntGetSExtValue(index)).cast_unsigned())?;
                    if i == 1 {
                        offset = offset.wrapping_add(index.wrapping_mul(at.size));
                    } else {
                        let (distance, part) = at.part(index)?;
                        offset = offset.wrapping_add(distance);
                        at = part.clone();
                    }
                }
                Some(Constant::Global(base, offset))
            }
            LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMIntToPtr | LLVMOpcode::LLVMBitCast => {
                Some(self.constant(operand(0)))
            }
            _ => None,
        }
    }

    fn operand(&mut self, v: LLVMValueRef, locals: &Locals) -> Operand {
        if let Some(&i) = locals.results.get(&v) {
            Operand::Result(i)
        } else if let Some(&i) = locals.parameters.get(&v) {
            Operand::Parameter(i)
        } else if !ll!(LLVMIsAConstant(v)).is_null() {
            Operand::Constant(self.ty(ll!(LLVMTypeOf(v))), self.constant(v))
        } else {
            Operand::Other
        }
    }

    fn instruction(&mut self, i: LLVMValueRef, locals: &Locals) -> IrInstruction {
        use LLVMOpcode::*;
        let opcode = ll!(LLVMGetInstructionOpcode(i));
        let successor = |n: u32| locals.blocks[&ll!(LLVMGetSuccessor(i, n))];
        let mut count = match opcode {
            LLVMBr => 0,
            LLVMSwitch => 1,
            LLVMCall => ll!(LLVMGetNumArgOperands(i)),
            _ => ll!(LLVMGetNumOperands(i)).unsigned_abs(),
        };
        let mut condition = None;
        let operation = match opcode {
            LLVMAdd | LLVMSub | LLVMMul | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMShl
            | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor | LLVMFAdd | LLVMFSub | LLVMFMul
            | LLVMFDiv | LLVMFRem => Operation::Binary(opcode),
            LLVMFNeg => Operation::Negate,
            LLVMICmp => Operation::CompareInt(ll!(LLVMGetICmpPredicate(i))),
            LLVMFCmp => Operation::CompareReal(ll!(LLVMGetFCmpPredicate(i))),
            LLVMTrunc | LLVMZExt | LLVMSExt | LLVMFPToUI | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP
            | LLVMFPTrunc | LLVMFPExt | LLVMPtrToInt | LLVMIntToPtr | LLVMBitCast => {
                Operation::Cast(opcode)
            }
            LLVMGetElementPtr => Operation::Address(self.ty(ll!(LLVMGetGEPSourceElementType(i)))),
            LLVMAlloca => Operation::Alloca(self.ty(ll!(LLVMGetAllocatedType(i)))),
            LLVMLoad => Operation::Load,
            LLVMStore => Operation::Store,
            LLVMAtomicRMW => Operation::AtomicUpdate(ll!(LLVMGetAtomicRMWBinOp(i))),
            LLVMAtomicCmpXchg => Operation::AtomicExchange,
            LLVMFence => Operation::Fence,
            LLVMSelect => Operation::Select,
            LLVMFreeze => Operation::Freeze,
            LLVMExtractValue => Operation::Extract(indices(i)),
            LLVMInsertValue => Operation::Insert(indices(i)),
            LLVMExtractElement => Operation::ExtractElement,
            LLVMInsertElement => Operation::InsertElement,
            LLVMShuffleVector => Operation::Shuffle(
                (0..ll!(LLVMGetNumMaskElements(i)))
                    .map(|n| ll!(LLVMGetMaskValue(i, n)))
                    .collect(),
            ),
            LLVMPHI => Operation::Phi(
                (0..ll!(LLVMCountIncoming(i)))
                    .map(|n| locals.blocks[&ll!(LLVMGetIncomingBlock(i, n))])
                    .collect(),
            ),
            LLVMBr if ll!(LLVMIsConditional(i)) != 0 => {
                condition = Some(ll!(LLVMGetCondition(i)));
                Operation::Branch(successor(0), successor(1))
            }
            LLVMBr => Operation::Jump(successor(0)),
            LLVMSwitch => Operation::Switch(
                successor(0),
                (1..ll!(LLVMGetNumSuccessors(i)))
                    .map(|n| {
                        let value = self.constant(ll!(LLVMGetSwitchCaseValue(i, n)));
                        let Constant::Int(value) = value else {
                            return (0, successor(n)); // null prints as Zero
                        };
                        (value, successor(n))
                    })
                    .collect(),
            ),
            LLVMRet => Operation::Return,
            LLVMUnreachable => Operation::Unreachable,
            LLVMCall => {
                let callee = ll!(LLVMGetCalledValue(i));
                let ty = ll!(LLVMGetCalledFunctionType(i));
                Operation::Call(Callee {
                    function: self.operand(callee, locals),
                    fixed: ll!(LLVMCountParamTypes(ty)) as usize,
                    copies: (0..count).map(|n| self.copied(i, n)).collect(),
                })
            }
            _ => {
                count = 0;
                Operation::Other
            }
        };
        let handles: Vec<LLVMValueRef> = condition
            .into_iter()
            .chain((0..count).map(|n| ll!(LLVMGetOperand(i, n))))
            .collect();
        IrInstruction {
            operation,
            ty: self.ty(ll!(LLVMTypeOf(i))),
            operands: handles
                .into_iter()
                .map(|v| self.operand(v, locals))
                .collect(),
            text: print(i),
        }
    }

    /// Type of the memory that argument `index` of a call hands over by value.
    fn copied(&mut self, call: LLVMValueRef, index: u32) -> Option<TypeRef> {
        let byval = "byval";
        let kind = ll!(LLVMGetEnumAttributeKindForName(
            byval.as_ptr().cast(),
            byval.len()
        ));
        let attribute = ll!(LLVMGetCallSiteEnumAttribute(call, index + 1, kind));
        (!attribute.is_null()).then(|| self.ty(ll!(LLVMGetTypeAttributeValue(attribute))))
    }
}

fn indices(i: LLVMValueRef) -> Vec<u32> {
    let n = ll!(LLVMGetNumIndices(i)) as usize;
    // SAFETY: LLVM returns as many indices as it says, owned by the instruction.
    unsafe { std::slice::from_raw_parts(LLVMGetIndices(i), n) }.to_vec()
}

fn name(v: LLVMValueRef) -> String {
    let mut length = 0;
    let pointer = ll!(LLVMGetValueName2(v, &raw mut length));
    // SAFETY: LLVM returned this pointer and length together, for a string owned by the value.
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

fn print(v: LLVMValueRef) -> String {
    take(ll!(LLVMPrintValueToString(v))).trim().to_owned()
}
