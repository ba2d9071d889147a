// What flang writes wherever an array is accessed that has a descriptor (allocatable, pointer, of assumed shape), and
// its optimizer removes: a copy of the descriptor, loads of all that is in it, products with 1 and sums with 0,
// products that nobody needs. Counted as the program's they were most of the work of a stencil. Descriptors
// are loaded in front of the loops that leave them as they are; what the source says stays.
#include "analysis.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/MustExecute.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

// Whether something writes to a variable, at its beginning or not, and does nothing else.
static bool onlyWrites(const User *U, const Value *To) {
  if (auto *M = dyn_cast<MemIntrinsic>(U))
    return M->getRawDest() == To && !M->isVolatile() && (!isa<MemTransferInst>(M) || cast<MemTransferInst>(M)->getRawSource() != To);
  auto *S = dyn_cast<StoreInst>(U);
  return (S && S->getPointerOperand() == To && S->getValueOperand() != To && S->isSimple()) || isa<LifetimeIntrinsic>(U);
}

bool clearDescriptors(Function &F) {
  if (!isFortran(F))
    return false;
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (Value *Plain = I.use_empty() || I.getType()->isVoidTy() ? nullptr : simplifyInstruction(&I, {F.getDataLayout(), &I});
        Plain && Plain != &I) {
      I.replaceAllUsesWith(Plain);
      Changed = true;
    }
  // From behind: what is needed by nobody has operands that nobody else needs.
  for (BasicBlock &BB : F)
    for (Instruction &I : make_early_inc_range(reverse(BB)))
      if (I.use_empty() && (isa<BinaryOperator>(I) || isa<CastInst>(I) || isa<LoadInst>(I)) && isInstructionTriviallyDead(&I)) {
        salvageDebugInfo(I);
        I.eraseFromParent();
        Changed = true;
      }
  SmallVector<Instruction *, 8> Copies;
  for (Instruction &I : F.getEntryBlock())
    // Variables of the program are known to debuggers.
    if (auto *A = dyn_cast<AllocaInst>(&I); A && !A->isUsedByMetadata() && all_of(A->users(), [&](const User *U) { return onlyWrites(U, A); }))
      for (User *U : A->users())
        Copies.push_back(cast<Instruction>(U));
  for (Instruction *I : Copies)
    I->eraseFromParent();
  Changed |= !Copies.empty();
  return Changed;
}

// A load of what is in a descriptor, as flang says for analysis of aliases.
static bool isOfDescriptor(const LoadInst &L) {
  const MDNode *Tag = L.getMetadata(LLVMContext::MD_tbaa);
  auto *Type = Tag && Tag->getNumOperands() > 1 ? dyn_cast_or_null<MDNode>(Tag->getOperand(1).get()) : nullptr;
  auto *Name = Type && Type->getNumOperands() > 0 ? dyn_cast_or_null<MDString>(Type->getOperand(0).get()) : nullptr;
  return Name && Name->getString() == "descriptor member" && L.isSimple();
}

bool hoistDescriptors(Function &F, LoopInfo &LI, DominatorTree &DT, AAResults &AA) {
  if (!isFortran(F))
    return false;
  bool Changed = false;
  // Inner loops first: what stands in front of one may go in front of the next.
  SmallVector<Loop *, 4> Loops = LI.getLoopsInPreorder();
  for (Loop *L : reverse(Loops)) {
    BasicBlock *Front = L->getLoopPreheader();
    if (!Front)
      continue;
    SmallVector<LoadInst *, 16> Loads;
    SmallVector<Instruction *, 16> Writers;
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : *BB) {
        if (auto *Load = dyn_cast<LoadInst>(&I); Load && isOfDescriptor(*Load))
          Loads.push_back(Load);
        if (I.mayWriteToMemory())
          Writers.push_back(&I);
      }
    if (Loads.empty())
      continue;
    SimpleLoopSafetyInfo Safety;
    Safety.computeLoopSafetyInfo(L);
    BatchAAResults Batch(AA);
    for (LoadInst *Load : Loads) {
      if (!isSafeToSpeculativelyExecute(Load, Front->getTerminator(), nullptr, &DT) && !Safety.isGuaranteedToExecute(*Load, &DT, L))
        continue;
      MemoryLocation Where = MemoryLocation::get(Load);
      if (any_of(Writers, [&](Instruction *I) { return isModSet(Batch.getModRefInfo(I, Where)); }))
        continue;
      // What its address is computed from goes along.
      if (!L->makeLoopInvariant(Load->getPointerOperand(), Changed))
        continue;
      Load->moveBefore(Front->getTerminator()->getIterator());
      Changed = true;
    }
  }
  return Changed;
}
