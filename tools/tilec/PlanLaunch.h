// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arrays and arguments of a run on a device.

#ifndef TILEC_TOOLS_TILEC_PLANLAUNCH_H
#define TILEC_TOOLS_TILEC_PLANLAUNCH_H

#include "RunArguments.h"

#include "tilec/Run/ArrayLaunch.h"
#include "tilec/Run/ExplainLaunch.h"

namespace tilec::tool {

/// The bytes of every run-time argument of the compiled kernel, in its order; `addresses` has one
/// for each array, and maybe one for scratch memory behind them.
tilecrt::Result<ArgumentBytes> encodeArguments(const RunPlan &plan,
                                               const tilecrt::KernelMetadata &metadata,
                                               const std::vector<uint64_t> &addresses);

/// Whether the plan's values have the tensor maps that were inferred for a kernel.
bool inferredMapsFit(const RunPlan &plan, const tilecrt::KernelMetadata &metadata);

/// The plan's launch of the kernel, its arrays uploaded. The plan stays where it is.
/// `scratchBytes` are those of RepeatedLaunch::bind.
tilecrt::Result<std::unique_ptr<ArrayLaunch>> bindPlan(const std::shared_ptr<RunDevice> &device,
                                                       const CompiledKernel &kernel, RunPlan &plan,
                                                       uint64_t scratchBytes = 0);

/// A plan to be launched again and again, for a report.
class PlannedLaunch final : public RepeatedLaunch {
public:
  /// The plan outlives it.
  PlannedLaunch(std::shared_ptr<RunDevice> simulator, RunPlan &launched)
      : device(std::move(simulator)), plan(launched) {}

  bool inferredMapsFit(const tilecrt::KernelMetadata &kernel) override {
    return tool::inferredMapsFit(plan, kernel);
  }
  tilecrt::Result<tilecrt::sim::LaunchResult> run(const CompiledKernel &kernel,
                                                  const LaunchPart &part) override;
  tilecrt::Result<std::unique_ptr<ArrayLaunch>> bind(const std::shared_ptr<RunDevice> &gpu,
                                                     const CompiledKernel &kernel,
                                                     uint64_t scratchBytes) override {
    return bindPlan(gpu, kernel, plan, scratchBytes);
  }

private:
  std::shared_ptr<RunDevice> device;
  RunPlan &plan;
  /// Of the last kernel.
  const CompiledKernel *boundKernel = nullptr;
  std::unique_ptr<ArrayLaunch> bound;
};

/// Saves launches as the command or the environment says; null when neither asks for it.
tilecrt::Result<std::shared_ptr<LaunchSaver>> makeSaver(const RunCommand &command,
                                                        const RunPlan &plan);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_PLANLAUNCH_H
