// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times queued work with events: warm-up, then repeats, each after the L2 cache was overwritten, so
// that a run does not read what the run before left in the cache.

#ifndef TILECRT_CUDA_TIMEKERNEL_H
#define TILECRT_CUDA_TIMEKERNEL_H

#include "tilecrt/Result.h"
#include "tilecrt/cuda/Context.h"
#include "tilecrt/cuda/Stream.h"

#include <functional>
#include <vector>

namespace tilecrt::cuda {

struct TimingOptions {
  unsigned warmup = 10;
  /// 1 to 100,000.
  unsigned repeats = 100;
  /// Overwrite a buffer of twice the L2 size before every run.
  bool flushL2 = true;
};

/// Microseconds.
struct Timing {
  double median = 0;
  double min = 0;
  double mean = 0;
  /// 95 of 100 runs took at most this.
  double p95 = 0;
  /// Every run, in order.
  std::vector<double> samples;
};

/// Calls `work`, which queues the work on the stream it is given, warmup + repeats times, and waits
/// once at the end. The first failure ends it.
Result<Timing> timeKernel(const Context &context, const Stream &stream,
                          const std::function<Status(const Stream &)> &work,
                          const TimingOptions &options = {});

/// How long something is measured whose time is not known.
struct MeasureOptions {
  /// What the timed runs are to take together; at least 5 are timed, at most `mostRepeats`.
  double milliseconds = 20;
  unsigned mostRepeats = 100;
  bool flushL2 = true;
};

/// Three runs to see how long one takes, then as many timed ones as fit.
Result<Timing> measureKernel(const Context &context, const Stream &stream,
                             const std::function<Status(const Stream &)> &work,
                             const MeasureOptions &options = {});

} // namespace tilecrt::cuda

#endif // TILECRT_CUDA_TIMEKERNEL_H
