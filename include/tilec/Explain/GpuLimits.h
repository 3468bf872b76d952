// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPUs that times are predicted for: one table of what a whole GPU has beyond what its
// Processor says of a multiprocessor.

#ifndef TILEC_EXPLAIN_GPULIMITS_H
#define TILEC_EXPLAIN_GPULIMITS_H

#include "tilec/Support/Processor.h"

namespace tilec::explain {

struct GpuLimits {
  /// As the driver calls it.
  llvm::StringLiteral name;
  /// The processor that code for it is made for.
  llvm::StringLiteral processor;
  int multiprocessors;
  /// Of the multiprocessors under load.
  double clockGHz;
  /// Of device memory, GB/s: the peak, and what a copy of large arrays reaches.
  double bandwidth, attainedBandwidth;
  /// Bytes of the second cache.
  double cacheBytes;
  /// Microseconds from the launch of an empty kernel to its end, and from a load of device memory
  /// to its value.
  double launchTime, latency;

  const Processor &facts() const;
  double cyclesPerMicrosecond() const { return clockGHz * 1000; }
  /// Bytes in a microsecond between the second cache and all multiprocessors.
  double cacheBandwidth() const {
    return facts().cacheBytesPerMicrosecond * double(multiprocessors);
  }
  /// TFLOP/s of the tensor cores for operands of so many bits, and of the other units in fp32.
  double tensorPeak(unsigned operandBits) const;
  double floatPeak() const;
};

/// The GPU of that name, else the first of the table that runs code for `processor`, else the one
/// of the default processor: never null.
const GpuLimits *findGpu(llvm::StringRef name, llvm::StringRef processor);

/// The GPU whose name contains these letters, in either case; without any, the default one. An
/// error lists the known ones.
llvm::Expected<const GpuLimits *> searchGpu(llvm::StringRef text);

/// Operations of a multiprocessor's tensor cores in a microsecond for operands of so many bits.
double tensorOpsPerMicrosecond(const Processor &processor, unsigned operandBits);

} // namespace tilec::explain

#endif // TILEC_EXPLAIN_GPULIMITS_H
