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

#include <map>

using namespace llvm;

namespace {

// How memory leads to a variable: at the first offset lies a pointer to what has one at the second, and so on; empty for its own address.
using Path = SmallVector<int64_t, 3>;

// What a function gives back of an address that it got.
struct Given {
  // The address itself.
  bool Returned = false;
  // Objects of its caller, by the arguments that lead to them, into which it puts what leads to it.
  SmallVector<std::pair<unsigned, Path>, 2> Put;

  void add(const Given &Other) {
    Returned |= Other.Returned;
    append_range(Put, Other.Put);
  }
};

// What is done with one address that a function lends.
struct Borrowers {
  const Function &Lender;
  const DataLayout &DL;
  // Instructions of the lender by which it is read.
  SmallVector<const Instruction *, 8> Own;
  // What has been looked at, with what came of it.
  std::map<std::pair<const Value *, Path>, std::optional<Given>> Seen;
  // Functions that call themselves again, and those that put something into an object of their caller.
  SmallPtrSet<const Function *, 4> Again, Putting;
  unsigned Left = 2000; // uses that are looked at

  explicit Borrowers(const Function &F) : Lender(F), DL(F.getDataLayout()) {}

  // Whether what leads to the variable is used for nothing but to read it; `Back`: what the function gives back of it.
  bool only(const Value *V, const Path &P, Given &Back, unsigned Depth = 0) {
    if (Depth > 60 || P.size() > 3)
      return false;
    auto [Known, New] = Seen.try_emplace({V, P});
    if (!New && Known->second) {
      Back.add(*Known->second);
      return true;
    }
    if (!New) {
      // In the midst of being looked at. What a function that calls itself gives back is not known.
      auto *Inner = dyn_cast<Argument>(V);
      if (!Inner)
        return true;
      Back.Returned = true;
      Again.insert(Inner->getParent());
      return !Putting.contains(Inner->getParent());
    }
    Given All;
    if (!all_of(V->uses(), [&](const Use &U) { return Left && Left-- && one(U, P, All, Depth + 1); }))
      return false;
    Back.add(All);
    Known->second = std::move(All);
    return true;
  }

  bool one(const Use &U, const Path &P, Given &Back, unsigned Depth) {
    auto *I = dyn_cast<Instruction>(U.getUser());
    if (!I)
      return false;
    if (auto *G = dyn_cast<GetElementPtrInst>(I))
      return part(*G, P, Back, Depth);
    if (auto *L = dyn_cast<LoadInst>(I))
      return loaded(*L, P, Back, Depth);
    if (auto *S = dyn_cast<StoreInst>(I))
      // Into an object, or over the one that has been looked at.
      return S->isSimple() && (U.getOperandNo() == 0 ? held(S->getPointerOperand(), 0, P, Back, Depth) : !P.empty());
    if (isa<PHINode, FreezeInst>(I) || (isa<SelectInst>(I) && U.getOperandNo() != 0))
      return only(I, P, Back, Depth);
    if (auto *M = dyn_cast<MemTransferInst>(I)) {
      if (M->isVolatile() || U.getOperandNo() == 0)
        return !M->isVolatile() && !P.empty();
      note(*I);
      return P.empty() || held(M->getDest(), P[0], Path(drop_begin(P)), Back, Depth);
    }
    if (auto *II = dyn_cast<IntrinsicInst>(I))
      return II->isAssumeLikeIntrinsic();
    if (auto *C = dyn_cast<CallBase>(I))
      return C->isArgOperand(&U) && lent(*C, C->getArgOperandNo(&U), P, Back, Depth);
    if (isa<ReturnInst>(I) && P.empty()) {
      Back.Returned = true;
      return true;
    }
    return false;
  }

  void note(const Instruction &I) {
    if (I.getFunction() == &Lender)
      Own.push_back(&I);
  }

  bool part(const GetElementPtrInst &G, Path P, Given &Back, unsigned Depth) {
    APInt Delta(DL.getIndexTypeSizeInBits(G.getType()), 0);
    if (P.empty())
      return only(&G, P, Back, Depth);
    if (!G.accumulateConstantOffset(DL, Delta))
      return false;
    P[0] -= Delta.getSExtValue();
    return only(&G, P, Back, Depth);
  }

  bool loaded(const LoadInst &L, const Path &P, Given &Back, unsigned Depth) {
    int64_t Bytes = DL.getTypeStoreSize(L.getType());
    if (!P.empty() && (P[0] >= Bytes || P[0] + (int64_t)DL.getPointerSize() <= 0))
      return true;
    note(L);
    if (!L.isSimple() || P.empty())
      return L.isSimple();
    return P[0] == 0 && L.getType()->isPointerTy() && only(&L, Path(drop_begin(P)), Back, Depth);
  }

  // What a function keeps in a place of its own, as it does with its arguments: the one value that is ever there.
  static const Value *kept(const Value *V) {
    auto *L = dyn_cast<LoadInst>(V);
    auto *Slot = L ? dyn_cast<AllocaInst>(L->getPointerOperand()) : nullptr;
    if (!Slot)
      return V;
    const Value *Stored = nullptr;
    for (const Use &U : Slot->uses()) {
      auto *S = dyn_cast<StoreInst>(U.getUser());
      if (S && U.getOperandNo() == 1 && !Stored)
        Stored = S->getValueOperand();
      else if (!isa<LoadInst>(U.getUser()) && !isa<IntrinsicInst>(U.getUser()))
        return nullptr;
    }
    return Stored;
  }

  // A pointer is put into an object of the function itself, or of its caller.
  bool held(const Value *Into, int64_t At, const Path &P, Given &Back, unsigned Depth) {
    int64_t Offset = 0;
    const Value *Object = GetPointerBaseWithConstantOffset(Into, Offset, DL);
    Path Longer{Offset + At};
    Longer.append(P.begin(), P.end());
    if (isa<AllocaInst>(Object))
      return only(Object, Longer, Back, Depth);
    auto *Outer = dyn_cast_or_null<Argument>(kept(Object));
    if (!Outer || Again.contains(Outer->getParent()))
      return false;
    Putting.insert(Outer->getParent());
    Back.Put.push_back({Outer->getArgNo(), Longer});
    return only(Outer, Longer, Back, Depth);
  }

  bool lent(const CallBase &C, unsigned Number, const Path &P, Given &Back, unsigned Depth) {
    const Function *F = C.getCalledFunction();
    note(C);
    if (!F || F->isInterposable() || Number >= F->arg_size())
      return false;
    if (F->isDeclaration())
      return P.empty() && C.onlyReadsMemory(Number) && C.doesNotCapture(Number);
    Given From;
    if (!only(F->getArg(Number), P, From, Depth))
      return false;
    if (From.Returned && C.getType()->isPointerTy() && !only(&C, {}, Back, Depth))
      return false;
    return all_of(From.Put, [&](const auto &Put) {
      return held(C.getArgOperand(Put.first), Put.second[0], Path(drop_begin(Put.second)), Back, Depth);
    });
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
    Given Back;
    if (!By.one(*U, {}, Back, 0) || Back.Returned || !Back.Put.empty())
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
