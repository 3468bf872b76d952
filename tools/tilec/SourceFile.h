// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source file as the commands need it before (or without) compiling: its tree and its kernels.

#ifndef TILEC_TOOLS_TILEC_SOURCEFILE_H
#define TILEC_TOOLS_TILEC_SOURCEFILE_H

#include "ExitCode.h"

#include "tilec/IRGen/IRGen.h"
#include "tilec/Sema/ModuleLoader.h"
#include "tilec/Support/SourceBuffer.h"

namespace tilec::tool {

/// Reads a file; reports and returns nothing when it cannot be.
std::optional<FileId> loadSource(SourceManager &sources, llvm::StringRef path);

/// A file that parses, and its kernels in source order.
struct ParsedSource {
  std::unique_ptr<ast::Module> tree;
  std::vector<KernelInfo> kernels;
  /// Where it finds what it imports.
  ModuleSearch modules;
};

/// Parses a file and lists its kernels; imports are looked for in `roots` too. Check `diagnostics`
/// for errors before using the result.
ParsedSource parseSource(SourceManager &sources, FileId file, DiagnosticEngine &diagnostics,
                         const std::vector<std::string> &roots);

/// The kernel of that name or, with an empty name, the only entry kernel. Null after an error.
const KernelInfo *selectKernel(const ParsedSource &source, llvm::StringRef name, FileId file,
                               DiagnosticEngine &diagnostics);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_SOURCEFILE_H
