// Functions that never return: whether they end the program, as a failed check does, or go on somewhere in their
// callers, by an exception or a jump.
#include "analysis.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

// Whether a function of a library ends the program or thread, or fails because there is no memory, or no function to
// call.
static bool isEnd(StringRef Name) {
  return StringSwitch<bool>(Name)
      .Cases({"exit", "_exit", "_Exit", "quick_exit", "abort", "pthread_exit", "thrd_exit"}, true)
      .Cases({"__assert_fail", "__assert_perror_fail", "__assert", "__stack_chk_fail", "__chk_fail", "__fortify_fail"}, true)
      .Cases({"err", "errx", "verr", "verrx", "_ZSt9terminatev", "__clang_call_terminate"}, true)
      .Cases({"__cxa_pure_virtual", "__cxa_deleted_virtual", "_ZSt21__glibcxx_assert_failPKciS0_S0_"}, true)
      .Cases({"__cxa_throw_bad_array_new_length", "_ZSt28__throw_bad_array_new_lengthv", "_ZSt17__throw_bad_allocv",
              "_ZSt20__throw_length_errorPKc", "_ZSt25__throw_bad_function_callv"},
             true)
      .Default(false);
}

// Whether a call that never returns may leave the caller otherwise.
static bool leaves(const CallBase &C, SmallPtrSetImpl<const Function *> &Seen) {
  const Function *F = C.getCalledFunction();
  if (F && (F->isIntrinsic() || isEnd(F->getName()) || !Seen.insert(F).second))
    return false;
  if (!F || F->isDeclaration())
    return true;
  return any_of(instructions(*F), [&](const Instruction &I) {
    auto *Inner = dyn_cast<CallBase>(&I);
    return Inner && Inner->doesNotReturn() && leaves(*Inner, Seen);
  });
}

bool mayThrow(const CallBase &C) {
  const Function *F = C.getCalledFunction();
  if (!F || F->isDeclaration() || C.doesNotThrow())
    return false;
  SmallPtrSet<const Function *, 8> Seen, Met{F};
  SmallVector<const Function *, 8> Work{F};
  while (!Work.empty())
    for (const Instruction &I : instructions(*Work.pop_back_val())) {
      auto *Inner = dyn_cast<CallBase>(&I);
      if (!Inner)
        continue;
      if (Inner->doesNotReturn() && !Inner->doesNotThrow() && leaves(*Inner, Seen))
        return true;
      const Function *G = Inner->getCalledFunction();
      if (G && !G->isDeclaration() && Met.size() < 64 && Met.insert(G).second)
        Work.push_back(G);
    }
  return false;
}

static const StringRef Jumps[] = {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"};

// The functions of a module that a call may run first: of one through a pointer those of its type that somebody has the
// address of.
static SmallVector<const Function *, 4> called(const CallBase &C) {
  if (C.isInlineAsm() || isa<IntrinsicInst>(C))
    return {};
  if (const Function *F = C.getCalledFunction())
    return {F};
  SmallVector<const Function *, 4> All;
  for (const Function &F : *C.getModule())
    if (!F.isDeclaration() && F.getFunctionType() == C.getFunctionType() && F.hasAddressTaken())
      All.push_back(&F);
  return All;
}

bool mayJump(const CallBase &C) {
  const Module &M = *C.getModule();
  if (none_of(Jumps, [&](StringRef Name) { return M.getFunction(Name); }))
    return false;
  SmallPtrSet<const Function *, 8> Met;
  SmallVector<const Function *, 8> Work(called(C));
  while (!Work.empty() && Met.size() < 256) {
    const Function *F = Work.pop_back_val();
    if (is_contained(Jumps, F->getName()))
      return true;
    // What calls `setjmp` is where jumps end.
    auto Ends = [](const Instruction &I) { return isa<CallBase>(I) && cast<CallBase>(I).hasFnAttr(Attribute::ReturnsTwice); };
    if (!Met.insert(F).second || any_of(instructions(*F), Ends))
      continue;
    for (const Instruction &I : instructions(*F))
      if (auto *Inner = dyn_cast<CallBase>(&I))
        Work.append(called(*Inner));
  }
  // Of more functions than were looked at nothing is known.
  return !Work.empty();
}

uint32_t howItLeaves(const CallBase &C) {
  if (!C.doesNotReturn())
    return 0;
  SmallPtrSet<const Function *, 8> Seen;
  if (!leaves(C, Seen))
    return 1;
  return C.doesNotThrow() ? 3 : 2;
}
