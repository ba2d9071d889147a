// What native versions count, kept in registers where that is worth it: in loops that call something in some of their
// iterations only, as interpreters do. There the optimizer keeps nothing of what calls may change, and each addition to
// memory waits for the one before it, seven or eight cycles on some processors: longer than an interpreter takes for an
// instruction.
#include "analysis.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

// Attribute of functions that their callers account for.
static constexpr StringLiteral CountsNothing = "parascan-counts-nothing";

// Whether code that counts may run in it.
static bool mayCount(const Instruction &I) {
  auto *C = dyn_cast<CallBase>(&I);
  if (!C || isa<IntrinsicInst>(C) || C->isInlineAsm())
    return false;
  const Function *F = C->getCalledFunction();
  return !F || !F->hasFnAttribute(CountsNothing);
}

bool callsSometimes(const Loop &L, const DominatorTree &DT) {
  bool Calls = false;
  BasicBlock *Latch = L.getLoopLatch();
  for (BasicBlock *BB : L.blocks()) {
    if (none_of(*BB, mayCount))
      continue;
    Calls = true;
    if (!Latch || DT.dominates(BB, Latch))
      return false;
  }
  return Calls;
}

// The first place behind all allocations of the entry.
static Instruction *behindAllocas(Function &F) {
  BasicBlock::iterator At = F.getEntryBlock().begin();
  while (isa<AllocaInst>(*At))
    ++At;
  return &*At;
}

void keepInRegister(Function &F, GlobalVariable &G) {
  SmallVector<Instruction *, 16> Accesses, Calls, Pads, Ends;
  for (Instruction &I : instructions(F)) {
    if (auto *C = dyn_cast<CallInst>(&I); C && returnsTwice(*C))
      return;
    if (getLoadStorePointerOperand(&I) == &G)
      Accesses.push_back(&I);
    else if (mayCount(I))
      Calls.push_back(&I);
    else if (isa<LandingPadInst>(I))
      Pads.push_back(&I);
    else if (isa<ReturnInst, ResumeInst>(I))
      Ends.push_back(&I);
  }
  IRBuilder<> B(behindAllocas(F));
  Type *T = G.getValueType();
  AllocaInst *Slot = B.CreateAlloca(T);
  auto Load = [&](Instruction *Before) {
    B.SetInsertPoint(Before);
    B.CreateStore(B.CreateLoad(T, &G), Slot);
  };
  auto Store = [&](Instruction *Before) {
    B.SetInsertPoint(Before);
    B.CreateStore(B.CreateLoad(T, Slot), &G);
  };
  Load(&*B.GetInsertPoint());
  for (Instruction *I : Accesses)
    I->replaceUsesOfWith(&G, Slot);
  for (Instruction *I : Calls) {
    Store(I);
    if (auto *Invoke = dyn_cast<InvokeInst>(I))
      Load(&*Invoke->getNormalDest()->getFirstInsertionPt());
    else if (auto *C = cast<CallInst>(I); !C->isMustTailCall())
      Load(I->getNextNode());
  }
  for (Instruction *I : Pads)
    Load(I->getNextNode());
  for (Instruction *I : Ends)
    if (auto *C = dyn_cast_or_null<CallInst>(I->getPrevNode()); !C || !C->isMustTailCall())
      Store(I);
}

// Marks additions to counters in headers, of which the loops may be such.
static constexpr StringLiteral InHeader = "parascan.header";

void markHeaderCount(Instruction &Stores) { Stores.setMetadata(InHeader, MDNode::get(Stores.getContext(), {})); }

void countInRegisters(Function &F) {
  SmallVector<StoreInst *, 8> Marked;
  for (Instruction &I : instructions(F))
    if (I.hasMetadata(InHeader))
      Marked.push_back(cast<StoreInst>(&I));
  if (Marked.empty())
    return;
  DominatorTree DT(F);
  LoopInfo LI(DT);
  IRBuilder<> B(F.getContext());
  for (StoreInst *S : Marked) {
    S->setMetadata(InHeader, nullptr);
    Loop *L = LI.getLoopFor(S->getParent());
    if (!L || !callsSometimes(*L, DT))
      continue;
    Value *Counter = S->getPointerOperand();
    auto *Old = cast<LoadInst>(cast<Instruction>(S->getValueOperand())->getOperand(0));
    B.SetInsertPoint(behindAllocas(F));
    AllocaInst *Slot = B.CreateAlloca(Old->getType());
    B.CreateStore(B.getInt64(0), Slot);
    auto Flush = [&](Instruction *Before) {
      B.SetInsertPoint(Before);
      Value *Held = B.CreateLoad(Old->getType(), Slot);
      Instruction *Load = B.Insert(Old->clone());
      Value *Now = B.CreateAdd(Load, Held);
      B.Insert(S->clone())->setOperand(0, Now);
      B.CreateStore(B.getInt64(0), Slot);
    };
    SmallVector<Instruction *, 16> At;
    SmallVector<BasicBlock *, 8> Exits;
    L->getUniqueExitBlocks(Exits);
    for (BasicBlock *Exit : Exits)
      At.push_back(&*Exit->getFirstInsertionPt());
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : *BB)
        if (mayCount(I))
          At.push_back(&I);
    for (Instruction *I : At)
      Flush(I);
    for (Instruction *I : {static_cast<Instruction *>(Old), static_cast<Instruction *>(S)})
      I->replaceUsesOfWith(Counter, Slot);
    Old->setVolatile(false);
    S->setVolatile(false);
  }
}

// A function that its callers account for: its native version counts nothing and does not look.
extern "C" void ps_mark_folded(LLVMValueRef F) { unwrap<Function>(F)->addFnAttr(CountsNothing); }
