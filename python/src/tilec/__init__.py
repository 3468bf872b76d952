# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec: a compiler for tile kernels, the kernel language that Triton made popular.

    import tilec
    import tilec.language as tl

    @tilec.jit
    def add(x, y, z, n, BLOCK: tl.constexpr):
        o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        m = o < n
        tl.store(z + o, tl.load(x + o, mask=m) + tl.load(y + o, mask=m), mask=m)

    add[(tilec.cdiv(n, 1024),)](x, y, z, n, BLOCK=1024)

The arguments are tensors of torch or of any framework with DLPack, or NumPy arrays. On the CPU a kernel runs on the
simulator.
"""

from . import errors
from ._devices import settings
from ._native import version as _version
from ._report import report
from .errors import (CompilationError, DeviceError, KernelFault, OutOfResources, TilecError, TilecWarning, Unavailable)
from .jit import JITFunction, MockTensor, constexpr_function, jit

__version__ = _version()


def cdiv(x: int, y: int) -> int:
    """x / y, rounded up."""
    return (x + y - 1) // y


def next_power_of_2(n: int) -> int:
    """The least power of two that is not less than n."""
    return 1 << max(int(n) - 1, 0).bit_length()


#: Names that are imported when they are first used, and their modules.
_LATER = {
    "autotune": "tuner", "heuristics": "tuner", "Config": "tuner", "Autotuner": "tuner", "Heuristics": "tuner",
    "language": "", "testing": "", "check": "", "tuner": "", "TensorDescriptor": "tensor_descriptor",
    "to_device": "device_array", "empty": "device_array", "to_host": "device_array", "DeviceArray": "device_array",
    "aggregate": "language._aggregate", "load_bundle": "bundle", "install": "takeover", "uninstall": "takeover",
    "product_configs": "_products", "explain": "_explain", "Explanation": "_explain", "timeline": "_timeline", "Timeline": "_timeline",
}  # yapf: disable


def __getattr__(name: str):
    import importlib

    if name not in _LATER:
        raise AttributeError(f"module 'tilec' has no attribute '{name}'")
    home = _LATER[name]
    module = importlib.import_module(f".{home or name}", __name__)
    value = getattr(module, "_aggregate" if name == "aggregate" else name) if home else module
    globals()[name] = value
    return value


__all__ = [
    "CompilationError", "Config", "DeviceError", "JITFunction", "KernelFault", "MockTensor", "OutOfResources", "TilecError",
    "TilecWarning", "Unavailable", "autotune", "cdiv", "check", "constexpr_function", "errors", "explain", "heuristics", "install", "jit",
    "language", "load_bundle", "next_power_of_2", "product_configs", "report", "settings", "testing", "timeline",
    "tuner",
]  # yapf: disable
