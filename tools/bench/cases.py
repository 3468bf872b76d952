# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What is compared: for each example kernel its sizes and types, arguments, grid, reference in float64, and what PyTorch
# does for the same work. Triton compiles the very same source text.

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
    reference: Callable  # () -> list of float64 tensors, one per output
    nbytes: int
    tolerance: float
    torch: Optional[Callable] = None
    warps: tuple = (4, 8, 16)
    entry: str = ""  # the kernel's name in the file when it differs from `kernel`
    keep: list = field(default_factory=list)  # tensors that addresses in memory point to


F32, F16, BF16 = torch.float32, torch.float16, torch.bfloat16
NAMES = {F32: "fp32", F16: "fp16", BF16: "bf16"}
TOLERANCE = {F32: 2e-6, F16: 1e-3, BF16: 6e-3}


def cdiv(a, b):
    return -(-a // b)


def power_of_two(n):
    return 1 << (n - 1).bit_length()


def randn(*shape, dtype=F32):
    return torch.randn(*shape, device="cuda", dtype=dtype)


def size_of(*tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


def add():
    for dtype, n in ((F32, 1 << 24), (F32, 1 << 28), (BF16, 1 << 28), (F32, (1 << 26) + 3), (BF16, (1 << 26) + 3)):
        x, y = randn(n, dtype=dtype), randn(n, dtype=dtype)
        z = torch.empty_like(x)
        yield Case("add_masked", "01-vector-add.tile", f"{n}_{NAMES[dtype]}",
                   dict(x_ptr=x, y_ptr=y, out_ptr=z, n=n), [dict(BLOCK=1024), dict(BLOCK=2048)],
                   lambda c, n=n: (cdiv(n, c["BLOCK"]),), ["out_ptr"], lambda x=x, y=y: [x.double() + y.double()],
                   size_of(x, y, z), TOLERANCE[dtype], lambda x=x, y=y, z=z: torch.add(x, y, out=z), warps=(4, 8))


ROWS = ((8192, 1024), (8192, 4096), (8192, 8192), (4096, 16384), (16384, 2000), (8192, 3001))


def rows(dtypes=(F32, BF16), shapes=ROWS):
    for dtype in dtypes:
        for m, n in shapes:
            yield dtype, m, n, f"{m}x{n}_{NAMES[dtype]}", randn(m, n, dtype=dtype)


def softmax():
    for dtype, m, n, size, x in rows():
        y = torch.empty_like(x)
        yield Case("softmax", "05-softmax.tile", size, dict(x_ptr=x, y_ptr=y, x_stride=n, y_stride=n, n=n),
                   [dict(BLOCK=power_of_two(n))], lambda c, m=m: (m,), ["y_ptr"],
                   lambda x=x: [torch.softmax(x.double(), 1)], size_of(x, y), TOLERANCE[dtype],
                   lambda x=x: torch.softmax(x, 1))


def layer_norm():
    for dtype, m, n, size, x in rows():
        w, b, y = randn(n, dtype=dtype), randn(n, dtype=dtype), torch.empty_like(x)
        mean, rstd = torch.empty(m, device="cuda"), torch.empty(m, device="cuda")
        yield Case("layer_norm", "06-layer-norm.tile", size,
                   dict(x_ptr=x, w_ptr=w, b_ptr=b, y_ptr=y, mean_ptr=mean, rstd_ptr=rstd, stride=n, n=n, eps=1e-5),
                   [dict(BLOCK=power_of_two(n))], lambda c, m=m: (m,), ["y_ptr"],
                   lambda x=x, w=w, b=b, n=n: [torch.nn.functional.layer_norm(x.double(), (n,), w.double(), b.double())],
                   size_of(x, y), TOLERANCE[dtype],
                   lambda x=x, w=w, b=b, n=n: torch.nn.functional.layer_norm(x, (n,), w, b))


def online_softmax():
    for dtype, m, n, size, x in rows(shapes=((8192, 4096), (2048, 65536))):
        y = torch.empty_like(x)
        yield Case("online_softmax", "11-online-softmax.tile", size, dict(x_ptr=x, y_ptr=y, stride=n, n=n),
                   [dict(BLOCK=1024), dict(BLOCK=4096)], lambda c, m=m: (m,), ["y_ptr"],
                   lambda x=x: [torch.softmax(x.double(), 1)], size_of(x, y), TOLERANCE[dtype],
                   lambda x=x: torch.softmax(x, 1))


def column_sum():
    for dtype, m, n, size, x in rows(shapes=((8192, 8192), (4096, 2000))):
        out = torch.empty(n, device="cuda", dtype=dtype)
        yield Case("column_sum", "09-column-sum.tile", size, dict(x_ptr=x, out_ptr=out, stride=n, m=m, n=n),
                   [dict(ROWS=32, COLS=64), dict(ROWS=64, COLS=32), dict(ROWS=16, COLS=128)],
                   lambda c, n=n: (cdiv(n, c["COLS"]),), ["out_ptr"], lambda x=x: [x.double().sum(0)], size_of(x, out),
                   max(TOLERANCE[dtype], 1e-5), lambda x=x: x.sum(0))


def transpose():
    for dtype, m, n, size, x in rows(shapes=((8192, 8192), (5000, 3000))):
        y = torch.empty(n, m, device="cuda", dtype=dtype)
        yield Case("transpose_copy", "10-transpose-copy.tile", size, dict(x_ptr=x, y_ptr=y, m=m, n=n),
                   [dict(TILE=32), dict(TILE=64)], lambda c, m=m, n=n: (cdiv(m, c["TILE"]), cdiv(n, c["TILE"])),
                   ["y_ptr"], lambda x=x: [x.double().t()], size_of(x, y), 0.0, lambda x=x, y=y: y.copy_(x.t()))


def sum_many():
    for dtype in (F32, BF16):
        sizes = torch.randint(1000, 200001, (2000,)).tolist()
        tensors = [randn(n, dtype=dtype) for n in sizes]
        table = torch.tensor([t.data_ptr() for t in tensors], dtype=torch.int64, device="cuda")
        counts = torch.tensor(sizes, dtype=torch.int64, device="cuda")
        out = torch.empty(len(sizes), device="cuda")
        yield Case("sum_many", "12-sum-many-tensors.tile", f"2000 tensors_{NAMES[dtype]}",
                   dict(addresses_ptr=table, sizes_ptr=counts, out_ptr=out),
                   [dict(DTYPE=NAMES[dtype], BLOCK=block) for block in (1024, 4096)],
                   lambda c, k=len(sizes): (k,), ["out_ptr"],
                   lambda tensors=tensors: [torch.stack([t.double().sum() for t in tensors])], size_of(*tensors), 1e-4,
                   lambda tensors=tensors: [t.sum() for t in tensors], keep=tensors)


ALL = dict(add=add, softmax=softmax, layer_norm=layer_norm, online_softmax=online_softmax, column_sum=column_sum,
           transpose=transpose, sum_many=sum_many)
