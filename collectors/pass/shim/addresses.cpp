// What becomes of an address: whether something keeps it, leads on from it, or only accesses what lies there.
#include "source.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

using Slots = SmallPtrSet<const Value *, 8>;

static bool keeps(const Value &Address, unsigned Depth, Slots &Seen);

bool taken(const Value &Address) {
  return any_of(Address.users(), [&](const User *U) {
    auto *Intrinsic = dyn_cast<IntrinsicInst>(U);
    if (isa<LoadInst, MemIntrinsic>(U) || (Intrinsic && Intrinsic->isLifetimeStartOrEnd()))
      return false;
    if (auto *W = dyn_cast<StoreInst>(U))
      return W->getValueOperand() == &Address;
    return !isa<GEPOperator>(U) || taken(*U);
  });
}

bool followed(const Value &Address) {
  return all_of(Address.uses(), [](const Use &U) {
    const User *By = U.getUser();
    if (auto *Compare = dyn_cast<ICmpInst>(By))
      return isa<ConstantPointerNull>(Compare->getOperand(1));
    if (isa<GEPOperator>(By))
      return followed(*By);
    return isa<LoadInst>(By) || (isa<StoreInst>(By) && U.getOperandNo() == 1);
  });
}

bool leadsOn(const Value &Address) {
  return any_of(Address.uses(), [](const Use &U) {
    const User *By = U.getUser();
    if (isa<GEPOperator>(By))
      return leadsOn(*By);
    if (isa<LoadInst, MemIntrinsic, CmpInst>(By))
      return false;
    if (isa<StoreInst>(By))
      return U.getOperandNo() == 0;
    auto *Call = dyn_cast<CallBase>(By);
    if (!Call || isa<IntrinsicInst>(By) || !Call->isArgOperand(&U))
      return true;
    const Function *Callee = Call->getCalledFunction();
    if (Callee && Callee->isDeclaration())
      return !ps_keeps_nothing(Callee->getName().data(), Callee->getName().size()) || Call->getType()->isPointerTy();
    return keeps(*Call, Call->getArgOperandNo(&U), 1);
  });
}

bool keeps(const CallBase &Call, unsigned Number, unsigned Depth) {
  constexpr unsigned Deepest = 6;
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || Callee->isVarArg() || Depth == Deepest)
    return !Callee || !Callee->isDeclaration();
  if (Callee->isDeclaration())
    return false; // known by name
  Slots Seen;
  return Number >= Callee->arg_size() || keeps(*Callee->getArg(Number), Depth, Seen);
}

// The same of what is loaded from a slot that holds it, unless the slot's address is used in other ways.
static bool spreads(const Value &Slot, unsigned Depth, Slots &Seen) {
  return Seen.insert(&Slot).second && any_of(Slot.uses(), [&](const Use &U) {
    const User *By = U.getUser();
    if (isa<LoadInst>(By))
      return keeps(*By, Depth, Seen);
    if (isa<StoreInst>(By))
      return U.getOperandNo() == 0;
    auto *II = dyn_cast<IntrinsicInst>(By);
    return !(II && II->isLifetimeStartOrEnd());
  });
}

static bool keeps(const Value &Address, unsigned Depth, Slots &Seen) {
  return any_of(Address.uses(), [&](const Use &U) {
    const User *By = U.getUser();
    if (isa<GEPOperator>(By))
      return keeps(*By, Depth, Seen);
    if (auto *Store = dyn_cast<StoreInst>(By))
      return U.getOperandNo() == 0 && (!isa<AllocaInst>(Store->getPointerOperand()) || spreads(*Store->getPointerOperand(), Depth, Seen));
    if (auto *Compare = dyn_cast<CmpInst>(By))
      return !isa<ConstantPointerNull>(Compare->getOperand(1));
    if (auto *II = dyn_cast<IntrinsicInst>(By))
      return !isa<MemIntrinsic>(II) && !II->isLifetimeStartOrEnd();
    auto *Call = dyn_cast<CallBase>(By);
    if (Call && Call->isArgOperand(&U)) {
      const Function *Callee = Call->getCalledFunction();
      if (Callee && Callee->isDeclaration())
        return !ps_keeps_nothing(Callee->getName().data(), Callee->getName().size());
      return keeps(*Call, Call->getArgOperandNo(&U), Depth + 1);
    }
    return !isa<LoadInst>(By);
  });
}
