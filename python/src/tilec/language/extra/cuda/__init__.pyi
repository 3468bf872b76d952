# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Made by tools/dev/language_names/generate.py from lib/Sema/language.
"""What GPUs have and others do not, `tl.extra.cuda`."""

from ... import constexpr, tensor
from .. import libdevice as libdevice

def num_warps() -> constexpr:
    """The number of warps of a program."""
    ...

def num_threads() -> constexpr:
    """The number of threads of a program."""
    ...

def gdc_wait() -> None:
    """Waits for the grid that this one depends on, and for what it wrote."""
    ...

def gdc_launch_dependents() -> None:
    """Lets the grids that depend on this one start."""
    ...

def globaltimer() -> tensor:
    """The clock of the GPU in nanoseconds."""
    ...

def smid() -> tensor:
    """The number of the multiprocessor that runs the program."""
    ...
