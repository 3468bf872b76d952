// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runtime branches and loops: what they carry, early returns, break and continue, and errors.

#include "IRGenFixture.h"

namespace tilec::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(ControlFlowTest, ifYieldsChangedVariables) {
  Compiled result = compileBody("    x = f\n    y = 1\n    if n > 0:\n        x = f * 2\n"
                                "        t = 1\n    else:\n        t = 2\n"
                                "    tl.store(p, x + t + y)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("scf.if %0 -> (f32, i32)"));
}

TEST(ControlFlowTest, negative_branchTypesDiffer) {
  EXPECT_THAT(compileBody("    x = f\n    if n > 0:\n        x = n\n").diagnostics,
              ElementsAre("error 4:5: variable 'x' must have one type in both branches, got int32 "
                          "and fp32; cast the first with .to(tl.float32)"));
  EXPECT_THAT(
      compileBody("    x = None\n    if n > 0:\n        x = n\n    tl.store(p, f)\n").diagnostics,
      ElementsAre("error 4:5: variable 'x' must have one type in both branches, got int32 "
                  "and None"));
}

TEST(ControlFlowTest, temporariesOfBranchesMayDiffer) {
  EXPECT_THAT(compileBody("    if n > 0:\n        t = f\n    else:\n        t = n\n").diagnostics,
              IsEmpty());
  EXPECT_THAT(
      compileBody("    if n > 0:\n        t = f\n    else:\n        t = n\n    x = t\n")
          .diagnostics,
      ElementsAre("error 7:9: variable 't' has type fp32 or int32, depending on the 'if' at line "
                  "3; cast the second with .to(tl.float32)"));
}

TEST(ControlFlowTest, unrolledTargetsAreOfBothKinds) {
  EXPECT_THAT(compileBody("    for a, b in ((n, 1), (2, 3)):\n"
                          "        tl.static_assert(b % 2 == 1)\n"
                          "        tl.store(p + b, a)\n"
                          "    tl.store(p, sum([v * 2 for v in (n, 1)]))\n"
                          "    tl.store(p, sum([v * w for v, w in ((n, 1), (2, n))]))\n")
                  .diagnostics,
              IsEmpty());
}

TEST(ControlFlowTest, negative_assignedInOneBranchOnly) {
  EXPECT_THAT(compileBody("    if n > 0:\n        t = f\n    x = t\n").diagnostics,
              ElementsAre("error 5:9: variable 't' is assigned in only one branch of the 'if' at "
                          "line 3"));
}

TEST(ControlFlowTest, negative_conditionMustBeScalar) {
  EXPECT_THAT(compileBody("    if tl.arange(0, 4) < n:\n        pass\n"
                          "    while tl.arange(0, 4) < n:\n        pass\n")
                  .diagnostics,
              ElementsAre("error 3:8: the condition of 'if' must be a scalar, got int1[4]; use "
                          "tl.where for elementwise choice",
                          "error 5:11: the condition of 'while' must be a scalar, got int1[4]; "
                          "use tl.where for elementwise choice"));
}

TEST(ControlFlowTest, earlyReturnOfTheKernel) {
  Compiled result = compileBody("    if n > 3:\n        return\n    if f > 1:\n"
                                "        tl.store(p, 1.0)\n        return\n    tl.store(q, f)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("tile.store %arg0, %cst_0"));
  EXPECT_THAT(result.ir, HasSubstr("tile.store %arg1, %arg3"));
}

TEST(ControlFlowTest, earlyReturnOfValues) {
  Compiled result = compile(R"(
@triton.jit
def clip(x, n):
    if n > 3:
        return x, 1
    elif n < 0:
        x += 1
    else:
        if x > 2:
            return 0.0, n
    return x * 2, n

@triton.jit
def k(p, n):
    a, b = clip(tl.load(p), n)
    tl.store(p, a + b)
)",
                            {{"p=*fp32", "n=i32"}, {}, "k"});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("-> (f32, i32)"));
}

TEST(ControlFlowTest, negative_returns) {
  EXPECT_THAT(compileBody("    return n\n").diagnostics,
              ElementsAre("error 3:12: a kernel cannot return a value"));
  EXPECT_THAT(compile("@triton.jit\ndef g(n):\n    if n > 1:\n        return n\n"
                      "    return 1.5\n@triton.jit\ndef k(n):\n    g(n)\n",
                      {{"n=i32"}, {}, "k"})
                  .diagnostics,
              ElementsAre("error 3:5: the returned value must have one type in both branches, got "
                          "int32 and fp32; cast the first with .to(tl.float32)",
                          "note 8:5: in the call of 'g' here"));
}

TEST(ControlFlowTest, forCarriesAssignedVariables) {
  Compiled result =
      compileBody("    acc = 0.0\n    other = f\n    for i in range(0, n, 2):\n"
                  "        acc += i\n        tmp = i\n    tl.store(p, acc + other)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("iter_args(%arg6 = %cst) -> (f32)  : i32"));
}

TEST(ControlFlowTest, forWithNegativeStep) {
  Compiled result = compileBody("    for i in range(n, 0, -3):\n        tl.store(p + i, f)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("scf.for %arg5 = %c0_i32 to %arg2 step %c3_i32"));
  EXPECT_THAT(result.ir, HasSubstr("arith.subi %arg2, %arg5"));
}

TEST(ControlFlowTest, forOverInt64AndUnsigned) {
  EXPECT_THAT(compileBody("    for i in range(n.to(tl.int64)):\n        tl.store(p + i, f)\n").ir,
              HasSubstr(" : i64 {"));
  EXPECT_THAT(compileBody("    for i in range(n.to(tl.uint32)):\n        tl.store(p + i, f)\n").ir,
              HasSubstr("scf.for unsigned"));
}

TEST(ControlFlowTest, loopOptionsBecomeAttributes) {
  Compiled result = compileBody("    for i in tl.range(0, n, num_stages=4, loop_unroll_factor=2,\n"
                                "                      flatten=True, warp_specialize=False):\n"
                                "        tl.store(p + i, f)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("tile.flatten, tile.loop_unroll_factor = 2 : i32, "
                                   "tile.num_stages = 4 : i32"));
}

TEST(ControlFlowTest, staticRangeIsUnrolled) {
  Compiled result = compileBody("    for i in tl.static_range(3):\n"
                                "        tl.store(p + tl.arange(0, 2 ** i), f)\n"
                                "    for name, width in (('a', 1), ('b', 2)):\n"
                                "        tl.static_assert(width < 3)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, Not(HasSubstr("scf.for")));
  EXPECT_THAT(result.ir, HasSubstr("tensor<4x!tile.ptr<f32>>"));
}

TEST(ControlFlowTest, tuplesAreCarried) {
  Compiled result = compileBody("    state = (0, f, None)\n    for i in range(n):\n"
                                "        state = (state[0] + i, state[1] * 2, None)\n"
                                "    tl.store(p, state[0] + state[1])\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("-> (i32, f32)"));
}

TEST(ControlFlowTest, negative_loops) {
  EXPECT_THAT(
      compileBody("    x = 0\n    for i in range(n):\n        y = x\n        x = f\n").diagnostics,
      ElementsAre("error 4:5: variable 'x' changes its type in the loop from int32 to "
                  "fp32; cast it before the loop with .to(tl.float32)"));
  EXPECT_THAT(
      compileBody("    x = 0\n    for i in range(n):\n        x = f\n    y = x\n").diagnostics,
      ElementsAre("error 6:9: variable 'x' has type int32 before the loop at line 4 and fp32 "
                  "in it; cast it before the loop with .to(tl.float32)"));
  EXPECT_THAT(compileBody("    for i in range(n):\n        t = i\n    x = t\n").diagnostics,
              ElementsAre("error 5:9: variable 't' is assigned only inside the loop at line 3 and "
                          "has no value after it"));
  EXPECT_THAT(compileBody("    for i in range(f):\n        pass\n    for i in range(0, n, 0):\n"
                          "        pass\n    for i in n:\n        pass\n    while True:\n"
                          "        pass\n")
                  .diagnostics,
              ElementsAre("error 3:14: the bounds of a range must be integer scalars, got fp32",
                          "error 5:14: the step of a range must not be zero",
                          "error 7:14: a loop needs range, tl.range, tl.static_range or a tuple, "
                          "got int32",
                          "error 9:11: the condition of 'while' is always true and nothing leaves "
                          "the loop"));
  EXPECT_THAT(compileBody("    for i in range(n):\n        B = i\n", {"B=64"}).diagnostics,
              ElementsAre("error 4:13: 'B' is a constexpr and cannot be given a runtime value of "
                          "type int32 in a loop"));
}

TEST(ControlFlowTest, whileWithWalrus) {
  Compiled result = compileBody("    i = 0\n    while (left := n - i) > 0:\n        i += left\n"
                                "    tl.store(p, i + left)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("scf.while (%arg5 = %c0_i32) : (i32) -> (i32, i32)"));
}

TEST(ControlFlowTest, continueSkipsTheRest) {
  Compiled result = compileBody("    acc = 0.0\n    for i in range(n):\n        if i == 3:\n"
                                "            continue\n        acc += i\n    tl.store(p, acc)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("scf.for"));
  EXPECT_THAT(result.ir, HasSubstr("scf.yield %arg6 : f32"));
}

TEST(ControlFlowTest, breakLeavesTheLoop) {
  Compiled result = compileBody("    acc = 0.0\n    for i in range(n):\n        if acc > f:\n"
                                "            acc = 0.0\n            break\n        acc += i\n"
                                "    while True:\n        acc *= 2\n        if acc > 9:\n"
                                "            break\n    tl.store(p, acc)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, Not(HasSubstr("scf.for")));
  EXPECT_THAT(result.ir, HasSubstr("scf.while"));
}

TEST(ControlFlowTest, breakAtCompileTime) {
  Compiled result = compileBody("    for i in tl.static_range(8):\n        if i == 1:\n"
                                "            continue\n        if i == 3:\n            break\n"
                                "        tl.store(p + i, f)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("%c2_i32"));
  EXPECT_THAT(result.ir, Not(HasSubstr("%c3_i32")));
}

TEST(ControlFlowTest, runtimeBreakOfUnrolledLoop) {
  Compiled result = compileBody("    acc = 0.0\n    for i in tl.static_range(3):\n"
                                "        if n > i:\n            break\n        acc += f\n"
                                "    tl.store(p, acc)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  // The iterations after the first one are under the flag.
  EXPECT_THAT(result.ir, HasSubstr("scf.if"));
  EXPECT_THAT(result.ir, Not(HasSubstr("scf.while")));
}

TEST(ControlFlowTest, returnInLoops) {
  Compiled result = compile(R"(
@triton.jit
def find(p, n, x):
    for i in range(n):
        for j in tl.static_range(2):
            if tl.load(p + 2 * i + j) == x:
                return i, j
    return -1, -1

@triton.jit
def k(p, n, x):
    while True:
        i, j = find(p, n, x)
        if i < 0:
            return
        tl.store(p + i, j)
)",
                            {{"p=*fp32", "n=i32", "x=fp32"}, {}, "k"});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("scf.while"));
  EXPECT_THAT(result.ir, Not(HasSubstr("scf.for")));
}

TEST(ControlFlowTest, negative_returnInLoops) {
  EXPECT_THAT(compile("@triton.jit\ndef g(n):\n    for i in range(n):\n        if i > 3:\n"
                      "            return i\n    return 1.5\n@triton.jit\ndef k(n):\n    g(n)\n",
                      {{"n=i32"}, {}, "k"})
                  .diagnostics,
              ElementsAre("error 3:5: the returned value must have one type in both branches, got "
                          "int32 and fp32; cast the first with .to(tl.float32)",
                          "note 9:5: in the call of 'g' here"));
  EXPECT_THAT(compile("@triton.jit\ndef g(n):\n    for i in range(n):\n        if i > 3:\n"
                      "            return i\n        elif i > 1:\n            return 0.5\n"
                      "    return 1\n@triton.jit\ndef k(n):\n    g(n)\n",
                      {{"n=i32"}, {}, "k"})
                  .diagnostics,
              ElementsAre("error 4:9: the returned value must have one type in both branches, got "
                          "int32 and fp32; cast the first with .to(tl.float32)",
                          "note 11:5: in the call of 'g' here"));
  EXPECT_THAT(compileBody("    for i in tl.static_range(3):\n        if n > i:\n"
                          "            break\n        x = i\n    y = x\n")
                  .diagnostics,
              ElementsAre("error 7:9: variable 'x' is assigned in only one branch of the 'if' at "
                          "line 4"));
}

TEST(ControlFlowTest, logicalOperators) {
  Compiled result = compileBody("    x = n > 1 and True and f < 2.0 or b\n"
                                "    y = False and nothing\n    z = 1 < n < 5\n"
                                "    w = not b\n    tl.store(p, x + y + z + w)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("arith.andi"));
  EXPECT_THAT(result.ir, HasSubstr("arith.ori"));
}

TEST(ControlFlowTest, independentErrorsAreAllFound) {
  EXPECT_THAT(compileBody("    a = tl.arange(9, 0)\n    b2 = a + 1\n    if n > 0:\n"
                          "        c = nothing1\n    else:\n        c = nothing2\n"
                          "    for i in range(n):\n        d = nothing3\n")
                  .diagnostics,
              ElementsAre("error 3:9: tl.arange needs start < end, got 9 and 0",
                          "error 6:13: unknown name 'nothing1'",
                          "error 8:13: unknown name 'nothing2'",
                          "error 10:13: unknown name 'nothing3'"));
}

} // namespace
} // namespace tilec::test
