// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a run to compile options and the cache's key, which is everything that the options hold.

#include "KernelCache.h"

#include "tilec/Driver/ToolHints.h"
#include "tools/tilec/Environment.h"

#include "llvm/Support/FileSystem.h"

namespace tilec::harness {

CompilerPlaces placesOfProcess() { return {"", tool::readToolSearch("")}; }

Result<std::string> ptxasVersionOf(const CompilerPlaces &places) {
  llvm::Expected<std::string> ptxas = findPtxas(ptxasHints(places.tools));
  if (!ptxas)
    return tilecrt::unavailable(llvm::toString(ptxas.takeError()));
  llvm::Expected<std::string> version = ptxasVersion(*ptxas);
  if (!version)
    return tilecrt::unavailable(llvm::toString(version.takeError()));
  return *version;
}

Result<const CompiledKernel *> KernelCache::get(const KernelRun &run) {
  CompileOptions options;
  options.kernel = run.kernel;
  options.target = target;
  options.stopAfter = stopAfter;
  options.lineInfo = stopAfter != Stage::PTX;
  if (stopAfter == Stage::LLVMMLIR)
    options.keep = {stopAfter};
  options.numWarps = run.numWarps;
  options.numStages = run.numStages;
  options.persistent = run.persistent;
  options.numCtas = run.numCtas;
  options.splitK = run.splitK;
  options.tools = places.tools;
  std::string key = run.text + run.file + " " + run.kernel + " " +
                    std::to_string(run.numWarps.value_or(0)) + " " +
                    std::to_string(run.numStages.value_or(0));
  if (run.persistent)
    key += *run.persistent ? " persistent" : " not persistent";
  if (run.numCtas)
    key += " " + std::to_string(*run.numCtas) + " CTAs";
  if (run.splitK)
    key += " split by " + std::to_string(*run.splitK);
  for (const Argument &argument : run.arguments)
    if (!argument.hidden) {
      options.arguments.push_back({argument.name, argument.signature()});
      key += " " + argument.name + ":" + options.arguments.back().type;
    }
  for (const auto &[name, value] : run.constants) {
    options.constants.push_back({name, value});
    key += " " + name + "=" + value;
  }
  std::unique_ptr<CompiledKernel> &kernel = kernels[key];
  if (kernel)
    return static_cast<const CompiledKernel *>(kernel.get());

  SourceManager sources;
  // A folder may have the kernels of an example as Python instead.
  std::string path = places.sourceFolder + "/" + run.file;
  if (llvm::StringRef stem = path; !llvm::sys::fs::exists(path) && stem.consume_back(".tile") &&
                                   llvm::sys::fs::exists(stem + ".py"))
    path = (stem + ".py").str();
  llvm::Expected<FileId> file =
      run.text.empty() ? sources.loadFile(path) : sources.addBuffer(run.file, run.text);
  if (!file)
    return tilecrt::ioError(llvm::toString(file.takeError()));
  DiagnosticEngine diagnostics;
  kernel = compiler.compile(sources, *file, options, diagnostics);
  if (kernel)
    return static_cast<const CompiledKernel *>(kernel.get());
  std::string text =
      "'" + run.kernel + "' does not compile:\n" + renderDiagnostics(sources, diagnostics);
  if (compiler.lastFailure() == Failure::Unavailable)
    return tilecrt::unavailable(text);
  return tilecrt::invalidArgument(text);
}

} // namespace tilec::harness
