// Native versions of functions beside the tracked ones, and the ways between them: copies of a function that go on where another version
// has come to, at the header of an outermost loop. Such a copy has no parameters: what is live there lies in the thread state. (As parameters
// that lie on the stack, values got lost where LLVM 22 realigns the frames of copies that call each other in tail position.) Copies do call each
// other so, and a program may change versions any number of times. The function's own variables in memory stay in the frame of the version
// that was called first, which is there until the last copy returns.
#include "analysis.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

// Whether copies of a function may go on in its middle.
static bool divisible(Function &F) {
  if (F.isVarArg() || F.callsFunctionThatReturnsTwice() || F.hasFnAttribute(Attribute::AlwaysInline))
    return false;
  for (Argument &A : F.args())
    if (A.hasInAllocaAttr() || A.hasPreallocatedAttr() || A.hasSwiftErrorAttr() || A.getType()->isTokenTy())
      return false;
  for (BasicBlock &BB : F) {
    if (BB.hasAddressTaken() || isa<CallBrInst>(BB.getTerminator()) || isa<IndirectBrInst>(BB.getTerminator()))
      return false;
    for (Instruction &I : BB) {
      if (I.getType()->isTokenTy() || isa<FuncletPadInst>(I))
        return false;
      if (auto *A = dyn_cast<AllocaInst>(&I); A && !A->isStaticAlloca())
        return false;
      if (auto *C = dyn_cast<CallInst>(&I); C && C->isMustTailCall())
        return false;
      if (auto *II = dyn_cast<IntrinsicInst>(&I))
        switch (II->getIntrinsicID()) {
        case Intrinsic::stacksave:
        case Intrinsic::stackrestore:
        case Intrinsic::localescape:
        case Intrinsic::frameaddress:
        case Intrinsic::returnaddress:
        case Intrinsic::addressofreturnaddress:
          return false;
        default:
          break;
        }
    }
  }
  return true;
}

// What code from a block on may use that was computed before: the block's phis, and values from outside of everything that can be
// reached from it.
static SmallVector<Value *, 16> liveAt(BasicBlock *Header) {
  SmallSetVector<BasicBlock *, 32> Reached;
  Reached.insert(Header);
  for (size_t I = 0; I < Reached.size(); ++I)
    for (BasicBlock *S : successors(Reached[I]))
      Reached.insert(S);
  SmallSetVector<Value *, 16> Live;
  for (PHINode &P : Header->phis())
    Live.insert(&P);
  auto Use = [&](Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    if (isa<Argument>(V) || (I && !Reached.contains(I->getParent())))
      Live.insert(V);
  };
  for (BasicBlock *BB : Reached)
    for (Instruction &I : *BB) {
      if (auto *P = dyn_cast<PHINode>(&I)) {
        for (unsigned N = 0; N < P->getNumIncomingValues(); ++N)
          if (Reached.contains(P->getIncomingBlock(N)))
            Use(P->getIncomingValue(N));
        continue;
      }
      for (Value *V : I.operands())
        Use(V);
    }
  return SmallVector<Value *, 16>(Live.begin(), Live.end());
}

static DebugLoc startOf(Function &F) {
  if (DISubprogram *S = F.getSubprogram())
    return DILocation::get(F.getContext(), S->getScopeLine(), 0, S);
  return DebugLoc();
}

// Where values lie while one version hands over to another.
struct Buffer {
  GlobalVariable *State;
  uint64_t Offset, Size;

  // Place of each value, and whether all have room.
  bool places(const DataLayout &DL, ArrayRef<Value *> Values, SmallVectorImpl<uint64_t> &Places) const {
    uint64_t At = 0;
    for (Value *V : Values) {
      At = alignTo(At, std::min<uint64_t>(DL.getABITypeAlign(V->getType()).value(), 8));
      Places.push_back(Offset + At);
      At += DL.getTypeAllocSize(V->getType());
    }
    return At <= Size;
  }

  Value *address(IRBuilder<> &B, uint64_t Place) const {
    Value *Base = B.CreateThreadLocalAddress(State);
    return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Place);
  }
};

static void hide(Function &F) {
  F.setLinkage(GlobalValue::InternalLinkage);
  F.setVisibility(GlobalValue::DefaultVisibility);
  F.setDLLStorageClass(GlobalValue::DefaultStorageClass);
  F.setComdat(nullptr);
  F.setDSOLocal(true);
}

// A copy that goes on at a header with the values `Live`; `Map` says what in the copy is what.
static Function *continuation(Function &F, BasicBlock *Header, ArrayRef<Value *> Live, const Buffer &In, const Twine &Name,
                              ValueToValueMapTy &Map) {
  auto *C = Function::Create(FunctionType::get(F.getReturnType(), false), GlobalValue::InternalLinkage, Name, F.getParent());
  for (Argument &A : F.args())
    Map[&A] = PoisonValue::get(A.getType());
  BasicBlock *Entry = BasicBlock::Create(C->getContext(), "", C);
  SmallVector<uint64_t, 16> Places;
  In.places(F.getDataLayout(), Live, Places);
  SmallVector<Value *, 16> Given;
  {
    IRBuilder<> B(Entry);
    for (unsigned I = 0; I < Live.size(); ++I)
      Given.push_back(B.CreateAlignedLoad(Live[I]->getType(), In.address(B, Places[I]), Align(1)));
  }
  for (unsigned I = 0; I < Live.size(); ++I)
    if (isa<Argument>(Live[I]))
      Map[Live[I]] = Given[I];
  SmallVector<ReturnInst *, 4> Returns;
  CloneFunctionInto(C, &F, Map, CloneFunctionChangeType::LocalChangesOnly, Returns);
  hide(*C);
  C->setCallingConv(F.getCallingConv());
  C->removeFnAttr(Attribute::InlineHint);
  C->addFnAttr(Attribute::NoInline);
  C->addFnAttr("parascan-copy");
  auto *At = cast<BasicBlock>(Map[Header]);
  IRBuilder<> B(Entry);
  for (Instruction &I : *Entry)
    I.setDebugLoc(startOf(*C));
  B.SetCurrentDebugLocation(startOf(*C));
  B.CreateBr(At);
  for (unsigned I = 0; I < Live.size(); ++I) {
    auto *Old = dyn_cast<Instruction>(Live[I]);
    if (!Old)
      continue;
    auto *Copy = cast<Instruction>(Map[Old]);
    if (auto *P = dyn_cast<PHINode>(Old); P && P->getParent() == Header) {
      cast<PHINode>(Copy)->addIncoming(Given[I], Entry);
      continue;
    }
    Copy->replaceAllUsesWith(Given[I]);
    Map[Old] = Given[I];
  }
  EliminateUnreachableBlocks(*C);
  return C;
}

// Calls `To` with what is live, in place of everything behind an instruction's block; the instruction is the block's terminator.
static void goOn(Instruction *End, Function *To, const Buffer &In, ArrayRef<Value *> Args) {
  Function *F = End->getFunction();
  IRBuilder<> B(End);
  B.SetCurrentDebugLocation(startOf(*F));
  SmallVector<uint64_t, 16> Places;
  In.places(F->getDataLayout(), Args, Places);
  for (unsigned I = 0; I < Args.size(); ++I)
    B.CreateAlignedStore(Args[I], In.address(B, Places[I]), Align(1));
  CallInst *Call = B.CreateCall(To);
  Call->setCallingConv(To->getCallingConv());
  Call->setAttributes(AttributeList::get(F->getContext(), AttributeSet(), To->getAttributes().getRetAttrs(), {}));
  Call->addFnAttr(Attribute::NoInline);
  // Variables of a frame that is given up could not be used any more; copies have none.
  bool IsCopy = F->getFunctionType() == To->getFunctionType() && F->hasFnAttribute("parascan-copy");
  Call->setTailCallKind(IsCopy ? CallInst::TCK_MustTail : CallInst::TCK_NoTail);
  if (F->getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);
  End->eraseFromParent();
}

static Buffer buffer(const PsBuffer &Where) { return {unwrap<GlobalVariable>(Where.state), Where.offset, Where.size}; }

// What the checks of native versions use.
struct Switch {
  GlobalVariable *Left, *Off;
  Function *Turn;
};

// Has a native version close what tracked code had open below it where an exception arrives: `Depth` asks for the depth, `Close` restores it.
static void closeAtPads(Function &F, FunctionCallee Depth, FunctionCallee Close) {
  SmallVector<LandingPadInst *, 4> Pads;
  for (BasicBlock &BB : F)
    if (LandingPadInst *L = BB.getLandingPadInst())
      Pads.push_back(L);
  if (Pads.empty())
    return;
  BasicBlock::iterator At = F.getEntryBlock().begin();
  while (isa<AllocaInst>(*At))
    ++At;
  IRBuilder<> B(&*At);
  B.SetCurrentDebugLocation(startOf(F));
  Value *Here = B.CreateCall(Depth);
  for (LandingPadInst *L : Pads) {
    B.SetInsertPoint(L->getNextNode());
    B.SetCurrentDebugLocation(startOf(F));
    B.CreateCall(Close, {Here});
  }
}

// Before an instruction of a native version: counts, now and then asks the runtime, and goes to a tracked one if it says so.
static Instruction *check(const Switch &S, Instruction *Before) {
  LLVMContext &C = Before->getContext();
  IRBuilder<> B(Before);
  B.SetCurrentDebugLocation(startOf(*Before->getFunction()));
  Value *Left = B.CreateSub(B.CreateLoad(B.getInt64Ty(), S.Left), B.getInt64(1));
  B.CreateStore(Left, S.Left);
  MDNode *Unlikely = MDBuilder(C).createUnlikelyBranchWeights();
  Instruction *Ask = SplitBlockAndInsertIfThen(B.CreateICmpSLT(Left, B.getInt64(0)), Before->getIterator(), false, Unlikely);
  B.SetInsertPoint(Ask);
  B.CreateCall(S.Turn);
  Value *On = B.CreateICmpEQ(B.CreateLoad(B.getInt32Ty(), S.Off), B.getInt32(0));
  return SplitBlockAndInsertIfThen(On, Ask->getIterator(), true);
}

extern "C" {

int32_t ps_divisible(LLVMValueRef F) { return divisible(*unwrap<Function>(F)); }

// Makes the native version of a function, and for each of these headers of outermost loops a tracked and a native copy that go on there.
// With a preheader: native versions look before the loop, not in it. `Tell` hears of what was made: of tracked copies (0: copy, header in it,
// header of the function's that it is of, whether the copy goes on within a loop), of ways out of tracked versions (1: version, header, copy
// to go on with, values for it), of native copies (2). Returns the native
// version.
LLVMValueRef ps_versions(LLVMValueRef F_, const LLVMBasicBlockRef *Headers, const LLVMBasicBlockRef *Preheaders, uint32_t Count,
                         const LLVMBasicBlockRef *AllHeaders, uint32_t AllCount, LLVMValueRef Left, LLVMValueRef Off,
                         LLVMValueRef Turn, const PsBuffer *Where, int32_t AtEntry, void *Context, PsTellVersion Tell) {
  auto *F = unwrap<Function>(F_);
  Switch S{unwrap<GlobalVariable>(Left), unwrap<GlobalVariable>(Off), unwrap<Function>(Turn)};
  struct Copy {
    BasicBlock *Header, *Preheader;
    SmallVector<Value *, 16> Live;
    Function *Tracked, *Native;
    std::unique_ptr<ValueToValueMapTy> InTracked, InNative;
  };
  const Buffer In = buffer(*Where);
  SmallVector<Copy, 4> Copies;
  for (uint32_t I = 0; I < Count; ++I) {
    BasicBlock *H = unwrap(Headers[I]);
    Copies.push_back({H, unwrap(Preheaders[I]), liveAt(H), nullptr, nullptr, std::make_unique<ValueToValueMapTy>(),
                      std::make_unique<ValueToValueMapTy>()});
    SmallVector<uint64_t, 16> Places;
    if (!In.places(F->getDataLayout(), Copies.back().Live, Places))
      Copies.pop_back();
  }
  Count = Copies.size();
  for (uint32_t I = 0; I < Count; ++I) {
    Copy &C = Copies[I];
    C.Tracked = continuation(*F, C.Header, C.Live, In, F->getName() + ".on", *C.InTracked);
    C.Native = continuation(*F, C.Header, C.Live, In, F->getName() + ".native.on", *C.InNative);
  }
  ValueToValueMapTy InNative;
  Function *Native = CloneFunction(F, InNative);
  hide(*Native);
  Native->setName(F->getName() + ".native");

  // What a value of the function is in a copy; null where it was removed.
  auto Of = [](ValueToValueMapTy &Map, Value *V) -> Value * {
    auto It = Map.find(V);
    return It == Map.end() ? nullptr : static_cast<Value *>(It->second);
  };
  auto Block = [&](ValueToValueMapTy &Map, BasicBlock *BB) -> BasicBlock * {
    auto *Found = dyn_cast_or_null<BasicBlock>(Of(Map, BB));
    return Found && Found->getParent() ? Found : nullptr;
  };
  // Ways from native versions to tracked ones.
  auto toTracked = [&](ValueToValueMapTy &Map) {
    for (uint32_t I = 0; I < Count; ++I) {
      Copy &C = Copies[I];
      BasicBlock *H = Block(Map, C.Header);
      if (!H)
        continue;
      SmallVector<Value *, 16> Args;
      Instruction *At;
      if (C.Preheader) {
        BasicBlock *Pre = C.Preheader;
        if (!Block(Map, Pre))
          continue;
        for (Value *V : C.Live) {
          auto *P = dyn_cast<PHINode>(V);
          bool Own = P && P->getParent() == C.Header;
          Value *Given = Own ? P->getIncomingValueForBlock(Pre) : V;
          Value *There = Of(Map, Given);
          Args.push_back(There ? There : Given);
        }
        At = Block(Map, Pre)->getTerminator();
      } else {
        for (Value *V : C.Live)
          Args.push_back(Of(Map, V));
        At = &*H->getFirstInsertionPt();
      }
      goOn(check(S, At), C.Tracked, In, Args);
    }
  };
  Type *I64 = Type::getInt64Ty(F->getContext()), *Void = Type::getVoidTy(F->getContext());
  FunctionCallee Depth = F->getParent()->getOrInsertFunction("__ps_depth", I64);
  FunctionCallee Close = F->getParent()->getOrInsertFunction("__ps_exit_to", Void, I64);
  closeAtPads(*Native, Depth, Close);
  for (Copy &C : Copies)
    closeAtPads(*C.Native, Depth, Close);
  toTracked(InNative);
  for (Copy &C : Copies) {
    toTracked(*C.InNative);
    Tell(Context, 2, wrap(C.Native), nullptr, nullptr, nullptr, nullptr, 0);
  }
  if (AtEntry) {
    BasicBlock *Entry = &Native->getEntryBlock();
    BasicBlock::iterator At = Entry->begin();
    while (isa<AllocaInst>(*At))
      ++At;
    SmallVector<Value *, 8> Args;
    for (Argument &A : Native->args())
      Args.push_back(&A);
    Instruction *End = check(S, &*At);
    IRBuilder<> B(End);
    B.SetCurrentDebugLocation(startOf(*Native));
    CallInst *Call = B.CreateCall(F, Args);
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

  // The others are made by the instrumentation of the tracked versions.
  auto TellOf = [&](Function *G, ValueToValueMapTy *Map) {
    for (uint32_t I = 0; I < Count; ++I) {
      Copy &C = Copies[I];
      BasicBlock *H = Map ? Block(*Map, C.Header) : C.Header;
      if (!H)
        continue;
      SmallVector<LLVMValueRef, 16> Live;
      for (Value *V : C.Live)
        Live.push_back(wrap(Map ? Of(*Map, V) : V));
      Tell(Context, 1, wrap(G), wrap(H), wrap(C.Native), nullptr, Live.data(), Live.size());
    }
  };
  TellOf(F, nullptr);
  for (uint32_t I = 0; I < Count; ++I) {
    Copy &C = Copies[I];
    for (uint32_t N = 0; N < AllCount; ++N)
      if (BasicBlock *H = Block(*C.InTracked, unwrap(AllHeaders[N])))
        Tell(Context, 0, wrap(C.Tracked), wrap(H), nullptr, AllHeaders[N], nullptr, C.Preheader ? 0 : 1);
    TellOf(C.Tracked, C.InTracked.get());
  }
  return wrap(Native);
}

// In place of everything behind the block that ends here, calls a copy that goes on.
void ps_go_on(LLVMValueRef End, LLVMValueRef To, const PsBuffer *Where, const LLVMValueRef *Live, uint32_t Count) {
  SmallVector<Value *, 16> Args;
  for (uint32_t I = 0; I < Count; ++I)
    Args.push_back(unwrap(Live[I]));
  goOn(cast<Instruction>(unwrap(End)), unwrap<Function>(To), buffer(*Where), Args);
}
}
