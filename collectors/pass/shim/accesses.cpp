// What a function does with variables: accesses, addresses that it gives away, and calls, in the order of execution
// within each block.
#include "source.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

SourceAccesses::SourceAccesses(SourceFunction &In, SourceVariables &Variables)
    : In(In), Variables(Variables), InTests(accessorsInTests(In.LI)) {
  for (GlobalVariable &G : In.F.getParent()->globals())
    if (G.isThreadLocal())
      for (User *U : G.users())
        if (auto *I = dyn_cast<Instruction>(U); I && I->getFunction() != &In.F)
          Owned[I->getFunction()] = sourceName(G);
  for (Instruction &I : instructions(In.F)) {
    auto *II = dyn_cast<IntrinsicInst>(&I);
    Restores |= II && II->getIntrinsicID() == Intrinsic::stackrestore;
  }
}

PsSourceAccess SourceAccesses::begin(const Instruction &I, uint32_t Kind) const {
  PsSourceAccess A{};
  A.block = In.Number.lookup(I.getParent());
  A.kind = Kind;
  A.line = I.getDebugLoc() ? I.getDebugLoc().getLine() : 0;
  A.variable = UINT32_MAX;
  return A;
}

void SourceAccesses::access(Instruction &I) {
  if (auto *L = dyn_cast<LoadInst>(&I)) {
    add(I, PS_READ, L->getPointerOperand(), L->getType(), In.DL.getTypeStoreSize(L->getType()));
    return;
  }
  if (auto *W = dyn_cast<StoreInst>(&I)) {
    escape(I, W->getValueOperand());
    Type *T = W->getValueOperand()->getType();
    add(I, PS_WRITE, W->getPointerOperand(), T, In.DL.getTypeStoreSize(T));
    return;
  }
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I)) {
    add(I, PS_READ, I.getOperand(0), nullptr, 0);
    add(I, PS_WRITE, I.getOperand(0), nullptr, 0);
    return;
  }
  if (auto *M = dyn_cast<MemIntrinsic>(&I)) {
    auto *C = dyn_cast<ConstantInt>(M->getLength());
    uint64_t Bytes = C ? C->getZExtValue() : 0;
    if (auto *T = dyn_cast<MemTransferInst>(M))
      add(I, PS_READ, T->getSource(), nullptr, Bytes);
    add(I, PS_WRITE, M->getDest(), nullptr, Bytes);
    return;
  }
  if (auto *Slot = dyn_cast<AllocaInst>(&I)) {
    if (!Slot->isStaticAlloca() && !Restores)
      note(I, PS_ALLOCA, "");
    return;
  }
  if (auto *II = dyn_cast<IntrinsicInst>(&I); II && intrinsic(*II))
    return;
  if (auto *C = dyn_cast<CallBase>(&I)) {
    call(*C);
    return;
  }
  if (isa<GetElementPtrInst>(I) || (I.isTerminator() && !isa<ReturnInst>(I)))
    return; // addresses are followed from their accesses
  for (Value *O : I.operands())
    if (!isa<BasicBlock>(O))
      escape(I, O);
}

void SourceAccesses::add(Instruction &I, uint32_t Kind, const Value *P, Type *T, uint64_t Bytes) {
  PsSourceAccess A = begin(I, Kind);
  A.bytes = Bytes;
  A.type = typeCode(I, P, T, Bytes);
  if (auto *W = dyn_cast<StoreInst>(&I))
    A.constant = isa<ConstantFP>(W->getValueOperand());
  A.parts = partsOf(A.type, Bytes);
  leadTo(In, Variables, P, A);
  if (A.variable != UINT32_MAX && A.offset >= 0)
    A.member = In.S.text(member(A));
  bool Pointer = Kind == PS_READ && !A.pointee;
  A.followed = Pointer && followed(I);
  A.kept = Pointer && A.variable != UINT32_MAX && In.S.Variables[A.variable].allocated != UINT32_MAX && leadsOn(I);
  if (!A.temporary)
    In.S.Accesses.push_back(A);
  else if (nameless(I, P))
    note(I, PS_NAMELESS, "");
}

// PsSourceAccess::member
std::string SourceAccesses::member(const PsSourceAccess &A) const {
  const DIType *T = Variables.type(A.variable);
  if (auto *Pointer = A.pointee ? dyn_cast_or_null<DIDerivedType>(plain(T)) : nullptr)
    T = Pointer->getBaseType();
  auto *Record = dyn_cast_or_null<DICompositeType>(plain(T));
  return Record ? memberPath(Record, A.offset * 8, A.bytes * 8) : "";
}

// Whether a store sets a variable of which the debug information does not tell, and that something outside of the
// innermost loop around it uses as well. (What the compiler itself keeps there are constants, or exceptions.)
bool SourceAccesses::nameless(const Instruction &I, const Value *Slot) const {
  auto *W = dyn_cast<StoreInst>(&I);
  const Loop *L = In.LI.getLoopFor(I.getParent());
  if (!W || !L || isa<Constant>(W->getValueOperand()) || I.getParent()->isLandingPad())
    return false;
  return any_of(Slot->users(), [&](const User *U) {
    auto *II = dyn_cast<IntrinsicInst>(U);
    return !(II && II->isLifetimeStartOrEnd()) && !L->contains(cast<Instruction>(U));
  });
}

void SourceAccesses::escape(Instruction &I, const Value *V) {
  if (auto *Number = dyn_cast<ConstantExpr>(V); Number && Number->getOpcode() == Instruction::PtrToInt)
    V = Number->getOperand(0);
  if (!V->getType()->isPointerTy())
    return;
  PsSourceAccess A = begin(I, PS_ESCAPE);
  leadTo(In, Variables, V, A);
  In.S.Steps.resize(A.first_step);
  if (A.variable == UINT32_MAX || A.pointee)
    return;
  A.steps = 0;
  if (auto *C = dyn_cast<CallBase>(&I))
    callee(*C, A);
  In.S.Accesses.push_back(A);
}

// Something that is no access and has a name at most.
void SourceAccesses::note(const Instruction &I, uint32_t Kind, StringRef Name) {
  PsSourceAccess A = begin(I, Kind);
  A.name = In.S.text(Name);
  In.S.Accesses.push_back(A);
}

// Whether there is no more to an intrinsic than is done here.
bool SourceAccesses::intrinsic(IntrinsicInst &I) {
  if (I.getIntrinsicID() == Intrinsic::prefetch)
    return true; // reads nothing that shows
  if (I.getIntrinsicID() == Intrinsic::threadlocal_address) {
    auto *G = dyn_cast<GlobalVariable>(I.getArgOperand(0));
    note(I, PS_THREAD_LOCAL, G ? sourceName(*G) : "");
    return true;
  }
  if (I.isLifetimeStartOrEnd()) {
    for (Value *O : I.args())
      if (auto Variable = O->getType()->isPointerTy() ? Variables.find(O) : std::nullopt) {
        PsSourceAccess A = begin(I, PS_LIFETIME);
        A.line = 0;
        A.variable = *Variable;
        A.bytes = In.S.Variables[A.variable].bytes;
        In.S.Accesses.push_back(A);
      }
    return true;
  }
  if (is_contained({Intrinsic::frameaddress, Intrinsic::returnaddress, Intrinsic::addressofreturnaddress, Intrinsic::sponentry},
                   I.getIntrinsicID()))
    note(I, PS_THREAD_LOCAL, "the stack");
  return I.isAssumeLikeIntrinsic() || I.doesNotAccessMemory();
}

void SourceAccesses::call(CallBase &C) {
  for (const Use &O : C.args()) {
    size_t Before = In.S.Accesses.size();
    escape(C, O);
    if (In.S.Accesses.size() > Before)
      In.S.Accesses.back().kept = keeps(C, C.getArgOperandNo(&O), 0);
  }
  const Function *Callee = C.getCalledFunction();
  if (Callee)
    owned(C, *Callee);
  if (C.doesNotAccessMemory())
    return;
  PsSourceAccess A = begin(C, PS_CALL);
  callee(C, A);
  if (C.isIndirectCall())
    A.member = In.S.text(pointer(C));
  else if (C.isInlineAsm())
    A.member = In.S.text("inline assembly"); // INLINE_ASSEMBLY
  else if (InTests.contains(&C))
    A.member = In.S.text("="); // IN_TEST
  else if (Callee && isOverloadable(*Callee))
    A.member = In.S.text(Callee->getName().str());
  In.S.Accesses.push_back(A);
}

// PsSourceAccess::member of a call through a pointer.
std::string SourceAccesses::pointer(const CallBase &C) {
  auto *From = dyn_cast<LoadInst>(C.getCalledOperand());
  if (!From)
    return "*";
  PsSourceAccess A{};
  leadTo(In, Variables, From->getPointerOperand(), A);
  In.S.Steps.resize(A.first_step);
  if (A.variable == UINT32_MAX || In.S.Variables[A.variable].artificial)
    return "*";
  PsText Name = In.S.Variables[A.variable].name;
  return "*" + std::string(Name.start, Name.length);
}

// A call of what finds a thread's own variable, or of a function that uses one.
void SourceAccesses::owned(const Instruction &I, const Function &Callee) {
  StringRef Name = Callee.getName();
  if (Name == "__errno_location")
    note(I, PS_THREAD_LOCAL, "errno");
  else if (is_contained({"pthread_self", "thrd_current", "gettid", "pthread_getspecific", "tss_get"}, Name))
    note(I, PS_THREAD_LOCAL, (Name + "()").str());
  else if (Name.starts_with("_ZTW"))
    note(I, PS_THREAD_LOCAL, StringRef(demangle(Name)).split("routine for ").second);
  else if (auto Uses = Owned.find(&Callee); Uses != Owned.end())
    note(I, PS_THREAD_LOCAL, Uses->second);
}

void SourceAccesses::callee(const CallBase &C, PsSourceAccess &A) {
  if (const Function *Callee = C.getCalledFunction()) {
    const DISubprogram *SP = Callee->getSubprogram();
    A.name = In.S.text(SP ? nameOf(*SP) : Callee->getName().str());
    bool System = SP && SP->getFile() && isSystem(SP->getFile());
    A.library = System && !mayDoMore(*SP) && !(chooses(C) && keepsChoice(C)) && (In.LI.empty() || !callsBack(*Callee, CallsBack));
    A.declared = Callee->isDeclaration();
    A.inlined = !A.declared && (System || Callee->hasFnAttribute(Attribute::AlwaysInline));
    Type *Result = Callee->getReturnType();
    A.accessor = (Result->isIntegerTy() || Result->isFloatingPointTy()) && isAccessor(*Callee);
    A.no_return = howItLeaves(C);
    if (!A.no_return && A.library && mayThrow(C))
      A.no_return = 4;
  }
  if (!A.no_return && !In.LI.empty() && mayJump(C))
    A.no_return = 5;
}
