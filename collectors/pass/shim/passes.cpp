// Which of the optimizer's passes run over code that the pass wrote: times beside the program's own instructions are
// many, and of a kind that some passes take long to look through and find nothing in. Functions that hold such code are
// marked with an attribute.
#include "analysis.h"

#include "llvm/ADT/StringMap.h"
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
// the time for zlib's `inflate.c`. What is known of the program's values makes nothing of the times constant, and what
// the others look for is not there either: without them code is smaller by a hundredth. Loops are unrolled: where the
// program asks for that, clang warns if it is not done.
static constexpr StringLiteral Skipped[] = {
    "SLPVectorizerPass",        "CorrelatedValuePropagationPass", "ConstraintEliminationPass", "BDCEPass",
    "InferAlignmentPass",       "DropUnnecessaryAssumesPass",     "CallSiteSplittingPass",     "VectorCombinePass",
    "AggressiveInstCombinePass", "MemCpyOptPass",                 "InstSimplifyPass",
};

// Instructions are combined six times on the way to machine code; after the second time there is nothing left to find
// in code of ours (it is as large with two as with six, to a thousandth), and the others took a tenth of the time.
static constexpr StringLiteral Combines = "InstCombinePass";
static constexpr unsigned MostCombines = 2;

// Where a continuation has many places, what is handed over makes phis of phis, through which this pass looks again
// and again (more than three minutes for LZ4's `lz4hc.c`, which takes clang 4 seconds).
static constexpr StringLiteral Lists = "SLPVectorizerPass";
static constexpr unsigned ManyPhis = 1000;

static bool goesOnInMany(const Function &F) {
  if (!F.getName().ends_with(".native.on"))
    return false;
  size_t Phis = 0;
  for (const BasicBlock &BB : F)
    Phis += std::distance(BB.phis().begin(), BB.phis().end());
  return Phis > ManyPhis;
}

void skipPasses(PassInstrumentationCallbacks &Callbacks) {
  // By name: what follows must not depend on where functions lie in memory.
  Callbacks.registerShouldRunOptionalPassCallback([Combined = StringMap<unsigned>()](StringRef Pass, Any IR) mutable {
    if (Pass != Combines && !llvm::is_contained(Skipped, Pass))
      return true;
    const Function *F = functionOf(IR);
    if (F && Pass == Lists && goesOnInMany(*F))
      return false;
    if (!F || !F->hasFnAttribute(Written))
      return true;
    return Pass == Combines && Combined[F->getName()]++ < MostCombines;
  });
}

void optimizeLike(Function &F, const Function &Native) {
  F.removeFnAttr(Written);
  if (!Native.hasOptSize())
    F.removeFnAttr(Attribute::OptimizeForSize);
  markNative(F);
}

extern "C" {
// Marks a function that holds code of ours. `Alone`: whether it is the program's only form of it, in which debuggers
// find variables, and in which loops are unrolled if that makes them faster.
void ps_mark_written(LLVMValueRef F_, LLVMBool Alone) {
  auto *F = unwrap<Function>(F_);
  F->addFnAttr(Written);
  if (Alone)
    return;
  F->addFnAttr(Attribute::OptimizeForSize);
  for (BasicBlock &BB : *F)
    for (Instruction &I : BB)
      I.dropDbgRecords();
}
}
