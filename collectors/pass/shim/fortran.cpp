// What is known of loops of Fortran by the language. flang gives them no place in the source, but the test of a `do` loop
// in its header has that of its statement. Its variable is stepped by the statement alone: the language forbids anything
// else to set it.
#include "analysis.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

bool isFortran(const Function &F) {
  const DISubprogram *SP = F.getSubprogram();
  const DICompileUnit *Unit = SP ? SP->getUnit() : nullptr;
  if (!Unit)
    return false;
  DISourceLanguageName Language = Unit->getSourceLanguage();
  return Language.hasVersionedName() ? Language.getName() == dwarf::DW_LNAME_Fortran
                                     : dwarf::isFortran((dwarf::SourceLanguage)Language.getName());
}

bool placeLoops(Function &F, const LoopInfo &LI) {
  if (!isFortran(F))
    return false;
  bool Changed = false;
  for (const Loop *L : LI.getLoopsInPreorder()) {
    const Instruction *Test = L->getHeader()->getTerminator();
    if (Test->getNumSuccessors() < 2 && L->getLoopLatch())
      Test = L->getLoopLatch()->getTerminator();
    DebugLoc Start = Test->getDebugLoc();
    if (!L->getLoopLatch() || !Start || !Start.getLine() || !places(L->getLoopID()).empty())
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
