# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors of the host and of the kernel, on NumPy arrays, and a kernel that does not compile."""

import numpy
import triton
import triton.language as tl
from triton.compiler.errors import CompilationError
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def transpose_kernel(x_desc, y_desc, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row, column = tl.program_id(0) * ROWS, tl.program_id(1) * COLUMNS
    y_desc.store([column, row], x_desc.load([row, column]).T)


@triton.jit
def double_kernel(x_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [rows, columns], [columns, 1], [ROWS, COLUMNS])
    at = [tl.program_id(0) * ROWS, tl.program_id(1) * COLUMNS]
    x.store(at, x.load(at) * 2)


@triton.jit
def wrong_kernel(x_ptr):
    tl.store(x_ptr, tl.laod(x_ptr))


triton.set_allocator(lambda size, alignment, stream: numpy.empty(size, numpy.int8))
x = numpy.random.default_rng(0).standard_normal((40, 72), numpy.float32)
y = numpy.zeros((72, 40), numpy.float32)
grid = (triton.cdiv(40, 16), triton.cdiv(72, 32))
transpose_kernel[grid](TensorDescriptor.from_tensor(x, [16, 32]), TensorDescriptor.from_tensor(y, [32, 16]), ROWS=16,
                       COLUMNS=32)
assert (y == x.T).all()
before = x.copy()
double_kernel[grid](x, 40, 72, ROWS=16, COLUMNS=32)
assert (x == 2 * before).all()
try:
    wrong_kernel[(1, )](x)
except CompilationError as error:
    assert "laod" in str(error) and "descriptors.py" in str(error)
else:
    raise SystemExit("no error")
print("ok")
