# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Descriptors of older programs, which were made from an address."""

from __future__ import annotations

from typing import Any

from .tensor_descriptor import TensorDescriptor


def _refuse(*_: Any, **__: Any):
    raise RuntimeError("tilec has no descriptors that are made from an address: "
                       "triton.tools.tensor_descriptor.TensorDescriptor.from_tensor(tensor, block_shape) makes one of a "
                       "tensor, whose load and store kernels call")


create_1d_tma_descriptor = create_2d_tma_descriptor = create_nd_tma_descriptor = TmaDescKernelParam = _refuse

__all__ = [
    "TensorDescriptor", "TmaDescKernelParam", "create_1d_tma_descriptor", "create_2d_tma_descriptor",
    "create_nd_tma_descriptor",
]  # yapf: disable
