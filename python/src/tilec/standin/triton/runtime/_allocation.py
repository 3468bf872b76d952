# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Allocators of global memory for kernels. They are never called: no kernel of tilec needs any."""


def set_allocator(allocator):
    """Takes a function that allocates global memory for kernels, which is never called."""


def set_profile_allocator(allocator):
    """Takes a function that allocates global memory for profilers, which is never called."""


__all__ = ["set_allocator", "set_profile_allocator"]
