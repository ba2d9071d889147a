// Hooks the pass into clang's pipeline: preparation passes, then the instrumentation written in Rust.
//
// It runs at the start of the pipeline, so that the program the user wrote is measured, and the normal optimizer then
// runs over program and instrumentation together.
#include "analysis.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

struct PreparePass : PassInfoMixin<PreparePass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    ps_pass_prepare(wrap(&M));
    ps_mark_loops(wrap(&M));
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

// See lent.cpp.
struct LentVariablesPass : PassInfoMixin<LentVariablesPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    bool Changed = copyLent(F, FAM.getResult<LoopAnalysis>(F), FAM.getResult<DominatorTreeAnalysis>(F));
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// After-call code of an invoke needs a place that only the normal return reaches.
struct SplitInvokesPass : PassInfoMixin<SplitInvokesPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    SmallVector<InvokeInst *, 8> Invokes;
    for (BasicBlock &BB : F)
      if (auto *II = dyn_cast<InvokeInst>(BB.getTerminator()))
        if (!II->getNormalDest()->getSinglePredecessor() || isa<PHINode>(II->getNormalDest()->front()))
          Invokes.push_back(II);
    for (InvokeInst *II : Invokes)
      SplitEdge(II->getParent(), II->getNormalDest());
    return Invokes.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

// Phis whose incoming values are all the same hide induction variables. Those that close a loop (LCSSA) stay.
struct TrivialPhisPass : PassInfoMixin<TrivialPhisPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
    bool Again = true, Changed = false;
    while (Again) {
      Again = false;
      for (BasicBlock &BB : F)
        for (PHINode &Phi : make_early_inc_range(BB.phis())) {
          Value *V = Phi.hasConstantValue();
          if (!V || V == &Phi || (isa<Instruction>(V) && LI.getLoopFor(cast<Instruction>(V)->getParent()) != LI.getLoopFor(&BB)))
            continue;
          Phi.replaceAllUsesWith(V);
          Phi.eraseFromParent();
          Again = Changed = true;
        }
    }
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// A branch on what a comparison does not say (C++20's `!=` is a negated `==`) becomes one on the comparison.
struct PlainConditionsPass : PassInfoMixin<PlainConditionsPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    bool Changed = false;
    for (BasicBlock &BB : F) {
      auto *Br = dyn_cast<BranchInst>(BB.getTerminator());
      Value *Plain;
      while (Br && Br->isConditional() && isa<Instruction>(Br->getCondition()) &&
             match(Br->getCondition(), m_OneUse(m_Not(m_Value(Plain))))) {
        auto *Not = cast<Instruction>(Br->getCondition());
        Br->setCondition(Plain);
        Br->swapSuccessors();
        Not->eraseFromParent();
        Changed = true;
      }
    }
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// See accessors.cpp.
struct AccessorsPass : PassInfoMixin<AccessorsPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    return markTests(FAM.getResult<LoopAnalysis>(F)) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// Loads of a function's own memory stay where they are: behind a condition it may not have been set, and what was there before is no
// value of the program. Before paths are merged they are made such as must not be moved, and set free behind it.
struct HoldLoadsPass : PassInfoMixin<HoldLoadsPass> {
  bool Hold;
  explicit HoldLoadsPass(bool Hold) : Hold(Hold) {}
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    for (Instruction &I : instructions(F)) {
      auto *L = dyn_cast<LoadInst>(&I);
      if (!L || (Hold && (L->isVolatile() || !isa<AllocaInst>(getUnderlyingObject(L->getPointerOperand())))))
        continue;
      if (!Hold && !L->hasMetadata("parascan.held"))
        continue;
      L->setVolatile(Hold);
      L->setMetadata("parascan.held", Hold ? MDNode::get(F.getContext(), {}) : nullptr);
    }
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

// See kept.cpp.
struct KeptValuesPass : PassInfoMixin<KeptValuesPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    return dropKept(F) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// See lives.cpp.
struct EndLivesPass : PassInfoMixin<EndLivesPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    return endLives(FAM.getResult<LoopAnalysis>(F)) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// See steps.cpp.
struct StepsPass : PassInfoMixin<StepsPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    bool Changed =
        indicesToRegisters(FAM.getResult<LoopAnalysis>(F), FAM.getResult<DominatorTreeAnalysis>(F), FAM.getResult<AAManager>(F));
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct InstrumentPass : PassInfoMixin<InstrumentPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    ps_pass_run(wrap(&M), &FAM);
    ps_unmark_loops(wrap(&M));
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

} // namespace

extern "C" void ps_register_callbacks(PassBuilder &PB) {
  PB.registerPipelineStartEPCallback([](ModulePassManager &MPM, OptimizationLevel) {
    MPM.addPass(createModuleToFunctionPassAdaptor(LentVariablesPass()));
    MPM.addPass(PreparePass());
    MPM.addPass(createModuleToFunctionPassAdaptor(AccessorsPass()));
    MPM.addPass(AlwaysInlinerPass());
    FunctionPassManager FPM;
    FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
    FPM.addPass(HoldLoadsPass(true));
    FPM.addPass(SimplifyCFGPass());
    FPM.addPass(HoldLoadsPass(false));
    FPM.addPass(PlainConditionsPass());
    FPM.addPass(KeptValuesPass());
    FPM.addPass(SROAPass(SROAOptions::PreserveCFG));
    FPM.addPass(SplitInvokesPass());
    FPM.addPass(LoopSimplifyPass());
    FPM.addPass(LCSSAPass());
    FPM.addPass(StepsPass());
    FPM.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass()));
    FPM.addPass(LoopSimplifyPass());
    FPM.addPass(SplitInvokesPass());
    FPM.addPass(LCSSAPass());
    FPM.addPass(TrivialPhisPass());
    FPM.addPass(EndLivesPass());
    MPM.addPass(createModuleToFunctionPassAdaptor(std::move(FPM)));
    MPM.addPass(InstrumentPass());
  });
}
