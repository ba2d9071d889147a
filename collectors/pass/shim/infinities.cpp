// Variables that the source sets to an infinite number, or to none (NaN): the largest finite one is not what their
// maximum begins with.
#include "analysis.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace {

bool isInfinite(const Value &V, unsigned Depth = 4) {
  if (auto *Number = dyn_cast<ConstantFP>(&V))
    return Number->isInfinity() || Number->isNaN();
  auto *I = dyn_cast<Instruction>(&V);
  if (!I || Depth == 0)
    return false;
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    auto *G = dyn_cast<GlobalVariable>(Load->getPointerOperand());
    return G && G->isConstant() && G->hasInitializer() && isInfinite(*G->getInitializer(), Depth - 1);
  }
  if (auto *Call = dyn_cast<CallBase>(I)) {
    const Function *F = Call->getCalledFunction();
    // std::numeric_limits<T>::infinity, and the like
    return F && (is_contained({"nan", "nanf", "nanl"}, F->getName()) ||
                 any_of(ArrayRef<StringRef>{"8infinityEv", "9quiet_NaNEv", "13signaling_NaNEv"}, [&](StringRef S) { return F->getName().ends_with(S); }));
  }
  return isa<PHINode, SelectInst, CastInst, UnaryOperator>(I) &&
         any_of(I->operands(), [&](const Value *O) { return isInfinite(*O, Depth - 1); });
}

bool holds(const Constant &C) {
  if (auto *Data = dyn_cast<ConstantDataSequential>(&C)) {
    if (!Data->getElementType()->isFloatingPointTy())
      return false;
    for (unsigned I = 0, N = Data->getNumElements(); I < N; ++I)
      if (!Data->getElementAsAPFloat(I).isFinite())
        return true;
    return false;
  }
  return isInfinite(C) || (isa<ConstantAggregate>(C) && any_of(C.operands(), [](const Use &O) { return holds(*cast<Constant>(O)); }));
}

} // namespace

bool getsInfinite(const Value &Variable) {
  auto *G = dyn_cast<GlobalVariable>(&Variable);
  if (G && G->hasInitializer() && holds(*G->getInitializer()))
    return true;
  return any_of(Variable.users(), [&](const User *U) {
    if (auto *Store = dyn_cast<StoreInst>(U))
      return Store->getPointerOperand() == &Variable && isInfinite(*Store->getValueOperand());
    return isa<GEPOperator>(U) && getsInfinite(*U);
  });
}

uint32_t ps_has_infinite(LLVMModuleRef Of) {
  const Module &M = *unwrap(Of);
  auto Has = [](const User &U) { return isInfinite(U, 1) || any_of(U.operands(), [](const Use &O) { return isa<ConstantFP>(O) && isInfinite(*O); }); };
  return any_of(M.globals(), [](const GlobalVariable &G) { return G.hasInitializer() && holds(*G.getInitializer()); }) ||
         any_of(M, [&](const Function &F) { return any_of(instructions(F), Has); });
}
