// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device that is this process: memory is host memory, every call is done when it returns, and a
// stream is a number that can be recorded. A kernel may touch what was allocated on the device, as
// on a GPU, and what a launch gives it, nothing else. What runs the kernel is the derived class'.

#ifndef TILEC_LIB_RUN_HOSTDEVICE_H
#define TILEC_LIB_RUN_HOSTDEVICE_H

#include "tilec/Run/RunDevice.h"

#include <map>
#include <optional>
#include <vector>

namespace tilec {

/// A launch with its values, each where it is aligned for its type.
class HostLaunch {
public:
  HostLaunch(const tilecrt::KernelMetadata &metadata, const LaunchRequest &request);

  /// Of the cluster, zeros: what the kernel was compiled for.
  std::array<uint32_t, 3> grid, cluster;
  std::vector<tilecrt::sim::Buffer> buffers;
  bool hasAllBuffers, counts;
  uint64_t sampledClusters;
  Simulation *simulation;

  void set(size_t index, const void *data, size_t size) {
    std::memcpy(slots[index].bytes, data, size);
  }
  void **pointers() {
    for (size_t i = 0; i < slots.size(); ++i)
      addresses[i] = slots[i].bytes;
    return addresses.data();
  }

private:
  struct alignas(16) Slot {
    unsigned char bytes[16];
  };
  std::vector<Slot> slots;
  std::vector<void *> addresses;
};

class HostDevice : public RunDevice {
public:
  /// Work that was queued, or recorded.
  using Work = std::function<LaunchOutcome()>;

  explicit HostDevice(size_t bytesBetween);
  ~HostDevice() override;

  tilecrt::Result<std::pair<uint64_t, uint64_t>> freeAndTotalMemory() const override;
  tilecrt::Status synchronize() const override { return tilecrt::Status(); }
  tilecrt::Result<void *> createStream() override;
  tilecrt::Status destroyStream(void *stream) override;
  tilecrt::Status synchronizeStream(void *stream) override;
  tilecrt::Status waitForStream(void *stream, void *awaited) override;
  bool canWait(void *stream) override;
  tilecrt::Result<void *> allocate(size_t bytes) override;
  tilecrt::Status release(void *memory) override;
  tilecrt::Result<MemoryRange> allocationOf(const void *address) const override;
  tilecrt::Status upload(void *to, const void *from, size_t bytes, void *stream) override;
  tilecrt::Status download(void *to, const void *from, size_t bytes, void *stream) override;
  tilecrt::Status copy(void *to, const void *from, size_t bytes, void *stream) override;
  tilecrt::Status fill(void *to, uint8_t value, size_t bytes, void *stream) override;
  tilecrt::Result<std::shared_ptr<RunFunction>>
  load(std::shared_ptr<const CompiledKernel> kernel) override;
  tilecrt::Status beginRecording(void *stream) override;
  tilecrt::Result<std::shared_ptr<RunGraph>> endRecording(void *stream) override;

  /// Does the work, or records it.
  LaunchOutcome submit(void *stream, Work work);

  /// Whether the device can run a kernel at all.
  virtual tilecrt::Status checkKernel(const CompiledKernel &kernel) const = 0;
  virtual LaunchOutcome run(const CompiledKernel &kernel, HostLaunch launch) const = 0;
  virtual tilecrt::Result<double> measure(const CompiledKernel &kernel,
                                          HostLaunch launch) const = 0;

  /// The allocation that an address is in, or the end of.
  std::optional<MemoryRange> findAllocation(const void *address) const;

protected:
  /// All that the kernel may touch; allocations are named as the arguments that point to them.
  std::vector<tilecrt::sim::Buffer> buffersOf(const CompiledKernel &kernel,
                                              HostLaunch &launch) const;

private:
  struct StreamState {
    /// What was recorded since beginRecording.
    std::optional<std::vector<Work>> recording;
  };

  /// Whether bytes are within one of the device's allocations.
  tilecrt::Status checkRange(const void *memory, size_t bytes) const;
  /// The stream of a number, or null. Under the lock.
  StreamState *find(void *stream);

  size_t gapBytes;
  /// Guards what follows.
  mutable std::mutex mutex;
  uint64_t usedBytes = 0;
  std::map<void *, size_t> allocations;
  std::map<void *, StreamState> streams = {{nullptr, {}}};
};

} // namespace tilec

#endif // TILEC_LIB_RUN_HOSTDEVICE_H
