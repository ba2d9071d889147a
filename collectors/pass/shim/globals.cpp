// Global variables as one function sees them: who else uses them, and whether directives in it can name them.
#include "source.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

StringRef sourceName(const GlobalVariable &G) {
  SmallVector<DIGlobalVariableExpression *, 1> GVs;
  G.getDebugInfo(GVs);
  return GVs.empty() ? G.getName() : GVs[0]->getVariable()->getName();
}

bool usedElsewhere(const Value &Address, const Function &F) {
  return any_of(Address.users(), [&](const User *U) {
    auto *I = dyn_cast<Instruction>(U);
    return I ? I->getFunction() != &F : usedElsewhere(*U, F);
  });
}

bool mayRecur(const Function &F) {
  bool Reached = F.hasAddressTaken() || !(F.hasLocalLinkage() || F.getName() == "main");
  SmallPtrSet<const Function *, 16> Seen;
  SmallVector<const Function *, 16> Work{&F};
  while (!Work.empty()) {
    for (const Instruction &I : instructions(*Work.pop_back_val())) {
      auto *C = dyn_cast<CallBase>(&I);
      if (!C || isa<IntrinsicInst>(C) || C->isInlineAsm())
        continue;
      const Function *Callee = C->getCalledFunction();
      bool Unknown = !Callee || (Callee->isDeclaration() && !ps_keeps_nothing(Callee->getName().data(), Callee->getName().size()));
      if (Callee == &F || (Unknown && Reached))
        return true;
      if (Callee && !Callee->isDeclaration() && Seen.insert(Callee).second)
        Work.push_back(Callee);
    }
  }
  return false;
}

// Whether a member of the function's class has this name.
static bool hidden(StringRef Name, const Function &F) {
  const DISubprogram *SP = F.getSubprogram();
  auto *Class = SP ? dyn_cast_or_null<DICompositeType>(SP->getScope()) : nullptr;
  return Class && any_of(Class->getElements(), [&](const DINode *E) {
    auto *Member = dyn_cast<DIDerivedType>(E);
    return Member && Member->getName() == Name;
  });
}

// Whether directives in a function may not mean what they name outside of it: clang 22 has no copies of the
// globals in a `reduction` of templates, and does not compile clauses with globals in lambdas that do not capture by
// default, and in generic ones.
static bool inTemplateOrLambda(const Function &F) {
  for (const DIScope *At = F.getSubprogram(); At; At = At->getScope()) {
    StringRef Name = At->getName();
    auto *S = dyn_cast<DISubprogram>(At);
    auto *C = dyn_cast<DICompositeType>(At);
    bool Operator = S && Name.starts_with("operator") && Name.drop_front(8).starts_with("<");
    bool Lambda = S && Name.starts_with("operator()") && isa_and_nonnull<DICompositeType>(S->getScope()) && S->getScope()->getName().empty();
    DINodeArray Of = S ? S->getTemplateParams().get() : C ? C->getTemplateParams().get() : DINodeArray().get();
    if (Lambda || Of.size() > 0 || (!Operator && (S || C) && Name.contains('<')))
      return true;
  }
  return false;
}

bool isUnusable(const DIGlobalVariable &D, const Function &F) {
  if (hidden(D.getName(), F) || D.getStaticDataMemberDeclaration() || D.getTemplateParams())
    return true;
  auto *Local = dyn_cast_or_null<DILocalScope>(D.getScope());
  return (!Local || Local->getSubprogram() != F.getSubprogram()) && inTemplateOrLambda(F);
}
