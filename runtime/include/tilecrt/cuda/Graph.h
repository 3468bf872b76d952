// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA graph: what was queued on a stream while it was captured, to be queued again as one.

#ifndef TILECRT_CUDA_GRAPH_H
#define TILECRT_CUDA_GRAPH_H

#include "tilecrt/Result.h"
#include "tilecrt/cuda/Context.h"

namespace tilecrt::cuda {

/// An instantiated graph. Move-only. What its launches use (modules, memory) has to outlive it.
class Graph {
public:
  /// From now on work of any thread on `stream` is recorded instead of run. `stream` is not null.
  static Status beginCapture(const Context &context, CUstream stream);
  /// Ends the capture, whether or not there is a graph then.
  static Result<Graph> endCapture(const Context &context, CUstream stream);

  Graph(Graph &&other) noexcept;
  Graph &operator=(Graph &&other) noexcept;
  ~Graph();

  Status launch(CUstream stream) const;

private:
  Graph(SharedContext context, CUgraphExec made) : owner(std::move(context)), instance(made) {}
  void release();

  SharedContext owner;
  CUgraphExec instance = nullptr;
};

} // namespace tilecrt::cuda

#endif // TILECRT_CUDA_GRAPH_H
