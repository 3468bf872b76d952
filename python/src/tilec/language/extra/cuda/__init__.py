# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Made by tools/dev/language_names/generate.py from lib/Sema/language.
"""What GPUs have and others do not, `tl.extra.cuda`."""

from ..._markers import outside
from .. import libdevice  # noqa


def num_warps():
    """The number of warps of a program."""
    raise outside("tl.extra.cuda.num_warps")


def num_threads():
    """The number of threads of a program."""
    raise outside("tl.extra.cuda.num_threads")


def gdc_wait():
    """Waits for the grid that this one depends on, and for what it wrote."""
    raise outside("tl.extra.cuda.gdc_wait")


def gdc_launch_dependents():
    """Lets the grids that depend on this one start."""
    raise outside("tl.extra.cuda.gdc_launch_dependents")


def globaltimer():
    """The clock of the GPU in nanoseconds."""
    raise outside("tl.extra.cuda.globaltimer")


def smid():
    """The number of the multiprocessor that runs the program."""
    raise outside("tl.extra.cuda.smid")


__all__ = [
    "gdc_launch_dependents", "gdc_wait", "globaltimer", "libdevice", "num_threads", "num_warps", "smid",
]  # yapf: disable
