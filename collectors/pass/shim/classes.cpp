// Whether a directive's clauses can copy objects of a C++ type, as far as the debug information tells.
#include "analysis.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace {

const DIType *target(const DIType *T, std::initializer_list<unsigned> Through) {
  while (auto *D = dyn_cast_or_null<DIDerivedType>(T)) {
    if (!is_contained(Through, D->getTag()))
      break;
    T = D->getBaseType();
  }
  return T;
}

// A member function that the language calls by itself, and whether a clause can call it.
enum class Special { None, Yes, No };

void note(Special &S, bool Usable) { S = Usable ? Special::Yes : Special::No; }

} // namespace

// A clause makes an object without arguments, copies it, and assigns it. A class of the program that declares how may
// do more or less than that. Of the library's, what is declared is usable where it is public and not deleted; what is
// not declared is where it is of all members and bases. What the debug information does not show in full is not sure.
bool copies(const DIType *T, unsigned Depth) {
  T = target(T, {dwarf::DW_TAG_typedef, dwarf::DW_TAG_volatile_type});
  if (auto *D = dyn_cast_or_null<DIDerivedType>(T))
    return D->getTag() == dwarf::DW_TAG_pointer_type || D->getTag() == dwarf::DW_TAG_ptr_to_member_type;
  auto *C = dyn_cast_or_null<DICompositeType>(T);
  if (!C || C->getTag() == dwarf::DW_TAG_enumeration_type)
    return true;
  if (Depth == 0)
    return false;
  if (C->getTag() == dwarf::DW_TAG_array_type)
    return copies(C->getBaseType(), Depth - 1);
  // Strings are compiled in the library, where their debug information is; complex numbers have a constructor whose
  // arguments have defaults.
  if (C->getName().starts_with("basic_string<") || C->getName().starts_with("complex<"))
    return true;
  if (C->isForwardDecl())
    return false;
  bool Library = false;
  for (const DIScope *At = C->getScope(); At; At = At->getScope())
    Library |= isa<DINamespace>(At) && At->getName() == "std";
  bool Constructed = false, Moved = false, Called = false;
  Special Default = Special::None, Copy = Special::None, Assign = Special::None;
  StringRef Name = C->getName().split('<').first;
  for (const DINode *E : C->getElements()) {
    auto *F = dyn_cast<DISubprogram>(E);
    if (!F || !F->getType())
      continue;
    bool Constructor = F->getName().split('<').first == Name;
    Called |= F->getName() == "operator()";
    unsigned Access = F->getFlags() & DINode::FlagAccessibility;
    bool Public = Access == DINode::FlagPublic || (!Access && C->getTag() != dwarf::DW_TAG_class_type);
    bool Usable = Public && !F->isDeleted();
    bool Destructor = F->getName().starts_with("~");
    if (Destructor && !(Usable && Library))
      return false;
    if (!Constructor && F->getName() != "operator=")
      continue;
    if (!Library)
      return false;
    Constructed |= Constructor;
    auto Types = F->getType()->getTypeArray(); // the result, `this`, arguments
    if (Constructor && Types.size() == 2)
      note(Default, Usable);
    if (Types.size() != 3 || !F->getTemplateParams().empty())
      continue;
    auto *Argument = dyn_cast_or_null<DIDerivedType>(Types[2]);
    bool Reference = Argument && (Argument->getTag() == dwarf::DW_TAG_reference_type ||
                                  Argument->getTag() == dwarf::DW_TAG_rvalue_reference_type);
    if (!Reference || target(Argument->getBaseType(), {dwarf::DW_TAG_const_type, dwarf::DW_TAG_typedef}) != C)
      continue;
    if (Argument->getTag() == dwarf::DW_TAG_rvalue_reference_type)
      Moved = true;
    else
      note(Constructor ? Copy : Assign, Usable);
  }
  if (Default == Special::No || Copy == Special::No || Assign == Special::No)
    return false;
  if ((Constructed && Default == Special::None) || (Moved && (Copy == Special::None || Assign == Special::None)))
    return false;
  if (Name.empty() && Called)
    return false; // a lambda
  for (const DITemplateParameter *P : C->getTemplateParams())
    if (isa<DITemplateTypeParameter>(P) && P->getType()) {
      auto *Of = dyn_cast<DICompositeType>(target(P->getType(), {dwarf::DW_TAG_typedef}));
      if (Of && !Of->isForwardDecl() && !copies(Of, Depth - 1))
        return false;
    }
  if (Default != Special::None && Copy != Special::None && Assign != Special::None)
    return true;
  return all_of(C->getElements(), [&](const DINode *E) {
    auto *Member = dyn_cast<DIDerivedType>(E);
    if (!Member || Member->isStaticMember())
      return true;
    if (Member->getTag() == dwarf::DW_TAG_inheritance || Member->getTag() == dwarf::DW_TAG_member)
      return copies(Member->getBaseType(), Depth - 1);
    return true;
  });
}
