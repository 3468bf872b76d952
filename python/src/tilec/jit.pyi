# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`@tilec.jit` for editors and type checkers."""

import ast
import inspect
from collections.abc import Callable, Iterable
from typing import Any, overload

from ._compiled import CompiledKernel
from ._jit_attributes import DeviceCaches, KernelParam
from ._launching import LaunchTarget

class Launchable(LaunchTarget):
    """Launches one function of the language."""

    arg_names: list[str]

class JITFunction(Launchable):
    """A function of the language. As a kernel it is launched with `kernel[grid](*args, **kwargs)`; kernels call the
    others."""

    __name__: str
    __qualname__: str
    __wrapped__: Callable[..., Any]

    fn: Callable[..., Any]
    """The function in Python."""
    noinline: bool
    """Whether calls stay calls."""
    debug: bool
    """Whether device assertions stay."""
    version: Any
    launch_metadata: Callable[..., Any] | None
    """What hooks of launches are given besides: `launch_metadata(grid, metadata, arguments)`."""
    is_constexpr: bool
    """Whether it is called at compile time."""
    pre_run_hooks: list[Callable[..., Any]]
    module: str
    do_not_specialize: list[int | str]
    do_not_specialize_on_alignment: list[int | str]
    device_caches: DeviceCaches
    """The compiled code, by device."""

    def __init__(self, fn: Callable[..., Any], *, version: Any = None,
                 do_not_specialize: Iterable[int | str] | None = None,
                 do_not_specialize_on_alignment: Iterable[int | str] | None = None, debug: bool | None = None,
                 noinline: bool | None = None, repr: Callable[[Any], str] | None = None,
                 launch_metadata: Callable[..., Any] | None = None, is_constexpr: bool = False) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls a function of compile time; the others are for kernels."""
        ...

    def __get__(self, instance: object, owner: type | None = None) -> Any: ...
    @property
    def src(self) -> str:
        """The text of the function, from `def` on."""
        ...

    @property
    def raw_src(self) -> list[str]:
        """The lines of the function in its file, decorators included."""
        ...

    @property
    def starting_line_number(self) -> int:
        """The number of the first of `raw_src`."""
        ...

    @property
    def signature(self) -> inspect.Signature: ...
    @property
    def params(self) -> list[KernelParam]:
        """The parameters."""
        ...

    @property
    def constexprs(self) -> list[int]:
        """The numbers of the parameters that are constants."""
        ...

    @property
    def cache_key(self) -> str:
        """The same for the same text with the same functions and values around it, in all processes."""
        ...

    @property
    def hash(self) -> str | None:
        """The last `cache_key`; set to None it has functions read again."""
        ...

    @hash.setter
    def hash(self, value: str | None) -> None: ...
    @property
    def used_global_vals(self) -> dict[tuple[str, int], tuple[Any, dict[str, Any]]]:
        """The variables of modules that the text has the values of."""
        ...

    @property
    def type(self) -> Any: ...
    def parse(self) -> ast.Module:
        """The text as a tree of Python's `ast`."""
        ...

    def get_capture_scope(self) -> dict[str, Any]:
        """The variables that the function sees, by name."""
        ...

    def is_gluon(self) -> bool: ...
    def repr(self, specialization: Any) -> str:
        """The name of the code for a specialization."""
        ...

    def preload(self, specialization_data: str) -> CompiledKernel:
        """Compiles for what a `jit_cache_hook` was told, in this process or another one."""
        ...

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        """What `self[grid](*args, **kwargs)` does; with `warmup` only the compilation."""
        ...

    def warmup(self, *args: Any, grid: Any = None, **kwargs: Any) -> CompiledKernel:
        """Compiles for such arguments and launches nothing. A dtype stands for a tensor of it."""
        ...

    def add_pre_run_hook(self, hook: Callable[..., Any]) -> None:
        """Has `hook(*args, **kwargs)` called before each launch."""
        ...

class MockTensor:
    """Stands for a tensor of a type in `warmup`: `kernel.warmup(MockTensor(torch.float32), 1024, grid=(1,))`."""

    dtype: Any
    shape: tuple[int, ...]

    def __init__(self, dtype: Any, shape: tuple[int, ...] = (1, )) -> None: ...
    def data_ptr(self) -> int: ...

@overload
def jit(fn: Callable[..., Any]) -> JITFunction: ...
@overload
def jit(fn: None = None, *, version: Any = None, do_not_specialize: Iterable[int | str] | None = None,
        do_not_specialize_on_alignment: Iterable[int | str] | None = None, debug: bool | None = None,
        noinline: bool | None = None, repr: Callable[[Any], str] | None = None,
        launch_metadata: Callable[..., Any] | None = None) -> Callable[[Callable[..., Any]], JITFunction]:
    """Makes a function one of the language: a kernel, or a function that kernels call.

    :param do_not_specialize: parameters, by name or number, whose values make no difference for the code
    :param do_not_specialize_on_alignment: the same for being multiples of 16 or 8 alone
    :param noinline: whether calls stay calls
    :param debug: whether device assertions stay
    """
    ...

def constexpr_function(fn: Callable[..., Any]) -> JITFunction:
    """A function that kernels call at compile time, and programs as any other."""
    ...
