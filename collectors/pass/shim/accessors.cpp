// Small functions of the program that only read (`image.height()`). Where the test of a loop calls one, that is part of
// the statement, as the user sees it: the call is replaced by what the function does, so that the test shows what it
// compares.
#include "analysis.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

// One block that stores to nothing but its own variables, and calls nothing but such functions. What else could be
// linked in its place does the same by the rules of the language, or is not looked at.
bool isAccessor(const Function &F, unsigned Depth) {
  const DISubprogram *SP = F.getSubprogram();
  if (F.isDeclaration() || F.isInterposable() || !SP || F.size() != 1 || F.getInstructionCount() > 60)
    return false;
  // Where nothing is optimized all functions have that.
  if (F.hasFnAttribute(Attribute::NoInline) && SP->isOptimized())
    return false;
  for (const Instruction &I : instructions(F)) {
    if (auto *S = dyn_cast<StoreInst>(&I)) {
      if (!S->isSimple() || !isa<AllocaInst>(S->getPointerOperand()))
        return false;
    } else if (auto *L = dyn_cast<LoadInst>(&I)) {
      if (!L->isSimple())
        return false;
    } else if (auto *II = dyn_cast<IntrinsicInst>(&I)) {
      if (II->mayWriteToMemory() && !II->isAssumeLikeIntrinsic())
        return false;
    } else if (auto *C = dyn_cast<CallBase>(&I)) {
      const Function *Callee = C->getCalledFunction();
      if (!isa<CallInst>(C) || !Callee || Depth == 0 || !isAccessor(*Callee, Depth - 1))
        return false;
    } else if (I.mayWriteToMemory()) {
      return false;
    }
  }
  return true;
}

static void collect(const Value *V, unsigned Depth, SmallPtrSetImpl<const CallBase *> &Calls) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth == 0)
    return;
  if (auto *C = dyn_cast<CallBase>(I)) {
    const Function *Callee = C->getCalledFunction();
    if (Callee && isAccessor(*Callee))
      Calls.insert(C);
  } else if (isa<CastInst, BinaryOperator, CmpInst, FreezeInst>(I)) {
    for (const Value *O : I->operands())
      collect(O, Depth - 1, Calls);
  }
}

SmallPtrSet<const CallBase *, 8> accessorsInTests(const LoopInfo &LI) {
  SmallPtrSet<const CallBase *, 8> Calls;
  for (const Loop *L : LI.getLoopsInPreorder()) {
    SmallVector<BasicBlock *, 4> Exiting;
    L->getExitingBlocks(Exiting);
    for (const BasicBlock *BB : Exiting)
      if (auto *Br = dyn_cast<BranchInst>(BB->getTerminator()))
        if (Br->isConditional())
          collect(Br->getCondition(), 8, Calls);
  }
  return Calls;
}

bool markTests(Function &F, const LoopInfo &LI) {
  SmallPtrSet<const CallBase *, 8> Calls = accessorsInTests(LI);
  if (Calls.empty())
    return false;
  for (Instruction &I : instructions(F)) {
    auto *C = dyn_cast<CallBase>(&I);
    if (!C || !Calls.contains(C))
      continue;
    C->addFnAttr(Attribute::AlwaysInline);
    // Those that it calls itself.
    for (Instruction &Inner : instructions(*C->getCalledFunction()))
      if (auto *Call = dyn_cast<CallInst>(&Inner); Call && !isa<IntrinsicInst>(Call))
        Call->addFnAttr(Attribute::AlwaysInline);
  }
  return true;
}
