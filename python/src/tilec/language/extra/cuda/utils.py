# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs ask of their GPU, under the name that Triton's module has."""

from . import globaltimer, num_threads, num_warps, smid

__all__ = ["globaltimer", "num_threads", "num_warps", "smid"]
