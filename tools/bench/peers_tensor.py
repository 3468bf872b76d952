# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What Triton does for the tensor-core cases: the very same text with the same configurations, and kernels of its own
# style with host-side tensor descriptors, persistent for products. A Call can be launched or only compiled.

import os
from dataclasses import dataclass

import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import triton_source
from tensor_case import Type, cdiv

PROGRAMS = 132  # of a persistent kernel: the multiprocessors of an H200


@triton.jit
def matmul_tiles(a_desc, b_desc, c_desc, M, N, K, A_ROWS: tl.constexpr, B_ROWS: tl.constexpr, BLOCK_M: tl.constexpr,
                 BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, STORES: tl.constexpr,
                 FLATTEN: tl.constexpr, SPECIALISE: tl.constexpr, STRIDE: tl.constexpr):
    # A_ROWS and B_ROWS: the matrix lies in memory as it is multiplied; else transposed.
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    steps = tl.cdiv(K, BLOCK_K)
    per_group = GROUP_M * tiles_n
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, STRIDE, flatten=FLATTEN, warp_specialize=SPECIALISE):
        first = tile // per_group * GROUP_M
        rows = min(tiles_m - first, GROUP_M)
        m = (first + tile % rows) * BLOCK_M
        n = (tile % per_group) // rows * BLOCK_N
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for step in range(steps):
            k = step * BLOCK_K
            if A_ROWS:
                a = a_desc.load([m, k])
            else:
                a = a_desc.load([k, m]).T
            if B_ROWS:
                b = b_desc.load([k, n])
            else:
                b = b_desc.load([n, k]).T
            total = tl.dot(a, b, total)
        if STORES == 1:
            c_desc.store([m, n], total.to(c_desc.dtype))
        else:
            # Two stores of half the width need half the shared memory.
            left, right = tl.split(tl.permute(tl.reshape(total, (BLOCK_M, 2, BLOCK_N // 2)), (0, 2, 1)))
            c_desc.store([m, n], left.to(c_desc.dtype))
            c_desc.store([m, n + BLOCK_N // 2], right.to(c_desc.dtype))


@triton.jit
def attention_tiles(q_desc, k_desc, v_desc, out_desc, scale, length, DEPTH: tl.constexpr, BLOCK_M: tl.constexpr,
                    BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, SPECIALISE: tl.constexpr):
    # The length is a multiple of both blocks. Rows of all heads lie below each other.
    start = tl.program_id(0) * BLOCK_M
    base = tl.program_id(1) * length
    queries = start + tl.arange(0, BLOCK_M)
    keys = tl.arange(0, BLOCK_N)
    largest = tl.full([BLOCK_M], float("-inf"), tl.float32)
    weight = tl.zeros([BLOCK_M], tl.float32)
    total = tl.zeros([BLOCK_M, DEPTH], tl.float32)
    q = q_desc.load([base + start, 0])
    scale2 = scale * 1.4426950408889634
    if CAUSAL:
        visible = start
    else:
        visible = length
    for n in tl.range(0, visible, BLOCK_N, warp_specialize=SPECIALISE):
        scores = tl.dot(q, k_desc.load([base + n, 0]).T)
        grown = tl.maximum(largest, tl.max(scores, 1) * scale2)
        p = tl.math.exp2(scores * scale2 - grown[:, None])
        shrink = tl.math.exp2(largest - grown)
        weight = weight * shrink + tl.sum(p, 1)
        total = total * shrink[:, None]
        total = tl.dot(p.to(v_desc.dtype), v_desc.load([base + n, 0]), total)
        largest = grown
    if CAUSAL:
        for n in tl.range(start, start + BLOCK_M, BLOCK_N):
            scores = tl.dot(q, k_desc.load([base + n, 0]).T)
            scores = tl.where(queries[:, None] >= (n + keys)[None, :], scores * scale2, -1.0e6)
            grown = tl.maximum(largest, tl.max(scores, 1))
            p = tl.math.exp2(scores - grown[:, None])
            shrink = tl.math.exp2(largest - grown)
            weight = weight * shrink + tl.sum(p, 1)
            total = total * shrink[:, None]
            total = tl.dot(p.to(v_desc.dtype), v_desc.load([base + n, 0]), total)
            largest = grown
    out_desc.store([base + start, 0], (total / weight[:, None]).to(out_desc.dtype))


@dataclass
class Call:
    """A Triton kernel with its arguments."""
    kernel: object
    grid: tuple
    positional: tuple
    named: dict
    result: object = None  # the tensor that it writes, if that is not all outputs of the case

    def launch(self):
        self.kernel[self.grid](*self.positional, **self.named)
        return self.result

    def compile(self):
        self.kernel.warmup(*self.positional, grid=self.grid, **self.named)


def same_text(case, configuration, arguments, examples, folder):
    kernel = getattr(triton_source.load(os.path.join(examples, case.file), folder), case.entry)
    constants = {name: getattr(tl, value.name) if isinstance(value, Type) else value
                 for name, value in case.constants(configuration).items()}
    return Call(kernel, case.grid(configuration), (), dict(arguments, **constants, num_warps=configuration.warps,
                                                          num_stages=configuration.stages))


def matmul_descriptors(case, configuration, arguments):
    c = configuration.constants
    m, n, k = c["BLOCK_M"], c["BLOCK_N"], c["BLOCK_K"]

    def matrix(tensor, rows, columns, block_rows, block_columns, contiguous="n"):
        if contiguous == "t":
            rows, columns, block_rows, block_columns = columns, rows, block_columns, block_rows
        return TensorDescriptor(tensor, [rows, columns], [columns, 1], [block_rows, block_columns])

    a = matrix(arguments["a_ptr"], case.m, case.k, m, k, case.layout[0])
    b = matrix(arguments["b_ptr"], case.k, case.n, k, n, case.layout[1])
    out = matrix(arguments["c_ptr"], case.m, case.n, m, n // c["STORES"])
    programs = min(PROGRAMS, cdiv(case.m, m) * cdiv(case.n, n))
    return Call(matmul_tiles, (programs,), (a, b, out, case.m, case.n, case.k),
                dict(A_ROWS=case.layout[0] == "n", B_ROWS=case.layout[1] == "n", **c, GROUP_M=8, STRIDE=PROGRAMS,
                     num_warps=configuration.warps, num_stages=configuration.stages), arguments["c_ptr"])


def attention_descriptors(case, configuration, arguments):
    c, heads = configuration.constants, case.batch * case.heads

    def rows(name, block):
        return TensorDescriptor(arguments[name], [heads * case.length, case.depth], [case.depth, 1],
                                [block, case.depth])

    return Call(attention_tiles, (case.length // c["BLOCK_M"], heads),
                (rows("q_ptr", c["BLOCK_M"]), rows("k_ptr", c["BLOCK_N"]), rows("v_ptr", c["BLOCK_N"]),
                 rows("out_ptr", c["BLOCK_M"]), arguments["scale"], case.length),
                dict(DEPTH=case.depth, CAUSAL=case.causal, **c, num_warps=configuration.warps,
                     num_stages=configuration.stages), arguments["out_ptr"])


DESCRIPTORS = dict(matmul=matmul_descriptors, attention=attention_descriptors)


def call(kind, case, configuration, arguments, examples, folder):
    """`kind`: triton for the same text, triton-tma for the kernels with descriptors."""
    if kind == "triton":
        return same_text(case, configuration, arguments, examples, folder)
    return DESCRIPTORS[case.name](case, configuration, arguments)


def calls(case):
    """Kind and configuration of all of them."""
    return [("triton", c) for c in case.configurations] + [("triton-tma", c) for c in case.tiles]
