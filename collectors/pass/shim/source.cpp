// What loops of one function do with the variables that the source declares, before any preparation: every local still
// has a stack slot with a debug record. Plain lists for the Rust part, which decides.
// Variables get their numbers in variables.cpp (of their types types.cpp tells, of globals globals.cpp), what becomes
// of them is in accesses.cpp (where addresses lead in subscripts.cpp and addresses.cpp, what is called in callees.cpp),
// and the loops themselves are in loops.cpp.
#include "source.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {

void listBlocks(SourceFunction &In) {
  PsSource &S = In.S;
  for (BasicBlock &BB : In.F) {
    In.Number[&BB] = S.Blocks.size();
    S.Blocks.push_back({});
  }
  for (BasicBlock &BB : In.F) {
    PsSourceBlock &Block = S.Blocks[In.Number[&BB]];
    auto *II = dyn_cast_or_null<InvokeInst>(BB.getTerminator());
    for (BasicBlock *To : successors(&BB)) {
      S.Edges.push_back(In.Number[&BB]);
      S.Edges.push_back(In.Number[To]);
      if (II && To == II->getUnwindDest())
        S.Blocks[In.Number[To]].unwinding = 1;
    }
    if (auto *Pad = BB.getLandingPadInst())
      Block.catches = Pad->getNumClauses() > 0;
    for (Instruction &I : BB)
      if (const DebugLoc &D = I.getDebugLoc())
        if (D.getLine() && !Block.line)
          Block.line = D.getLine();
  }
}

void readSource(Function &F, PsSource &S) {
  SourceFunction In(F, S);
  listBlocks(In);
  SourceVariables Variables(In);
  for (Instruction &I : instructions(F))
    if (isa<AllocaInst>(I))
      Variables.declare(I);
  for (Argument &A : F.args())
    Variables.declare(A);
  for (Instruction &I : instructions(F))
    if (auto *Slot = dyn_cast<AllocaInst>(&I))
      Variables.allocate(*Slot);
  SourceAccesses Accesses(In, Variables);
  for (Instruction &I : instructions(F))
    Accesses.access(I);
  for (Loop *L : In.LI.getLoopsInPreorder())
    listLoop(In, Variables, *L);
}

template <class T> PsList list(const std::vector<T> &From) { return {From.data(), (uint32_t)From.size()}; }

} // namespace

extern "C" {

PsSource *ps_source(LLVMValueRef Function_, PsSourceLists *Out) {
  auto *S = new PsSource;
  readSource(*unwrap<Function>(Function_), *S);
  *Out = {list(S->Edges), list(S->Blocks), list(S->Variables), list(S->Accesses),
          list(S->Steps), list(S->Loops), list(S->LoopBlocks)};
  return S;
}

void ps_source_free(PsSource *S) { delete S; }
}
