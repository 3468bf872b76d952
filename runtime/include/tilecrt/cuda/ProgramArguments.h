// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch adds for a persistent kernel, behind the tensor maps: the numbers of programs, and
// the address of the counter that its CTAs take programs from.

#ifndef TILECRT_CUDA_PROGRAMARGUMENTS_H
#define TILECRT_CUDA_PROGRAMARGUMENTS_H

#include "tilecrt/KernelMetadata.h"
#include "tilecrt/cuda/Context.h"
#include "tilecrt/cuda/Module.h"

#include <array>

namespace tilecrt::cuda {

/// The values, of one launch at a time. They stay where they are while the driver has addresses.
class ProgramArguments {
public:
  explicit ProgramArguments(const Dim3 &grid) { setGrid(grid); }
  void setGrid(const Dim3 &grid) {
    programs = {uint32_t(grid.x), uint32_t(grid.y), uint32_t(grid.z)};
  }
  /// Finds the counter of a launch on `stream`, for a kernel that has one. The context is current.
  Status setStream(const KernelMetadata &metadata, const ContextState &context, CUstream stream) {
    if (!metadata.hasProgramCounter)
      return Status();
    Result<CUdeviceptr> found = context.programCounters().find(context.table(), stream);
    if (found)
      counter = *found;
    return found.status();
  }
  /// Adds one pointer for each argument that the kernel has of these to a list of them.
  template <typename Pointers> void addTo(Pointers &pointers, const KernelMetadata &metadata) {
    if (metadata.isPersistent)
      for (uint32_t &number : programs)
        pointers.push_back(&number);
    if (metadata.hasProgramCounter)
      pointers.push_back(&counter);
  }

private:
  std::array<uint32_t, 3> programs;
  CUdeviceptr counter = 0;
};

} // namespace tilecrt::cuda

#endif // TILECRT_CUDA_PROGRAMARGUMENTS_H
