// What loops of one function do with the variables that the source declares, before any preparation: every local still
// has a stack slot with a debug record. Plain lists for the Rust part, which decides.
#include "source.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Operator.h"

#include <memory>
#include <string>
#include <vector>

using namespace llvm;

struct PsSource {
  std::vector<uint32_t> Edges; // pairs
  std::vector<PsSourceBlock> Blocks;
  std::vector<PsSourceVariable> Variables;
  std::vector<PsSourceAccess> Accesses;
  std::vector<PsSourceStep> Steps;
  std::vector<PsSourceLoop> Loops;
  std::vector<uint32_t> LoopBlocks;
  std::vector<std::unique_ptr<std::string>> Names;

  PsText text(StringRef S) {
    Names.push_back(std::make_unique<std::string>(S.str()));
    return {Names.back()->data(), (uint32_t)Names.back()->size()};
  }
};

namespace {

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

bool qualified(const DIType *T, unsigned Tag) {
  for (auto *D = dyn_cast_or_null<DIDerivedType>(T); D; D = dyn_cast_or_null<DIDerivedType>(D->getBaseType())) {
    if (D->getTag() == Tag)
      return true;
    if (D->getTag() == dwarf::DW_TAG_pointer_type || D->getTag() == dwarf::DW_TAG_member)
      return false;
  }
  return false;
}

class Reader {
public:
  Reader(Function &F, PsSource &S) : F(F), S(S), DL(F.getDataLayout()), DT(F), LI(DT), InTests(accessorsInTests(LI)) {}

  void run() {
    for (GlobalVariable &G : F.getParent()->globals())
      if (G.isThreadLocal())
        for (User *U : G.users())
          if (auto *I = dyn_cast<Instruction>(U); I && I->getFunction() != &F)
            Owned[I->getFunction()] = sourceName(G);
    for (BasicBlock &BB : F) {
      Number[&BB] = S.Blocks.size();
      S.Blocks.push_back({});
    }
    for (BasicBlock &BB : F) {
      auto *II = dyn_cast_or_null<InvokeInst>(BB.getTerminator());
      for (BasicBlock *To : successors(&BB)) {
        S.Edges.push_back(Number[&BB]);
        S.Edges.push_back(Number[To]);
        if (II && To == II->getUnwindDest())
          S.Blocks[Number[To]].unwinding = 1;
      }
      if (auto *Pad = BB.getLandingPadInst())
        S.Blocks[Number[&BB]].catches = Pad->getNumClauses() > 0;
      for (Instruction &I : BB)
        if (const DebugLoc &D = I.getDebugLoc())
          if (D.getLine() && !S.Blocks[Number[&BB]].line)
            S.Blocks[Number[&BB]].line = D.getLine();
    }
    for (Instruction &I : instructions(F)) {
      auto *II = dyn_cast<IntrinsicInst>(&I);
      Restores |= II && II->getIntrinsicID() == Intrinsic::stackrestore;
      if (isa<AllocaInst>(I))
        declare(&I);
    }
    for (Argument &A : F.args())
      declare(&A);
    for (Instruction &I : instructions(F))
      if (auto *Slot = dyn_cast<AllocaInst>(&I))
        allocate(*Slot);
    for (BasicBlock &BB : F)
      for (Instruction &I : BB)
        access(I);
    for (Loop *L : LI.getLoopsInPreorder())
      loop(*L);
  }

private:
  Function &F;
  PsSource &S;
  const DataLayout &DL;
  DominatorTree DT;
  LoopInfo LI;
  DenseMap<const BasicBlock *, uint32_t> Number;
  DenseMap<const Value *, uint32_t> Variable;
  std::vector<const DILocalVariable *> Debug;
  std::vector<const DIType *> Types;
  DenseMap<const Function *, StringRef> Owned; // functions that use a thread's own variables, with one of these
  DenseMap<const Function *, bool> CallsBack;
  SmallPtrSet<const CallBase *, 8> InTests; // calls that become a part of this function
  std::optional<bool> Recurs; // of `recurs`, once it is known
  bool Restores = false; // whether arrays of variable length are given back

  static bool isUnsigned(const DIType *T) {
    auto *B = dyn_cast_or_null<DIBasicType>(T);
    return B && B->getSignedness() == DIBasicType::Signedness::Unsigned;
  }

  bool isCPlusPlus() const {
    return isWrittenIn(F, dwarf::DW_LNAME_C_plus_plus, dwarf::isCPlusPlus);
  }

  // They are reduced by calls of a library that nobody links, whatever their size.
  static bool isComplex(const DIType *T) {
    auto *B = dyn_cast_or_null<DIBasicType>(T);
    return B && B->getEncoding() == dwarf::DW_ATE_complex_float;
  }

  // What a pointer or reference leads to.
  void target(PsSourceVariable &V, const DIDerivedType *Pointer) {
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
             !(isCPlusPlus() && !copies(C)))
      V.target = 3;
    V.target_bytes = V.target ? To->getSizeInBits() / 8 : 0;
  }

  void shape(PsSourceVariable &V, const DIType *T, Type *Ty) {
    V.is_volatile = qualified(T, dwarf::DW_TAG_volatile_type);
    V.is_restrict = qualified(T, dwarf::DW_TAG_restrict_type);
    const DIType *P = plain(T);
    if (isa_and_nonnull<DIDerivedType>(P)) {
      V.shape = 1;
    } else if (auto *C = dyn_cast_or_null<DICompositeType>(P)) {
      V.type = S.text(C->getName());
      if (C->getTag() == dwarf::DW_TAG_array_type) {
        V.shape = 2;
        V.elements = 1;
        if (auto *A = dyn_cast_or_null<ArrayType>(Ty)) {
          for (Type *E = A; auto *Inner = dyn_cast<ArrayType>(E); E = Inner->getElementType())
            V.elements *= Inner->getNumElements();
          // Clauses reduce arrays of numbers of one word only.
          Type *E = A;
          while (auto *Inner = dyn_cast<ArrayType>(E))
            E = Inner->getElementType();
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
      target(V, cast<DIDerivedType>(P));
    V.uncopied = V.shape >= 2 && isCPlusPlus() && !copies(T);
    V.wide |= isComplex(P) || (Ty && !Ty->isArrayTy() && DL.getTypeAllocSize(Ty) > 8);
    if (V.shape == 0)
      V.is_integer = Ty && Ty->isIntegerTy() ? isUnsigned(P) ? 2 : 1 : 0;
  }

  // PsSourceVariable::infinite
  uint32_t infinite(const Value &Variable, const PsSourceVariable &V) {
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

  // Records of variables that lie at an address. Assignment tracking has put records of assignments in the place of
  // declarations where the compiler optimizes.
  static SmallVector<DbgVariableRecord *, 2> lyingAt(const Value *Slot) {
    SmallVector<DbgVariableRecord *, 2> Records;
    append_range(Records, findDVRDeclares(const_cast<Value *>(Slot)));
    if (auto *A = dyn_cast<AllocaInst>(Slot))
      append_range(Records, at::getDVRAssignmentMarkers(A));
    return Records;
  }

  void declare(Value *Slot) {
    for (DbgVariableRecord *R : lyingAt(Slot)) {
      const DILocalVariable *D = R->getVariable();
      auto *Made = dyn_cast<AllocaInst>(Slot);
      bool Whole = R->getExpression()->getNumElements() == 0 ||
                   (Made && R->getExpression()->isFragment() && !partOf(*R, Made->getAllocatedType()));
      if (!D || !Whole || Variable.count(Slot))
        continue;
      PsSourceVariable V{};
      V.name = S.text(D->getName());
      V.line = D->getLine();
      V.artificial = D->isArtificial() || D->getName().empty();
      Type *Ty = nullptr;
      if (Made) {
        Ty = Made->getAllocatedType();
        if (!Made->isArrayAllocation())
          V.bytes = DL.getTypeAllocSize(Ty);
        else
          Ty = nullptr;
      } else if (auto *A = dyn_cast<Argument>(Slot); A && A->hasByValAttr()) {
        Ty = A->getParamByValType();
        V.bytes = DL.getTypeAllocSize(Ty);
      }
      shape(V, D->getType(), Ty);
      if (Ty)
        parts(Ty, V.parts);
      V.infinite = infinite(*Slot, V);
      V.allocated = V.length = UINT32_MAX;
      Variable[Slot] = S.Variables.size();
      S.Variables.push_back(V);
      Debug.push_back(D);
      Types.push_back(D->getType());
    }
  }

  // PsSourceVariable::allocated
  void allocate(const AllocaInst &Slot) {
    auto Found = Variable.find(&Slot);
    if (Found == Variable.end() || S.Variables[Found->second].target != 1)
      return;
    PsSourceVariable &V = S.Variables[Found->second];
    auto Memory = allocated(Slot, V.target_bytes, DT);
    if (!Memory)
      return;
    if (Memory->Length) {
      auto Length = Variable.find(Memory->Length);
      // In the loop its name must mean it.
      if (Length == Variable.end() || !surrounds(Debug[Length->second], Debug[Found->second]))
        return;
      V.length = Length->second;
    }
    V.allocated = Number[Memory->At->getParent()];
    V.length_offset = Memory->Offset;
  }

  // Whether the scope of a variable is that of another, or around it.
  static bool surrounds(const DILocalVariable *Outer, const DILocalVariable *Inner) {
    for (const DIScope *At = Inner->getScope(); At; At = At->getScope())
      if (At == Outer->getScope())
        return true;
    return false;
  }

  static StringRef sourceName(const GlobalVariable &G) {
    SmallVector<DIGlobalVariableExpression *, 1> GVs;
    G.getDebugInfo(GVs);
    return GVs.empty() ? G.getName() : GVs[0]->getVariable()->getName();
  }

  // Whether another function uses an address, or one that follows from it.
  bool usedElsewhere(const Value &Address) const {
    return any_of(Address.users(), [&](const User *U) {
      auto *I = dyn_cast<Instruction>(U);
      return I ? I->getFunction() != &F : usedElsewhere(*U);
    });
  }

  // Whether the function may be called again before it returns, as far as direct calls tell; what is called through
  // pointers, or has its body elsewhere and is not known, may call what it can reach.
  bool recurs() {
    if (Recurs)
      return *Recurs;
    bool Reached = F.hasAddressTaken() || !(F.hasLocalLinkage() || F.getName() == "main");
    SmallPtrSet<const Function *, 16> Seen;
    SmallVector<const Function *, 16> Work{&F};
    Recurs = false;
    while (!Work.empty() && !*Recurs) {
      for (const Instruction &I : instructions(*Work.pop_back_val())) {
        auto *C = dyn_cast<CallBase>(&I);
        if (!C || isa<IntrinsicInst>(C) || C->isInlineAsm())
          continue;
        const Function *Callee = C->getCalledFunction();
        if (!Callee || (Callee->isDeclaration() && !ps_keeps_nothing(Callee->getName().data(), Callee->getName().size())))
          *Recurs |= Reached;
        else if (Callee == &F)
          Recurs = true;
        else if (!Callee->isDeclaration() && Seen.insert(Callee).second)
          Work.push_back(Callee);
      }
    }
    return *Recurs;
  }

  // Whether a member of the function's class has this name.
  bool hidden(StringRef Name) const {
    const DISubprogram *SP = F.getSubprogram();
    auto *Class = SP ? dyn_cast_or_null<DICompositeType>(SP->getScope()) : nullptr;
    return Class && any_of(Class->getElements(), [&](const DINode *E) {
      auto *Member = dyn_cast<DIDerivedType>(E);
      return Member && Member->getName() == Name;
    });
  }

  // The bit of a type's `code`.
  static uint32_t bit(uint32_t Code) { return 1u << (((Code >> 16) * 5 + Log2_32((Code & 0xffff) | 1)) & 31); }

  static void parts(Type *T, uint32_t &Bits) {
    if (auto *A = dyn_cast<ArrayType>(T)) {
      parts(A->getElementType(), Bits);
    } else if (isUnion(T)) {
      Bits = UINT32_MAX;
    } else if (auto *Struct = dyn_cast<StructType>(T)) {
      for (Type *E : Struct->elements())
        parts(E, Bits);
    } else if (T->isSized()) {
      uint64_t Bytes = T->getPrimitiveSizeInBits() / 8;
      Bits |= bit((T->isPointerTy() ? 1 : T->isFloatingPointTy() ? 2 : T->isIntegerTy() ? 3 : 4) << 16 |
                  (T->isPointerTy() ? 8 : (uint32_t)Bytes));
    }
  }

  // Whether directives in this function may not mean what they name outside of it: clang 22 has no copies of the
  // globals in a `reduction` of templates, and does not compile clauses with globals in lambdas that do not capture by
  // default, and in generic ones.
  bool inTemplateOrLambda() const {
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

  // Number of a global variable of the program.
  uint32_t global(const GlobalVariable *G) {
    auto Found = Variable.find(G);
    if (Found != Variable.end())
      return Found->second;
    SmallVector<DIGlobalVariableExpression *, 1> GVs;
    G->getDebugInfo(GVs);
    PsSourceVariable V{};
    V.global = 1;
    const DIType *T = nullptr;
    if (!GVs.empty()) {
      const DIGlobalVariable *D = GVs[0]->getVariable();
      V.name = S.text(reachableName(*D, F.getSubprogram()));
      V.line = D->getLine();
      auto *Local = dyn_cast_or_null<DILocalScope>(D->getScope());
      V.local_static = Local != nullptr;
      V.unusable = hidden(D->getName()) || D->getStaticDataMemberDeclaration() || D->getTemplateParams() || GVs.size() > 1;
      if (!Local || Local->getSubprogram() != F.getSubprogram())
        V.unusable |= inTemplateOrLambda();
      T = D->getType();
    } else {
      V.name = S.text(G->getName());
      V.artificial = 1;
    }
    V.constant = G->isConstant();
    V.unshared = G->hasLocalLinkage() && !taken(*G);
    V.alone = V.unshared && !usedElsewhere(*G) && !recurs();
    V.bytes = DL.getTypeAllocSize(G->getValueType());
    shape(V, T, G->getValueType());
    V.infinite = infinite(*G, V);
    V.allocated = V.length = UINT32_MAX;
    uint32_t N = S.Variables.size();
    Variable[G] = N;
    S.Variables.push_back(V);
    Debug.push_back(nullptr);
    Types.push_back(T);
    return N;
  }

  // `variable + constant` through casts.
  bool stepped(const Value *V, uint32_t &Var, int64_t &Offset) {
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
        auto Found = Variable.find(L->getPointerOperand());
        if (Found == Variable.end())
          return false;
        Var = Found->second;
        return true;
      }
      return false;
    }
    return false;
  }

  // The variable that lies here.
  std::optional<uint32_t> number(const Value *At) {
    auto Found = Variable.find(At);
    if (Found != Variable.end())
      return Found->second;
    auto *G = dyn_cast<GlobalVariable>(At);
    return G ? std::optional(global(G)) : std::nullopt;
  }

  // The variable from which members that are pointers lead to a place.
  uint32_t way(const Value *At) {
    for (unsigned Depth = 0; Depth < 8; ++Depth) {
      if (auto Of = number(At))
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
  void subscript(const Value *V, PsSourceStep &Step) {
    auto Of = fold(V, [&](const Value *At) { return number(At); });
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

  // Fills in where an address points.
  void address(const Value *P, PsSourceAccess &A) {
    A.variable = A.way = UINT32_MAX;
    A.first_step = S.Steps.size();
    int64_t Offset = 0;
    bool Constant = true;
    for (;;) {
      if (auto *GEP = dyn_cast<GEPOperator>(P)) {
        APInt O(64, 0);
        if (Constant && GEP->accumulateConstantOffset(DL, O))
          Offset += O.getSExtValue();
        else
          Constant = false;
        for (gep_type_iterator I = gep_type_begin(GEP), E = gep_type_end(GEP); I != E; ++I) {
          if (I.isStruct() || isa<llvm::Constant>(I.getOperand()))
            continue;
          PsSourceStep Step{};
          Step.stride = I.getSequentialElementStride(DL);
          Step.bounded = I != gep_type_begin(GEP);
          Step.variable = UINT32_MAX;
          if (uint32_t Of = 0; stepped(I.getOperand(), Of, Step.offset))
            Step.variable = Of;
          subscript(I.getOperand(), Step);
          S.Steps.push_back(Step);
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
    A.steps = S.Steps.size() - A.first_step;
    A.offset = Constant && Offset >= 0 ? Offset : -1;
    auto Found = Variable.find(P);
    if (Found != Variable.end()) {
      A.variable = Found->second;
    } else if (auto *G = dyn_cast<GlobalVariable>(P)) {
      A.variable = global(G);
    } else if (auto *L = dyn_cast<LoadInst>(P)) {
      // Through a pointer that a variable holds.
      const Value *Q = L->getPointerOperand();
      auto Of = Variable.find(Q);
      if (Of != Variable.end() || isa<GlobalVariable>(Q)) {
        A.variable = Of != Variable.end() ? Of->second : global(cast<GlobalVariable>(Q));
        A.pointee = 1;
      } else {
        A.way = way(Q);
      }
    } else if (isa<AllocaInst>(P)) {
      // A variable in a form that is not known here is none of the compiler's own.
      A.temporary = lyingAt(P).empty();
    }
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
  bool typed(const Instruction &I, const Value *P) const {
    const DISubprogram *SP = F.getSubprogram();
    if (I.getMetadata(LLVMContext::MD_tbaa) || (SP && SP->isOptimized()))
      return ps_strict_access(wrap(&I));
    for (auto *GEP = dyn_cast<GEPOperator>(P); GEP; GEP = dyn_cast<GEPOperator>(GEP->getPointerOperand()))
      if (isUnion(GEP->getSourceElementType()) || isUnion(GEP->getResultElementType()))
        return false;
    auto *G = dyn_cast<GlobalVariable>(P);
    auto *A = dyn_cast<AllocaInst>(P);
    return !isUnion(G ? G->getValueType() : A ? A->getAllocatedType() : nullptr);
  }

  uint32_t code(const Instruction &I, const Value *P, Type *T, uint64_t Bytes) const {
    if (!T || Bytes == 1 || T->isAggregateType() || !typed(I, P))
      return 0; // may be the same as anything
    return (T->isPointerTy() ? 1 : T->isFloatingPointTy() ? 2 : T->isIntegerTy() ? 3 : 4) << 16 | (uint32_t)Bytes;
  }

  void add(Instruction &I, uint32_t Kind, const Value *P, Type *T, uint64_t Bytes) {
    PsSourceAccess A{};
    A.block = Number[I.getParent()];
    A.kind = Kind;
    A.line = I.getDebugLoc() ? I.getDebugLoc().getLine() : 0;
    A.bytes = Bytes;
    A.type = code(I, P, T, Bytes);
    if (auto *W = dyn_cast<StoreInst>(&I))
      A.constant = isa<ConstantFP>(W->getValueOperand());
    A.parts = A.type ? bit(A.type) : Bytes == 1 ? bit(3 << 16 | 1) : UINT32_MAX;
    address(P, A);
    if (A.variable != UINT32_MAX && A.offset >= 0)
      A.member = S.text(member(A));
    A.followed = Kind == PS_READ && !A.pointee && followed(I);
    A.kept = Kind == PS_READ && !A.pointee && A.variable != UINT32_MAX && S.Variables[A.variable].allocated != UINT32_MAX && leadsOn(I);
    if (!A.temporary)
      S.Accesses.push_back(A);
    else if (nameless(I, P))
      note(I, PS_NAMELESS, "");
  }

  // PsSourceAccess::member
  std::string member(const PsSourceAccess &A) const {
    const DIType *T = Types[A.variable];
    if (auto *Pointer = A.pointee ? dyn_cast_or_null<DIDerivedType>(plain(T)) : nullptr)
      T = Pointer->getBaseType();
    auto *Record = dyn_cast_or_null<DICompositeType>(plain(T));
    return Record ? memberPath(Record, A.offset * 8, A.bytes * 8) : "";
  }

  // Whether a store sets a variable of which the debug information does not tell, and that something outside of the
  // innermost loop around it uses as well. (What the compiler itself keeps there are constants, or exceptions.)
  bool nameless(const Instruction &I, const Value *Slot) const {
    auto *W = dyn_cast<StoreInst>(&I);
    const Loop *L = LI.getLoopFor(I.getParent());
    if (!W || !L || isa<Constant>(W->getValueOperand()) || I.getParent()->isLandingPad())
      return false;
    return any_of(Slot->users(), [&](const User *U) {
      auto *II = dyn_cast<IntrinsicInst>(U);
      return !(II && II->isLifetimeStartOrEnd()) && !L->contains(cast<Instruction>(U));
    });
  }

  void escape(Instruction &I, const Value *V) {
    if (auto *Number = dyn_cast<ConstantExpr>(V); Number && Number->getOpcode() == Instruction::PtrToInt)
      V = Number->getOperand(0);
    if (!V->getType()->isPointerTy())
      return;
    PsSourceAccess A{};
    address(V, A);
    S.Steps.resize(A.first_step);
    if (A.variable == UINT32_MAX || A.pointee)
      return;
    A.steps = 0;
    A.kind = PS_ESCAPE;
    if (auto *C = dyn_cast<CallBase>(&I))
      callee(*C, A);
    A.block = Number[I.getParent()];
    A.line = I.getDebugLoc() ? I.getDebugLoc().getLine() : 0;
    S.Accesses.push_back(A);
  }

  void access(Instruction &I) {
    if (auto *L = dyn_cast<LoadInst>(&I)) {
      add(I, PS_READ, L->getPointerOperand(), L->getType(), DL.getTypeStoreSize(L->getType()));
      return;
    }
    if (auto *W = dyn_cast<StoreInst>(&I)) {
      escape(I, W->getValueOperand());
      Type *T = W->getValueOperand()->getType();
      add(I, PS_WRITE, W->getPointerOperand(), T, DL.getTypeStoreSize(T));
      return;
    }
    if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I)) {
      add(I, PS_READ, I.getOperand(0), nullptr, 0);
      add(I, PS_WRITE, I.getOperand(0), nullptr, 0);
      return;
    }
    if (auto *M = dyn_cast<MemIntrinsic>(&I)) {
      auto *C = dyn_cast<ConstantInt>(M->getLength());
      uint64_t Bytes = C ? C->getZExtValue() : 0;
      if (auto *T = dyn_cast<MemTransferInst>(M))
        add(I, PS_READ, T->getSource(), nullptr, Bytes);
      add(I, PS_WRITE, M->getDest(), nullptr, Bytes);
      return;
    }
    if (auto *Slot = dyn_cast<AllocaInst>(&I)) {
      if (!Slot->isStaticAlloca() && !Restores)
        note(I, PS_ALLOCA, "");
      return;
    }
    if (auto *II = dyn_cast<IntrinsicInst>(&I)) {
      if (II->getIntrinsicID() == Intrinsic::prefetch)
        return; // reads nothing that shows
      if (II->getIntrinsicID() == Intrinsic::threadlocal_address) {
        auto *G = dyn_cast<GlobalVariable>(II->getArgOperand(0));
        note(I, PS_THREAD_LOCAL, G ? sourceName(*G) : "");
        return;
      }
      if (II->isLifetimeStartOrEnd()) {
        for (Value *O : II->args())
          if (O->getType()->isPointerTy() && Variable.count(O)) {
            PsSourceAccess A{};
            A.block = Number[I.getParent()];
            A.kind = PS_LIFETIME;
            A.variable = Variable[O];
            A.offset = 0;
            A.bytes = S.Variables[A.variable].bytes;
            S.Accesses.push_back(A);
          }
        return;
      }
      if (is_contained({Intrinsic::frameaddress, Intrinsic::returnaddress, Intrinsic::addressofreturnaddress, Intrinsic::sponentry},
                       II->getIntrinsicID()))
        note(I, PS_THREAD_LOCAL, "the stack");
      if (II->isAssumeLikeIntrinsic() || II->doesNotAccessMemory())
        return;
    }
    if (auto *C = dyn_cast<CallBase>(&I)) {
      for (const Use &O : C->args()) {
        size_t Before = S.Accesses.size();
        escape(I, O);
        if (S.Accesses.size() > Before)
          S.Accesses.back().kept = keeps(*C, C->getArgOperandNo(&O), 0);
      }
      if (const Function *Callee = C->getCalledFunction())
        owned(I, *Callee);
      if (C->doesNotAccessMemory())
        return;
      PsSourceAccess A{};
      A.block = Number[I.getParent()];
      A.kind = PS_CALL;
      A.variable = UINT32_MAX;
      A.line = I.getDebugLoc() ? I.getDebugLoc().getLine() : 0;
      callee(*C, A);
      if (C->isIndirectCall())
        A.member = S.text(pointer(*C));
      else if (C->isInlineAsm())
        A.member = S.text("inline assembly"); // INLINE_ASSEMBLY
      else if (InTests.contains(C))
        A.member = S.text("="); // IN_TEST
      else if (const Function *Callee = C->getCalledFunction(); Callee && isOverloadable(*Callee))
        A.member = S.text(Callee->getName().str());
      S.Accesses.push_back(A);
      return;
    }
    if (isa<GetElementPtrInst>(I) || (I.isTerminator() && !isa<ReturnInst>(I)))
      return; // addresses are followed from their accesses
    for (Value *O : I.operands())
      if (!isa<BasicBlock>(O))
        escape(I, O);
  }

  // PsSourceAccess::member of a call through a pointer.
  std::string pointer(const CallBase &C) {
    auto *From = dyn_cast<LoadInst>(C.getCalledOperand());
    if (!From)
      return "*";
    PsSourceAccess A{};
    address(From->getPointerOperand(), A);
    S.Steps.resize(A.first_step);
    if (A.variable == UINT32_MAX || S.Variables[A.variable].artificial)
      return "*";
    PsText Name = S.Variables[A.variable].name;
    return "*" + std::string(Name.start, Name.length);
  }

  // Something that is no access and has a name at most.
  void note(const Instruction &I, uint32_t Kind, StringRef Name) {
    PsSourceAccess A{};
    A.block = Number[I.getParent()];
    A.kind = Kind;
    A.variable = UINT32_MAX;
    A.line = I.getDebugLoc() ? I.getDebugLoc().getLine() : 0;
    A.name = S.text(Name);
    S.Accesses.push_back(A);
  }

  // A call of what finds a thread's own variable, or of a function that uses one.
  void owned(const Instruction &I, const Function &Callee) {
    StringRef Name = Callee.getName();
    if (Name == "__errno_location")
      note(I, PS_THREAD_LOCAL, "errno");
    else if (is_contained({"pthread_self", "thrd_current", "gettid", "pthread_getspecific", "tss_get"}, Name))
      note(I, PS_THREAD_LOCAL, (Name + "()").str());
    else if (Name.starts_with("_ZTW"))
      note(I, PS_THREAD_LOCAL, StringRef(demangle(Name)).split("routine for ").second);
    else if (auto Uses = Owned.find(&Callee); Uses != Owned.end())
      note(I, PS_THREAD_LOCAL, Uses->second);
  }

  void callee(const CallBase &C, PsSourceAccess &A) {
    if (const Function *Callee = C.getCalledFunction()) {
      const DISubprogram *SP = Callee->getSubprogram();
      A.name = S.text(SP ? nameOf(*SP) : Callee->getName().str());
      bool System = SP && SP->getFile() && isSystem(SP->getFile());
      A.library = System && !mayDoMore(*SP) && !(chooses(C) && keepsChoice(C)) && (LI.empty() || !callsBack(*Callee, CallsBack));
      A.declared = Callee->isDeclaration();
      A.inlined = !A.declared && (System || Callee->hasFnAttribute(Attribute::AlwaysInline));
      Type *Result = Callee->getReturnType();
      A.accessor = (Result->isIntegerTy() || Result->isFloatingPointTy()) && isAccessor(*Callee);
      A.no_return = howItLeaves(C);
      if (!A.no_return && A.library && mayThrow(C))
        A.no_return = 4;
    }
  }

  void loop(Loop &L) {
    PsSourceLoop Out{};
    Out.header = Number[L.getHeader()];
    const DILocation *Start = nullptr, *End = nullptr;
    if (MDNode *ID = L.getLoopID())
      for (const MDOperand &O : drop_begin(ID->operands()))
        if (auto *D = dyn_cast_or_null<DILocation>(O.get()))
          (Start ? End : Start) = D;
    if (!Start)
      return;
    Out.line = Start->getLine();
    Out.column = Start->getColumn();
    Out.end_line = End ? End->getLine() : 0;
    Out.end_column = End ? End->getColumn() : 0;
    const DIFile *File = Start->getScope()->getFile();
    Out.file = S.text(File ? File->getFilename() : "");
    Out.directory = S.text(File ? File->getDirectory() : "");
    Out.first_block = S.LoopBlocks.size();
    for (BasicBlock *BB : L.blocks())
      S.LoopBlocks.push_back(Number[BB]);
    Out.blocks = L.getNumBlocks();
    Out.first_inside = S.LoopBlocks.size();
    // Variables whose scope lies in the loop.
    auto From = std::make_pair(Out.line, Out.column), To = std::make_pair(Out.end_line, Out.end_column);
    for (uint32_t V = 0; V < Debug.size(); ++V)
      if (Debug[V] && declaredWithin(Debug[V], File, From, To))
        S.LoopBlocks.push_back(V);
    Out.inside = S.LoopBlocks.size() - Out.first_inside;
    Out.index = UINT32_MAX;
    counted(L, Out);
    S.Loops.push_back(Out);
  }

  // PsSourceLoop::index: a local variable that is set to a constant in front of the loop, stepped by one in its latch,
  // and compared with another in its header, which is the only way out. Nobody has its address.
  void counted(const Loop &L, PsSourceLoop &Out) {
    BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch(), *Before = L.getLoopPredecessor();
    auto *Branch = dyn_cast<BranchInst>(Header->getTerminator());
    if (!Latch || !Before || L.getExitingBlock() != Header || !Branch || !Branch->isConditional())
      return;
    auto *Test = dyn_cast<ICmpInst>(Branch->getCondition());
    auto *Load = Test ? dyn_cast<LoadInst>(Test->getOperand(0)) : nullptr;
    auto *Bound = Test ? dyn_cast<ConstantInt>(Test->getOperand(1)) : nullptr;
    auto *Slot = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
    auto Found = Variable.find(Slot);
    if (!Bound || Found == Variable.end() || Bound->getBitWidth() > 64 || taken(*Slot) || !L.contains(Branch->getSuccessor(0)) ||
        Test->getParent() != Header || Load->getParent() != Header)
      return;
    const StoreInst *Set = nullptr, *Step = nullptr;
    for (User *U : Slot->users()) {
      auto *W = dyn_cast<StoreInst>(U);
      if (!W ? isa<GEPOperator>(U) || isa<MemIntrinsic>(U) : W->isVolatile())
        return;
      if (W && L.contains(W)) {
        if (Step)
          return;
        Step = W;
      }
    }
    for (const Instruction &I : *Before)
      if (auto *W = dyn_cast<StoreInst>(&I); W && W->getPointerOperand() == Slot)
        Set = W;
    auto *First = Set ? dyn_cast<ConstantInt>(Set->getValueOperand()) : nullptr;
    auto *Sum = Step ? dyn_cast<BinaryOperator>(Step->getValueOperand()) : nullptr;
    auto *By = Sum ? dyn_cast<ConstantInt>(Sum->getOperand(1)) : nullptr;
    auto *From = Sum ? dyn_cast<LoadInst>(Sum->getOperand(0)) : nullptr;
    if (!First || !By || !From || Step->getParent() != Latch || Sum->getOpcode() != Instruction::Add || !By->isOne() ||
        !L.contains(From) || From->getPointerOperand() != Slot || First->getType() != Bound->getType())
      return;
    bool Signed = Test->isSigned() || Test->isEquality();
    int64_t Begin = First->getSExtValue(), End = Bound->getSExtValue();
    if (Begin < 0 || (!Signed && End < 0))
      return;
    ICmpInst::Predicate P = Test->getPredicate();
    bool Includes = P == ICmpInst::ICMP_SLE || P == ICmpInst::ICMP_ULE;
    if (!Includes && P != ICmpInst::ICMP_SLT && P != ICmpInst::ICMP_ULT && P != ICmpInst::ICMP_NE)
      return;
    if (End < Begin)
      return;
    Out.index = Found->second;
    Out.trips = uint64_t(End) - uint64_t(Begin) + Includes;
  }
};

template <class T> PsList list(const std::vector<T> &From) { return {From.data(), (uint32_t)From.size()}; }

} // namespace

extern "C" {

PsSource *ps_source(LLVMValueRef Function_, PsSourceLists *Out) {
  auto *S = new PsSource;
  Function &F = *unwrap<Function>(Function_);
  Reader(F, *S).run();
  *Out = {list(S->Edges), list(S->Blocks), list(S->Variables), list(S->Accesses),
          list(S->Steps), list(S->Loops), list(S->LoopBlocks)};
  return S;
}

void ps_source_free(PsSource *S) { delete S; }
}
