// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels run on: a CUDA device, the simulator, the interpreter. Memory, streams, loaded
// kernels and recorded launches are the same to the caller. Functions may be called from several
// threads at once, but those of RunPrepared.

#ifndef TILEC_RUN_RUNDEVICE_H
#define TILEC_RUN_RUNDEVICE_H

#include "tilec/Driver/Compiler.h"
#include "tilec/Driver/LaunchSaver.h"

#include "tilecrt/Result.h"
#include "tilecrt/cuda/Context.h"
#include "tilecrt/cuda/TimeKernel.h"
#include "tilecrt/sim/Simulator.h"

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace tilec {

/// What one launch of a host device did. For the interpreter, what was printed.
struct Simulation {
  tilecrt::sim::LaunchResult result;
  /// What it was told; its `sites` belong to the kernel.
  tilecrt::sim::LaunchConfig config;
};

/// A launch whose arguments were checked: one pointer to each value.
struct LaunchRequest {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  /// Zeros: what the kernel was compiled for.
  std::array<uint32_t, 3> cluster = {0, 0, 0};
  /// May begin while the launch before it still runs; all programs run at once.
  bool isProgrammatic = false, isCooperative = false;
  const void *const *arguments = nullptr;
  void *stream = nullptr;

  /// For host devices: memory of the caller's own that the kernel may touch, besides what was
  /// allocated on the device or instead of it.
  llvm::ArrayRef<tilecrt::sim::Buffer> buffers;
  bool hasAllBuffers = false;
  bool counts = false;
  /// For the simulator: so many clusters only, spread over the grid; 0: all.
  uint64_t sampledClusters = 0;
  /// Filled in unless it is null. Not for launches that are recorded.
  Simulation *simulation = nullptr;
};

/// How a launch ended.
struct [[nodiscard]] LaunchOutcome {
  LaunchOutcome() = default;
  LaunchOutcome(tilecrt::Status ended, bool isKernelFault = false)
      : status(std::move(ended)), isFault(isKernelFault) {}

  bool ok() const { return status.ok(); }

  tilecrt::Status status;
  /// The simulator found that the kernel does what it must not.
  bool isFault = false;
  /// Of a failed launch that was to be saved: what there is to add to the message, and its folder.
  std::string note, savedFolder;
};

/// Memory of a device.
struct MemoryRange {
  char *data = nullptr;
  size_t bytes = 0;

  bool contains(const void *address) const { return address >= data && address < data + bytes; }
};

struct DeviceInfo {
  std::string name;
  /// What to compile for.
  std::string target;
  int computeMajor = 0, computeMinor = 0;
  unsigned multiprocessors = 0, sharedBytes = 0;
  /// CTAs that run at once at least; 0: any number.
  unsigned concurrentCtas = 0;
  uint64_t memoryBytes = 0, l2Bytes = 0;
  int driverVersion = 0, ordinal = 0;
  /// The library of the driver; empty: the installed one.
  std::string driver;
  /// The driver's own.
  void *context = nullptr;
};

/// What is known of a loaded kernel; -1 where there is no such thing.
struct FunctionInfo {
  int registers = -1, localBytes = -1;
  int programsPerMultiprocessor = 0;
  /// The driver's own.
  void *handle = nullptr;
};

class RunDevice;

class RunGraph {
public:
  virtual ~RunGraph() = default;
  virtual LaunchOutcome launch(void *stream) = 0;
};

class RunPrepared {
public:
  virtual ~RunPrepared() = default;
  virtual tilecrt::Status setArgument(size_t index, const void *data, size_t size) = 0;
  virtual tilecrt::Status setGrid(std::array<uint32_t, 3> grid) = 0;
  virtual LaunchOutcome launch(void *stream) = 0;
  virtual std::shared_ptr<RunDevice> device() const = 0;
};

class RunFunction {
public:
  explicit RunFunction(std::shared_ptr<const CompiledKernel> loaded)
      : compiled(std::move(loaded)) {}
  virtual ~RunFunction() = default;

  const CompiledKernel &kernel() const { return *compiled; }
  const std::shared_ptr<const CompiledKernel> &sharedKernel() const { return compiled; }
  const tilecrt::KernelMetadata &metadata() const { return compiled->metadata; }

  virtual tilecrt::Result<FunctionInfo> describe() = 0;
  virtual LaunchOutcome launch(const LaunchRequest &request) = 0;
  virtual tilecrt::Result<std::shared_ptr<RunPrepared>> prepare(const LaunchRequest &request) = 0;
  /// Queues launches one after the other and times each. `unavailable` on the host.
  virtual tilecrt::Result<tilecrt::cuda::Timing> time(const LaunchRequest &request,
                                                      const tilecrt::cuda::TimingOptions &options);
  /// As many as fit, after one whose failure is the kernel's. On the simulator the median is the
  /// cost of one launch, and there are no samples.
  virtual tilecrt::Result<tilecrt::cuda::Timing>
  measure(const LaunchRequest &request, const tilecrt::cuda::MeasureOptions &options) = 0;

private:
  std::shared_ptr<const CompiledKernel> compiled;
};

class RunDevice : public std::enable_shared_from_this<RunDevice> {
public:
  virtual ~RunDevice() = default;

  const DeviceInfo &info() const { return facts; }
  virtual tilecrt::Result<std::pair<uint64_t, uint64_t>> freeAndTotalMemory() const = 0;
  virtual tilecrt::Status synchronize() const = 0;

  virtual tilecrt::Result<void *> createStream() = 0;
  virtual tilecrt::Status destroyStream(void *stream) = 0;
  virtual tilecrt::Status synchronizeStream(void *stream) = 0;
  virtual tilecrt::Status waitForStream(void *stream, void *awaited) = 0;
  /// Whether what is queued on a stream may be waited for: not while it is recorded.
  virtual bool canWait(void *stream) = 0;

  virtual tilecrt::Result<void *> allocate(size_t bytes) = 0;
  virtual tilecrt::Status release(void *memory) = 0;
  /// The allocation that an address is in.
  virtual tilecrt::Result<MemoryRange> allocationOf(const void *address) const = 0;
  /// These are given at least one byte and no null pointer.
  virtual tilecrt::Status upload(void *to, const void *from, size_t bytes, void *stream) = 0;
  virtual tilecrt::Status download(void *to, const void *from, size_t bytes, void *stream) = 0;
  virtual tilecrt::Status copy(void *to, const void *from, size_t bytes, void *stream) = 0;
  virtual tilecrt::Status fill(void *to, uint8_t value, size_t bytes, void *stream) = 0;

  /// Whether code for a target runs here.
  virtual tilecrt::Status checkTarget(const std::string &target, bool isPtx) const = 0;
  virtual tilecrt::Result<std::shared_ptr<RunFunction>>
  load(std::shared_ptr<const CompiledKernel> kernel) = 0;
  virtual tilecrt::Status beginRecording(void *stream) = 0;
  virtual tilecrt::Result<std::shared_ptr<RunGraph>> endRecording(void *stream) = 0;

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

  DeviceInfo facts;

private:
  std::atomic<bool> isSaving{false};
  mutable std::mutex saverMutex;
  std::shared_ptr<LaunchSaver> saver;
};

//===----------------------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------------------===//

/// A device of the driver: of the installed one, or of that in `library`.
tilecrt::Result<tilecrt::cuda::Device> openGpu(int ordinal, const std::string &library = "");

/// The best target that there is for a GPU: its own with architecture-specific features from sm_90
/// on, otherwise the newest older one.
tilecrt::Result<std::string> targetOf(const tilecrt::cuda::DeviceProperties &device);

tilecrt::Result<std::shared_ptr<RunDevice>> openCudaDevice(int ordinal,
                                                           const std::string &library = "");
std::shared_ptr<RunDevice> makeCudaDevice(tilecrt::cuda::Context context,
                                          const std::string &library = "");

struct SimulatorOptions {
  bool check = false;
  /// 0: one for each core.
  unsigned hostThreads = 0;
  /// CTAs that a launch of a persistent kernel has at most; they run its programs in turns.
  uint32_t residentCtas = tilecrt::sim::LaunchConfig().residentCtas;
  uint64_t maxFindings = 100;
  /// Bytes between allocations, so that a wrong index has to be large to meet another one.
  size_t gapBytes = 0;
  /// Told of every launch that was not refused, but those that are measured.
  std::function<void(const CompiledKernel &, const tilecrt::sim::LaunchResult &)> observer;
};
std::shared_ptr<RunDevice> makeSimDevice(SimulatorOptions options);

/// What the interpreter says of a kernel goes to `diagnostics`. All three outlive the device.
std::shared_ptr<RunDevice> makeInterpreterDevice(Compiler &compiler, const SourceManager &sources,
                                                 DiagnosticEngine &diagnostics,
                                                 size_t gapBytes = 0);

} // namespace tilec

#endif // TILEC_RUN_RUNDEVICE_H
