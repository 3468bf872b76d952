// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading, parsing and choosing a kernel.

#include "SourceFile.h"

#include "Console.h"

#include "tilec/Sema/HostFunction.h"
#include "tilec/Support/NearestName.h"
#include "tilec/Syntax/Parser.h"

namespace tilec::tool {

std::optional<FileId> loadSource(SourceManager &sources, llvm::StringRef path) {
  llvm::Expected<FileId> file = sources.loadFile(path);
  if (file)
    return *file;
  reportError(llvm::toString(file.takeError()));
  return std::nullopt;
}

ParsedSource parseSource(SourceManager &sources, FileId file, DiagnosticEngine &diagnostics,
                         const std::vector<std::string> &roots) {
  ParsedSource source;
  source.modules.roots = roots;
  source.tree = parseModule(sources, file, diagnostics);
  if (source.tree && !diagnostics.hasErrors()) {
    ModuleLoader modules(sources, source.modules);
    source.kernels = listKernels(*source.tree, sources, diagnostics, &modules);
  }
  return source;
}

const KernelInfo *selectKernel(const ParsedSource &source, llvm::StringRef name, FileId file,
                               DiagnosticEngine &diagnostics) {
  SourceRange start(file, 0, 0);
  if (source.kernels.empty() && reportHostFunction(*source.tree, name, diagnostics))
    return nullptr;
  if (source.kernels.empty()) {
    diagnostics.error(start, "no kernel in this file: no function is decorated with @triton.jit");
    return nullptr;
  }
  std::vector<const KernelInfo *> candidates;
  std::vector<llvm::StringRef> names;
  for (const KernelInfo &kernel : source.kernels) {
    names.push_back(kernel.name);
    if (name.empty() ? kernel.isEntry : kernel.name == name)
      candidates.push_back(&kernel);
  }
  if (candidates.size() == 1 || (!name.empty() && !candidates.empty()))
    return candidates.back();
  if (!name.empty() && reportHostFunction(*source.tree, name, diagnostics))
    return nullptr;
  if (!name.empty()) {
    llvm::StringRef nearest = nearestName(name, names);
    std::string hint = nearest.empty() ? "" : ("; did you mean '" + nearest + "'?").str();
    diagnostics.error(start, "no kernel named '" + name + "' in this file" + hint);
    return nullptr;
  }
  if (candidates.empty())
    for (const KernelInfo &kernel : source.kernels)
      candidates.push_back(&kernel);
  if (candidates.size() == 1)
    return candidates.front();
  Diagnostic &error =
      diagnostics.error(start, "the file has several kernels; choose one with --kernel NAME");
  for (const KernelInfo *kernel : candidates)
    error.addNote(kernel->range, "kernel '" + kernel->name + "'");
  return nullptr;
}

} // namespace tilec::tool
