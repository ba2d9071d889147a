// What one version of a function hands over to another that goes on for it: what is live at the place, in a buffer
// behind the number of the place.
#include "versions.h"

#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

DenseMap<BasicBlock *, SmallVector<Value *, 16>> liveAt(Function &F, const SmallSetVector<BasicBlock *, 8> &Blocks) {
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

DebugLoc startOf(Function &F) {
  if (DISubprogram *S = F.getSubprogram())
    return DILocation::get(F.getContext(), S->getScopeLine(), 0, S);
  return DebugLoc();
}

uint64_t Buffer::places(const DataLayout &DL, ArrayRef<Value *> Values, SmallVectorImpl<uint64_t> &Places) const {
  uint64_t At = 0;
  for (Value *V : Values) {
    At = alignTo(At, std::min<uint64_t>(DL.getABITypeAlign(V->getType()).value(), 8));
    Places.push_back(Offset + At);
    At += DL.getTypeAllocSize(V->getType());
  }
  return At;
}

Value *Buffer::address(IRBuilder<> &B, uint64_t Place) const {
  if (Copied)
    return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Copied, Place - Offset);
  Value *Base = B.CreateThreadLocalAddress(State);
  return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Place);
}

void inThisOrder(IRBuilder<> &B) { B.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread); }

Buffer buffer(const PsBuffer &Where) {
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

void goOn(Instruction *End, Function *To, uint32_t Number, const Buffer &In, ArrayRef<Value *> Layout, ArrayRef<Value *> Live, bool MayTail,
          Value *Tail) {
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
