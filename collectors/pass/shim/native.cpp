// What becomes of native versions behind the optimizer's passes, so that they take little longer than the program
// without counters.
#include "analysis.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

static constexpr StringLiteral NativeVersion = "parascan-native";
static constexpr StringLiteral LoopAlign = "llvm.loop.align";

void markNative(Function &F) { F.addFnAttr(NativeVersion); }

// Counters are volatile for the optimizer, which else would keep them in registers besides memory, where they are
// written all the same: bfs took 1.3 times as long. From here on code may add to memory in one instruction.
static bool freeCounters(Function &F) {
  bool Changed = false;
  auto isCounter = [](const Value *Address) {
    auto *G = dyn_cast<GlobalVariable>(getUnderlyingObject(Address));
    return G && G->getName().starts_with("__ps_counters");
  };
  for (Instruction &I : instructions(F)) {
    if (auto *L = dyn_cast<LoadInst>(&I); L && L->isVolatile() && isCounter(L->getPointerOperand()))
      L->setVolatile(false);
    else if (auto *S = dyn_cast<StoreInst>(&I); S && S->isVolatile() && isCounter(S->getPointerOperand()))
      S->setVolatile(false);
    else
      continue;
    Changed = true;
  }
  return Changed;
}

// Innermost loops begin where processors fetch instructions in one piece. Anywhere else floyd's loop of seven
// instructions took 1.3 times as long, and where a loop comes to lie depends on the code before it, which is ours.
static bool alignLoops(const LoopInfo &LI) {
  constexpr unsigned Bytes = 32;
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    if (!L->isInnermost() || !L->getLoopLatch() || findOptionMDForLoop(L, LoopAlign))
      continue;
    addStringMetadataToLoop(L, LoopAlign.data(), Bytes);
    Changed = true;
  }
  return Changed;
}

bool finishNative(Function &F, function_ref<const LoopInfo &()> Loops) {
  if (!F.hasFnAttribute(NativeVersion))
    return false;
  bool Changed = freeCounters(F);
  if (!F.hasOptSize())
    Changed |= alignLoops(Loops());
  return Changed;
}
