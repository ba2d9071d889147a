// How instrumented code reaches the runtime's variables.
#include "shim.h"

#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

using namespace llvm;

extern "C" {
// Has code reach the runtime's variables as it reaches its own, without the table of addresses of a shared library:
// executables have a runtime of their own, or a copy of its variables where a library brings it. In Lua, whose time is
// spent between looks at a counter, that took 4 of 100 parts.
void ps_near(LLVMModuleRef M_) {
  Module &M = *unwrap(M_);
  if (M.getPICLevel() != PICLevel::NotPIC && M.getPIELevel() == PIELevel::Default)
    return;
  for (GlobalVariable &G : M.globals())
    if (G.isDeclaration() && !G.isThreadLocal() && G.getName().starts_with("__ps_"))
      G.setDSOLocal(true);
}
}
