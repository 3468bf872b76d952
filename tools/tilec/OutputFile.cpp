// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's atomic file writer behind the tool's error messages.

#include "OutputFile.h"

#include "Console.h"

#include "tilecrt/data/AtomicFile.h"

#include "llvm/Support/FileSystem.h"

namespace tilec::tool {

ExitCode writeOutput(llvm::StringRef path, llvm::StringRef content) {
  if (path.empty() || path == "-")
    return writeToStdout(content);
  return reportUnlessOk(tilecrt::writeFileAtomically(
      path.str(), {tilecrt::FileChunk{content.data(), content.size()}}));
}

ExitCode makeFolder(llvm::StringRef path) {
  if (std::error_code error = llvm::sys::fs::create_directories(path))
    return reportError("cannot create folder '" + path + "': " + error.message());
  if (!llvm::sys::fs::is_directory(path))
    return reportError("'" + path + "' is not a folder");
  return ExitCode::Ok;
}

} // namespace tilec::tool
