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
// Here they are made; their ways in are in entries.cpp, what they hand over in handover.cpp, and what native ones count
// in counting.cpp.
#include "versions.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

// Variables of a function that take more than this together are not allocated twice, lest the stack ends: of those the
// tracked version allocates the ones that are larger than a page only where it is entered at its beginning.
static const uint64_t LargeFrame = 1 << 16, Page = 4096;

static void hide(Function &F) {
  F.setLinkage(GlobalValue::InternalLinkage);
  F.setVisibility(GlobalValue::DefaultVisibility);
  F.setDLLStorageClass(GlobalValue::DefaultStorageClass);
  F.setComdat(nullptr);
  F.setDSOLocal(true);
}

extern "C" {

// Makes the native version of a function and its native continuation, with ways to the tracked version at these places:
// headers, each behind those of the loops around it (`Counts` of them, one after the other). Native versions look where
// `Looks` says: in the header, in the preheader, or nowhere (null). `Tell` hears of each place that can be one: its
// index, the number of its way, what is live at places of that, and whether it is live at this one. `On` becomes the
// continuation, null without places. Returns the native version.
LLVMValueRef ps_versions(LLVMValueRef F_, const LLVMBasicBlockRef *Chains, const uint32_t *Counts, const LLVMBasicBlockRef *Looks,
                         uint32_t Count, LLVMValueRef Left, LLVMValueRef Turn, LLVMValueRef TurnBefore, const PsBuffer *Where, int32_t AtEntry,
                         const PsCounters *Counters, LLVMValueRef *On_, void *Context, PsTellPlace Tell) {
  auto *F = unwrap<Function>(F_);
  Switch S{unwrap<GlobalVariable>(Left), unwrap<Function>(Turn), unwrap<Function>(TurnBefore), Counters->unseen};
  for (Function *Turn : {S.Turn, S.TurnBefore}) {
    Turn->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    Turn->setDoesNotThrow();
    Turn->addFnAttr(Attribute::WillReturn);
  }
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
  struct LoopEnd {
    Instruction *Behind;
    Value *Number;
    Constant *Ahead;
  };
  using Ends = SmallVector<LoopEnd, 8>;
  auto countIterations = [&](ValueToValueMapTy &Map, const PsCount &C, Ends &Loops) {
    Loop *L = LI.getLoopFor(unwrap(C.block));
    SmallVector<BasicBlock *, 4> Exits;
    L->getUniqueExitBlocks(Exits);
    for (BasicBlock *&Exit : Exits)
      Exit = block(Map, Exit);
    Tally.iterations(block(Map, L->getHeader()), block(Map, L->getLoopPreheader()), block(Map, L->getLoopLatch()), Exits, C.counter,
                     [&](Instruction *Behind, Value *Number) { Loops.push_back({Behind, Number, Tally.ahead(L->getHeader())}); });
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
      Instruction *End = check(S, Before, P.inHeader() ? nullptr : Tally.ahead(P.Chain.back()));
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
    for (auto [Behind, Number, Ahead] : Loops)
      Counting::pass(S, Behind, Number, Ahead);
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
    Instruction *Behind = &*At, *End = check(S, Behind, nullptr);
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
    // In tail position it would be in the way of recursion that becomes a loop, unless that is what it is.
    Call->setTailCallKind(mustCallInTail(*F) ? CallInst::TCK_MustTail : CallInst::TCK_NoTail);
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
