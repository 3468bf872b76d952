# Pointers as arguments of helpers; `+=` of a product; a batch by expand_dims.
import triton
import triton.language as tl


@triton.jit
def load_tile(ptr, rows, cols, n_rows, n_cols, stride):
    offs = rows[:, None] * stride + cols[None, :]
    return tl.load(ptr + offs, mask=(rows < n_rows)[:, None] & (cols < n_cols)[None, :], other=0.0)


@triton.jit
def batched_matmul(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    pid = tl.program_id(0)
    batch = tl.program_id(1).to(tl.int64)
    pid_m = pid // tl.cdiv(N, BLOCK_N)
    pid_n = pid % tl.cdiv(N, BLOCK_N)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    a_ptr, b_ptr, c_ptr = a_ptr + batch * M * K, b_ptr + batch * K * N, c_ptr + batch * M * N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    k = 0
    while k < K:
        rk = k + tl.arange(0, BLOCK_K)
        acc += tl.dot(load_tile(a_ptr, rm, rk, M, K, K), load_tile(b_ptr, rk, rn, K, N, N), out_dtype=tl.float32)
        k += BLOCK_K
    tl.store(
        c_ptr + rm[:, None] * N + rn[None, :],
        acc.to(c_ptr.dtype.element_ty),
        mask=tl.expand_dims(rm < M, 1) & tl.expand_dims(rn < N, 0),
    )


@triton.jit
def small_matmuls(a_ptr, b_ptr, c_ptr, count, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, BATCH: tl.constexpr):
    batch = tl.program_id(0) * BATCH + tl.arange(0, BATCH)
    inside = tl.expand_dims(batch < count, [1, 2])
    start = tl.expand_dims(batch, (1, 2)).to(tl.int64)
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + start * M * K + (m[:, None] * K + k[None, :])[None, :, :], mask=inside, other=0.0)
    b = tl.load(b_ptr + start * K * N + (k[:, None] * N + n[None, :])[None, :, :], mask=inside, other=0.0)
    c = tl.dot(a, b)
    tl.store(c_ptr + start * M * N + (m[:, None] * N + n[None, :])[None], c.to(c_ptr.dtype.element_ty), mask=inside)
