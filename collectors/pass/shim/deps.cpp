// Second bodies of functions: copies whose jump tables are their own, the test at a function's entry that chooses one, and the tests
// that leave out reports of which nothing would come.
#include "analysis.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

// Whether a call reports an access or an iteration.
static bool reports(const Instruction &I) {
  return StringSwitch<bool>(report(I))
      .Cases({"read", "write", "update", "reduce", "assign", "use"}, true)
      .Cases({"hidden", "forget", "moved", "iterate"}, true)
      .Default(false);
}

extern "C" {

void ps_guard_reports(LLVMValueRef F_, LLVMValueRef Idle, const LLVMValueRef *Calls, const LLVMValueRef *Known, uint32_t Count) {
  auto *F = unwrap<Function>(F_);
  DenseMap<const Value *, Value *> KnownOf;
  for (uint32_t I = 0; I < Count; ++I)
    KnownOf[unwrap(Calls[I])] = unwrap(Known[I]);
  // Reports with no call between them.
  SmallVector<SmallVector<Instruction *, 8>, 32> Groups;
  for (BasicBlock &BB : *F) {
    bool Open = false;
    for (Instruction &I : BB) {
      if (reports(I)) {
        if (!Open || KnownOf.lookup(Groups.back().back()) != KnownOf.lookup(&I))
          Groups.emplace_back();
        Groups.back().push_back(&I);
        Open = true;
      } else if (auto *Call = dyn_cast<CallBase>(&I); Call && !Call->doesNotAccessMemory()) {
        Open = false;
      }
    }
  }
  for (auto &Group : Groups) {
    Instruction *Next = Group.back()->getNextNode();
    IRBuilder<> B(Next);
    Value *Busy = B.CreateICmpEQ(B.CreateLoad(B.getInt32Ty(), unwrap(Idle)), B.getInt32(0));
    if (Value *All = KnownOf.lookup(Group.back()))
      Busy = B.CreateAnd(Busy, B.CreateICmpEQ(All, B.getInt32(0)));
    Instruction *End = SplitBlockAndInsertIfThen(Busy, Next->getIterator(), false);
    for (Instruction *I : Group)
      I->moveBefore(End->getIterator());
  }
}

LLVMValueRef ps_clone_body(LLVMValueRef F) {
  ValueToValueMapTy Map;
  Function *Clone;
  if (!cloneWithTables(*unwrap<Function>(F), Map, ".deps", Clone))
    return nullptr;
  Clone->setLinkage(GlobalValue::InternalLinkage);
  Clone->setVisibility(GlobalValue::DefaultVisibility);
  Clone->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  Clone->setComdat(nullptr);
  Clone->setDSOLocal(true);
  return wrap(Clone);
}

void ps_choose_body(LLVMValueRef F_, LLVMValueRef Mode, LLVMValueRef Other_) {
  auto *F = unwrap<Function>(F_), *Other = unwrap<Function>(Other_);
  // Forwarding variadic arguments would save and restore every register that may hold one, vectors included, which LLVM 22 gets wrong
  // where the frame is realigned (SQLite's sqlite3_mprintf). Copies call each other directly; from outside, the one body is entered.
  if (F->isVarArg())
    return;
  LLVMContext &C = F->getContext();
  BasicBlock *Entry = &F->getEntryBlock();
  // What is not in the entry block is not allocated once and for all.
  SmallVector<AllocaInst *, 16> Allocas;
  for (Instruction &I : *Entry)
    if (auto *A = dyn_cast<AllocaInst>(&I); A && A->isStaticAlloca())
      Allocas.push_back(A);
  for (AllocaInst *A : reverse(Allocas))
    A->moveBefore(*Entry, Entry->begin());
  BasicBlock::iterator At = Allocas.empty() ? Entry->begin() : std::next(Allocas.back()->getIterator());
  BasicBlock *Rest = SplitBlock(Entry, At);
  BasicBlock *Switch = BasicBlock::Create(C, "", F, Rest);
  Entry->getTerminator()->eraseFromParent();
  IRBuilder<> B(Entry);
  if (DISubprogram *S = F->getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(C, S->getScopeLine(), 0, S));
  Value *On = B.CreateICmpNE(B.CreateLoad(B.getInt32Ty(), unwrap(Mode)), B.getInt32(0));
  B.CreateCondBr(On, Switch, Rest, MDBuilder(C).createUnlikelyBranchWeights());
  B.SetInsertPoint(Switch);
  SmallVector<Value *, 8> Args;
  SmallVector<AttributeSet, 8> Attributes;
  AttributeList Own = F->getAttributes();
  for (Argument &A : F->args()) {
    Args.push_back(&A);
    Attributes.push_back(Own.getParamAttrs(A.getArgNo()));
  }
  CallInst *Call = B.CreateCall(Other, Args);
  Call->setCallingConv(F->getCallingConv());
  Call->setAttributes(AttributeList::get(C, AttributeSet(), Own.getRetAttrs(), Attributes));
  Call->addFnAttr(Attribute::NoInline);
  Call->setTailCallKind(CallInst::TCK_MustTail);
  if (F->getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);
}
}
