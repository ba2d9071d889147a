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
#include "llvm/Transforms/Scalar/LowerExpectIntrinsic.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

struct PreparePass : PassInfoMixin<PreparePass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    ps_pass_prepare(wrap(&M));
    ps_mark_loops(wrap(&M));
    ps_mark_origins(wrap(&M));
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

// See languages.cpp.
struct LoopPlacesPass : PassInfoMixin<LoopPlacesPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    bool Changed = placeLoops(F, FAM.getResult<LoopAnalysis>(F));
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// See descriptors.cpp.
struct ClearDescriptorsPass : PassInfoMixin<ClearDescriptorsPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    return clearDescriptors(F) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// See descriptors.cpp.
struct HoistDescriptorsPass : PassInfoMixin<HoistDescriptorsPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    bool Changed = hoistDescriptors(F, FAM.getResult<LoopAnalysis>(F), FAM.getResult<DominatorTreeAnalysis>(F), FAM.getResult<AAManager>(F));
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

// The condition of a branch without what only repeats it: `x != 0` of a truth value that was made a number,
// `c ? true : false`. Nothing if there is no such thing; Negated if the branch has to change sides.
static Value *plainer(Value *Condition, bool &Negated) {
  Value *Plain;
  Negated = match(Condition, m_Not(m_Value(Plain)));
  if (Negated || match(Condition, m_Select(m_Value(Plain), m_One(), m_Zero())))
    return Plain;
  Negated = match(Condition, m_Select(m_Value(Plain), m_Zero(), m_One()));
  if (Negated)
    return Plain;
  CmpPredicate Predicate;
  if (!match(Condition, m_ICmp(Predicate, m_Value(Plain), m_Zero())) || !ICmpInst::isEquality(Predicate))
    return nullptr;
  Negated = Predicate == ICmpInst::ICMP_EQ;
  Value *Number;
  while (match(Plain, m_ZExtOrSExt(m_Value(Number))))
    Plain = Number;
  return Plain->getType()->isIntegerTy(1) ? Plain : nullptr;
}

// A branch on what a comparison does not say becomes one on the comparison: C++20's `!=` is a negated `==`,
// `__builtin_expect(!!(c), 1)` a number made of it, `c && true` a choice.
struct PlainConditionsPass : PassInfoMixin<PlainConditionsPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    bool Changed = false;
    for (BasicBlock &BB : F) {
      auto *Br = dyn_cast<BranchInst>(BB.getTerminator());
      while (Br && Br->isConditional() && Br->getCondition()->hasOneUse()) {
        bool Negated;
        Value *Condition = Br->getCondition(), *Plain = plainer(Condition, Negated);
        if (!Plain)
          break;
        Br->setCondition(Plain);
        if (Negated)
          Br->swapSuccessors();
        RecursivelyDeleteTriviallyDeadInstructions(Condition);
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
    return markTests(F, FAM.getResult<LoopAnalysis>(F)) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// Loads of a function's own memory stay where they are: behind a condition it may not have been set, and what was there
// before is no value of the program. Before paths are merged they are made such as must not be moved, and set free
// behind it.
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

// See lives.cpp.
struct EndScopesPass : PassInfoMixin<EndScopesPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    return endScopes(F) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// A loop that `continue` leads back to its begin has several ways back. They are brought together, lest the canonical
// form takes what they have in common for a loop of its own.
struct OneWayBackPass : PassInfoMixin<OneWayBackPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    bool Changed = false;
    for (Loop *L : LI.getLoopsInPreorder()) {
      SmallVector<BasicBlock *, 4> Latches;
      L->getLoopLatches(Latches);
      if (Latches.size() < 2 || any_of(Latches, [](BasicBlock *B) { return !isa<BranchInst, SwitchInst>(B->getTerminator()); }))
        continue;
      MDNode *Notes = nullptr;
      for (BasicBlock *Latch : Latches) {
        MDNode *Own = Latch->getTerminator()->getMetadata(LLVMContext::MD_loop);
        Notes = Notes ? Notes : Own;
        Latch->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
      }
      BasicBlock *Back = SplitBlockPredecessors(L->getHeader(), Latches, ".back", &DT, &LI);
      Back->getTerminator()->setMetadata(LLVMContext::MD_loop, Notes);
      Changed = true;
    }
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
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

// See native.cpp.
struct NativePass : PassInfoMixin<NativePass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    bool Changed = finishNative(F, [&]() -> const LoopInfo & { return FAM.getResult<LoopAnalysis>(F); });
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct VectorsPass : PassInfoMixin<VectorsPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    ps_pass_vectorized(wrap(&M));
    return PreservedAnalyses::all();
  }
};

} // namespace

extern "C" void ps_register_callbacks(PassBuilder &PB) {
  if (PassInstrumentationCallbacks *Callbacks = PB.getPassInstrumentationCallbacks())
    skipPasses(*Callbacks);
  PB.registerPipelineStartEPCallback([](ModulePassManager &MPM, OptimizationLevel) {
    MPM.addPass(createModuleToFunctionPassAdaptor(LoopPlacesPass()));
    MPM.addPass(createModuleToFunctionPassAdaptor(LentVariablesPass()));
    MPM.addPass(PreparePass());
    MPM.addPass(createModuleToFunctionPassAdaptor(AccessorsPass()));
    MPM.addPass(AlwaysInlinerPass());
    FunctionPassManager FPM;
    FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
    FPM.addPass(EndScopesPass());
    FPM.addPass(HoldLoadsPass(true));
    FPM.addPass(SimplifyCFGPass());
    FPM.addPass(HoldLoadsPass(false));
    FPM.addPass(LowerExpectIntrinsicPass());
    FPM.addPass(PlainConditionsPass());
    FPM.addPass(KeptValuesPass());
    FPM.addPass(SROAPass(SROAOptions::PreserveCFG));
    FPM.addPass(ClearDescriptorsPass());
    FPM.addPass(SplitInvokesPass());
    FPM.addPass(OneWayBackPass());
    FPM.addPass(LoopSimplifyPass());
    FPM.addPass(LCSSAPass());
    FPM.addPass(StepsPass());
    FPM.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass()));
    FPM.addPass(LoopSimplifyPass());
    FPM.addPass(HoistDescriptorsPass());
    FPM.addPass(SplitInvokesPass());
    FPM.addPass(LCSSAPass());
    FPM.addPass(TrivialPhisPass());
    FPM.addPass(EndLivesPass());
    MPM.addPass(createModuleToFunctionPassAdaptor(std::move(FPM)));
    MPM.addPass(InstrumentPass());
  });
  // Where the module is not linked to others first, and loops are vectorized at all.
  PB.registerOptimizerLastEPCallback([](ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase Phase) {
    if (Level.getSpeedupLevel() >= 2 && Phase == ThinOrFullLTOPhase::None)
      MPM.addPass(VectorsPass());
    MPM.addPass(createModuleToFunctionPassAdaptor(NativePass()));
  });
}
