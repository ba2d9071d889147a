// What a loop does to memory as far as it is known before the loop runs, for the reports of dependences.
#include "analysis.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

extern "C" {

uint32_t ps_ranges(PsAnalysis *A, uint32_t Index, LLVMValueRef *Count, PsRange *Out, uint32_t Cap) {
  ScalarEvolution &SE = *A->SE;
  Loop *L = A->Loops[Index];
  BasicBlock *Before = L->getLoopPreheader(), *Latch = L->getLoopLatch();
  if (!L->isInnermost() || !Before || !Latch || L->getExitingBlock() != Latch)
    return 0;
  const SCEV *Again = SE.getBackedgeTakenCount(L);
  Instruction *At = Before->getTerminator();
  SCEVExpander Expander(SE, "ranges");
  if (isa<SCEVCouldNotCompute>(Again) || !Expander.isSafeToExpandAt(Again, At))
    return 0;
  // Blocks of every iteration, in order.
  DominatorTree DT(*A->F);
  SmallVector<BasicBlock *, 8> Always;
  for (auto *N = DT.getNode(Latch); N && L->contains(N->getBlock()); N = N->getIDom())
    Always.push_back(N->getBlock());
  SmallPtrSet<BasicBlock *, 8> In(Always.begin(), Always.end());
  struct Found {
    Instruction *I;
    const SCEV *Start;
    int64_t Stride;
  };
  SmallVector<Found, 16> All;
  bool Writes = false, Others = false;
  auto Follows = [&](Instruction &I, Value *P) {
    const SCEV *S = In.count(I.getParent()) && SE.isSCEVable(P->getType()) ? SE.getSCEV(P) : nullptr;
    if (!S)
      return false;
    const SCEV *Start = S;
    int64_t Stride = 0;
    if (auto *AR = dyn_cast<SCEVAddRecExpr>(S); AR && AR->getLoop() == L && AR->isAffine()) {
      auto *Step = dyn_cast<SCEVConstant>(AR->getStepRecurrence(SE));
      if (!Step || Step->getAPInt().getSignificantBits() > 64)
        return false;
      Stride = Step->getAPInt().getSExtValue();
      Start = AR->getStart();
    }
    if (!SE.isLoopInvariant(Start, L) || !Expander.isSafeToExpandAt(Start, At))
      return false;
    All.push_back({&I, Start, Stride});
    return true;
  };
  for (BasicBlock *BB : L->blocks())
    if (!In.count(BB))
      for (Instruction &I : *BB) {
        if (!report(I).empty())
          continue;
        if (I.mayWriteToMemory() || I.mayThrow())
          return 0;
        Others |= I.mayReadFromMemory();
      }
  for (BasicBlock *BB : reverse(Always))
    for (Instruction &I : *BB) {
      auto *W = dyn_cast<StoreInst>(&I);
      auto *R = dyn_cast<LoadInst>(&I);
      if (W && W->isSimple() && Follows(I, W->getPointerOperand())) {
        Writes = true;
      } else if (R && R->isSimple()) {
        Others |= !Follows(I, R->getPointerOperand());
      } else if ((I.mayReadOrWriteMemory() || I.mayThrow()) && report(I).empty()) {
        return 0;
      }
    }
  if ((Writes && Others) || All.empty() || All.size() > Cap)
    return 0;
  Type *I64 = Type::getInt64Ty(A->F->getContext());
  if (SE.getTypeSizeInBits(Again->getType()) > 64)
    return 0;
  const SCEV *Trips = SE.getAddExpr(SE.getNoopOrZeroExtend(Again, I64), SE.getOne(I64));
  *Count = wrap(Expander.expandCodeFor(Trips, I64, At));
  for (uint32_t N = 0; N < All.size(); ++N) {
    Value *Start = Expander.expandCodeFor(All[N].Start, All[N].Start->getType(), At);
    if (Start->getType()->isPointerTy())
      Start = IRBuilder<>(At).CreatePtrToInt(Start, I64);
    Out[N] = {wrap(All[N].I), wrap(Start), All[N].Stride};
  }
  return All.size();
}
}
