// Variables that a loop steps and whose address it lends: to functions that only read them (`m.count(i)`), and to lambdas that do
// (`[&] { return a[i]; }`). Each of those gets the address of a copy that is made there, so that the variable itself has no address, and is
// seen to be what it is.
//
// For the program nothing changes: all that can be done with the address is known, nobody writes through it, compares it or keeps it, and
// the variable stays as it is as long as a copy is looked at. What is not known to be so is left alone.
#include "analysis.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <set>

using namespace llvm;

namespace {

// How memory leads to a variable: at the first offset lies a pointer to what has one at the second, and so on; empty for its own address.
using Path = SmallVector<int64_t, 3>;

// What is done with one address that a function lends.
struct Borrowers {
  const Function &Lender;
  const DataLayout &DL;
  // Instructions of the lender by which it is read.
  SmallVector<const Instruction *, 8> Own;
  std::set<std::pair<const Value *, SmallVector<int64_t, 3>>> Seen;
  unsigned Left = 2000; // uses that are looked at

  explicit Borrowers(const Function &F) : Lender(F), DL(F.getDataLayout()) {}

  // Whether what leads to the variable is used for nothing but to read it; `Returned` is set where a function gives its address back.
  bool only(const Value *V, const Path &P, bool &Returned, unsigned Depth = 0) {
    if (Depth > 60 || P.size() > 3)
      return false;
    if (!Seen.insert({V, P}).second) {
      Returned = true;
      return true;
    }
    return all_of(V->uses(), [&](const Use &U) { return Left && Left-- && one(U, P, Returned, Depth + 1); });
  }

  bool one(const Use &U, const Path &P, bool &Returned, unsigned Depth) {
    auto *I = dyn_cast<Instruction>(U.getUser());
    if (!I)
      return false;
    if (auto *G = dyn_cast<GetElementPtrInst>(I))
      return part(*G, P, Returned, Depth);
    if (auto *L = dyn_cast<LoadInst>(I))
      return loaded(*L, P, Returned, Depth);
    if (auto *S = dyn_cast<StoreInst>(I))
      // Into an object, or over the one that has been looked at.
      return S->isSimple() && (U.getOperandNo() == 0 ? held(S->getPointerOperand(), 0, P, Returned, Depth) : !P.empty());
    if (isa<PHINode, FreezeInst>(I) || (isa<SelectInst>(I) && U.getOperandNo() != 0))
      return only(I, P, Returned, Depth);
    if (auto *M = dyn_cast<MemTransferInst>(I)) {
      if (M->isVolatile() || U.getOperandNo() == 0)
        return !M->isVolatile() && !P.empty();
      note(*I);
      return P.empty() || held(M->getDest(), P[0], Path(drop_begin(P)), Returned, Depth);
    }
    if (auto *II = dyn_cast<IntrinsicInst>(I))
      return II->isAssumeLikeIntrinsic();
    if (auto *C = dyn_cast<CallBase>(I))
      return C->isArgOperand(&U) && lent(*C, C->getArgOperandNo(&U), P, Returned, Depth);
    if (isa<ReturnInst>(I) && P.empty()) {
      Returned = true;
      return true;
    }
    return false;
  }

  void note(const Instruction &I) {
    if (I.getFunction() == &Lender)
      Own.push_back(&I);
  }

  bool part(const GetElementPtrInst &G, Path P, bool &Returned, unsigned Depth) {
    APInt Delta(DL.getIndexTypeSizeInBits(G.getType()), 0);
    if (P.empty())
      return only(&G, P, Returned, Depth);
    if (!G.accumulateConstantOffset(DL, Delta))
      return false;
    P[0] -= Delta.getSExtValue();
    return only(&G, P, Returned, Depth);
  }

  bool loaded(const LoadInst &L, const Path &P, bool &Returned, unsigned Depth) {
    int64_t Bytes = DL.getTypeStoreSize(L.getType());
    if (!P.empty() && (P[0] >= Bytes || P[0] + (int64_t)DL.getPointerSize() <= 0))
      return true;
    note(L);
    if (!L.isSimple() || P.empty())
      return L.isSimple();
    return P[0] == 0 && L.getType()->isPointerTy() && only(&L, Path(drop_begin(P)), Returned, Depth);
  }

  // A pointer is put into an object of the function itself.
  bool held(const Value *Into, int64_t At, const Path &P, bool &Returned, unsigned Depth) {
    int64_t Offset = 0;
    auto *Object = dyn_cast<AllocaInst>(GetPointerBaseWithConstantOffset(Into, Offset, DL));
    if (!Object)
      return false;
    Path Longer{Offset + At};
    Longer.append(P.begin(), P.end());
    return only(Object, Longer, Returned, Depth);
  }

  bool lent(const CallBase &C, unsigned Number, const Path &P, bool &Returned, unsigned Depth) {
    const Function *F = C.getCalledFunction();
    note(C);
    if (!F || F->isInterposable() || Number >= F->arg_size())
      return false;
    if (F->isDeclaration())
      return P.empty() && C.onlyReadsMemory(Number) && C.doesNotCapture(Number);
    bool Back = false;
    if (!only(F->getArg(Number), P, Back, Depth))
      return false;
    return !Back || !C.getType()->isPointerTy() || only(&C, {}, Returned, Depth);
  }
};

// A variable of one number or pointer that some loop steps.
bool isStepped(const AllocaInst &A, const LoopInfo &LI) {
  if (!A.isStaticAlloca() || !A.getAllocatedType()->isSingleValueType() || A.getAllocatedType()->isVectorTy())
    return false;
  return any_of(A.users(), [&](const User *U) {
    auto *S = dyn_cast<StoreInst>(U);
    auto *Sum = S && S->getPointerOperand() == &A && LI.getLoopFor(S->getParent()) ? dyn_cast<Instruction>(S->getValueOperand()) : nullptr;
    return isa_and_nonnull<BinaryOperator, GetElementPtrInst>(Sum) && any_of(Sum->operands(), [&](const Value *O) {
             auto *L = dyn_cast<LoadInst>(O);
             return L && L->getPointerOperand() == &A;
           });
  });
}

// Whether a store may come between a place where the variable is copied and, later, one where the copy is read.
bool between(const StoreInst &S, const Instruction &Copied, const Instruction &Read) {
  const BasicBlock *Anew = Copied.getParent(), *From = S.getParent(), *To = Read.getParent();
  if (From == Anew && S.comesBefore(&Copied))
    return false;
  if (From == To && S.comesBefore(&Read))
    return true;
  // On the way from block to block it is not copied again.
  SmallVector<const BasicBlock *, 16> Work(succ_begin(From), succ_end(From));
  SmallPtrSet<const BasicBlock *, 16> Seen{Anew};
  while (!Work.empty()) {
    const BasicBlock *BB = Work.pop_back_val();
    if (!Seen.insert(BB).second)
      continue;
    if (BB == To)
      return true;
    append_range(Work, successors(BB));
  }
  return false;
}

// Makes the copies of one variable, if that is right for all that borrow it.
bool copyOut(AllocaInst &A, const DominatorTree &DT) {
  SmallVector<const StoreInst *, 4> Stores;
  SmallVector<Use *, 4> Lendings;
  for (Use &U : A.uses()) {
    auto *I = cast<Instruction>(U.getUser());
    auto *S = dyn_cast<StoreInst>(I);
    auto *L = dyn_cast<LoadInst>(I);
    if (L && L->isVolatile())
      return false;
    if (S && U.getOperandNo() == 1) {
      if (!S->isSimple())
        return false;
      Stores.push_back(S);
    } else if (S || (isa<CallBase>(I) && !isa<IntrinsicInst>(I))) {
      Lendings.push_back(&U);
    } else if (auto *II = dyn_cast<IntrinsicInst>(I); !L && !(II && II->isAssumeLikeIntrinsic())) {
      return false;
    }
  }
  for (Use *U : Lendings) {
    auto *I = cast<Instruction>(U->getUser());
    Borrowers By(*A.getFunction());
    bool Returned = false;
    if (!By.one(*U, {}, Returned, 0) || Returned)
      return false;
    for (const Instruction *Read : By.Own)
      if (Read != I && (!DT.dominates(I, Read) || any_of(Stores, [&](auto *S) { return between(*S, *I, *Read); })))
        return false;
  }
  for (Use *U : Lendings) {
    auto *I = cast<Instruction>(U->getUser());
    auto *Copy = new AllocaInst(A.getAllocatedType(), A.getAddressSpace(), nullptr, A.getAlign(), "lent", A.getIterator());
    auto *Value = new LoadInst(A.getAllocatedType(), &A, "", I->getIterator());
    auto *Store = new StoreInst(Value, Copy, I->getIterator());
    Value->setDebugLoc(I->getDebugLoc());
    Store->setDebugLoc(I->getDebugLoc());
    U->set(Copy);
  }
  return !Lendings.empty();
}

} // namespace

bool copyLent(Function &F, const LoopInfo &LI, const DominatorTree &DT) {
  SmallVector<AllocaInst *, 8> Stepped;
  if (F.isPresplitCoroutine())
    return false;
  for (Instruction &I : F.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I); A && isStepped(*A, LI))
      Stepped.push_back(A);
  bool Changed = false;
  for (AllocaInst *A : Stepped)
    Changed |= copyOut(*A, DT);
  return Changed;
}
