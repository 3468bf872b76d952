// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel of a file that somebody means, and a file as tools need it before (or without)
// compiling.

#ifndef TILEC_IRGEN_KERNELSELECTION_H
#define TILEC_IRGEN_KERNELSELECTION_H

#include "tilec/IRGen/IRGen.h"
#include "tilec/Sema/ModuleLoader.h"

namespace tilec {

/// The kernel of that name, as in IRGenOptions::kernel. Null after an error.
const ast::FunctionDef *selectKernel(const ast::Module &module, llvm::StringRef name,
                                     DiagnosticEngine &diagnostics);

/// A file that parses, and its kernels in source order.
struct ParsedSource {
  /// Null after errors.
  std::unique_ptr<ast::Module> tree;
  std::vector<KernelInfo> kernels;
  /// Where it finds what it imports.
  ModuleSearch modules;

  /// As above; null as well when the file has errors.
  const KernelInfo *select(llvm::StringRef name, DiagnosticEngine &diagnostics) const;
};

/// Parses a file and lists its kernels.
ParsedSource parseSource(SourceManager &sources, FileId file, DiagnosticEngine &diagnostics,
                         ModuleSearch modules);

} // namespace tilec

#endif // TILEC_IRGEN_KERNELSELECTION_H
