// Functions that jump to addresses of labels (computed goto): copies with tables of their own, and what an address in
// one version is in another.
#include "analysis.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

// Metadata of a function: the list of its labels that can be jumped to, a global variable.
static const char *const Labels = "parascan.labels";

// Tables with addresses of the function's blocks; false if one cannot be copied.
static bool labelTables(Function &F, SmallSetVector<GlobalVariable *, 2> &Tables) {
  SmallVector<Constant *, 16> Work;
  SmallPtrSet<Constant *, 16> Seen;
  for (BasicBlock &BB : F)
    if (BB.hasAddressTaken())
      Work.push_back(BlockAddress::get(&F, &BB));
  while (!Work.empty()) {
    Constant *C = Work.pop_back_val();
    if (!Seen.insert(C).second)
      continue;
    for (User *U : C->users()) {
      if (auto *G = dyn_cast<GlobalVariable>(U)) {
        if (!G->hasLocalLinkage() || !(G->isConstant() || onlyRead(G)))
          return false;
        Tables.insert(G);
      } else if (auto *I = dyn_cast<Instruction>(U)) {
        if (I->getFunction() != &F)
          return false;
      } else if (auto *More = dyn_cast<Constant>(U)) {
        Work.push_back(More);
      } else {
        return false;
      }
    }
  }
  return true;
}

bool cloneWithTables(Function &F, ValueToValueMapTy &Map, const Twine &Suffix, Function *&Clone) {
  SmallSetVector<GlobalVariable *, 2> Tables;
  if (!labelTables(F, Tables))
    return false;
  SmallVector<std::pair<GlobalVariable *, GlobalVariable *>, 2> Copies;
  for (GlobalVariable *G : Tables) {
    auto *Copy = new GlobalVariable(*F.getParent(), G->getValueType(), G->isConstant(), GlobalValue::InternalLinkage, nullptr,
                                    G->getName() + Suffix);
    Copy->copyAttributesFrom(G);
    Copy->setComdat(nullptr);
    Map[G] = Copy;
    Copies.push_back({G, Copy});
  }
  Clone = CloneFunction(&F, Map);
  for (auto &[G, Copy] : Copies)
    Copy->setInitializer(MapValue(G->getInitializer(), Map));
  Clone->setName(F.getName() + Suffix);
  return true;
}

// Whether a constant is, or contains, the address of a label and nothing that is computed from it.
static bool hasLabels(const Constant *C) {
  if (isa<BlockAddress>(C))
    return true;
  return isa<ConstantAggregate>(C) && any_of(C->operands(), [](const Use &U) { return hasLabels(cast<Constant>(U)); });
}

// Whether a value may be the address of a label: one itself, read from a table, or one of several that may.
static bool mayBeLabel(Value *V, SmallPtrSetImpl<Value *> &Seen) {
  if (!V->getType()->isPointerTy() || !Seen.insert(V).second)
    return false;
  if (isa<BlockAddress>(V))
    return true;
  if (auto *P = dyn_cast<PHINode>(V))
    return any_of(P->incoming_values(), [&](Value *I) { return mayBeLabel(I, Seen); });
  if (auto *S = dyn_cast<SelectInst>(V))
    return mayBeLabel(S->getTrueValue(), Seen) || mayBeLabel(S->getFalseValue(), Seen);
  if (auto *F = dyn_cast<FreezeInst>(V))
    return mayBeLabel(F->getOperand(0), Seen);
  auto *L = dyn_cast<LoadInst>(V);
  auto *G = L ? dyn_cast<GlobalVariable>(getUnderlyingObject(L->getPointerOperand())) : nullptr;
  return G && G->hasInitializer() && hasLabels(G->getInitializer());
}

static bool isLabel(Value *V) {
  SmallPtrSet<Value *, 8> Seen;
  return mayBeLabel(V, Seen);
}

bool labelsMove(Function &F) {
  bool Jumps = false;
  for (BasicBlock &BB : F)
    Jumps |= BB.hasAddressTaken() || isa<IndirectBrInst>(BB.getTerminator());
  if (!Jumps)
    return true;
  SmallSetVector<GlobalVariable *, 2> Tables;
  if (!labelTables(F, Tables))
    return false;
  for (GlobalVariable *G : Tables)
    if (!hasLabels(G->getInitializer()))
      return false; // distances
  for (BasicBlock &BB : F)
    for (Instruction &I : BB) {
      // What a table holds is read as what it is, and jumped to or compared, or chosen from.
      if (auto *L = dyn_cast<LoadInst>(&I)) {
        auto *G = dyn_cast<GlobalVariable>(getUnderlyingObject(L->getPointerOperand()));
        if (G && Tables.contains(G) && !isLabel(L))
          return false;
      }
      for (Use &U : I.operands())
        if (isLabel(U) && !isa<IndirectBrInst, PHINode, SelectInst, FreezeInst, CmpInst>(I))
          return false;
    }
  return true;
}

void listLabels(Function &F, ArrayRef<Function *> Versions, ArrayRef<ValueToValueMapTy *> Maps) {
  SmallVector<BasicBlock *, 32> Blocks;
  for (BasicBlock &BB : F)
    if (BB.hasAddressTaken())
      Blocks.push_back(&BB);
  if (Blocks.empty())
    return;
  LLVMContext &C = F.getContext();
  auto List = [&](Function &G, ValueToValueMapTy *Map) {
    SmallVector<Constant *, 32> All;
    for (BasicBlock *BB : Blocks)
      All.push_back(BlockAddress::get(&G, Map ? cast<BasicBlock>((*Map)[BB]) : BB));
    auto *T = ArrayType::get(PointerType::getUnqual(C), All.size());
    auto *V = new GlobalVariable(*F.getParent(), T, true, GlobalValue::InternalLinkage, ConstantArray::get(T, All), G.getName() + ".labels");
    G.setMetadata(Labels, MDNode::get(C, ConstantAsMetadata::get(V)));
  };
  List(F, nullptr);
  for (auto [G, Map] : zip(Versions, Maps))
    List(*G, Map);
}

static GlobalVariable *listOf(const Function &F) {
  MDNode *N = F.getMetadata(Labels);
  return N ? mdconst::extract<GlobalVariable>(N->getOperand(0)) : nullptr;
}

// A function of the module's own: the entry of the second list where the first has the value, else the value.
static Function *search(Module &M) {
  const char *Name = "__ps_label";
  if (Function *F = M.getFunction(Name))
    return F;
  LLVMContext &C = M.getContext();
  Type *Ptr = PointerType::getUnqual(C), *I64 = Type::getInt64Ty(C);
  auto *F = Function::Create(FunctionType::get(Ptr, {Ptr, Ptr, Ptr, I64}, false), GlobalValue::InternalLinkage, Name, M);
  F->addFnAttr(Attribute::NoInline);
  F->addFnAttr(Attribute::NoUnwind);
  Value *V = F->getArg(0), *From = F->getArg(1), *To = F->getArg(2), *Count = F->getArg(3);
  BasicBlock *Entry = BasicBlock::Create(C, "", F), *Head = BasicBlock::Create(C, "", F), *Body = BasicBlock::Create(C, "", F),
             *Found = BasicBlock::Create(C, "", F), *Next = BasicBlock::Create(C, "", F), *None = BasicBlock::Create(C, "", F);
  IRBuilder<> B(Entry);
  B.CreateBr(Head);
  B.SetInsertPoint(Head);
  PHINode *I = B.CreatePHI(I64, 2);
  I->addIncoming(B.getInt64(0), Entry);
  B.CreateCondBr(B.CreateICmpULT(I, Count), Body, None);
  B.SetInsertPoint(Body);
  B.CreateCondBr(B.CreateICmpEQ(B.CreateLoad(Ptr, B.CreateGEP(Ptr, From, I)), V), Found, Next);
  B.SetInsertPoint(Found);
  B.CreateRet(B.CreateLoad(Ptr, B.CreateGEP(Ptr, To, I)));
  B.SetInsertPoint(Next);
  I->addIncoming(B.CreateAdd(I, B.getInt64(1)), Next);
  B.CreateBr(Head);
  B.SetInsertPoint(None);
  B.CreateRet(V);
  return F;
}

Value *labelIn(IRBuilderBase &B, Value *V, Function &To) {
  Function *F = B.GetInsertBlock()->getParent();
  GlobalVariable *Here = listOf(*F), *There = listOf(To);
  if (!Here || !There || !isLabel(V))
    return V;
  uint64_t Count = cast<ArrayType>(Here->getValueType())->getNumElements();
  return B.CreateCall(search(*F->getParent()), {V, Here, There, B.getInt64(Count)});
}
