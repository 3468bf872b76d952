// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ToolHints.h.

#include "tilec/Driver/ToolHints.h"

#include "llvm/Support/Path.h"

namespace tilec {

PtxasHints ptxasHints(const ToolSearch &tools) {
  PtxasHints hints;
  hints.option = tools.ptxas;
  hints.cudaHome = tools.cudaHome;
  hints.searchPath = tools.path;
  return hints;
}

MathLibraryHints mathLibraryHints(const ToolSearch &tools) {
  MathLibraryHints hints;
  hints.libclc = tools.libclc;
  hints.libdevice = tools.libdevice;
  hints.cudaHome = tools.cudaHome;
  if (!tools.executable.empty()) {
    llvm::SmallString<128> folder(
        llvm::sys::path::parent_path(llvm::sys::path::parent_path(tools.executable)));
    llvm::sys::path::append(folder, "share", "tilec");
    hints.resourceFolder = folder.str().str();
  }
  return hints;
}

} // namespace tilec
