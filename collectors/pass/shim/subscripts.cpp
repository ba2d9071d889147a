// Where addresses lead: to which variable, or through which pointer, and by which subscripts.
#include "source.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace {

// `variable + constant` through casts.
bool stepped(const SourceVariables &Variables, const Value *V, uint32_t &Var, int64_t &Offset) {
  Offset = 0;
  for (unsigned Depth = 0; Depth < 8; ++Depth) {
    if (isa<SExtInst, ZExtInst>(V)) {
      V = cast<CastInst>(V)->getOperand(0);
      continue;
    }
    if (auto *B = dyn_cast<BinaryOperator>(V)) {
      auto *C = dyn_cast<ConstantInt>(B->getOperand(1));
      if (!C || C->getBitWidth() > 64 || (B->getOpcode() != Instruction::Add && B->getOpcode() != Instruction::Sub))
        return false;
      Offset += B->getOpcode() == Instruction::Add ? C->getSExtValue() : -C->getSExtValue();
      V = B->getOperand(0);
      continue;
    }
    if (auto *L = dyn_cast<LoadInst>(V)) {
      auto Found = Variables.find(L->getPointerOperand());
      if (!Found)
        return false;
      Var = *Found;
      return true;
    }
    return false;
  }
  return false;
}

// The variable from which members that are pointers lead to a place.
uint32_t way(SourceVariables &Variables, const Value *At) {
  for (unsigned Depth = 0; Depth < 8; ++Depth) {
    if (auto Of = Variables.number(At))
      return *Of;
    auto *GEP = dyn_cast<GEPOperator>(At);
    auto *L = dyn_cast<LoadInst>(At);
    if (GEP ? !GEP->hasAllConstantIndices() : !L)
      break;
    At = GEP ? GEP->getPointerOperand() : L->getPointerOperand();
  }
  return UINT32_MAX;
}

// Fills in how a subscript follows from variables.
void subscript(PsSource &S, SourceVariables &Variables, const Value *V, PsSourceStep &Step) {
  auto Of = fold(V, [&](const Value *At) { return Variables.number(At); });
  if (!Of)
    return;
  Step.divisor = Of->Divisor;
  Step.modulus = Of->Modulus;
  Step.first = S.LoopBlocks.size();
  Step.inner = Of->Inner.size();
  Step.outer = Of->Outer.size();
  for (auto [Var, Scale] : Of->Inner) {
    S.LoopBlocks.push_back(Var);
    S.LoopBlocks.push_back(std::min<uint64_t>(Scale, UINT32_MAX));
  }
  append_range(S.LoopBlocks, Of->Outer);
}

} // namespace

void leadTo(SourceFunction &In, SourceVariables &Variables, const Value *P, PsSourceAccess &A) {
  A.variable = A.way = UINT32_MAX;
  A.first_step = In.S.Steps.size();
  int64_t Offset = 0;
  bool Constant = true;
  for (;;) {
    if (auto *GEP = dyn_cast<GEPOperator>(P)) {
      APInt O(64, 0);
      if (Constant && GEP->accumulateConstantOffset(In.DL, O))
        Offset += O.getSExtValue();
      else
        Constant = false;
      for (gep_type_iterator I = gep_type_begin(GEP), E = gep_type_end(GEP); I != E; ++I) {
        if (I.isStruct() || isa<llvm::Constant>(I.getOperand()))
          continue;
        PsSourceStep Step{};
        Step.stride = I.getSequentialElementStride(In.DL);
        Step.bounded = I != gep_type_begin(GEP);
        Step.variable = UINT32_MAX;
        if (uint32_t Of = 0; stepped(Variables, I.getOperand(), Of, Step.offset))
          Step.variable = Of;
        subscript(In.S, Variables, I.getOperand(), Step);
        In.S.Steps.push_back(Step);
      }
      P = GEP->getPointerOperand();
      continue;
    }
    if (auto *C = dyn_cast<Operator>(P); C && (C->getOpcode() == Instruction::BitCast || C->getOpcode() == Instruction::AddrSpaceCast)) {
      P = C->getOperand(0);
      continue;
    }
    break;
  }
  A.steps = In.S.Steps.size() - A.first_step;
  A.offset = Constant && Offset >= 0 ? Offset : -1;
  if (auto Of = Variables.number(P)) {
    A.variable = *Of;
  } else if (auto *L = dyn_cast<LoadInst>(P)) {
    // Through a pointer that a variable holds.
    const Value *Q = L->getPointerOperand();
    if (auto Pointer = Variables.number(Q)) {
      A.variable = *Pointer;
      A.pointee = 1;
    } else {
      A.way = way(Variables, Q);
    }
  } else if (isa<AllocaInst>(P)) {
    // A variable in a form that is not known here is none of the compiler's own.
    A.temporary = lyingAt(*P).empty();
  }
}
