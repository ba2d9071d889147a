// How a subscript follows from variables: a sum of them, divided by a constant or taken modulo one, and others added to
// that. Where it is divided, several values of a variable give the same element.
#include "analysis.h"

using namespace llvm;

namespace {

constexpr unsigned Deepest = 12;

class FoldReader {
public:
  explicit FoldReader(function_ref<std::optional<uint32_t>(const Value *)> Number) : Number(Number) {}

  std::optional<Fold> read(const Value *V, unsigned Depth = 0) {
    if (Depth > Deepest || !V->getType()->isIntegerTy())
      return std::nullopt;
    if (auto *C = dyn_cast<ConstantInt>(V))
      return C->getBitWidth() <= 64 ? std::optional(Fold{}) : std::nullopt;
    if (isa<SExtInst, ZExtInst>(V))
      return read(cast<CastInst>(V)->getOperand(0), Depth + 1);
    if (auto *Cut = dyn_cast<TruncInst>(V)) {
      auto Of = read(Cut->getOperand(0), Depth + 1);
      unsigned Bits = Cut->getType()->getIntegerBitWidth();
      return !Of || Bits >= 32 ? Of : modulo(std::move(*Of), uint64_t(1) << Bits);
    }
    if (auto *L = dyn_cast<LoadInst>(V))
      return variable(*L, Depth);
    if (auto *B = dyn_cast<BinaryOperator>(V))
      return binary(*B, Depth);
    return std::nullopt;
  }

private:
  function_ref<std::optional<uint32_t>(const Value *)> Number;

  std::optional<Fold> variable(const LoadInst &L, unsigned Depth) {
    const Value *At = L.getPointerOperand();
    if (auto *G = dyn_cast<GlobalVariable>(At); G && G->isConstant() && G->hasDefinitiveInitializer())
      if (isa<ConstantInt>(G->getInitializer()))
        return Fold{};
    // What is set once and by such a subscript is that.
    if (auto *Slot = dyn_cast<AllocaInst>(At))
      if (const StoreInst *Only = onlyStore(*Slot))
        if (auto Of = read(Only->getValueOperand(), Depth + 1); Of && !Of->Inner.empty())
          return Of;
    auto Of = Number(At);
    if (!Of || !L.getType()->isIntegerTy())
      return std::nullopt;
    Fold Plain;
    Plain.Inner.push_back({*Of, 1});
    return Plain;
  }

  static std::optional<Fold> modulo(Fold Of, uint64_t By) {
    if (!Of.Outer.empty() || !By)
      return std::nullopt;
    Of.Modulus = Of.Modulus ? std::min(Of.Modulus, By) : By;
    return Of;
  }

  static std::optional<Fold> divided(Fold Of, uint64_t By) {
    if (!By || (By > 1 && !Of.Outer.empty()))
      return std::nullopt;
    if (Of.Modulus)
      Of.Modulus = divideCeil(Of.Modulus, By);
    Of.Divisor = SaturatingMultiply(Of.Divisor, By);
    return Of;
  }

  static std::optional<Fold> times(Fold Of, uint64_t By) {
    if (!By)
      return Fold{};
    if (!Of.isFolded())
      for (auto &[Var, Scale] : Of.Inner)
        Scale = SaturatingMultiply(Scale, By);
    return Of;
  }

  // Bits that a mask keeps: the lower ones that it takes away divide, the upper ones are a modulus.
  static std::optional<Fold> masked(Fold Of, const APInt &Mask) {
    if (Mask.isZero())
      return Fold{};
    unsigned Low = Mask.countr_zero(), Kept = Mask.lshr(Low).countr_one();
    // Of a mask of at most 64 bits.
    bool Upper = Low + Kept < Mask.getBitWidth();
    if (Low) {
      auto Divided = divided(std::move(Of), uint64_t(1) << Low);
      if (!Divided)
        return std::nullopt;
      Of = std::move(*Divided);
    }
    return Upper && Kept < 64 ? modulo(std::move(Of), uint64_t(1) << Kept) : std::optional(std::move(Of));
  }

  // A sum or product: of one that is folded and others, or of plain ones. What a product multiplies by is not known.
  static std::optional<Fold> together(Fold A, Fold B, bool Product) {
    if (B.isFolded())
      std::swap(A, B);
    if (B.isFolded())
      return std::nullopt;
    for (auto [Var, Scale] : B.Inner) {
      if (A.isFolded())
        A.Outer.push_back(Var);
      else
        A.Inner.push_back({Var, Scale});
    }
    if (Product && !A.isFolded())
      for (auto &[Var, Scale] : A.Inner)
        Scale = 0;
    return A;
  }

  std::optional<Fold> binary(const BinaryOperator &B, unsigned Depth) {
    auto *C = dyn_cast<ConstantInt>(B.getOperand(1));
    auto A = read(B.getOperand(0), Depth + 1);
    if (!A || B.getType()->getIntegerBitWidth() > 64)
      return std::nullopt;
    uint64_t By = C ? C->getValue().abs().getZExtValue() : 0;
    switch (B.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul: {
      bool Product = B.getOpcode() == Instruction::Mul;
      if (C)
        return Product ? times(std::move(*A), By) : A;
      auto Other = read(B.getOperand(1), Depth + 1);
      return Other ? together(std::move(*A), std::move(*Other), Product) : std::nullopt;
    }
    case Instruction::Shl:
      return C && By < 63 ? times(std::move(*A), uint64_t(1) << By) : std::nullopt;
    case Instruction::LShr:
    case Instruction::AShr:
      return C && By < 63 ? divided(std::move(*A), uint64_t(1) << By) : std::nullopt;
    case Instruction::UDiv:
    case Instruction::SDiv:
      return C ? divided(std::move(*A), By) : std::nullopt;
    case Instruction::URem:
    case Instruction::SRem:
      return C ? modulo(std::move(*A), By) : std::nullopt;
    case Instruction::And:
      return C ? masked(std::move(*A), C->getValue()) : std::nullopt;
    default:
      return std::nullopt;
    }
  }
};

} // namespace

std::optional<Fold> fold(const Value *Subscript, function_ref<std::optional<uint32_t>(const Value *)> Number) {
  return FoldReader(Number).read(Subscript);
}
