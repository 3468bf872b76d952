// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text forms: printing and parsing are inverse, malformed text is an error with a column, and the
// two views show what the layout says.

#include "tilec/Layout/LayoutPrinter.h"

#include "RandomLayouts.h"

namespace tilec {
namespace {

using LayoutTextRandom = RandomLayoutTest;

std::string parseError(llvm::StringRef text, llvm::ArrayRef<int64_t> shape) {
  llvm::Expected<LinearLayout> layout = parseLinearLayout(text, shape);
  return layout ? "ok" : llvm::toString(layout.takeError());
}

std::string namedError(llvm::StringRef text) {
  llvm::Expected<LinearLayout> layout = parseNamedLayout(text);
  return layout ? "ok" : llvm::toString(layout.takeError());
}

LinearLayout named(llvm::StringRef text) {
  llvm::Expected<LinearLayout> layout = parseNamedLayout(text);
  if (layout)
    return *layout;
  ADD_FAILURE() << llvm::toString(layout.takeError());
  return LinearLayout();
}

TEST(LayoutText, summarizes_register_layouts) {
  EXPECT_EQ(summarizeRegisterLayout(blockedLayout({64, 32}, {1, 4}, {8, 4}, {4, 1}, {1, 0})),
            "[2, 8] per thread (4 consecutive), [8, 4] lanes, [4, 1] warps");
  EXPECT_EQ(summarizeRegisterLayout(blockedLayout({32}, {1}, {32}, {4}, {0})),
            "[1] per thread, [32] lanes, [1] warps, 4 copies");
}

TEST(LayoutText, prints_basis_lists) {
  LinearLayout layout = blockedLayout({64, 32}, {1, 4}, {8, 4}, {4, 1}, {1, 0});
  EXPECT_EQ(printLinearLayout(layout),
            "{register=[[0,1],[0,2],[0,16],[32,0]], lane=[[0,4],[0,8],[1,0],[2,0],[4,0]], "
            "warp=[[8,0],[16,0]], block=[]}");
}

TEST_F(LayoutTextRandom, text_round_trip) {
  for (int trial = 0; trial < 200; ++trial) {
    auto shape = randomShape(pick(1, 4), pick(0, 14));
    LinearLayout layout = randomDistributed(shape, pick(0, 3), pick(0, 2));
    llvm::Expected<LinearLayout> back = parseLinearLayout(printLinearLayout(layout), shape);
    ASSERT_TRUE(bool(back));
    EXPECT_EQ(*back, layout);
    std::string shapeText;
    for (int64_t size : shape)
      shapeText += (shapeText.empty() ? "" : ",") + std::to_string(size);
    EXPECT_EQ(named("linear(shape=[" + shapeText + "], " + printLinearLayout(layout) + ")"),
              layout);
  }
  LinearLayout scalar = defaultBlockedLayout({}, 4);
  llvm::Expected<LinearLayout> back = parseLinearLayout(printLinearLayout(scalar), {});
  ASSERT_TRUE(bool(back));
  EXPECT_EQ(*back, scalar);
  LinearLayout shared = swizzledSharedLayout({16, 32}, 4, 1, 8, {1, 0});
  back = parseLinearLayout(printLinearLayout(shared), {16, 32});
  ASSERT_TRUE(bool(back));
  EXPECT_EQ(*back, shared);
}

TEST(LayoutText, missing_dimensions_are_filled_in) {
  llvm::Expected<LinearLayout> layout = parseLinearLayout("{ lane = [ [1], [2] ] }", {4});
  ASSERT_TRUE(bool(layout));
  EXPECT_EQ(printLinearLayout(*layout), "{register=[], lane=[[1],[2]], warp=[], block=[]}");
}

TEST(LayoutText, malformed_text_is_an_error) {
  EXPECT_EQ(parseError("", {4}), "column 1: expected '{', got the end");
  EXPECT_EQ(parseError("{lane=[[1],[2]]", {4}), "column 16: expected ',', got the end");
  EXPECT_EQ(parseError("{lane=[[1],[2]]} x", {4}),
            "column 18: expected the end of the layout, got 'x'");
  EXPECT_EQ(parseError("{lane=[[1],[3]]}", {2}),
            "column 1: basis 1 of 'lane' has coordinate 3 along 'dim0', which has size 2");
  EXPECT_EQ(parseError("{lane=[[1,1]]}", {2}),
            "column 1: expected 1 coordinates in basis 0 of 'lane', got 2");
  EXPECT_EQ(parseError("{lane=[[1]]}", {4}),
            "column 1: the layout does not reach every element: expected rank 2, got 1");
  EXPECT_EQ(parseError("{thread=[[1]]}", {2}),
            "column 2: expected 'register', 'lane', 'warp', 'block' or 'offset', got 'thread'");
  EXPECT_EQ(parseError("{lane=[[1]], lane=[]}", {2}),
            "column 1: input dimension 'lane' is given twice");
  EXPECT_EQ(parseError("{lane=[1]}", {2}), "column 8: expected '[', got '1'");
  EXPECT_EQ(parseError("{lane=[[-1]]}", {2}), "column 9: expected a non-negative integer, got '-'");
  EXPECT_EQ(parseError("{lane=[[99999999999999999999]]}", {2}),
            "column 9: expected an integer up to 1073741824");
  EXPECT_EQ(parseError("{lane=[[1]], offset=[]}", {2}),
            "column 1: expected either 'offset' or 'lane', got both");
  EXPECT_EQ(parseError("{lane=[[1]]}", {3}),
            "column 1: expected a shape of powers of two with at most 2^30 elements");
  std::string many = "{lane=[";
  for (int i = 0; i < 1000; ++i)
    many += "[0],";
  EXPECT_NE(parseError(many + "[1]]}", {2}), "ok");
}

TEST_F(LayoutTextRandom, damaged_text_never_crashes) {
  std::string text = printLinearLayout(blockedLayout({64, 32}, {1, 4}, {8, 4}, {4, 1}, {1, 0}));
  std::string constructor = "slice(blocked(shape=[64,32], sizePerThread=[1,4], "
                            "threadsPerWarp=[8,4], warpsPerCta=[4,1], order=[1,0]), axis=1)";
  const char alphabet[] = "{}[](),=0123456789abklr -\xff";
  for (int trial = 0; trial < 3000; ++trial) {
    std::string damaged = trial % 2 ? text : constructor;
    for (int edits = pick(1, 4); edits > 0; --edits) {
      size_t at = size_t(pick(0, int(damaged.size()) - 1));
      if (pick(0, 2) == 0)
        damaged.erase(at, size_t(pick(1, 5)));
      else
        damaged[at] = alphabet[pick(0, int(sizeof(alphabet)) - 2)];
      if (damaged.empty())
        damaged = "{";
    }
    if (trial % 2)
      parseError(damaged, {64, 32});
    else
      namedError(damaged);
  }
}

TEST(LayoutText, named_constructors) {
  EXPECT_EQ(named("blocked(shape=[64,32], sizePerThread=[1,4], threadsPerWarp=[8,4], "
                  "warpsPerCta=[4,1], order=[1,0])"),
            blockedLayout({64, 32}, {1, 4}, {8, 4}, {4, 1}, {1, 0}));
  EXPECT_EQ(named("default(shape=[1024], numWarps=4)"), defaultBlockedLayout({1024}, 4));
  EXPECT_EQ(named("mma(shape=[64,64], warpsPerCta=[2,2])"), mmaAccumulatorLayout({64, 64}, {2, 2}));
  EXPECT_EQ(named("wgmma(shape=[128,64], warpsPerCta=[4,1], instrN=64)"),
            wgmmaAccumulatorLayout({128, 64}, {4, 1}, 64));
  EXPECT_EQ(named("operand(shape=[64,64], operand=1, kWidth=2, warpsPerCta=[2,2])"),
            mmaOperandLayout({64, 64}, 1, 2, {2, 2}));
  EXPECT_EQ(named("shared(shape=[64,64], vec=8, perPhase=1, maxPhase=8)"),
            swizzledSharedLayout({64, 64}, 8, 1, 8, {1, 0}));
  EXPECT_EQ(named("tma(shape=[64,64], bits=16, swizzle=128, order=[1,0])"),
            tmaSharedLayout({64, 64}, 16, 128, {1, 0}));
  EXPECT_EQ(named("slice(default(shape=[64,64], numWarps=2), axis=0)"),
            sliceLayout(defaultBlockedLayout({64, 64}, 2), 0));
}

TEST(LayoutText, bad_constructors_are_errors) {
  EXPECT_EQ(namedError("block(shape=[1])"),
            "column 1: expected 'blocked', 'default', 'mma', 'wgmma', 'operand', 'shared', 'tma', "
            "'slice' or 'linear', got 'block'");
  EXPECT_EQ(namedError("default(numWarps=4)"), "column 1: argument 'shape' is missing");
  EXPECT_EQ(namedError("default(shape=[3], numWarps=4)"),
            "column 9: expected a list of powers of two with at most 2^30 elements in all for "
            "'shape'");
  EXPECT_EQ(namedError("default(shape=[4], numWarps=3)"),
            "column 19: expected a power of two from 1 to 64 for 'numWarps', got 3");
  EXPECT_EQ(namedError("default(shape=[4], numWarps=2, order=[0])"),
            "column 31: unknown argument 'order'");
  EXPECT_EQ(namedError("default(shape=[4], shape=[4])"),
            "column 19: argument 'shape' is given twice");
  EXPECT_EQ(namedError("mma(shape=[64], warpsPerCta=[1])"),
            "column 5: expected a rank from 2 to 3, got 1");
  EXPECT_EQ(namedError("mma(shape=[64,64], warpsPerCta=[1])"),
            "column 19: expected a list of 2 numbers for 'warpsPerCta'");
  EXPECT_EQ(namedError("wgmma(shape=[64,64], warpsPerCta=[2,2], instrN=64)"),
            "column 1: expected a multiple of 4 warps along dimension 0, got 2");
  EXPECT_EQ(namedError("shared(shape=[64,64], vec=8, perPhase=1, maxPhase=8, order=[0,0])"),
            "column 53: expected a permutation of the 2 dimensions for 'order'");
  EXPECT_EQ(namedError("slice(default(shape=[64], numWarps=2), axis=1)"),
            "column 1: expected an axis below the rank 1, got 1");
  EXPECT_EQ(namedError("slice(shared(shape=[4,4], vec=1, perPhase=1, maxPhase=1), axis=1)"),
            "column 1: expected a register layout to slice, got a shared-memory layout");
  std::string nested;
  for (int i = 0; i < 100000; ++i)
    nested += "slice(";
  EXPECT_EQ(namedError(nested), "column 103: expected at most 16 nested layouts");
}

TEST(LayoutText, hardware_view) {
  LinearLayout layout = blockedLayout({4, 4}, {1, 2}, {4, 2}, {1, 1}, {1, 0});
  EXPECT_EQ(printHardwareView(layout), "tensor 4x4, block 1, warp 1, lane 8, register 2\n"
                                       "w0 t0 : (0,0) (0,1)\n"
                                       "w0 t1 : (0,2) (0,3)\n"
                                       "w0 t2 : (1,0) (1,1)\n"
                                       "w0 t3 : (1,2) (1,3)\n"
                                       "w0 t4 : (2,0) (2,1)\n"
                                       "w0 t5 : (2,2) (2,3)\n"
                                       "w0 t6 : (3,0) (3,1)\n"
                                       "w0 t7 : (3,2) (3,3)\n");
  LayoutViewOptions options;
  options.maxRows = 1;
  options.maxColumns = 1;
  EXPECT_EQ(printHardwareView(layout, options), "tensor 4x4, block 1, warp 1, lane 8, register 2\n"
                                                "w0 t0 : (0,0) ...\n...\n");
  EXPECT_EQ(printHardwareView(swizzledSharedLayout({2, 2}, 1, 1, 2, {1, 0})),
            "tensor 2x2, block 1, offset 4\n"
            "offset     0: (0,0) (0,1) (1,1) (1,0)\n");
}

TEST(LayoutText, tensor_view) {
  EXPECT_EQ(printTensorView(blockedLayout({2, 4}, {1, 2}, {2, 2}, {1, 1}, {1, 0})),
            "w0:t0:r0 w0:t0:r1 w0:t1:r0 w0:t1:r1\n"
            "w0:t2:r0 w0:t2:r1 w0:t3:r0 w0:t3:r1\n");
  EXPECT_EQ(printTensorView(blockedLayout({2}, {1}, {2}, {2}, {0})),
            "w0:t0:r0|w1:t0:r0 w0:t1:r0|w1:t1:r0\n");
  EXPECT_EQ(printTensorView(swizzledSharedLayout({2, 2}, 1, 1, 2, {1, 0})), "0 1\n3 2\n");
  EXPECT_EQ(printTensorView(defaultBlockedLayout({2, 1, 2}, 1, 4)), "at (0):\n"
                                                                    "w0:t0:r0 w0:t1:r0\n"
                                                                    "at (1):\n"
                                                                    "w0:t2:r0 w0:t3:r0\n");
  LayoutViewOptions options;
  options.maxRows = 1;
  options.maxColumns = 2;
  EXPECT_EQ(printTensorView(defaultBlockedLayout({4, 4}, 1), options),
            "w0:t0:r0|w0:t16:r0 w0:t1:r0|w0:t17:r0 ...\n...\n");
  EXPECT_EQ(printTensorView(defaultBlockedLayout({}, 1, 2)), "w0:t0:r0|w0:t1:r0\n");
}

} // namespace
} // namespace tilec
