// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ptxas says of a kernel's own inline assembly, and where that stands in the source.

#ifndef TILEC_LIB_DRIVER_ASSEMBLERLOG_H
#define TILEC_LIB_DRIVER_ASSEMBLERLOG_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tilec {

/// An instruction of inline assembly that the assembler refuses.
struct RefusedAssembly {
  /// The file as the PTX names it; empty, and 0, where the PTX has no lines.
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  /// What the assembler says.
  std::string why;
};

/// Finds the line that the assembler's log names first in the PTX; nothing when it is not within
/// inline assembly nor behind some that lacks its end.
std::optional<RefusedAssembly> findRefusedAssembly(llvm::StringRef ptx, llvm::StringRef log);

} // namespace tilec

#endif // TILEC_LIB_DRIVER_ASSEMBLERLOG_H
