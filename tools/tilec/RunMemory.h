// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory for the arrays of a run that stays in this process.

#ifndef TILEC_TOOLS_TILEC_RUNMEMORY_H
#define TILEC_TOOLS_TILEC_RUNMEMORY_H

#include "RunArguments.h"

#include <memory>

namespace tilec::tool {

/// Error when the grid has more programs than a host runs in a day. `device` is its name in the
/// message.
tilecrt::Status checkHostGrid(const std::array<uint32_t, 3> &grid, const char *device);

/// Copies of arrays that lie far apart, so that an access past the end of one does not meet the
/// next.
class RunMemory {
public:
  static tilecrt::Result<RunMemory> create(const std::vector<RunArray> &arrays);

  std::vector<uint64_t> addresses() const;
  void copyIn(const std::vector<RunArray> &arrays);
  void copyOut(std::vector<RunArray> &arrays) const;

private:
  struct Free {
    void operator()(void *pointer) const;
  };
  std::unique_ptr<void, Free> memory;
  std::vector<char *> places;
};

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_RUNMEMORY_H
