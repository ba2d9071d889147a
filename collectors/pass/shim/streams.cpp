// Memory that a loop walks over: its loads and stores by where they start from and how far they move with each loop
// around them.
#include "analysis.h"

#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace {

// No more parts of an address are looked at; sums that share parts would have them again and again.
constexpr unsigned MostParts = 200;

PsStep both(PsStep A, PsStep B) {
  if (A.kind != B.kind)
    return A.kind > B.kind ? A : B;
  return {A.kind, static_cast<int64_t>(static_cast<uint64_t>(A.by) + static_cast<uint64_t>(B.by))};
}

// How a value moves from an iteration of a loop to the next. What is loaded where nothing moves is taken for the same:
// the function may store there, but seldom does so to lead elsewhere, and less traffic is the careful figure. Wrapping
// around is not looked at: of addresses that are accessed.
PsStep step(const SCEV *S, const Loop &L, ScalarEvolution &SE, unsigned &Parts) {
  if (SE.isLoopInvariant(S, &L))
    return {PS_SAME, 0};
  if (Parts == 0)
    return {PS_IRREGULAR, 0};
  --Parts;
  auto Of = [&](const SCEV *Part) { return step(Part, L, SE, Parts); };
  // What is cut to fewer bits begins anew now and then.
  if (auto *Cast = dyn_cast<SCEVCastExpr>(S))
    return isa<SCEVTruncateExpr>(S) ? PsStep{PS_IRREGULAR, 0} : Of(Cast->getOperand());
  if (auto *Rec = dyn_cast<SCEVAddRecExpr>(S)) {
    if (!Rec->isAffine())
      return {PS_IRREGULAR, 0};
    if (Rec->getLoop() != &L)
      return both(Of(Rec->getStart()), Of(Rec->getStepRecurrence(SE)).kind == PS_SAME ? PsStep{PS_SAME, 0} : PsStep{PS_MOVES, 0});
    auto *By = dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE));
    return By && By->getAPInt().getSignificantBits() <= 63 ? PsStep{PS_BY, By->getAPInt().getSExtValue()} : PsStep{PS_MOVES, 0};
  }
  if (auto *Sum = dyn_cast<SCEVAddExpr>(S)) {
    PsStep All{PS_SAME, 0};
    for (const SCEV *Part : Sum->operands())
      All = both(All, Of(Part));
    return All;
  }
  if (auto *Product = dyn_cast<SCEVMulExpr>(S)) {
    PsStep One{PS_SAME, 0};
    int64_t Factor = 1;
    bool Constant = true;
    for (const SCEV *Part : Product->operands()) {
      auto *C = dyn_cast<SCEVConstant>(Part);
      PsStep Found = Of(Part);
      if (C && C->getAPInt().getSignificantBits() <= 32)
        Factor *= C->getAPInt().getSExtValue();
      else if (Found.kind == PS_SAME)
        Constant = false;
      else if (One.kind != PS_SAME)
        return {PS_IRREGULAR, 0};
      else
        One = Found;
    }
    int64_t By = 0;
    if (One.kind != PS_BY)
      return One;
    return Constant && !MulOverflow(One.by, Factor, By) ? PsStep{PS_BY, By} : PsStep{PS_MOVES, 0};
  }
  auto *U = dyn_cast<SCEVUnknown>(S);
  auto *Load = U ? dyn_cast<LoadInst>(U->getValue()) : nullptr;
  if (Load && SE.isSCEVable(Load->getPointerOperandType()) && Of(SE.getSCEV(Load->getPointerOperand())).kind == PS_SAME)
    return {PS_SAME, 0};
  return {PS_IRREGULAR, 0};
}

// Whether an instruction may write to the function's own frame at a place that other iterations of a loop write to as
// well; also in the body of a function that is called, which may come to stand in place of the call.
bool writesToFrame(Instruction &I, const Loop &L, ScalarEvolution &SE) {
  auto OfFrame = [](const Value *Pointer) {
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(Pointer, Objects, nullptr, 0);
    return any_of(Objects, [](const Value *V) { return isa<AllocaInst>(V); });
  };
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    Value *Pointer = Store->getPointerOperand();
    if (!OfFrame(Pointer))
      return false;
    unsigned Parts = MostParts;
    PsStep Step = SE.isSCEVable(Pointer->getType()) ? step(SE.getSCEV(Pointer), L, SE, Parts) : PsStep{PS_IRREGULAR, 0};
    TypeSize Bytes = I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I));
    return Step.kind != PS_BY || Bytes.isScalable() || std::abs(Step.by) < static_cast<int64_t>(Bytes.getFixedValue());
  }
  if (I.isLifetimeStartOrEnd() || I.isDebugOrPseudoInst() || !I.mayWriteToMemory())
    return false;
  auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  return !Intrinsic || any_of(Intrinsic->args(), [&](const Use &A) { return A->getType()->isPointerTy() && OfFrame(A.get()); });
}

bool isSame(const PsStream &A, const PsStream &B) {
  auto Equal = [](const PsStep &X, const PsStep &Y) { return X.kind == Y.kind && X.by == Y.by; };
  return A.base == B.base && A.bytes == B.bytes && A.loops == B.loops && std::equal(A.steps, A.steps + A.loops, B.steps, Equal);
}

} // namespace

extern "C" {

int32_t ps_writes_to_frame(PsAnalysis *A, uint32_t Index) {
  Loop &L = *A->Loops[Index];
  return any_of(L.blocks(), [&](BasicBlock *BB) { return any_of(*BB, [&](Instruction &I) { return writesToFrame(I, L, *A->SE); }); });
}

uint32_t ps_streams(PsAnalysis *A, uint32_t Index, PsStream *Out, uint32_t Cap) {
  ScalarEvolution &SE = *A->SE;
  Loop *Own = A->Loops[Index];
  uint32_t Count = 0;
  LoopBlocksRPO Order(Own);
  Order.perform(A->LI);
  for (BasicBlock *BB : Order) {
    if (A->LI->getLoopFor(BB) != Own)
      continue;
    for (Instruction &I : *BB) {
      Value *Pointer = getLoadStorePointerOperand(&I);
      if (!Pointer || !SE.isSCEVable(Pointer->getType()))
        continue;
      TypeSize Bytes = A->F->getDataLayout().getTypeStoreSize(getLoadStoreType(&I));
      if (Bytes.isScalable() || Bytes.getFixedValue() > UINT32_MAX)
        continue;
      const SCEV *Place = SE.getSCEV(Pointer);
      PsStream Found{};
      bool Moves = false;
      for (Loop *L = Own; L && Found.loops < PS_STREAM_LOOPS; L = L->getParentLoop()) {
        unsigned Parts = MostParts;
        PsStep Step = step(Place, *L, SE, Parts);
        // A distance of 0: steps that take each other back.
        if (Step.kind == PS_BY && Step.by == 0)
          Step.kind = PS_SAME;
        Moves |= Step.kind != PS_SAME;
        Found.steps[Found.loops++] = Step;
      }
      if (!Moves)
        continue;
      auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Place));
      Found.access = wrap(&I);
      // Two loads of the same pointer lead to the same.
      auto *Through = Base ? dyn_cast<LoadInst>(Base->getValue()) : nullptr;
      Found.base = Through ? wrap(Through->getPointerOperand()) : Base ? wrap(Base->getValue()) : wrap(Pointer);
      Found.bytes = Bytes.getFixedValue();
      Found.reads = isa<LoadInst>(I);
      Found.writes = isa<StoreInst>(I);
      auto *Known = std::find_if(Out, Out + Count, [&](const PsStream &S) { return isSame(S, Found); });
      if (Known != Out + Count) {
        Known->reads |= Found.reads;
        Known->writes |= Found.writes;
      } else if (Count < Cap) {
        Out[Count++] = Found;
      }
    }
  }
  return Count;
}
}
