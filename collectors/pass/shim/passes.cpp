// Which of the optimizer's passes run over code that the pass wrote: times beside the program's own instructions are
// many, and of a kind that some passes take long to look through and find nothing in. Functions that hold such code are
// marked with an attribute.
#include "analysis.h"

#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"

using namespace llvm;

static constexpr StringLiteral Written = "parascan-written";

// The function that a pass is about to look at, if it is one and not more.
static const Function *functionOf(const Any &IR) {
  if (auto *F = any_cast<const Function *>(&IR))
    return *F;
  if (auto *L = any_cast<const Loop *>(&IR))
    return (*L)->getHeader()->getParent();
  return nullptr;
}

// Times are vectors already, and scalars between them are rarely worth more: looking for them took 15 of 100 parts of
// the time for zlib's `inflate.c`. What is known of the program's values makes nothing of the times constant. Loops are
// unrolled: where the program asks for that, clang warns if it is not done.
static constexpr StringLiteral Skipped[] = {"SLPVectorizerPass", "CorrelatedValuePropagationPass"};

void skipPasses(PassInstrumentationCallbacks &Callbacks) {
  Callbacks.registerShouldRunOptionalPassCallback([](StringRef Pass, Any IR) {
    const Function *F = llvm::is_contained(Skipped, Pass) ? functionOf(IR) : nullptr;
    return !F || !F->hasFnAttribute(Written);
  });
}

extern "C" {
// Marks a function that holds code of ours. `Variables`: whether debuggers find the program's variables in it.
void ps_mark_written(LLVMValueRef F_, LLVMBool Variables) {
  auto *F = unwrap<Function>(F_);
  F->addFnAttr(Written);
  if (Variables)
    return;
  for (BasicBlock &BB : *F)
    for (Instruction &I : BB)
      I.dropDbgRecords();
}
}
