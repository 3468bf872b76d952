// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device's primary context. Everything made in it (modules, streams, buffers, ...) shares its
// state, so the context is released after the last of them, in whatever order they are destroyed.

#ifndef TILECRT_CUDA_CONTEXT_H
#define TILECRT_CUDA_CONTEXT_H

#include "tilecrt/Result.h"
#include "tilecrt/cuda/Device.h"
#include "tilecrt/cuda/ProgramCounters.h"

#include <memory>
#include <utility>

namespace tilecrt::cuda {

/// The retained primary context; released by its destructor. Made by Context only.
class ContextState {
public:
  ContextState(Device owner, CUcontext context) : dev(std::move(owner)), ctx(context) {}
  ~ContextState();
  ContextState(const ContextState &) = delete;
  ContextState &operator=(const ContextState &) = delete;

  const Device &device() const { return dev; }
  const DriverTable &table() const { return dev.driver().table(); }
  CUcontext handle() const { return ctx; }
  ProgramCounters &programCounters() const { return counters; }

private:
  Device dev;
  CUcontext ctx;
  mutable ProgramCounters counters;
};

using SharedContext = std::shared_ptr<const ContextState>;

/// Makes a context current on this thread for the life of the scope and then restores what was
/// current before. Costs one driver query when the context is current already.
class ContextScope {
public:
  explicit ContextScope(const ContextState &context);
  ~ContextScope();
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

  /// Failure when the context could not be made current; nothing is popped then.
  const Status &status() const { return entered; }

private:
  const DriverTable &table;
  bool pushed = false;
  Status entered;
};

/// Owns one reference to the primary context of a device.
class Context {
public:
  static Result<Context> create(const Device &device);

  Context(Context &&) = default;
  Context &operator=(Context &&) = default;
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  const Device &device() const { return state->device(); }
  const SharedContext &shared() const { return state; }

  /// Waits for all work in the context; reports the failures of earlier launches.
  Status synchronize() const;
  /// Free and total bytes of device memory now.
  Result<std::pair<uint64_t, uint64_t>> memoryInfo() const;

private:
  explicit Context(SharedContext shared) : state(std::move(shared)) {}

  SharedContext state;
};

} // namespace tilecrt::cuda

#endif // TILECRT_CUDA_CONTEXT_H
