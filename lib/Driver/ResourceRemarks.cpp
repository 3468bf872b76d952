// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ResourceRemarks.h.

#include "ResourceRemarks.h"

#include "tilec/Support/RemarkCategory.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace tilec;

/// Registers of a multiprocessor, the same for all processors from sm_80 on. A warp gets them for
/// its 32 threads, each thread a multiple of kRegisterUnit, and at most kMaxRegisters.
static constexpr unsigned kRegisterFile = 65536;
static constexpr unsigned kRegisterUnit = 8;
static constexpr unsigned kMaxRegisters = 255;
/// A quarter of what most multiprocessors hold; with fewer warps latencies show.
static constexpr unsigned kFewWarps = 16;

/// The most registers that a thread can have when that many CTAs are to fit.
static unsigned registerLimit(const LaunchShape &launch) {
  unsigned threads = launch.numWarps * 32 * std::max(1u, launch.minCtas);
  return std::min(kMaxRegisters, kRegisterFile / threads / kRegisterUnit * kRegisterUnit);
}

static void reportSpills(const KernelResources &resources, const LaunchShape &launch,
                         SourceRange kernel, DiagnosticEngine &diagnostics) {
  unsigned limit = registerLimit(launch);
  std::string text = llvm::formatv("kernel '{0}' spills registers: each thread stores {1} bytes "
                                   "and loads {2}, with {3} registers",
                                   resources.kernel, resources.spillStoreBytes,
                                   resources.spillLoadBytes, resources.registers);
  if (limit == kMaxRegisters)
    text += llvm::formatv(" of at most {0}", limit);
  else
    text += llvm::formatv(" of at most {0} for {1} of {2} warps", limit,
                          launch.minCtas > 1 ? std::to_string(launch.minCtas) + " CTAs" : "a CTA",
                          launch.numWarps);
  text += limit == kMaxRegisters ? "; smaller blocks or more warps lower the register pressure"
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
  unsigned perThread =
      (unsigned(resources.registers) + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
  unsigned resident = kRegisterFile / (perThread * 32 * launch.numWarps) * launch.numWarps;
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

void tilec::reportResources(const KernelResources &resources, const LaunchShape &launch,
                            SourceRange kernel, DiagnosticEngine &diagnostics) {
  if (resources.spillStoreBytes + resources.spillLoadBytes > 0)
    reportSpills(resources, launch, kernel, diagnostics);
  reportPressure(resources, launch, kernel, diagnostics);
}
