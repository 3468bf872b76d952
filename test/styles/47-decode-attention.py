# Early returns, scores by queries, a helper from a module with another name.
import triton
import triton.language as tl

import project.parts as helpers


@triton.jit
def write(partial_ptr, lse2_ptr, results, offs_h, offs_d, acc, lse2, HEAD_DIM: tl.constexpr, GROUP: tl.constexpr):
    tl.store(lse2_ptr + results, lse2, mask=offs_h < GROUP)
    tl.store(partial_ptr + results[:, None] * HEAD_DIM + offs_d[None, :], acc, mask=offs_h[:, None] < GROUP)


@triton.jit
def decode_attention(q_ptr, k_ptr, v_ptr, table_ptr, lengths_ptr, partial_ptr, lse2_ptr, kv_heads, table_stride, scale,
                     HEAD_DIM: tl.constexpr, PAGE: tl.constexpr, GROUP: tl.constexpr, BLOCK_H: tl.constexpr,
                     BLOCK_N: tl.constexpr, SPLITS: tl.constexpr):
    split, kv_head, sequence = [tl.program_id(axis) for axis in (0, 1, 2)]
    sequence = sequence.to(tl.int64)
    length = tl.load(lengths_ptr + sequence)
    share = tl.cdiv(tl.cdiv(length, SPLITS), BLOCK_N) * BLOCK_N
    begin = split * share
    end = min(begin + share, length)
    offs_h = tl.arange(0, BLOCK_H)
    offs_d = tl.arange(0, HEAD_DIM)
    heads = (sequence * kv_heads + kv_head) * GROUP + offs_h
    results = heads * SPLITS + split
    acc = tl.zeros((BLOCK_H, HEAD_DIM), dtype=tl.float32)
    e_max = tl.full((BLOCK_H,), float("-inf"), dtype=tl.float32)
    e_sum = tl.zeros((BLOCK_H,), dtype=tl.float32)
    if begin >= end:
        write(partial_ptr, lse2_ptr, results, offs_h, offs_d, acc, e_max, HEAD_DIM, GROUP)
        return
    q = tl.load(q_ptr + heads[:, None] * HEAD_DIM + offs_d[None, :], mask=offs_h[:, None] < GROUP, other=0.0)
    qk_scale = scale * helpers.LOG2_E
    for start in range(begin, end, BLOCK_N):
        offs_n = start + tl.arange(0, BLOCK_N)
        inside = offs_n < end
        page = tl.load(table_ptr + sequence * table_stride + offs_n // PAGE, mask=inside, other=0).to(tl.int64)
        location = (page * PAGE + offs_n % PAGE) * kv_heads + kv_head
        k = tl.load(k_ptr + location[None, :] * HEAD_DIM + offs_d[:, None], mask=inside[None, :], other=0.0)
        v = tl.load(v_ptr + location[:, None] * HEAD_DIM + offs_d[None, :], mask=inside[:, None], other=0.0)
        qk = tl.where(inside[None, :], tl.dot(q, k) * qk_scale, float("-inf"))
        n_max = tl.maximum(tl.max(qk, 1), e_max)
        alpha = tl.exp2(e_max - n_max)
        p = tl.exp2(qk - n_max[:, None])
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        e_sum = e_sum * alpha + tl.sum(p, 1)
        e_max = n_max
    write(partial_ptr, lse2_ptr, results, offs_h, offs_d, acc / e_sum[:, None], e_max + tl.log2(e_sum), HEAD_DIM, GROUP)


@triton.jit
def join_splits(partial_ptr, lse2_ptr, out_ptr, HEAD_DIM: tl.constexpr, SPLITS: tl.constexpr):
    head = tl.program_id(0).to(tl.int64)
    offs_d = tl.arange(0, HEAD_DIM)
    e_max = -1e30
    e_sum = 0.0
    acc = tl.zeros([HEAD_DIM], dtype=tl.float32)
    for split in tl.static_range(0, SPLITS):
        lse2 = tl.load(lse2_ptr + head * SPLITS + split)
        value = tl.load(partial_ptr + (head * SPLITS + split) * HEAD_DIM + offs_d)
        n_max = tl.maximum(lse2, e_max)
        old_scale = tl.exp2(e_max - n_max)
        weight = tl.exp2(lse2 - n_max)
        acc = acc * old_scale + weight * value
        e_sum = e_sum * old_scale + weight
        e_max = n_max
    tl.store(out_ptr + head * HEAD_DIM + offs_d, (acc / tl.maximum(e_sum, 1e-30)).to(out_ptr.dtype.element_ty))
