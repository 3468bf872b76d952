// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch before its kernel is compiled: which parameter each value belongs to, what the integers
// are, and what memory the pointers lead to.

#ifndef TILEC_LIB_API_TUNINGLAUNCH_H
#define TILEC_LIB_API_TUNINGLAUNCH_H

#include "DeviceObjects.h"
#include "OptionsReader.h"

#include "tilec/Run/IsolatedTuning.h"
#include "tilec/Run/LaunchBench.h"
#include "tilec/Tuning/SearchSpace.h"

namespace tilec::api {

/// A run-time argument; a tensor descriptor has one for its address, and for each size and stride
/// ("x", "x.shape0", ..., "x.stride0", ...).
struct TuningArgument {
  std::string name;
  tilec_value value = {};
  bool isPointer = false;
  bool isReadOnly = false;
  /// Set for integers.
  std::optional<int64_t> integer;
  /// Of pointers: the address, and the memory from it on that is the argument's.
  char *address = nullptr;
  uint32_t elementBytes = 1;
  MemoryRange memory;
};

class TuningLaunch {
public:
  /// Matches the values with the parameters that have types.
  tilec_status bind(const KernelInfo &kernel, const std::vector<ArgumentSpec> &types,
                    const tilec_device_launch &launch);
  /// Finds the memory behind pointers: in what the caller gave, else the device's allocations.
  tilec_status findMemory(const RunDevice &device, const tilec_buffer *buffers, size_t count);

  const TuningArgument *find(llvm::StringRef name) const;
  const std::vector<TuningArgument> &getArguments() const { return arguments; }
  /// Memory that the kernel may change, without overlaps; and all memory that it may read.
  std::vector<MemoryRange> changedMemory() const;
  std::vector<MemoryRange> allMemory() const;
  /// What `reset_to_zero` names.
  std::vector<MemoryRange> clearedMemory(const KernelInfo &kernel) const;
  LaunchFacts facts(const std::vector<ArgumentSpec> &types) const;
  /// The launch on the caller's memory, and on copies of it; `device` and what the values point to
  /// have to stay.
  BenchLaunch here(const tilec_device_launch &launch) const;
  IsolatedLaunch isolated(RunDevice &device, const tilec_device_launch &launch,
                          const KernelInfo &kernel) const;

private:
  std::vector<MemoryRange> memory(bool readOnlyToo) const;

  std::vector<TuningArgument> arguments;
  struct Region {
    MemoryRange range;
    bool isReadOnly = false;
  };
  std::vector<Region> regions;
};

} // namespace tilec::api

#endif // TILEC_LIB_API_TUNINGLAUNCH_H
