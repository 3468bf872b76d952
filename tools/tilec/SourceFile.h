// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading a source file.

#ifndef TILEC_TOOLS_TILEC_SOURCEFILE_H
#define TILEC_TOOLS_TILEC_SOURCEFILE_H

#include "ExitCode.h"

#include "tilec/IRGen/KernelSelection.h"
#include "tilec/Support/SourceBuffer.h"

namespace tilec::tool {

/// Reads a file; reports and returns nothing when it cannot be.
std::optional<FileId> loadSource(SourceManager &sources, llvm::StringRef path);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_SOURCEFILE_H
