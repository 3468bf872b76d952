# Everything masked in one loop; the tensors of a head as a tuple that is handed around.
import triton
import triton.language as tl

from project.parts import LOG2_E


@triton.jit
def head_of(tensors, offset):
    return [tensor + offset for tensor in tensors]


@triton.jit
def load_rows(ptr, rows, cols, limit, stride):
    return tl.load(ptr + rows[:, None] * stride + cols[None, :], mask=(rows < limit)[:, None], other=0.0)


@triton.jit
def store_rows(ptr, rows, cols, limit, stride, value):
    tl.store(ptr + rows[:, None] * stride + cols[None, :], value.to(ptr.dtype.element_ty), mask=(rows < limit)[:, None])


@triton.jit
def attention_backward_rows(out_ptr, dout_ptr, lse_ptr, lse2_ptr, delta_ptr, seq_len, HEAD_DIM: tl.constexpr,
                            BLOCK_M: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    base = tl.program_id(1).to(tl.int64) * seq_len
    cols = tl.arange(0, HEAD_DIM)
    o, do = head_of((out_ptr, dout_ptr), base * HEAD_DIM)
    product = load_rows(o, rows, cols, seq_len, HEAD_DIM).to(tl.float32)
    product *= load_rows(do, rows, cols, seq_len, HEAD_DIM).to(tl.float32)
    lse, lse2, delta = head_of((lse_ptr, lse2_ptr, delta_ptr), base)
    inside = rows < seq_len
    tl.store(delta + rows, tl.sum(product, axis=1), mask=inside)
    tl.store(lse2 + rows, tl.load(lse + rows, mask=inside, other=0.0) * LOG2_E, mask=inside)


@triton.jit
def weights(qk, lse2, rows, cols, seq_len, scale, CAUSAL: tl.constexpr):
    p = tl.math.exp2(qk * (scale * LOG2_E) - lse2)
    visible = cols < seq_len
    if CAUSAL:
        visible = visible & (rows >= cols)
    return tl.where(visible, p, 0.0)


@triton.jit
def attention_backward_keys(q_ptr, k_ptr, v_ptr, dout_ptr, lse2_ptr, delta_ptr, dk_ptr, dv_ptr, seq_len, scale,
                            HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    base = tl.program_id(1).to(tl.int64) * seq_len
    q_ptr, k_ptr, v_ptr, dout_ptr, dk_ptr, dv_ptr = head_of((q_ptr, k_ptr, v_ptr, dout_ptr, dk_ptr, dv_ptr), base * HEAD_DIM)
    lse2_ptr, delta_ptr = head_of((lse2_ptr, delta_ptr), base)
    start_n = tl.program_id(0) * BLOCK_N
    keys = start_n + tl.arange(0, BLOCK_N)
    cols = tl.arange(0, HEAD_DIM)
    k = load_rows(k_ptr, keys, cols, seq_len, HEAD_DIM)
    v = load_rows(v_ptr, keys, cols, seq_len, HEAD_DIM)
    dk = tl.zeros([BLOCK_N, HEAD_DIM], dtype=tl.float32)
    dv = tl.zeros([BLOCK_N, HEAD_DIM], dtype=tl.float32)
    begin = start_n // BLOCK_M * BLOCK_M if CAUSAL else 0
    for start_m in range(begin, seq_len, BLOCK_M):
        rows = start_m + tl.arange(0, BLOCK_M)
        q = load_rows(q_ptr, rows, cols, seq_len, HEAD_DIM)
        do = load_rows(dout_ptr, rows, cols, seq_len, HEAD_DIM)
        lse2 = tl.load(lse2_ptr + rows, mask=rows < seq_len, other=0.0)
        delta = tl.load(delta_ptr + rows, mask=rows < seq_len, other=0.0)
        p = weights(tl.dot(q, tl.trans(k)), lse2[:, None], rows[:, None], keys[None, :], seq_len, scale, CAUSAL)
        dv += tl.dot(tl.trans(p).to(do.dtype), do)
        ds = p * (tl.dot(do, tl.trans(v)) - delta[:, None])
        dk += tl.dot(tl.trans(ds).to(q.dtype), q)
    store_rows(dv_ptr, keys, cols, seq_len, HEAD_DIM, dv)
    store_rows(dk_ptr, keys, cols, seq_len, HEAD_DIM, value=dk * scale)


@triton.jit
def attention_backward_queries(q_ptr, k_ptr, v_ptr, dout_ptr, lse2_ptr, delta_ptr, dq_ptr, seq_len, scale,
                               HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                               CAUSAL: tl.constexpr):
    base = tl.program_id(1).to(tl.int64) * seq_len
    q_ptr, k_ptr, v_ptr, dout_ptr, dq_ptr = head_of((q_ptr, k_ptr, v_ptr, dout_ptr, dq_ptr), base * HEAD_DIM)
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.arange(0, HEAD_DIM)
    q = load_rows(q_ptr, rows, cols, seq_len, HEAD_DIM)
    do = load_rows(dout_ptr, rows, cols, seq_len, HEAD_DIM)
    lse2 = tl.load(lse2_ptr + base + rows, mask=rows < seq_len, other=0.0)[:, None]
    delta = tl.load(delta_ptr + base + rows, mask=rows < seq_len, other=0.0)[:, None]
    dq = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    for start_n in range(0, seq_len, BLOCK_N):
        if CAUSAL and start_n >= (tl.program_id(0) + 1) * BLOCK_M:
            break
        keys = start_n + tl.arange(0, BLOCK_N)
        k = load_rows(k_ptr, keys, cols, seq_len, HEAD_DIM)
        v = load_rows(v_ptr, keys, cols, seq_len, HEAD_DIM)
        p = weights(tl.dot(q, tl.trans(k)), lse2, rows[:, None], keys[None, :], seq_len, scale, CAUSAL=CAUSAL)
        dq += tl.dot((p * (tl.dot(do, tl.trans(v)) - delta)).to(k.dtype), k)
    store_rows(dq_ptr, rows, cols, seq_len, HEAD_DIM, dq * scale)
