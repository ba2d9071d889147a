// Changes to the program's code that LLVM's C API has no function for.
#include "analysis.h"

#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

static MDNode *scope(Module &M, uint32_t Which) {
  NamedMDNode *Named = M.getOrInsertNamedMetadata("parascan.scopes");
  if (Named->getNumOperands() == 0) {
    MDBuilder B(M.getContext());
    MDNode *Domain = B.createAnonymousAliasScopeDomain("parascan");
    for (const char *Name : {"program", "shadow", "state"})
      Named->addOperand(B.createAnonymousAliasScope(Domain, Name));
  }
  return Named->getOperand(Which);
}

extern "C" {

void ps_promote_allocas(LLVMValueRef Function_, LLVMValueRef *Allocas, uint32_t Count) {
  Function &F = *unwrap<Function>(Function_);
  SmallVector<AllocaInst *, 16> List;
  for (uint32_t I = 0; I < Count; ++I)
    if (auto *AI = inst<AllocaInst>(Allocas[I]))
      if (isAllocaPromotable(AI))
        List.push_back(AI);
  DominatorTree DT(F);
  PromoteMemToReg(List, DT);
}

void ps_append_ctor(LLVMModuleRef M, LLVMValueRef F, int32_t Priority) {
  appendToGlobalCtors(*unwrap(M), unwrap<Function>(F), Priority);
}

void ps_append_dtor(LLVMModuleRef M, LLVMValueRef F, int32_t Priority) {
  appendToGlobalDtors(*unwrap(M), unwrap<Function>(F), Priority);
}

void ps_strip_debug(LLVMModuleRef M) { StripDebugInfo(*unwrap(M)); }

void ps_strip_lines(LLVMValueRef F) { stripDebugInfo(*unwrap<Function>(F)); }

// Instrumentation writes memory, so promises about memory made for the user's code do not hold any more.
void ps_strip_memory_attributes(LLVMModuleRef M) {
  AttributeMask Mask;
  for (Attribute::AttrKind K : {Attribute::Memory, Attribute::Speculatable, Attribute::WillReturn, Attribute::NoSync})
    Mask.addAttribute(K);
  AttributeMask Arg;
  for (Attribute::AttrKind K : {Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly, Attribute::Returned})
    Arg.addAttribute(K);
  for (Function &F : *unwrap(M)) {
    if (!F.isIntrinsic()) {
      F.removeFnAttrs(Mask);
      for (Argument &A : F.args())
        A.removeAttrs(Arg);
    }
    for (BasicBlock &BB : F)
      for (Instruction &I : BB)
        if (auto *CB = dyn_cast<CallBase>(&I)) {
          if (!CB->getCalledFunction() || !CB->getCalledFunction()->isIntrinsic())
            CB->removeFnAttrs(Mask);
          // Else the stack slot of what is live there would be used again for what is live after it, and a second
          // return finds that.
          if (CB->getIntrinsicID() == Intrinsic::eh_sjlj_setjmp)
            CB->addFnAttr(Attribute::ReturnsTwice);
        }
  }
}

// Tells the optimizer that program memory, shadow memory and thread state are disjoint. `own`: the access lies in
// `Which`; else it is a program access, which only gets the promise.
void ps_add_scope_metadata(LLVMModuleRef M_, LLVMValueRef V, uint32_t Which, int32_t Own) {
  Module &M = *unwrap(M_);
  auto *I = inst<Instruction>(V);
  SmallVector<Metadata *, 2> Others;
  for (uint32_t S = 0; S < 3; ++S)
    if (S != Which)
      Others.push_back(scope(M, S));
  LLVMContext &C = M.getContext();
  I->setMetadata(LLVMContext::MD_noalias, MDNode::concatenate(I->getMetadata(LLVMContext::MD_noalias), MDNode::get(C, Others)));
  if (Own)
    I->setMetadata(LLVMContext::MD_alias_scope, MDNode::get(C, {scope(M, Which)}));
}

void ps_verify(LLVMModuleRef M) {
  if (verifyModule(*unwrap(M), &errs()))
    report_fatal_error("parascan: the pass produced invalid code; please report this");
}

LLVMValueRef ps_clone_internal(LLVMValueRef F) {
  ValueToValueMapTy Map;
  Function *Clone = CloneFunction(unwrap<Function>(F), Map);
  Clone->setLinkage(GlobalValue::InternalLinkage);
  Clone->setVisibility(GlobalValue::DefaultVisibility);
  Clone->setComdat(nullptr);
  Clone->setDSOLocal(true);
  return wrap(Clone);
}

LLVMValueRef ps_split_if(LLVMValueRef Condition, LLVMValueRef Before) {
  auto *I = cast<Instruction>(unwrap(Before));
  MDNode *Unlikely = MDBuilder(I->getContext()).createUnlikelyBranchWeights();
  return wrap(SplitBlockAndInsertIfThen(unwrap(Condition), I->getIterator(), false, Unlikely));
}

void ps_split_if_else(LLVMValueRef Condition, LLVMValueRef Before, LLVMValueRef Ends[2]) {
  auto *I = cast<Instruction>(unwrap(Before));
  Instruction *Then, *Else;
  MDNode *Likely = MDBuilder(I->getContext()).createLikelyBranchWeights();
  SplitBlockAndInsertIfThenElse(unwrap(Condition), I->getIterator(), &Then, &Else, Likely);
  Ends[0] = wrap(Then);
  Ends[1] = wrap(Else);
}
}
