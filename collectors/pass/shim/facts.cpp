// What an instruction, a function or a variable is, as it stands in the module: no analysis is needed to see it.
#include "analysis.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

bool onlyRead(const Value *V, unsigned Depth) {
  for (const User *U : V->users()) {
    if (isa<LoadInst>(U))
      continue;
    if (Depth < 8 && (isa<GetElementPtrInst>(U) || isa<ConstantExpr>(U)) && onlyRead(U, Depth + 1))
      continue;
    return false;
  }
  return true;
}

// The type of an access tag of TBAA; empty if it has none.
static StringRef taggedType(const MDNode *Tag) {
  if (!Tag || Tag->getNumOperands() < 3)
    return "";
  auto *Type = dyn_cast<MDNode>(Tag->getOperand(1));
  if (!Type || Type->getNumOperands() < 2)
    return "";
  auto *Name = dyn_cast<MDString>(Type->getOperand(0));
  return Name ? Name->getString() : "";
}

// The type that an access has for TBAA; empty if it has none.
static StringRef accessType(const Instruction *I) {
  return taggedType(I ? I->getMetadata(LLVMContext::MD_tbaa) : nullptr);
}

// Not "p1 omnipotent char" and the like: a pointer to characters is a pointer.
static bool isStrict(StringRef Type) { return !Type.empty() && Type != "omnipotent char"; }

extern "C" {

LLVMValueRef ps_constant_base(LLVMModuleRef M, LLVMValueRef Address, int64_t *Offset) {
  Value *V = unwrap(Address);
  const DataLayout &DL = unwrap(M)->getDataLayout();
  APInt Sum(DL.getIndexTypeSizeInBits(V->getType()), 0);
  const Value *Base = V->stripAndAccumulateConstantOffsets(DL, Sum, true);
  *Offset = Sum.getSExtValue();
  return wrap(Base);
}

int32_t ps_strict_access(LLVMValueRef V) { return isStrict(accessType(inst<Instruction>(V))); }

int32_t ps_strict_copy(LLVMValueRef V) {
  auto *I = inst<Instruction>(V);
  MDNode *Fields = I ? I->getMetadata(LLVMContext::MD_tbaa_struct) : nullptr;
  // Offset, size and access tag of each field.
  unsigned N = Fields ? Fields->getNumOperands() : 0;
  for (unsigned F = 2; F < N; F += 3)
    if (!isStrict(taggedType(dyn_cast<MDNode>(Fields->getOperand(F)))))
      return 0;
  return N >= 3;
}

int32_t ps_reads_vtable(LLVMValueRef V) {
  auto *L = inst<LoadInst>(V);
  if (!L)
    return 0;
  auto *From = dyn_cast<LoadInst>(getUnderlyingObject(L->getPointerOperand()));
  return accessType(L) == "vtable pointer" || accessType(From) == "vtable pointer";
}

uint32_t ps_block_max_line(LLVMBasicBlockRef Block) {
  uint32_t Line = 0;
  for (Instruction &I : *unwrap(Block))
    if (const DebugLoc &D = I.getDebugLoc())
      if (!D.getInlinedAt() && D.getLine() > Line)
        Line = D.getLine();
  return Line;
}

int32_t ps_is_tail_must(LLVMValueRef V) {
  auto *C = inst<CallInst>(V);
  return C && C->isMustTailCall();
}

int32_t ps_returns_twice(LLVMValueRef V) {
  auto *C = inst<CallBase>(V);
  return C && (C->hasFnAttr(Attribute::ReturnsTwice) || C->getIntrinsicID() == Intrinsic::eh_sjlj_setjmp);
}

int32_t ps_is_presplit_coroutine(LLVMValueRef F) { return unwrap<Function>(F)->isPresplitCoroutine(); }

LLVMBool ps_is_only_read(LLVMValueRef Global) {
  auto *G = unwrap<GlobalVariable>(Global);
  bool Own = G->hasLocalLinkage() && G->hasDefinitiveInitializer() && !G->isThreadLocal() && !G->isExternallyInitialized();
  return Own && !G->isConstant() && onlyRead(G);
}
}
