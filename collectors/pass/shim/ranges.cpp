// What a loop does to memory as far as it is known before the loop runs, for the reports of dependences.
#include "analysis.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace {

struct Access {
  Instruction *I;
  Value *Pointer;
  const SCEV *Start, *Stride; // the address in the first iteration, and bytes to the next
  bool Conditional;
};

// An index in 64 bits. Where the source's arithmetic must not overflow its narrower type (`int`), the sum of extended
// parts is what the extended sum is: all of this is of accesses that happen, whose address a wrapped value would make
// undefined. SCEV must not assume that of values whose use it does not know.
const SCEV *widened(Value *V, Type *Wide, Loop &L, ScalarEvolution &SE, unsigned Depth) {
  auto Part = [&](Value *P) { return widened(P, Wide, L, SE, Depth - 1); };
  if (auto *Phi = dyn_cast<PHINode>(V); Phi && Phi->getParent() == L.getHeader()) {
    auto *Next = dyn_cast<BinaryOperator>(Phi->getIncomingValueForBlock(L.getLoopLatch()));
    bool Steps = Next && Next->getOpcode() == Instruction::Add && Next->hasNoSignedWrap() && Next->getOperand(0) == Phi;
    const SCEV *Step = Steps ? SE.getSCEV(Next->getOperand(1)) : nullptr;
    if (Step && SE.isLoopInvariant(Step, &L)) {
      const SCEV *Start = SE.getSCEV(Phi->getIncomingValueForBlock(L.getLoopPreheader()));
      return SE.getAddRecExpr(SE.getSignExtendExpr(Start, Wide), SE.getSignExtendExpr(Step, Wide), &L, SCEV::FlagAnyWrap);
    }
  }
  auto *Op = dyn_cast<OverflowingBinaryOperator>(V);
  if (Depth > 0 && Op && Op->hasNoSignedWrap() && !L.isLoopInvariant(V))
    switch (Op->getOpcode()) {
    case Instruction::Add:
      return SE.getAddExpr(Part(Op->getOperand(0)), Part(Op->getOperand(1)));
    case Instruction::Sub:
      return SE.getMinusSCEV(Part(Op->getOperand(0)), Part(Op->getOperand(1)));
    case Instruction::Mul:
      return SE.getMulExpr(Part(Op->getOperand(0)), Part(Op->getOperand(1)));
    }
  return SE.getSignExtendExpr(SE.getSCEV(V), Wide);
}

// The address of an access that happens.
const SCEV *place(Value *Pointer, Loop &L, ScalarEvolution &SE) {
  const SCEV *Place = SE.getSCEV(Pointer);
  auto *GEP = dyn_cast<GetElementPtrInst>(Pointer);
  if (!GEP || GEP->getType()->isVectorTy() || SE.isLoopInvariant(Place, &L) || isa<SCEVAddRecExpr>(Place))
    return Place;
  const DataLayout &DL = GEP->getDataLayout();
  Type *Wide = DL.getIndexType(GEP->getType());
  APInt Fixed(DL.getIndexTypeSizeInBits(GEP->getType()), 0);
  SmallMapVector<Value *, APInt, 4> Indices;
  if (!GEP->collectOffset(DL, Fixed.getBitWidth(), Indices, Fixed))
    return Place;
  const SCEV *Sum = SE.getAddExpr(place(GEP->getPointerOperand(), L, SE), SE.getConstant(Fixed));
  for (auto &[Index, Size] : Indices) {
    auto *Cast = dyn_cast<SExtInst>(Index);
    const SCEV *At = Cast ? widened(Cast->getOperand(0), Wide, L, SE, 4) : SE.getTruncateOrSignExtend(SE.getSCEV(Index), Wide);
    Sum = SE.getAddExpr(Sum, SE.getMulExpr(At, SE.getConstant(Size)));
  }
  return Sum;
}

// Whether the address follows from that in the first iteration; finds both.
bool follows(Access &A, Loop &L, ScalarEvolution &SE) {
  if (!SE.isSCEVable(A.Pointer->getType()))
    return false;
  A.Start = place(A.Pointer, L, SE);
  A.Stride = SE.getZero(Type::getInt64Ty(SE.getContext()));
  if (auto *AR = dyn_cast<SCEVAddRecExpr>(A.Start); AR && AR->getLoop() == &L && AR->isAffine()) {
    A.Stride = AR->getStepRecurrence(SE);
    A.Start = AR->getStart();
  }
  return SE.isLoopInvariant(A.Start, &L) && A.Stride->getType()->isIntegerTy(64);
}

// Whether a function does nothing but compute, and calls nothing but such functions; what it reports itself apart.
bool computes(const Function &F, const TargetLibraryInfo &TLI, unsigned Depth);

bool computes(const Instruction &I, const TargetLibraryInfo &TLI, unsigned Depth) {
  if (!I.mayReadOrWriteMemory() && !I.mayThrow())
    return true;
  if (StringRef Name = report(I); !Name.empty())
    return Name == "depth" || Name == "left";
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Depth > 0 && computes(*Callee, TLI, Depth - 1);
}

bool computes(const Function &F, const TargetLibraryInfo &TLI, unsigned Depth) {
  if (F.isDeclaration()) {
    // Functions of libm: numbers in, a number out, and errno. (lgamma sets a variable.)
    LibFunc Known;
    auto Number = [](const Type *T) { return T->isFloatingPointTy(); };
    return TLI.getLibFunc(F, Known) && Number(F.getReturnType()) && F.arg_size() > 0 &&
           all_of(F.args(), [&](const Argument &A) { return Number(A.getType()); }) && !F.getName().starts_with("lgamma");
  }
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 4> Back;
  FindFunctionBackedges(F, Back);
  return F.isDefinitionExact() && Back.empty() && F.getInstructionCount() <= 200 &&
         all_of(instructions(F), [&](const Instruction &I) { return computes(I, TLI, Depth); });
}

// Whether one of two accesses may write what the other accesses, in the same iteration or another: not if they are to
// objects that stay the same while the loop runs and differ.
bool meet(const Access &A, const Access &B, Loop &L, AAResults &AA) {
  if (isa<LoadInst>(A.I) && isa<LoadInst>(B.I))
    return false;
  const Value *First = getUnderlyingObject(A.Pointer, 0), *Second = getUnderlyingObject(B.Pointer, 0);
  return !L.isLoopInvariant(First) || !L.isLoopInvariant(Second) ||
         !AA.isNoAlias(MemoryLocation::getBeforeOrAfter(First), MemoryLocation::getBeforeOrAfter(Second));
}

// Blocks of every iteration of a loop with one latch.
SmallPtrSet<BasicBlock *, 8> always(const Loop &L, const DominatorTree &DT) {
  SmallPtrSet<BasicBlock *, 8> All;
  for (auto *N = DT.getNode(L.getLoopLatch()); N && L.contains(N->getBlock()); N = N->getIDom())
    All.insert(N->getBlock());
  return All;
}

// The loop ends behind its last block only, and begins with all of a first iteration.
bool isCounted(const Loop &L) {
  return L.isInnermost() && L.getLoopPreheader() && L.getLoopLatch() && L.getExitingBlock() == L.getLoopLatch();
}

bool isSimple(const Instruction &I) {
  auto *W = dyn_cast<StoreInst>(&I);
  auto *R = dyn_cast<LoadInst>(&I);
  return W ? W->isSimple() : R && R->isSimple();
}

// Takes what a loop computes anew in every iteration out of it, and gives what it loads from where it stores nothing to
// its other instructions by a load in front of it.
void loadBefore(Loop &L, LoopInfo &LI, DominatorTree &DT, AAResults &AA, const TargetLibraryInfo &TLI) {
  SmallVector<Access, 16> Stores;
  LoopBlocksRPO Order(&L);
  Order.perform(&LI);
  for (BasicBlock *BB : Order)
    for (Instruction &I : *BB)
      if (!isSimple(I) && !computes(I, TLI, 2))
        return;
      else if (auto *W = dyn_cast<StoreInst>(&I))
        Stores.push_back({W, W->getPointerOperand(), nullptr, nullptr, false});
  Instruction *At = L.getLoopPreheader()->getTerminator();
  SmallPtrSet<BasicBlock *, 8> Always = always(L, DT);
  for (BasicBlock *BB : Order) {
    if (!Always.contains(BB))
      continue;
    for (Instruction &I : make_early_inc_range(*BB)) {
      if (isa<PHINode>(I) || I.isTerminator() || !L.hasLoopInvariantOperands(&I))
        continue;
      if (auto *R = dyn_cast<LoadInst>(&I)) {
        Access Read{R, R->getPointerOperand(), nullptr, nullptr, false};
        // Addresses, indices and bounds.
        bool Wanted = R->getType()->isPointerTy() || R->getType()->isIntegerTy();
        if (!Wanted || any_of(Stores, [&](const Access &W) { return meet(Read, W, L, AA); }))
          continue;
        Instruction *Before = R->clone();
        Before->insertBefore(At->getIterator());
        R->replaceAllUsesWith(Before);
      } else if (!isa<CallBase>(I) && !I.mayHaveSideEffects() && !I.mayReadFromMemory()) {
        I.moveBefore(At->getIterator());
      }
    }
  }
}

} // namespace

extern "C" {

void ps_load_before(LLVMValueRef F_, void *Analyses) {
  auto &FAM = *static_cast<FunctionAnalysisManager *>(Analyses);
  auto *F = unwrap<Function>(F_);
  LoopInfo &LI = FAM.getResult<LoopAnalysis>(*F);
  for (Loop *L : LI.getLoopsInPreorder())
    if (isCounted(*L))
      loadBefore(*L, LI, FAM.getResult<DominatorTreeAnalysis>(*F), FAM.getResult<AAManager>(*F),
                 FAM.getResult<TargetLibraryAnalysis>(*F));
}

uint32_t ps_ranges(PsAnalysis *A, uint32_t Index, LLVMValueRef *Count, uint32_t *Alone, PsRange *Out, uint32_t Cap) {
  ScalarEvolution &SE = *A->SE;
  Loop *L = A->Loops[Index];
  if (!isCounted(*L))
    return 0;
  const SCEV *Again = SE.getBackedgeTakenCount(L);
  Instruction *At = L->getLoopPreheader()->getTerminator();
  SCEVExpander Expander(SE, "ranges");
  if (isa<SCEVCouldNotCompute>(Again) || !Expander.isSafeToExpandAt(Again, At))
    return 0;
  SmallPtrSet<BasicBlock *, 8> Always = always(*L, *A->DT);
  SmallVector<Access, 16> Known, Others;
  bool Reports = false;
  LoopBlocksRPO Order(L);
  Order.perform(A->LI);
  for (BasicBlock *BB : Order)
    for (Instruction &I : *BB) {
      if (StringRef Name = report(I); !Name.empty()) {
        Reports |= Name != "iterate";
        continue;
      }
      if (!isSimple(I)) {
        if (!computes(I, *A->TLI, 2))
          return 0;
        continue;
      }
      Access Found{&I, getLoadStorePointerOperand(&I), nullptr, nullptr, !Always.contains(BB)};
      bool Follows = follows(Found, *L, SE) && Expander.isSafeToExpandAt(Found.Start, At) &&
                     Expander.isSafeToExpandAt(Found.Stride, At);
      (Follows ? Known : Others).push_back(Found);
    }
  // What others may meet is reported with them.
  for (size_t Before = 0; Before != Others.size();) {
    Before = Others.size();
    erase_if(Known, [&](const Access &K) {
      bool Met = any_of(Others, [&](const Access &O) { return meet(K, O, *L, *A->AA); });
      if (Met)
        Others.push_back(K);
      return Met;
    });
  }
  *Alone = Others.empty() && !Reports;
  if (Known.size() > Cap || all_of(Known, [](const Access &K) { return K.Conditional; }))
    return 0;
  Type *I64 = Type::getInt64Ty(A->F->getContext());
  if (SE.getTypeSizeInBits(Again->getType()) > 64)
    return 0;
  const SCEV *Trips = SE.getAddExpr(SE.getNoopOrZeroExtend(Again, I64), SE.getOne(I64));
  *Count = wrap(Expander.expandCodeFor(Trips, I64, At));
  for (uint32_t N = 0; N < Known.size(); ++N) {
    const Access &K = Known[N];
    Value *Start = Expander.expandCodeFor(K.Start, K.Start->getType(), At);
    if (Start->getType()->isPointerTy())
      Start = IRBuilder<>(At).CreatePtrToInt(Start, I64);
    Value *Stride = Expander.expandCodeFor(K.Stride, I64, At);
    Out[N] = {wrap(K.I), wrap(Start), wrap(Stride), K.Conditional};
  }
  return Known.size();
}
}
