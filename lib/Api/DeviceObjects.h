// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The objects behind the handles of devices and of what is made on them. A device is a CUDA device
// or the simulator; calls go through the virtual functions here. They return a status after its
// message was kept, and may be called from several threads at once, but those of PreparedObject.

#ifndef TILEC_LIB_API_DEVICEOBJECTS_H
#define TILEC_LIB_API_DEVICEOBJECTS_H

#include "Objects.h"
#include "SlotTable.h"

#include "tilec/Driver/LaunchSaver.h"
#include "tilecrt/Result.h"
#include "tilecrt/cuda/TimeKernel.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <memory>
#include <string>

namespace tilec::api {

/// Keeps the message of a failure of the runtime.
tilec_status fail(const tilecrt::Status &status) noexcept;

/// TILEC_INVALID_ARGUMENT when there is nothing to run.
tilec_status checkGrid(const std::array<uint32_t, 3> &grid);

/// A launch whose arguments were checked: one pointer to each value.
struct LaunchRequest {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  /// Zeros: what the kernel was compiled for.
  std::array<uint32_t, 3> cluster = {0, 0, 0};
  /// TILEC_LAUNCH_... flags.
  uint32_t flags = 0;
  const void *const *arguments = nullptr;
  void *stream = nullptr;
  /// Memory of the program's own that a simulated kernel may touch.
  llvm::ArrayRef<tilec_buffer> buffers;
};

using tilecrt::cuda::MeasureOptions;

/// Memory of a device.
struct MemoryRange {
  char *data = nullptr;
  size_t bytes = 0;

  bool contains(const void *address) const { return address >= data && address < data + bytes; }
};

class DeviceObject;
class FunctionObject;

/// A launch as the caller gave it, checked. The values stay the caller's.
class RequestReader {
public:
  tilec_status read(const FunctionObject &function, const tilec_device_launch *given);
  LaunchRequest request;

private:
  tilec_status readArguments(const tilecrt::KernelMetadata &metadata,
                             const tilec_device_launch &launch);
  llvm::SmallVector<const void *, 48> pointers;
};

class GraphObject {
public:
  virtual ~GraphObject() = default;
  virtual tilec_status launch(void *stream) = 0;
};

class PreparedObject {
public:
  virtual ~PreparedObject() = default;
  virtual tilec_status setArgument(size_t index, const void *data, size_t size) = 0;
  virtual tilec_status setGrid(std::array<uint32_t, 3> grid) = 0;
  virtual tilec_status launch(void *stream) = 0;
  virtual std::shared_ptr<DeviceObject> device() const = 0;
};

class FunctionObject {
public:
  explicit FunctionObject(std::shared_ptr<KernelObject> compiled) : object(std::move(compiled)) {}
  virtual ~FunctionObject() = default;

  const CompiledKernel &kernel() const { return object->kernel; }
  const tilecrt::KernelMetadata &metadata() const { return object->kernel.metadata; }
  std::shared_ptr<const CompiledKernel> sharedKernel() const { return {object, &object->kernel}; }
  /// The metadata, which keeps the kernel.
  std::shared_ptr<const tilecrt::KernelMetadata> sharedMetadata() const {
    return {object, &object->kernel.metadata};
  }

  virtual tilec_status describe(tilec_function_info &info) = 0;
  virtual tilec_status launch(const LaunchRequest &request) = 0;
  virtual tilec_status prepare(const LaunchRequest &request,
                               std::shared_ptr<PreparedObject> &prepared) = 0;
  /// Launches it once and then, on a GPU, as often as fits; waits until all is done. The cost is
  /// the median in microseconds, or the simulator's.
  virtual tilec_status measure(const LaunchRequest &request, const MeasureOptions &options,
                               double &cost) = 0;

private:
  std::shared_ptr<KernelObject> object;
};

class DeviceObject : public std::enable_shared_from_this<DeviceObject> {
public:
  virtual ~DeviceObject() = default;

  /// The texts belong to the device.
  virtual void describe(tilec_device_info &info) const = 0;
  /// tilec_device_options.driver, or empty.
  virtual std::string driverPath() const { return ""; }
  virtual tilec_status memory(uint64_t &freeBytes, uint64_t &totalBytes) const = 0;
  virtual tilec_status synchronize() const = 0;

  virtual tilec_status createStream(void *&stream) = 0;
  virtual tilec_status destroyStream(void *stream) = 0;
  virtual tilec_status synchronizeStream(void *stream) = 0;
  virtual tilec_status waitForStream(void *stream, void *awaited) = 0;

  virtual tilec_status allocate(size_t bytes, void *&memory) = 0;
  virtual tilec_status release(void *memory) = 0;
  /// The allocation that an address is in.
  virtual tilec_status allocationOf(const void *address, MemoryRange &range) const = 0;
  /// These are given at least one byte and no null pointer.
  virtual tilec_status upload(void *to, const void *from, size_t bytes, void *stream) = 0;
  virtual tilec_status download(void *to, const void *from, size_t bytes, void *stream) = 0;
  virtual tilec_status copy(void *to, const void *from, size_t bytes, void *stream) = 0;
  virtual tilec_status fill(void *to, uint8_t value, size_t bytes, void *stream) = 0;

  /// Whether code for a target runs here.
  virtual tilec_status checkTarget(const std::string &target, bool isPtx) const = 0;
  virtual tilec_status load(std::shared_ptr<KernelObject> kernel,
                            std::shared_ptr<FunctionObject> &function) = 0;
  virtual tilec_status beginRecording(void *stream) = 0;
  virtual tilec_status endRecording(void *stream, std::shared_ptr<GraphObject> &graph) = 0;

  /// Null: launches are not saved.
  void setSaver(std::shared_ptr<LaunchSaver> changed) {
    std::lock_guard<std::mutex> lock(saverMutex);
    isSaving.store(changed != nullptr, std::memory_order_relaxed);
    saver = std::move(changed);
  }

protected:
  /// One relaxed load when launches are not saved.
  std::shared_ptr<LaunchSaver> getSaver() const {
    if (!isSaving.load(std::memory_order_relaxed))
      return nullptr;
    std::lock_guard<std::mutex> lock(saverMutex);
    return saver;
  }

private:
  std::atomic<bool> isSaving{false};
  mutable std::mutex saverMutex;
  std::shared_ptr<LaunchSaver> saver;
};

tilec_status openSimDevice(const tilec_device_options &options,
                           std::shared_ptr<DeviceObject> &device);
tilec_status openCudaDevice(const tilec_device_options &options, int ordinal,
                            std::shared_ptr<DeviceObject> &device);

using Devices = SlotTable<tilec_device, DeviceObject, 1>;
using Functions = SlotTable<tilec_function, FunctionObject, 2>;
using PreparedLaunches = SlotTable<tilec_prepared, PreparedObject, 3, /*Exclusive=*/true>;
using Graphs = SlotTable<tilec_graph, GraphObject, 4>;

} // namespace tilec::api

#endif // TILEC_LIB_API_DEVICEOBJECTS_H
