// How far the versions of a function can go on for each other, and what of its stack only one frame knows.
#include "analysis.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

bool inRegisters(const Function &F) {
  if (F.isVarArg())
    return false;
  unsigned Whole = 0, Fractions = 0;
  for (const Argument &A : F.args()) {
    Type *T = A.getType();
    if (A.hasByValAttr())
      return false;
    if (T->isPointerTy() || (T->isIntegerTy() && T->getIntegerBitWidth() <= 64))
      ++Whole;
    else if (T->isFloatTy() || T->isDoubleTy())
      ++Fractions;
    else
      return false;
  }
  return Whole <= 6 && Fractions <= 8;
}

bool hasNamedBlocks(const Function &F) {
  return any_of(F, [](const BasicBlock &BB) { return BB.hasAddressTaken(); });
}

static Intrinsic::ID intrinsicOf(const Value *V) {
  auto *II = dyn_cast_or_null<IntrinsicInst>(V);
  return II ? II->getIntrinsicID() : Intrinsic::not_intrinsic;
}

bool returnsTwice(const CallInst &C) { return C.canReturnTwice() || intrinsicOf(&C) == Intrinsic::eh_sjlj_setjmp; }

bool isAllocatedHere(const Value *V) {
  auto *A = dyn_cast<AllocaInst>(V);
  return A && !A->isStaticAlloca();
}

bool allocates(const Function &F) { return any_of(instructions(F), [](const Instruction &I) { return isAllocatedHere(&I); }); }

bool isSavedStack(const Value *V) { return intrinsicOf(V) == Intrinsic::stacksave; }

static bool namesFrame(const Instruction &I) {
  Intrinsic::ID ID = intrinsicOf(&I);
  return ID == Intrinsic::frameaddress || ID == Intrinsic::returnaddress || ID == Intrinsic::addressofreturnaddress;
}

bool mustCallInTail(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    auto *C = dyn_cast<CallInst>(&I);
    return C && C->isMustTailCall();
  });
}

bool canCallAgain(const Function &F) { return !F.isVarArg() && none_of(instructions(F), namesFrame); }

// Whether a loop allocates memory that is not given back in it, so that the frame of every version that took part in it
// would have to stay.
static bool hoards(Function &F) {
  if (!allocates(F))
    return false;
  DominatorTree DT(F);
  LoopInfo LI(DT);
  SmallPtrSet<Loop *, 4> Allocate, Save;
  for (Instruction &I : instructions(F)) {
    Loop *L = LI.getLoopFor(I.getParent());
    if (L && isAllocatedHere(&I))
      Allocate.insert(L);
    else if (L && isSavedStack(&I))
      Save.insert(L);
  }
  return any_of(Allocate, [&](Loop *L) { return !Save.contains(L); });
}

static PsDivision division(Function &F) {
  bool OnStack = F.isVarArg();
  for (Argument &A : F.args()) {
    if (A.hasInAllocaAttr() || A.hasPreallocatedAttr() || A.hasSwiftErrorAttr() || A.getType()->isTokenTy())
      return PsNever;
    OnStack |= A.hasByValAttr();
  }
  // The address of a block is one in this function, which has its arguments then.
  if (OnStack && hasNamedBlocks(F))
    return PsNever;
  PsDivision Found = hoards(F) ? PsAtEntry : PsAnywhere;
  if (mustCallInTail(F)) {
    // What chooses a version has to call it so, which is not possible with a box; continuations have other arguments.
    if (!inRegisters(F))
      return PsNever;
    Found = PsAtEntry;
  }
  for (Instruction &I : instructions(F)) {
    if (I.getType()->isTokenTy() || isa<FuncletPadInst, CallBrInst>(I) || intrinsicOf(&I) == Intrinsic::localescape)
      return PsNever;
    auto *C = dyn_cast<CallInst>(&I);
    // A jump leads back to this frame.
    if (C && returnsTwice(*C))
      Found = PsAtEntry;
    if (namesFrame(I)) {
      // Boxed, it has a frame more.
      if (!inRegisters(F))
        return PsNever;
      Found = PsAtEntry;
    }
  }
  return labelsMove(F) ? Found : PsNever;
}

// Marks the stack as it is where a function begins, until that is known.
static constexpr StringLiteral AtBeginning = "parascan.beginning";

Value *keepsNoMemory(IRBuilderBase &B) {
  auto *Then = cast<Instruction>(B.CreateStackSave());
  Then->setMetadata(AtBeginning, MDNode::get(B.getContext(), {}));
  return B.CreateICmpEQ(Then, B.CreateStackSave());
}

void settleStack(Function &F) {
  SmallVector<Instruction *, 4> Begins, Restores;
  for (Instruction &I : instructions(F)) {
    if (I.hasMetadata(AtBeginning))
      Begins.push_back(&I);
    if (intrinsicOf(&I) == Intrinsic::stackrestore && !isSavedStack(I.getOperand(0)))
      Restores.push_back(&I);
  }
  if (!Begins.empty()) {
    BasicBlock::iterator At = F.getEntryBlock().begin();
    while (isa<AllocaInst>(*At))
      ++At;
    IRBuilder<> B(&*At);
    Value *Beginning = B.CreateStackSave();
    for (Instruction *I : Begins) {
      I->replaceAllUsesWith(Beginning);
      I->eraseFromParent();
    }
  }
  for (Instruction *I : Restores) {
    IRBuilder<> B(I);
    Instruction *Then = SplitBlockAndInsertIfThen(B.CreateIsNotNull(I->getOperand(0)), I->getIterator(), false);
    I->moveBefore(Then->getIterator());
  }
}

extern "C" int32_t ps_division(LLVMValueRef F) { return division(*unwrap<Function>(F)); }
