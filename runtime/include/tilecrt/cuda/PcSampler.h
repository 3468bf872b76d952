// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples the program counters of warps through CUPTI, which is opened at run time and never
// linked. A kernel has to be loaded after its sampler was made:
//
//   Result<CuptiTable> cupti = loadCupti(cuptiLibraries(cudaHome));   before the driver starts
//   Result<PcSampler> sampler = PcSampler::create(*cupti, context, options);
//   ... load the kernel ...
//   Result<PcSamples> samples = sampler->sample([&] { return launchAndWait(); });

#ifndef TILECRT_CUDA_PCSAMPLER_H
#define TILECRT_CUDA_PCSAMPLER_H

#include "tilecrt/Result.h"
#include "tilecrt/cuda/Context.h"
#include "tilecrt/cuda/CuptiTypes.h"
#include "tilecrt/cuda/PcSamples.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tilecrt::cuda {

/// One pointer per line of CuptiFunctions.inc. A loaded table has no null member.
struct CuptiTable {
#define TILECRT_CUPTI_FUNCTION(member, exported, parameters)                                       \
  CUptiResult(*member) parameters = nullptr;
#include "tilecrt/cuda/CuptiFunctions.inc"
#undef TILECRT_CUPTI_FUNCTION
};

/// Where the library is looked for when no path is given: by name where the loader looks, then in
/// the toolkits in `cudaHome`, which may be empty, and in the usual folder.
std::vector<std::string> cuptiLibraries(const std::string &cudaHome);

/// Opens the first of `libraries` that can be opened, which stays open. `unavailable` says every
/// name that was tried and why it did not do, or which function is missing.
Result<CuptiTable> loadCupti(const std::vector<std::string> &libraries);

struct PcSamplingOptions {
  /// A sample every two to the power of this cycles, 5 to 31.
  unsigned periodLog2 = 10;
};

/// Sampling is enabled in the context for the life of a sampler, of which there may be one.
class PcSampler {
public:
  /// `unavailable` where the driver lets this user not profile, or the device cannot.
  static Result<PcSampler> create(const CuptiTable &functions, const SharedContext &context,
                                  const PcSamplingOptions &options);
  PcSampler(PcSampler &&) noexcept;
  PcSampler &operator=(PcSampler &&) = delete;
  ~PcSampler();

  /// What is sampled while `work` runs, which launches a kernel `launches` times and waits. Where
  /// the hardware's buffer was full the counts say so, and may be few.
  Result<PcSamples> sample(unsigned launches, const std::function<Status()> &work);

private:
  struct State;
  explicit PcSampler(std::unique_ptr<State> made);

  std::unique_ptr<State> state;
};

} // namespace tilecrt::cuda

#endif // TILECRT_CUDA_PCSAMPLER_H
