# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The gradients of attention in the way of Triton's tutorial: one program holds a block of keys, walks over the queries for
# dK and dV, then holds the queries of the same places, and walks over the keys for dQ.

import triton
import triton.language as tl


@triton.jit
def gradient_rows(out_ptr, dout_ptr, delta_ptr, DEPTH: tl.constexpr, BLOCK: tl.constexpr):
    rows = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)).to(tl.int64)
    places = rows[:, None] * DEPTH + tl.arange(0, DEPTH)[None, :]
    out = tl.load(out_ptr + places).to(tl.float32)
    tl.store(delta_ptr + rows, tl.sum(out * tl.load(dout_ptr + places).to(tl.float32), 1))


@triton.jit
def gradients_of_keys(dk, dv, k, v, q_ptr, dout_ptr, lse_ptr, delta_ptr, keys, first, blocks, DEPTH: tl.constexpr,
                      BLOCK: tl.constexpr, MASKED: tl.constexpr):
    queries, depth = first + tl.arange(0, BLOCK), tl.arange(0, DEPTH)
    qt_ptrs = q_ptr + queries[None, :] * DEPTH + depth[:, None]
    dout_ptrs = dout_ptr + queries[:, None] * DEPTH + depth[None, :]
    for _ in range(blocks):
        qt = tl.load(qt_ptrs)
        p = tl.math.exp2(tl.dot(k, qt) - tl.load(lse_ptr + queries)[None, :])
        if MASKED:
            p = tl.where(queries[None, :] >= keys[:, None], p, 0.0)
        dout = tl.load(dout_ptrs)
        dv += tl.dot(p.to(dout.dtype), dout)
        dp = tl.dot(v, tl.trans(dout)).to(tl.float32)
        ds = p * (dp - tl.load(delta_ptr + queries)[None, :])
        dk += tl.dot(ds.to(qt.dtype), tl.trans(qt))
        queries += BLOCK
        qt_ptrs += BLOCK * DEPTH
        dout_ptrs += BLOCK * DEPTH
    return dk, dv


@triton.jit
def gradients_of_queries(dq, q, dout, lse, delta, k_ptr, v_ptr, queries, first, blocks, DEPTH: tl.constexpr,
                         BLOCK: tl.constexpr, MASKED: tl.constexpr):
    keys, depth = first + tl.arange(0, BLOCK), tl.arange(0, DEPTH)
    kt_ptrs = k_ptr + keys[None, :] * DEPTH + depth[:, None]
    vt_ptrs = v_ptr + keys[None, :] * DEPTH + depth[:, None]
    for _ in range(blocks):
        kt, vt = tl.load(kt_ptrs), tl.load(vt_ptrs)
        p = tl.math.exp2(tl.dot(q, kt) - lse)
        if MASKED:
            p = tl.where(queries[:, None] >= keys[None, :], p, 0.0)
        ds = p * (tl.dot(dout, vt).to(tl.float32) - delta)
        dq += tl.dot(ds.to(kt.dtype), tl.trans(kt))
        keys += BLOCK
        kt_ptrs += BLOCK * DEPTH
        vt_ptrs += BLOCK * DEPTH
    return dq


@triton.jit
def gradient_tiles(q_ptr, k_ptr, v_ptr, dout_ptr, lse_ptr, delta_ptr, dq_ptr, dk_ptr, dv_ptr, scale, length,
                   DEPTH: tl.constexpr, BLOCK_M1: tl.constexpr, BLOCK_N1: tl.constexpr, BLOCK_M2: tl.constexpr,
                   BLOCK_N2: tl.constexpr, CAUSAL: tl.constexpr):
    # The keys arrive multiplied by scale * log2(e). The length is a multiple of all blocks, and BLOCK_N1 is BLOCK_M2: a
    # program does the gradients of as many keys as queries, so that with CAUSAL all have the same work.
    base = (tl.program_id(1) * length).to(tl.int64)
    q_ptr += base * DEPTH
    k_ptr += base * DEPTH
    v_ptr += base * DEPTH
    dout_ptr += base * DEPTH
    lse_ptr += base
    delta_ptr += base
    start = tl.program_id(0) * BLOCK_N1
    depth = tl.arange(0, DEPTH)
    rows = start + tl.arange(0, BLOCK_N1)
    places = rows[:, None] * DEPTH + depth[None, :]
    k, v = tl.load(k_ptr + places), tl.load(v_ptr + places)
    dk = tl.zeros([BLOCK_N1, DEPTH], tl.float32)
    dv = tl.zeros([BLOCK_N1, DEPTH], tl.float32)
    HALF_M: tl.constexpr = BLOCK_M1 // 2 if BLOCK_M1 > 32 else 16
    begin = 0
    if CAUSAL:
        dk, dv = gradients_of_keys(dk, dv, k, v, q_ptr, dout_ptr, lse_ptr, delta_ptr, rows, start, BLOCK_N1 // HALF_M,
                                   DEPTH, HALF_M, True)
        begin = start + BLOCK_N1
    dk, dv = gradients_of_keys(dk, dv, k, v, q_ptr, dout_ptr, lse_ptr, delta_ptr, rows, begin,
                               (length - begin) // BLOCK_M1, DEPTH, BLOCK_M1, False)
    tl.store(dv_ptr + base * DEPTH + places, dv.to(dv_ptr.dtype.element_ty))
    tl.store(dk_ptr + base * DEPTH + places, (dk * scale).to(dk_ptr.dtype.element_ty))
    q, dout = tl.load(q_ptr + places), tl.load(dout_ptr + places)
    lse, delta = tl.load(lse_ptr + rows)[:, None], tl.load(delta_ptr + rows)[:, None]
    dq = tl.zeros([BLOCK_M2, DEPTH], tl.float32)
    HALF_N: tl.constexpr = BLOCK_N2 // 2 if BLOCK_N2 > 32 else 16
    end = length
    if CAUSAL:
        dq = gradients_of_queries(dq, q, dout, lse, delta, k_ptr, v_ptr, rows, start, BLOCK_M2 // HALF_N, DEPTH, HALF_N,
                                  True)
        end = start
    dq = gradients_of_queries(dq, q, dout, lse, delta, k_ptr, v_ptr, rows, 0, end // BLOCK_N2, DEPTH, BLOCK_N2, False)
    # The scale that the keys have makes up for the one of the scores.
    tl.store(dq_ptr + base * DEPTH + places, (dq * 0.6931471805599453).to(dq_ptr.dtype.element_ty))
