// Native versions of functions beside the tracked ones, and the ways between them. A function has a tracked body (the
// function itself), a native body, and a native continuation. At *places* (loops: in their headers, or before those
// that the tracked body counts in registers) one of them calls another, which goes on there and returns for it: the
// number of the place lies in the thread state, and what is live there in a buffer behind it. The tracked body and the
// continuation can be entered at every place: their entry leads to the header of the outermost loop around it, and from
// header to header to the place, so that all loops keep one way in. (The tracked body gets its ways in when it has been
// instrumented: the analyses see the function as it is.) The function's own variables in memory stay in the frame of
// the version that was called first, which is there until the last one returns; where a version has no such variables,
// it calls the next in tail position, so that the stack does not grow however often versions change (boxes.cpp: also
// where arguments travel on the stack). What a function allocates as it goes, arrays of variable length, stays where it
// is as well: no version is called in tail position while it has such memory.
#include "analysis.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/Transforms/Utils/SSAUpdaterBulk.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

// Variables of a function that take more than this together are not allocated twice, lest the stack ends: of those the
// tracked version allocates the ones that are larger than a page only where it is entered at its beginning.
static const uint64_t LargeFrame = 1 << 16, Page = 4096;

// What is live at the beginning of blocks, their phis included.
static DenseMap<BasicBlock *, SmallVector<Value *, 16>> liveAt(Function &F, const SmallSetVector<BasicBlock *, 8> &Blocks) {
  DenseMap<BasicBlock *, SmallVector<Value *, 16>> Live;
  for (BasicBlock *BB : Blocks)
    for (PHINode &P : BB->phis())
      Live[BB].push_back(&P);
  SmallPtrSet<BasicBlock *, 32> Seen; // it is live at their beginning
  SmallVector<BasicBlock *, 32> Work;
  auto Walk = [&](Value *V, BasicBlock *Home) {
    Seen.clear();
    auto LiveIn = [&](BasicBlock *BB) {
      if (Seen.insert(BB).second)
        Work.push_back(BB);
    };
    auto LiveOut = [&](BasicBlock *BB) {
      if (BB != Home)
        LiveIn(BB);
    };
    for (User *U : V->users()) {
      auto *I = dyn_cast<Instruction>(U);
      if (!I)
        continue;
      if (auto *P = dyn_cast<PHINode>(I)) {
        for (unsigned N = 0; N < P->getNumIncomingValues(); ++N)
          if (P->getIncomingValue(N) == V)
            LiveOut(P->getIncomingBlock(N));
      } else {
        LiveOut(I->getParent());
      }
    }
    while (!Work.empty())
      for (BasicBlock *P : predecessors(Work.pop_back_val()))
        LiveOut(P);
    for (BasicBlock *BB : Blocks)
      if (Seen.contains(BB))
        Live[BB].push_back(V);
  };
  for (Argument &A : F.args())
    Walk(&A, nullptr);
  for (BasicBlock &BB : F)
    for (Instruction &I : BB)
      Walk(&I, &BB);
  return Live;
}

static DebugLoc startOf(Function &F) {
  if (DISubprogram *S = F.getSubprogram())
    return DILocation::get(F.getContext(), S->getScopeLine(), 0, S);
  return DebugLoc();
}

// Where the number of a place and values lie while one version hands over to another.
struct Buffer {
  GlobalVariable *State;
  uint64_t Number, Offset, Size;
  // Where they were copied to, if they were.
  AllocaInst *Copied = nullptr;

  // Place of each value; how many bytes all of them take, of which there are `Size`.
  uint64_t places(const DataLayout &DL, ArrayRef<Value *> Values, SmallVectorImpl<uint64_t> &Places) const {
    uint64_t At = 0;
    for (Value *V : Values) {
      At = alignTo(At, std::min<uint64_t>(DL.getABITypeAlign(V->getType()).value(), 8));
      Places.push_back(Offset + At);
      At += DL.getTypeAllocSize(V->getType());
    }
    return At;
  }

  Value *address(IRBuilder<> &B, uint64_t Place) const {
    if (Copied)
      return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Copied, Place - Offset);
    Value *Base = B.CreateThreadLocalAddress(State);
    return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Place);
  }
};

// A signal may arrive between any two instructions, and its handler be native code of ours, which may be told to go on
// tracked: not while the number of a place is set (`__ps_turn`). So that is set before the values are there, and taken
// back once they were read.
static void inThisOrder(IRBuilder<> &B) { B.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread); }

static Buffer buffer(const PsBuffer &Where) {
  return {unwrap<GlobalVariable>(Where.state), Where.number, Where.offset, Where.size};
}

static Value *inState(IRBuilder<> &B, const PsBuffer &Where, uint64_t Place) {
  Value *Base = B.CreateThreadLocalAddress(unwrap<GlobalVariable>(Where.state));
  return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Place);
}

Value *runsNative(IRBuilder<> &B, const PsBuffer &Where) { return inState(B, Where, Where.native); }

Value *isNewThread(IRBuilder<> &B, const PsBuffer &Where) {
  Value *Depth = B.CreateLoad(B.getInt64Ty(), inState(B, Where, Where.depth));
  return B.CreateICmpEQ(Depth, B.getInt64(Where.new_thread));
}

// A place that a version is entered at: the header that `Chain` ends with, behind those of the loops around it.
struct Target {
  uint32_t Number;
  SmallVector<BasicBlock *, 4> Chain;
};

// A way into a version of a function, to several places in one outermost loop: `End` terminates the block that control
// comes from, `Number` says which of them it is; `Live` is what is live at one of them.
struct WayIn {
  Instruction *End;
  Value *Number;
  SmallVector<Target, 4> Targets;
  SmallVector<Value *, 16> Live;
};

// Variables of a version of which it gets copies, and where it keeps the address of each.
using Homes = SmallDenseMap<Value *, AllocaInst *, 8>;

// Has a function be entered at places. What is not handed over has no value there (that of the instrumentation, mostly:
// times of things that are older than all that is tracked are 0). `Own`: the function's arguments and variables in
// memory are its own only behind this block; those in `Copied` it copies to its own.
static void waysIn(Function &F, MutableArrayRef<WayIn> Ways, const Buffer &In, BasicBlock *Own, const Homes &Copied) {
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

static void hide(Function &F) {
  F.setLinkage(GlobalValue::InternalLinkage);
  F.setVisibility(GlobalValue::DefaultVisibility);
  F.setDLLStorageClass(GlobalValue::DefaultStorageClass);
  F.setComdat(nullptr);
  F.setDSOLocal(true);
}

// Calls another version, to go on at a place with what is live there, in place of everything behind a block; the
// instruction is its terminator. Of the values that are live there or at another place of its way (`Layout`), `Live`
// has the first ones, null for the others: what is read of those is 0. `Tail`: in tail position, if that is possible,
// where it holds (always, if null).
static void goOn(Instruction *End, Function *To, uint32_t Number, const Buffer &In, ArrayRef<Value *> Layout, ArrayRef<Value *> Live, bool MayTail, Value *Tail) {
  Function *F = End->getFunction();
  SmallVector<uint64_t, 16> Places;
  uint64_t Size = In.places(F->getDataLayout(), Layout, Places);
  IRBuilder<> B(End);
  B.SetCurrentDebugLocation(startOf(*F));
  B.CreateStore(B.getInt32(Number), In.address(B, In.Number));
  inThisOrder(B);
  if (llvm::is_contained(Live, nullptr))
    B.CreateMemSet(In.address(B, In.Offset), B.getInt8(0), Size, Align(8));
  for (unsigned I = 0; I < Live.size(); ++I)
    if (Live[I])
      B.CreateAlignedStore(labelIn(B, Live[I], *To), In.address(B, Places[I]), Align(1));
  auto Call = [&](Instruction *Before, CallInst::TailCallKind Kind) {
    IRBuilder<> B(Before);
    B.SetCurrentDebugLocation(startOf(*F));
    SmallVector<Value *, 8> Args;
    SmallVector<AttributeSet, 8> Attributes;
    for (Argument &A : To->args()) {
      // Nobody looks at them.
      Args.push_back(isBoxed(*To) ? emptyBox(*To) : Constant::getNullValue(A.getType()));
      Attributes.push_back(To->getAttributes().getParamAttrs(A.getArgNo()));
    }
    CallInst *C = B.CreateCall(To, Args);
    labelChange(*C);
    C->setCallingConv(To->getCallingConv());
    C->setAttributes(AttributeList::get(F->getContext(), AttributeSet(), To->getAttributes().getRetAttrs(), Attributes));
    C->addFnAttr(Attribute::NoInline);
    C->addFnAttr(Attribute::get(F->getContext(), HandsOver));
    C->setTailCallKind(Kind);
    if (F->getReturnType()->isVoidTy())
      B.CreateRetVoid();
    else
      B.CreateRet(C);
    Before->eraseFromParent();
  };
  if (MayTail && inRegisters(*To)) {
    if (allocates(*F)) {
      Value *Clean = keepsNoMemory(B);
      Tail = Tail ? B.CreateAnd(Tail, Clean) : Clean;
    }
    if (!Tail)
      return Call(End, CallInst::TCK_MustTail);
    Instruction *Other = SplitBlockAndInsertIfThen(Tail, End->getIterator(), true);
    Call(Other, CallInst::TCK_MustTail);
  }
  Call(End, CallInst::TCK_NoTail);
}

// Of the memories that the pass tells apart, the program's and the state's.
static const uint32_t ProgramScope = 0, OwnScope = 2;

// Tells the optimizer that an access is none of the program's.
static void own(Instruction *I) { ps_add_scope_metadata(wrap(I->getModule()), wrap(I), OwnScope, true); }

// What the checks of native versions use.
struct Switch {
  GlobalVariable *Left;
  Function *Turn;
};

// Has a native version close what tracked code had open below it where an exception or a jump arrives: `Depth` asks for
// the depth, `Close` restores it.
static void closeAtPads(Function &F, FunctionCallee Depth, FunctionCallee Close) {
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

// Before an instruction of a native version: counts, now and then asks the runtime, and goes to a tracked one if it
// says so.
static Instruction *check(const Switch &S, Instruction *Before) {
  LLVMContext &C = Before->getContext();
  IRBuilder<> B(Before);
  B.SetCurrentDebugLocation(startOf(*Before->getFunction()));
  LoadInst *Old = B.CreateLoad(B.getInt64Ty(), S.Left);
  Value *Left = B.CreateSub(Old, B.getInt64(1));
  own(Old);
  own(B.CreateStore(Left, S.Left));
  MDNode *Unlikely = MDBuilder(C).createUnlikelyBranchWeights();
  Instruction *Ask = SplitBlockAndInsertIfThen(B.CreateICmpSLT(Left, B.getInt64(0)), Before->getIterator(), false, Unlikely);
  B.SetInsertPoint(Ask);
  // The program's memory stays as it is, so that what was loaded from it before is good behind the check: the runtime
  // answers with the counter's new value, and it is stored here.
  Value *Now = B.CreateCall(S.Turn);
  own(B.CreateStore(Now, S.Left));
  Value *On = B.CreateICmpSLT(Now, B.getInt64(0));
  return SplitBlockAndInsertIfThen(On, Ask->getIterator(), true);
}

// What native versions count.
struct Counting {
  GlobalVariable *First;
  ArrayRef<PsCount> List;

  // Adds to a counter before an instruction; in memory (native.cpp), unless that is `InLoop`, one without a look, from
  // which it may be moved out.
  StoreInst *add(Instruction *Before, uint32_t Counter, Value *Number, bool InLoop = false) const {
    IRBuilder<> B(Before);
    B.SetCurrentDebugLocation(startOf(*Before->getFunction()));
    return increase(B, B.CreateConstGEP1_64(B.getInt64Ty(), First, Counter), Number, !InLoop);
  }

  static StoreInst *increase(IRBuilder<> &B, Value *Address, Value *Number, bool Volatile) {
    LoadInst *Old = B.CreateLoad(B.getInt64Ty(), Address, Volatile);
    own(Old);
    StoreInst *Now = B.CreateStore(B.CreateAdd(Old, Number), Address, Volatile);
    own(Now);
    return Now;
  }

  StoreInst *one(Instruction *Before, uint32_t Counter, bool InLoop = false) const {
    return add(Before, Counter, ConstantInt::get(Type::getInt64Ty(Before->getContext()), 1), InLoop);
  }

  // How often control comes to the header of a loop, counted in a register; the loop is entered from elsewhere at most
  // at its header, by edges that are made later, with 0. `Ended` hears of each exit with the number.
  void iterations(BasicBlock *Header, BasicBlock *Preheader, BasicBlock *Latch, ArrayRef<BasicBlock *> Exits, uint32_t Counter,
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

  // A loop without a look at the counter of checks may run long: many iterations count as checks, or bursts would not
  // come in time where there are few other checks.
  static void pass(const Switch &S, Instruction *Behind, Value *Iterations) {
    constexpr uint64_t Many = 1024, Each = 64;
    IRBuilder<> B(Behind);
    Instruction *Long = SplitBlockAndInsertIfThen(B.CreateICmpUGE(Iterations, B.getInt64(Many)), Behind->getIterator(), false,
                                                  MDBuilder(Behind->getContext()).createUnlikelyBranchWeights());
    B.SetInsertPoint(Long);
    B.SetCurrentDebugLocation(startOf(*Behind->getFunction()));
    increase(B, S.Left, B.CreateNeg(B.CreateUDiv(Iterations, B.getInt64(Each))), false);
  }

  // Tells the optimizer that the program accesses no counters.
  static void promise(Function &F) {
    for (BasicBlock &BB : F)
      for (Instruction &I : BB)
        if ((isa<LoadInst>(I) || isa<StoreInst>(I)) && !I.getMetadata(LLVMContext::MD_alias_scope))
          ps_add_scope_metadata(wrap(F.getParent()), wrap(&I), ProgramScope, false);
  }
};

// Copies a loop, for what is left of an instance that another version has begun: the copy is entered by edges that are
// made later, to its header, and is left for where the loop is left for. So the loop itself has one beginning, as in
// the function as it is, and what follows from that (no index is negative, the trip count) holds for it. The loop has
// LCSSA form. `Map` hears of the copy's values.
static void copyRest(Loop &L, ValueToValueMapTy &Map) {
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

extern "C" {

// Makes the native version of a function and its native continuation, with ways to the tracked version at these places:
// headers, each behind those of the loops around it (`Counts` of them, one after the other). Native versions look where
// `Looks` says: in the header, in the preheader, or nowhere (null). `Tell` hears of each place that can be one: its
// index, the number of its way, what is live at places of that, and whether it is live at this one. `On` becomes the
// continuation, null without places. Returns the native version.
LLVMValueRef ps_versions(LLVMValueRef F_, const LLVMBasicBlockRef *Chains, const uint32_t *Counts, const LLVMBasicBlockRef *Looks,
                         uint32_t Count, LLVMValueRef Left, LLVMValueRef Turn, const PsBuffer *Where, int32_t AtEntry,
                         const PsCounters *Counters, LLVMValueRef *On_, void *Context, PsTellPlace Tell) {
  auto *F = unwrap<Function>(F_);
  Switch S{unwrap<GlobalVariable>(Left), unwrap<Function>(Turn)};
  S.Turn->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  S.Turn->setDoesNotThrow();
  S.Turn->addFnAttr(Attribute::WillReturn);
  const Buffer In = buffer(*Where);
  const Counting Tally{unwrap<GlobalVariable>(Counters->first), {Counters->list, Counters->count}};
  const ArrayRef<PsSite> Sites(Counters->sites, Counters->site_count);
  struct Place {
    SmallVector<BasicBlock *, 4> Chain;
    BasicBlock *Look;
    SmallVector<Value *, 16> Live;
    uint32_t Number, Way;

    bool inHeader() const { return Look == Chain.back(); }
  };
  SmallVector<Place, 4> Places;
  // A version that is called at another's entry has the function's memory again.
  uint64_t Memory = 0;
  for (Instruction &I : F->getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I); A && A->isStaticAlloca())
      Memory += bytesOf(*A);
  if (Memory > LargeFrame || !canCallAgain(*F))
    AtEntry = 0;
  Function *Box = box(*F), *Tracked = Box ? Box : F;
  DominatorTree DT(*F);
  LoopInfo LI(DT);
  SmallVector<SmallVector<BasicBlock *, 4>, 4> Lists(Count);
  SmallSetVector<BasicBlock *, 8> Headers;
  for (uint32_t I = 0; I < Count; ++I) {
    for (uint32_t N = 0; N < Counts[I]; ++N)
      Lists[I].push_back(unwrap(*Chains++));
    Headers.insert(Lists[I].back());
  }
  auto LiveAt = liveAt(*F, Headers);
  SmallSetVector<Value *, 16> LiveSomewhere;
  for (BasicBlock *Header : Headers)
    LiveSomewhere.insert(LiveAt[Header].begin(), LiveAt[Header].end());
  SmallVector<AllocaInst *, 8> Copied = copiedVariables(LiveSomewhere);
  // Everywhere, so that the address of the copy is never lost.
  for (BasicBlock *Header : Headers)
    for (AllocaInst *A : Copied)
      if (!llvm::is_contained(LiveAt[Header], A))
        LiveAt[Header].push_back(A);
  SmallVector<SmallSetVector<Value *, 16>, 4> Ways;
  for (uint32_t I = 0; I < Count; ++I) {
    SmallVector<BasicBlock *, 4> &Chain = Lists[I];
    SmallVector<Value *, 16> Live = LiveAt[Chain.back()];
    // Places of one outermost loop share a way, as far as there is room for what is live at one of them.
    auto room = [&](ArrayRef<Value *> All) {
      SmallVector<uint64_t, 16> At;
      return In.places(F->getDataLayout(), All, At) <= In.Size;
    };
    // The frame of every version that takes part in such a loop would have to stay.
    auto isOfIteration = [&](Value *V) { return (isAllocatedHere(V) || isSavedStack(V)) && LI.getLoopFor(cast<Instruction>(V)->getParent()); };
    if (!room(Live) || any_of(Live, isOfIteration))
      continue;
    SmallSetVector<Value *, 16> All;
    if (!Places.empty() && Places.back().Chain.front() == Chain.front())
      All = Ways.back();
    All.insert(Live.begin(), Live.end());
    if (Places.empty() || Places.back().Chain.front() != Chain.front() || !room(All.getArrayRef()))
      Ways.emplace_back(Live.begin(), Live.end());
    else
      Ways.back() = std::move(All);
    Places.push_back({std::move(Chain), unwrap(Looks[I]), std::move(Live), I + 1, uint32_t(Ways.size() - 1)});
  }
  for (Place &P : Places) {
    SmallVector<LLVMValueRef, 16> Values;
    SmallVector<uint8_t, 16> Here;
    for (Value *V : Ways[P.Way]) {
      Values.push_back(wrap(V));
      Here.push_back(llvm::is_contained(P.Live, V));
    }
    Tell(Context, P.Number - 1, P.Way, Values.data(), Here.data(), Values.size());
  }
  Type *I64 = Type::getInt64Ty(F->getContext()), *Void = Type::getVoidTy(F->getContext());
  FunctionCallee Depth = F->getParent()->getOrInsertFunction("__ps_depth", I64);
  FunctionCallee Close = F->getParent()->getOrInsertFunction("__ps_exit_to", Void, I64);
  // What is said of arguments does not hold for those that stand in for them.
  AttributeMask Claims = AttributeFuncs::getUBImplyingAttributes();
  Claims.addAttribute(Attribute::Returned);
  if (!Places.empty())
    for (Argument &A : F->args())
      F->removeParamAttrs(A.getArgNo(), Claims);
  auto Version = [&](const Twine &Suffix, ValueToValueMapTy &Map) {
    Function *Made = nullptr;
    bool Can = cloneWithTables(*F, Map, Suffix, Made);
    assert(Can && "divisible");
    (void)Can;
    hide(*Made);
    markNative(*Made);
    Counting::promise(*Made);
    for (const PsSite &S : Sites)
      labelCall(*cast<CallBase>(Map[unwrap(S.call)]), unwrap(S.list));
    // Who calls is known by its frame.
    Made->addFnAttr("disable-tail-calls", "true");
    return Made;
  };
  auto block = [](ValueToValueMapTy &Map, BasicBlock *BB) { return cast<BasicBlock>(Map[BB]); };
  // Where a version counts: behind its checks, since what goes on tracked from there is counted there. The entry is
  // told apart.
  auto countsAt = [&](ValueToValueMapTy &Map, const PsCount &C) -> Instruction * {
    switch (C.kind) {
    case 1:
      return block(Map, unwrap(C.block))->getTerminator();
    case 2:
      return &*block(Map, unwrap(C.block))->getFirstInsertionPt();
    case 4:
      return cast<Instruction>(Map[unwrap(C.instruction)]);
    default:
      return nullptr;
    }
  };
  using Ends = SmallVector<std::pair<Instruction *, Value *>, 8>;
  auto countIterations = [&](ValueToValueMapTy &Map, const PsCount &C, Ends &Loops) {
    Loop *L = LI.getLoopFor(unwrap(C.block));
    SmallVector<BasicBlock *, 4> Exits;
    L->getUniqueExitBlocks(Exits);
    for (BasicBlock *&Exit : Exits)
      Exit = block(Map, Exit);
    Tally.iterations(block(Map, L->getHeader()), block(Map, L->getLoopPreheader()), block(Map, L->getLoopLatch()), Exits, C.counter,
                     [&](Instruction *Behind, Value *Number) { Loops.push_back({Behind, Number}); });
  };
  // Where a version has copies of variables, or keeps the addresses of theirs.
  auto places = [&](ValueToValueMapTy &Map, bool IsCopy) {
    Homes Made;
    for (AllocaInst *A : Copied) {
      auto *Own = cast<AllocaInst>(Map[A]);
      auto *Home = new AllocaInst(IsCopy ? PointerType::get(F->getContext(), 0) : A->getAllocatedType(), 0,
                                  IsCopy ? nullptr : A->getArraySize(), IsCopy ? Align(8) : A->getAlign(), "", Own->getIterator());
      Made[Own] = Home;
    }
    return Made;
  };
  // Counts, and ways to the tracked version.
  auto waysOut = [&](ValueToValueMapTy &Map, bool IsCopy, const Homes &Copies) {
    // Blocks are split in what follows.
    SmallVector<Instruction *, 8> Counted;
    Ends Loops;
    for (const PsCount &C : Tally.List) {
      Counted.push_back(countsAt(Map, C));
      if (C.kind == 3)
        countIterations(Map, C, Loops);
    }
    SmallVector<Instruction *, 4> At;
    for (Place &P : Places) {
      BasicBlock *BB = P.Look ? block(Map, P.Look) : nullptr;
      At.push_back(!BB ? nullptr : P.inHeader() ? &*BB->getFirstInsertionPt() : BB->getTerminator());
    }
    auto look = [&](const Place &P, Instruction *Before) {
      SmallVector<Value *, 16> Args;
      Instruction *End = check(S, Before);
      IRBuilder<> B(End);
      B.SetCurrentDebugLocation(startOf(*End->getFunction()));
      for (Value *V : Ways[P.Way]) {
        if (Value *Home = Copies.lookup(Map.lookup(V))) {
          if (IsCopy)
            Home = B.CreateLoad(B.getPtrTy(), Home);
          copyVariable(B, Home, Map[V], *cast<AllocaInst>(V));
          Args.push_back(Home);
          continue;
        }
        if (!llvm::is_contained(P.Live, V) || isSavedStack(V)) {
          Args.push_back(nullptr);
          continue;
        }
        auto *Phi = dyn_cast<PHINode>(V);
        bool Own = !P.inHeader() && Phi && Phi->getParent() == P.Chain.back();
        Value *Given = Own ? Phi->getIncomingValueForBlock(P.Look) : V;
        auto It = Map.find(Given);
        Args.push_back(It == Map.end() ? Given : static_cast<Value *>(It->second));
      }
      goOn(End, Tracked, P.Number, In, Ways[P.Way].getArrayRef(), Args, IsCopy, nullptr);
    };
    // A header may be nothing but the preheader of another loop: what is at its start comes first.
    for (bool AtStart : {true, false}) {
      for (auto [P, Before] : llvm::zip(Places, At))
        if (Before && AtStart == P.inHeader())
          look(P, Before);
      for (auto [C, Before] : llvm::zip(Tally.List, Counted))
        if (Before && AtStart == (C.kind == 2)) {
          StoreInst *Now = Tally.one(Before, C.counter, C.kind == 4);
          if (AtStart)
            markHeaderCount(*Now);
        }
    }
    for (auto [Behind, Number] : Loops)
      Counting::pass(S, Behind, Number);
  };
  ValueToValueMapTy InNative, InOn;
  Function *Native = Version(".native", InNative), *On = nullptr;
  if (!Places.empty()) {
    On = Version(".native.on", InOn);
    On->addFnAttr(Attribute::NoInline);
    listLabels(*F, {Native, On}, {&InNative, &InOn});
  }
  closeAtPads(*Native, Depth, Close);
  waysOut(InNative, false, places(InNative, false));
  if (On) {
    Homes Kept = places(InOn, true);
    waysOut(InOn, true, Kept);
    ValueToValueMapTy InRest;
    {
      DominatorTree DT(*On);
      LoopInfo LI(DT);
      SmallVector<Loop *, 4> Begun;
      for (Place &P : Places) {
        // Tracked code leaves loops without a look in their header there, in the middle of an instance.
        BasicBlock *Header = block(InOn, P.Chain.back());
        Loop *L = P.inHeader() ? nullptr : LI.getLoopFor(Header);
        auto isInside = [&](Place &Other) { return &Other != &P && L->contains(block(InOn, Other.Chain.back())); };
        auto isNamed = [](BasicBlock *BB) { return BB->hasAddressTaken(); };
        if (L && L->getHeader() == Header && llvm::none_of(Places, isInside) && llvm::none_of(L->blocks(), isNamed))
          Begun.push_back(L);
      }
      // Of all of them before any is copied: copies are not reachable yet.
      for (Loop *L : Begun)
        formLCSSA(*L, DT, &LI, nullptr);
      for (Loop *L : Begun)
        copyRest(*L, InRest);
    }
    auto rest = [&](Value *V) -> Value * {
      auto It = InRest.find(V);
      return It == InRest.end() ? V : static_cast<Value *>(It->second);
    };
    // Everything that is live at a place is handed over; the beginning is never reached.
    LLVMContext &C = F->getContext();
    BasicBlock *Begin = &On->getEntryBlock();
    BasicBlock *Entry = BasicBlock::Create(C, "", On, Begin);
    IRBuilder<> B(Entry);
    B.SetCurrentDebugLocation(startOf(*On));
    for (AllocaInst *Each : Copied) {
      auto *Own = cast<AllocaInst>(InOn[Each]);
      Own->moveBefore(*Entry, Entry->begin());
      Kept[Own]->moveBefore(*Entry, Entry->begin());
    }
    SmallVector<Value *, 8> Stand;
    for (Argument &A : On->args())
      Stand.push_back(&A);
    Value *Which = B.CreateLoad(B.getInt32Ty(), In.address(B, In.Number));
    BasicBlock *Never = BasicBlock::Create(C, "", On);
    new UnreachableInst(C, Never);
    SwitchInst *To = B.CreateSwitch(Which, Never, Places.size());
    closeAtPads(*On, Depth, Close);
    SmallVector<WayIn, 4> Into;
    for (auto &Live : Ways) {
      BasicBlock *From = BasicBlock::Create(C, "", On);
      IRBuilder<> BF(From);
      BF.SetCurrentDebugLocation(startOf(*On));
      WayIn W{BF.CreateBr(Never), Which, {}, {}};
      for (Value *V : Live)
        W.Live.push_back(rest(InOn[V]));
      Into.push_back(std::move(W));
    }
    for (Place &P : Places) {
      WayIn &W = Into[P.Way];
      To->addCase(B.getInt32(P.Number), W.End->getParent());
      Target T{P.Number, {}};
      for (BasicBlock *H : P.Chain)
        T.Chain.push_back(cast<BasicBlock>(InOn[H]));
      T.Chain.back() = cast<BasicBlock>(rest(T.Chain.back()));
      W.Targets.push_back(std::move(T));
    }
    // Arguments are values like others, of a block that is never reached.
    for (unsigned I = 0; I < Stand.size(); ++I) {
      auto *Place = new FreezeInst(PoisonValue::get(Stand[I]->getType()), "", Begin->begin());
      Stand[I]->replaceAllUsesWith(Place);
      for (WayIn &W : Into)
        llvm::replace(W.Live, Stand[I], static_cast<Value *>(Place));
    }
    waysIn(*On, Into, In, nullptr, Kept);
    if (Box)
      On = takesBox(*On, *Box);
  }
  BasicBlock::iterator At = Native->getEntryBlock().begin();
  while (isa<AllocaInst>(*At))
    ++At;
  if (AtEntry) {
    SmallVector<Value *, 8> Args;
    for (Argument &A : Native->args())
      Args.push_back(&A);
    Instruction *Behind = &*At, *End = check(S, Behind);
    At = Behind->getIterator();
    IRBuilder<> B(End);
    B.SetCurrentDebugLocation(startOf(*Native));
    own(B.CreateStore(B.getInt32(0), runsNative(B, *Where)));
    CallInst *Call = B.CreateCall(F, Args);
    labelChange(*Call);
    Call->setCallingConv(F->getCallingConv());
    SmallVector<AttributeSet, 8> Attributes;
    AttributeList Own = F->getAttributes();
    for (Argument &A : F->args())
      Attributes.push_back(Own.getParamAttrs(A.getArgNo()));
    Call->setAttributes(AttributeList::get(F->getContext(), AttributeSet(), Own.getRetAttrs(), Attributes));
    Call->addFnAttr(Attribute::NoInline);
    // In tail position it would be in the way of recursion that becomes a loop.
    Call->setTailCallKind(CallInst::TCK_NoTail);
    if (F->getReturnType()->isVoidTy())
      B.CreateRetVoid();
    else
      B.CreateRet(Call);
    End->eraseFromParent();
  }
  for (const PsCount &C : Tally.List)
    if (C.kind == 0)
      Tally.one(&*At, C.counter);
  if (any_of(Places, [&](const Place &P) { return P.inHeader() && callsSometimes(*LI.getLoopFor(P.Chain.back()), DT); }))
    for (Function *Version : {Native, On}) {
      keepInRegister(*Version, *S.Left);
      countInRegisters(*Version);
    }
  if (Box)
    noteBox(*F, *Box);
  *On_ = wrap(On);
  return wrap(F->isVarArg() ? takesList(*Native) : Native);
}

// In place of everything behind the block that ends here, calls the native continuation; in tail position if the
// function has nothing in memory or was itself entered at a place (`Resumed`). Of the values of its way those are live
// that `Here` says.
void ps_go_on(LLVMValueRef End, LLVMValueRef To, uint32_t Number, const PsBuffer *Where, const LLVMValueRef *Live, const uint8_t *Here,
              uint32_t Count, LLVMValueRef Resumed) {
  SmallVector<Value *, 16> Layout, Args;
  for (uint32_t I = 0; I < Count; ++I) {
    Layout.push_back(unwrap(Live[I]));
    Args.push_back(Here[I] && !isSavedStack(Layout.back()) ? Layout.back() : nullptr);
  }
  goOn(cast<Instruction>(unwrap(End)), unwrap<Function>(To), Number, buffer(*Where), Layout, Args, true, unwrap(Resumed));
}

// Has the tracked version of a function be entered at places, in `Count` ways: `Ends` terminates the blocks that open
// what is open there, `Live` is what is live at places of each (`LiveCounts`, one after the other). Places: `Numbers`,
// `Chains` (`Counts`, one after the other) and the way that each belongs to, `Of`. `Behind`: the first
// instruction of what is run when the function is called as usual. `Take` terminates a block before all calls where
// what was handed over is taken; from there on other functions are tracked as well. `Which`: the place's
// number.
void ps_ways_in(LLVMValueRef F_, LLVMValueRef Take, LLVMValueRef Behind, LLVMValueRef Which, const LLVMValueRef *Ends,
                const LLVMValueRef *Live, const uint32_t *LiveCounts, uint32_t Count, const uint32_t *Numbers, const uint32_t *Of,
                const LLVMBasicBlockRef *Chains, const uint32_t *Counts, uint32_t PlaceCount, const PsBuffer *Where) {
  auto *F = unwrap<Function>(F_);
  BasicBlock *Entry = &F->getEntryBlock();
  BasicBlock *Own = cast<Instruction>(unwrap(Behind))->getParent();
  SmallVector<AllocaInst *, 16> Allocas;
  uint64_t Memory = 0;
  for (BasicBlock &BB : *F)
    for (Instruction &I : BB)
      if (auto *A = dyn_cast<AllocaInst>(&I); A && isa<ConstantInt>(A->getArraySize())) {
        Allocas.push_back(A);
        Memory += bytesOf(*A) > Page ? bytesOf(*A) : 0;
      }
  for (AllocaInst *A : reverse(Allocas)) {
    if (Memory > LargeFrame && bytesOf(*A) > Page)
      A->moveBefore(*Own, Own->getFirstInsertionPt());
    else
      A->moveBefore(*Entry, Entry->begin());
  }
  SmallVector<WayIn, 4> Ways;
  for (uint32_t I = 0; I < Count; ++I) {
    WayIn W{cast<Instruction>(unwrap(Ends[I])), unwrap(Which), {}, {}};
    for (uint32_t N = 0; N < LiveCounts[I]; ++N)
      W.Live.push_back(unwrap(*Live++));
    Ways.push_back(std::move(W));
  }
  for (uint32_t I = 0; I < PlaceCount; ++I) {
    Target T{Numbers[I], {}};
    for (uint32_t N = 0; N < Counts[I]; ++N)
      T.Chain.push_back(unwrap(*Chains++));
    Ways[Of[I]].Targets.push_back(std::move(T));
  }
  Buffer In = buffer(*Where);
  const DataLayout &DL = F->getDataLayout();
  uint64_t Size = 0;
  for (WayIn &W : Ways) {
    SmallVector<uint64_t, 16> Places;
    Size = std::max(Size, In.places(DL, W.Live, Places));
  }
  Type *Bytes = ArrayType::get(Type::getInt8Ty(F->getContext()), Size);
  auto *Copied = new AllocaInst(Bytes, 0, nullptr, Align(8), "", Entry->begin());
  IRBuilder<> B(cast<Instruction>(unwrap(Take)));
  B.SetCurrentDebugLocation(startOf(*F));
  B.CreateMemCpy(Copied, Align(8), In.address(B, In.Offset), Align(8), Size);
  inThisOrder(B);
  B.CreateStore(B.getInt32(0), In.address(B, In.Number));
  own(B.CreateStore(B.getInt32(0), runsNative(B, *Where)));
  In.Copied = Copied;
  waysIn(*F, Ways, In, Own, Homes());
}
}
