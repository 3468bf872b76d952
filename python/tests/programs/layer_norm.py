# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layer norm with its backward pass in two kernels, the first of which adds up rows behind a lock."""

import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def forward_kernel(X, Y, W, B, Mean, Rstd, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    Y += row * stride
    X += row * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for first in range(0, N, BLOCK):
        at = first + tl.arange(0, BLOCK)
        total += tl.load(X + at, mask=at < N, other=0.).to(tl.float32)
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for first in range(0, N, BLOCK):
        at = first + tl.arange(0, BLOCK)
        x = tl.load(X + at, mask=at < N, other=0.).to(tl.float32)
        x = tl.where(at < N, x - mean, 0.)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    for first in range(0, N, BLOCK):
        at = first + tl.arange(0, BLOCK)
        inside = at < N
        x = tl.load(X + at, mask=inside, other=0.).to(tl.float32)
        y = (x - mean) * rstd * tl.load(W + at, mask=inside) + tl.load(B + at, mask=inside)
        tl.store(Y + at, y, mask=inside)


@triton.jit
def backward_kernel(DX, DY, DW, DB, X, W, Mean, Rstd, Lock, stride, N, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < N
    x = tl.load(X + row * stride + at, mask=inside, other=0).to(tl.float32)
    dy = tl.load(DY + row * stride + at, mask=inside, other=0).to(tl.float32)
    w = tl.load(W + at, mask=inside).to(tl.float32)
    rstd = tl.load(Rstd + row)
    xhat = tl.where(inside, (x - tl.load(Mean + row)) * rstd, 0.)
    wdy = tl.where(inside, w * dy, 0.)
    c1 = tl.sum(xhat * wdy, axis=0) / N
    c2 = tl.sum(wdy, axis=0) / N
    tl.store(DX + row * stride + at, (wdy - (xhat * c1 + c2)) * rstd, mask=inside)
    group = row % GROUPS
    Lock += group
    Count = Lock + GROUPS
    DW += group * N + at
    DB += group * N + at
    dw, db = dy * xhat, dy
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    count = tl.load(Count)
    if count == 0:
        tl.atomic_xchg(Count, 1)
    else:
        dw += tl.load(DW, mask=inside)
        db += tl.load(DB, mask=inside)
    tl.store(DW, dw, mask=inside)
    tl.store(DB, db, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(Lock, 0)


class LayerNorm(torch.autograd.Function):

    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        y = torch.empty_like(x)
        M, N = x.shape
        mean, rstd = torch.empty(M, device=x.device), torch.empty(M, device=x.device)
        forward_kernel[(M, )](x, y, weight, bias, mean, rstd, x.stride(0), N, eps, BLOCK=64, num_warps=2)
        ctx.save_for_backward(x, weight, mean, rstd)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, weight, mean, rstd = ctx.saved_tensors
        M, N = x.shape
        groups = 4
        locks = torch.zeros(2 * groups, dtype=torch.int32, device=x.device)
        dw, db = torch.zeros(groups, N, device=x.device), torch.zeros(groups, N, device=x.device)
        dx = torch.empty_like(dy)
        backward_kernel[(M, )](dx, dy.contiguous(), dw, db, x, weight, mean, rstd, locks, x.stride(0), N, GROUPS=groups,
                               BLOCK=triton.next_power_of_2(N), num_warps=4)
        return dx, dw.sum(0), db.sum(0), None


torch.manual_seed(0)
x = torch.randn(11, 100, device=DEVICE, requires_grad=True)
weight, bias = (torch.rand(100, device=DEVICE, requires_grad=True) for _ in range(2))
dy = torch.randn(11, 100, device=DEVICE)
results = []
for norm in (lambda: LayerNorm.apply(x, weight, bias, 1e-5), lambda: torch.nn.functional.layer_norm(
    x, (100, ), weight, bias, 1e-5)):
    x.grad = weight.grad = bias.grad = None
    y = norm()
    y.backward(dy)
    results.append((y.detach(), x.grad, weight.grad, bias.grad))
for ours, theirs in zip(*results):
    assert torch.allclose(ours, theirs, atol=1e-4), (ours - theirs).abs().max()
print("ok")
