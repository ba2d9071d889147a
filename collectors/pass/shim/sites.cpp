// Labels before calls, by which the runtime knows for each return address on the stack what was open there
// (`collectors/runtime/src/callers.rs`). They take no code: an entry in a section of its own
// (`parascan_abi::module::CallSite`), linked to that of the code, has the place of the label and of a list of regions,
// both relative to themselves. In the machine code every call lies behind the last label before it, since all calls of
// a function have one.
#include "analysis.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static bool isLabel(const Instruction *I) {
  auto *C = dyn_cast_or_null<CallInst>(I);
  auto *A = C ? dyn_cast<InlineAsm>(C->getCalledOperand()) : nullptr;
  return A && A->getAsmString().contains("ps_sites");
}

// Whether code of the program may run in the call.
static bool leads(const CallBase &C) {
  if (isa<IntrinsicInst>(C) || C.isInlineAsm())
    return false;
  auto *F = dyn_cast<Function>(C.getCalledOperand()->stripPointerCasts());
  return !F || !F->getName().starts_with("__ps_");
}

static void label(CallBase &Call, StringRef What, Value *List) {
  if (isLabel(Call.getPrevNode()))
    return;
  LLVMContext &C = Call.getContext();
  std::string Text = (".Lps_site${:uid}:\n.pushsection ps_sites,\"ao?\",@progbits,.Lps_site${:uid}\n"
                      ".p2align 2\n.long .Lps_site${:uid}-.\n.long " +
                      What + "\n.popsection")
                         .str();
  SmallVector<Type *, 1> Types;
  SmallVector<Value *, 1> Arguments;
  if (List) {
    Types.push_back(List->getType());
    Arguments.push_back(List);
  }
  auto *Type = FunctionType::get(Type::getVoidTy(C), Types, false);
  InlineAsm *Asm = InlineAsm::get(Type, Text, List ? "i" : "", true);
  IRBuilder<> B(&Call);
  CallInst *Label = B.CreateCall(Type, Asm, Arguments);
  Label->setDoesNotAccessMemory();
  Label->setDoesNotThrow();
  // Labels of two ways that part would become one in front of them, and calls of two ways that meet one behind them:
  // then the label before a call is not the last one before it.
  for (CallBase *Each : {static_cast<CallBase *>(Label), &Call})
    Each->addFnAttr(Attribute::NoMerge);
}

void labelCall(CallBase &Call, Value *List) {
  if (leads(Call))
    label(Call, "${0:c}-.", List);
}

void labelChange(CallBase &Call) { label(Call, "3", nullptr); }

// The function that opens a function's region in code that has native versions; the arguments are the region, whether a
// tracked version has called, and where the return address lies. It has the stack unwound where the runtime asks for
// that, which has no unwind tables itself.
LLVMValueRef ps_enter_helper(LLVMModuleRef M_) {
  Module &M = *unwrap(M_);
  if (Function *Made = M.getFunction("__ps_enter_function"))
    return wrap(Made);
  LLVMContext &C = M.getContext();
  Type *Void = Type::getVoidTy(C), *I32 = Type::getInt32Ty(C), *Ptr = PointerType::get(C, 0);
  auto *F = Function::Create(FunctionType::get(Void, {Ptr, I32, Ptr}, false), GlobalValue::InternalLinkage, "__ps_enter_function", M);
  F->addFnAttr(Attribute::NoInline);
  F->setUWTableKind(UWTableKind::Default);
  FunctionCallee Ask = M.getOrInsertFunction("__ps_asks_for_callers", I32, Ptr);
  FunctionCallee Unwind = M.getOrInsertFunction("_Unwind_Backtrace", I32, Ptr, Ptr);
  FunctionCallee Frame = M.getOrInsertFunction("__ps_caller", I32, Ptr, Ptr);
  FunctionCallee Enter = M.getOrInsertFunction("__ps_enter", Void, Ptr);
  FunctionCallee Called = M.getOrInsertFunction("__ps_enter_called", Void, Ptr);
  Argument *Region = F->getArg(0), *Inside = F->getArg(1), *Slot = F->getArg(2);
  IRBuilder<> B(BasicBlock::Create(C, "", F));
  auto *Outside = BasicBlock::Create(C, "", F), *Look = BasicBlock::Create(C, "", F), *Plain = BasicBlock::Create(C, "", F);
  B.CreateCondBr(B.CreateICmpNE(Inside, B.getInt32(0)), Plain, Outside);
  B.SetInsertPoint(Outside);
  B.CreateCondBr(B.CreateICmpNE(B.CreateCall(Ask, {Slot}), B.getInt32(0)), Look, Plain);
  B.SetInsertPoint(Look);
  B.CreateCall(Unwind, {Frame.getCallee(), ConstantPointerNull::get(cast<PointerType>(Ptr))});
  B.CreateCall(Called, {Region});
  B.CreateRetVoid();
  B.SetInsertPoint(Plain);
  B.CreateCall(Enter, {Region});
  B.CreateRetVoid();
  return wrap(F);
}

// The calls of a tracked version that have no label yet.
void ps_label_tracked(LLVMValueRef F) {
  SmallVector<CallBase *, 16> Calls;
  for (BasicBlock &BB : *unwrap<Function>(F))
    for (Instruction &I : BB)
      if (auto *C = dyn_cast<CallBase>(&I); C && leads(*C))
        Calls.push_back(C);
  for (CallBase *C : Calls)
    label(*C, "1", nullptr);
}
