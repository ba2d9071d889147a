// A minimum or maximum in memory that is written as a choice: `m = m > x ? m : x`, `m = std::max(m, x)`. Where the old
// value is chosen, the store puts back what was just loaded from there. Such a store is made to depend on the choice,
// as in `if (x > m) m = x`.
#include "analysis.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {

bool sameAddress(const Value *A, const Value *B) {
  auto *X = dyn_cast<GetElementPtrInst>(A);
  auto *Y = dyn_cast<GetElementPtrInst>(B);
  return A == B || (X && Y && X->isIdenticalTo(Y));
}

// A plain load from an address.
LoadInst *loaded(Value *V, const Value *Address) {
  auto *L = dyn_cast<LoadInst>(V);
  return L && L->isSimple() && sameAddress(L->getPointerOperand(), Address) ? L : nullptr;
}

// Whether a condition compares what is at an address.
bool compares(Value *Condition, const Value *Address) {
  auto *C = dyn_cast<CmpInst>(Condition);
  return C && any_of(C->operands(), [&](Value *V) {
           auto *Cast = dyn_cast<CastInst>(V);
           return loaded(Cast ? Cast->getOperand(0) : V, Address) != nullptr;
         });
}

// Whether nothing from one instruction to another, in one block, may write memory.
bool unwritten(const Instruction *From, const Instruction *To) {
  for (const Instruction *I = From; I != To; I = I->getNextNode())
    if (!I || I->mayWriteToMemory())
      return false;
  return true;
}

// The store is made where `Condition` has an outcome.
void guard(StoreInst &S, Value *Condition, bool Outcome, Value *Stored) {
  BasicBlock *Before = S.getParent();
  BasicBlock *After = SplitBlock(Before, S.getIterator());
  BasicBlock *Then = BasicBlock::Create(S.getContext(), "", Before->getParent(), After);
  S.moveBefore(*Then, Then->end());
  S.setOperand(0, Stored);
  BranchInst::Create(After, Then)->setDebugLoc(S.getDebugLoc());
  BranchInst *Branch = BranchInst::Create(Outcome ? Then : After, Outcome ? After : Then, Condition);
  Branch->setDebugLoc(S.getDebugLoc());
  ReplaceInstWithInst(Before->getTerminator(), Branch);
}

// `*p = select(c, x, *p)`, and `*p = *select(c, q, p)`.
bool selected(StoreInst &S) {
  Value *P = S.getPointerOperand();
  auto *Through = dyn_cast<LoadInst>(S.getValueOperand());
  auto *Choice = dyn_cast<SelectInst>(Through ? Through->getPointerOperand() : S.getValueOperand());
  if (!Choice || !Choice->hasOneUse() || Choice->getParent() != S.getParent() || !compares(Choice->getCondition(), P))
    return false;
  bool Outcome; // which keeps the old value
  if (Through) {
    Outcome = sameAddress(Choice->getTrueValue(), P);
    if ((!Outcome && !sameAddress(Choice->getFalseValue(), P)) || !Through->isSimple() || !Through->hasOneUse() ||
        Through->getParent() != S.getParent() || !unwritten(Through, &S))
      return false;
  } else {
    LoadInst *Old = loaded(Choice->getTrueValue(), P);
    Outcome = Old;
    if (!Old)
      Old = loaded(Choice->getFalseValue(), P);
    if (!Old || Old->getParent() != S.getParent() || !unwritten(Old, &S))
      return false;
  }
  Value *New = Outcome ? Choice->getFalseValue() : Choice->getTrueValue();
  Value *Condition = Choice->getCondition();
  guard(S, Condition, !Outcome, Through ? Through : New);
  if (Through) {
    Through->setOperand(0, New);
    Through->moveBefore(S.getIterator());
  }
  RecursivelyDeleteTriviallyDeadInstructions(Choice);
  return true;
}

// The same as a branch around two blocks, or one, behind which a phi has the value.
bool merged(StoreInst &S) {
  auto *Choice = dyn_cast<PHINode>(S.getValueOperand());
  BasicBlock *Join = S.getParent();
  if (!Choice || Choice->getParent() != Join || !Choice->hasOneUse() || Choice->getNumIncomingValues() != 2 ||
      !hasSingleElement(Join->phis()))
    return false;
  Value *P = S.getPointerOperand();
  for (const Instruction *I = Choice->getNextNode(); I != &S; I = I->getNextNode())
    if (I->mayReadOrWriteMemory())
      return false;
  for (unsigned Old : {0u, 1u}) {
    BasicBlock *Keeps = Choice->getIncomingBlock(Old), *Sets = Choice->getIncomingBlock(1 - Old);
    LoadInst *L = loaded(Choice->getIncomingValue(Old), P);
    BasicBlock *Above = Keeps->getSinglePredecessor();
    auto *Branch = Above ? dyn_cast<BranchInst>(Above->getTerminator()) : nullptr;
    if (!L || L->getParent() != Keeps || !Branch || !Branch->isConditional() || Sets->getSinglePredecessor() != Above ||
        Keeps->getSingleSuccessor() != Join || Sets->getSingleSuccessor() != Join || !unwritten(L, Keeps->getTerminator()) ||
        !compares(Branch->getCondition(), P))
      continue;
    // What belongs to the old value alone goes with it.
    bool Alone = all_of(*Keeps, [&](const Instruction &I) {
      return &I == L || I.isTerminator() || (isa<GetElementPtrInst, CastInst>(I) && I.hasOneUse());
    });
    auto *Step = dyn_cast<GetElementPtrInst>(P);
    DominatorTree DT(*Join->getParent());
    bool Known = DT.dominates(P, Sets->getTerminator());
    if (!Alone || !L->hasOneUse() || (!Known && (!Step || !all_of(Step->operands(), [&](Value *V) {
                                        return DT.dominates(V, Sets->getTerminator());
                                      }))))
      continue;
    if (!Known) {
      Instruction *Own = Step->clone();
      Own->insertBefore(Sets->getTerminator()->getIterator());
      S.setOperand(1, Own);
    }
    S.setOperand(0, Choice->getIncomingValue(1 - Old));
    S.moveBefore(Sets->getTerminator()->getIterator());
    Choice->eraseFromParent();
    if (!Known)
      RecursivelyDeleteTriviallyDeadInstructions(Step);
    RecursivelyDeleteTriviallyDeadInstructions(L);
    Branch->replaceSuccessorWith(Keeps, Join);
    DeleteDeadBlock(Keeps);
    return true;
  }
  return false;
}

} // namespace

bool dropKept(Function &F) {
  SmallVector<StoreInst *, 16> Stores;
  for (BasicBlock &BB : F)
    for (Instruction &I : BB)
      if (auto *S = dyn_cast<StoreInst>(&I); S && S->isSimple())
        Stores.push_back(S);
  bool Changed = false;
  for (StoreInst *S : Stores)
    Changed |= selected(*S) || merged(*S);
  return Changed;
}
