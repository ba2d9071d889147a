// What loops call: whether a function is the library's, what it is called, and whether code of the program may run in
// it.
#include "source.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

bool isOverloadable(const Function &F) {
  const DISubprogram *SP = F.getSubprogram();
  return F.getName().starts_with("_Z") && SP && SP->getFile() && !isSystem(SP->getFile());
}

bool mayDoMore(const DISubprogram &SP) {
  auto *Class = dyn_cast_or_null<DICompositeType>(SP.getScope());
  StringRef Of = Class ? Class->getName() : "", Name = SP.getName();
  bool Iterator = Of.contains("iterator") && !Of.contains("stream");
  bool Steps = Name == "operator++" || Name == "operator--" || Name == "operator+=" || Name == "operator-=";
  return (Steps && !Iterator) || (Name == "operator[]" && Of.contains("map"));
}

std::string nameOf(const DISubprogram &SP) {
  auto *Class = dyn_cast_or_null<DICompositeType>(SP.getScope());
  auto *Around = Class ? dyn_cast_or_null<DICompositeType>(Class->getScope()) : nullptr;
  auto Packed = [](const DICompositeType *T) {
    return T && (T->getName().starts_with("bitset<") || T->getName().contains("it_reference"));
  };
  const DICompositeType *Of = Packed(Class) ? Class : Packed(Around) ? Around : nullptr;
  return ((Of ? Of->getName() + "::" : "") + SP.getName()).str();
}

// Whether a symbol is of C++, but not of its library.
static bool isProgram(StringRef Symbol) {
  static const StringRef Library[] = {"_ZSt", "_ZNSt", "_ZNKSt", "_Znw", "_Zna", "_Zdl", "_Zda", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx"};
  return Symbol.starts_with("_Z") && none_of(Library, [&](StringRef L) { return Symbol.starts_with(L); });
}

bool callsBack(const Function &Of, DenseMap<const Function *, bool> &Known) {
  auto [Entry, New] = Known.try_emplace(&Of, false);
  if (!New)
    return Entry->second;
  bool Found = any_of(instructions(Of), [&](const Instruction &I) {
    auto *C = dyn_cast<CallBase>(&I);
    if (!C || isa<IntrinsicInst>(C))
      return false;
    const Function *Callee = C->getCalledFunction();
    const DISubprogram *SP = Callee ? Callee->getSubprogram() : nullptr;
    if (!Callee || (SP && SP->getFile() && !isSystem(SP->getFile())))
      return true;
    return Callee->isDeclaration() ? isProgram(Callee->getName()) : callsBack(*Callee, Known);
  });
  return Known[&Of] = Found;
}

bool chooses(const CallBase &C) {
  const Function *Callee = C.getCalledFunction();
  const DISubprogram *SP = Callee ? Callee->getSubprogram() : nullptr;
  StringRef Name = SP ? SP->getName().split('<').first : "";
  return (Name == "min" || Name == "max") && C.getType()->isPointerTy();
}

bool keepsChoice(const CallBase &C) {
  return any_of(C.users(), [](const User *U) {
    auto *Next = dyn_cast<CallBase>(U);
    return !isa<LoadInst>(U) && (!Next || !chooses(*Next) || keepsChoice(*Next));
  });
}
