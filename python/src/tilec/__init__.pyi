# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of the package for editors and type checkers; docs/python.md describes them."""

from typing import TypeVar

from . import errors as errors
from . import language as language
from . import testing as testing
from . import tuner as tuner
from ._devices import settings as settings
from ._explain import Explanation as Explanation
from ._explain import explain as explain
from ._report import report as report
from ._timeline import Timeline as Timeline
from ._timeline import timeline as timeline
from .bundle import load_bundle as load_bundle
from .check import check as check
from .device_array import DeviceArray as DeviceArray
from .device_array import empty as empty
from .device_array import to_device as to_device
from .device_array import to_host as to_host
from .errors import CompilationError as CompilationError
from .errors import DeviceError as DeviceError
from .errors import KernelFault as KernelFault
from .errors import OutOfResources as OutOfResources
from .errors import TilecError as TilecError
from .errors import TilecWarning as TilecWarning
from .errors import Unavailable as Unavailable
from .jit import JITFunction as JITFunction
from .jit import MockTensor as MockTensor
from .jit import constexpr_function as constexpr_function
from .jit import jit as jit
from .takeover import install as install
from .takeover import uninstall as uninstall
from .tensor_descriptor import TensorDescriptor as TensorDescriptor
from .tuner import Autotuner as Autotuner
from .tuner import Config as Config
from .tuner import Heuristics as Heuristics
from .tuner import autotune as autotune
from .tuner import heuristics as heuristics

_Class = TypeVar("_Class")

__version__: str

def aggregate(cls: type[_Class]) -> type[_Class]:
    """Marks a class whose objects kernels make and take: it declares its fields, and its methods are `jit` functions."""
    ...

def cdiv(x: int, y: int) -> int:
    """x / y, rounded up."""
    ...

def next_power_of_2(n: int) -> int:
    """The least power of two that is not less than n."""
    ...

def product_configs(m: int, n: int, k: int, *, bits: int = 16, a_rows: bool = True, b_rows: bool = True,
                    tile: tuple[str, str, str] = ("BLOCK_M", "BLOCK_N", "BLOCK_K"), group: str | None = "GROUP_M",
                    most: int = 12) -> list[Config]:
    """The configurations of C = A x B that should take the least time on the current GPU, the likeliest first.

    Nothing is compiled or measured: a model says which they are. It knows the H200 and its like (sm_90a); for other
    GPUs `Unavailable` is raised. Without a GPU they are an H200's.

    :param m: rows of A and C; `n` columns of B and C; `k` columns of A and rows of B
    :param bits: of an element of A and B, 8 or 16
    :param a_rows: whether A lies by rows in memory, its elements along `k` together; `b_rows`: those of B along `n`
    :param tile: the constants that are the extents of a tile along `m`, `n` and `k`
    :param group: the constant that says how many rows of tiles programs in a row go down; None: the kernel has none
    :param most: the number of configurations, at most: 1 to 1000
    """
    ...
