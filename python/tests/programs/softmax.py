# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax of rows by a few programs: how many, the properties of the device and the compiled kernel say."""

import torch
import triton
import triton.language as tl
from triton.runtime import driver

DEVICE = driver.active.get_active_torch_device()
PROPERTIES = driver.active.utils.get_device_properties(driver.active.get_current_device())


@triton.jit
def softmax_kernel(out_ptr, x_ptr, x_stride, out_stride, rows, columns, BLOCK: tl.constexpr, num_stages: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=num_stages):
        at = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + at, mask=at < columns, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(out_ptr + row * out_stride + at, e / tl.sum(e, axis=0), mask=at < columns)


def softmax(x):
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    out = torch.empty_like(x)
    warps = 8
    kernel = softmax_kernel.warmup(out, x, x.stride(0), out.stride(0), rows, columns, BLOCK=block, num_stages=2,
                                   num_warps=warps, grid=(1, ))
    kernel._init_handles()
    per_processor = PROPERTIES["max_num_regs"] // (kernel.n_regs * PROPERTIES["warpSize"] * warps)
    per_processor = min(per_processor, PROPERTIES["max_shared_mem"] // max(kernel.metadata.shared, 1))
    programs = min(PROPERTIES["multiprocessor_count"] * per_processor, rows)
    softmax_kernel[(programs, 1, 1)](out, x, x.stride(0), out.stride(0), rows, columns, BLOCK=block, num_stages=2,
                                     num_warps=warps)
    return out


torch.manual_seed(0)
x = torch.randn(37, 391, device=DEVICE)
assert torch.allclose(softmax(x), torch.softmax(x, axis=1), atol=1e-6)
print("ok")
