// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter of the tile dialect as a device. Printed lines travel in the simulator's result.

#include "HostDevice.h"

using tilecrt::Result;
using tilecrt::Status;

namespace tilec {

namespace {

class InterpreterDevice final : public HostDevice {
public:
  InterpreterDevice(Compiler &owner, const SourceManager &manager, DiagnosticEngine &engine,
                    size_t bytesBetween)
      : HostDevice(bytesBetween), compiler(owner), sources(manager), diagnostics(engine) {
    facts.name = "interpreter";
    facts.target = "interp";
  }

  Status checkTarget(const std::string &target, bool /*isPtx*/) const override {
    return target == "interp" ? Status()
                              : tilecrt::invalidArgument("code for '" + target +
                                                         "' does not run on the interpreter");
  }
  Status checkKernel(const CompiledKernel &kernel) const override {
    return kernel.program ? Status()
                          : tilecrt::invalidArgument("kernel '" + kernel.metadata.name +
                                                     "' was not compiled for the interpreter");
  }
  LaunchOutcome run(const CompiledKernel &kernel, HostLaunch launch) const override;
  Result<double> measure(const CompiledKernel & /*kernel*/, HostLaunch /*launch*/) const override {
    return tilecrt::unavailable("the interpreter has no costs");
  }

private:
  Compiler &compiler;
  const SourceManager &sources;
  DiagnosticEngine &diagnostics;
};

} // namespace

LaunchOutcome InterpreterDevice::run(const CompiledKernel &kernel, HostLaunch launch) const {
  InterpreterConfig config;
  config.grid = launch.grid;
  for (tilecrt::sim::Buffer &buffer : buffersOf(kernel, launch))
    config.buffers.push_back({buffer.base, buffer.bytes, std::move(buffer.name), buffer.readOnly});
  InterpreterResult result;
  bool good = compiler.interpret(kernel, launch.pointers(), config, sources, diagnostics, result);
  if (launch.simulation) {
    tilecrt::sim::LaunchResult &told = launch.simulation->result;
    told = {};
    for (InterpreterLine &line : result.printed) {
      tilecrt::sim::PrintedLine &printed = told.printed.emplace_back();
      printed.thread.cta = line.program;
      printed.text = std::move(line.text);
    }
    told.printedDropped = result.printedDropped;
  }
  if (good)
    return {};
  return {tilecrt::deviceError("the interpreter stopped"), /*isKernelFault=*/true};
}

std::shared_ptr<RunDevice> makeInterpreterDevice(Compiler &compiler, const SourceManager &sources,
                                                 DiagnosticEngine &diagnostics, size_t gapBytes) {
  return std::make_shared<InterpreterDevice>(compiler, sources, diagnostics, gapBytes);
}

} // namespace tilec
