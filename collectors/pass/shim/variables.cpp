// The variables that a function uses, by number.
#include "source.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

// PsSourceVariable::infinite
static uint32_t infinite(const Value &Variable, const PsSourceVariable &V, const Function &F) {
  if (V.shape == 1 || V.shape == 3 || V.is_integer)
    return 0;
  if (getsInfinite(Variable))
    return 1;
  if (V.shape)
    return 0;
  bool Elsewhere = any_of(Variable.users(), [&](const User *U) {
    auto *W = dyn_cast<StoreInst>(U);
    return W && W->getFunction() != &F && !isa<ConstantFP>(W->getValueOperand());
  });
  return Elsewhere ? 3 : 2;
}

// Whether the scope of a variable is that of another, or around it.
static bool surrounds(const DILocalVariable *Outer, const DILocalVariable *Inner) {
  for (const DIScope *At = Inner->getScope(); At; At = At->getScope())
    if (At == Outer->getScope())
      return true;
  return false;
}

SmallVector<DbgVariableRecord *, 2> lyingAt(const Value &Slot) {
  SmallVector<DbgVariableRecord *, 2> Records;
  append_range(Records, findDVRDeclares(const_cast<Value *>(&Slot)));
  if (auto *A = dyn_cast<AllocaInst>(&Slot))
    append_range(Records, at::getDVRAssignmentMarkers(A));
  return Records;
}

std::optional<uint32_t> SourceVariables::find(const Value *At) const {
  auto Found = Numbers.find(At);
  return Found != Numbers.end() ? std::optional(Found->second) : std::nullopt;
}

std::optional<uint32_t> SourceVariables::number(const Value *At) {
  if (auto Found = find(At))
    return Found;
  auto *G = dyn_cast<GlobalVariable>(At);
  return G ? std::optional(global(*G)) : std::nullopt;
}

uint32_t SourceVariables::add(const Value &At, PsSourceVariable V, const DILocalVariable *Local, const DIType *T) {
  V.infinite = infinite(At, V, In.F);
  V.allocated = V.length = UINT32_MAX;
  uint32_t Number = In.S.Variables.size();
  Numbers[&At] = Number;
  In.S.Variables.push_back(V);
  Locals.push_back(Local);
  Types.push_back(T);
  return Number;
}

void SourceVariables::declare(Value &Slot) {
  for (DbgVariableRecord *R : lyingAt(Slot)) {
    const DILocalVariable *D = R->getVariable();
    auto *Made = dyn_cast<AllocaInst>(&Slot);
    bool Whole = R->getExpression()->getNumElements() == 0 ||
                 (Made && R->getExpression()->isFragment() && !partOf(*R, Made->getAllocatedType()));
    if (!D || !Whole || find(&Slot))
      continue;
    PsSourceVariable V{};
    V.name = In.S.text(D->getName());
    V.line = D->getLine();
    V.artificial = D->isArtificial() || D->getName().empty();
    Type *Ty = nullptr;
    if (Made && !Made->isArrayAllocation())
      Ty = Made->getAllocatedType();
    else if (auto *A = dyn_cast<Argument>(&Slot); A && A->hasByValAttr())
      Ty = A->getParamByValType();
    V.dummy = !Ty && !Made && isFortran(In.F);
    if (Ty)
      V.bytes = In.DL.getTypeAllocSize(Ty);
    else if (V.dummy && D->getType())
      V.bytes = D->getType()->getSizeInBits() / 8;
    shape(In, V, D->getType(), Ty);
    if (Ty)
      addParts(Ty, V.parts);
    add(Slot, V, D, D->getType());
  }
}

void SourceVariables::allocate(const AllocaInst &Slot) {
  auto Number = find(&Slot);
  if (!Number || In.S.Variables[*Number].target != 1)
    return;
  PsSourceVariable &V = In.S.Variables[*Number];
  auto Memory = allocated(Slot, V.target_bytes, In.DT);
  if (!Memory)
    return;
  if (Memory->Length) {
    auto Length = find(Memory->Length);
    // In the loop its name must mean it.
    if (!Length || !surrounds(Locals[*Length], Locals[*Number]))
      return;
    V.length = *Length;
  }
  V.allocated = In.Number[Memory->At->getParent()];
  V.length_offset = Memory->Offset;
}

uint32_t SourceVariables::global(const GlobalVariable &G) {
  SmallVector<DIGlobalVariableExpression *, 1> GVs;
  G.getDebugInfo(GVs);
  PsSourceVariable V{};
  V.global = 1;
  const DIType *T = nullptr;
  if (!GVs.empty()) {
    const DIGlobalVariable *D = GVs[0]->getVariable();
    V.name = In.S.text(reachableName(*D, In.F.getSubprogram()));
    V.line = D->getLine();
    V.local_static = isa_and_nonnull<DILocalScope>(D->getScope());
    V.unusable = GVs.size() > 1 || isUnusable(*D, In.F);
    T = D->getType();
  } else {
    V.name = In.S.text(G.getName());
    V.artificial = 1;
  }
  V.constant = G.isConstant();
  V.unshared = G.hasLocalLinkage() && !taken(G);
  if (V.unshared && !usedElsewhere(G, In.F)) {
    if (!Recurs)
      Recurs = mayRecur(In.F);
    V.alone = !*Recurs;
  }
  V.bytes = In.DL.getTypeAllocSize(G.getValueType());
  shape(In, V, T, G.getValueType());
  return add(G, V, nullptr, T);
}
