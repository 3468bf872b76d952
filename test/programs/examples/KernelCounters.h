// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel costs, in numbers that need no GPU: the simulator's counts of one run, and what the
// machine code for a GPU looks like. Each counter knows which direction is the better one and how
// far it may move before that is news.

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_KERNELCOUNTERS_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_KERNELCOUNTERS_H

#include "KernelDevice.h"

#include <array>

namespace tilec::harness {

enum class Counter : unsigned {
  /// Warp-wide loads and stores in global memory.
  GlobalRequests,
  /// 32-byte sectors that they touch.
  GlobalSectors,
  /// Sectors beyond those that each request would touch if its bytes were contiguous.
  UncoalescedSectors,
  /// Sectors of the bytes that the kernel must move; 0 where the case does not say.
  MinimumSectors,
  SharedRequests,
  SharedWavefronts,
  /// Wavefronts beyond those that each request would take without bank conflicts.
  BankConflicts,
  /// Shared memory of a program, in bytes.
  SharedBytes,
  /// Barriers of a program, per warp.
  Barriers,
  Shuffles,
  /// Atomic operations on memory, per thread.
  Atomics,
  /// Instructions of the PTX.
  Instructions,
  /// Bits of the widest and of the narrowest global load or store in the PTX; 0 without any.
  WidestAccess,
  NarrowestAccess,
  /// What ptxas says; not known without it.
  Registers,
  SpillBytes
};
constexpr size_t numCounters = size_t(Counter::SpillBytes) + 1;

struct CounterInfo {
  /// As in the golden file.
  const char *name;
  bool higherIsBetter;
  /// A change of at most this much, or of this part of the golden value, is none.
  int64_t slack;
  double relativeSlack;
  /// Depends on the version of ptxas.
  bool isFromPtxas;
};
const CounterInfo &counterInfo(Counter counter);

/// A counter that is not known has no value.
struct CounterValues {
  std::array<std::optional<int64_t>, numCounters> values;

  std::optional<int64_t> &operator[](Counter counter) { return values[size_t(counter)]; }
  const std::optional<int64_t> &operator[](Counter counter) const {
    return values[size_t(counter)];
  }
};

/// Reads the PTX counters off a module with one kernel.
void countPtx(const std::string &ptx, CounterValues &into);

/// Runs on the simulator with checking on, and compiles for one GPU target beside that.
class CounterMeter {
public:
  CounterMeter(const CompilerPlaces &places, const std::string &gpuTarget);
  ~CounterMeter();

  /// The counters of a run. A wrong result or a finding of the simulator is a failure.
  Result<CounterValues> measure(const KernelRun &run);

private:
  /// Keeps the compiler's headers out of here.
  struct Parts;
  std::unique_ptr<Parts> parts;
};

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_KERNELCOUNTERS_H
