# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of vectors: a mask at the end, and a grid that depends on the block's size."""

import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def add_kernel(a_ptr, b_ptr, sum_ptr, count, BLOCK: tl.constexpr):
    first = tl.program_id(axis=0) * BLOCK
    offsets = first + tl.arange(0, BLOCK)
    inside = offsets < count
    total = tl.load(a_ptr + offsets, mask=inside) + tl.load(b_ptr + offsets, mask=inside)
    tl.store(sum_ptr + offsets, total, mask=inside)


def add(a: torch.Tensor, b: torch.Tensor):
    result = torch.empty_like(a)
    count = result.numel()
    add_kernel[lambda meta: (triton.cdiv(count, meta["BLOCK"]), )](a, b, result, count, BLOCK=1024)
    return result


torch.manual_seed(0)
a, b = torch.rand(5003, device=DEVICE), torch.rand(5003, device=DEVICE)
assert torch.equal(add(a, b), a + b)
print("ok")
