// Loops of the source: where they stand, what they consist of, and how often those go round whose bounds are constant.
#include "source.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

// PsSourceLoop::index: a local variable that is set to a constant in front of the loop, stepped by one in its latch,
// and compared with another in its header, which is the only way out. Nobody has its address.
static void counted(const SourceVariables &Variables, const Loop &L, PsSourceLoop &Out) {
  BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch(), *Before = L.getLoopPredecessor();
  auto *Branch = dyn_cast<BranchInst>(Header->getTerminator());
  if (!Latch || !Before || L.getExitingBlock() != Header || !Branch || !Branch->isConditional())
    return;
  auto *Test = dyn_cast<ICmpInst>(Branch->getCondition());
  auto *Load = Test ? dyn_cast<LoadInst>(Test->getOperand(0)) : nullptr;
  auto *Bound = Test ? dyn_cast<ConstantInt>(Test->getOperand(1)) : nullptr;
  auto *Slot = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  auto Index = Slot ? Variables.find(Slot) : std::nullopt;
  if (!Bound || !Index || Bound->getBitWidth() > 64 || taken(*Slot) || !L.contains(Branch->getSuccessor(0)) ||
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
  Out.index = *Index;
  Out.trips = uint64_t(End) - uint64_t(Begin) + Includes;
}

void listLoop(SourceFunction &In, const SourceVariables &Variables, const Loop &L) {
  PsSource &S = In.S;
  PsSourceLoop Out{};
  Out.header = In.Number[L.getHeader()];
  auto Places = places(L.getLoopID());
  if (Places.empty())
    return;
  const DILocation *Start = Places.front(), *End = Places.size() > 1 ? Places.back() : nullptr;
  Out.line = Start->getLine();
  Out.column = Start->getColumn();
  Out.end_line = End ? End->getLine() : 0;
  Out.end_column = End ? End->getColumn() : 0;
  const DIFile *File = Start->getScope()->getFile();
  Out.file = S.text(File ? File->getFilename() : "");
  Out.directory = S.text(File ? File->getDirectory() : "");
  Out.first_block = S.LoopBlocks.size();
  for (BasicBlock *BB : L.blocks())
    S.LoopBlocks.push_back(In.Number[BB]);
  Out.blocks = L.getNumBlocks();
  Out.first_inside = S.LoopBlocks.size();
  // Variables whose scope lies in the loop.
  auto From = std::make_pair(Out.line, Out.column), To = std::make_pair(Out.end_line, Out.end_column);
  for (uint32_t V = 0; V < S.Variables.size(); ++V)
    if (const DILocalVariable *Local = Variables.local(V); Local && declaredWithin(Local, File, From, To))
      S.LoopBlocks.push_back(V);
  Out.inside = S.LoopBlocks.size() - Out.first_inside;
  Out.index = UINT32_MAX;
  counted(Variables, L, Out);
  S.Loops.push_back(Out);
}
