# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of the language: `import tilec.language as tl`.

Kernels are compiled from their text, so the operations here are for editors, type checkers and programs that pass them
around. Types, constants and `constexpr` work on the host as well.
"""

from __future__ import annotations

from builtins import slice, tuple

from . import _operations
from ._compound_types import str_to_ty, tensor_descriptor_type, tuple_type
from ._constexpr import constexpr, constexpr_type
from ._host import builtin, cdiv, extern, next_power_of_2
from ._markers import PropagateNan, const, tensor, tensor_descriptor, tensor_descriptor_base
from ._operations import *  # noqa: F403
from ._operations import (_experimental_descriptor_load, _experimental_descriptor_store,
                          _experimental_make_tensor_descriptor, _log2)
from ._types import (CONSTEXPR_0, TRITON_MAX_TENSOR_NUMEL, bfloat16, block_type, const_pointer_type, dtype, float8e4b8,
                     float8e4b15, float8e4nv, float8e5, float8e5b16, float16, float32, float64, get_int_dtype, int1,
                     int8, int16, int32, int64, pi32_t, pointer_type, uint8, uint16, uint32, uint64, void)

_SUBMODULES = ("core", "extra", "math", "random", "standard", "target_info")


def __getattr__(name: str):
    # Modules come with their first use.
    from importlib import import_module

    if name in _SUBMODULES:
        return import_module(f"{__name__}.{name}")
    if name == "libdevice":
        return import_module(f"{__name__}.extra.libdevice")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


__all__ = [
    "CONSTEXPR_0", "PropagateNan", "TRITON_MAX_TENSOR_NUMEL", "bfloat16", "block_type", "builtin", "cdiv", "const",
    "const_pointer_type", "constexpr", "constexpr_type", "core", "dtype", "extern", "extra", "float16", "float32",
    "float64", "float8e4b15", "float8e4b8", "float8e4nv", "float8e5", "float8e5b16", "get_int_dtype", "int1", "int16",
    "int32", "int64", "int8", "math", "next_power_of_2", "pi32_t", "pointer_type", "random", "slice", "standard",
    "str_to_ty", "target_info", "tensor", "tensor_descriptor", "tensor_descriptor_base", "tensor_descriptor_type",
    "tuple", "tuple_type", "uint16", "uint32", "uint64", "uint8", "void",
    *(name for name in _operations.__all__ if not name.startswith("_")),
]  # yapf: disable
