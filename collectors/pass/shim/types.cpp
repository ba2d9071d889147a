// What the debug information and the module say of the types of variables, and of what is accessed.
#include "source.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

const DIType *plain(const DIType *T) {
  while (auto *D = dyn_cast_or_null<DIDerivedType>(T)) {
    switch (D->getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
    case dwarf::DW_TAG_atomic_type:
      T = D->getBaseType();
      continue;
    default:
      return T;
    }
  }
  return T;
}

namespace {

bool qualified(const DIType *T, unsigned Tag) {
  for (auto *D = dyn_cast_or_null<DIDerivedType>(T); D; D = dyn_cast_or_null<DIDerivedType>(D->getBaseType())) {
    if (D->getTag() == Tag)
      return true;
    if (D->getTag() == dwarf::DW_TAG_pointer_type || D->getTag() == dwarf::DW_TAG_member)
      return false;
  }
  return false;
}

bool isUnsigned(const DIType *T) {
  auto *B = dyn_cast_or_null<DIBasicType>(T);
  return B && B->getSignedness() == DIBasicType::Signedness::Unsigned;
}

bool isCPlusPlus(const Function &F) {
  return isWrittenIn(F, dwarf::DW_LNAME_C_plus_plus, dwarf::isCPlusPlus);
}

// They are reduced by calls of a library that nobody links, whatever their size.
bool isComplex(const DIType *T) {
  auto *B = dyn_cast_or_null<DIBasicType>(T);
  return B && B->getEncoding() == dwarf::DW_ATE_complex_float;
}

// What a pointer or reference leads to.
void target(const Function &F, PsSourceVariable &V, const DIDerivedType *Pointer) {
  V.is_reference = Pointer->getTag() == dwarf::DW_TAG_reference_type;
  if (Pointer->getTag() != dwarf::DW_TAG_pointer_type && !V.is_reference)
    return;
  const DIType *To = Pointer->getBaseType();
  while (auto *D = dyn_cast_or_null<DIDerivedType>(To)) {
    if (D->getTag() != dwarf::DW_TAG_typedef)
      return; // qualified, or a pointer
    To = D->getBaseType();
  }
  auto *B = dyn_cast_or_null<DIBasicType>(To);
  auto *C = dyn_cast_or_null<DICompositeType>(To);
  if (B && B->getEncoding() != dwarf::DW_ATE_boolean && !isComplex(B) && B->getSizeInBits() <= 64 && B->getSizeInBits() % 8 == 0)
    V.target = 1;
  else if (C && (C->getTag() == dwarf::DW_TAG_structure_type || C->getTag() == dwarf::DW_TAG_class_type) &&
           !(isCPlusPlus(F) && !copies(C)))
    V.target = 3;
  V.target_bytes = V.target ? To->getSizeInBits() / 8 : 0;
}

static bool isUnion(Type *T) {
  while (auto *A = dyn_cast_or_null<ArrayType>(T))
    T = A->getElementType();
  auto *Struct = dyn_cast_or_null<StructType>(T);
  return Struct && Struct->hasName() && Struct->getName().starts_with("union.");
}

// Whether the language says that an access is of objects of its type alone: the compiler's own notes do, where it
// optimizes and may go by types at all; where it does not, accesses are taken for such, but those of members of
// unions.
bool typed(const Instruction &I, const Value *P) {
  const DISubprogram *SP = I.getFunction()->getSubprogram();
  if (I.getMetadata(LLVMContext::MD_tbaa) || (SP && SP->isOptimized()))
    return ps_strict_access(wrap(&I));
  for (auto *GEP = dyn_cast<GEPOperator>(P); GEP; GEP = dyn_cast<GEPOperator>(GEP->getPointerOperand()))
    if (isUnion(GEP->getSourceElementType()) || isUnion(GEP->getResultElementType()))
      return false;
  auto *G = dyn_cast<GlobalVariable>(P);
  auto *A = dyn_cast<AllocaInst>(P);
  return !isUnion(G ? G->getValueType() : A ? A->getAllocatedType() : nullptr);
}

uint32_t numberCode(const Type *T, uint64_t Bytes) {
  return (T->isPointerTy() ? 1 : T->isFloatingPointTy() ? 2 : T->isIntegerTy() ? 3 : 4) << 16 | (uint32_t)Bytes;
}

// The bit of a type's code.
uint32_t bit(uint32_t Code) { return 1u << (((Code >> 16) * 5 + Log2_32((Code & 0xffff) | 1)) & 31); }

} // namespace

void shape(const SourceFunction &In, PsSourceVariable &V, const DIType *T, Type *Ty) {
  V.is_volatile = qualified(T, dwarf::DW_TAG_volatile_type);
  V.is_restrict = qualified(T, dwarf::DW_TAG_restrict_type);
  const DIType *P = plain(T);
  if (isa_and_nonnull<DIDerivedType>(P)) {
    V.shape = 1;
  } else if (auto *C = dyn_cast_or_null<DICompositeType>(P)) {
    V.type = In.S.text(C->getName());
    if (C->getTag() == dwarf::DW_TAG_array_type) {
      V.shape = 2;
      V.elements = 1;
      if (auto *A = dyn_cast_or_null<ArrayType>(Ty)) {
        Type *E = A;
        while (auto *Inner = dyn_cast<ArrayType>(E)) {
          V.elements *= Inner->getNumElements();
          E = Inner->getElementType();
        }
        // Clauses reduce arrays of numbers of one word only.
        auto *Of = dyn_cast_or_null<DIBasicType>(plain(C->getBaseType()));
        if (E->isStructTy() || E->getPrimitiveSizeInBits() > 64 || !Of || Of->getEncoding() == dwarf::DW_ATE_boolean)
          V.elements = 0;
      } else
        V.elements = 0;
    } else if (C->getTag() == dwarf::DW_TAG_enumeration_type)
      V.wide = 1; // no clause reduces it in C++
    else
      V.shape = 3;
  }
  if (V.shape == 1)
    target(In.F, V, cast<DIDerivedType>(P));
  V.uncopied = V.shape >= 2 && isCPlusPlus(In.F) && !copies(T);
  V.wide |= isComplex(P) || (Ty && !Ty->isArrayTy() && In.DL.getTypeAllocSize(Ty) > 8);
  if (V.shape == 0)
    V.is_integer = Ty && Ty->isIntegerTy() ? isUnsigned(P) ? 2 : 1 : 0;
}

uint32_t typeCode(const Instruction &I, const Value *Address, Type *T, uint64_t Bytes) {
  if (!T || Bytes == 1 || T->isAggregateType() || !typed(I, Address))
    return 0; // may be the same as anything
  return numberCode(T, Bytes);
}

uint32_t partsOf(uint32_t TypeCode, uint64_t Bytes) {
  if (TypeCode)
    return bit(TypeCode);
  return Bytes == 1 ? bit(3 << 16 | 1) : UINT32_MAX;
}

void addParts(Type *T, uint32_t &Bits) {
  if (auto *A = dyn_cast<ArrayType>(T)) {
    addParts(A->getElementType(), Bits);
  } else if (isUnion(T)) {
    Bits = UINT32_MAX;
  } else if (auto *Struct = dyn_cast<StructType>(T)) {
    for (Type *E : Struct->elements())
      addParts(E, Bits);
  } else if (T->isSized()) {
    uint64_t Bytes = T->getPrimitiveSizeInBits() / 8;
    Bits |= bit(numberCode(T, T->isPointerTy() ? 8 : (uint32_t)Bytes));
  }
}
