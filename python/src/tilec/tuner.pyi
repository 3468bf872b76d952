# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning for editors and type checkers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .errors import TilecError
from .jit import JITFunction

print_autotuning: bool
"""Whether tuning prints what it tried."""

class TuningError(TilecError):
    """No configuration is left: pruning took all, or none works. The text has the reasons."""

class Config:
    """One configuration: values of constants, and launch options.

    :param kwargs: the constants' values by name
    :param num_ctas: 2, 4 or 8: so many programs form a cluster where kernel, grid and device allow it; others mean none
    :param maxnreg: the most registers that a thread may have
    :param pre_hook: called with all arguments by name, before each launch with this configuration
    :param ir_override: for Triton's programs; it has no meaning here
    :param split_k: 2, 4 or 8: so many CTAs run a program together where kernel and device allow it, each a part of the
        iterations of its loop of dots
    """

    kwargs: dict[str, Any]
    num_warps: int
    num_stages: int
    num_ctas: int
    maxnreg: int | None
    pre_hook: Callable[[dict[str, Any]], Any] | None
    ir_override: Any
    split_k: int | None

    def __init__(self, kwargs: dict[str, Any], num_warps: int = 4, num_stages: int = 3, num_ctas: int = 1,
                 maxnreg: int | None = None, pre_hook: Callable[[dict[str, Any]], Any] | None = None,
                 ir_override: Any = None, split_k: int | None = None) -> None: ...
    def all_kwargs(self) -> dict[str, Any]:
        """The constants and those launch options that are given, as keywords of a launch."""
        ...

class _Wrapper:
    fn: Any
    """The kernel, or what is around it."""
    arg_names: list[str]
    base_fn: Callable[..., Any]

    def __getitem__(self, grid: Any) -> Callable[..., Any]: ...
    def run(self, *args: Any, grid: Any = None, warmup: bool = False, **kwargs: Any) -> Any: ...
    def warmup(self, *args: Any, grid: Any = None, **kwargs: Any) -> Any: ...

class Autotuner(_Wrapper):
    """A kernel whose configuration is found by trying; `autotune` makes it."""

    configs: list[Config]
    """Those of the latest search, where a function makes them."""
    keys: list[str]
    cache: dict[tuple[Any, ...], Config]
    """The best configuration of each key."""
    cache_results: bool
    reset_to_zero: list[str]
    restore_value: list[str]
    user_defined_pre_hook: bool
    user_defined_post_hook: bool
    pre_hook: Callable[..., Any]
    post_hook: Callable[..., Any]
    early_config_prune: Callable[..., Iterable[Config]] | None
    perf_model: Callable[..., float] | None
    configs_top_k: float
    num_warmups: int | None
    num_reps: int | None
    use_cuda_graph: bool
    do_bench: Callable[..., Any]
    best_config: Config | None
    """The one of the latest launch."""
    configs_timings: dict[Config, list[float]]
    """Milliseconds in the latest search: median, 20th and 80th percentile."""
    reasons: dict[Config, Exception]
    """Why configurations were left out."""
    bench_time: float
    """The seconds that the latest search took."""
    nargs: dict[str, Any] | None

    def __init__(self, fn: Any, arg_names: Sequence[str], configs: Iterable[Config], key: str | Sequence[str] | None,
                 reset_to_zero: Sequence[str] | None = None, restore_value: Sequence[str] | None = None,
                 pre_hook: Callable[..., Any] | None = None, post_hook: Callable[..., Any] | None = None,
                 prune_configs_by: Mapping[str, Any] | None = None, warmup: int | None = None, rep: int | None = None,
                 use_cuda_graph: bool = False, do_bench: Callable[..., Any] | None = None,
                 cache_results: bool = False) -> None: ...
    def prune_configs(self, kwargs: dict[str, Any], named: dict[str, Any] | None = None) -> list[Config]:
        """The configurations that pruning leaves for a launch."""
        ...

class Heuristics(_Wrapper):
    """A kernel some of whose constants are computed at each launch; `heuristics` makes it."""

    values: Mapping[str, Callable[[dict[str, Any]], Any]]

    def __init__(self, fn: Any, arg_names: Sequence[str], values: Mapping[str, Callable[[dict[str, Any]], Any]]) -> None: ...

_Kernel = JITFunction | Autotuner | Heuristics

def autotune(configs: Iterable[Config] | Callable[[dict[str, Any]], Iterable[Config]], key: str | Sequence[str] | None,
             prune_configs_by: Mapping[str, Any] | None = None,
             reset_to_zero: Sequence[str] | None = None, restore_value: Sequence[str] | None = None,
             pre_hook: Callable[..., Any] | None = None, post_hook: Callable[..., Any] | None = None,
             warmup: int | None = None, rep: int | None = None, use_cuda_graph: bool = False,
             do_bench: Callable[..., Any] | None = None,
             cache_results: bool = False) -> Callable[[_Kernel], Autotuner]:
    """Has a kernel find its configuration when it is launched.

    :param configs: the `Config`s to try; or a function that is called by each search, with the arguments by name in a
        dict, and returns them (`product_configs` does, of the sizes of a product)
    :param key: parameters for other values of which the search begins anew
    :param prune_configs_by: `early_config_prune(configs, named_args, **kwargs)` returns those to keep;
        `perf_model(**arguments)` estimates a time, and the `top_k` best (a share, or a number) are tried
    :param reset_to_zero: tensors that are filled with zeros before each run of the search, and after it
    :param restore_value: tensors that get their values back after each run of the search
    """
    ...

def heuristics(values: Mapping[str, Callable[[dict[str, Any]], Any]]) -> Callable[[_Kernel], Heuristics]:
    """Has constants of a kernel computed at each launch.

    :param values: functions by the constants' names; each gets a dict of the arguments that are known so far
    """
    ...
