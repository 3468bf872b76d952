# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base of the exceptions."""

from tilec.errors import TilecError as TritonError

__all__ = ["TritonError"]
