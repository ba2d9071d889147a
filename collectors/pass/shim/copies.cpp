// Small variables of a function of which nobody else knows the address: versions hand over copies, so that the
// optimizer may keep them in registers. The pass sees programs before functions are inlined, where structures that
// these get and return lie in memory; if that were handed over itself, they would stay there. The copy is in the frame
// of the version that was called first.
#include "analysis.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CaptureTracking.h"

using namespace llvm;

namespace {

// Whether somebody may keep a pointer, or something in which it is: functions of the module are looked into.
class Keeping : public CaptureTracker {
public:
  static bool mayKeep(const Value *V, unsigned Depth) {
    Keeping Tracker(Depth);
    PointerMayBeCaptured(V, &Tracker);
    return Tracker.Kept;
  }

  void tooManyUses() override { Kept = true; }

  Action captured(const Use *U, UseCaptureInfo) override {
    auto *Call = dyn_cast<CallBase>(U->getUser());
    const Function *F = Call ? Call->getCalledFunction() : nullptr;
    if (Depth > 0 && F && !F->isDeclaration() && !F->isInterposable() && Call->isArgOperand(U) && Call->getArgOperandNo(U) < F->arg_size() &&
        F->getFunctionType() == Call->getFunctionType() && !mayKeep(F->getArg(Call->getArgOperandNo(U)), Depth - 1))
      return Continue;
    Kept = true;
    return Stop;
  }

private:
  explicit Keeping(unsigned Depth) : Depth(Depth) {}
  unsigned Depth;
  bool Kept = false;
};

} // namespace

// How far calls are followed, how many variables, and how large.
static constexpr unsigned CallDepth = 4, MostCopies = 16, LargestCopy = 256;

// Addresses within a variable.
static SmallPtrSet<Value *, 16> addressesOf(AllocaInst &A) {
  SmallPtrSet<Value *, 16> Found;
  SmallVector<Value *, 16> Work{&A};
  while (!Work.empty())
    for (User *U : Work.pop_back_val()->users())
      if (U->getType()->isPtrOrPtrVectorTy() && !isa<CallBase, LoadInst>(U) && Found.insert(U).second)
        Work.push_back(U);
  return Found;
}

SmallVector<AllocaInst *, 8> copiedVariables(const SmallSetVector<Value *, 16> &Live) {
  SmallVector<AllocaInst *, 8> Found;
  for (Value *V : Live) {
    auto *A = dyn_cast<AllocaInst>(V);
    if (!A || !A->isStaticAlloca() || bytesOf(*A) == 0 || bytesOf(*A) > LargestCopy || Keeping::mayKeep(A, CallDepth))
      continue;
    SmallPtrSet<Value *, 16> Within = addressesOf(*A);
    if (any_of(Live, [&](Value *Other) { return Within.contains(Other); }))
      continue;
    Found.push_back(A);
  }
  // Which of more are worth it is not known.
  if (Found.size() > MostCopies)
    Found.clear();
  return Found;
}

uint64_t bytesOf(const AllocaInst &A) {
  auto Size = A.getAllocationSize(A.getDataLayout());
  return Size && !Size->isScalable() ? Size->getFixedValue() : 0;
}

void copyVariable(IRBuilderBase &B, Value *To, Value *From, const AllocaInst &Of) {
  B.CreateMemCpy(To, Of.getAlign(), From, Of.getAlign(), bytesOf(Of));
}
