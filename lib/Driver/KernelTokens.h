// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source text that one kernel can depend on, as tokens: the kernel, and every function and
// module-level value whose name it can reach. Comments, other kernels and where all this stands in
// the file make no difference to `text`; `places` says where it stands.

#ifndef TILEC_LIB_DRIVER_KERNELTOKENS_H
#define TILEC_LIB_DRIVER_KERNELTOKENS_H

#include "tilec/Sema/ModuleLoader.h"
#include "tilec/Support/SourceBuffer.h"
#include "tilec/Syntax/AST.h"

#include <string>
#include <vector>

namespace tilec {

struct KernelTokens {
  /// Kinds and spellings of the tokens, and what reached names are imported from.
  std::string text;
  /// Where each token begins, in the order of `text`.
  std::vector<LineColumn> places;
  /// The same of imported files, each reached part with the file's path.
  std::string imports;
  std::vector<LineColumn> importPlaces;
};

/// Collects the tokens of `kernel`. Names that occur in `constants` (texts of compile-time
/// constants) are reached too, and what they lead to in other files.
KernelTokens collectKernelTokens(const SourceManager &sources, const ast::Module &module,
                                 const ast::FunctionDef &kernel,
                                 llvm::ArrayRef<llvm::StringRef> constants, ModuleLoader &modules);

} // namespace tilec

#endif // TILEC_LIB_DRIVER_KERNELTOKENS_H
