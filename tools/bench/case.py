# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What a comparison consists of: one kernel on one size and type, with its arguments, configurations, reference in
# float64, and what PyTorch does for the same work.

from dataclasses import dataclass, field
from typing import Callable, Optional

import torch


@dataclass
class Case:
    kernel: str
    file: str
    size: str
    arguments: dict  # name -> tensor or number, in the kernel's order
    constants: list  # configurations: dicts of constants
    grid: Callable  # constants -> tuple
    outputs: list  # names of the arguments that are written
    reference: Callable  # constants -> list of float64 tensors, one per output
    nbytes: int
    tolerance: float
    torch: Optional[Callable] = None
    warps: tuple = (4, 8, 16)
    entry: str = ""  # the kernel's name in the file when it differs from `kernel`
    initial: Optional[float] = None  # what outputs hold before a launch that adds to them; else they are poisoned
    own: list = field(default_factory=list)  # configurations that only tilec compiles
    slow: bool = False  # PyTorch's way takes thousands of launches: it is timed less often
    keep: list = field(default_factory=list)  # tensors that addresses in memory point to


F32, F16, BF16 = torch.float32, torch.float16, torch.bfloat16
BOTH = (F32, BF16)
NAMES = {F32: "fp32", F16: "fp16", BF16: "bf16", torch.int8: "i8", torch.int32: "i32"}
TOLERANCE = {F32: 2e-6, F16: 1e-3, BF16: 6e-3}


def cdiv(a, b):
    return -(-a // b)


def power_of_two(n):
    return 1 << (n - 1).bit_length()


def randn(*shape, dtype=F32):
    return torch.randn(*shape, device="cuda", dtype=dtype)


def empty(*shape, dtype=F32):
    return torch.empty(*shape, device="cuda", dtype=dtype)


def size_of(*tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


def each(make, shapes, dtypes=BOTH):
    """The cases that make(dtype, *shape) gives."""
    for dtype in dtypes:
        for shape in shapes:
            yield make(dtype, *shape)
