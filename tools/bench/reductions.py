# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sums, maxima, running sums, and sums by index through atomics.

import torch

from case import BOTH, F32, NAMES, TOLERANCE, Case, cdiv, each, empty, power_of_two, randn, size_of
from rowwise import FEW, row_case


def row_sum(shapes=((8192, 8192), (8192, 3001)), dtypes=BOTH):
    def make(dtype, m, n):
        x, out = randn(m, n, dtype=dtype), empty(m, dtype=dtype)
        return Case("row_sum", "08-row-sum.tile", f"{m}x{n}_{NAMES[dtype]}",
                    dict(x_ptr=x, out_ptr=out, stride=n, m=m, n=n),
                    [dict(ROWS=1, BLOCK=4096), dict(ROWS=4, BLOCK=1024)], lambda c: (cdiv(m, c["ROWS"]),), ["out_ptr"],
                    lambda c: [x.double().sum(1)], size_of(x, out), max(TOLERANCE[dtype], 1e-5), lambda: x.sum(1))
    yield from each(make, shapes, dtypes)


def column_sum():
    def make(dtype, m, n):
        x, out = randn(m, n, dtype=dtype), empty(n, dtype=dtype)
        return Case("column_sum", "09-column-sum.tile", f"{m}x{n}_{NAMES[dtype]}",
                    dict(x_ptr=x, out_ptr=out, stride=n, m=m, n=n),
                    [dict(ROWS=32, COLS=64), dict(ROWS=64, COLS=32), dict(ROWS=16, COLS=128)],
                    lambda c: (cdiv(n, c["COLS"]),), ["out_ptr"], lambda c: [x.double().sum(0)], size_of(x, out),
                    max(TOLERANCE[dtype], 1e-5), lambda: x.sum(0))
    yield from each(make, ((8192, 8192), (4096, 2000)))


def row_max(shapes=FEW, dtypes=BOTH):
    def make(dtype, m, n):
        x, value = randn(m, n, dtype=dtype), empty(m, dtype=dtype)
        index = empty(m, dtype=torch.int64)

        def reference():
            # The first of equal values; torch.max may name any.
            peak = x.amax(1, keepdim=True)
            return [peak[:, 0].double(), (x == peak).int().argmax(1).double()]

        return row_case("row_max", "20-max-and-sum.tile", dtype, m, n,
                        dict(x_ptr=x, value_ptr=value, index_ptr=index, stride=n, n=n), ["value_ptr", "index_ptr"],
                        reference, size_of(x, value, index), lambda: torch.max(x, 1), 1e-30)
    yield from each(make, shapes, dtypes)


def whole_sum():
    """Both launches of the sum of an array, each for itself."""
    def partials(dtype, n, programs):
        x, partial = randn(n, dtype=dtype), empty(programs)

        def reference(c):
            block = c["BLOCK"]
            padded = torch.nn.functional.pad(x, (0, -n % (programs * block))).view(-1, programs, block)
            return [padded.sum((0, 2), dtype=torch.float64)]

        return Case("sum_partials", "20-max-and-sum.tile", f"{n}_{NAMES[dtype]}",
                    dict(x_ptr=x, partial_ptr=partial, n=n), [dict(BLOCK=2048), dict(BLOCK=8192)],
                    lambda c: (programs,), ["partial_ptr"], reference, size_of(x, partial), 1e-5, lambda: x.sum())

    def total(dtype, count):
        partial, out = randn(count), empty(1)
        return Case("sum_total", "20-max-and-sum.tile", f"{count}_fp32",
                    dict(partial_ptr=partial, out_ptr=out, count=count), [dict(BLOCK=1024)], lambda c: (1,),
                    ["out_ptr"], lambda c: [partial.double().sum()], size_of(partial, out), 1e-4,
                    lambda: partial.sum(), warps=(4, 8))
    yield from each(partials, ((1 << 26, 1056), ((1 << 28) + 3, 1056)))
    yield from each(total, ((1056,), (16384,)), (F32,))


def cumulative_sum(shapes=((8192, 4096), (8192, 3001)), dtypes=BOTH):
    def make(dtype, m, n):
        x, y = randn(m, n, dtype=dtype), empty(m, n, dtype=dtype)
        return row_case("cumulative_sum", "31-cumulative-sum.tile", dtype, m, n, dict(x_ptr=x, y_ptr=y, stride=n, n=n),
                        ["y_ptr"], lambda: [x.double().cumsum(1)], size_of(x, y), lambda: torch.cumsum(x, 1),
                        max(TOLERANCE[dtype], 1e-5))
    yield from each(make, shapes, dtypes)


def sum_many():
    def make(dtype, count):
        sizes = torch.randint(1000, 200001, (count,)).tolist()
        tensors = [randn(n, dtype=dtype) for n in sizes]
        table = torch.tensor([t.data_ptr() for t in tensors], dtype=torch.int64, device="cuda")
        counts, out = torch.tensor(sizes, dtype=torch.int64, device="cuda"), empty(count)
        return Case("sum_many", "12-sum-many-tensors.tile", f"{count} tensors_{NAMES[dtype]}",
                    dict(addresses_ptr=table, sizes_ptr=counts, out_ptr=out),
                    [dict(DTYPE=NAMES[dtype], BLOCK=block) for block in (1024, 4096)], lambda c: (count,), ["out_ptr"],
                    lambda c: [torch.stack([t.double().sum() for t in tensors])], size_of(*tensors), 1e-4,
                    lambda: [t.sum() for t in tensors], slow=True, keep=tensors)
    yield from each(make, ((2000,),))


def scatter_add():
    def make(dtype, n, width, targets):
        x, out = randn(n, width, dtype=dtype), empty(targets, width, dtype=dtype)
        index = torch.randint(0, targets, (n,), device="cuda", dtype=torch.int32)
        # Every addition rounds to the type.
        return Case("scatter_add", "13-scatter-add.tile", f"{n}x{width} to {targets}_{NAMES[dtype]}",
                    dict(x_ptr=x, index_ptr=index, out_ptr=out, n=n, width=width),
                    [dict(ROWS=rows, COLS=power_of_two(width)) for rows in (4, 16)], lambda c: (cdiv(n, c["ROWS"]),),
                    ["out_ptr"],
                    lambda c: [torch.zeros_like(out, dtype=torch.float64).index_add_(0, index, x.double())],
                    size_of(x, index) + 2 * size_of(out), 5 * TOLERANCE[dtype],
                    lambda: out.index_add_(0, index, x), warps=(4, 8), initial=0)
    yield from each(make, ((65536, 512, 4096), (262144, 128, 50000)))


def histogram():
    def make(dtype, n, bins):
        x, counts = torch.randint(0, bins, (n,), device="cuda", dtype=dtype), empty(bins, dtype=torch.int32)
        return Case("histogram", "14-histogram-atomics.tile", f"{n} to {bins}_{NAMES[dtype]}",
                    dict(x_ptr=x, counts_ptr=counts, n=n), [dict(BLOCK=1024), dict(BLOCK=4096)],
                    lambda c: (cdiv(n, c["BLOCK"]),), ["counts_ptr"],
                    lambda c: [torch.bincount(x, minlength=bins).double()], size_of(x, counts), 0.0,
                    lambda: torch.bincount(x, minlength=bins), warps=(4, 8), initial=0)
    yield from each(make, ((1 << 24, 64), (1 << 26, 65536)), (torch.int32,))


ALL = dict(row_sum=row_sum, column_sum=column_sum, row_max=row_max, whole_sum=whole_sum, cumulative_sum=cumulative_sum,
           sum_many=sum_many, scatter_add=scatter_add, histogram=histogram)
