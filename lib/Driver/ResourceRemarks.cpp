// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ResourceRemarks.h.

#include "ResourceRemarks.h"

#include "tilec/Support/Processor.h"
#include "tilec/Support/RemarkCategory.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace tilec {

/// A quarter of what most multiprocessors hold; with fewer warps latencies show.
static constexpr unsigned kFewWarps = 16;

static void reportSpills(const KernelResources &resources, const LaunchShape &launch,
                         SourceRange kernel, DiagnosticEngine &diagnostics) {
  constexpr int kMax = Processor::kMaxRegistersPerThread;
  int limit = Processor::registersPerThread(int64_t(launch.numWarps) * Processor::kWarpSize *
                                            std::max(1u, launch.minCtas));
  std::string text = llvm::formatv("kernel '{0}' spills registers: each thread stores {1} bytes "
                                   "and loads {2}, with {3} registers",
                                   resources.kernel, resources.spillStoreBytes,
                                   resources.spillLoadBytes, resources.registers);
  if (limit == kMax)
    text += llvm::formatv(" of at most {0}", limit);
  else
    text += llvm::formatv(" of at most {0} for {1} of {2} warps", limit,
                          launch.minCtas > 1 ? std::to_string(launch.minCtas) + " CTAs" : "a CTA",
                          launch.numWarps);
  text += limit == kMax ? "; smaller blocks or more warps lower the register pressure"
                        : "; smaller blocks lower the register pressure";
  Diagnostic &remark = diagnostics.remark(kernel, text, remarks::kSpill);
  remark.metrics = {{"registers", std::to_string(resources.registers)},
                    {"registerLimit", std::to_string(limit)},
                    {"spillStoreBytes", std::to_string(resources.spillStoreBytes)},
                    {"spillLoadBytes", std::to_string(resources.spillLoadBytes)},
                    {"stackBytes", std::to_string(resources.stackBytes)}};
}

static void reportPressure(const KernelResources &resources, const LaunchShape &launch,
                           SourceRange kernel, DiagnosticEngine &diagnostics) {
  if (resources.registers <= 0)
    return;
  int64_t threads = int64_t(launch.numWarps) * Processor::kWarpSize;
  unsigned resident = Processor::ctasByRegisters(threads, resources.registers) * launch.numWarps;
  if (resident >= kFewWarps)
    return;
  Diagnostic &remark = diagnostics.remark(
      kernel,
      llvm::formatv("kernel '{0}' takes {1} registers per thread, so that {2} warps fit on a "
                    "multiprocessor; smaller blocks or more warps lower the register pressure",
                    resources.kernel, resources.registers, resident)
          .str(),
      remarks::kRegisterPressure);
  remark.metrics = {{"registers", std::to_string(resources.registers)},
                    {"residentWarps", std::to_string(resident)}};
}

static void reportSerializedDots(const KernelResources &resources, SourceRange kernel,
                                 DiagnosticEngine &diagnostics) {
  if (resources.serializedDots.empty())
    return;
  diagnostics.remark(kernel,
                     llvm::formatv("each dot by warpgroups of kernel '{0}' waits for the one "
                                   "before it: ptxas serializes them due to {1}",
                                   resources.kernel, resources.serializedDots)
                         .str(),
                     remarks::kDot);
}

void reportResources(const KernelResources &resources, const LaunchShape &launch,
                     SourceRange kernel, DiagnosticEngine &diagnostics) {
  if (resources.spillStoreBytes + resources.spillLoadBytes > 0)
    reportSpills(resources, launch, kernel, diagnostics);
  reportPressure(resources, launch, kernel, diagnostics);
  reportSerializedDots(resources, kernel, diagnostics);
}

} // namespace tilec
