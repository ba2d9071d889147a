// What the files share that make versions of a function and the ways between them (versions.cpp).
#pragma once

#include "analysis.h"

// Where the number of a place and values lie while one version hands over to another (handover.cpp).
struct Buffer {
  llvm::GlobalVariable *State;
  uint64_t Number, Offset, Size;
  // Where they were copied to, if they were.
  llvm::AllocaInst *Copied = nullptr;

  // Place of each value; how many bytes all of them take, of which there are `Size`.
  uint64_t places(const llvm::DataLayout &DL, llvm::ArrayRef<llvm::Value *> Values, llvm::SmallVectorImpl<uint64_t> &Places) const;

  llvm::Value *address(llvm::IRBuilder<> &B, uint64_t Place) const;
};
Buffer buffer(const PsBuffer &Where);

// A signal may arrive between any two instructions, and its handler be native code of ours, which may be told to go on
// tracked: not while the number of a place is set (`__ps_turn`). So that is set before the values are there, and taken
// back once they were read.
void inThisOrder(llvm::IRBuilder<> &B);

// What is live at the beginning of blocks, their phis included.
llvm::DenseMap<llvm::BasicBlock *, llvm::SmallVector<llvm::Value *, 16>> liveAt(llvm::Function &F,
                                                                                const llvm::SmallSetVector<llvm::BasicBlock *, 8> &Blocks);

// Calls another version, to go on at a place with what is live there, in place of everything behind a block; the
// instruction is its terminator. Of the values that are live there or at another place of its way (`Layout`), `Live`
// has the first ones, null for the others: what is read of those is 0. `Tail`: in tail position, if that is possible,
// where it holds (always, if null).
void goOn(llvm::Instruction *End, llvm::Function *To, uint32_t Number, const Buffer &In, llvm::ArrayRef<llvm::Value *> Layout,
          llvm::ArrayRef<llvm::Value *> Live, bool MayTail, llvm::Value *Tail);

// A place that a version is entered at: the header that `Chain` ends with, behind those of the loops around it.
struct Target {
  uint32_t Number;
  llvm::SmallVector<llvm::BasicBlock *, 4> Chain;
};

// A way into a version of a function, to several places in one outermost loop: `End` terminates the block that control
// comes from, `Number` says which of them it is; `Live` is what is live at one of them.
struct WayIn {
  llvm::Instruction *End;
  llvm::Value *Number;
  llvm::SmallVector<Target, 4> Targets;
  llvm::SmallVector<llvm::Value *, 16> Live;
};

// Variables of a version of which it gets copies, and where it keeps the address of each.
using Homes = llvm::SmallDenseMap<llvm::Value *, llvm::AllocaInst *, 8>;

// Has a function be entered at places. What is not handed over has no value there (that of the instrumentation, mostly:
// times of things that are older than all that is tracked are 0). `Own`: the function's arguments and variables in
// memory are its own only behind this block; those in `Copied` it copies to its own (entries.cpp).
void waysIn(llvm::Function &F, llvm::MutableArrayRef<WayIn> Ways, const Buffer &In, llvm::BasicBlock *Own, const Homes &Copied);

// Copies a loop, for what is left of an instance that another version has begun: the copy is entered by edges that are
// made later, to its header, and is left for where the loop is left for. So the loop itself has one beginning, as in
// the function as it is, and what follows from that (no index is negative, the trip count) holds for it. The loop has
// LCSSA form. `Map` hears of the copy's values (entries.cpp).
void copyRest(llvm::Loop &L, llvm::ValueToValueMapTy &Map);

// Tells the optimizer that an access is none of the program's (counting.cpp).
void own(llvm::Instruction *I);

// What the checks of native versions use.
struct Switch {
  llvm::GlobalVariable *Left;
  llvm::Function *Turn, *TurnBefore;
  uint64_t Unseen;
};

// Before an instruction of a native version: counts, now and then asks the runtime, and goes to a tracked one if it
// says so. `Ahead` tells how many checks the loop behind it is likely to count, null without one (counting.cpp).
llvm::Instruction *check(const Switch &S, llvm::Instruction *Before, llvm::Constant *Ahead);

// Has a native version close what tracked code had open below it where an exception or a jump arrives: `Depth` asks for
// the depth, `Close` restores it (counting.cpp).
void closeAtPads(llvm::Function &F, llvm::FunctionCallee Depth, llvm::FunctionCallee Close);

// What native versions count (counting.cpp).
struct Counting {
  llvm::GlobalVariable *First;
  llvm::ArrayRef<PsCount> List;

  // Adds to a counter before an instruction; in memory (native.cpp), unless that is `InLoop`, one without a look, from
  // which it may be moved out.
  llvm::StoreInst *add(llvm::Instruction *Before, uint32_t Counter, llvm::Value *Number, bool InLoop = false) const;
  llvm::StoreInst *one(llvm::Instruction *Before, uint32_t Counter, bool InLoop = false) const;

  // How often control comes to the header of a loop, counted in a register; the loop is entered from elsewhere at most
  // at its header, by edges that are made later, with 0. `Ended` hears of each exit with the number.
  void iterations(llvm::BasicBlock *Header, llvm::BasicBlock *Preheader, llvm::BasicBlock *Latch, llvm::ArrayRef<llvm::BasicBlock *> Exits,
                  uint32_t Counter, llvm::function_ref<void(llvm::Instruction *, llvm::Value *)> Ended) const;

  // Where the loop with this header keeps how many checks its last instance counted, null for none: how many fewer than
  // `Switch::Unseen`, which 0 stands for, so that native code asks before the first one.
  llvm::Constant *ahead(llvm::BasicBlock *Header) const;

  // A loop without a look at the counter of checks may run long: many iterations count as checks, or bursts would not
  // come in time where there are few other checks. What the last instance counted was counted before this one (`Ahead`,
  // null if the loop keeps no such number), or bursts would begin behind it and never in it.
  static void pass(const Switch &S, llvm::Instruction *Behind, llvm::Value *Iterations, llvm::Constant *Ahead);

  // Tells the optimizer that the program accesses no counters.
  static void promise(llvm::Function &F);
};

// Where the debugger sees what a version does that is not in the source: at the beginning of its function.
llvm::DebugLoc startOf(llvm::Function &F);
