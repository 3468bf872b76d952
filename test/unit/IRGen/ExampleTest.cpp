// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole kernels of the usual kinds generate verified IR.

#include "IRGenFixture.h"

namespace tilec::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(ExampleTest, vectorAddMasked) {
  Compiled result = compile(R"(
import triton
import triton.language as tl

@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask, other=0.0)
    tl.store(out_ptr + offs, x + y, mask=mask)
)",
                            {{"x_ptr=*fp32:16", "y_ptr=*fp32:16", "out_ptr=*fp32:16", "n=i32:16"},
                             {"BLOCK=1024"},
                             "",
                             "add.py"});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("tile.divisibility = 16 : i32, tile.name = \"x_ptr\", "
                                   "tile.type = \"*fp32\""));
  EXPECT_THAT(result.ir, HasSubstr("tile.make_range {end = 1024 : i32, start = 0 : i32}"));
  EXPECT_THAT(result.ir, HasSubstr("arith.addf"));
  EXPECT_THAT(result.ir, HasSubstr("tile.store"));
  EXPECT_THAT(result.ir, HasSubstr("attributes {tile.kernel}"));
}

TEST(ExampleTest, softmax) {
  Compiled result = compile(
      R"(
@triton.jit
def softmax(out, inp, in_stride, out_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(inp + row * in_stride + cols, mask=mask, other=-float('inf'))
    x = x - tl.max(x, axis=0)
    num = tl.exp(x)
    den = tl.sum(num, axis=0)
    tl.store(out + row * out_stride + cols, num / den, mask=mask)
)",
      {{"out=*fp32", "inp=*fp32", "in_stride=i32", "out_stride=i32", "n_cols=i32"}, {"BLOCK=128"}});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("arith.maxnumf"));
  EXPECT_THAT(result.ir, HasSubstr("math.exp"));
  EXPECT_THAT(result.ir, HasSubstr("tile.reduce"));
}

TEST(ExampleTest, layerNorm) {
  Compiled result = compile(R"(
@triton.jit
def layer_norm(X, Y, W, B, Mean, Rstd, stride, N, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    Y += row * stride
    X += row * stride
    _mean = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        a = tl.load(X + cols, mask=cols < N, other=0.).to(tl.float32)
        _mean += a
    mean = tl.sum(_mean, axis=0) / N
    _var = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X + cols, mask=cols < N, other=0.).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.)
        _var += x * x
    var = tl.sum(_var, axis=0) / N
    rstd = 1 / tl.sqrt(var + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        mask = cols < N
        w = tl.load(W + cols, mask=mask)
        b = tl.load(B + cols, mask=mask)
        x = tl.load(X + cols, mask=mask, other=0.).to(tl.float32)
        x_hat = (x - mean) * rstd
        y = x_hat * w + b
        tl.store(Y + cols, y, mask=mask)
)",
                            {{"X=*fp16", "Y=*fp16", "W=*fp16", "B=*fp16", "Mean=*fp32",
                              "Rstd=*fp32", "stride=i32", "N=i32", "eps=fp32"},
                             {"BLOCK_SIZE=256"}});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("scf.for"));
  EXPECT_THAT(result.ir, HasSubstr("iter_args"));
  EXPECT_THAT(result.ir, HasSubstr("arith.extf"));
  EXPECT_THAT(result.ir, HasSubstr("arith.truncf"));
}

TEST(ExampleTest, tableOfAddresses) {
  Compiled result = compile(R"(
@triton.jit
def sum_many(table, sizes, out, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    ptr = tl.load(table + pid).to(tl.pointer_type(tl.float32))
    n = tl.load(sizes + pid)
    acc = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        acc += tl.load(ptr + offs, mask=offs < n, other=0)
    tl.store(out + pid, tl.sum(acc))
)",
                            {{"table=*i64", "sizes=*i32", "out=*fp32"}, {"BLOCK=128"}});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("tile.int_to_ptr"));
}

TEST(ExampleTest, storesInTheElementTypeOfThePointer) {
  Compiled result = compile(R"(
@triton.jit
def k(x_ptr, y_ptr, bias, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs)
    tl.store(y_ptr + offs, (x + bias).to(y_ptr.dtype.element_ty))
)",
                            {{"x_ptr=*fp32", "y_ptr=*bf16", "bias=fp32"}, {"BLOCK=16"}});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("arith.truncf %"));
  EXPECT_THAT(result.ir, HasSubstr("tensor<16xbf16>"));
}

TEST(ExampleTest, inductorStylePointwise) {
  Compiled result =
      compile(R"(
import triton
import triton.language as tl
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math

@triton_heuristics.pointwise(size_hints={'x': 4096})
@triton.jit
def triton_poi_fused_sin_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask)
    tmp1 = tl_math.sin(tmp0)
    tmp2 = tl_math.sin(tmp1)
    tmp3 = libdevice.tanh(tmp2)
    tl.store(out_ptr0 + (x0), tmp3, xmask)
)",
              {{"in_ptr0=*fp32", "out_ptr0=*fp32", "xnumel=i32"}, {"XBLOCK=64"}, "", "poi.py"});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("math.tanh"));
}

TEST(ExampleTest, onlineSoftmax) {
  Compiled result = compile(R"(
@triton.jit
def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    m = -float("inf")
    s = 0.0
    for start in tl.range(0, n, BLOCK, num_stages=2):
        offs = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + offs, mask=offs < n, other=-float("inf"))
        new_m = tl.maximum(m, tl.max(x, 0))
        s = s * tl.exp(m - new_m) + tl.sum(tl.exp(x - new_m), 0)
        m = new_m
    for start in range(0, n, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + offs, mask=offs < n)
        tl.store(y_ptr + row * n + offs, tl.exp(x - m) / s, mask=offs < n)
)",
                            {{"x_ptr=*fp32", "y_ptr=*fp32", "n=i32"}, {"BLOCK=64"}});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("tile.num_stages = 2 : i32"));
}

TEST(ExampleTest, transposeCopy) {
  Compiled result = compile(R"(
@triton.jit
def k(x_ptr, y_ptr, M, N, B: tl.constexpr):
    rm = tl.program_id(0) * B + tl.arange(0, B)
    rn = tl.program_id(1) * B + tl.arange(0, B)
    x = tl.load(x_ptr + rm[:, None] * N + rn[None, :], mask=(rm[:, None] < M) & (rn[None, :] < N))
    tl.store(y_ptr + rn[:, None] * M + rm[None, :], x.T, mask=(rn[:, None] < N) & (rm[None, :] < M))
)",
                            {{"x_ptr=*fp16", "y_ptr=*fp16", "M=i32", "N=i32"}, {"B=32"}});
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("tile.permute"));
  EXPECT_THAT(result.ir, HasSubstr("tile.expand_dims"));
}

} // namespace
} // namespace tilec::test
