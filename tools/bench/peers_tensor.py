# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What Triton does for the tensor-core cases: the very same text with the same configurations, and kernels of its own
# style: with host-side tensor descriptors, persistent for products; for quantised weights as they are usually written. A
# Call can be launched or only compiled.

import functools
import os
from dataclasses import dataclass

import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import triton_source
from peers_backward import gradient_rows, gradient_tiles
from tensor_case import Type, cdiv, source_of, steps_of, with_tensors

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


@triton.jit
def w8a16_tiles(a_ptr, w_ptr, scale_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                BLOCK_K: tl.constexpr):
    # N and K are multiples of the blocks. The weights have one row per column of C.
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * K + depth[None, :]
    w_ptrs = w_ptr + columns[None, :] * K + depth[:, None]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs, mask=rows[:, None] < M, other=0.0)
        total = tl.dot(a, tl.load(w_ptrs).to(a_ptr.dtype.element_ty), total)
        a_ptrs += BLOCK_K
        w_ptrs += BLOCK_K
    total = total * tl.load(scale_ptr + columns)[None, :]
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], total.to(c_ptr.dtype.element_ty), mask=rows[:, None] < M)


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


@dataclass
class Calls:
    """Kernels that run one after the other."""
    calls: list
    result: object = None

    def launch(self):
        for call in self.calls:
            call.launch()
        return self.result

    def compile(self):
        for call in self.calls:
            call.compile()


def same_text(case, configuration, arguments, examples, folder):
    source = source_of(case, configuration)
    kernel = getattr(triton_source.load(os.path.join(examples, source.file), folder), source.entry)
    constants = {name: getattr(tl, value.name) if isinstance(value, Type) else value
                 for name, value in case.constants(configuration).items()}
    values = with_tensors(case.values(configuration), arguments)
    return Call(kernel, case.grid(configuration), (), dict(values, **constants, num_warps=configuration.warps,
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


def w8a16_plain(case, configuration, arguments):
    c = configuration.constants
    names = ("a_ptr", "w_ptr", "scale_ptr", "c_ptr", "M", "N", "K")
    return Call(w8a16_tiles, (case.n // c["BLOCK_N"], cdiv(case.m, c["BLOCK_M"])), tuple(arguments[n] for n in names),
                dict(**c, num_warps=configuration.warps, num_stages=configuration.stages), arguments["c_ptr"])


def gradients_in_one(case, configuration, arguments):
    """The kernels of Triton's tutorial. What it keeps from the forward pass, or does to the keys outside of its kernels,
    is not in the time."""
    c, heads, a = configuration.constants, case.batch * case.heads, arguments
    keys = scaled_keys(a["k_ptr"], a["scale"])
    rows = Call(gradient_rows, (heads * case.length // 128,), (a["out_ptr"], a["dout_ptr"], a["delta_ptr"]),
                dict(DEPTH=case.depth, BLOCK=128))
    both = Call(gradient_tiles, (case.length // c["BLOCK_N1"], heads),
                (a["q_ptr"], keys, a["v_ptr"], a["dout_ptr"], a["log2_lse"], a["delta_ptr"], a["dq_ptr"], a["dk_ptr"],
                 a["dv_ptr"], a["scale"], case.length),
                dict(DEPTH=case.depth, CAUSAL=case.causal, **c, num_warps=configuration.warps,
                     num_stages=configuration.stages))
    return Calls([rows, both], [a["dq_ptr"], a["dk_ptr"], a["dv_ptr"]])


@functools.lru_cache(1)
def scaled_keys(keys, scale):
    return keys * (scale * 1.4426950408889634)


# By case: the kind and the kernel of Triton's own style.
OWN = dict(matmul=("triton-tma", matmul_descriptors), attention=("triton-tma", attention_descriptors),
           attention_backward=("triton-own", gradients_in_one), w8a16=("triton-own", w8a16_plain))


def style_of(case):
    """The same for sizes that were drawn."""
    return OWN[case.name.removeprefix("random_").removeprefix("drawn_")]


def call(kind, case, configuration, arguments, examples, folder):
    """`kind`: triton for the same text, else the kernel of Triton's own style."""
    if kind == "triton":
        calls = [same_text(step, own, arguments, examples, folder) for step, own in steps_of(case, configuration)]
        return calls[0] if len(calls) == 1 else Calls(calls)
    return style_of(case)[1](case, configuration, arguments)


def calls(case):
    """Kind and configuration of all of them."""
    return [("triton", c) for c in case.configurations] + [(style_of(case)[0], c) for c in case.tiles]
