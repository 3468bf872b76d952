// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Retains and releases a primary context, and makes it current for a scope.

#include "tilecrt/cuda/Context.h"

namespace tilecrt::cuda {

ContextState::~ContextState() {
  // At process exit the driver may be gone already; there is nobody left to tell.
  if (ContextScope scope(*this); scope.status().ok())
    counters.release(table());
  table().primaryCtxRelease(dev.handle());
}

ContextScope::ContextScope(const ContextState &context) : table(context.table()) {
  CUcontext current = nullptr;
  if (table.ctxGetCurrent(&current) == CUDA_SUCCESS && current == context.handle())
    return;
  entered = TILECRT_CUDA_CALL(table, ctxPushCurrent, (context.handle()));
  pushed = entered.ok();
}

ContextScope::~ContextScope() {
  CUcontext popped = nullptr;
  if (pushed)
    table.ctxPopCurrent(&popped);
}

Result<Context> Context::create(const Device &device) {
  CUcontext handle = nullptr;
  TILECRT_CUDA_RETURN_IF_ERROR(device.driver().table(), primaryCtxRetain,
                               (&handle, device.handle()));
  return Context(std::make_shared<const ContextState>(device, handle));
}

Status Context::synchronize() const {
  ContextScope scope(*state);
  TILECRT_RETURN_IF_ERROR(scope.status());
  return TILECRT_CUDA_CALL(state->table(), ctxSynchronize, ());
}

Result<std::pair<uint64_t, uint64_t>> Context::memoryInfo() const {
  ContextScope scope(*state);
  TILECRT_RETURN_IF_ERROR(scope.status());
  size_t freeBytes = 0;
  size_t totalBytes = 0;
  TILECRT_CUDA_RETURN_IF_ERROR(state->table(), memGetInfo, (&freeBytes, &totalBytes));
  return std::pair<uint64_t, uint64_t>(freeBytes, totalBytes);
}

} // namespace tilecrt::cuda
