// Second bodies of functions: copies whose jump tables are their own, the test at a function's entry that chooses one,
// and the tests that leave out reports of which nothing would come.
#include "analysis.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

// Whether a call reports an access or an iteration.
static bool reports(const Instruction &I) {
  return StringSwitch<bool>(report(I))
      .Cases({"access", "read", "write", "assign", "use"}, true)
      .Cases({"hidden", "forget", "moved", "iterate"}, true)
      .Default(false);
}

// Where a 32-bit number lies.
using NumberPlace = function_ref<Value *(IRBuilder<> &)>;

// Ends a block with the choice between two others, the first of them rare: whether the number is not 0.
static void choose(BasicBlock *End, NumberPlace Number, BasicBlock *If, BasicBlock *Else) {
  Function *F = End->getParent();
  IRBuilder<> B(End);
  if (DISubprogram *S = F->getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(F->getContext(), S->getScopeLine(), 0, S));
  Value *Is = B.CreateICmpNE(B.CreateLoad(B.getInt32Ty(), Number(B)), B.getInt32(0));
  B.CreateCondBr(Is, If, Else, MDBuilder(F->getContext()).createUnlikelyBranchWeights());
}

// Has an empty block call a function of the same type in place of its own, in tail position.
static void forward(BasicBlock *From, Function *To) {
  Function *F = From->getParent();
  IRBuilder<> B(From);
  if (DISubprogram *S = F->getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(F->getContext(), S->getScopeLine(), 0, S));
  SmallVector<Value *, 8> Args;
  SmallVector<AttributeSet, 8> Attributes;
  AttributeList Own = F->getAttributes();
  for (Argument &A : F->args()) {
    Args.push_back(&A);
    Attributes.push_back(Own.getParamAttrs(A.getArgNo()));
  }
  CallInst *Call = B.CreateCall(To, Args);
  Call->setCallingConv(F->getCallingConv());
  Call->setAttributes(AttributeList::get(F->getContext(), AttributeSet(), Own.getRetAttrs(), Attributes));
  Call->addFnAttr(Attribute::NoInline);
  Call->setTailCallKind(CallInst::TCK_MustTail);
  if (F->getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);
}

// Reports of accesses that follow one another, to become calls that name what is known of several, and hand over the
// addresses that these are relative to: the fields of a structure have one, and loads and stores in a row one call.
class Combined {
public:
  explicit Combined(PsReports &Reports) : Reports(Reports) {}

  void take(CallInst *Call) {
    Value *Address = Call->getArgOperand(0);
    APInt Offset(64, 0);
    Value *Base = Address;
    if (auto *P = dyn_cast<PtrToIntOperator>(Address)) {
      Base = P->getPointerOperand();
      Base = Base->stripAndAccumulateConstantOffsets(Call->getDataLayout(), Offset, /*AllowNonInbounds=*/true);
      if (!Base->getType()->isPointerTy() || Base->getType()->getPointerAddressSpace() != 0 || !Offset.isSignedIntN(32)) {
        Base = Address;
        Offset = APInt(64, 0);
      }
    }
    size_t At = find(Bases, Base) - Bases.begin();
    if (At == Most) {
      flush();
      At = 0;
    }
    if (At == Bases.size())
      Bases.push_back(Base);
    auto Number = [&](unsigned Argument) { return cast<ConstantInt>(Call->getArgOperand(Argument))->getZExtValue(); };
    Known.push_back({uint32_t(Number(1)), uint32_t(Number(2)), int32_t(Offset.getSExtValue()), uint16_t(Number(3)), uint8_t(At), 0});
    if (Last)
      Last->eraseFromParent();
    Last = Call;
  }

  void flush() {
    if (!Last)
      return;
    IRBuilder<> B(Last);
    SmallVector<Value *, Most + 1> Args = {B.CreateConstGEP1_64(B.getInt8Ty(), unwrap(Reports.table), Reports.count * sizeof(PsReport))};
    for (Value *Base : Bases)
      Args.push_back(Base->getType()->isPointerTy() ? B.CreatePtrToInt(Base, B.getInt64Ty()) : Base);
    // What is not there is whatever lies in its register.
    Args.resize(Most + 1, UndefValue::get(B.getInt64Ty()));
    SmallVector<Type *, Most + 1> Types;
    for (Value *Arg : Args)
      Types.push_back(Arg->getType());
    auto *Type = FunctionType::get(B.getVoidTy(), Types, false);
    B.CreateCall(Last->getModule()->getOrInsertFunction("__ps_deps_reports", Type), Args);
    Known.back().last = 1;
    for (const PsReport &R : Known)
      Reports.tell(Reports.context, &R);
    Reports.count += Known.size();
    Last->eraseFromParent();
    Last = nullptr;
    Bases.clear();
    Known.clear();
  }

private:
  // `parascan_abi::deps::REPORT_BASES`.
  static constexpr size_t Most = 5;
  PsReports &Reports;
  SmallVector<Value *, Most> Bases;
  SmallVector<PsReport, 16> Known;
  CallInst *Last = nullptr;
};

extern "C" {

void ps_guard_reports(LLVMValueRef F_, LLVMValueRef Idle, const LLVMValueRef *Calls, const LLVMValueRef *Known, uint32_t Count,
                      PsReports *Reports) {
  auto *F = unwrap<Function>(F_);
  DenseMap<const Value *, Value *> KnownOf;
  for (uint32_t I = 0; I < Count; ++I)
    KnownOf[unwrap(Calls[I])] = unwrap(Known[I]);
  // Reports with no call between them.
  SmallVector<SmallVector<Instruction *, 8>, 32> Groups;
  for (BasicBlock &BB : *F) {
    bool Open = false;
    for (Instruction &I : BB) {
      if (reports(I)) {
        if (!Open || KnownOf.lookup(Groups.back().back()) != KnownOf.lookup(&I))
          Groups.emplace_back();
        Groups.back().push_back(&I);
        Open = true;
      } else if (auto *Call = dyn_cast<CallBase>(&I); Call && !Call->doesNotAccessMemory()) {
        Open = false;
      }
    }
  }
  for (auto &Group : Groups) {
    Instruction *Next = Group.back()->getNextNode();
    IRBuilder<> B(Next);
    Value *Busy = B.CreateICmpEQ(B.CreateLoad(B.getInt32Ty(), unwrap(Idle)), B.getInt32(0));
    if (Value *All = KnownOf.lookup(Group.back()))
      Busy = B.CreateAnd(Busy, B.CreateICmpEQ(All, B.getInt32(0)));
    Instruction *End = SplitBlockAndInsertIfThen(Busy, Next->getIterator(), false);
    Combined Accesses(*Reports);
    for (Instruction *I : Group) {
      I->moveBefore(End->getIterator());
      if (report(*I) == "access")
        Accesses.take(cast<CallInst>(I));
      else
        Accesses.flush();
    }
    Accesses.flush();
  }
}

LLVMValueRef ps_clone_body(LLVMValueRef F) {
  ValueToValueMapTy Map;
  Function *Clone;
  if (!cloneWithTables(*unwrap<Function>(F), Map, ".deps", Clone))
    return nullptr;
  Clone->setLinkage(GlobalValue::InternalLinkage);
  Clone->setVisibility(GlobalValue::DefaultVisibility);
  Clone->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  Clone->setComdat(nullptr);
  Clone->setDSOLocal(true);
  return wrap(Clone);
}

// Has a function begin with the call of another one in its place if the number is not 0.
static void chooseBody(Function *F, NumberPlace Number, Function *Other) {
  // Forwarding variadic arguments would save and restore every register that may hold one, vectors included, which LLVM
  // 22 gets wrong where the frame is realigned (SQLite's sqlite3_mprintf). Copies call each other directly; from
  // outside, the one body is entered.
  if (F->isVarArg())
    return;
  LLVMContext &C = F->getContext();
  BasicBlock *Entry = &F->getEntryBlock();
  // What is not in the entry block is not allocated once and for all.
  SmallVector<AllocaInst *, 16> Allocas;
  for (Instruction &I : *Entry)
    if (auto *A = dyn_cast<AllocaInst>(&I); A && A->isStaticAlloca())
      Allocas.push_back(A);
  for (AllocaInst *A : reverse(Allocas))
    A->moveBefore(*Entry, Entry->begin());
  BasicBlock::iterator At = Allocas.empty() ? Entry->begin() : std::next(Allocas.back()->getIterator());
  BasicBlock *Rest = SplitBlock(Entry, At);
  BasicBlock *Switch = BasicBlock::Create(C, "", F, Rest);
  Entry->getTerminator()->eraseFromParent();
  choose(Entry, Number, Switch, Rest);
  forward(Switch, Other);
}

// Whether a function may be called as the handler of a signal: by its type, and since its address is known elsewhere.
static bool mayHandleSignals(const Function &F) {
  FunctionType *T = F.getFunctionType();
  auto isPointer = [&](unsigned N) { return T->getParamType(N)->isPointerTy(); };
  if (!T->getReturnType()->isVoidTy() || T->getNumParams() == 0 || !T->getParamType(0)->isIntegerTy(32))
    return false;
  if (T->getNumParams() != 1 && !(T->getNumParams() == 3 && isPointer(1) && isPointer(2)))
    return false;
  return !F.hasLocalLinkage() || F.hasAddressTaken();
}

// Whether threads may begin with a function, in which it may stay for long: by its type (pthread_create, thrd_create,
// std::thread, OpenMP), since its address is known elsewhere, and since it has loops.
static bool mayBeginThreads(const Function &F, const Function &Body) {
  FunctionType *T = F.getFunctionType();
  Type *R = T->getReturnType();
  if (!R->isVoidTy() && !R->isPointerTy() && !R->isIntegerTy(32))
    return false;
  if (T->getNumParams() == 0 || !all_of(T->params(), [](Type *P) { return P->isPointerTy(); }))
    return false;
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 4> Edges;
  FindFunctionBackedges(Body, Edges);
  return !Edges.empty() && (!F.hasLocalLinkage() || F.hasAddressTaken());
}

// Calls the tracked version, or in a thread of which the runtime has not heard the native one, if it says so.
static void forwardThread(BasicBlock *At, Function *To, Function *Native, const PsBuffer &Where) {
  LLVMContext &C = At->getContext();
  Function *F = At->getParent();
  auto *Ask = BasicBlock::Create(C, "", F), *Begins = BasicBlock::Create(C, "", F), *Call = BasicBlock::Create(C, "", F);
  IRBuilder<> B(At);
  MDNode *Rarely = MDBuilder(C).createUnlikelyBranchWeights();
  B.CreateCondBr(isNewThread(B, Where), Ask, Call, Rarely);
  B.SetInsertPoint(Ask);
  if (DISubprogram *S = F->getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(C, S->getScopeLine(), 0, S));
  Value *Natively = B.CreateCall(F->getParent()->getOrInsertFunction("__ps_begins", B.getInt32Ty()));
  B.CreateCondBr(B.CreateICmpNE(Natively, B.getInt32(0)), Begins, Call);
  forward(Begins, Native);
  forward(Call, To);
}

// Calls the tracked version, or if a signal is handled that arrived in the middle of tracked code the native one,
// between calls of the runtime. The first look is at the code where the call returns to: `mov rax, 15; syscall` in all
// C libraries, which unwinders rely on as well.
static void forwardHandler(BasicBlock *At, Function *To, Function *Native) {
  LLVMContext &C = At->getContext();
  Function *F = At->getParent();
  Module &M = *F->getParent();
  auto *Ask = BasicBlock::Create(C, "", F), *Handler = BasicBlock::Create(C, "", F), *Call = BasicBlock::Create(C, "", F);
  IRBuilder<> B(At);
  MDNode *Rarely = MDBuilder(C).createUnlikelyBranchWeights();
  Value *Slot = B.CreateIntrinsic(Intrinsic::addressofreturnaddress, {B.getPtrTy()}, {});
  Value *Behind = B.CreateAlignedLoad(B.getInt64Ty(), B.CreateLoad(B.getPtrTy(), Slot), Align(1));
  B.CreateCondBr(B.CreateICmpEQ(Behind, B.getInt64(0x0f0000000fc0c748)), Ask, Call, Rarely);
  B.SetInsertPoint(Ask);
  Value *Interrupts = B.CreateCall(M.getOrInsertFunction("__ps_interrupts", B.getInt32Ty(), B.getPtrTy()), {Slot});
  B.CreateCondBr(B.CreateICmpNE(Interrupts, B.getInt32(0)), Handler, Call);
  B.SetInsertPoint(Handler);
  SmallVector<Value *, 3> Args;
  for (Argument &A : F->args())
    Args.push_back(&A);
  CallInst *Handles = B.CreateCall(Native, Args);
  Handles->setCallingConv(Native->getCallingConv());
  B.CreateCall(M.getOrInsertFunction("__ps_returns", B.getVoidTy()));
  B.CreateRetVoid();
  forward(Call, To);
}

void ps_choose_body(LLVMValueRef F, LLVMValueRef Mode, LLVMValueRef Other) {
  chooseBody(unwrap<Function>(F), [&](IRBuilder<> &) { return unwrap(Mode); }, unwrap<Function>(Other));
}

void ps_choose_version(LLVMValueRef F_, const PsBuffer *Where, LLVMValueRef Native) {
  auto *F = unwrap<Function>(F_);
  auto Number = [&](IRBuilder<> &B) { return runsNative(B, *Where); };
  // Native code that hands over to the tracked version, while functions still choose native ones.
  SmallVector<CallInst *, 8> Handing;
  for (User *U : F->users())
    if (auto *C = dyn_cast<CallInst>(U); C && C->getCalledOperand() == F && C->hasFnAttr(HandsOver))
      Handing.push_back(C);
  // The address of a block is one in this function.
  if (hasNamedBlocks(*F)) {
    for (CallInst *C : Handing) {
      IRBuilder<> B(C);
      B.CreateStore(B.getInt32(0), runsNative(B, *Where));
    }
    return chooseBody(F, Number, unwrap<Function>(Native));
  }
  Function *Body = boxedVersion(*F);
  const bool IsBoxed = Body != nullptr;
  // Native code that hands over may be inlined anywhere, and is not left out when the linker keeps another file's
  // group.
  Comdat *Group = (IsBoxed ? Body->use_empty() : Handing.empty()) ? F->getComdat() : nullptr;
  if (IsBoxed) {
    unpack(*F, *Body);
  } else {
    Body = Function::Create(F->getFunctionType(), GlobalValue::InternalLinkage, F->getAddressSpace(), F->getName() + ".tracked");
    F->getParent()->getFunctionList().insertAfter(F->getIterator(), Body);
    moveTo(*F, *Body);
    for (auto [Old, New] : zip(F->args(), Body->args())) {
      New.takeName(&Old);
      Old.replaceAllUsesWith(&New);
    }
  }
  Body->setComdat(Group);
  F->setPersonalityFn(nullptr);
  for (Function *Each : {F, Body})
    Each->addFnAttr(Attribute::NoInline);
  // What chooses runs wherever the native version does, and that may be inlined into it: it is optimized likewise.
  optimizeLike(*F, *unwrap<Function>(Native));
  if (Attribute A = unwrap<Function>(Native)->getFnAttribute("target-features"); A.isValid())
    F->addFnAttr(A);
  else
    F->removeFnAttr("target-features");
  LLVMContext &C = F->getContext();
  BasicBlock *Entry = BasicBlock::Create(C, "", F), *On = BasicBlock::Create(C, "", F), *Rest = BasicBlock::Create(C, "", F);
  choose(Entry, Number, On, Rest);
  if (IsBoxed)
    return chooseBoxed(*F, *Body, *unwrap<Function>(Native), On, Rest);
  forward(On, unwrap<Function>(Native));
  if (mayHandleSignals(*F))
    forwardHandler(Rest, Body, unwrap<Function>(Native));
  else if (mayBeginThreads(*F, *Body))
    forwardThread(Rest, Body, unwrap<Function>(Native), *Where);
  else
    forward(Rest, Body);
  for (CallInst *C : Handing)
    C->setCalledFunction(Body);
}
}
