// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of the language: what each emits and what each rejects.

#include "IRGenFixture.h"

namespace tilec::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(BuiltinTest, everyRowOfTheLanguageHasOneHandlerOrFunction) {
  EXPECT_THAT(checkLanguage(), IsEmpty());
}

TEST(BuiltinTest, programIds) {
  Compiled result = compileBody("    x = tl.program_id(axis=1) + tl.num_programs(2)\n"
                                "    tl.store(p + x, f)\n");
  EXPECT_THAT(result.ir, HasSubstr("tile.program_id 1 : i32"));
  EXPECT_THAT(result.ir, HasSubstr("tile.num_programs 2 : i32"));
  EXPECT_THAT(compileBody("    x = tl.program_id(3)\n    y = tl.program_id(n)\n").diagnostics,
              ElementsAre("error 3:23: the grid axis must be 0, 1 or 2, got 3",
                          "error 4:23: the grid axis must be known at compile time, got a runtime "
                          "value of type int32"));
}

TEST(BuiltinTest, negative_arange) {
  EXPECT_THAT(compileBody("    a = tl.arange(5, 3)\n    b = tl.arange(4, 4)\n"
                          "    c = tl.arange(0, n)\n    d = tl.arange(0, 1 << 31)\n"
                          "    e = tl.arange(0, 1 << 30)\n")
                  .diagnostics,
              ElementsAre("error 3:9: tl.arange needs start < end, got 5 and 3",
                          "error 4:9: tl.arange needs start < end, got 4 and 4",
                          "error 5:22: the end of tl.arange must be known at compile time, got a "
                          "runtime value of type int32",
                          "error 6:9: the bounds of tl.arange do not fit in 32 bits",
                          "error 7:9: a block of shape [1073741824] has more than 1048576 "
                          "elements"));
}

TEST(BuiltinTest, extentsThatAreNoPowersOfTwo) {
  Compiled result = compileBody("    a = tl.zeros([3, 5], tl.float32) + tl.arange(7, 12)\n"
                                "    tl.store(p + tl.arange(0, 15), a.reshape(15))\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("tensor<3x5xf32>"));
  EXPECT_THAT(result.ir,
              HasSubstr("tile.make_range {end = 12 : i32, start = 7 : i32} : tensor<5xi32>"));
}

TEST(BuiltinTest, creation) {
  Compiled result =
      compileBody("    a = tl.zeros((4, 8), tl.float32)\n"
                  "    b = tl.full([8], f, dtype=tl.float32)\n"
                  "    c = tl.zeros_like(a) + tl.full((8,), 2, tl.int32)\n"
                  "    tl.store(p + tl.arange(0, 8)[None, :], (a + b + c).sum(0)[None, :])\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("dense<0.000000e+00> : tensor<4x8xf32>"));
  EXPECT_THAT(result.ir, HasSubstr("tile.splat %arg3 : f32 -> tensor<8xf32>"));
}

TEST(BuiltinTest, negative_shapesOfBlocks) {
  EXPECT_THAT(
      compileBody("    a = tl.zeros((1025, 513), tl.float32)\n"
                  "    b = tl.zeros((2048, 2048), tl.float32)\n"
                  "    c = tl.zeros((n,), tl.float32)\n    d = tl.zeros((0,), tl.int8)\n"
                  "    e = tl.full((4,), 70000, tl.int16)\n")
          .diagnostics,
      ElementsAre(
          "error 3:18: a block of shape [1025, 513] has more than 1048576 elements when its "
          "dimensions are rounded up to powers of two",
          "error 4:18: a block of shape [2048, 2048] has more than 1048576 elements",
          "error 5:18: a block dimension must be known at compile time, got a "
          "runtime value of type int32",
          "error 6:18: block dimensions must be positive, got [0]",
          "error 7:23: constant 70000 is out of range for int16"));
}

TEST(BuiltinTest, loadsWithHints) {
  Compiled result = compileBody("    o = tl.arange(0, 8)\n"
                                "    x = tl.load(p + o, o < n, 0.0, cache_modifier='.cg',\n"
                                "                eviction_policy='evict_last', volatile=True)\n"
                                "    tl.store(q + o, x, o < n, eviction_policy='evict_first',\n"
                                "             cache_modifier='.wt')\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("cg"));
  EXPECT_THAT(result.ir, HasSubstr("evict_last"));
  EXPECT_THAT(result.ir, HasSubstr("evict_first"));
}

TEST(BuiltinTest, storesBroadcastAndCast) {
  Compiled result = compileBody("    tl.store(p + tl.arange(0, 8), n)\n    tl.store(p, f > 1)\n"
                                "    p.store(1)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("arith.sitofp %arg2 : i32 to f32"));
  EXPECT_THAT(result.ir, HasSubstr("arith.uitofp"));
}

TEST(BuiltinTest, negative_memory) {
  EXPECT_THAT(
      compileBody("    o = tl.arange(0, 8)\n    a = tl.load(f)\n    b = tl.load(p, other=1)\n"
                  "    c = tl.load(p + o, mask=tl.arange(0, 4) < n)\n"
                  "    d = tl.load(p, mask=o < n)\n    tl.store(p, o)\n"
                  "    e = tl.load(p, cache_modifier='.zz')\n"
                  "    g = tl.load(p, eviction_policy='never')\n"
                  "    h = tl.load(p + o, boundary_check=(0,))\n    i = tl.load(p, maks=1)\n"
                  "    tl.store(p + o, None)\n")
          .diagnostics,
      ElementsAre("error 4:17: 'tl.load' needs a pointer, got fp32",
                  "error 5:26: 'other' is given without 'mask'",
                  "error 6:29: 'mask' has shape [4], which cannot be broadcast to the pointer's "
                  "shape [8]",
                  "error 7:25: 'mask' has shape [8] but the pointer is a scalar",
                  "error 8:17: the stored value has shape [8] but the pointer is a scalar",
                  "error 9:35: cache modifier '.zz' is none of '.ca', '.cg', '.cs', '.cv'",
                  "error 10:36: eviction policy 'never' is none of 'evict_first', 'evict_last', "
                  "'evict_normal'",
                  "error 11:39: 'boundary_check' needs a block pointer, got pointer<fp32>[8]",
                  "error 12:20: 'tl.load' has no parameter 'maks'; did you mean 'mask'?",
                  "error 13:21: expected a number or tensor, got None"));
  EXPECT_THAT(compile("@triton.jit\ndef k(p):\n    tl.store(p, 1.0)\n", {{"p=*kfp32"}}).diagnostics,
              ElementsAre("error 3:14: cannot store through a const pointer"));
}

TEST(BuiltinTest, unaryMath) {
  Compiled result = compileBody(
      "    x = tl.exp(f) + tl.exp2(f) + tl.log(f) + tl.log2(f) + tl.sin(f) + tl.cos(f)\n"
      "    x += tl.sqrt(f) + tl.rsqrt(f) + tl.erf(f) + tl.floor(f) + f.ceil() + tl.abs(f)\n"
      "    x += tl.sigmoid(f) + tl.sqrt_rn(f) + tl.math.exp(f) + tl.exp(1) + tl.abs(n)\n"
      "    tl.store(p, x)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  for (const char *op : {"math.exp ", "math.exp2", "math.log ", "math.log2", "math.sin", "math.cos",
                         "math.sqrt", "math.rsqrt", "math.erf", "math.floor", "math.ceil",
                         "math.absf", "math.absi", "tile.precise_sqrt"})
    EXPECT_THAT(result.ir, HasSubstr(op));
}

TEST(BuiltinTest, negative_mathNeedsFp32) {
  EXPECT_THAT(
      compileBody("    x = tl.exp(f.to(tl.float16))\n    y = tl.sqrt(n)\n"
                  "    z = tl.extra.cuda.libdevice.tanh(f.to(tl.bfloat16))\n")
          .diagnostics,
      ElementsAre("error 3:16: expected fp32 or fp64 for 'tl.exp', got fp16; cast with "
                  ".to(tl.float32)",
                  "error 4:17: expected fp32 or fp64 for 'tl.sqrt', got int32; cast with "
                  ".to(tl.float32)",
                  "error 5:38: expected fp32 or fp64 for 'libdevice.tanh', got bf16; cast with "
                  ".to(tl.float32)"));
}

TEST(BuiltinTest, minimumMaximumAndNan) {
  Compiled result = compileBody(
      "    a = tl.maximum(f, 0.0) + tl.minimum(f, f, propagate_nan=tl.PropagateNan.ALL)\n"
      "    c = tl.minimum(n, 3) + tl.maximum(n.to(tl.uint32), n.to(tl.uint32)) + max(n, 2)\n"
      "    tl.store(p, a + c + tl.clamp(f, 0.0, 1.0))\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  for (const char *op : {"arith.maxnumf", "arith.minimumf", "arith.minsi", "arith.maxui",
                         "arith.maxsi", "arith.minnumf"})
    EXPECT_THAT(result.ir, HasSubstr(op));
}

TEST(BuiltinTest, divisions) {
  Compiled result = compileBody("    a = f / 2 + tl.fdiv(f, f) + tl.div_rn(f, 3.0)\n"
                                "    b2 = tl.fdiv(f, f, ieee_rounding=True) + tl.cdiv(n, 16)\n"
                                "    tl.store(p, a + b2 + tl.umulhi(n, n) + tl.fma(f, 2.0, f))\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  for (const char *op :
       {"arith.divf", "tile.precise_divf", "arith.divsi", "tile.umulhi", "math.fma"})
    EXPECT_THAT(result.ir, HasSubstr(op));
}

TEST(BuiltinTest, where) {
  Compiled result = compileBody("    o = tl.arange(0, 8)\n    x = tl.where(o < n, f, 0)\n"
                                "    pp = tl.where(b, p, q)\n    tl.store(pp + o, x)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("arith.select %arg4, %arg0, %arg1 : !tile.ptr<f32>"));
  EXPECT_THAT(compileBody("    x = tl.where(b, p, n)\n    y = tl.where(b, f, None)\n").diagnostics,
              ElementsAre("error 3:9: 'tl.where' needs two pointers of one type, got "
                          "pointer<fp32> and int32",
                          "error 4:9: expected a number or tensor, got None"));
}

TEST(BuiltinTest, libdevice) {
  Compiled result = compile(R"(
from triton.language.extra import libdevice
from triton.language.extra.libdevice import log1p
import triton.language as tl
import triton

@triton.jit
def k(p, f):
    x = libdevice.tanh(f) + log1p(f) + tl.extra.cuda.libdevice.expm1(f) + libdevice.pow(f, 2.0)
    x += libdevice.rint(f) + libdevice.atan2(f, 1.0) + tl.math.acos(f) + libdevice.isinf(f)
    tl.store(p, x)
)",
                            {{"p=*fp32", "f=fp32"}, {}, "", "k.py"});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  for (const char *op : {"math.tanh", "math.log1p", "math.expm1", "math.powf", "math.roundeven",
                         "math.atan2", "math.acos"})
    EXPECT_THAT(result.ir, HasSubstr(op));
}

TEST(BuiltinTest, shapes) {
  Compiled result = compileBody(
      "    o = tl.arange(0, 8)\n    a = tl.expand_dims(o, 0)\n    c = o[:, None] + o[None, :]\n"
      "    d = tl.reshape(c, (4, 16)) + c.reshape(4, 16) + tl.view(c, [4, 16])\n"
      "    e = tl.permute(d, (1, 0)) + d.T + tl.trans(d) + d.trans(1, 0)\n"
      "    g = tl.broadcast_to(o[None, None], (2, 4, 8)).ravel()\n"
      "    h, i = tl.broadcast(a, o[:, None])\n"
      "    tl.store(p, (e.sum() + g.sum() + h.sum() + i.sum()))\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("tensor<2x4x8xi32>"));
  EXPECT_THAT(result.ir, HasSubstr("order = array<i32: 1, 0>"));
  EXPECT_THAT(result.ir, HasSubstr("allow_reorder"));
}

TEST(BuiltinTest, negative_shapes) {
  EXPECT_THAT(compileBody("    o = tl.arange(0, 8)\n    a = tl.reshape(o, (4, 4))\n"
                          "    c = o.T\n    d = tl.permute(o, (1, 0))\n"
                          "    e = tl.broadcast_to(o, (4, 4))\n    g = tl.expand_dims(o, 3)\n"
                          "    h = o[0]\n    i = o[:, :, None]\n    j = o[1:3]\n")
                  .diagnostics,
              ElementsAre("error 4:9: cannot reshape int32[8] to [4, 4]: 8 elements become 16",
                          "error 5:11: '.T' needs a block of rank 2, got int32[8]",
                          "error 6:9: [1, 0] is not a permutation of the dimensions of int32[8]",
                          "error 7:9: a block of shape [8] cannot be broadcast to [4, 4]",
                          "error 8:27: axis 3 is out of range for a value of rank 2",
                          "error 9:11: a block can only be indexed with ':' and None; use tl.load "
                          "on pointers or reductions to select elements",
                          "error 10:9: too many indices: a value of type int32[8] has 1 "
                          "dimensions, got 2",
                          "error 11:11: a block can only be indexed with ':' and None; use "
                          "tl.load on pointers or reductions to select elements"));
}

TEST(BuiltinTest, reductions) {
  Compiled result = compileBody(
      "    o = tl.arange(0, 8)\n    x = tl.load(p + o[:, None] * 8 + o[None, :])\n"
      "    a = tl.sum(x, 1) + x.max(axis=-1) + tl.min(x, axis=1)\n"
      "    v, i = tl.max(x, 1, return_indices=True)\n"
      "    c = tl.argmin(x, axis=0) + tl.xor_sum(o) + tl.argmax(x, 1, tie_break_left=False)\n"
      "    d = tl.sum(x, axis=1, keep_dims=True)\n    tl.static_assert(d.shape == (8, 1))\n"
      "    e = tl.sum(x)\n    tl.static_assert(e.shape == ())\n"
      "    g = tl.sum(x.to(tl.int8), 0)\n    tl.static_assert(g.dtype == tl.int32)\n"
      "    h = tl.sum(x > 0, 0)\n    tl.static_assert(h.dtype == tl.uint32)\n"
      "    m = tl.max(x.to(tl.float16), 0)\n    tl.static_assert(m.dtype == tl.float32)\n"
      "    s = tl.sum(x, 0, dtype=tl.float64)\n    tl.static_assert(s.dtype == tl.float64)\n"
      "    tl.store(q + o, a + v + i + c + e + g + h + m + s)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("axis = 1 : (tensor<8x8xf32>) -> tensor<8xf32>"));
  EXPECT_THAT(result.ir, HasSubstr("(tensor<8x8xf32>, tensor<8x8xi32>) -> (tensor<8xf32>, "
                                   "tensor<8xi32>)"));
}

TEST(BuiltinTest, customReductionOfSeveralBlocks) {
  Compiled result = compile(R"(
@triton.jit
def welford(mean1, m21, w1, mean2, m22, w2):
    delta = mean2 - mean1
    w = w1 + w2
    ratio = tl.where(w == 0.0, 0.0, w2 / w)
    return mean1 + delta * ratio, m21 + m22 + delta * delta * w1 * ratio, w

@triton.jit
def k(p, B: tl.constexpr):
    x = tl.load(p + tl.arange(0, B))
    mean, m2, weight = tl.reduce((x, x * 0, x * 0 + 1), 0, welford)
    tl.store(p, mean + m2 + weight)
)",
                            {{"p=*fp32"}, {"B=16"}, "k"});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("-> (f32, f32, f32)"));
}

TEST(BuiltinTest, negative_reductions) {
  Compiled result = compile(R"(@triton.jit
def one(a, b):
    return a

@triton.jit
def bad(a, b, c, d):
    return a

@triton.jit
def k(p, n):
    x = tl.arange(0, 8)
    a = tl.sum(x, axis=1)
    b = tl.sum(x, axis=n)
    c = tl.reduce((x, x), 0, bad)
    d = tl.reduce(x, 0, 5)
    e = tl.sum(p + x)
    f = tl.xor_sum(x.to(tl.float32))
)",
                            {{"p=*fp32", "n=i32"}, {}, "k"});
  EXPECT_THAT(result.diagnostics,
              ElementsAre("error 12:9: axis 1 is out of range for a value of rank 1",
                          "error 13:9: the axis must be known at compile time, got a runtime "
                          "value of type int32",
                          "error 14:9: the combine function must return 2 values, got 1",
                          "error 15:9: int 5 cannot be called",
                          "error 16:9: pointers cannot be reduced",
                          "error 17:9: static assertion failed: xor_sum needs integers"));
}

TEST(BuiltinTest, softmaxOfTheLibrary) {
  Compiled result = compileBody("    o = tl.arange(0, 8)\n"
                                "    x = tl.softmax(tl.load(p + o[:, None] * 8 + o), 1)\n"
                                "    tl.store(q + o, tl.sum(x, 0))\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("math.exp"));
}

TEST(BuiltinTest, joinSplitInterleaveCat) {
  Compiled result =
      compileBody("    o = tl.arange(0, 8)\n    j = tl.join(o, o + 8)\n    "
                  "tl.static_assert(j.shape == (8, 2))\n"
                  "    low, high = tl.split(j)\n    tl.static_assert(low.shape == (8,))\n"
                  "    i = tl.interleave(o, o)\n    tl.static_assert(i.shape == (16,))\n"
                  "    m = o[:, None] + o[None, :]\n    c = tl.cat(m, m, dim=1)\n"
                  "    tl.static_assert(c.shape == (8, 16))\n"
                  "    tl.static_assert(tl.cat(o, o).shape == (16,))\n"
                  "    tl.store(p + o, low + high + c.sum(1) + i.sum())\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
}

TEST(BuiltinTest, randomNumbers) {
  Compiled result =
      compileBody("    o = tl.arange(0, 8)\n    x = tl.rand(n, o)\n    tl.static_assert(x.dtype == "
                  "tl.float32)\n"
                  "    y = tl.randn(12345, o.to(tl.int64))\n    z = tl.randint(0, o)\n"
                  "    tl.static_assert(z.dtype == tl.uint32)\n    a, b2, c, d = tl.randn4x(n, o)\n"
                  "    w = tl.philox(n, o.to(tl.uint64), 0, 0, 0)[0]\n"
                  "    tl.static_assert(w.dtype == tl.uint64)\n"
                  "    tl.store(p + o, x + y + z + a + b2 + c + d + w)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("tile.umulhi"));
}

TEST(BuiltinTest, hintsStayOnTheOpThatDefinesTheValue) {
  Compiled result = compileBody("    o = n * 4 + tl.arange(0, 8)\n    o = tl.multiple_of(o, 8)\n"
                                "    o = tl.max_contiguous(o, [8])\n    n = tl.multiple_of(n, 16)\n"
                                "    tl.assume(n > 0)\n    tl.store(p + o, f)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("{tile.contiguity = array<i32: 8>, tile.divisibility = "
                                   "array<i32: 8>}"));
  EXPECT_THAT(result.ir, HasSubstr("tile.divisibility = 16 : i32, tile.name = \"n\""));
  EXPECT_THAT(result.ir, HasSubstr("tile.assume"));
}

TEST(BuiltinTest, hintsInBranchesAreDropped) {
  Compiled result = compileBody("    o = n * 4\n    if b:\n        o = tl.multiple_of(o, 8)\n"
                                "        tl.store(p + o, f)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, Not(HasSubstr("array<i32: 8>")));
}

TEST(BuiltinTest, negative_hints) {
  EXPECT_THAT(compileBody("    a = tl.multiple_of(n, [8, 8])\n    c = tl.multiple_of(n, 0)\n"
                          "    tl.assume(1 > 2)\n")
                  .diagnostics,
              ElementsAre("error 3:27: the hint needs one number for each of the 1 dimensions, "
                          "got 2",
                          "error 4:27: a hint must be a positive 32-bit number, got 0",
                          "error 5:15: the assumption is false"));
}

TEST(BuiltinTest, assertionsOnlyInDebugMode) {
  std::string source = "@triton.jit\ndef k(p, n):\n    tl.device_assert(n > 0, 'positive')\n"
                       "    assert n < 9, 'small'\n    tl.store(p, n)\n";
  CompileOptions options{{"p=*i32", "n=i32"}};
  EXPECT_THAT(compile(source, options).ir, Not(HasSubstr("tile.assert")));
  options.debug = true;
  std::string ir = compile(source, options).ir;
  EXPECT_THAT(ir, HasSubstr("\"positive\""));
  EXPECT_THAT(ir, HasSubstr("\"small\""));
}

TEST(BuiltinTest, printing) {
  Compiled result = compileBody("    tl.device_print('n = ', n, hex=True)\n    print('f', f)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("tile.print \" n =: \" hex"));
  EXPECT_THAT(result.ir, HasSubstr("tile.print \" f: \""));
}

} // namespace
} // namespace tilec::test
