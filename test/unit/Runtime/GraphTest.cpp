// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Capturing and launching graphs over the fake driver.

#include "FakeDriver.h"

#include "tilecrt/cuda/Graph.h"

using namespace tilecrt;
using namespace tilecrt::cuda;

namespace {

using GraphTest = fake::FakeDriverTest;

const CUstream stream = reinterpret_cast<CUstream>(uintptr_t(0x77));

TEST_F(GraphTest, captureInstantiateLaunchDestroy) {
  Context owner = context();
  clearCalls();
  ASSERT_TRUE(Graph::beginCapture(owner, stream).ok());
  {
    Result<Graph> graph = Graph::endCapture(owner, stream);
    ASSERT_TRUE(graph.ok()) << graph.message();
    Graph moved = std::move(*graph);
    EXPECT_TRUE(moved.launch(nullptr).ok());
  }
  EXPECT_EQ(calls(), "cuStreamBeginCapture cuStreamEndCapture cuGraphInstantiateWithFlags "
                     "cuGraphDestroy cuGraphLaunch cuGraphExecDestroy");
}

TEST_F(GraphTest, failuresAreValues) {
  Context owner = context();
  EXPECT_EQ(Graph::beginCapture(owner, nullptr).message(),
            "the default stream cannot be recorded: a stream of its own is needed");
  EXPECT_EQ(Graph::endCapture(owner, stream).code(), StatusCode::invalidArgument);
  ASSERT_TRUE(Graph::beginCapture(owner, stream).ok());
  fake::state().failures["cuGraphInstantiateWithFlags"] = CUDA_ERROR_OUT_OF_MEMORY;
  clearCalls();
  EXPECT_EQ(Graph::endCapture(owner, stream).code(), StatusCode::outOfResources);
  EXPECT_EQ(calls(), "cuStreamEndCapture cuGraphInstantiateWithFlags cuGraphDestroy");
}

} // namespace
