// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loaded code and the kernels in it. Launch limits are checked here, with numbers, before the
// driver sees the launch; a failed load carries the driver's own compilation log.

#ifndef TILECRT_CUDA_MODULE_H
#define TILECRT_CUDA_MODULE_H

#include "tilecrt/Result.h"
#include "tilecrt/cuda/Context.h"
#include "tilecrt/cuda/Stream.h"

#include <cstdint>
#include <memory>
#include <string>

namespace tilecrt::cuda {

/// Extent of a grid, block or cluster. 64 bits, so that a computed grid that is too large is
/// reported instead of wrapping around.
struct Dim3 {
  uint64_t x = 1;
  uint64_t y = 1;
  uint64_t z = 1;
};

/// How a kernel is launched.
struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  /// CTAs per cluster; 1,1,1 is a launch without clusters.
  Dim3 cluster;
  uint64_t dynamicSharedBytes = 0;
  /// May begin while the launch before it in its stream still runs (programmatic dependent launch).
  bool programmatic = false;
  /// All blocks run at once.
  bool cooperative = false;
  /// Not zero: the kernel is persistent, so many blocks run at once, and `grid` are the programs
  /// that they share, which need not be whole clusters. The kernel takes their numbers in x, y and
  /// z behind its other arguments.
  uint64_t residentBlocks = 0;
  /// Blocks, neighbours along x, that run one program of `grid` together: those of a cluster.
  uint32_t splitK = 1;
};

/// The grid that the driver is given for a checked shape.
Dim3 launchedGrid(const LaunchShape &shape);

/// The driver's description of a launch. `attributes` backs `config.attrs`, which `point` sets:
/// once the object is where it stays.
struct LaunchSetup {
  CUlaunchConfig config = {};
  CUlaunchAttribute attributes[3] = {};

  void point() { config.attrs = attributes; }
};
/// For a checked shape; the stream is left null.
LaunchSetup makeLaunchSetup(const LaunchShape &shape);

/// The loaded code; unloaded by its destructor. Made by Module only.
class ModuleState {
public:
  ModuleState(SharedContext context, CUmodule handle) : owner(std::move(context)), mod(handle) {}
  ~ModuleState();
  ModuleState(const ModuleState &) = delete;
  ModuleState &operator=(const ModuleState &) = delete;

  const SharedContext &context() const { return owner; }
  CUmodule handle() const { return mod; }

private:
  SharedContext owner;
  CUmodule mod;
};

/// What the driver reports about a kernel.
struct KernelAttributes {
  int registers = 0;
  /// Local memory (stack and spills) per thread, in bytes.
  int localBytes = 0;
  int staticSharedBytes = 0;
  int constantBytes = 0;
  int maxThreadsPerBlock = 0;
};

/// One entry of a module; keeps the module loaded. Move-only. Launching from several threads at
/// once is safe as long as no launch needs more dynamic shared memory than `prepare` was told.
class Kernel {
public:
  Kernel(Kernel &&) = default;
  Kernel &operator=(Kernel &&) = default;

  const std::string &name() const { return entry; }
  const KernelAttributes &attributes() const { return facts; }
  CUfunction handle() const { return function; }
  const SharedContext &context() const { return owner->context(); }

  /// invalidArgument, with the limit and the given number, when the device cannot launch this.
  Status checkLaunch(const LaunchShape &shape) const;
  /// Raises the kernel's dynamic shared memory limit if `dynamicSharedBytes` needs it.
  Status prepare(uint64_t dynamicSharedBytes);
  /// The same for a checked shape, and its cluster size.
  Status prepare(const LaunchShape &shape);
  /// Checks, prepares and queues a launch. `arguments` points to one pointer per kernel argument;
  /// the values are copied before this returns.
  Status launch(const LaunchShape &shape, const Stream &stream, void **arguments);
  /// Blocks of this shape that one multiprocessor holds at once.
  Result<int> maxActiveBlocksPerSm(uint64_t blockThreads, uint64_t dynamicSharedBytes);
  /// Blocks that the device holds at once when it is launched with the block, the cluster and the
  /// shared memory of `shape`: whole clusters, at least one.
  Result<uint64_t> residentBlocks(LaunchShape shape);

private:
  friend class Module;
  Kernel(std::shared_ptr<const ModuleState> module, CUfunction handle, std::string name,
         KernelAttributes attributes)
      : owner(std::move(module)), function(handle), entry(std::move(name)), facts(attributes) {}

  std::shared_ptr<const ModuleState> owner;
  CUfunction function = nullptr;
  std::string entry;
  KernelAttributes facts;
  uint64_t allowedDynamicShared = 0;
  bool clusterSizeRaised = false;
};

/// How the driver's own compiler treats PTX; a cubin ignores it.
struct ModuleOptions {
  /// 0 leaves the choice to the driver.
  unsigned maxRegisters = 0;
};

/// Code loaded into a context: a cubin, a fatbin or PTX text. Move-only.
class Module {
public:
  /// `image` is a cubin or fatbin (as bytes) or PTX text. A failure carries the driver's log.
  static Result<Module> load(const Context &context, const std::string &image,
                             const ModuleOptions &options = {});

  Module(Module &&) = default;
  Module &operator=(Module &&) = default;
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  /// invalidArgument when the module has no entry of that name.
  Result<Kernel> kernel(const std::string &name) const;
  /// What the driver's compiler said while loading; empty for a cubin.
  const std::string &log() const { return buildLog; }

private:
  Module(std::shared_ptr<const ModuleState> shared, std::string log)
      : state(std::move(shared)), buildLog(std::move(log)) {}

  std::shared_ptr<const ModuleState> state;
  std::string buildLog;
};

} // namespace tilecrt::cuda

#endif // TILECRT_CUDA_MODULE_H
