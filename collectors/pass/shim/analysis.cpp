// LLVM analyses for the Rust part: loops, induction variables, aliases. No decisions beyond what a name says.
#include "analysis.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

using namespace llvm;

static uint32_t fill(ArrayRef<BasicBlock *> From, LLVMBasicBlockRef *Out, uint32_t Cap) {
  for (uint32_t I = 0; I < From.size() && I < Cap; ++I)
    Out[I] = wrap(From[I]);
  return From.size();
}

// Place of a loop: line and column of its start, line of its end; 0 when unknown.
struct Place {
  uint32_t Line = 0, Column = 0, End = 0;
};

static Place own_place(const MDNode *LoopID) {
  auto Found = places(LoopID);
  if (Found.empty())
    return {};
  return {Found[0]->getLine(), Found[0]->getColumn(), Found.size() > 1 ? Found[1]->getLine() : 0};
}

static const char *const Mark = "parascan.loop";

// Place of a loop whose branch back has lost it, by the marks on instructions of the loop itself: the outermost mark,
// since instructions of inner loops may have been merged into this one's blocks.
static Place marked_place(LoopInfo &LI, Loop &L) {
  Place Found;
  for (BasicBlock *BB : L.blocks()) {
    if (LI.getLoopFor(BB) != &L)
      continue;
    for (Instruction &I : *BB)
      if (MDNode *N = I.getMetadata(Mark)) {
        auto Number = [&](unsigned Index) {
          return (uint32_t)mdconst::extract<ConstantInt>(N->getOperand(Index))->getZExtValue();
        };
        if (!Found.Line || Number(0) < Found.Line)
          Found = {Number(0), Number(1), Number(2)};
      }
  }
  return Found;
}

extern "C" {

void ps_mark_loops(LLVMModuleRef Module_) {
  LLVMContext &C = unwrap(Module_)->getContext();
  auto Number = [&](uint32_t V) { return ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(C), V)); };
  for (Function &F : *unwrap(Module_))
    for (BasicBlock &BB : F) {
      Place P = BB.getTerminator() ? own_place(BB.getTerminator()->getMetadata(LLVMContext::MD_loop)) : Place();
      BasicBlock *Header = BB.getSingleSuccessor();
      if (!P.Line || !Header)
        continue;
      MDNode *N = MDNode::get(C, {Number(P.Line), Number(P.Column), Number(P.End)});
      for (Instruction &I : *Header)
        I.setMetadata(Mark, N);
    }
}

void ps_unmark_loops(LLVMModuleRef Module_) {
  for (Function &F : *unwrap(Module_))
    for (Instruction &I : instructions(F))
      I.setMetadata(Mark, nullptr);
}

PsAnalysis *ps_analyze(void *Analyses, LLVMValueRef Function_) {
  auto &FAM = *static_cast<FunctionAnalysisManager *>(Analyses);
  Function &F = *unwrap<Function>(Function_);
  auto *A = new PsAnalysis{&F, &FAM.getResult<LoopAnalysis>(F), &FAM.getResult<ScalarEvolutionAnalysis>(F),
                           &FAM.getResult<AAManager>(F), &FAM.getResult<DominatorTreeAnalysis>(F), &FAM.getResult<TargetLibraryAnalysis>(F),
                           {}, {}};
  for (Loop *L : A->LI->getLoopsInPreorder())
    A->Loops.push_back(L);
  return A;
}

void ps_analysis_free(PsAnalysis *A) { delete A; }

uint32_t ps_loop_count(PsAnalysis *A) { return A->Loops.size(); }

void ps_loop(PsAnalysis *A, uint32_t Index, PsLoop *Out) {
  Loop *L = A->Loops[Index];
  *Out = PsLoop{};
  Out->header = wrap(L->getHeader());
  Out->preheader = L->getLoopPreheader() ? wrap(L->getLoopPreheader()) : nullptr;
  Out->latch = L->getLoopLatch() ? wrap(L->getLoopLatch()) : nullptr;
  Out->parent = -1;
  for (uint32_t I = 0; I < A->Loops.size(); ++I)
    if (A->Loops[I] == L->getParentLoop())
      Out->parent = I;
  Out->depth = L->getLoopDepth();
  Out->dedicated_exits = L->hasDedicatedExits();
  // The loop's own location, else the marked one, else the first one in its header: the preheader's branch belongs to
  // the line before.
  Place P = own_place(L->getLoopID());
  if (!P.Line)
    P = marked_place(*A->LI, *L);
  DebugLoc Start;
  for (Instruction &I : *L->getHeader())
    if (!Start && I.getDebugLoc() && I.getDebugLoc().getLine())
      Start = I.getDebugLoc();
  if (!Start)
    Start = L->getStartLoc();
  if (!P.Line && Start)
    P = {Start.getLine(), Start.getCol(), 0};
  Out->line = P.Line;
  Out->column = P.Column;
  if (P.End >= P.Line)
    Out->end_line = P.End;
  if (Out->end_line <= Out->line)
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : *BB)
        if (const DebugLoc &D = I.getDebugLoc())
          if (!D.getInlinedAt() && D.getLine() > Out->end_line)
            Out->end_line = D.getLine();
  if (Out->end_line < Out->line)
    Out->end_line = Out->line;
}

uint32_t ps_loop_blocks(PsAnalysis *A, uint32_t Index, LLVMBasicBlockRef *Out, uint32_t Cap) {
  return fill(A->Loops[Index]->getBlocks(), Out, Cap);
}

uint32_t ps_loop_exits(PsAnalysis *A, uint32_t Index, LLVMBasicBlockRef *Out, uint32_t Cap) {
  SmallVector<BasicBlock *, 8> Exits;
  A->Loops[Index]->getUniqueExitBlocks(Exits);
  return fill(Exits, Out, Cap);
}

static bool affineIn(ScalarEvolution &SE, Loop *L, Value *V) {
  if (!SE.isSCEVable(V->getType()))
    return false;
  const SCEV *S = SE.getSCEV(V);
  while (auto *Cast = dyn_cast<SCEVCastExpr>(S))
    S = Cast->getOperand();
  auto *AR = dyn_cast<SCEVAddRecExpr>(S);
  return AR && AR->getLoop() == L && AR->isAffine();
}

// Whether an instruction is a call that computes something from its arguments alone (`errno` apart).
static bool computes(Instruction *I) {
  auto *CB = dyn_cast<CallBase>(I);
  if (!CB || isa<InvokeInst>(CB))
    return false;
  if (isa<IntrinsicInst>(CB))
    return !CB->mayReadOrWriteMemory();
  const Function *F = CB->getCalledFunction();
  return F && F->isDeclaration() &&
         is_contained({"sqrt", "sqrtf", "sqrtl", "floor", "floorf", "ceil", "ceilf", "fabs", "pow", "log", "log2", "log10", "exp", "abs",
                       "labs"},
                      F->getName());
}

// Whether a value is the same in every iteration although it may be computed inside the loop: arithmetic on invariant
// values, and loads from invariant addresses that nothing in the loop writes.
static bool sameEveryIteration(PsAnalysis *A, Loop *L, Value *V, unsigned Depth = 0) {
  if (L->isLoopInvariant(V))
    return true;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth > 8)
    return false;
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    if (!Load->isSimple() || !sameEveryIteration(A, L, Load->getPointerOperand(), Depth + 1))
      return false;
    for (BasicBlock *BB : L->blocks())
      for (Instruction &Other : *BB)
        if (Other.mayWriteToMemory() && isModSet(A->AA->getModRefInfo(&Other, MemoryLocation::get(Load))))
          return false;
    return true;
  }
  if (computes(I))
    return all_of(cast<CallBase>(I)->args(), [&](Value *O) { return sameEveryIteration(A, L, O, Depth + 1); });
  if (!isa<BinaryOperator, CastInst, GetElementPtrInst, CmpInst, SelectInst, FreezeInst>(I))
    return false;
  return all_of(I->operands(), [&](Value *O) { return sameEveryIteration(A, L, O, Depth + 1); });
}

// Whether a value is computed in the loop from invariant values and from memory that something in the loop may write.
// Collects the loads.
static bool boundSlice(Loop *L, Value *V, SmallVectorImpl<LoadInst *> &Loads, unsigned Depth = 0) {
  if (L->isLoopInvariant(V))
    return true;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth > 16 || Loads.size() > 16)
    return false;
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    if (!Load->isSimple())
      return false;
    if (!is_contained(Loads, Load))
      Loads.push_back(Load);
    return boundSlice(L, Load->getPointerOperand(), Loads, Depth + 1);
  }
  if (computes(I))
    return all_of(cast<CallBase>(I)->args(), [&](Value *O) { return boundSlice(L, O, Loads, Depth + 1); });
  if (!isa<BinaryOperator, CastInst, GetElementPtrInst, CmpInst, SelectInst, FreezeInst>(I))
    return false;
  return all_of(I->operands(), [&](Value *O) { return boundSlice(L, O, Loads, Depth + 1); });
}

// Walks back from what a header phi becomes at the latch through plain steps: by invariant values, or by what is loaded
// in the loop (collected in `Loads`). Returns the steps, none if there is anything else on the way.
static SmallVector<Instruction *, 4> plainSteps(Loop *L, PHINode *Phi, SmallVectorImpl<LoadInst *> &Loads) {
  SmallVector<Instruction *, 4> Steps;
  Value *V = Phi->getIncomingValueForBlock(L->getLoopLatch());
  while (V != Phi && Steps.size() < 4) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !L->contains(I))
      return {};
    Value *Next = nullptr;
    if (I->getOpcode() == Instruction::Add || I->getOpcode() == Instruction::Sub) {
      if (boundSlice(L, I->getOperand(1), Loads))
        Next = I->getOperand(0);
      else if (I->getOpcode() == Instruction::Add && boundSlice(L, I->getOperand(0), Loads))
        Next = I->getOperand(1);
    } else if (isa<SExtInst, ZExtInst, TruncInst>(I)) {
      Next = I->getOperand(0);
    } else if (auto *GEP = dyn_cast<GetElementPtrInst>(I)) {
      if (all_of(GEP->indices(), [&](Value *Idx) { return boundSlice(L, Idx, Loads); }))
        Next = GEP->getPointerOperand();
    }
    if (!Next)
      return {};
    Steps.push_back(I);
    V = Next;
  }
  return V == Phi ? Steps : SmallVector<Instruction *, 4>();
}

// Whether a value is what an induction variable whose step lies in memory becomes in an iteration.
static bool steppedByMemory(PsAnalysis *A, Loop *L, Value *X, PHINode *Of, SmallVectorImpl<LoadInst *> &Loads) {
  if (!L->getLoopLatch() || !L->getLoopPreheader())
    return false;
  while (auto *Cast = dyn_cast<CastInst>(X))
    X = Cast->getOperand(0);
  for (PHINode &Phi : L->getHeader()->phis()) {
    if ((Of && Of != &Phi) || Phi.getIncomingValueForBlock(L->getLoopLatch()) != X || affineIn(*A->SE, L, &Phi))
      continue;
    SmallVector<LoadInst *, 8> Found;
    if (!plainSteps(L, &Phi, Found).empty() && !Found.empty()) {
      Loads.append(Found);
      return true;
    }
  }
  return false;
}

// The integer of which a floating-point number is made, else the value itself.
static Value *whole(Value *V) {
  return isa<SIToFPInst, UIToFPInst>(V) ? cast<Instruction>(V)->getOperand(0) : V;
}

// Whether a block leaves the loop by a counted test. `Loads` are those of a bound or step in memory that the loop may
// write.
static bool countedExit(PsAnalysis *A, Loop *L, BasicBlock *BB, SmallVectorImpl<LoadInst *> &Loads) {
  auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
  if (!Br || !Br->isConditional() || A->LI->getLoopFor(BB) != L)
    return false;
  auto *Cmp = dyn_cast<CmpInst>(Br->getCondition());
  if (!Cmp || !L->contains(Cmp))
    return false;
  for (auto [X, Y] : {std::pair(0, 1), std::pair(1, 0)})
    if (affineIn(*A->SE, L, whole(Cmp->getOperand(X))) && sameEveryIteration(A, L, Cmp->getOperand(Y)))
      return true;
  // Two that approach each other.
  if (all_of(Cmp->operands(), [&](Value *V) { return affineIn(*A->SE, L, whole(V)); }))
    return true;
  if (!L->getLoopPreheader())
    return false;
  for (auto [X, Y] : {std::pair(0, 1), std::pair(1, 0)}) {
    Value *Moving = whole(Cmp->getOperand(X));
    bool Steps = affineIn(*A->SE, L, Moving) || steppedByMemory(A, L, Moving, nullptr, Loads);
    if (Steps && boundSlice(L, Cmp->getOperand(Y), Loads))
      return true;
    Loads.clear();
  }
  return false;
}

uint32_t ps_loop_counted_exits(PsAnalysis *A, uint32_t Index, LLVMBasicBlockRef *Out, uint32_t Cap) {
  Loop *L = A->Loops[Index];
  SmallVector<BasicBlock *, 8> Exiting, Counted;
  L->getExitingBlocks(Exiting);
  for (BasicBlock *BB : Exiting) {
    SmallVector<LoadInst *, 8> Loads;
    if (countedExit(A, L, BB, Loads))
      Counted.push_back(BB);
  }
  return fill(Counted, Out, Cap);
}

uint32_t ps_bound_loads(PsAnalysis *A, uint32_t Index, LLVMBasicBlockRef Block, LLVMValueRef *Out, uint32_t Cap) {
  SmallVector<LoadInst *, 8> Loads;
  if (!countedExit(A, A->Loops[Index], unwrap(Block), Loads))
    return 0;
  for (uint32_t I = 0; I < Loads.size() && I < Cap; ++I)
    Out[I] = wrap(Loads[I]);
  return Loads.size();
}

// Whether a counted test of the loop is of this phi, whose step lies in memory.
static bool testedInduction(PsAnalysis *A, Loop *L, PHINode *Phi) {
  SmallVector<BasicBlock *, 8> Exiting;
  L->getExitingBlocks(Exiting);
  return any_of(Exiting, [&](BasicBlock *BB) {
    SmallVector<LoadInst *, 8> Loads;
    if (!countedExit(A, L, BB, Loads))
      return false;
    auto *Cmp = cast<CmpInst>(cast<BranchInst>(BB->getTerminator())->getCondition());
    return any_of(Cmp->operands(), [&](Value *V) { return steppedByMemory(A, L, whole(V), Phi, Loads); });
  });
}

uint32_t ps_inductions(PsAnalysis *A, PsInduction *Out, uint32_t Cap) {
  uint32_t N = 0;
  for (uint32_t LI = 0; LI < A->Loops.size(); ++LI) {
    Loop *L = A->Loops[LI];
    if (!L->getLoopLatch() || !L->getLoopPreheader())
      continue;
    for (PHINode &Phi : L->getHeader()->phis()) {
      SmallVector<LoadInst *, 8> Loads;
      auto Steps = plainSteps(L, &Phi, Loads);
      bool Affine = affineIn(*A->SE, L, &Phi) && Loads.empty();
      BinaryOperator *Stated = stepOfDo(*L, Phi);
      if (Stated)
        Steps = {Stated};
      else if (Steps.empty() || !(Affine || (!Loads.empty() && testedInduction(A, L, &Phi))))
        continue;
      PsInduction Ind{};
      Ind.loop = LI;
      Ind.phi = wrap(&Phi);
      for (uint32_t I = 0; I < Steps.size(); ++I)
        Ind.updates[I] = wrap(Steps[I]);
      Ind.stated = Stated != nullptr;
      if (N < Cap)
        Out[N] = Ind;
      ++N;
    }
  }
  return N;
}

// Whether two accesses never meet in a loop, whatever its iterations: by type, by object, or at two places that do not
// change.
static bool apartIn(PsAnalysis *A, const Loop *L, Instruction *X, StoreInst *Y) {
  if (ps_never_alias(A, wrap(X), wrap(Y)))
    return true;
  auto Fixed = [&](Instruction *I) {
    return A->SE->isLoopInvariant(A->SE->getSCEV(const_cast<Value *>(getLoadStorePointerOperand(I))), L);
  };
  return Fixed(X) && Fixed(Y) && A->AA->isNoAlias(MemoryLocation::get(X), MemoryLocation::get(Y));
}

// Whether an address follows from the loop's indices and what was there before it: it is not looked up in memory, or
// computed from such.
static bool byIndices(PsAnalysis *A, const Loop *L, const Value *Address) {
  return !SCEVExprContains(A->SE->getSCEV(const_cast<Value *>(Address)), [&](const SCEV *S) {
    auto *U = dyn_cast<SCEVUnknown>(S);
    auto *I = U ? dyn_cast<Instruction>(U->getValue()) : nullptr;
    return I && L->contains(I);
  });
}

// Whether a load reads the same in every iteration: what it reads the loop does not write.
static bool alwaysFetches(PsAnalysis *A, Loop *L, const LoadInst *From) {
  if (!A->SE->isLoopInvariant(A->SE->getSCEV(const_cast<Value *>(From->getPointerOperand())), L))
    return false;
  for (BasicBlock *BB : L->blocks())
    for (Instruction &I : *BB)
      if (I.mayWriteToMemory() && isModSet(A->AA->getModRefInfo(&I, MemoryLocation::get(From))))
        return false;
  return true;
}

// Whether something else than loads and stores has the address of an object.
static bool isTaken(const Value *Object) {
  return !isa<GlobalVariable, GEPOperator>(Object) || any_of(Object->uses(), [](const Use &U) {
    const User *By = U.getUser();
    if (auto *S = dyn_cast<StoreInst>(By))
      return S->getValueOperand() == U.get();
    return isa<GEPOperator>(By) ? isTaken(By) : !isa<LoadInst>(By);
  });
}

// Whether a call gets the address of an object, or calls what is known to access it by name. What it reaches through
// other pointers, and functions that are not known, are taken to stay away from it; but of the library, whose reads do
// not show within an iteration, only where such a pointer leads to a known other object.
static bool names(const CallBase &Call, const Value *Object, SmallPtrSetImpl<const Function *> &Seen) {
  auto Leads = [&](const Use &Argument) {
    return Argument->getType()->isPointerTy() && getUnderlyingObject(Argument, 0) == Object;
  };
  if (Call.isInlineAsm() || any_of(Call.args(), Leads))
    return true;
  const Function *F = Call.getCalledFunction();
  auto Anywhere = [](const Use &Argument) {
    return Argument->getType()->isPointerTy() && !isIdentifiedObject(getUnderlyingObject(Argument, 0));
  };
  if (F && F->isDeclaration() && any_of(Call.args(), Anywhere))
    return isTaken(Object);
  if (!F || F->isDeclaration() || !isa<GlobalVariable>(Object) || !Seen.insert(F).second)
    return false;
  return any_of(instructions(F), [&](const Instruction &I) {
    if (const Value *P = getLoadStorePointerOperand(&I))
      return getUnderlyingObject(P, 0) == Object;
    auto *Inner = dyn_cast<CallBase>(&I);
    return Inner ? names(*Inner, Object, Seen) : I.mayReadOrWriteMemory();
  });
}

// A load and a store of one address form a reduction in a loop when nothing else there writes the same object but
// updates of the same operator (`Family`), and nothing reads it but those and plain loads at other addresses, of which
// only the run can tell whether they meet. (Where both addresses follow from the indices of loops and the update's
// changes, as in triangular solvers, loads mostly read what was updated.)
// "Same object" is decided by underlying objects: an access through another base pointer is taken to lie elsewhere, as
// a programmer who writes `*sum += a[i]` means it, also in functions that are called. The run shows whether it does.
// Returns how many such accesses to the object there are, given in Out, or UINT32_MAX if there are others.
uint32_t ps_other_accesses(PsAnalysis *A, uint32_t Index, LLVMValueRef Load, LLVMValueRef Store, const LLVMValueRef *Family,
                           uint32_t Members, LLVMValueRef *Out, uint32_t Cap) {
  Loop *L = A->Loops[Index];
  auto *LD = cast<LoadInst>(unwrap(Load));
  auto *ST = cast<StoreInst>(unwrap(Store));
  const Value *Base = getUnderlyingObject(LD->getPointerOperand(), 0);
  const LoadInst *Fetched = nullptr; // a pointer that every iteration fetches anew, from a place that does not change
  if (auto *I = dyn_cast<Instruction>(Base))
    if (L->contains(I)) {
      Fetched = dyn_cast<LoadInst>(I);
      if (!Fetched || !alwaysFetches(A, L, Fetched))
        return UINT32_MAX;
    }
  uint32_t N = 0;
  for (BasicBlock *BB : L->blocks())
    for (Instruction &I : *BB) {
      if (&I == LD || &I == ST || !I.mayReadOrWriteMemory())
        continue;
      const Value *P = getLoadStorePointerOperand(&I);
      if (P) {
        const Value *Other = getUnderlyingObject(P, 0);
        auto *OF = dyn_cast<LoadInst>(Other);
        bool Same = Other == Base || (Fetched && OF && ps_same_load(A, wrap(OF), wrap(Fetched)));
        if (!Same) {
          bool Several = isa<PHINode>(Other) || isa<SelectInst>(Other);
          if (!Several || A->AA->isNoAlias(MemoryLocation::get(&I), MemoryLocation::get(ST)))
            continue;
        } else if (apartIn(A, L, &I, ST))
          continue;
        bool Member = is_contained(ArrayRef(Family, Members), wrap(&I));
        auto *Reads = dyn_cast<LoadInst>(&I);
        const Value *Updated = ST->getPointerOperand();
        auto Offset = [&](const Value *Address, const Value *From) {
          return A->SE->getMinusSCEV(A->SE->getSCEV(const_cast<Value *>(Address)), A->SE->getSCEV(const_cast<Value *>(From)));
        };
        bool Fixed = A->SE->isLoopInvariant(A->SE->getSCEV(const_cast<Value *>(Updated)), L);
        bool ByIndices = !Fixed && byIndices(A, L, P) && byIndices(A, L, Updated);
        bool SamePlace = Same && Offset(P, Other) == Offset(Updated, Base);
        // Of a word whose bytes are updated one by one the run does not tell which was when.
        const DataLayout &DL = A->F->getDataLayout();
        bool Single = Reads && DL.getTypeStoreSize(Reads->getType()) <= DL.getTypeStoreSize(ST->getValueOperand()->getType());
        bool Elsewhere = Reads && Reads->isSimple() && !SamePlace && !ByIndices && (Single || ps_strict_access(Store));
        if (!Member && !Elsewhere)
          return UINT32_MAX;
        if (N < Cap)
          Out[N] = wrap(&I);
        ++N;
        continue;
      }
      if (auto *CB = dyn_cast<CallBase>(&I)) {
        if (auto *II = dyn_cast<IntrinsicInst>(CB))
          if (II->isAssumeLikeIntrinsic())
            continue;
        if (isNoModRef(A->AA->getModRefInfo(CB, MemoryLocation::get(ST))))
          continue;
        SmallPtrSet<const Function *, 8> Seen;
        if (!Fetched && !names(*CB, Base, Seen))
          continue;
      }
      return UINT32_MAX;
    }
  return N;
}

// Be it by way of pointers that are loaded each time, as a container's functions do.
static bool sameLoad(PsAnalysis *A, const LoadInst *X, const LoadInst *Y, unsigned Depth) {
  if (X->getType() != Y->getType() || !X->isSimple() || !Y->isSimple())
    return false;
  auto At = [&](const Value *V) { return A->SE->getSCEV(const_cast<Value *>(V)); };
  const Value *PX = X->getPointerOperand(), *PY = Y->getPointerOperand();
  if (At(PX) == At(PY))
    return true;
  auto *FromX = dyn_cast<LoadInst>(getUnderlyingObject(PX, 0)), *FromY = dyn_cast<LoadInst>(getUnderlyingObject(PY, 0));
  return Depth > 0 && FromX && FromY && sameLoad(A, FromX, FromY, Depth - 1) &&
         A->SE->getMinusSCEV(At(PX), At(FromX)) == A->SE->getMinusSCEV(At(PY), At(FromY));
}

int32_t ps_same_load(PsAnalysis *A, LLVMValueRef X, LLVMValueRef Y) {
  auto *LX = inst<LoadInst>(X), *LY = inst<LoadInst>(Y);
  return LX && LY && sameLoad(A, LX, LY, 2);
}

int32_t ps_same_address(PsAnalysis *A, LLVMValueRef X, LLVMValueRef Y) {
  return A->SE->getSCEV(unwrap(X)) == A->SE->getSCEV(unwrap(Y));
}

int32_t ps_constant_address(PsAnalysis *A, uint32_t Index, LLVMValueRef Address) {
  Loop *L = A->Loops[Index];
  Value *V = unwrap(Address);
  if (A->SE->isLoopInvariant(A->SE->getSCEV(V), L))
    return 1;
  APInt Offset(64, 0);
  auto *From = dyn_cast<LoadInst>(V->stripAndAccumulateConstantOffsets(A->F->getDataLayout(), Offset, true));
  return From && L->contains(From) && alwaysFetches(A, L, From);
}

int32_t ps_once(PsAnalysis *A, uint32_t Index, LLVMBasicBlockRef Block) {
  ScalarEvolution &SE = *A->SE;
  Loop *L = A->Loops[Index];
  auto Steps = [&](const SCEV *S) {
    while (isa<SCEVZeroExtendExpr, SCEVSignExtendExpr>(S))
      S = cast<SCEVCastExpr>(S)->getOperand();
    auto *AR = dyn_cast<SCEVAddRecExpr>(S);
    return AR && AR->getLoop() == L && AR->isAffine() && SE.isKnownNonZero(AR->getStepRecurrence(SE));
  };
  for (auto *N = A->DT->getNode(unwrap(Block)); N && N->getIDom() && L->contains(N->getBlock()); N = N->getIDom()) {
    BasicBlock *Test = N->getIDom()->getBlock();
    auto *Br = dyn_cast<BranchInst>(Test->getTerminator());
    auto *Cmp = Br && Br->isConditional() && L->contains(Test) ? dyn_cast<ICmpInst>(Br->getCondition()) : nullptr;
    if (!Cmp || !Cmp->isEquality() || !SE.isSCEVable(Cmp->getOperand(0)->getType()))
      continue;
    BasicBlockEdge Equal(Test, Br->getSuccessor(Cmp->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1));
    const SCEV *X = SE.getSCEV(Cmp->getOperand(0)), *Y = SE.getSCEV(Cmp->getOperand(1));
    bool Index = (Steps(X) && SE.isLoopInvariant(Y, L)) || (Steps(Y) && SE.isLoopInvariant(X, L));
    if (Index && A->DT->dominates(Equal, N->getBlock()))
      return 1;
  }
  return 0;
}

int32_t ps_invariant(PsAnalysis *A, uint32_t Index, LLVMValueRef Value_) {
  return A->Loops[Index]->isLoopInvariant(unwrap(Value_));
}

uint32_t ps_constant_trips(PsAnalysis *A, uint32_t Index) {
  return A->SE->getSmallConstantTripCount(A->Loops[Index]);
}

int32_t ps_never_alias(PsAnalysis *A, LLVMValueRef X, LLVMValueRef Y) {
  auto *IX = inst<Instruction>(X), *IY = inst<Instruction>(Y);
  auto Anywhere = [](Instruction *I) {
    return MemoryLocation::getBeforeOrAfter(getLoadStorePointerOperand(I), I->getAAMetadata());
  };
  return A->AA->isNoAlias(Anywhere(IX), Anywhere(IY));
}

static bool stepsIn(ScalarEvolution &SE, const Loop *L, const SCEV *S) {
  for (auto *AR = dyn_cast<SCEVAddRecExpr>(S); AR; AR = dyn_cast<SCEVAddRecExpr>(AR->getStart()))
    if (AR->getLoop() == L)
      return AR->isAffine() && !AR->getStepRecurrence(SE)->isZero();
  return false;
}

// Whether each iteration of the loop stores to places of its own: with what the loops inside add, it stays within its
// step.
int32_t ps_steps_apart(PsAnalysis *A, uint32_t Index, LLVMValueRef Store) {
  ScalarEvolution &SE = *A->SE;
  const Loop *L = A->Loops[Index];
  auto *I = cast<StoreInst>(unwrap(Store));
  const SCEV *S = SE.getSCEV(I->getPointerOperand());
  const SCEV *Extent = nullptr;
  uint64_t Bytes = A->F->getDataLayout().getTypeStoreSize(I->getValueOperand()->getType());
  for (auto *AR = dyn_cast<SCEVAddRecExpr>(S); AR; AR = dyn_cast<SCEVAddRecExpr>(AR->getStart())) {
    if (!AR->isAffine())
      return 0;
    const SCEV *Step = AR->getStepRecurrence(SE);
    if (AR->getLoop() == L) {
      const SCEV *Size = SE.getConstant(Step->getType(), Bytes);
      const SCEV *Needs = Extent ? SE.getAddExpr(Extent, Size) : Size;
      return SE.isKnownPredicate(ICmpInst::ICMP_SGE, SE.getAbsExpr(Step, false), Needs);
    }
    if (!L->contains(AR->getLoop()))
      return 0;
    const SCEV *Most = SE.getBackedgeTakenCount(AR->getLoop());
    if (isa<SCEVCouldNotCompute>(Most))
      return 0;
    const SCEV *Adds = SE.getMulExpr(SE.getAbsExpr(Step, false), SE.getTruncateOrZeroExtend(Most, Step->getType()));
    Extent = Extent ? SE.getAddExpr(Extent, Adds) : Adds;
  }
  return 0;
}

int32_t ps_steps_everywhere(PsAnalysis *A, uint32_t Inner, uint32_t Outer, LLVMValueRef Address) {
  const SCEV *S = A->SE->getSCEV(unwrap(Address));
  for (Loop *L = A->Loops[Inner];; L = L->getParentLoop()) {
    if (!L || !stepsIn(*A->SE, L, S))
      return 0;
    if (L == A->Loops[Outer])
      return 1;
  }
}

int32_t ps_alias(PsAnalysis *A, LLVMValueRef X, LLVMValueRef Y) {
  auto *IX = inst<Instruction>(X), *IY = inst<Instruction>(Y);
  const Value *PX = getLoadStorePointerOperand(IX), *PY = getLoadStorePointerOperand(IY);
  if (PX == PY && IX && IY)
    return 2;
  AliasResult R = A->AA->alias(MemoryLocation::get(IX), MemoryLocation::get(IY));
  if (R == AliasResult::NoAlias)
    return 0;
  // Within one iteration, different elements at a constant distance do not overlap.
  if (A->SE->isSCEVable(PX->getType())) {
    const SCEV *D = A->SE->getMinusSCEV(A->SE->getSCEV(const_cast<Value *>(PX)), A->SE->getSCEV(const_cast<Value *>(PY)));
    if (auto *C = dyn_cast<SCEVConstant>(D)) {
      const DataLayout &DL = A->F->getDataLayout();
      int64_t Dist = C->getAPInt().getSExtValue();
      int64_t SX = DL.getTypeStoreSize(getLoadStoreType(IX)), SY = DL.getTypeStoreSize(getLoadStoreType(IY));
      if (Dist >= SY || -Dist >= SX)
        return 0;
      if (Dist == 0 && SX == SY)
        return 2;
    }
  }
  return R == AliasResult::MustAlias ? 2 : 1;
}
}
