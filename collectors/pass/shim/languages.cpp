// What is known of loops of Fortran and Rust by the language. Their compilers give them no place in the source. The
// variable of a `do` loop is stepped by its statement alone: Fortran forbids anything else to set it.
#include "analysis.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

template <class Is> static bool isOf(const Function &F, uint16_t Versioned, Is Unversioned) {
  const DISubprogram *SP = F.getSubprogram();
  const DICompileUnit *Unit = SP ? SP->getUnit() : nullptr;
  if (!Unit)
    return false;
  DISourceLanguageName Language = Unit->getSourceLanguage();
  return Language.hasVersionedName() ? Language.getName() == Versioned : Unversioned((dwarf::SourceLanguage)Language.getName());
}

bool isFortran(const Function &F) { return isOf(F, dwarf::DW_LNAME_Fortran, dwarf::isFortran); }

static bool isRust(const Function &F) {
  return isOf(F, dwarf::DW_LNAME_Rust, [](dwarf::SourceLanguage L) { return L == dwarf::DW_LANG_Rust; });
}

// rustc has optimized before: loops are what `next` of an iterator was made part of. Their place is the first line in
// the function itself that leads to what begins or ends an iteration.
static DebugLoc firstLine(const Loop &L) {
  const DILocation *First = nullptr;
  for (const BasicBlock *BB : {L.getHeader(), L.getLoopLatch()})
    for (const Instruction &I : *BB) {
      const DILocation *At = I.getDebugLoc();
      while (At && At->getInlinedAt())
        At = At->getInlinedAt();
      if (At && At->getLine() && (!First || At->getLine() < First->getLine()))
        First = At;
    }
  return First;
}

// The test of a `do` loop has the place of its statement.
static DebugLoc statement(const Loop &L) {
  const Instruction *Test = L.getHeader()->getTerminator();
  if (Test->getNumSuccessors() < 2)
    Test = L.getLoopLatch()->getTerminator();
  return Test->getDebugLoc();
}

bool placeLoops(Function &F, const LoopInfo &LI) {
  bool Fortran = isFortran(F);
  if (!Fortran && !isRust(F))
    return false;
  bool Changed = false;
  for (const Loop *L : LI.getLoopsInPreorder()) {
    if (!L->getLoopLatch())
      continue;
    DebugLoc Start = Fortran ? statement(*L) : firstLine(*L);
    if (!Start || !Start.getLine() || !places(L->getLoopID()).empty())
      continue;
    SmallVector<Metadata *, 4> Operands{nullptr, Start.get()};
    if (const MDNode *Known = L->getLoopID())
      append_range(Operands, drop_begin(Known->operands()));
    MDNode *ID = MDNode::getDistinct(F.getContext(), Operands);
    ID->replaceOperandWith(0, ID);
    L->setLoopID(ID);
    Changed = true;
  }
  return Changed;
}

BinaryOperator *stepOfDo(const Loop &L, const PHINode &Phi) {
  if (!isFortran(*Phi.getFunction()))
    return nullptr;
  auto *Step = dyn_cast<BinaryOperator>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
  // Sums of the program's own have no such promise.
  if (!Step || Step->getOpcode() != Instruction::Add || !Step->hasNoSignedWrap() || !L.isLoopInvariant(Step->getOperand(1)))
    return nullptr;
  if (Step->getOperand(0) == &Phi)
    return Step;
  // Where others have its address, it is read back from memory, which has it since the iteration began.
  auto *Load = dyn_cast<LoadInst>(Step->getOperand(0));
  bool Stored = Load && any_of(Phi.users(), [&](const User *U) {
                  auto *Store = dyn_cast<StoreInst>(U);
                  return Store && Store->getValueOperand() == &Phi && Store->getPointerOperand() == Load->getPointerOperand() &&
                         Store->getParent() == L.getHeader();
                });
  return Stored ? Step : nullptr;
}

extern "C" int32_t ps_is_fortran(LLVMValueRef Function_) { return isFortran(*unwrap<Function>(Function_)); }
