// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs are queued in batches with an event before and after each; the cache-flushing write ahead of
// every run also gives the host time to queue it, so that launch latency stays out of the times.

#include "tilecrt/cuda/TimeKernel.h"

#include "tilecrt/cuda/DeviceBuffer.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tilecrt::cuda {

namespace {

constexpr unsigned maxRepeats = 100000;
/// Event pairs in flight at once.
constexpr unsigned batchSize = 256;

/// Twice the L2 cache, or nothing when the cache is not to be flushed.
Result<DeviceBuffer> makeFlushBuffer(const Context &context, const TimingOptions &options) {
  uint64_t bytes = options.flushL2 ? 2 * context.device().properties().l2Bytes : 0;
  return DeviceBuffer::create(context, bytes);
}

Timing summarise(std::vector<double> samples) {
  Timing timing;
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  size_t middle = sorted.size() / 2;
  timing.median = sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  timing.min = sorted.front();
  timing.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / double(sorted.size());
  timing.p95 = sorted[(sorted.size() * 95 + 99) / 100 - 1];
  timing.samples = std::move(samples);
  return timing;
}

} // namespace

Result<Timing> timeKernel(const Context &context, const Stream &stream,
                          const std::function<Status(const Stream &)> &work,
                          const TimingOptions &options) {
  if (options.repeats == 0 || options.repeats > maxRepeats)
    return invalidArgument("the number of timed runs is " + std::to_string(options.repeats) +
                           ", expected 1 to " + std::to_string(maxRepeats));
  Result<DeviceBuffer> flush = makeFlushBuffer(context, options);
  if (!flush.ok())
    return flush.status();

  std::vector<std::pair<Event, Event>> events;
  for (unsigned i = 0; i < std::min(options.repeats, batchSize); ++i) {
    Result<Event> start = Event::create(context);
    if (!start.ok())
      return start.status();
    Result<Event> stop = Event::create(context);
    if (!stop.ok())
      return stop.status();
    events.emplace_back(std::move(*start), std::move(*stop));
  }

  for (unsigned i = 0; i < options.warmup; ++i)
    TILECRT_RETURN_IF_ERROR(work(stream));

  std::vector<double> samples;
  while (samples.size() < options.repeats) {
    size_t batch = std::min<size_t>(events.size(), options.repeats - samples.size());
    for (size_t i = 0; i < batch; ++i) {
      TILECRT_RETURN_IF_ERROR(flush->fillAsync(uint8_t(i), stream));
      TILECRT_RETURN_IF_ERROR(events[i].first.record(stream));
      TILECRT_RETURN_IF_ERROR(work(stream));
      TILECRT_RETURN_IF_ERROR(events[i].second.record(stream));
    }
    TILECRT_RETURN_IF_ERROR(stream.synchronize());
    for (size_t i = 0; i < batch; ++i) {
      Result<float> milliseconds = events[i].first.elapsedMsTo(events[i].second);
      if (!milliseconds.ok())
        return milliseconds.status();
      samples.push_back(double(*milliseconds) * 1e3);
    }
  }
  return summarise(std::move(samples));
}

Result<Timing> measureKernel(const Context &context, const Stream &stream,
                             const std::function<Status(const Stream &)> &work,
                             const MeasureOptions &options) {
  TimingOptions timing;
  timing.flushL2 = options.flushL2;
  timing.warmup = 1;
  timing.repeats = 3;
  Result<Timing> first = timeKernel(context, stream, work, timing);
  if (!first.ok())
    return first;
  double fitting = options.milliseconds * 1e3 / std::max(first->median, 1.0);
  timing.warmup = 2;
  timing.repeats =
      unsigned(std::min(std::max(fitting, 5.0), double(std::max(5u, options.mostRepeats))));
  return timeKernel(context, stream, work, timing);
}

} // namespace tilecrt::cuda
