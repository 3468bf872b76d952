// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MeasuringGpu.h. Samples come at a rate that gives each scheduler of a multiprocessor some
// hundreds in a launch, and more slowly where the hardware's buffer cannot take that.

#include "tilec/Run/MeasuringGpu.h"

#include <algorithm>
#include <cmath>

using tilecrt::Result;
using tilecrt::Status;
using namespace tilecrt::cuda;

namespace tilec {

namespace {

constexpr double samplesOfLaunch = 128, samplingTime = 4000;
constexpr unsigned mostLaunches = 10, leastPeriod = 7, mostPeriod = 22;
/// Each four times as slow as the one before.
constexpr unsigned mostAttempts = 4, slowerBy = 2;

/// Memory that is written so that the second cache holds nothing else.
class CacheFlush {
public:
  explicit CacheFlush(std::shared_ptr<RunDevice> on) : device(std::move(on)) {}
  ~CacheFlush() {
    if (memory)
      (void)device->release(memory);
  }
  CacheFlush(const CacheFlush &) = delete;
  CacheFlush &operator=(const CacheFlush &) = delete;

  Status flush() {
    size_t bytes = 2 * device->info().l2Bytes;
    if (bytes == 0)
      return Status();
    if (!memory) {
      Result<void *> made = device->allocate(bytes);
      if (!made)
        return made.status();
      memory = *made;
    }
    TILECRT_RETURN_IF_ERROR(device->fill(memory, ++value, bytes, nullptr));
    return device->synchronize();
  }

private:
  std::shared_ptr<RunDevice> device;
  void *memory = nullptr;
  uint8_t value = 0;
};

} // namespace

SamplingPlan planSampling(double microseconds, double cyclesPerMicrosecond) {
  double time = std::max(microseconds, 1.0);
  SamplingPlan plan;
  plan.launches = unsigned(std::clamp(std::ceil(samplingTime / time), 1.0, double(mostLaunches)));
  double period = std::log2(time * cyclesPerMicrosecond / samplesOfLaunch);
  plan.periodLog2 =
      unsigned(std::clamp(std::round(period), double(leastPeriod), double(mostPeriod)));
  return plan;
}

MeasuringGpu::MeasuringGpu(Context made, Result<CuptiTable> library, const std::string &driver)
    : context(made.shared()), device(makeCudaDevice(std::move(made), driver)),
      cupti(std::move(library)) {}

Result<std::unique_ptr<MeasuringGpu>>
MeasuringGpu::open(int ordinal, const std::vector<std::string> &cuptiLibraries,
                   const std::string &driver) {
  // Before the driver starts, which then knows of it.
  Result<CuptiTable> library = loadCupti(cuptiLibraries);
  Result<Device> opened = openGpu(ordinal, driver);
  if (!opened)
    return opened.status();
  Result<std::string> target = targetOf(opened->properties());
  if (!target)
    return target.status();
  Result<Context> made = Context::create(*opened);
  if (!made)
    return made.status();
  return std::unique_ptr<MeasuringGpu>(
      new MeasuringGpu(std::move(*made), std::move(library), driver));
}

Result<PcSamples> MeasuringGpu::sample(Bind bind, unsigned launches, unsigned periodLog2) {
  PcSamplingOptions options;
  options.periodLog2 = periodLog2;
  Result<PcSampler> sampler = PcSampler::create(*cupti, context, options);
  if (!sampler)
    return sampler.status();
  // What is loaded now is known to the sampler, and goes before it does.
  Result<std::unique_ptr<ArrayLaunch>> launch = bind(device);
  if (!launch)
    return launch.status();
  CacheFlush cache(device);
  return sampler->sample(launches, [&] {
    for (unsigned i = 0; i < launches; ++i) {
      TILECRT_RETURN_IF_ERROR(cache.flush());
      if (LaunchOutcome ended = (*launch)->run(); !ended.ok())
        return ended.status;
    }
    return Status();
  });
}

Result<PcSamples> MeasuringGpu::sampleEnough(Bind bind, double microseconds,
                                             double cyclesPerMicrosecond) {
  SamplingPlan plan = planSampling(microseconds, cyclesPerMicrosecond);
  for (unsigned attempt = 1;; ++attempt, plan.periodLog2 += slowerBy) {
    Result<PcSamples> samples = sample(bind, plan.launches, plan.periodLog2);
    bool isTooFast = samples && (samples->isBufferFull || samples->dropped * 2 > samples->total);
    if (!isTooFast || attempt == mostAttempts)
      return samples;
  }
}

Result<std::vector<std::pair<std::string, std::vector<char>>>> MeasuringGpu::outputsOf(Bind bind) {
  Result<std::unique_ptr<ArrayLaunch>> launch = bind(device);
  if (!launch)
    return launch.status();
  if (LaunchOutcome ended = (*launch)->run(); !ended.ok())
    return ended.status;
  return (*launch)->readBack();
}

Result<explain::GpuRun> MeasuringGpu::measure(Bind bind, double cyclesPerMicrosecond) {
  explain::GpuRun run;
  Result<std::unique_ptr<ArrayLaunch>> launch = bind(device);
  if (!launch)
    return launch.status();
  for (auto [time, isCold] : {std::pair(&run.cold, true), std::pair(&run.warm, false)}) {
    MeasureOptions options;
    options.flushL2 = isCold;
    Result<tilecrt::cuda::Timing> timing = (*launch)->measure(options);
    if (!timing)
      return timing.status();
    *time = timing->median;
  }
  launch->reset();
  Result<PcSamples> samples =
      cupti ? sampleEnough(bind, *run.cold, cyclesPerMicrosecond) : cupti.status();
  if (samples)
    run.samples = std::move(*samples);
  else
    run.noSamples = samples.message();
  return run;
}

} // namespace tilec
