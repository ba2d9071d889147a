// What the reader of sources (source.cpp) asks of addresses and of functions that loops call.
#pragma once

#include "analysis.h"

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
