// Boxes: where not all arguments of a function travel in registers, its tracked version and its native continuation get
// the address of a structure with all of them instead, in the frame of the function that chooses. So the two have one
// type, and can call each other in tail position however often versions change: LLVM loses arguments on the stack where
// it realigns the frame of such a call. Arguments that are passed by value (`byval`) are in the box as their addresses,
// variadic ones as a list, of which `va_start` in the versions makes a copy. What goes on at a place has all that it
// needs, and gets an empty box.
#include "analysis.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

// Attribute of a function that takes a box, with its size.
static constexpr StringLiteral BoxSize = "parascan-box";
// Metadata: the version of a function that takes a box.
static constexpr StringLiteral Boxed = "parascan.boxed";
// Metadata of what stands for the list of variadic arguments.
static constexpr StringLiteral List = "parascan.list";

bool isBoxed(const Function &F) { return F.hasFnAttribute(BoxSize); }

// Its arguments, and the list.
static StructType *layout(const Function &F) {
  SmallVector<Type *, 8> Fields(F.getFunctionType()->params());
  if (F.isVarArg())
    Fields.push_back(PointerType::get(F.getContext(), 0));
  return StructType::get(F.getContext(), Fields);
}

Constant *emptyBox(const Function &F) {
  Module &M = *const_cast<Module *>(F.getParent());
  uint64_t Size = 0;
  F.getFnAttribute(BoxSize).getValueAsString().getAsInteger(10, Size);
  std::string Name = ("__ps_no_box." + Twine(Size)).str();
  if (GlobalVariable *G = M.getNamedGlobal(Name))
    return G;
  auto *T = ArrayType::get(Type::getInt8Ty(M.getContext()), Size);
  auto *G = new GlobalVariable(M, T, true, GlobalValue::InternalLinkage, ConstantAggregateZero::get(T), Name);
  G->setAlignment(Align(64));
  return G;
}

Function *box(Function &F) {
  if (inRegisters(F) || hasNamedBlocks(F))
    return nullptr;
  LLVMContext &C = F.getContext();
  Type *Ptr = PointerType::get(C, 0);
  auto *T = FunctionType::get(F.getReturnType(), {Ptr}, false);
  auto *Made = Function::Create(T, GlobalValue::InternalLinkage, F.getAddressSpace(), F.getName() + ".tracked");
  F.getParent()->getFunctionList().insertAfter(F.getIterator(), Made);
  Made->setCallingConv(F.getCallingConv());
  // How a small number is returned is part of the type as far as tail calls are concerned.
  Made->setAttributes(AttributeList::get(C, AttributeSet(), F.getAttributes().getRetAttrs(), {}));
  Made->addFnAttr(BoxSize, std::to_string(F.getDataLayout().getTypeAllocSize(layout(F)).getFixedValue()));
  return Made;
}

// Has `va_start` copy the list, which in this function is `Given`, null where it was handed over.
static void copyList(Function &F, Value *Given) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (I.hasMetadata(List) && Given) {
      I.replaceAllUsesWith(Given);
      I.eraseFromParent();
      continue;
    }
    auto *II = dyn_cast<IntrinsicInst>(&I);
    if (!II || II->getIntrinsicID() != Intrinsic::vastart || II->getNumOperandBundles() == 0)
      continue;
    IRBuilder<> B(II);
    Value *From = II->getOperandBundleAt(0).Inputs.front();
    B.CreateIntrinsic(Intrinsic::vacopy, {From->getType()}, {II->getArgOperand(0), From});
    II->eraseFromParent();
  }
}

void moveTo(Function &From, Function &To) {
  AttributeList Old = From.getAttributes();
  Attribute Size = To.getFnAttribute(BoxSize);
  To.copyAttributesFrom(&From);
  SmallVector<AttributeSet, 8> Of;
  if (!Size.isValid())
    for (Argument &A : From.args())
      Of.push_back(Old.getParamAttrs(A.getArgNo()));
  To.setAttributes(AttributeList::get(From.getContext(), Old.getFnAttrs(), Old.getRetAttrs(), Of));
  if (Size.isValid())
    To.addFnAttr(Size);
  To.setVisibility(GlobalValue::DefaultVisibility);
  To.setDLLStorageClass(GlobalValue::DefaultStorageClass);
  To.setLinkage(GlobalValue::InternalLinkage);
  To.setDSOLocal(true);
  To.setPrefixData(nullptr);
  To.setPrologueData(nullptr);
  for (unsigned Kind : {LLVMContext::MD_dbg, LLVMContext::MD_prof}) {
    To.setMetadata(Kind, From.getMetadata(Kind));
    From.setMetadata(Kind, nullptr);
  }
  To.splice(To.begin(), &From);
}

Function *takesBox(Function &On, const Function &Tracked) {
  auto *Made = Function::Create(Tracked.getFunctionType(), GlobalValue::InternalLinkage, On.getAddressSpace(), "");
  On.getParent()->getFunctionList().insertAfter(On.getIterator(), Made);
  Made->addFnAttr(Tracked.getFnAttribute(BoxSize));
  moveTo(On, *Made);
  Made->takeName(&On);
  copyList(*Made, nullptr);
  On.eraseFromParent();
  return Made;
}

Function *takesList(Function &Native) {
  SmallVector<Type *, 8> Types(Native.getFunctionType()->params());
  Types.push_back(PointerType::get(Native.getContext(), 0));
  auto *T = FunctionType::get(Native.getReturnType(), Types, false);
  auto *Made = Function::Create(T, GlobalValue::InternalLinkage, Native.getAddressSpace(), "");
  Native.getParent()->getFunctionList().insertAfter(Native.getIterator(), Made);
  moveTo(Native, *Made);
  Made->takeName(&Native);
  for (auto [Old, New] : zip(Native.args(), Made->args()))
    Old.replaceAllUsesWith(&New);
  copyList(*Made, Made->getArg(Types.size() - 1));
  Native.eraseFromParent();
  return Made;
}

void noteBox(Function &F, Function &Tracked) { F.setMetadata(Boxed, MDNode::get(F.getContext(), ConstantAsMetadata::get(&Tracked))); }

Function *boxedVersion(const Function &F) {
  MDNode *N = F.getMetadata(Boxed);
  return N ? mdconst::extract<Function>(N->getOperand(0)) : nullptr;
}

void unpack(Function &F, Function &Tracked) {
  StructType *T = layout(F);
  F.setMetadata(Boxed, nullptr);
  moveTo(F, Tracked);
  BasicBlock::iterator At = Tracked.getEntryBlock().begin();
  while (isa<AllocaInst>(*At))
    ++At;
  IRBuilder<> B(&*At);
  auto Field = [&](unsigned N, Type *Of) { return B.CreateLoad(Of, B.CreateStructGEP(T, Tracked.getArg(0), N)); };
  for (Argument &A : F.args())
    if (!A.use_empty() || A.isUsedByMetadata())
      A.replaceAllUsesWith(Field(A.getArgNo(), A.getType()));
  if (F.isVarArg())
    copyList(Tracked, Field(F.arg_size(), B.getPtrTy()));
  // They are of another type now.
  for (Instruction &I : instructions(Tracked))
    if (auto *C = dyn_cast<CallInst>(&I); C && C->isMustTailCall() && !isBoxed(*C->getCalledFunction()))
      C->setTailCallKind(CallInst::TCK_NoTail);
}

// Calls a version from an empty block, in place of the function.
static void callVersion(IRBuilder<> &B, Function &To, ArrayRef<Value *> Args, AttributeList Attributes, Value *ListPlace) {
  if (ListPlace)
    B.CreateIntrinsic(Intrinsic::vastart, {ListPlace->getType()}, {ListPlace});
  CallInst *Call = B.CreateCall(&To, Args);
  Call->setCallingConv(To.getCallingConv());
  Call->setAttributes(Attributes);
  Call->addFnAttr(Attribute::NoInline);
  Call->setTailCallKind(CallInst::TCK_NoTail);
  labelChange(*Call);
  if (ListPlace)
    B.CreateIntrinsic(Intrinsic::vaend, {ListPlace->getType()}, {ListPlace});
  if (To.getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);
}

void chooseBoxed(Function &F, Function &Tracked, Function &Native, BasicBlock *IfNative, BasicBlock *IfTracked) {
  LLVMContext &C = F.getContext();
  StructType *T = layout(F);
  IRBuilder<> B(&*F.getEntryBlock().begin());
  Value *Place = B.CreateAlloca(T);
  Value *ListPlace = F.isVarArg() ? B.CreateAlloca(ArrayType::get(B.getInt64Ty(), 3)) : nullptr;
  AttributeList Own = F.getAttributes();
  SmallVector<Value *, 8> Args;
  SmallVector<AttributeSet, 8> Of;
  for (Argument &A : F.args()) {
    Args.push_back(&A);
    Of.push_back(Own.getParamAttrs(A.getArgNo()));
  }
  B.SetInsertPoint(IfTracked);
  SmallVector<Value *, 8> Fields(Args);
  if (ListPlace)
    Fields.push_back(ListPlace);
  for (auto [N, Each] : enumerate(Fields))
    B.CreateStore(Each, B.CreateStructGEP(T, Place, N));
  callVersion(B, Tracked, {Place}, AttributeList::get(C, AttributeSet(), Own.getRetAttrs(), {}), ListPlace);
  B.SetInsertPoint(IfNative);
  if (ListPlace)
    Args.push_back(ListPlace);
  callVersion(B, Native, Args, AttributeList::get(C, AttributeSet(), Own.getRetAttrs(), Of), ListPlace);
}

// Before a function's versions are made. What is left of those that are always inlined is called through pointers. The
// list of a variadic one becomes a value like others, so that it is handed over.
extern "C" void ps_prepare_versions(LLVMValueRef F_) {
  auto *F = unwrap<Function>(F_);
  F->removeFnAttr(Attribute::AlwaysInline);
  if (!F->isVarArg())
    return;
  LLVMContext &C = F->getContext();
  BasicBlock::iterator At = F->getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  auto *Place = new FreezeInst(ConstantPointerNull::get(PointerType::get(C, 0)), "", At);
  Place->setMetadata(List, MDNode::get(C, {}));
  SmallVector<CallInst *, 2> Starts;
  for (Instruction &I : instructions(F))
    if (auto *II = dyn_cast<IntrinsicInst>(&I); II && II->getIntrinsicID() == Intrinsic::vastart)
      Starts.push_back(II);
  for (CallInst *Start : Starts) {
    CallInst::Create(Start, {OperandBundleDef(List.str(), Place)}, Start->getIterator());
    Start->eraseFromParent();
  }
}
