// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelSelection.h.

#include "tilec/IRGen/KernelSelection.h"

#include "KernelBinding.h"

#include "tilec/Sema/HostFunction.h"
#include "tilec/Support/NearestName.h"
#include "tilec/Syntax/Parser.h"

namespace tilec {

const ast::FunctionDef *findKernel(const ast::Module &module, llvm::StringRef name) {
  if (!name.empty())
    return module.findJitFunction(name);
  std::vector<const ast::FunctionDef *> entries = irgen::getEntryKernels(module);
  if (entries.size() == 1)
    return entries.front();
  std::vector<const ast::FunctionDef *> kernels = irgen::getKernels(module);
  return kernels.size() == 1 ? kernels.front() : nullptr;
}

/// Says why there is no kernel of that name, or no only one.
static void reportNoKernel(const ast::Module &module, llvm::StringRef name,
                           DiagnosticEngine &diagnostics) {
  SourceRange start(module.file, 0, 0);
  std::vector<const ast::FunctionDef *> kernels = irgen::getKernels(module);
  if ((kernels.empty() || !name.empty()) && reportHostFunction(module, name, diagnostics))
    return;
  if (kernels.empty()) {
    diagnostics.error(start, "no kernel in this file: no function is decorated with @triton.jit");
    return;
  }
  if (!name.empty()) {
    std::vector<llvm::StringRef> names;
    for (const ast::FunctionDef *kernel : kernels)
      names.push_back(kernel->name);
    llvm::StringRef nearest = nearestName(name, names);
    diagnostics.error(start, "no kernel named '" + name + "' in this file" +
                                 (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
    return;
  }
  std::vector<const ast::FunctionDef *> entries = irgen::getEntryKernels(module);
  Diagnostic &error =
      diagnostics.error(start, "the file has several kernels; choose one by its name");
  for (const ast::FunctionDef *kernel : entries.empty() ? kernels : entries)
    error.addNote(kernel->nameRange, "kernel '" + kernel->name + "'");
}

const ast::FunctionDef *selectKernel(const ast::Module &module, llvm::StringRef name,
                                     DiagnosticEngine &diagnostics) {
  const ast::FunctionDef *kernel = findKernel(module, name);
  if (!kernel)
    reportNoKernel(module, name, diagnostics);
  return kernel;
}

const KernelInfo *ParsedSource::select(llvm::StringRef name, DiagnosticEngine &diagnostics) const {
  if (!tree)
    return nullptr;
  if (const ast::FunctionDef *function = findKernel(*tree, name))
    for (const KernelInfo &kernel : kernels)
      if (kernel.name == function->name)
        return &kernel;
  reportNoKernel(*tree, name, diagnostics);
  return nullptr;
}

ParsedSource parseSource(SourceManager &sources, FileId file, DiagnosticEngine &diagnostics,
                         ModuleSearch modules) {
  ParsedSource source;
  source.modules = std::move(modules);
  source.tree = parseModule(sources, file, diagnostics);
  if (source.tree && !diagnostics.hasErrors()) {
    ModuleLoader loader(sources, source.modules);
    source.kernels = listKernels(*source.tree, sources, diagnostics, &loader);
  }
  if (diagnostics.hasErrors())
    source.tree.reset();
  return source;
}

} // namespace tilec
