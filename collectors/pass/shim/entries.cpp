// Has a function be entered in its middle, at the headers of loops: whatever reaches a place from elsewhere gets the
// values that were handed over, on every way in.
#include "versions.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/Transforms/Utils/SSAUpdaterBulk.h"

using namespace llvm;

void waysIn(Function &F, MutableArrayRef<WayIn> Ways, const Buffer &In, BasicBlock *Own, const Homes &Copied) {
  LLVMContext &C = F.getContext();
  const DataLayout &DL = F.getDataLayout();
  Type *I32 = Type::getInt32Ty(C);
  SmallVector<DenseMap<Value *, Value *>, 4> Given(Ways.size());
  auto *Number = new AllocaInst(I32, 0, "", F.getEntryBlock().begin());
  new StoreInst(ConstantInt::get(I32, 0), Number, std::next(Number->getIterator()));
  for (unsigned K = 0; K < Ways.size(); ++K) {
    WayIn &W = Ways[K];
    IRBuilder<> B(W.End);
    B.SetCurrentDebugLocation(startOf(F));
    SmallVector<uint64_t, 16> Places;
    In.places(DL, W.Live, Places);
    for (unsigned I = 0; I < W.Live.size(); ++I) {
      Value *V = W.Live[I], *There = B.CreateAlignedLoad(V->getType(), In.address(B, Places[I]), Align(1));
      if (AllocaInst *Home = Copied.lookup(V)) {
        B.CreateStore(There, Home);
        copyVariable(B, V, There, *cast<AllocaInst>(V));
      } else {
        Given[K][V] = There;
      }
    }
    if (!In.Copied) {
      inThisOrder(B);
      B.CreateStore(B.getInt32(0), In.address(B, In.Number));
    }
    Value *Which = W.Number;
    for (Target &T : W.Targets)
      if (T.Chain.size() == 1)
        Which = W.Targets.size() == 1 ? B.getInt32(0) : B.CreateSelect(B.CreateICmpEQ(W.Number, B.getInt32(T.Number)), B.getInt32(0), Which);
    B.CreateStore(Which, Number);
  }
  auto To = [&](BasicBlock *From, BasicBlock *Header, const DenseMap<Value *, Value *> *Values) {
    for (PHINode &P : Header->phis()) {
      Value *V = &P; // whatever reaches the end of `From`
      if (Values) {
        auto It = Values->find(&P);
        V = It == Values->end() ? Constant::getNullValue(P.getType()) : It->second;
      }
      P.addIncoming(V, From);
    }
  };
  // From header to header.
  MapVector<BasicBlock *, SmallVector<Target *, 4>> Through;
  for (WayIn &W : Ways)
    for (Target &T : W.Targets)
      for (BasicBlock *Header : drop_end(T.Chain))
        Through[Header].push_back(&T);
  for (auto &[Header, List] : Through) {
    Instruction *At = &*Header->getFirstInsertionPt();
    IRBuilder<> B(At);
    B.SetCurrentDebugLocation(startOf(F));
    Value *Which = B.CreateLoad(I32, Number);
    Instruction *Any = SplitBlockAndInsertIfThen(B.CreateICmpNE(Which, B.getInt32(0)), At->getIterator(), true,
                                                 MDBuilder(C).createUnlikelyBranchWeights());
    BasicBlock *Choice = Any->getParent();
    Any->eraseFromParent();
    B.SetInsertPoint(Choice);
    B.SetCurrentDebugLocation(startOf(F));
    BasicBlock *Never = BasicBlock::Create(C, "", &F);
    new UnreachableInst(C, Never);
    SwitchInst *S = B.CreateSwitch(Which, Never, List.size());
    for (Target *T : List) {
      BasicBlock *Next = *std::next(llvm::find(T->Chain, Header));
      BasicBlock *Step = BasicBlock::Create(C, "", &F);
      S->addCase(B.getInt32(T->Number), Step);
      IRBuilder<> BS(Step);
      BS.SetCurrentDebugLocation(startOf(F));
      if (Next == T->Chain.back())
        BS.CreateStore(BS.getInt32(0), Number);
      BS.CreateBr(Next);
      To(Step, Next, nullptr);
    }
  }
  for (unsigned K = 0; K < Ways.size(); ++K) {
    WayIn &W = Ways[K];
    BasicBlock *From = W.End->getParent(), *Old = W.End->getSuccessor(0);
    Old->removePredecessor(From);
    IRBuilder<> B(W.End);
    B.SetCurrentDebugLocation(startOf(F));
    BasicBlock *First = W.Targets.front().Chain.front();
    B.CreateBr(First);
    W.End->eraseFromParent();
    W.End = nullptr;
    To(From, First, &Given[K]);
    W.End = From->getTerminator();
  }
  // Values that no longer reach all their uses.
  DominatorTree DT(F);
  SSAUpdaterBulk Updater;
  auto Repair = [&](Value *V, BasicBlock *Home, function_ref<bool(Use &)> Lost) {
    std::optional<unsigned> Variable;
    for (Use &U : V->uses()) {
      auto *I = dyn_cast<Instruction>(U.getUser());
      if (!I || !Lost(U))
        continue;
      if (!Variable) {
        Variable = Updater.AddVariable("", V->getType());
        if (DT.isReachableFromEntry(Home))
          Updater.AddAvailableValue(*Variable, Home, V);
        for (unsigned K = 0; K < Ways.size(); ++K) {
          auto It = Given[K].find(V);
          Value *There = It == Given[K].end() ? Constant::getNullValue(V->getType()) : It->second;
          Updater.AddAvailableValue(*Variable, Ways[K].End->getParent(), There);
        }
      }
      Updater.AddUse(*Variable, &U);
    }
  };
  auto Block = [](Use &U) {
    auto *I = cast<Instruction>(U.getUser());
    if (auto *P = dyn_cast<PHINode>(I))
      return P->getIncomingBlock(U);
    return I->getParent();
  };
  auto Handed = [&](Value *V) { return llvm::any_of(Given, [&](auto &Map) { return Map.contains(V); }); };
  // Markers are for variables that are allocated here, and these may be another version's.
  auto isOther = [&](Instruction &I) { return isa<AllocaInst>(I) && (Own ? Handed(&I) : I.getParent() != &F.getEntryBlock()); };
  SmallVector<IntrinsicInst *, 8> Lifetimes;
  for (BasicBlock &BB : F)
    for (Instruction &I : BB)
      if (isOther(I) || Copied.contains(&I))
        for (User *U : I.users())
          if (auto *II = dyn_cast<IntrinsicInst>(U); II && II->isLifetimeStartOrEnd())
            Lifetimes.push_back(II);
  for (IntrinsicInst *II : Lifetimes)
    II->eraseFromParent();
  auto isMine = [&](Instruction &I) { return isOther(I) && (I.getParent() == Own || I.getParent() == &F.getEntryBlock()); };
  for (BasicBlock &BB : F)
    for (Instruction &I : BB)
      // What the function has in memory from its beginning comes later.
      if (!(Own && isMine(I)) && !I.getType()->isVoidTy() && !I.getType()->isTokenTy())
        Repair(&I, &BB, [&](Use &U) { return DT.isReachableFromEntry(Block(U)) && !DT.dominates(&I, U); });
  if (Own) {
    SmallPtrSet<BasicBlock *, 8> Before;
    for (DomTreeNode *N = DT.getNode(Own)->getIDom(); N; N = N->getIDom())
      Before.insert(N->getBlock());
    auto Behind = [&](Use &U) {
      BasicBlock *BB = Block(U);
      return BB != Own && DT.isReachableFromEntry(BB) && !Before.contains(BB);
    };
    SmallVector<Value *, 16> Mine;
    for (Argument &A : F.args())
      if (Handed(&A))
        Mine.push_back(&A);
    for (BasicBlock *BB : {&F.getEntryBlock(), Own})
      for (Instruction &I : *BB)
        if (isa<AllocaInst>(I) && Handed(&I))
          Mine.push_back(&I);
    for (Value *V : Mine)
      Repair(V, Own, Behind);
  }
  Updater.RewriteAllUses(&DT);
  DT.recalculate(F);
  PromoteMemToReg({Number}, DT);
  EliminateUnreachableBlocks(F);
  settleStack(F);
}

void copyRest(Loop &L, ValueToValueMapTy &Map) {
  Function &F = *L.getHeader()->getParent();
  SmallVector<BasicBlock *, 8> Copies;
  for (BasicBlock *BB : L.blocks()) {
    BasicBlock *Copy = CloneBasicBlock(BB, Map, "", &F);
    Map[BB] = Copy;
    Copies.push_back(Copy);
  }
  remapInstructionsInBlocks(Copies, Map);
  SmallVector<MDNode *, 4> Scopes;
  identifyNoAliasScopesToClone(L.getBlocks(), Scopes);
  cloneAndAdaptNoAliasScopes(Scopes, Copies, F.getContext(), "rest");
  for (PHINode &P : cast<BasicBlock>(Map[L.getHeader()])->phis())
    P.removeIncomingValueIf([&](unsigned I) { return !llvm::is_contained(Copies, P.getIncomingBlock(I)); }, false);
  for (BasicBlock *BB : L.blocks()) {
    // It names the other loop.
    Instruction *End = cast<BasicBlock>(Map[BB])->getTerminator();
    End->setMetadata(LLVMContext::MD_loop, nullptr);
    for (BasicBlock *Exit : successors(BB)) {
      if (L.contains(Exit))
        continue;
      for (PHINode &P : Exit->phis()) {
        Value *V = P.getIncomingValueForBlock(BB);
        auto It = Map.find(V);
        P.addIncoming(It == Map.end() ? V : static_cast<Value *>(It->second), End->getParent());
      }
    }
  }
}
