# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.compile`: kernels for a machine that need not be there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tilec import _devices, _messages, _native, _values
from tilec._compiled import CompiledKernel
from tilec._jit_hooks import LazyDict
from tilec._launching import _IGNORED_OPTIONS
from tilec._sources import make_source
from tilec._triton_compile import request_of

#: Options of a compilation, with what they are unless they are given.
_OPTIONS = {
    "num_warps": 4, "num_stages": 3, "num_ctas": 1, "split_k": 1, "maxnreg": None, "debug": False, "sanitize_overflow": True,
    "enable_fp_fusion": True, "enable_reflect_ftz": True, "launch_cooperative_grid": False, "launch_pdl": False,
}  # yapf: disable


class ASTSource:
    """A function and the kinds of its arguments: `ASTSource(kernel, {"x": "*fp32", "BLOCK": "constexpr"}, {"BLOCK": 64})`.

    :param signature: types by parameter; tuples of types for a tuple
    :param constexprs: values of constants, by parameter or by path: (number of the parameter, number in a tuple, ...)
    :param attrs: by path, what is known: `[["tt.divisibility", 16]]`
    """

    ext = "ttir"

    def __init__(self, fn: Any, signature: dict, constexprs: dict | None = None, attrs: dict | None = None):
        self.fn = fn
        self.name = fn.__name__
        self.signature = {self._name(key): kind for key, kind in signature.items()}
        wrong = [name for name in self.signature if name not in fn.arg_names]
        if wrong:
            raise ValueError(f"kernel '{self.name}' has no parameter '{wrong[0]}'")
        self.constants = {self._path(key): value for key, value in (constexprs or {}).items()}
        self.attrs = {self._path(key): value for key, value in (attrs or {}).items()}

    def _name(self, key: Any) -> str:
        return self.fn.arg_names[key] if isinstance(key, int) else key

    def _path(self, key: Any) -> tuple[int, ...]:
        if isinstance(key, str):
            return (self.fn.arg_names.index(key), )
        return (key, ) if isinstance(key, int) else tuple(key)

    def hash(self) -> str:
        """What tells it from others."""
        import hashlib

        parts = [self.fn.cache_key, sorted(self.signature.items()), sorted(self.constants.items(), key=str),
                 sorted(self.attrs.items())]  # yapf: disable
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def parse_options(self) -> dict:
        return {}


class IRSource:
    """What would be compiled from a file of Triton's stages, which tilec cannot read."""

    def __init__(self, path: str, *_: Any):
        raise RuntimeError(f"{path}: tilec compiles kernels from their text, and reads none of Triton's stages")


def compile(src: ASTSource, target: Any = None, options: dict | None = None, **_: Any) -> CompiledKernel:
    """Compiles for a machine, by default the present one. What it gives has the stages in `asm`.

    :param target: such as `GPUTarget("cuda", 90, 32)`
    :param options: `num_warps`, `num_stages`, `num_ctas`, `split_k`, `maxnreg`, ...
    """
    from ..runtime import driver

    if not isinstance(src, ASTSource):
        raise TypeError(f"triton.compile takes an ASTSource, got a {type(src).__qualname__}")
    given = dict(options or {})
    for name in given:
        if name not in _OPTIONS and name not in _IGNORED_OPTIONS:
            raise KeyError(f"'{name}' is no option of a compilation")
    parsed = SimpleNamespace(**{**_OPTIONS, **given})
    request = request_of(src, target or driver.active.get_current_target(), parsed)
    functions = _values.functions_of(list(src.constants.values()))
    source = make_source(src.fn, {_values.function_name(function): function for function in functions})
    full = {**request, "num_ctas": parsed.num_ctas if parsed.num_ctas in (2, 4, 8) else 1, "split_k": parsed.split_k, "modules": source.modules,
            "cache": _devices.cache(), **_devices.tools()}  # yapf: disable
    handle, messages = _native.compile_text(source.name, source.text, full)
    if messages:
        _messages.tell(messages, stacklevel=3)
    kernel = CompiledKernel(handle, source, full, None)
    names = ("num_warps", "num_stages", "num_ctas", "split_k", "maxnreg")
    kernel._launches = src.fn, {name: given[name] for name in names if name in given}
    return kernel


def make_backend(target: Any) -> Any:
    """Would make a back end of Triton's."""
    raise RuntimeError("tilec's stand-in for Triton has no back ends: triton.compile compiles for any target")


def max_shared_mem(device: int) -> int:
    """The most bytes of shared memory that a program can have."""
    from ..runtime import driver

    return driver.active.utils.get_device_properties(device)["max_shared_mem"]


__all__ = ["ASTSource", "CompiledKernel", "IRSource", "LazyDict", "compile", "make_backend", "max_shared_mem"]
