# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors and descriptors among the arguments of a kernel that is tuned: of torch, NumPy and CuPy."""

from __future__ import annotations

import copy


def _tensor_of(value):
    """A descriptor's tensor; other values are themselves."""
    return value.base if hasattr(value, "block_shape") else value


def copy_of_descriptor(value):
    """A descriptor that may be changed, of the same tensor; other values are themselves."""
    return copy.copy(value) if hasattr(value, "block_shape") else value


def fill_with_zeros(value):
    """Sets all elements of a tensor to zero; None stays None."""
    tensor = _tensor_of(value)
    if hasattr(tensor, "zero_"):
        tensor.zero_()
    elif tensor is not None:
        tensor[...] = 0


def clone(value):
    """A copy of a tensor's elements; None of None."""
    tensor = _tensor_of(value)
    if tensor is None:
        return None
    return tensor.clone() if hasattr(tensor, "clone") else tensor.copy()


def assign(value, saved):
    """Gives a tensor the elements of a `clone` back."""
    tensor = _tensor_of(value)
    if saved is None:
        return
    if hasattr(tensor, "copy_"):
        tensor.copy_(saved)
    else:
        tensor[...] = saved
