// What several files of the shim share: the analyses of one function, places of loops, calls of the runtime.
#pragma once

#include "shim.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

template <class T> T *inst(LLVMValueRef V) { return llvm::dyn_cast<T>(llvm::unwrap(V)); }

using BlocksByName = llvm::StringMap<llvm::SmallVector<const llvm::BasicBlock *, 2>>;

struct PsAnalysis {
  llvm::Function *F;
  llvm::LoopInfo *LI;
  llvm::ScalarEvolution *SE;
  llvm::AAResults *AA;
  llvm::DominatorTree *DT;
  const llvm::TargetLibraryInfo *TLI;
  llvm::SmallVector<llvm::Loop *, 8> Loops; // preorder
  std::optional<BlocksByName> InRegisters; // of variables, found when first asked for (names.cpp)
};

// Whether clauses of directives can make objects of a C++ type, copy and assign them; no further than so many types
// deep (classes.cpp).
bool copies(const llvm::DIType *T, unsigned Depth = 8);

// Attribute of a call by which one version of a function hands over to another (versions.cpp).
inline constexpr char HandsOver[] = "parascan-hands-over";

// Whether a source file is one of the system's (callers.cpp).
bool isSystem(const llvm::DIFile *File);

// Name under which code in this scope reaches a global variable: qualified where no namespace or class around the code
// has it (names.cpp).
std::string reachableName(const llvm::DIGlobalVariable &D, const llvm::DIScope *From);

// Members of a structure, and subscripts, by which the source names the one number in it that has this place (in bits),
// without what stands in front of the first member; empty where there is none, or no name that is sure (names.cpp).
std::string memberPath(const llvm::DIType *Record, uint64_t Offset, uint64_t Bits);

// The part of its variable that a record is about, where a value of this type is it or lies there; none: the whole, as
// are the ten bytes of sixteen that a `long double` has, and the three elements of a vector that takes as much room as
// four (names.cpp).
std::optional<llvm::DIExpression::FragmentInfo> partOf(const llvm::DbgVariableRecord &R, const llvm::Type *Held);

// Whether the module sets a variable, or an element of it, to an infinite constant (infinities.cpp).
bool getsInfinite(const llvm::Value &Variable);

// Whether nothing but loads and address arithmetic uses a pointer, so that what it points to never changes (facts.cpp).
bool onlyRead(const llvm::Value *V, unsigned Depth = 0);

// Memory of so many elements to which a local pointer leads, and nothing else where it is stored (allocated.cpp).
struct Allocated {
  const llvm::StoreInst *At;      // the only one to the pointer
  const llvm::AllocaInst *Length; // the variable that had this number; none: it is a constant
  const llvm::LoadInst *Read;     // where that was read
  int64_t Offset;                 // added to it
};
std::optional<Allocated> allocated(const llvm::AllocaInst &Pointer, uint64_t Size, const llvm::DominatorTree &DT);

// Makes stores that put back what was just loaded depend on the choice of something else; whether there are any
// (kept.cpp).
bool dropKept(llvm::Function &F);

// Where it stands whether the functions that the thread calls run their native versions (handover.cpp).
llvm::Value *runsNative(llvm::IRBuilder<> &B, const PsBuffer &Where);
// Whether the runtime has not seen the thread (handover.cpp).
llvm::Value *isNewThread(llvm::IRBuilder<> &B, const PsBuffer &Where);

// See native.cpp: marks a native version, and does with it what comes behind the optimizer's passes.
void markNative(llvm::Function &F);
bool finishNative(llvm::Function &F, llvm::function_ref<const llvm::LoopInfo &()> Loops);

// Whether a function only reads and computes (accessors.cpp).
bool isAccessor(const llvm::Function &F, unsigned Depth = 2);

// Calls of such functions in the tests of loops, and marks these, to be replaced by their bodies; whether there are any
// (accessors.cpp).
llvm::SmallPtrSet<const llvm::CallBase *, 8> accessorsInTests(const llvm::LoopInfo &LI);
bool markTests(llvm::Function &F, const llvm::LoopInfo &LI);

// Has the optimizer's passes skip code of ours in which they find nothing (passes.cpp).
void skipPasses(llvm::PassInstrumentationCallbacks &Callbacks);
// A function that was marked as written by the pass holds nothing but calls of its versions now.
void optimizeLike(llvm::Function &F, const llvm::Function &Native);

// Gives copies of variables that loops step to those who only read them by their address; whether there are any
// (lent.cpp).
// Whether a function is one of Fortran, by its debug information (languages.cpp).
bool isFortran(const llvm::Function &F);
// Gives loops of Fortran and Rust their places in the source, as clang does. Whether there were any.
bool placeLoops(llvm::Function &F, const llvm::LoopInfo &LI);
// Removes what flang's accesses to arrays with descriptors do for nothing, and loads descriptors in front of loops that
// leave them as they are; whether there were any (descriptors.cpp).
bool clearDescriptors(llvm::Function &F);
bool hoistDescriptors(llvm::Function &F, llvm::LoopInfo &LI, llvm::DominatorTree &DT, llvm::AAResults &AA);
// What steps the variable of a `do` loop, which begins its iterations as this header phi; none of others.
llvm::BinaryOperator *stepOfDo(const llvm::Loop &L, const llvm::PHINode &Phi);

bool copyLent(llvm::Function &F, const llvm::LoopInfo &LI, const llvm::DominatorTree &DT);

// Keeps indices of loops that are globals in registers where nothing shows it; whether there are any (steps.cpp).
bool indicesToRegisters(const llvm::LoopInfo &LI, const llvm::DominatorTree &DT, llvm::AAResults &AA);

// The only store to a variable that is used for nothing but loads and stores; none if there are others (allocated.cpp).
const llvm::StoreInst *onlyStore(const llvm::AllocaInst &Slot);

// A subscript: variables (by number) with what each is multiplied by (0: not known), added, divided by a constant,
// modulo another (0: none), and other variables that are added or multiplied after that.
struct Fold {
  llvm::SmallVector<std::pair<uint32_t, uint64_t>, 2> Inner;
  uint64_t Divisor = 1, Modulus = 0;
  llvm::SmallVector<uint32_t, 2> Outer;
  bool isFolded() const { return Divisor > 1 || Modulus; }
};
// None for what is no such; `Number` gives variables their numbers (folds.cpp).
std::optional<Fold> fold(const llvm::Value *Subscript, llvm::function_ref<std::optional<uint32_t>(const llvm::Value *)> Number);

// Takes values from earlier iterations of variables that end with the iteration: what they begin with is nothing;
// whether there are any (lives.cpp).
bool endLives(const llvm::LoopInfo &LI);
// The same of variables whose block has been left, in C. Its phis are those that were made of variables, and nothing
// else has been merged with them (lives.cpp).
bool endScopes(llvm::Function &F);

// Whether a function is written in a language, as its debug information says: by the language's name, or by whether an
// older name is one of it.
inline bool isWrittenIn(const llvm::Function &F, llvm::dwarf::SourceLanguageName Name, bool (*Is)(llvm::dwarf::SourceLanguage)) {
  const llvm::DISubprogram *S = F.getSubprogram();
  if (!S || !S->getUnit())
    return false;
  llvm::DISourceLanguageName L = S->getUnit()->getSourceLanguage();
  return L.hasVersionedName() ? L.getName() == Name : Is(static_cast<llvm::dwarf::SourceLanguage>(L.getName()));
}

// Source places in a loop's own metadata: none, the start, or start and end.
inline llvm::SmallVector<const llvm::DILocation *, 2> places(const llvm::MDNode *LoopID) {
  llvm::SmallVector<const llvm::DILocation *, 2> Found;
  if (LoopID)
    for (const llvm::MDOperand &O : llvm::drop_begin(LoopID->operands()))
      if (auto *D = llvm::dyn_cast_or_null<llvm::DILocation>(O.get()))
        Found.push_back(D);
  return Found;
}

// Whether a variable's scope begins between two places (line and column) of a file.
inline bool declaredWithin(const llvm::DILocalVariable *V, const llvm::DIFile *File, std::pair<unsigned, unsigned> From,
                           std::pair<unsigned, unsigned> To) {
  auto *Scope = llvm::dyn_cast_or_null<llvm::DILexicalBlockBase>(V->getScope());
  for (; Scope; Scope = llvm::dyn_cast_or_null<llvm::DILexicalBlockBase>(Scope->getScope())) {
    auto *Block = llvm::dyn_cast<llvm::DILexicalBlock>(Scope);
    if (!Block || Block->getFile() != File)
      continue;
    auto At = std::make_pair(Block->getLine(), Block->getColumn());
    if (At >= From && At <= To)
      return true;
  }
  return false;
}

// Name of what a call of the runtime reports of dependences, without what all such names begin with; empty for other
// instructions.
inline llvm::StringRef report(const llvm::Instruction &I) {
  auto *Call = llvm::dyn_cast<llvm::CallInst>(&I);
  const llvm::Function *F = Call ? Call->getCalledFunction() : nullptr;
  llvm::StringRef Name = F ? F->getName() : "";
  return Name.consume_front("__ps_deps_") ? Name : "";
}

// Copies a function, with tables of its own where it jumps to labels whose addresses are in tables; false if they
// cannot be copied (labels.cpp).
bool cloneWithTables(llvm::Function &F, llvm::ValueToValueMapTy &Map, const llvm::Twine &Suffix, llvm::Function *&Clone);

// Whether nothing but tables, jumps and choices has to do with addresses of a function's labels, so that each can be
// found again in a copy (labels.cpp).
bool labelsMove(llvm::Function &F);

// Notes the labels of a function and those of copies that correspond (labels.cpp).
void listLabels(llvm::Function &F, llvm::ArrayRef<llvm::Function *> Versions, llvm::ArrayRef<llvm::ValueToValueMapTy *> Maps);

// A value of the function that code is built in as another version of it has it: the same, but for addresses of labels
// (labels.cpp).
llvm::Value *labelIn(llvm::IRBuilderBase &B, llvm::Value *V, llvm::Function &To);

// How a call leaves its function for good: 0 it may return, 1 it ends the program, 2 it may throw an exception, 3 it
// may jump (leaves.cpp).
uint32_t howItLeaves(const llvm::CallBase &C);

// Whether a function that is called, or one that it calls, has a check whose failure throws an exception (leaves.cpp).
bool mayThrow(const llvm::CallBase &C);

// Whether a function that is called, or one that it calls, may jump to where one of its callers called `setjmp`
// (leaves.cpp).
bool mayJump(const llvm::CallBase &C);
// Before a call of a native version: while it goes on, the regions of this list are open. See sites.cpp.
void labelCall(llvm::CallBase &Call, llvm::Value *List);

// Before a call by which one version of a function has another go on.
void labelChange(llvm::CallBase &Call);

// Whether all arguments travel in registers (division.cpp).
bool inRegisters(const llvm::Function &F);
// Whether addresses of the function's blocks are known (division.cpp).
bool hasNamedBlocks(const llvm::Function &F);
// Whether a call may return a second time, by a jump back (division.cpp).
bool returnsTwice(const llvm::CallInst &C);
// Memory that a function allocates as it goes, which is given back at the end of a block or of the function; whether
// there is any; and the stack before such a block, of which only the frame that has it knows (division.cpp).
bool isAllocatedHere(const llvm::Value *V);
bool allocates(const llvm::Function &F);
bool isSavedStack(const llvm::Value *V);
// Whether calls of a function must be in tail position (`musttail`), so that its stack never grows (division.cpp).
bool mustCallInTail(const llvm::Function &F);
// Whether one version can be called by another at its entry, with the same arguments (division.cpp).
bool canCallAgain(const llvm::Function &F);
// Whether the frame has no such memory now; holds when `settleStack` has seen the function, once it has its ways in:
// its versions restore the stack that they have saved themselves (division.cpp).
llvm::Value *keepsNoMemory(llvm::IRBuilderBase &B);
void settleStack(llvm::Function &F);

// See copies.cpp. Of what is live at a function's places: the variables that are handed over as copies.
llvm::SmallVector<llvm::AllocaInst *, 8> copiedVariables(const llvm::SmallSetVector<llvm::Value *, 16> &Live);
// Size of a variable in bytes, 0 if that is not known.
uint64_t bytesOf(const llvm::AllocaInst &A);
void copyVariable(llvm::IRBuilderBase &B, llvm::Value *To, llvm::Value *From, const llvm::AllocaInst &Of);

// See registers.cpp. Whether a loop calls something in some of its iterations and not in others; has a function keep a
// variable of the runtime in a register between calls.
bool callsSometimes(const llvm::Loop &L, const llvm::DominatorTree &DT);
void keepInRegister(llvm::Function &F, llvm::GlobalVariable &G);
// The same for counters of iterations: additions that were marked.
void markHeaderCount(llvm::Instruction &Store);
void countInRegisters(llvm::Function &F);

// See boxes.cpp. The version of a function that is to take a box, none if arguments need none.
llvm::Function *box(llvm::Function &F);
bool isBoxed(const llvm::Function &F);
// What a version gets that goes on at a place.
llvm::Constant *emptyBox(const llvm::Function &F);
// A continuation as a function that takes a box, as this version does.
llvm::Function *takesBox(llvm::Function &On, const llvm::Function &Tracked);
// The native version of a variadic function as one that takes a list.
llvm::Function *takesList(llvm::Function &Native);
// Notes the tracked version that takes a box; says which it is.
void noteBox(llvm::Function &F, llvm::Function &Tracked);
llvm::Function *boxedVersion(const llvm::Function &F);
// Moves a function's body, and all that belongs to it but its arguments, to another; to the version that takes a box.
void moveTo(llvm::Function &From, llvm::Function &To);
void unpack(llvm::Function &F, llvm::Function &Tracked);
// Fills the blocks of a function that holds nothing but the choice.
void chooseBoxed(llvm::Function &F, llvm::Function &Tracked, llvm::Function &Native, llvm::BasicBlock *IfNative,
                 llvm::BasicBlock *IfTracked);
