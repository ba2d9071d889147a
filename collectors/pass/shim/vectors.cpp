// Which loops the compiler makes vector code of: a mark on each loop of the source, and what is left of it behind the
// optimizer.
#include "analysis.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Module.h"

using namespace llvm;

// A property of loops that passes keep, with the symbol of the loop's function, its line and its column.
static const char *const Origin = "parascan.origin";

static bool isNamed(const MDOperand &O, StringRef Name) {
  auto *N = dyn_cast_or_null<MDNode>(O.get());
  auto *S = N && N->getNumOperands() > 0 ? dyn_cast_or_null<MDString>(N->getOperand(0).get()) : nullptr;
  return S && S->getString() == Name;
}

static const MDNode *property(const MDNode *Loop, StringRef Name) {
  for (const MDOperand &O : drop_begin(Loop->operands()))
    if (isNamed(O, Name))
      return cast<MDNode>(O.get());
  return nullptr;
}

static uint32_t number(const MDNode *N, unsigned Index) {
  return mdconst::extract<ConstantInt>(N->getOperand(Index))->getZExtValue();
}

extern "C" {

void ps_mark_origins(LLVMModuleRef Module_) {
  Module &M = *unwrap(Module_);
  LLVMContext &C = M.getContext();
  auto Number = [&](uint32_t V) { return ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(C), V)); };
  DenseMap<MDNode *, MDNode *> Marked;
  for (Function &F : M)
    for (BasicBlock &BB : F) {
      Instruction *End = BB.getTerminator();
      MDNode *Loop = End ? End->getMetadata(LLVMContext::MD_loop) : nullptr;
      auto Places = places(Loop);
      if (Places.empty() || property(Loop, Origin))
        continue;
      MDNode *&With = Marked[Loop];
      if (!With) {
        SmallVector<Metadata *, 8> All(Loop->op_begin(), Loop->op_end());
        All.push_back(MDNode::get(C, {MDString::get(C, Origin), MDString::get(C, F.getName()), Number(Places[0]->getLine()),
                                      Number(Places[0]->getColumn())}));
        With = MDNode::getDistinct(C, All);
        With->replaceOperandWith(0, With);
      }
      End->setMetadata(LLVMContext::MD_loop, With);
    }
}

void ps_tell_vectorized(LLVMModuleRef Module_, void *Context, PsTellVectorized Tell) {
  for (Function &F : *unwrap(Module_)) {
    bool Native = F.getName().ends_with(".native");
    for (BasicBlock &BB : F) {
      MDNode *Loop = BB.getTerminator() ? BB.getTerminator()->getMetadata(LLVMContext::MD_loop) : nullptr;
      const MDNode *From = Loop ? property(Loop, Origin) : nullptr;
      bool Vectorized = From && property(Loop, "llvm.loop.isvectorized");
      // Tracked code, in which loops of the source do more, says nothing about those that are not.
      if (!From || !(Vectorized || Native))
        continue;
      StringRef Name = cast<MDString>(From->getOperand(1))->getString();
      Tell(Context, Name.data(), Name.size(), number(From, 2), number(From, 3), Vectorized);
    }
  }
}
}
