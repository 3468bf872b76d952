// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compile-time values: folding, pruning, globals, calls with constants, messages.

#include "IRGenFixture.h"

namespace tilec::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Asserts a compile-time condition inside a kernel.
std::vector<std::string> check(const std::string &condition) {
  return compileBody("    tl.static_assert(" + condition + ")\n", {"B=64"}).diagnostics;
}

TEST(ConstexprTest, pythonArithmetic) {
  EXPECT_THAT(check("-7 // 2 == -4 and -7 % 3 == 2 and 7 / 2 == 3.5"), IsEmpty());
  EXPECT_THAT(check("2 ** 100 // 2 ** 98 == 4 and 2 ** -1 == 0.5"), IsEmpty());
  EXPECT_THAT(check("(B << 3) | 1 == 513 and ~B == -65 and not B == 65"), IsEmpty());
  EXPECT_THAT(check("1 < B <= 64 < 100"), IsEmpty());
  EXPECT_THAT(check("'a' + 'b' == 'ab' and 'x' in 'xyz' and 3 in (1, 2, 3)"), IsEmpty());
  EXPECT_THAT(check("(1, 2) + (3,) == (1, 2, 3) and len((1, 2) * 2) == 4"), IsEmpty());
  EXPECT_THAT(check("(1, 2, 3)[-1] == 3 and (1, 2, 3, 4)[1:3] == (2, 3)"), IsEmpty());
  EXPECT_THAT(check("min(3, 1, 2) == 1 and max((1, 5)) == 5 and sum([1, 2]) == 3"), IsEmpty());
  EXPECT_THAT(check("int('12') == 12 and float('-inf') < 0 and int(2.9) == 2"), IsEmpty());
  EXPECT_THAT(check("f'{B:05d}-{1.5:.2f}-{B!r}' == '00064-1.50-64'"), IsEmpty());
  EXPECT_THAT(check("triton.next_power_of_2(33) == 64 and tl.cdiv(B, 10) == 7"), IsEmpty());
  EXPECT_THAT(check("[i * i for i in range(4) if i != 2] == [0, 1, 9]"), IsEmpty());
  EXPECT_THAT(check("(None is None) and (B is not None) and (p is not None)"), IsEmpty());
  EXPECT_THAT(check("p.dtype.element_ty == tl.float32 and p.dtype.is_ptr()"), IsEmpty());
  EXPECT_THAT(check("tl.zeros((4, 8), tl.float16).shape == (4, 8)"), IsEmpty());
  EXPECT_THAT(check("tl.float16.primitive_bitwidth == 16 and tl.int8.is_int_signed()"), IsEmpty());
  EXPECT_THAT(check("isinstance(n, tl.tensor) and isinstance(B, tl.constexpr)"), IsEmpty());
  EXPECT_THAT(check("isinstance(tl.make_tensor_descriptor(p, [64], [1], [32]), "
                    "tl.tensor_descriptor) and not isinstance(p, tl.tensor_descriptor)"),
              IsEmpty());
  EXPECT_THAT(check("isinstance(p.dtype, tl.pointer_type) and isinstance(p.dtype, tl.dtype) and "
                    "isinstance(tl.arange(0, 8).type, tl.block_type)"),
              IsEmpty());
  EXPECT_THAT(check("hasattr(n, 'dtype') and not hasattr(n, 'colour')"), IsEmpty());
}

TEST(ConstexprTest, negative_folding) {
  EXPECT_THAT(check("5 // 0"), ElementsAre("error 3:22: division by zero"));
  EXPECT_THAT(check("1 << 5000"),
              ElementsAre("error 3:22: compile-time integer is larger than 4096 bits"));
  EXPECT_THAT(check("'a' - 1"),
              ElementsAre("error 3:22: operator '-' is not defined for 'str' and 'int'"));
  EXPECT_THAT(check("(1, 2)[2]"),
              ElementsAre("error 3:29: index 2 is out of range for a tuple of 2"));
  EXPECT_THAT(check("n"), ElementsAre("error 3:22: the condition of tl.static_assert must be known "
                                      "at compile time, got a runtime value of type int32"));
  EXPECT_THAT(check("B == 3, f'B is {B}'"),
              ElementsAre("error 3:5: static assertion failed: B is 64"));
}

TEST(ConstexprTest, deadBranchesAreNotTyped) {
  Compiled result =
      compileBody("    if B > 100:\n        x = undefined + 'a'\n"
                  "    elif B == 64:\n        x = f\n    else:\n        x = f.nothing\n"
                  "    y = x if B == 64 else nothing\n    tl.store(p, y)\n",
                  {"B=64"});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, Not(HasSubstr("scf.if")));
}

TEST(ConstexprTest, moduleConstantsAndAliases) {
  Compiled result = compile(R"(
BLOCK = 32
EPS: tl.constexpr = 1e-5
A, B = 1, tl.constexpr(2)
DT = tl.float16
exp_fn = tl.exp
bad = undefined_host_thing()

@triton.jit
def k(p):
    tl.static_assert(A + B == 3)
    tl.store(p + tl.arange(0, BLOCK), exp_fn(tl.zeros([BLOCK], DT).to(tl.float32) + EPS))
)",
                            {{"p=*fp32"}});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("math.exp"));
}

TEST(ConstexprTest, constexprFunction) {
  Compiled result = compile(R"(
@triton.constexpr_function
def log2(n):
    count = 0
    for i in range(64):
        if n > 1:
            n = n // 2
            count += 1
    return count

@triton.jit
def k(p):
    tl.store(p + tl.arange(0, 1 << log2(40)), 0.0)
)",
                            {{"p=*fp32"}});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("tensor<32x!tile.ptr<f32>>"));
}

TEST(ConstexprTest, functionsAreValues) {
  Compiled result = compile(R"(
@triton.jit
def sq(x):
    return x * x

@triton.jit
def apply(fn: tl.constexpr, x, scale=2.0):
    return fn(x) * scale, x

@triton.jit
def k(p, ACT: tl.constexpr):
    x = tl.load(p)
    y, _ = apply(sq, x, scale=3.0)
    if ACT is not None:
        y = ACT(y)
    tl.store(p, y)
)",
                            {{"p=*fp32"}, {"ACT=tl.exp"}, "k"});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("arith.mulf"));
  EXPECT_THAT(result.ir, HasSubstr("3.000000e+00"));
  EXPECT_THAT(result.ir, HasSubstr("math.exp"));
}

TEST(ConstexprTest, annotatedConstexprDoesNotDecay) {
  EXPECT_THAT(
      compileBody("    H: tl.constexpr = B // 2\n    x = tl.arange(0, H)\n", {"B=64"}).diagnostics,
      IsEmpty());
  EXPECT_THAT(compileBody("    H = B // 2\n    x = tl.arange(0, H)\n", {"B=64"}).diagnostics,
              ElementsAre("error 4:22: the end of tl.arange must be known at compile time, got a "
                          "runtime value of type int32"));
  EXPECT_THAT(compileBody("    H: tl.constexpr = n\n    tl.store(p, H + 1)\n").diagnostics,
              IsEmpty());
  EXPECT_THAT(
      compileBody("    H: tl.constexpr = n\n    x = tl.arange(0, H)\n").diagnostics,
      testing::Contains("error 4:22: the end of tl.arange must be known at compile time, got a "
                        "runtime value of type int32"));
}

TEST(ConstexprTest, negative_calls) {
  Compiled result = compile(R"(@triton.jit
def f(a, b: tl.constexpr, c=1):
    return a

@triton.jit
def k(n):
    f(1)
    f(1, n)
    f(1, 2, 3, 4)
    f(1, 2, d=3)
    f(1, 2, a=3)
    n(1)
    tl.load()
    f(*n)
)",
                            {{"n=i32"}, {}, "k"});
  EXPECT_THAT(
      result.diagnostics,
      ElementsAre("error 7:5: missing argument 'b' in the call of 'f'",
                  "error 9:16: too many arguments for 'f': expected 3, got 4",
                  "error 10:13: 'f' has no parameter 'd'; did you mean 'a'?",
                  "error 11:15: argument 'a' of 'f' is given twice",
                  "error 12:5: int32 cannot be called",
                  "error 13:5: missing argument 'pointer' in the call of 'tl.load'",
                  "error 14:7: expected a tuple, a string or a range of compile-time numbers, got "
                  "int32"));
}

TEST(ConstexprTest, negative_callChainIsNoted) {
  Compiled result = compile(R"(@triton.jit
def inner(x):
    return x + nothing

@triton.jit
def outer(x):
    return inner(x)

@triton.jit
def k(n):
    outer(n)
)",
                            {{"n=i32"}, {}, "k"});
  EXPECT_THAT(result.diagnostics, ElementsAre("error 3:16: unknown name 'nothing'",
                                              "note 7:12: in the call of 'inner' here",
                                              "note 11:5: in the call of 'outer' here"));
}

TEST(ConstexprTest, negative_endlessRecursion) {
  Compiled result = compile("@triton.jit\ndef r(x):\n    return r(x)\n@triton.jit\ndef k(n):\n"
                            "    r(n)\n    nothing\n",
                            {{"n=i32"}, {}, "k"});
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics.front(), "error 3:12: calls are nested more than 64 deep; is 'r' "
                                        "called recursively without end?");
}

TEST(ConstexprTest, terminatingRecursionIsFine) {
  Compiled result = compile(R"(
@triton.jit
def power(x, N: tl.constexpr):
    if N == 0:
        return x * 0 + 1
    return x * power(x, N - 1)

@triton.jit
def k(p):
    tl.store(p, power(tl.load(p), 3))
)",
                            {{"p=*fp32"}, {}, "k"});
  EXPECT_THAT(result.diagnostics, IsEmpty());
}

TEST(ConstexprTest, negative_stepBudget) {
  Compiled result = compileBody("    x: tl.constexpr = 0\n"
                                "    for a in tl.static_range(1000):\n"
                                "        for b in tl.static_range(1000):\n"
                                "            for c in tl.static_range(1000):\n"
                                "                pass\n");
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_THAT(result.diagnostics.front(),
              HasSubstr("evaluating this kernel at compile time takes more than 10000000 steps"));
}

TEST(ConstexprTest, negative_unrollingWithoutMeasure) {
  Compiled result = compileBody("    for a in tl.static_range(1000):\n"
                                "        for c in tl.static_range(1000):\n            f += n\n");
  EXPECT_THAT(result.diagnostics,
              ElementsAre("error 5:13: this kernel becomes more than 500000 operations; is a loop "
                          "unrolled that should not be? ('--max-ops' is the limit)"));
}

TEST(ConstexprTest, negative_tuplesWithoutMeasure) {
  EXPECT_THAT(compileBody("    t = (n, 1)\n    for a in tl.static_range(64):\n        t = (t, t)\n")
                  .diagnostics,
              ElementsAre("error 5:13: a tuple of more than 65536 elements"));
  EXPECT_THAT(compileBody("    x: tl.constexpr = (1,) * 100000\n").diagnostics,
              ElementsAre("error 3:23: a tuple of more than 65536 elements"));
}

TEST(ConstexprTest, staticPrintIsARemark) {
  EXPECT_THAT(
      compileBody("    tl.static_print('B', B, (1, None), p.dtype)\n", {"B=64"}).diagnostics,
      ElementsAre("remark 3:5: B 64 (1, None) pointer<fp32>"));
  EXPECT_THAT(compileBody("    tl.static_print('', 1, sep='|', end='')\n").diagnostics,
              ElementsAre("remark 3:5: |1"));
  EXPECT_THAT(
      compileBody("    tl.static_print(tl.block_type(tl.int8, [4]).shape[0])\n").diagnostics,
      ElementsAre("remark 3:5: 4"));
}

TEST(ConstexprTest, negative_names) {
  EXPECT_THAT(compileBody("    block_size = 1\n    x = blok_size\n    y = tl.lod(p)\n"
                          "    z = tl.flot32\n    w = tl.tensor_descriptor(1)\n    v = n.sumn()\n"
                          "    u = later\n    later = 1\n")
                  .diagnostics,
              ElementsAre("error 4:9: unknown name 'blok_size'; did you mean 'block_size'?",
                          "error 5:12: 'tl' has no member 'lod'; did you mean 'load'?",
                          "error 6:12: 'tl' has no member 'flot32'; did you mean 'float32'?",
                          "error 7:9: 'tl.tensor_descriptor' cannot be called in a kernel",
                          "error 8:11: a value of type int32 has no attribute 'sumn'; did you "
                          "mean 'sum'?",
                          "error 9:9: variable 'later' is used before it is assigned"));
}

TEST(ConstexprTest, negative_unsupportedConstructs) {
  EXPECT_THAT(
      compileBody("    with n:\n        pass\n    del n\n    import os\n    x = {1, 2}\n"
                  "    def g():\n        pass\n    y = n[0]\n    p.x = 1\n    try:\n        pass\n"
                  "    except E:\n        pass\n    z = f ** 2\n    w = n @ n\n")
          .diagnostics,
      ElementsAre("error 3:10: 'with' is not supported in a kernel, but for the scopes of "
                  "triton.profiler",
                  "error 6:5: 'import' is not supported in a kernel",
                  "error 10:9: variable 'n' has been deleted",
                  "error 11:5: cannot assign to this expression in a kernel; blocks are values, "
                  "use tl.where or tl.store",
                  "error 12:5: 'try' is not supported in a kernel",
                  "error 16:9: operator '**' needs operands that are known at compile time; use "
                  "libdevice.pow for runtime values",
                  "error 17:9: variable 'n' has been deleted",
                  "error 17:13: variable 'n' has been deleted"));
}

} // namespace
} // namespace tilec::test
