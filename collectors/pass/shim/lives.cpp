// Variables that live no longer than an iteration of a loop, or their block, as their declarations say: the compiler
// keeps no marks of it.
#include "analysis.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"

using namespace llvm;

namespace {

// Where a loop's statement begins and ends.
struct Extent {
  const DIFile *File;
  std::pair<unsigned, unsigned> From, To;

  static std::optional<Extent> of(const Loop &L) {
    auto Found = places(L.getLoopID());
    if (Found.size() < 2)
      return std::nullopt;
    // Not the variables of the loop's own header, which begin where it does.
    return Extent{Found[0]->getFile(),
                  {Found[0]->getLine(), Found[0]->getColumn() + 1},
                  {Found[1]->getLine(), Found[1]->getColumn()}};
  }

  // Whether a variable is declared in the loop, or in a function whose body stands for a call in it.
  bool declares(const DbgVariableRecord &R) const {
    const DILocation *At = R.getDebugLoc();
    if (!At || !At->getInlinedAt())
      return declaredWithin(R.getVariable(), File, From, To);
    while (At->getInlinedAt())
      At = At->getInlinedAt();
    auto Called = std::make_pair(At->getLine(), At->getColumn());
    return At->getFile() == File && Called >= From && Called <= To;
  }
};

// What is said of variables where a block begins.
iterator_range<DbgRecord::self_iterator> saidAtStart(const BasicBlock &BB) {
  return BB.getFirstNonPHIIt()->getDbgRecordRange();
}

// Variables that a phi may have merged although nothing says so: where a variable has another value before anything
// happens in the block, that it had the phi's is dropped. So what is said of a phi may be of copies alone, as of
// `child` in `for (;;) { T child = node; node = parent; ... }`, whose phi is that of `node`. A phi that one variable
// alone is said to have is taken for that variable's: otherwise one would have to be read before it has a value.
SmallVector<DbgVariableRecord *, 8> unsaid(const PHINode &Phi) {
  const BasicBlock &BB = *Phi.getParent();
  SmallVector<DbgVariableRecord *, 8> All;
  DenseMap<const Value *, unsigned> Times;
  for (DbgVariableRecord &R : filterDbgVars(saidAtStart(BB))) {
    All.push_back(&R);
    if (R.getNumVariableLocationOps() == 1)
      ++Times[R.getVariableLocationOp(0)];
  }
  erase_if(All, [&](DbgVariableRecord *R) {
    auto *Own = R->getNumVariableLocationOps() == 1 ? dyn_cast_or_null<PHINode>(R->getVariableLocationOp(0)) : nullptr;
    return Own && (Own == &Phi || (Own->getParent() == &BB && Times[Own] == 1));
  });
  return All;
}

// Whether all variables that a phi of a header, or what is merged with it in the loop, has the value of are declared in
// the loop.
bool dies(PHINode &Phi, const Loop &L, const Extent &Of) {
  SmallVector<PHINode *, 8> Work{&Phi};
  SmallPtrSet<PHINode *, 8> Seen{&Phi};
  bool Known = false;
  while (!Work.empty()) {
    PHINode *P = Work.pop_back_val();
    SmallVector<DbgVariableRecord *, 4> Records;
    findDbgValues(P, Records);
    for (DbgVariableRecord *R : Records) {
      if (!Of.declares(*R))
        return false;
      Known = true;
    }
    if (any_of(unsaid(*P), [&](DbgVariableRecord *R) { return !Of.declares(*R); }))
      return false;
    for (User *U : P->users())
      if (auto *Next = dyn_cast<PHINode>(U); Next && L.contains(Next) && Seen.insert(Next).second)
        Work.push_back(Next);
  }
  return Known;
}

// Whether control is in the block that a variable is declared in. True where that is not known.
bool inScope(const DILocation *At, const DbgVariableRecord &R) {
  const DILocation *Of = R.getDebugLoc();
  while (At && At->getInlinedAt() != Of->getInlinedAt())
    At = At->getInlinedAt();
  if (!At)
    return true;
  for (const DIScope *S = At->getScope(); S; S = isa<DILocalScope>(S) ? S->getScope() : nullptr)
    if (S == R.getVariable()->getScope())
      return true;
  return false;
}

// Of the label that a block begins with.
const DILocation *labelOf(const BasicBlock &BB) {
  for (const DbgRecord &R : saidAtStart(BB))
    if (isa<DbgLabelRecord>(R))
      return R.getDebugLoc();
  return nullptr;
}

// Takes phis away that merge nothing but each other and what is undefined.
void dropEmptyPhis(Function &F) {
  SmallSetVector<PHINode *, 16> Empty;
  for (BasicBlock &BB : F)
    for (PHINode &Phi : BB.phis())
      Empty.insert(&Phi);
  auto Holds = [&](PHINode *Phi) {
    return any_of(Phi->incoming_values(), [&](Value *V) {
      auto *Other = dyn_cast<PHINode>(V);
      return !isa<UndefValue>(V) && !(Other && Empty.contains(Other));
    });
  };
  while (Empty.remove_if(Holds))
    ;
  for (PHINode *Phi : Empty)
    Phi->replaceAllUsesWith(UndefValue::get(Phi->getType()));
  for (PHINode *Phi : Empty)
    Phi->eraseFromParent();
}

// Structures may lie where the function's result does, which is read behind their block.
bool isScalar(const DIType *T) {
  while (auto *D = dyn_cast_or_null<DIDerivedType>(T)) {
    if (D->getTag() == dwarf::DW_TAG_pointer_type)
      return true;
    T = D->getBaseType();
  }
  auto *C = dyn_cast_or_null<DICompositeType>(T);
  return C ? C->getTag() == dwarf::DW_TAG_enumeration_type : isa_and_nonnull<DIBasicType>(T);
}

} // namespace

bool endScopes(Function &F) {
  if (!isWrittenIn(F, dwarf::DW_LNAME_C, dwarf::isC))
    return false;
  bool Changed = false;
  for (BasicBlock &BB : F)
    for (PHINode &Phi : BB.phis()) {
      SmallVector<DbgVariableRecord *, 8> Records;
      findDbgValues(&Phi, Records);
      if (Records.empty() || any_of(Records, [](DbgVariableRecord *R) { return !isScalar(R->getVariable()->getType()); }))
        continue;
      // Said behind the block's start alone, it is of copies.
      if (none_of(saidAtStart(BB), [&](const DbgRecord &R) { return is_contained(Records, &R); }))
        continue;
      append_range(Records, unsaid(Phi));
      auto Dead = [&](const DILocation *At) {
        return At && none_of(Records, [&](DbgVariableRecord *R) { return inScope(At, *R); });
      };
      // Jumps lead from within a block to labels outside of it; all computed ones by one place. (Other places say
      // nothing: what was read of a variable, and where, is gone by now.)
      const bool All = Dead(labelOf(BB)) || (isa<IndirectBrInst>(BB.getFirstNonPHIIt()) &&
                                             all_of(successors(&BB), [&](BasicBlock *To) { return Dead(labelOf(*To)); }));
      for (unsigned N = 0; N < Phi.getNumIncomingValues(); ++N)
        if (All || Dead(Phi.getIncomingBlock(N)->getTerminator()->getDebugLoc())) {
          Phi.setIncomingValue(N, UndefValue::get(Phi.getType()));
          Changed = true;
        }
    }
  if (Changed)
    dropEmptyPhis(F);
  return Changed;
}

bool endLives(const LoopInfo &LI) {
  bool Changed = false;
  for (const Loop *L : LI.getLoopsInPreorder()) {
    auto Of = Extent::of(*L);
    BasicBlock *Before = L->getLoopPreheader();
    if (!Of || !Before)
      continue;
    for (PHINode &Phi : make_early_inc_range(L->getHeader()->phis())) {
      if (!isa<UndefValue>(Phi.getIncomingValueForBlock(Before)) || !dies(Phi, *L, *Of))
        continue;
      Phi.replaceAllUsesWith(UndefValue::get(Phi.getType()));
      Phi.eraseFromParent();
      Changed = true;
    }
  }
  return Changed;
}

extern "C" {

uint32_t ps_declared_inside(PsAnalysis *A, uint32_t Index, LLVMValueRef *Out, uint32_t Cap) {
  auto Of = Extent::of(*A->Loops[Index]);
  if (!Of)
    return 0;
  uint32_t Count = 0;
  for (Instruction &I : A->F->getEntryBlock()) {
    auto *Slot = dyn_cast<AllocaInst>(&I);
    if (!Slot || Slot->isArrayAllocation())
      continue;
    SmallVector<DbgVariableRecord *, 2> Records;
    append_range(Records, findDVRDeclares(Slot));
    append_range(Records, at::getDVRAssignmentMarkers(Slot));
    // Slots that several variables share are left alone; what has no variable is a temporary of its expression.
    auto Used = [&](const User *U) { return A->Loops[Index]->contains(cast<Instruction>(U)); };
    auto Inside = [&](DbgVariableRecord *R) { return Of->declares(*R); };
    bool Own = Records.empty() ? all_of(Slot->users(), Used) : all_of(Records, Inside);
    if (Own && Count < Cap)
      Out[Count++] = wrap(Slot);
  }
  return Count;
}
}
