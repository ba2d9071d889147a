// Variables that a loop steps and whose address it lends: to functions that only read them (`m.count(i)`), and to
// lambdas that do (`[&] { return a[i]; }`). Each of those gets the address of a copy that is made there, so that the
// variable itself has no address, and is seen to be what it is.
//
// For the program nothing changes: all that can be done with the address is known, nobody writes through it, compares
// it or keeps it, and the variable stays as it is as long as a copy is looked at. What is not known to be so is left
// alone.
#include "analysis.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <map>
#include <set>

using namespace llvm;

namespace {

// How a value leads to a variable: at the first offset in what it points to (or, of a structure in registers, in
// itself) lies a pointer to what has one at the second, and so on; empty for the variable's own address.
using Path = SmallVector<int64_t, 3>;

// What is done with one address that a function lends: all values that lead to the variable, whatever calls a function
// is entered by.
class Borrowers {
  using Fact = std::pair<const Value *, Path>;
  // What leads to the variable when a function has returned, to all that called it.
  struct Callee {
    SmallVector<const CallBase *, 2> Calls;
    SmallVector<Path, 2> Returned;
    // Into objects of the caller, by the arguments that lead to them.
    SmallVector<std::pair<unsigned, Path>, 2> Put;
  };

  const Function &Lender;
  const DataLayout &DL;
  std::set<Fact> Seen;
  SmallVector<Fact, 16> Work;
  std::map<const Function *, Callee> Callees;
  unsigned Left = 2000; // uses that are looked at

public:
  // Instructions of the lender by which it is read.
  SmallVector<const Instruction *, 8> Own;

  explicit Borrowers(const Function &F) : Lender(F), DL(F.getDataLayout()) {}

  // Whether the address is used for nothing but to read the variable, where a use of it begins.
  bool read(const Use &Lent) {
    if (!one(Lent, {}))
      return false;
    while (!Work.empty()) {
      auto [V, P] = Work.pop_back_val();
      for (const Use &U : V->uses())
        if (!Left || !Left-- || !one(U, P))
          return false;
    }
    return true;
  }

private:
  bool leads(const Value *V, const Path &P) {
    if (P.size() > 3)
      return false;
    if (Seen.insert({V, P}).second)
      Work.push_back({V, P});
    return true;
  }

  void note(const Instruction &I) {
    if (I.getFunction() == &Lender)
      Own.push_back(&I);
  }

  bool one(const Use &U, const Path &P) {
    auto *I = dyn_cast<Instruction>(U.getUser());
    if (!I)
      return false;
    if (auto *G = dyn_cast<GetElementPtrInst>(I))
      return part(*G, P);
    if (auto *L = dyn_cast<LoadInst>(I))
      return loaded(*L, P);
    if (auto *S = dyn_cast<StoreInst>(I)) {
      // Over an object that leads to it, or into one.
      if (!S->isSimple() || U.getOperandNo() == 1)
        return S->isSimple() && !P.empty();
      bool Parts = U->getType()->isAggregateType();
      return put(S->getPointerOperand(), Parts ? P : longer(0, P));
    }
    if (isa<PHINode, FreezeInst>(I) || (isa<SelectInst>(I) && U.getOperandNo() != 0))
      return leads(I, P);
    if (auto *E = dyn_cast<ExtractValueInst>(I))
      return element(*E, offset(E->getAggregateOperand()->getType(), E->getIndices()), P);
    if (auto *V = dyn_cast<InsertValueInst>(I)) {
      bool Into = U.getOperandNo() == 0;
      return leads(V, Into ? P : longer(offset(V->getType(), V->getIndices()), P));
    }
    if (auto *M = dyn_cast<MemTransferInst>(I)) {
      if (M->isVolatile() || U.getOperandNo() == 0)
        return !M->isVolatile() && !P.empty();
      note(*I);
      return P.empty() || put(M->getDest(), P);
    }
    if (auto *II = dyn_cast<IntrinsicInst>(I))
      return II->isAssumeLikeIntrinsic();
    if (auto *C = dyn_cast<CallBase>(I))
      return C->isArgOperand(&U) && lent(*C, C->getArgOperandNo(&U), P);
    if (isa<ReturnInst>(I) && I->getFunction() != &Lender) {
      Callee &Of = Callees[I->getFunction()];
      Of.Returned.push_back(P);
      return all_of(Of.Calls, [&](const CallBase *C) { return leads(C, P); });
    }
    return false;
  }

  static Path longer(int64_t Offset, const Path &P) {
    Path Longer{Offset};
    Longer.append(P.begin(), P.end());
    return Longer;
  }

  int64_t offset(Type *T, ArrayRef<unsigned> Indices) const {
    SmallVector<Value *, 4> Values{ConstantInt::get(Type::getInt32Ty(T->getContext()), 0)};
    for (unsigned Index : Indices)
      Values.push_back(ConstantInt::get(Type::getInt32Ty(T->getContext()), Index));
    return DL.getIndexedOffsetInType(T, Values);
  }

  // A part of something, at an offset, that is loaded or taken out of a structure in registers.
  bool element(const Instruction &Part, int64_t Offset, Path P) {
    int64_t Bytes = DL.getTypeStoreSize(Part.getType());
    P[0] -= Offset;
    if (P[0] >= Bytes || P[0] + (int64_t)DL.getPointerSize() <= 0)
      return true;
    note(Part);
    if (Part.getType()->isAggregateType())
      return P[0] >= 0 && leads(&Part, P);
    return P[0] == 0 && Part.getType()->isPointerTy() && leads(&Part, Path(drop_begin(P)));
  }

  bool loaded(const LoadInst &L, const Path &P) {
    if (!P.empty())
      return L.isSimple() && element(L, 0, P);
    note(L);
    return L.isSimple();
  }

  bool part(const GetElementPtrInst &G, Path P) {
    APInt Delta(DL.getIndexTypeSizeInBits(G.getType()), 0);
    if (P.empty())
      return leads(&G, P);
    if (!G.getType()->isPointerTy() || !G.accumulateConstantOffset(DL, Delta))
      return false;
    P[0] -= Delta.getSExtValue();
    return leads(&G, P);
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
      auto *II = dyn_cast<IntrinsicInst>(U.getUser());
      if (S && U.getOperandNo() == 1 && !Stored)
        Stored = S->getValueOperand();
      else if (!isa<LoadInst>(U.getUser()) && !(II && II->isAssumeLikeIntrinsic()))
        return nullptr;
    }
    return Stored;
  }

  // A pointer is put into an object of the function itself, or of its caller.
  bool put(const Value *Into, Path P) {
    int64_t Offset = 0;
    if (!Left || !Left--)
      return false;
    const Value *Object = GetPointerBaseWithConstantOffset(Into, Offset, DL);
    P[0] += Offset;
    if (isa<AllocaInst>(Object))
      return leads(Object, P);
    auto *Outer = dyn_cast_or_null<Argument>(kept(Object));
    if (!Outer || Outer->getParent() == &Lender || !leads(Outer, P))
      return false;
    Callee &Of = Callees[Outer->getParent()];
    if (is_contained(Of.Put, std::make_pair(Outer->getArgNo(), P)))
      return true;
    Of.Put.push_back({Outer->getArgNo(), P});
    return all_of(Of.Calls, [&, Number = Outer->getArgNo()](const CallBase *C) { return put(C->getArgOperand(Number), P); });
  }

  bool lent(const CallBase &C, unsigned Number, const Path &P) {
    const Function *F = C.getCalledFunction();
    note(C);
    if (!F || F == &Lender || F->isInterposable() || F->isPresplitCoroutine() || Number >= F->arg_size())
      return false;
    if (F->isDeclaration())
      return P.empty() && C.onlyReadsMemory(Number) && C.doesNotCapture(Number);
    Callee &Of = Callees[F];
    if (!is_contained(Of.Calls, &C)) {
      Of.Calls.push_back(&C);
      // What is known of it already, in copies: it may grow.
      auto Returned = Of.Returned;
      auto Put = Of.Put;
      if (!all_of(Returned, [&](const Path &Back) { return leads(&C, Back); }) ||
          !all_of(Put, [&](const auto &Into) { return put(C.getArgOperand(Into.first), Into.second); }))
        return false;
    }
    return leads(F->getArg(Number), P);
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

// Whether the variable may change between the place where it is copied and one where the copy is read.
bool changes(const Instruction &Copied, ArrayRef<const Instruction *> Reads, ArrayRef<const StoreInst *> Stores, const DominatorTree &DT) {
  // Blocks that are come to from a store, the variable not being copied again on the way.
  const BasicBlock *Anew = Copied.getParent();
  SmallPtrSet<const BasicBlock *, 16> Changed;
  SmallVector<const BasicBlock *, 16> Work;
  for (const StoreInst *S : Stores)
    if (S->getParent() != Anew || Copied.comesBefore(S))
      append_range(Work, successors(S->getParent()));
  while (!Work.empty()) {
    const BasicBlock *BB = Work.pop_back_val();
    if (BB != Anew && Changed.insert(BB).second)
      append_range(Work, successors(BB));
  }
  return any_of(Reads, [&](const Instruction *Read) {
    const BasicBlock *BB = Read->getParent();
    if (Read == &Copied)
      return false;
    auto Before = [&](const StoreInst *S) {
      return S->getParent() == BB && S->comesBefore(Read) && (BB != Anew || Copied.comesBefore(S));
    };
    return !DT.dominates(&Copied, Read) || Changed.contains(BB) || any_of(Stores, Before);
  });
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
  if (Lendings.size() > 256)
    return false;
  for (Use *U : Lendings) {
    Borrowers By(*A.getFunction());
    if (!By.read(*U) || changes(*cast<Instruction>(U->getUser()), By.Own, Stores, DT))
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
