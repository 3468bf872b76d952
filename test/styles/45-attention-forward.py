# Block pointers in stages, as in the tutorials; the state of the rows is a named tuple.
from typing import NamedTuple

import triton
import triton.language as tl

from project.parts import LN_2, LOG2_E


class State(NamedTuple):
    acc: tl.tensor
    l_i: tl.tensor
    m_i: tl.tensor


@triton.jit
def attn_inner(state, q, k_block, v_block, lo, hi, offs_m, seq_len, qk_scale, BLOCK_N: tl.constexpr, STAGE: tl.constexpr,
               CAUSAL: tl.constexpr):
    acc, l_i, m_i = state
    k_block = tl.advance(k_block, (0, lo))
    v_block = tl.advance(v_block, (lo, 0))
    for start_n in tl.range(lo, hi, BLOCK_N, num_stages=2):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        offs_n = start_n + tl.arange(0, BLOCK_N)
        k = tl.load(k_block, boundary_check=(1,), padding_option="zero")
        qk = tl.dot(q, k)
        if STAGE == 2:
            mask = (offs_n[None, :] < seq_len) & (offs_m[:, None] >= offs_n[None, :] if CAUSAL else True)
            qk = qk * qk_scale + tl.where(mask, 0, float("-inf"))
            m_ij = tl.maximum(m_i, tl.max(qk, 1))
            qk -= m_ij[:, None]
        else:
            m_ij = tl.maximum(m_i, tl.max(qk, 1) * qk_scale)
            qk = qk * qk_scale - m_ij[:, None]
        p = tl.math.exp2(qk)
        alpha = tl.math.exp2(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(v_block, boundary_check=(0,), padding_option="zero")
        acc = tl.dot(p.to(v.dtype), v, acc)
        m_i = m_ij
        k_block = tl.advance(k_block, (0, BLOCK_N))
        v_block = tl.advance(v_block, (BLOCK_N, 0))
    return State(acc, l_i, m_i)


@triton.heuristics(values={"STAGE": lambda args: 3 if args["CAUSAL"] else 1})
@triton.jit
def attention_forward(q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, seq_len, scale, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr,
                      BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, STAGE: tl.constexpr):
    start_m = tl.program_id(0)
    off_hz = tl.program_id(1)
    qvk_offset = off_hz.to(tl.int64) * seq_len * HEAD_DIM
    q_block = tl.make_block_ptr(q_ptr + qvk_offset, (seq_len, HEAD_DIM), (HEAD_DIM, 1), (start_m * BLOCK_M, 0),
                                (BLOCK_M, HEAD_DIM), (1, 0))
    k_block = tl.make_block_ptr(k_ptr + qvk_offset, (HEAD_DIM, seq_len), (1, HEAD_DIM), (0, 0), (HEAD_DIM, BLOCK_N), (0, 1))
    v_block = tl.make_block_ptr(v_ptr + qvk_offset, (seq_len, HEAD_DIM), (HEAD_DIM, 1), (0, 0), (BLOCK_N, HEAD_DIM), (1, 0))
    o_block = tl.make_block_ptr(out_ptr + qvk_offset, (seq_len, HEAD_DIM), (HEAD_DIM, 1), (start_m * BLOCK_M, 0),
                                (BLOCK_M, HEAD_DIM), (1, 0))
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    state = State(tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32), tl.zeros([BLOCK_M], dtype=tl.float32),
                  tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf"))
    q = tl.load(q_block, boundary_check=(0,), padding_option="zero")
    whole = seq_len // BLOCK_N * BLOCK_N
    end = seq_len
    if STAGE & 2:
        end = min(seq_len, (start_m + 1) * BLOCK_M)
        whole = min(whole, start_m * BLOCK_M // BLOCK_N * BLOCK_N)
    # Stage 1: keys that all rows see; stage 2: the rest.
    state = attn_inner(state, q, k_block, v_block, 0, whole, offs_m, seq_len, scale * LOG2_E, BLOCK_N, 1, CAUSAL)
    state = attn_inner(state, q, k_block, v_block, whole, end, offs_m, seq_len, scale * LOG2_E, BLOCK_N, 2, CAUSAL)
    acc = state.acc / state.l_i[:, None]
    tl.store(o_block, acc.to(out_ptr.type.element_ty), boundary_check=(0,))
    lse = (state.m_i + tl.math.log2(state.l_i)) * LN_2
    tl.store(lse_ptr + off_hz.to(tl.int64) * seq_len + offs_m, lse, mask=offs_m < seq_len)
