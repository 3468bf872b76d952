// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SourceFile.h.

#include "SourceFile.h"

#include "Console.h"

namespace tilec::tool {

std::optional<FileId> loadSource(SourceManager &sources, llvm::StringRef path) {
  llvm::Expected<FileId> file = sources.loadFile(path);
  if (file)
    return *file;
  reportError(llvm::toString(file.takeError()));
  return std::nullopt;
}

} // namespace tilec::tool
