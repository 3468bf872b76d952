# Asserted constants, a ternary of runtime values, a nested function of the host around the kernel's options.
import triton
import triton.language as tl

from project.parts import swizzle


@triton.constexpr_function
def step_of(block, splits):
    return block * splits


@triton.jit
def dequantise(w, scale, dtype: tl.constexpr):
    return w.to(dtype) if scale is None else w.to(dtype) * scale.to(dtype)


@triton.jit
def w8a16_matmul(a_ptr, w_ptr, scale_ptr, c_ptr, parts_ptr, arrivals_ptr, M, N, K, stride_wn, stride_wk,
                 BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
                 SPLIT_K: tl.constexpr):
    tl.static_assert(w_ptr.dtype.element_ty == tl.int8, "weights are int8")
    STEP: tl.constexpr = step_of(BLOCK_K, SPLIT_K)
    pid, split = tl.program_id(0), tl.program_id(1)
    pid_m, pid_n = swizzle(pid, tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    # Addresses wrap around instead of being masked.
    ram = tl.where(rm < M, rm, 0)
    rbn = tl.where(rn < N, rn, 0)
    rk = split * BLOCK_K + tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (ram[:, None] * K + rk[None, :])
    w_ptrs = w_ptr + (rk[:, None] * stride_wk + rbn[None, :] * stride_wn)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, tl.cdiv(K, STEP)):
        left = K - k * STEP - split * BLOCK_K
        inside = tl.arange(0, BLOCK_K) < left
        a = tl.load(a_ptrs, mask=inside[None, :], other=0.0)
        w = tl.load(w_ptrs, mask=inside[:, None], other=0)
        acc += tl.dot(a, dequantise(w, None, a.dtype))
        a_ptrs += STEP
        w_ptrs += STEP * stride_wk
    scale = tl.load(scale_ptr + rn, mask=rn < N, other=0.0)[None, :]
    offsets = rm[:, None] * N + rn[None, :]
    mask = (rm < M)[:, None] & (rn < N)[None, :]
    if SPLIT_K > 1:
        tl.store(parts_ptr + split * (M * N) + offsets, acc, mask=mask)
        tl.debug_barrier()
        count = tl.atomic_add(arrivals_ptr + pid, 1)
        if count != SPLIT_K - 1:
            return
        acc = tl.zeros_like(acc)
        for part in tl.static_range(SPLIT_K):
            acc += tl.load(parts_ptr + part * (M * N) + offsets, mask=mask, other=0.0)
        tl.atomic_xchg(arrivals_ptr + pid, 0, sem="relaxed")
    tl.store(c_ptr + offsets, (acc * scale).to(c_ptr.dtype.element_ty), mask=mask)
