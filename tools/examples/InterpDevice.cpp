// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs on the interpreter of the tile dialect: what the front end made, before any pass.

#include "BufferImages.h"
#include "KernelCache.h"

#include <chrono>

namespace tilec::harness {
namespace {

class InterpDevice final : public KernelDevice {
public:
  explicit InterpDevice(const CompilerPlaces &compilerPlaces)
      : places(compilerPlaces), kernels(compilerPlaces, "interp") {}

  std::string name() const override { return "interp"; }
  std::string describe() const override { return "interpreter of the tile dialect"; }
  Result<Outcome> run(const KernelRun &run, const RunOptions &options) override;

private:
  CompilerPlaces places;
  KernelCache kernels;
};

} // namespace

Result<Outcome> InterpDevice::run(const KernelRun &run, const RunOptions &) {
  Result<const CompiledKernel *> kernel = kernels.get(run);
  if (!kernel)
    return kernel.status();
  Result<BufferImages> images = BufferImages::create(run);
  if (!images)
    return images.status();
  Result<std::array<uint32_t, 3>> grid = hostGrid(run);
  if (!grid)
    return grid.status();

  InterpreterConfig config;
  config.grid = *grid;
  std::vector<uint64_t> addresses;
  for (size_t i = 0; i < images->size(); ++i) {
    auto *data = images->image(i).as<unsigned char>();
    addresses.push_back(reinterpret_cast<uint64_t>(data));
    config.buffers.push_back({data + images->start(i), images->byteSize(i),
                              images->argument(i).name, !images->argument(i).isWritten()});
  }
  TILECRT_RETURN_IF_ERROR(images->fillAddressTables(addresses));
  Result<std::vector<uint64_t>> values = images->argumentValues(argumentNames(**kernel), addresses);
  if (!values)
    return values.status();
  std::vector<void *> arguments;
  for (uint64_t &value : *values)
    arguments.push_back(&value);

  // For the places of errors.
  SourceManager sources;
  llvm::consumeError(sources.loadFile(places.sourceFolder + "/" + run.file).takeError());
  DiagnosticEngine diagnostics;
  InterpreterResult result;
  Outcome outcome;
  auto start = std::chrono::steady_clock::now();
  bool ok = kernels.getCompiler().interpret(**kernel, arguments.data(), config, sources,
                                            diagnostics, result);
  std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - start;
  outcome.microseconds = elapsed.count();
  if (!ok)
    outcome.failure = renderDiagnostics(sources, diagnostics);
  TILECRT_RETURN_IF_ERROR(images->collect(outcome));
  return outcome;
}

std::unique_ptr<KernelDevice> makeInterpDevice(const CompilerPlaces &places) {
  return std::make_unique<InterpDevice>(places);
}

} // namespace tilec::harness
