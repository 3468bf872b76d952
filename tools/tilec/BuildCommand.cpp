// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec build: a specification to a bundle, as C source or as a file to load.

#include "CacheSetup.h"
#include "Commands.h"
#include "CompileOutcome.h"
#include "Console.h"
#include "OutputFile.h"

#include "tilec/Bundle/BundleBuilder.h"
#include "tilec/Bundle/BundleFile.h"
#include "tilec/Bundle/CSource.h"
#include "tilec/Driver/ToolHints.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace tilec::tool {

static ExitCode wrong(const BuildCommand &command, const llvm::Twine &message) {
  return reportError("'" + command.spec + "': " + message);
}

static ExitCode writeFiles(const BuildCommand &command, const Bundle &bundle) {
  std::string stem = command.output + "/" + bundle.name;
  tilecrt::Result<CSource> source = CSource();
  if (command.writesC)
    source = writeCSource(bundle);
  if (!source.ok())
    return wrong(command, source.message());
  ExitCode code = makeFolder(command.output);
  if (code == ExitCode::Ok && command.writesFile)
    code = writeOutput(stem + ".tilec", encodeBundle(bundle));
  if (code == ExitCode::Ok && command.writesC)
    code = writeOutput(stem + ".h", source->header);
  if (code == ExitCode::Ok && command.writesC)
    code = writeOutput(stem + ".c", source->source);
  return code;
}

/// With cubins where there is an assembler.
static void setLastStage(CompileOptions &options) {
  llvm::Expected<std::string> ptxas = findPtxas(ptxasHints(options.tools));
  options.stopAfter = ptxas ? Stage::Cubin : Stage::PTX;
  if (ptxas)
    return;
  llvm::consumeError(ptxas.takeError());
  reportNote("no ptxas: the bundle holds PTX only, which the driver assembles");
}

ExitCode execute(const BuildCommand &command) {
  auto text = llvm::MemoryBuffer::getFile(command.spec);
  if (!text)
    return reportError("cannot read '" + command.spec + "': " + text.getError().message());
  llvm::Expected<BundleSpec> spec =
      parseBundleSpec((*text)->getBuffer(), llvm::sys::path::parent_path(command.spec));
  if (!spec)
    return wrong(command, llvm::toString(spec.takeError()));
  CompileOptions options = makeCompileOptions(command.kernel);
  setLastStage(options);
  KernelCache cache(command.kernel.cache);
  cache.attachTo(options);
  llvm::Expected<Bundle> bundle = buildBundle(
      *spec, options,
      [&](const SourceManager &sources, const DiagnosticEngine &diagnostics) {
        printDiagnostics(sources, diagnostics, command.kernel.diagnosticsFormat);
      },
      command.keepsSources);
  if (bundle)
    return writeFiles(command, *bundle);
  ExitCode code = ExitCode::InputError;
  llvm::handleAllErrors(
      bundle.takeError(), [&](const NotCompiled &error) { code = reportFailure(error.failure); },
      [&](const llvm::ErrorInfoBase &error) { code = wrong(command, error.message()); });
  return code;
}

} // namespace tilec::tool
