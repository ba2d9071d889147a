// Indices of loops that lie in memory: a global that a loop steps at the end of each iteration
// (`for (i = 0; i < n; i++)` with `i` declared outside of all functions), and nothing else in it writes. What the loop
// reads of it becomes a value in a register, so that it is seen to be what it is. Memory gets each value as before, so
// that for others (callees, other threads, what runs when the program ends) nothing changes. What is not known to stay
// away from the global leaves it as it is; and so does a loop that only counts in it (`seen++`), which is a reduction.
#include "analysis.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

extern "C" int32_t ps_keeps_nothing(const char *Name, size_t Length);

namespace {

// Whether all uses of a global are known, and are accesses to it.
bool isAlone(const GlobalVariable &G) {
  return G.hasLocalLinkage() && all_of(G.users(), [&](const User *U) {
    auto *S = dyn_cast<StoreInst>(U);
    return isa<LoadInst>(U) || (S && S->getPointerOperand() == &G);
  });
}

// What may write a global.
class Writers {
  const StoreInst &Step;
  const GlobalVariable &G;
  AAResults &AA;
  bool Alone;
  SmallPtrSet<const Function *, 16> Seen;

public:
  Writers(const StoreInst &Step, const GlobalVariable &G, AAResults &AA) : Step(Step), G(G), AA(AA), Alone(isAlone(G)) {}

  bool may(const Instruction &I) {
    if (auto *Call = dyn_cast<CallBase>(&I); Call && !isa<IntrinsicInst>(Call))
      return mayCall(*Call);
    if (!I.mayWriteToMemory())
      return false;
    auto *S = dyn_cast<StoreInst>(&I);
    if (Alone && S)
      return S->getPointerOperand() == &G;
    auto Leads = [&](const Value *To) { return getUnderlyingObject(To) == &G; };
    if (S && isIdentifiedObject(getUnderlyingObject(S->getPointerOperand())))
      return Leads(S->getPointerOperand());
    return isModSet(AA.getModRefInfo(&I, MemoryLocation::get(&Step)));
  }

private:
  bool mayCall(const CallBase &Call) {
    const Function *F = Call.getCalledFunction();
    if (!F || F->isInterposable())
      return true;
    if (!F->isDeclaration())
      return Seen.insert(F).second && any_of(instructions(F), [&](const Instruction &I) { return may(I); });
    if (!ps_keeps_nothing(F->getName().data(), F->getName().size()))
      return true;
    return any_of(Call.args(), [&](const Use &Argument) {
      if (!Argument->getType()->isPointerTy())
        return false;
      const Value *Object = getUnderlyingObject(Argument);
      // A function that is called back.
      if (isa<Function>(Object))
        return true;
      return Object == &G || !(Alone || isIdentifiedObject(Object));
    });
  }
};

// What a step starts from that is stored: `i` of `i + 1`, `i - n`, `p + 1`; null where it is none.
const LoadInst *steppedFrom(const StoreInst &Step, const Loop &L) {
  auto *I = dyn_cast<Instruction>(Step.getValueOperand());
  bool Sum = I && (I->getOpcode() == Instruction::Add || I->getOpcode() == Instruction::Sub);
  if (!Sum && !(I && isa<GetElementPtrInst>(I) && I->getNumOperands() == 2))
    return nullptr;
  auto *From = dyn_cast<LoadInst>(I->getOperand(0));
  bool Steps = From && From->isSimple() && From->getPointerOperand() == Step.getPointerOperand() && L.contains(From);
  return Steps && L.isLoopInvariant(I->getOperand(1)) ? From : nullptr;
}

// What the global holds at the end of a block, if it is set there.
Value *setBefore(BasicBlock &BB, const GlobalVariable &G, Type *T) {
  for (Instruction &I : reverse(BB)) {
    auto *S = dyn_cast<StoreInst>(&I);
    if (S && S->isSimple() && S->getPointerOperand() == &G && S->getValueOperand()->getType() == T)
      return S->getValueOperand();
    if (I.mayWriteToMemory())
      return nullptr;
  }
  return nullptr;
}

bool toRegister(Loop &L, StoreInst &Step, const DominatorTree &DT, AAResults &AA) {
  auto *G = dyn_cast<GlobalVariable>(Step.getPointerOperand());
  Type *T = Step.getValueOperand()->getType();
  if (!G || G->isThreadLocal() || !Step.isSimple() || G->getValueType() != T)
    return false;
  const LoadInst *From = steppedFrom(Step, L);
  if (!From)
    return false;
  Writers Others(Step, *G, AA);
  SmallVector<LoadInst *, 8> Loads;
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (Load && Load->getPointerOperand() == G) {
        if (!Load->isSimple() || Load->getType() != T)
          return false;
        Loads.push_back(Load);
      } else if (&I != &Step && Others.may(I)) {
        return false;
      }
    }
  bool Used = Loads.size() > 1 || !From->hasOneUse() || !Step.getValueOperand()->hasOneUse();
  if (!Used)
    return false;
  BasicBlock *Header = L.getHeader(), *Before = L.getLoopPreheader();
  IRBuilder<> B(Before->getTerminator());
  B.SetCurrentDebugLocation(Step.getDebugLoc());
  Value *First = setBefore(*Before, *G, T);
  if (!First)
    First = B.CreateLoad(T, G, G->getName());
  auto *Phi = PHINode::Create(T, 2, G->getName());
  Phi->insertBefore(Header->begin());
  Phi->setDebugLoc(Step.getDebugLoc());
  Phi->addIncoming(First, Before);
  Phi->addIncoming(Step.getValueOperand(), L.getLoopLatch());
  for (LoadInst *Load : Loads) {
    Load->replaceAllUsesWith(DT.dominates(&Step, Load) ? Step.getValueOperand() : Phi);
    Load->eraseFromParent();
  }
  return true;
}

} // namespace

bool indicesToRegisters(const LoopInfo &LI, const DominatorTree &DT, AAResults &AA) {
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    BasicBlock *Latch = L->getLoopLatch();
    if (!Latch || !L->getLoopPreheader())
      continue;
    SmallVector<StoreInst *, 4> Steps;
    for (Instruction &I : *Latch)
      if (auto *S = dyn_cast<StoreInst>(&I))
        Steps.push_back(S);
    for (StoreInst *S : Steps)
      Changed |= toRegister(*L, *S, DT, AA);
  }
  return Changed;
}
