// How the source calls a value or what lies at an address, and what type it gives it: from debug information.
#include "analysis.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static DIType *strip_names(DIType *T) {
  while (auto *D = dyn_cast_or_null<DIDerivedType>(T)) {
    if (D->getTag() != dwarf::DW_TAG_typedef && D->getTag() != dwarf::DW_TAG_const_type &&
        D->getTag() != dwarf::DW_TAG_volatile_type && D->getTag() != dwarf::DW_TAG_restrict_type)
      break;
    T = D->getBaseType();
  }
  return T;
}

// Name of the structure's member that `Address` points to, if `Base` is the structure and `Type` describes it (or, with
// `Indirect`, a pointer or reference to it).
static std::string member(const Module &M, const Value *Address, const Value *Base, DIType *Type, bool Indirect) {
  APInt Offset(64, 0);
  if (Address->stripAndAccumulateConstantOffsets(M.getDataLayout(), Offset, true) != Base)
    return {};
  Type = strip_names(Type);
  if (auto *D = dyn_cast_or_null<DIDerivedType>(Type); D && Indirect)
    Type = strip_names(D->getBaseType());
  if (auto *C = dyn_cast_or_null<DICompositeType>(Type))
    for (const DINode *N : C->getElements())
      if (auto *D = dyn_cast<DIDerivedType>(N))
        if (D->getTag() == dwarf::DW_TAG_member && D->getOffsetInBits() == Offset.getZExtValue() * 8)
          return D->getName().str();
  return {};
}

// A name that belongs to the implementation of the language.
static bool reserved(StringRef Name) {
  return Name.size() > 1 && Name[0] == '_' && (Name[1] == '_' || isUpper(Name[1]));
}

std::string memberPath(const DIType *Record, uint64_t Offset, uint64_t Bits) {
  constexpr unsigned Deepest = 16;
  std::string Path;
  const DIType *T = Record;
  for (unsigned Depth = 0; Depth < Deepest; ++Depth) {
    while (auto *D = dyn_cast_or_null<DIDerivedType>(T)) {
      if (D->getTag() != dwarf::DW_TAG_typedef && D->getTag() != dwarf::DW_TAG_const_type)
        return {};
      T = D->getBaseType();
    }
    if (auto *B = dyn_cast_or_null<DIBasicType>(T))
      return Offset == 0 && B->getSizeInBits() == Bits && Bits <= 64 ? Path : "";
    auto *C = dyn_cast_or_null<DICompositeType>(T);
    if (!C)
      return {};
    if (C->getTag() == dwarf::DW_TAG_array_type) {
      const DIType *Element = C->getBaseType();
      auto *Range = C->getElements().size() == 1 ? dyn_cast<DISubrange>(C->getElements()[0]) : nullptr;
      uint64_t Each = Element ? Element->getSizeInBits() : 0;
      if (!Range || Path.empty() || Each == 0 || C->getSizeInBits() % Each || Offset >= C->getSizeInBits())
        return {};
      Path += "[" + std::to_string(Offset / Each) + "]";
      Offset %= Each;
      T = Element;
      continue;
    }
    if (C->getTag() != dwarf::DW_TAG_structure_type && C->getTag() != dwarf::DW_TAG_class_type)
      return {};
    const DIDerivedType *Found = nullptr;
    for (const DINode *N : C->getElements()) {
      auto *D = dyn_cast<DIDerivedType>(N);
      if (!D || D->getTag() != dwarf::DW_TAG_member || D->isStaticMember())
        continue;
      if (D->getOffsetInBits() <= Offset && Offset < D->getOffsetInBits() + D->getSizeInBits())
        Found = D;
    }
    if (!Found || Found->isBitField() || Found->getName().empty() || reserved(Found->getName()))
      return {};
    Path += (Path.empty() ? "" : ".") + Found->getName().str();
    Offset -= Found->getOffsetInBits();
    T = Found->getBaseType();
  }
  return {};
}

std::optional<DIExpression::FragmentInfo> partOf(const DbgVariableRecord &R, const Type *Held) {
  auto Part = R.getExpression()->getFragmentInfo();
  if (!Part || Part->OffsetInBits != 0 || !Held->isSized())
    return Part;
  uint64_t Room = R.getModule()->getDataLayout().getTypeAllocSizeInBits(const_cast<Type *>(Held)).getKnownMinValue();
  auto Size = R.getVariable()->getSizeInBits();
  return Size && Room >= *Size ? std::nullopt : Part;
}

std::string reachableName(const DIGlobalVariable &D, const DIScope *From) {
  std::string Name = D.getName().str();
  const DIDerivedType *Member = D.getStaticDataMemberDeclaration();
  for (const DIScope *At = Member ? Member->getScope() : D.getScope(); At; At = At->getScope()) {
    if (!isa<DINamespace, DICompositeType>(At))
      break;
    for (const DIScope *Around = From; Around; Around = Around->getScope())
      if (Around == At)
        return Name;
    if (!At->getName().empty())
      Name = At->getName().str() + "::" + Name;
  }
  return Name;
}

// A variable that a value is described by.
struct Described {
  std::string Name;
  DIType *Type;
  bool Holds;     // the variable has the value; otherwise it lies at this address
  unsigned Depth; // functions inlined into each other around it
  const Instruction *At; // where it is from then on
  unsigned Line;         // of its declaration
  std::string Member; // of the variable, if the value is that of one of its members
  bool Part; // the value is that of a part of the variable, with a name or without
};

// The variables that describe a value: those of the function itself first, and those to which it was assigned where it
// was computed before those that took it over.
static SmallVector<Described, 4> described(Value *V) {
  SmallVector<Described, 4> Found;
  auto *Computed = dyn_cast<Instruction>(V);
  auto Add = [&](DbgVariableRecord *R, bool Holds) {
    DILocalVariable *Variable = R->getVariable();
    if (!Variable || Variable->getName().empty())
      return;
    unsigned Depth = 0;
    for (const DILocation *At = R->getDebugLoc().getInlinedAt(); At; At = At->getInlinedAt())
      ++Depth;
    auto Part = partOf(*R, V->getType());
    // Of a structure with one member that is as large as the whole.
    auto *Record = dyn_cast_or_null<DICompositeType>(strip_names(Variable->getType()));
    bool Only = Holds && Record && Record->getTag() != dwarf::DW_TAG_array_type && V->getType()->isPointerTy() && !isa<AllocaInst>(V);
    Found.push_back({Variable->getName().str(), Variable->getType(), Holds && !isa<AllocaInst>(V), Depth, R->getInstruction(),
                     Variable->getLine(), Part ? memberPath(Variable->getType(), Part->OffsetInBits, Part->SizeInBits) : "", Part || Only});
  };
  SmallVector<DbgVariableRecord *, 4> Records;
  findDbgValues(V, Records);
  for (DbgVariableRecord *R : Records)
    Add(R, true);
  for (DbgVariableRecord *R : findDVRDeclares(V))
    Add(R, false);
  auto Earlier = [&](const Described &X, const Described &Y) {
    if (X.Depth != Y.Depth || !Computed || !X.At || !Y.At)
      return X.Depth < Y.Depth;
    bool Here = X.At->getParent() == Computed->getParent(), There = Y.At->getParent() == Computed->getParent();
    return Here && There ? X.At->comesBefore(Y.At) : Here > There;
  };
  stable_sort(Found, Earlier);
  return Found;
}

static bool is_reference(DIType *T) {
  auto *D = dyn_cast_or_null<DIDerivedType>(strip_names(T));
  return D && (D->getTag() == dwarf::DW_TAG_reference_type || D->getTag() == dwarf::DW_TAG_rvalue_reference_type);
}

// What lies at `Address`, which is `Base` or a part of what is there, as the source names it through variable `By`. A
// name that ends in & is that of a reference that lies there.
static std::string place_through(const Module &M, const Value *Address, const Value *Base, const Described &By) {
  bool Reference = By.Holds && is_reference(By.Type);
  DIType *Type = strip_names(By.Type);
  if (auto *D = dyn_cast_or_null<DIDerivedType>(Type); D && By.Holds)
    Type = strip_names(D->getBaseType());
  std::string Object = !By.Holds || Reference ? By.Name : "*" + By.Name;
  APInt Offset(64, 0);
  bool Fixed = Address->stripAndAccumulateConstantOffsets(M.getDataLayout(), Offset, true) == Base;
  auto *Record = dyn_cast_or_null<DICompositeType>(Type);
  if (Record && Record->getTag() != dwarf::DW_TAG_array_type && Fixed &&
      Offset.ult(std::max<uint64_t>(Record->getSizeInBits() / 8, 1))) {
    for (const DINode *N : Record->getElements()) {
      auto *D = dyn_cast<DIDerivedType>(N);
      if (!D || D->getTag() != dwarf::DW_TAG_member || D->getOffsetInBits() != Offset.getZExtValue() * 8 ||
          D->getName().empty() || reserved(D->getName()))
        continue;
      std::string End = is_reference(D->getBaseType()) ? "&" : "";
      // What a lambda captures is named as outside of it.
      if (Record->getName().empty() && By.Name == "this")
        return D->getName().str() + End;
      return By.Name + (By.Holds && !Reference ? "->" : ".") + D->getName().str() + End;
    }
    return Object;
  }
  return Address == Base ? Object : By.Name + "[]";
}

// What a lambda captured, in which `Address` lies, as it is named outside of it; empty where that is another member, or
// part of one.
static std::string captured(const Module &M, const Value *Address, const Value *This, DIType *Type) {
  auto *D = dyn_cast_or_null<DIDerivedType>(strip_names(Type));
  auto *Record = D ? dyn_cast_or_null<DICompositeType>(strip_names(D->getBaseType())) : nullptr;
  if (!Record || !Record->getName().empty())
    return {};
  return member(M, Address, This, Type, true);
}

// The global whose value in a loop a phi is (steps.cpp): what it has next is stored there.
static GlobalVariable *held(const PHINode &Phi) {
  for (const Value *Next : Phi.incoming_values()) {
    auto *Step = dyn_cast<Instruction>(Next);
    if (!Step || !is_contained(Step->operands(), &Phi))
      continue;
    for (const User *U : Step->users())
      if (auto *S = dyn_cast<StoreInst>(U); S && S->getValueOperand() == Step)
        if (auto *G = dyn_cast<GlobalVariable>(S->getPointerOperand()); G && G->hasMetadata(LLVMContext::MD_dbg))
          return const_cast<GlobalVariable *>(G);
  }
  return nullptr;
}

// As `ps_variable_name`.
static std::string variable_name(Value *V, const Function &From) {
  std::string Name;
  DIType *Type = nullptr; // of the variable
  auto FromDebug = [&](Value *X) {
    SmallVector<Described, 4> Found = described(X);
    // What lies at a pointer does not lie at that of which the pointer is a part.
    if (X != V)
      erase_if(Found, [](const Described &By) { return By.Part; });
    if (!Found.empty()) {
      Name = Found[0].Name;
      if (X == V && !Found[0].Member.empty())
        Name += "." + Found[0].Member;
      Type = Found[0].Type;
    }
  };
  FromDebug(V);
  if (GlobalVariable *G = Name.empty() && isa<PHINode>(V) ? held(cast<PHINode>(*V)) : nullptr)
    return variable_name(G, From);
  if (Name.empty() && V->getType()->isPointerTy()) {
    const Value *Base = getUnderlyingObject(V, 0);
    bool Element = V != Base;
    if (auto *G = dyn_cast<GlobalVariable>(Base)) {
      Name = G->getName().str();
      SmallVector<DIGlobalVariableExpression *, 1> GVs;
      G->getDebugInfo(GVs);
      if (!GVs.empty()) {
        Name = reachableName(*GVs[0]->getVariable(), From.getSubprogram());
        Type = GVs[0]->getVariable()->getType();
      }
      Element = V != Base && G->getValueType()->isArrayTy();
      if (std::string Member = member(*G->getParent(), V, Base, Type, false); !Member.empty())
        Name += "." + Member;
      else if (Element)
        Name += "[]";
    } else {
      FromDebug(const_cast<Value *>(Base));
      auto *Place = dyn_cast<Instruction>(V);
      if (Name.empty())
        ;
      else if (std::string Captured = Place && Name == "this" ? captured(*Place->getModule(), V, Base, Type) : ""; !Captured.empty())
        Name = Captured;
      else if (std::string Member = Place ? member(*Place->getModule(), V, Base, Type, true) : ""; !Member.empty())
        Name += "->" + Member;
      else
        Name = Element ? Name + "[]" : "*" + Name;
    }
  }
  return Name;
}

// Whether a variable is a pointer to numbers, or pointers, of the size of the elements that an address is computed by.
static bool leads_to_elements(const Module &M, const Value *Address, const Described &By) {
  auto *Element = dyn_cast<GEPOperator>(Address);
  auto *Pointer = dyn_cast_or_null<DIDerivedType>(strip_names(By.Type));
  DIType *T = Pointer && By.Holds && Pointer->getTag() == dwarf::DW_TAG_pointer_type ? strip_names(Pointer->getBaseType()) : nullptr;
  return Element && T && !isa<DICompositeType>(T) &&
         M.getDataLayout().getTypeSizeInBits(Element->getSourceElementType()) == T->getSizeInBits();
}

// As `ps_place_name`.
static std::string place_name(Value *V, const Function &In, bool Inlined) {
  auto *Base = const_cast<Value *>(getUnderlyingObject(V, 0));
  if (isa<GlobalVariable>(Base))
    return variable_name(V, In);
  auto *At = dyn_cast<Instruction>(V);
  auto *Argument_ = dyn_cast<Argument>(V);
  if (!At && !Argument_)
    return {};
  const Module &M = At ? *At->getModule() : *Argument_->getParent()->getParent();
  for (Value *From : {V, Base}) {
    SmallVector<Described, 4> Found = described(From);
    erase_if(Found, [&](const Described &By) {
      bool Library = By.Depth > 0 && (By.Name == "this" || reserved(By.Name));
      return (By.Depth > 0 && !Inlined) || Library || By.Part;
    });
    if (Found.empty())
      continue;
    // Of variables that hold the same address (a structure's, and that of its first member) the one that leads to such
    // elements.
    auto *By = find_if(Found, [&](const Described &D) { return D.Depth == Found[0].Depth && leads_to_elements(M, V, D); });
    return place_through(M, V, From, By == Found.end() ? Found[0] : *By);
  }
  return {};
}

// Whether an integer type of the source, or that of what a reference or array of such leads to, is signed; -1: not
// known.
static int32_t is_signed(DIType *T) {
  T = strip_names(T);
  if (auto *C = dyn_cast_or_null<DICompositeType>(T); C && C->getTag() == dwarf::DW_TAG_array_type)
    T = strip_names(C->getBaseType());
  if (is_reference(T))
    T = strip_names(cast<DIDerivedType>(T)->getBaseType());
  auto *B = dyn_cast_or_null<DIBasicType>(T);
  if (!B || !B->getSignedness())
    return -1;
  return *B->getSignedness() == DIBasicType::Signedness::Signed;
}

static const Function &functionOf(LLVMValueRef At) {
  auto *I = dyn_cast<Instruction>(unwrap(At));
  return I ? *I->getFunction() : *unwrap<Function>(At);
}

static uint32_t give(const std::string &Text, char *Out, uint32_t Cap) {
  for (uint32_t I = 0; I < Text.size() && I < Cap; ++I)
    Out[I] = Text[I];
  return Text.size() < Cap ? Text.size() : Cap;
}

// Blocks in which a function's own variables are set, as a whole or in part, in a register, by the variables' names:
// those that lie in memory as a whole are in none.
static BlocksByName in_registers(Function &F) {
  BlocksByName Found;
  for (Instruction &I : instructions(F))
    for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange())) {
      if (R.getDebugLoc()->getInlinedAt())
        continue;
      auto &Blocks = Found[R.getVariable()->getName()];
      bool Placed = R.isDbgDeclare() || R.isDbgAssign();
      auto *Slot = Placed ? dyn_cast_or_null<AllocaInst>(R.getAddress()) : nullptr;
      auto Bits = R.getVariable()->getSizeInBits();
      auto Bytes = Slot ? Slot->getAllocationSize(F.getDataLayout()) : std::nullopt;
      bool Part = R.isDbgDeclare() && R.getExpression()->getNumElements();
      if (!Bytes || !Bits || Part || Bytes->getFixedValue() * 8 < *Bits)
        Blocks.push_back(I.getParent());
    }
  return Found;
}

extern "C" {

int32_t ps_is_signed(LLVMValueRef Value_) {
  Value *V = unwrap(Value_);
  if (auto *G = dyn_cast<GlobalVariable>(V->getType()->isPointerTy() ? getUnderlyingObject(V, 0) : V)) {
    SmallVector<DIGlobalVariableExpression *, 1> GVs;
    G->getDebugInfo(GVs);
    return GVs.empty() ? -1 : is_signed(GVs[0]->getVariable()->getType());
  }
  SmallVector<Described, 4> Found = described(V);
  return Found.empty() ? -1 : is_signed(Found[0].Type);
}

uint32_t ps_member_through(LLVMValueRef Address, LLVMValueRef Pointer, char *Out, uint32_t Cap) {
  auto *From = dyn_cast<LoadInst>(unwrap(Pointer));
  auto *G = From ? dyn_cast<GlobalVariable>(From->getPointerOperand()) : nullptr;
  SmallVector<DIGlobalVariableExpression *, 1> GVs;
  if (G)
    G->getDebugInfo(GVs);
  if (GVs.empty())
    return 0;
  return give(member(*G->getParent(), unwrap(Address), From, GVs[0]->getVariable()->getType(), true), Out, Cap);
}

uint32_t ps_variable_name(LLVMValueRef Value_, LLVMValueRef At, char *Out, uint32_t Cap) {
  return give(variable_name(unwrap(Value_), functionOf(At)), Out, Cap);
}

uint32_t ps_declared_line(LLVMValueRef Slot) {
  SmallVector<Described, 4> Found = described(unwrap(Slot));
  return Found.empty() || Found[0].Depth ? 0 : Found[0].Line;
}

LLVMValueRef ps_global_named(LLVMValueRef Function_, const char *Name, uint32_t Length, uint32_t Line) {
  GlobalVariable *Found = nullptr;
  auto *F = unwrap<Function>(Function_);
  for (GlobalVariable &G : F->getParent()->globals()) {
    SmallVector<DIGlobalVariableExpression *, 1> Of;
    G.getDebugInfo(Of);
    if (Of.size() != 1 || Of[0]->getVariable()->getLine() != Line ||
        reachableName(*Of[0]->getVariable(), F->getSubprogram()) != StringRef(Name, Length))
      continue;
    if (Found)
      return nullptr;
    Found = &G;
  }
  return wrap(Found);
}

uint32_t ps_variable_names(LLVMValueRef Value_, char *Out, uint32_t Cap) {
  std::string Names;
  for (const Described &By : described(unwrap(Value_)))
    if (By.Holds)
      Names += By.Name + "\n";
  return give(Names, Out, Cap);
}

int32_t ps_shows(PsAnalysis *A, uint32_t Index, const char *Name, uint32_t Length) {
  if (!A->InRegisters)
    A->InRegisters = in_registers(*A->F);
  auto Found = A->InRegisters->find(StringRef(Name, Length));
  auto Inside = [&](const BasicBlock *BB) { return A->Loops[Index]->contains(BB); };
  return Found != A->InRegisters->end() && none_of(Found->second, Inside);
}

uint32_t ps_place_name(LLVMValueRef Address, LLVMValueRef At, int32_t Inlined, char *Out, uint32_t Cap) {
  return give(place_name(unwrap(Address), functionOf(At), Inlined), Out, Cap);
}
}
