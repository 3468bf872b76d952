# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A matrix product in groups of rows, with a function that the kernel is given."""

import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()
SLOPE = tl.constexpr(0.01)


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, SLOPE * x)


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
                  ACTIVATION: tl.constexpr):
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    tile = tl.program_id(axis=0)
    tile_m, tile_n = tl.swizzle2d(tile // tiles_n, tile % tiles_n, tiles_m, tiles_n, GROUP)
    tl.assume(tile_m >= 0)
    m = (tile_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    n = (tile_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak
    b_ptrs = b_ptr + k[:, None] * stride_bk + n[None, :] * stride_bn
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        rest = K - step * BLOCK_K
        a = tl.load(a_ptrs, mask=k[None, :] < rest, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < rest, other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    if ACTIVATION is not None:
        total = ACTIVATION(total)
    m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + m[:, None] * stride_cm + n[None, :] * stride_cn
    tl.store(c_ptrs, total.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))


def matmul(a, b, activation=None):
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), device=a.device, dtype=torch.float16)
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]), )  # noqa: E731
    matmul_kernel[grid](a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1),
                        BLOCK_M=32, BLOCK_N=32, BLOCK_K=32, GROUP=2, ACTIVATION=activation, num_warps=4, num_stages=2)
    return c


torch.manual_seed(0)
a = torch.randn(70, 50, device=DEVICE, dtype=torch.float16)
b = torch.randn(50, 40, device=DEVICE, dtype=torch.float16)
expected = a.float() @ b.float()
assert torch.allclose(matmul(a, b).float(), expected, atol=2e-2, rtol=2e-3)
expected = torch.nn.functional.leaky_relu(expected, 0.01)
assert torch.allclose(matmul(a, b, leaky_relu).float(), expected, atol=2e-2, rtol=2e-3)
print("ok")
