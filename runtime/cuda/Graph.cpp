// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Capture in the relaxed mode: loading a kernel for the first time may happen meanwhile.

#include "tilecrt/cuda/Graph.h"

#include <utility>

namespace tilecrt::cuda {

Status Graph::beginCapture(const Context &context, CUstream stream) {
  const SharedContext &shared = context.shared();
  if (!stream)
    return invalidArgument("the default stream cannot be recorded: a stream of its own is needed");
  ContextScope scope(*shared);
  TILECRT_RETURN_IF_ERROR(scope.status());
  return TILECRT_CUDA_CALL(shared->table(), streamBeginCapture,
                           (stream, CU_STREAM_CAPTURE_MODE_RELAXED));
}

Result<Graph> Graph::endCapture(const Context &context, CUstream stream) {
  const SharedContext &shared = context.shared();
  const DriverTable &table = shared->table();
  ContextScope scope(*shared);
  TILECRT_RETURN_IF_ERROR(scope.status());
  CUgraph recorded = nullptr;
  TILECRT_CUDA_RETURN_IF_ERROR(table, streamEndCapture, (stream, &recorded));
  if (!recorded)
    return deviceError("the recording was broken off: something in it cannot be recorded");
  CUgraphExec instance = nullptr;
  CUresult made = table.graphInstantiate(&instance, recorded, 0);
  table.graphDestroy(recorded);
  if (made != CUDA_SUCCESS)
    return TILECRT_CUDA_FAILURE(table, made, graphInstantiate);
  return Graph(shared, instance);
}

Graph::Graph(Graph &&other) noexcept
    : owner(std::move(other.owner)), instance(std::exchange(other.instance, nullptr)) {}

Graph &Graph::operator=(Graph &&other) noexcept {
  if (this != &other) {
    release();
    owner = std::move(other.owner);
    instance = std::exchange(other.instance, nullptr);
  }
  return *this;
}

Graph::~Graph() { release(); }

void Graph::release() {
  if (!instance)
    return;
  ContextScope scope(*owner);
  if (scope.status().ok())
    owner->table().graphExecDestroy(instance);
  instance = nullptr;
}

Status Graph::launch(CUstream stream) const {
  ContextScope scope(*owner);
  TILECRT_RETURN_IF_ERROR(scope.status());
  return TILECRT_CUDA_CALL(owner->table(), graphLaunch, (instance, stream));
}

} // namespace tilecrt::cuda
