// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handles of devices and of what is made on them, and launches as the caller gives them.

#ifndef TILEC_LIB_API_DEVICEOBJECTS_H
#define TILEC_LIB_API_DEVICEOBJECTS_H

#include "Objects.h"

#include "tilec/Run/RunDevice.h"

#include "llvm/ADT/SmallVector.h"

namespace tilec::api {

/// Keeps the message of a failure.
tilec_status fail(const tilecrt::Status &status) noexcept;
tilec_status fail(const LaunchOutcome &outcome) noexcept;

/// Success costs no call.
inline tilec_status done(const tilecrt::Status &status) {
  return status.ok() ? TILEC_OK : fail(status);
}
inline tilec_status done(const LaunchOutcome &outcome) {
  return outcome.ok() ? TILEC_OK : fail(outcome);
}
/// Takes the value of a result, unless it is a failure.
template <typename T> tilec_status take(tilecrt::Result<T> result, T &value) {
  if (!result)
    return fail(result.status());
  value = std::move(*result);
  return TILEC_OK;
}

/// The number behind "cuda" or "cuda:"; -1 when the name is another one.
int ordinalOf(const std::string &name);

/// TILEC_INVALID_ARGUMENT when there is nothing to run.
tilec_status checkGrid(const std::array<uint32_t, 3> &grid);

/// The bits of TILEC_LAUNCH_... that say how.
void setFlags(LaunchRequest &request, uint32_t flags);

/// A failure where the buffers of `what` ("launch") are none.
tilec_status checkBuffers(const char *what, const tilec_buffer *buffers, size_t count);

/// Memory as the simulator wants it.
std::vector<tilecrt::sim::Buffer> listBuffers(const tilec_buffer *buffers, size_t count);

/// A launch as the caller gave it, checked. The values stay the caller's.
class RequestReader {
public:
  tilec_status read(const RunFunction &function, const tilec_device_launch *given);
  tilec_status readArguments(const tilecrt::KernelMetadata &metadata, const tilec_value *values,
                             size_t given);
  LaunchRequest request;

private:
  llvm::SmallVector<const void *, 48> pointers;
};

class PreparedValues;

/// A prepared launch.
struct PreparedObject {
  std::shared_ptr<RunPrepared> launch;
  /// Of one that a jit prepared.
  std::shared_ptr<const PreparedValues> values;
};

using Devices = SlotTable<tilec_device, RunDevice, 1>;
using Functions = SlotTable<tilec_function, RunFunction, 2>;
using PreparedLaunches = SlotTable<tilec_prepared, PreparedObject, 3, /*Exclusive=*/true>;
using Graphs = SlotTable<tilec_graph, RunGraph, 4>;

} // namespace tilec::api

#endif // TILEC_LIB_API_DEVICEOBJECTS_H
