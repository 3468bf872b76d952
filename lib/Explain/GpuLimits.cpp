// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of GPUs. Peaks are those of NVIDIA's data sheets. What a copy reaches, launch and
// latency of an H200 were measured; those of others are scaled from it.

#include "tilec/Explain/GpuLimits.h"

#include "llvm/ADT/STLExtras.h"

namespace tilec::explain {

/// The first one of a processor is taken when no name is given.
static constexpr GpuLimits kGpus[] = {
    {"NVIDIA H200", "sm_90a", 132, 1.83, 4800, 4390, 50e6, 2.8, 0.55},
    {"NVIDIA H100 80GB HBM3", "sm_90a", 132, 1.83, 3350, 3060, 50e6, 2.8, 0.55},
    {"NVIDIA A100-SXM4-80GB", "sm_80", 108, 1.41, 2039, 1840, 40e6, 3.0, 0.48},
    {"NVIDIA L40S", "sm_89", 142, 2.52, 864, 795, 96e6, 2.8, 0.44},
    {"NVIDIA B200", "sm_100a", 148, 1.85, 8000, 7250, 126e6, 2.8, 0.62},
    {"NVIDIA RTX PRO 6000 Blackwell", "sm_120a", 188, 2.6, 1792, 1630, 128e6, 2.8, 0.44},
};

const Processor &GpuLimits::facts() const {
  llvm::Expected<const Processor *> found = findProcessor(processor);
  if (found)
    return **found;
  llvm::consumeError(found.takeError());
  return defaultProcessor();
}

double tensorOpsPerMicrosecond(const Processor &processor, unsigned operandBits) {
  double half = processor.tensorOpsPerMicrosecond;
  return operandBits <= 8    ? 2 * half
         : operandBits <= 16 ? half
         : operandBits <= 32 ? half / 2
                             : half / 15;
}

double GpuLimits::tensorPeak(unsigned operandBits) const {
  return tensorOpsPerMicrosecond(facts(), operandBits) * multiprocessors * 1e-6;
}

double GpuLimits::floatPeak() const {
  constexpr double lanes = 128, opsOfFma = 2;
  return lanes * opsOfFma * multiprocessors * cyclesPerMicrosecond() * 1e-6;
}

llvm::Expected<const GpuLimits *> searchGpu(llvm::StringRef text) {
  std::string known;
  for (const GpuLimits &gpu : kGpus) {
    if (llvm::StringRef(gpu.name).contains_insensitive(text))
      return &gpu;
    known += (known.empty() ? "" : ", ") + gpu.name.str();
  }
  return llvm::createStringError("unknown GPU '" + text + "', expected one of " + known);
}

const GpuLimits *findGpu(llvm::StringRef name, llvm::StringRef processor) {
  for (const GpuLimits &gpu : kGpus)
    if (gpu.name == name)
      return &gpu;
  llvm::Expected<const Processor *> wanted = findProcessor(processor);
  if (!wanted) {
    llvm::consumeError(wanted.takeError());
    return &kGpus[0];
  }
  // Code for sm_86 runs on an sm_89, too; the nearest one is the better guess.
  auto distance = [&](const GpuLimits &gpu) {
    return std::abs(gpu.facts().computeCapability - (*wanted)->computeCapability);
  };
  return &*llvm::min_element(
      kGpus, [&](const GpuLimits &a, const GpuLimits &b) { return distance(a) < distance(b); });
}

} // namespace tilec::explain
