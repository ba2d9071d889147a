// What the files share that read what loops do with the variables of the source (source.cpp).
#pragma once

#include "analysis.h"

#include "llvm/IR/IntrinsicInst.h"

#include <memory>
#include <string>
#include <vector>

// The lists that are filled in, and the texts in them.
struct PsSource {
  std::vector<uint32_t> Edges; // pairs
  std::vector<PsSourceBlock> Blocks;
  std::vector<PsSourceVariable> Variables;
  std::vector<PsSourceAccess> Accesses;
  std::vector<PsSourceStep> Steps;
  std::vector<PsSourceLoop> Loops;
  std::vector<uint32_t> LoopBlocks;
  std::vector<std::unique_ptr<std::string>> Names;

  PsText text(llvm::StringRef S) {
    Names.push_back(std::make_unique<std::string>(S.str()));
    return {Names.back()->data(), (uint32_t)Names.back()->size()};
  }
};

// The function that is read, and where to.
struct SourceFunction {
  llvm::Function &F;
  PsSource &S;
  const llvm::DataLayout &DL;
  llvm::DominatorTree DT;
  llvm::LoopInfo LI;
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> Number; // of each block

  SourceFunction(llvm::Function &F, PsSource &S) : F(F), S(S), DL(F.getDataLayout()), DT(F), LI(DT) {}
};

// A type without its qualifiers and other names (types.cpp).
const llvm::DIType *plain(const llvm::DIType *T);
// Fills in what a variable is whose types these are, in the source and in the module; null where not known.
void shape(const SourceFunction &In, PsSourceVariable &V, const llvm::DIType *T, llvm::Type *Ty);
// PsSourceAccess::type of an access of so many bytes of this type (null: of any), at an address.
uint32_t typeCode(const llvm::Instruction &I, const llvm::Value *Address, llvm::Type *T, uint64_t Bytes);
// PsSourceAccess::parts of an access with that code.
uint32_t partsOf(uint32_t TypeCode, uint64_t Bytes);
// Adds to PsSourceVariable::parts what a type consists of.
void addParts(llvm::Type *T, uint32_t &Bits);

// Variables by number: locals from their debug records, globals when they are met first (variables.cpp).
class SourceVariables {
public:
  explicit SourceVariables(SourceFunction &In) : In(In) {}

  // The local variables that lie in a slot or argument.
  void declare(llvm::Value &Slot);
  // PsSourceVariable::allocated, once all locals are declared.
  void allocate(const llvm::AllocaInst &Slot);

  // The variable that lies here and has its number.
  std::optional<uint32_t> find(const llvm::Value *At) const;
  // The same, with a number for a global that has none.
  std::optional<uint32_t> number(const llvm::Value *At);

  // What the debug information has of a variable: null for globals.
  const llvm::DILocalVariable *local(uint32_t Variable) const { return Locals[Variable]; }
  // Null where it is not known.
  const llvm::DIType *type(uint32_t Variable) const { return Types[Variable]; }

private:
  SourceFunction &In;
  llvm::DenseMap<const llvm::Value *, uint32_t> Numbers;
  std::vector<const llvm::DILocalVariable *> Locals;
  std::vector<const llvm::DIType *> Types;
  std::optional<bool> Recurs; // whether the function may, once it is known

  uint32_t add(const llvm::Value &At, PsSourceVariable V, const llvm::DILocalVariable *Local, const llvm::DIType *T);
  uint32_t global(const llvm::GlobalVariable &G);
};

// Whether a slot has a variable, in whatever form: records of those that lie there. Assignment tracking has put records
// of assignments in the place of declarations where the compiler optimizes (variables.cpp).
llvm::SmallVector<llvm::DbgVariableRecord *, 2> lyingAt(const llvm::Value &Slot);

// The name that a global has in the source (globals.cpp).
llvm::StringRef sourceName(const llvm::GlobalVariable &G);
// Whether another function than this uses an address, or one that follows from it.
bool usedElsewhere(const llvm::Value &Address, const llvm::Function &F);
// Whether a function may be called again before it returns, as far as direct calls tell; what is called through
// pointers, or has its body elsewhere and is not known, may call what it can reach.
bool mayRecur(const llvm::Function &F);
// Whether directives in a function cannot name a global, or may not mean it.
bool isUnusable(const llvm::DIGlobalVariable &D, const llvm::Function &F);

// Fills in where an address points (subscripts.cpp).
void leadTo(SourceFunction &In, SourceVariables &Variables, const llvm::Value *Address, PsSourceAccess &A);

// What a function accesses, calls and gives away, instruction by instruction (accesses.cpp).
class SourceAccesses {
public:
  SourceAccesses(SourceFunction &In, SourceVariables &Variables);

  void access(llvm::Instruction &I);

private:
  SourceFunction &In;
  SourceVariables &Variables;
  // Functions that use a thread's own variables, with one of these.
  llvm::DenseMap<const llvm::Function *, llvm::StringRef> Owned;
  llvm::DenseMap<const llvm::Function *, bool> CallsBack;
  llvm::SmallPtrSet<const llvm::CallBase *, 8> InTests; // calls that become a part of this function
  bool Restores = false; // whether arrays of variable length are given back

  PsSourceAccess begin(const llvm::Instruction &I, uint32_t Kind) const;
  void add(llvm::Instruction &I, uint32_t Kind, const llvm::Value *P, llvm::Type *T, uint64_t Bytes);
  std::string member(const PsSourceAccess &A) const;
  bool nameless(const llvm::Instruction &I, const llvm::Value *Slot) const;
  void escape(llvm::Instruction &I, const llvm::Value *V);
  void note(const llvm::Instruction &I, uint32_t Kind, llvm::StringRef Name);
  bool intrinsic(llvm::IntrinsicInst &I);
  void call(llvm::CallBase &C);
  std::string pointer(const llvm::CallBase &C);
  void owned(const llvm::Instruction &I, const llvm::Function &Callee);
  void callee(const llvm::CallBase &C, PsSourceAccess &A);
};

// Lists a loop that stands in the source (loops.cpp).
void listLoop(SourceFunction &In, const SourceVariables &Variables, const llvm::Loop &L);

// Whether something but loads and stores uses an address, or one that follows from it (addresses.cpp).
bool taken(const llvm::Value &Address);
// Whether an address is used for nothing but accesses of what it leads to, and to find out whether there is anything.
bool followed(const llvm::Value &Address);
// Whether something that is stored, or what a function keeps or gives back, may lead to where an address does.
bool leadsOn(const llvm::Value &Address);
// Whether a call of a function of the program may put the address that is this argument somewhere, compare it or give
// it back.
bool keeps(const llvm::CallBase &Call, unsigned Number, unsigned Depth);

// Whether a function of the program may be one of several of its name (callees.cpp).
bool isOverloadable(const llvm::Function &F);
// Whether an operator of the library may do more than step an iterator or find an element.
bool mayDoMore(const llvm::DISubprogram &SP);
// The name of a function of the library; with that of its class where elements of that share words.
std::string nameOf(const llvm::DISubprogram &SP);
// Whether a function of the library may run code of the program: a comparison, a container's own `size`. `Known`: what
// has been found before.
bool callsBack(const llvm::Function &Of, llvm::DenseMap<const llvm::Function *, bool> &Known);
// Whether a call is of `std::min` or `std::max` of two references.
bool chooses(const llvm::CallBase &C);
// Whether a call gives back a reference to one of its arguments, and more is done with it than to read what it leads
// to.
bool keepsChoice(const llvm::CallBase &C);
