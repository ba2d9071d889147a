// Where the program itself calls a function of the library, directly or by way of others of the library.
#include "analysis.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

#include <set>
#include <string>
#include <utility>

using namespace llvm;

bool isSystem(const DIFile *File) {
  std::string Path = File->getFilename().starts_with("/") ? File->getFilename().str()
                                                          : (File->getDirectory() + "/" + File->getFilename()).str();
  StringRef Name(Path);
  return Name.starts_with("/usr/") || Name.starts_with("/rustc/") || Name.starts_with("/rust/deps/") || Name.contains("/rustlib/src/rust/");
}

static bool isLibrary(const Function &F) {
  const DISubprogram *SP = F.getSubprogram();
  return SP && SP->getFile() && isSystem(SP->getFile());
}

using Calls = std::set<std::pair<std::string, unsigned>>;

static void callers(const Function &F, SmallPtrSetImpl<const Function *> &Seen, Calls &Found) {
  if (!Seen.insert(&F).second)
    return;
  for (const User *U : F.users()) {
    auto *Call = dyn_cast<CallBase>(U);
    if (!Call || Call->getCalledFunction() != &F)
      continue;
    const Function &By = *Call->getFunction();
    if (isLibrary(By))
      callers(By, Seen, Found);
    else if (Call->getDebugLoc() && Call->getDebugLoc().getLine())
      Found.emplace(By.getName().str(), Call->getDebugLoc().getLine());
  }
}

extern "C" uint32_t ps_callers(LLVMValueRef Function_, char *Out, uint32_t Cap) {
  const Function &F = *unwrap<Function>(Function_);
  Calls Found;
  SmallPtrSet<const Function *, 8> Seen;
  if (isLibrary(F))
    callers(F, Seen, Found);
  std::string Text;
  for (const auto &[By, Line] : Found)
    Text += std::to_string(Line) + " " + By + "\n";
  if (Text.size() > Cap)
    return 0;
  memcpy(Out, Text.data(), Text.size());
  return Text.size();
}
