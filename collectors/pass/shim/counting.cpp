// What native versions do beside what the program does: they count, and look now and then whether to go on tracked.
#include "versions.h"

#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

// Of the memories that the pass tells apart, the program's and the state's.
static const uint32_t ProgramScope = 0, OwnScope = 2;

void own(Instruction *I) { ps_add_scope_metadata(wrap(I->getModule()), wrap(I), OwnScope, true); }

void closeAtPads(Function &F, FunctionCallee Depth, FunctionCallee Close) {
  SmallVector<Instruction *, 4> Pads;
  for (BasicBlock &BB : F) {
    if (LandingPadInst *L = BB.getLandingPadInst())
      Pads.push_back(L);
    for (Instruction &I : BB)
      if (auto *C = dyn_cast<CallInst>(&I); C && returnsTwice(*C))
        Pads.push_back(C);
  }
  if (Pads.empty())
    return;
  BasicBlock::iterator At = F.getEntryBlock().begin();
  while (isa<AllocaInst>(*At))
    ++At;
  IRBuilder<> B(&*At);
  B.SetCurrentDebugLocation(startOf(F));
  Value *Here = B.CreateCall(Depth);
  for (Instruction *I : Pads) {
    B.SetInsertPoint(I->getNextNode());
    B.SetCurrentDebugLocation(startOf(F));
    B.CreateCall(Close, {Here});
  }
}

Instruction *check(const Switch &S, Instruction *Before, Constant *Ahead) {
  LLVMContext &C = Before->getContext();
  IRBuilder<> B(Before);
  B.SetCurrentDebugLocation(startOf(*Before->getFunction()));
  LoadInst *Old = B.CreateLoad(B.getInt64Ty(), S.Left);
  Value *Left = B.CreateSub(Old, B.getInt64(1));
  own(Old);
  Value *Expected = nullptr;
  if (Ahead) {
    LoadInst *Fewer = B.CreateLoad(B.getInt64Ty(), Ahead);
    own(Fewer);
    Expected = B.CreateSub(B.getInt64(S.Unseen), Fewer);
    Left = B.CreateSub(Left, Expected);
  }
  own(B.CreateStore(Left, S.Left));
  MDNode *Unlikely = MDBuilder(C).createUnlikelyBranchWeights();
  Instruction *Ask = SplitBlockAndInsertIfThen(B.CreateICmpSLT(Left, B.getInt64(0)), Before->getIterator(), false, Unlikely);
  B.SetInsertPoint(Ask);
  // The program's memory stays as it is, so that what was loaded from it before is good behind the check: the runtime
  // answers with the counter's new value, and it is stored here.
  Value *Now = Expected ? B.CreateCall(S.TurnBefore, {Left, Expected}) : B.CreateCall(S.Turn);
  if (Expected) // It is counted behind the loop, since the counter begins anew.
    own(B.CreateStore(B.getInt64(S.Unseen), Ahead));
  own(B.CreateStore(Now, S.Left));
  Value *On = B.CreateICmpSLT(Now, B.getInt64(0));
  return SplitBlockAndInsertIfThen(On, Ask->getIterator(), true);
}

static StoreInst *increase(IRBuilder<> &B, Value *Address, Value *Number, bool Volatile) {
  LoadInst *Old = B.CreateLoad(B.getInt64Ty(), Address, Volatile);
  own(Old);
  StoreInst *Now = B.CreateStore(B.CreateAdd(Old, Number), Address, Volatile);
  own(Now);
  return Now;
}

StoreInst *Counting::add(Instruction *Before, uint32_t Counter, Value *Number, bool InLoop) const {
  IRBuilder<> B(Before);
  B.SetCurrentDebugLocation(startOf(*Before->getFunction()));
  return increase(B, B.CreateConstGEP1_64(B.getInt64Ty(), First, Counter), Number, !InLoop);
}

StoreInst *Counting::one(Instruction *Before, uint32_t Counter, bool InLoop) const {
  return add(Before, Counter, ConstantInt::get(Type::getInt64Ty(Before->getContext()), 1), InLoop);
}

void Counting::iterations(BasicBlock *Header, BasicBlock *Preheader, BasicBlock *Latch, ArrayRef<BasicBlock *> Exits, uint32_t Counter,
                          function_ref<void(Instruction *, Value *)> Ended) const {
  Type *I64 = Type::getInt64Ty(Header->getContext());
  auto *Count = PHINode::Create(I64, 2, "", Header->begin());
  IRBuilder<> B(&*Header->getFirstInsertionPt());
  B.SetCurrentDebugLocation(startOf(*Header->getParent()));
  Value *Next = B.CreateAdd(Count, ConstantInt::get(I64, 1));
  Count->addIncoming(ConstantInt::get(I64, 0), Preheader);
  Count->addIncoming(Next, Latch);
  for (BasicBlock *Exit : Exits) {
    auto *All = PHINode::Create(I64, 2, "", Exit->begin());
    for (BasicBlock *From : predecessors(Exit))
      All->addIncoming(Next, From);
    Instruction *Behind = &*Exit->getFirstInsertionPt();
    add(Behind, Counter, All);
    Ended(Behind, All);
  }
}

Constant *Counting::ahead(BasicBlock *Header) const {
  for (const PsCount &C : List)
    if (C.kind == 3 && unwrap(C.block) == Header && C.ahead != UINT32_MAX) {
      Type *I64 = Type::getInt64Ty(Header->getContext());
      return ConstantExpr::getGetElementPtr(I64, First, ConstantInt::get(I64, C.ahead));
    }
  return nullptr;
}

void Counting::pass(const Switch &S, Instruction *Behind, Value *Iterations, Constant *Ahead) {
  constexpr uint64_t Many = 1024, Each = 64;
  IRBuilder<> B(Behind);
  Instruction *Long = SplitBlockAndInsertIfThen(B.CreateICmpUGE(Iterations, B.getInt64(Many)), Behind->getIterator(), false,
                                                MDBuilder(Behind->getContext()).createUnlikelyBranchWeights());
  B.SetInsertPoint(Long);
  B.SetCurrentDebugLocation(startOf(*Behind->getFunction()));
  Value *Checks = B.CreateUDiv(Iterations, B.getInt64(Each)), *Rest = B.CreateNeg(Checks);
  if (Ahead) {
    Value *Unseen = B.getInt64(S.Unseen), *None = B.getInt64(0);
    LoadInst *Fewer = B.CreateLoad(B.getInt64Ty(), Ahead);
    own(Fewer);
    // An instance that tracked code has begun was not counted before.
    Value *Counted = B.CreateSelect(B.CreateICmpEQ(Fewer, None), None, B.CreateSub(Unseen, Fewer));
    Rest = B.CreateAdd(Rest, Counted);
    own(B.CreateStore(B.CreateSub(Unseen, Checks), Ahead));
  }
  increase(B, S.Left, Rest, false);
}

void Counting::promise(Function &F) {
  for (BasicBlock &BB : F)
    for (Instruction &I : BB)
      if ((isa<LoadInst>(I) || isa<StoreInst>(I)) && !I.getMetadata(LLVMContext::MD_alias_scope))
        ps_add_scope_metadata(wrap(F.getParent()), wrap(&I), ProgramScope, false);
}
