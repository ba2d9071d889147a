// What local pointers lead to, where their function takes that memory at one place and says of how many elements it is.
#include "analysis.h"

#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

// The only store to a variable that is used for nothing but loads and stores; none if there are others.
const StoreInst *onlyStore(const AllocaInst &Slot) {
  const StoreInst *Only = nullptr;
  for (const User *U : Slot.users()) {
    auto *Store = dyn_cast<StoreInst>(U);
    auto *Other = dyn_cast<IntrinsicInst>(U);
    if (isa<LoadInst>(U) || (Other && Other->isLifetimeStartOrEnd()))
      continue;
    if (!Store || Only || Store->getValueOperand() == &Slot || Store->isVolatile())
      return nullptr;
    Only = Store;
  }
  return Only;
}

namespace {

// Whether what a call gives back is put into one variable, and nothing else is done with it but to fill it.
bool isAlone(const CallBase &Call) {
  unsigned Stored = 0;
  return all_of(Call.users(), [&](const User *U) {
    return isa<StoreInst>(U) ? ++Stored == 1 : isa<MemIntrinsic, CmpInst>(U);
  });
}

// A number of elements: a constant, or a variable and a constant added to that.
bool counts(const Value *V, Allocated &Out) {
  Out.Length = nullptr;
  Out.Offset = 0;
  while (isa<SExtInst, ZExtInst>(V))
    V = cast<CastInst>(V)->getOperand(0);
  auto *Sum = dyn_cast<BinaryOperator>(V);
  auto *Added = Sum ? dyn_cast<ConstantInt>(Sum->getOperand(1)) : nullptr;
  if (Added && Added->getBitWidth() <= 64 && (Sum->getOpcode() == Instruction::Add || Sum->getOpcode() == Instruction::Sub)) {
    Out.Offset = Sum->getOpcode() == Instruction::Add ? Added->getSExtValue() : -Added->getSExtValue();
    V = Sum->getOperand(0);
    while (isa<SExtInst, ZExtInst>(V))
      V = cast<CastInst>(V)->getOperand(0);
  }
  if (auto *C = dyn_cast<ConstantInt>(V); C && !Sum && C->getBitWidth() <= 64) {
    Out.Offset = C->getSExtValue();
    return Out.Offset > 0;
  }
  auto *Load = dyn_cast<LoadInst>(V);
  auto *Slot = Load && !Load->isVolatile() ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  if (!Slot || Slot->isArrayAllocation() || !Slot->getAllocatedType()->isIntegerTy() || Out.Offset < -1000000 || Out.Offset > 1000000)
    return false;
  Out.Length = Slot;
  Out.Read = Load;
  return true;
}

// The other factor of a product with this number; the value itself if that is 1.
const Value *factor(const Value *V, uint64_t Size) {
  auto is = [&](const Value *Factor) {
    auto *C = dyn_cast<ConstantInt>(Factor);
    return C && C->getBitWidth() <= 64 && C->getZExtValue() == Size;
  };
  auto *Product = dyn_cast<BinaryOperator>(V);
  if (Product && Product->getOpcode() == Instruction::Mul)
    for (unsigned I : {0, 1})
      if (is(Product->getOperand(I)))
        return Product->getOperand(1 - I);
  // `new T[n]` asks for all of memory where the product does not fit.
  auto *Choice = dyn_cast<SelectInst>(V);
  auto *Part = Choice ? dyn_cast<ExtractValueInst>(Choice->getFalseValue()) : nullptr;
  auto *Checked = Part ? dyn_cast<IntrinsicInst>(Part->getAggregateOperand()) : nullptr;
  if (Checked && Checked->getIntrinsicID() == Intrinsic::umul_with_overflow && Part->getIndices()[0] == 0 && is(Checked->getArgOperand(1)))
    return Checked->getArgOperand(0);
  return Size == 1 ? V : nullptr;
}

// The number of elements of this size in so many bytes.
bool elements(const Value *Bytes, uint64_t Size, Allocated &Out) {
  if (auto *C = dyn_cast<ConstantInt>(Bytes); C && C->getBitWidth() <= 64) {
    Out.Length = nullptr;
    Out.Offset = C->getZExtValue() / Size;
    return C->getZExtValue() % Size == 0 && Out.Offset > 0;
  }
  const Value *Number = factor(Bytes, Size);
  return Number && counts(Number, Out);
}

} // namespace

std::optional<Allocated> allocated(const AllocaInst &Pointer, uint64_t Size, const DominatorTree &DT) {
  Allocated Out;
  Out.At = onlyStore(Pointer);
  auto *Call = Out.At ? dyn_cast<CallBase>(Out.At->getValueOperand()) : nullptr;
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  if (!Callee || !Callee->isDeclaration() || Size == 0 || !isAlone(*Call))
    return std::nullopt;
  StringRef Name = Callee->getName();
  bool Known = false;
  if ((Name == "malloc" || Name == "_Znam") && Call->arg_size() == 1)
    Known = elements(Call->getArgOperand(0), Size, Out);
  else if (Name == "calloc" && Call->arg_size() == 2)
    for (unsigned I : {0, 1})
      if (auto *C = dyn_cast<ConstantInt>(Call->getArgOperand(1 - I)); !Known && C && C->getBitWidth() <= 64 && C->getZExtValue() == Size)
        Known = counts(Call->getArgOperand(I), Out);
  if (!Known)
    return std::nullopt;
  if (Out.Length) {
    // With one store that comes before, the variable has the same value wherever the memory is that of the latest call.
    const StoreInst *Set = onlyStore(*Out.Length);
    if (!Set || !DT.dominates(Set, Out.Read) || !DT.dominates(Out.Read, Out.At))
      return std::nullopt;
  }
  return Out;
}
