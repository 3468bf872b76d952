# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`autotune` and `heuristics`: constants and launch options that are found instead of given.

    @tilec.autotune(configs=[tilec.Config({"BLOCK": 128}, num_warps=4), tilec.Config({"BLOCK": 1024}, num_warps=8)],
                    key=["n"])
    @tilec.jit
    def add(x, y, z, n, BLOCK: tl.constexpr):
        ...

    add[lambda meta: (tilec.cdiv(n, meta["BLOCK"]),)](x, y, z, n)

The first launch with other values of `key`, or other element types, compiles the configurations by several threads,
times them, and keeps the fastest. What does not compile, or needs more than the device has, is left out, with the
reason in `reasons`. On the simulator there is nothing to time: the first configuration that compiles is taken.

The decorators may stand around each other in any order, and around whatever has `arg_names` and
`run(*args, grid=..., warmup=..., **kwargs)`.
"""

from __future__ import annotations

import inspect
import os
import time
from concurrent.futures import ThreadPoolExecutor

from . import _arguments, _devices, _hooking, _values
from ._locks import Lock
from .errors import CompilationError, InternalError, OutOfResources, TilecError

#: Whether tuning prints what it tried; TILEC_PRINT_AUTOTUNING=1 sets it.
print_autotuning = _devices.flag("TILEC_PRINT_AUTOTUNING")


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

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None,
                 split_k=None):
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_stages = num_stages
        self.num_ctas = num_ctas
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override
        self.split_k = split_k

    def all_kwargs(self) -> dict:
        """The constants and those launch options that are given, as keywords of a launch."""
        options = {name: getattr(self, name) for name in (*_OPTIONS, "ir_override", "split_k")}
        return {**self.kwargs, **{name: value for name, value in options.items() if value is not None}}

    def _identity(self) -> tuple:
        return (*self.all_kwargs().items(), self.pre_hook)

    def __eq__(self, other):
        return isinstance(other, Config) and self._identity() == other._identity()

    def __hash__(self):
        return hash(self._identity())

    def __str__(self):
        parts = {**self.kwargs, **{name: getattr(self, name) for name in _OPTIONS}}
        if self.split_k is not None:
            parts["split_k"] = self.split_k
        return ", ".join(f"{name}: {value}" for name, value in parts.items())

    def __repr__(self):
        return f"Config({self})"


_OPTIONS = ("num_warps", "num_ctas", "num_stages", "maxnreg")


class _Wrapper:
    """What stands around a kernel and is launched as it is."""

    def __init__(self, fn, arg_names):
        self.fn = fn
        self.arg_names = list(arg_names)
        self.base_fn = _python_function(fn)
        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(self, name, getattr(self.base_fn, name, None))

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"'{self.__name__}' is a kernel: programs launch it with {self.__name__}[grid](...)")

    def _named(self, args) -> dict:
        return dict(zip(self.arg_names, args))


class Heuristics(_Wrapper):
    """A kernel some of whose constants are functions of its arguments; `heuristics` makes it."""

    def __init__(self, fn, arg_names, values):
        super().__init__(fn, arg_names)
        self.values = dict(values)

    def run(self, *args, grid=None, warmup=False, **kwargs):
        """What `self[grid](*args, **kwargs)` does; with `warmup` only the compilation."""
        return self.fn.run(*args, grid=grid, warmup=warmup, **self._with_values(args, kwargs, grid, warmup))

    def _with_values(self, args: tuple, kwargs: dict, grid, warmup=False) -> dict:
        """The keywords of a launch with the values that are computed."""
        known = {**self._named(args), "grid": grid, "warmup": warmup, **kwargs}
        for name, value in self.values.items():
            kwargs[name] = known[name] = value(dict(known))
        return kwargs

    def _resolved(self, args: tuple, kwargs: dict, grid) -> tuple:
        """The kernel that such a launch is of, its arguments and its keywords."""
        return self.fn._resolved(args, self._with_values(args, dict(kwargs), grid), grid)

    def warmup(self, *args, grid=None, **kwargs):
        """Compiles for such arguments and launches nothing."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)


class Autotuner(_Wrapper):
    """A kernel whose configuration is found by trying; `autotune` makes it.

    `best_config` is the one of the latest launch, `cache` has the one of each key. Of the latest search,
    `configs_timings` has the milliseconds (median, 20th and 80th percentile), `reasons` why configurations were left
    out, and `bench_time` the seconds that it took.
    """

    def __init__(self, fn, arg_names, configs, key, reset_to_zero=None, restore_value=None, pre_hook=None,
                 post_hook=None, prune_configs_by=None, warmup=None, rep=None, use_cuda_graph=False, do_bench=None,
                 cache_results=False):
        super().__init__(fn, arg_names)
        self._make_configs = configs if callable(configs) else None
        self.configs = [] if self._make_configs else list(configs) if configs else [Config({})]
        self.keys = [key] if isinstance(key, str) else list(key or ())
        self.cache: dict[tuple, Config] = {}
        self.cache_results = cache_results
        self.reset_to_zero = list(reset_to_zero or ())
        self.restore_value = list(restore_value or ())
        self.user_defined_pre_hook = pre_hook is not None
        self.user_defined_post_hook = post_hook is not None
        self.pre_hook = pre_hook or self._reset
        self.post_hook = post_hook or self._restore
        pruning = prune_configs_by or {}
        self.early_config_prune = pruning.get("early_config_prune")
        self.perf_model = pruning.get("perf_model")
        self.configs_top_k = pruning.get("top_k", 1.0)
        self.num_warmups, self.num_reps, self.use_cuda_graph = warmup, rep, use_cuda_graph
        self.do_bench = do_bench or self._time
        self.best_config: Config | None = None
        self.configs_timings: dict[Config, list[float]] = {}
        self.reasons: dict[Config, Exception] = {}
        self.bench_time = 0.0
        self.nargs: dict | None = None
        self._copies: dict = {}
        self._lock = Lock()

    def run(self, *args, grid=None, warmup=False, **kwargs):
        """What `self[grid](*args, **kwargs)` does; with `warmup` it compiles all configurations that pruning leaves."""
        if warmup:
            return self.warmup(*args, grid=grid, **kwargs)
        config = self.best_config = self._choose(args, kwargs, grid)
        options = config.all_kwargs()
        if config.pre_hook is not None:
            config.pre_hook({**self._named(args), **kwargs, "grid": grid, "warmup": False, **options})
        return self.fn.run(*args, grid=grid, warmup=False, **kwargs, **options)

    def _choose(self, args: tuple, kwargs: dict, grid) -> Config:
        """The configuration of such a launch, which is searched for when it is not known."""
        named = self._named(args)
        if len(self.configs) == 1 and not self._make_configs:
            self._check_conflicts(self.configs[0], named, kwargs)
            return self.configs[0]
        key = self._key(named, kwargs)
        config = self.cache.get(key)
        if config is not None:
            return config
        with self._lock:
            return self.cache.get(key) or self._search(key, args, named, {**kwargs, "grid": grid, "warmup": False})

    def _resolved(self, args: tuple, kwargs: dict, grid) -> tuple:
        """The kernel that such a launch is of, its arguments and its keywords."""
        config = self._choose(args, kwargs, grid)
        args, kwargs = self._prepared(config, args, dict(kwargs))
        return self.fn._resolved(args, {**kwargs, **config.all_kwargs()}, grid)

    def warmup(self, *args, grid=None, **kwargs) -> list:
        """Compiles all configurations that pruning leaves, by several threads, and launches nothing. A dtype stands for
        a tensor of it. Returns the kernels of those that compile."""
        from .jit import _mock

        args = tuple(map(_mock, args))
        named = self._named(args)
        meta = {**kwargs, "grid": grid, "warmup": True}
        with self._lock:
            self.reasons = {}
            configs = self.prune_configs(meta, named)
            for config in configs:
                self._check_conflicts(config, named, kwargs)
            compiled = list(self._compile_all(configs, args, meta).values())
            self.nargs = None
        return compiled

    def prune_configs(self, kwargs: dict, named: dict | None = None) -> list[Config]:
        """The configurations that `prune_configs_by` leaves for such arguments."""
        self.nargs = self.nargs if named is None else named
        configs = self.configs
        if self._make_configs:
            configs = self.configs = list(self._make_configs({**self.nargs, **kwargs}))
            if not configs:
                raise TuningError(f"the function that makes configurations of kernel '{self.__name__}' returned none")
        if self.early_config_prune:
            configs = list(self.early_config_prune(configs, self.nargs, **kwargs) or ())
            if not configs:
                raise TuningError(f"pruning left no configuration of kernel '{self.__name__}': early_config_prune has "
                                  "to return at least one")
        if self.perf_model:
            count = self.configs_top_k
            if isinstance(count, float) and count <= 1.0:
                count = int(len(self.configs) * count)
            elif not isinstance(count, int):
                raise TypeError(f"top_k of prune_configs_by is {count!r}, expected a float up to 1.0 or an int")
            if len(configs) > count:
                costs = [self.perf_model(**{**self.nargs, **kwargs, **config.all_kwargs()}) for config in configs]
                order = sorted(range(len(configs)), key=costs.__getitem__)
                configs = [configs[index] for index in order[:max(count, 1)]]
        return configs

    # The search.

    def _key(self, named: dict, kwargs: dict) -> tuple:
        given = {**named, **{name: value for name, value in kwargs.items() if name in self.arg_names}}
        key = [_hashable(given[name]) for name in self.keys if name in given]
        key += [str(value.dtype) for value in given.values() if hasattr(value, "dtype")]
        if _is_simulated(given.values()):
            key.append("sim")
        return tuple(key)

    def _search(self, key: tuple, args: tuple, named: dict, meta: dict) -> Config:
        self.reasons = {}
        for name in self.reset_to_zero + self.restore_value:
            if name not in self.arg_names:
                raise ValueError(f"kernel '{self.__name__}' has no parameter '{name}', which autotune was told to "
                                 "reset or restore")
        configs = self.prune_configs(meta, named)
        for config in configs:
            self._check_conflicts(config, named, meta)
        begin = time.perf_counter()
        is_simulated = _is_simulated([*named.values(), *meta.values()])
        if is_simulated or len(configs) == 1:
            self.configs_timings = {}
            best = self._first_that_compiles(configs, args, meta)
        else:
            best = self._stored(key, configs) or self._fastest(key, configs, args, named, meta)
        self.bench_time = time.perf_counter() - begin
        if print_autotuning:
            print(self._summary(key, best, is_simulated), flush=True)
        # What was given to be zero at the beginning was written by the search.
        self.pre_hook({**named, **meta, **best.all_kwargs()}, reset_only=True)
        self.cache[key] = best
        self.nargs = None
        return best

    def _check_conflicts(self, config: Config, named: dict, kwargs: dict):
        conflicts = sorted(config.all_kwargs().keys() & (named.keys() | kwargs.keys()))
        if conflicts:
            raise ValueError(f"the launch of kernel '{self.__name__}' gives {', '.join(conflicts)}, and so do the "
                             "configurations of autotune: leave it to one of them")

    def _first_that_compiles(self, configs: list[Config], args: tuple, meta: dict) -> Config:
        for config in configs:
            if self._compile(config, *self._prepared(config, args, meta)):
                return config
        raise self._nothing_works()

    def _compile_all(self, configs: list[Config], args: tuple, meta: dict) -> dict:
        """The kernels of those configurations that compile, compiled by several threads."""
        calls = [(config, *self._prepared(config, args, meta)) for config in configs]
        with ThreadPoolExecutor(min(len(calls), os.cpu_count() or 1)) as threads:
            results = list(threads.map(lambda call: self._compile(*call), calls))
        compiled = {config: result[0] for config, result in zip(configs, results) if result}
        if not compiled:
            raise self._nothing_works()
        return compiled

    def _fastest(self, key: tuple, configs: list[Config], args: tuple, named: dict, meta: dict) -> Config:
        timings = {}
        for config in self._compile_all(configs, args, meta):
            try:
                with _hooking.unrecorded():
                    timings[config] = self._bench(config, args, named, meta)
            except Exception as error:
                if not _is_about_configuration(error):
                    raise
                self.reasons[config] = error
        if not timings:
            raise self._nothing_works()
        self.configs_timings = timings
        if self._is_stored():
            from . import _tuning_cache

            _tuning_cache.store(self.fn, configs, key, timings)
        return min(timings, key=lambda config: _cost(timings[config]))

    def _is_stored(self) -> bool:
        return self.cache_results or _devices.flag("TILEC_CACHE_AUTOTUNING")

    def _stored(self, key: tuple, configs: list[Config]) -> Config | None:
        """The best of an earlier process's timings, if it timed all of these."""
        if not self._is_stored():
            return None
        from . import _tuning_cache

        timings = _tuning_cache.find(self.fn, configs, key)
        if not timings:
            return None
        self.configs_timings = timings
        return min(timings, key=lambda config: _cost(timings[config]))

    def _prepared(self, config: Config, args: tuple, meta: dict) -> tuple[tuple, dict]:
        """Arguments to compile a configuration with. Its hook may change descriptors: these are copies then."""
        if config.pre_hook is None:
            return args, meta
        args = tuple(map(_arguments.copy_of_descriptor, args))
        meta = {name: _arguments.copy_of_descriptor(value) for name, value in meta.items()}
        config.pre_hook({**self._named(args), **meta, **config.all_kwargs()})
        return args, meta

    def _compile(self, config: Config, args: tuple, meta: dict) -> tuple:
        """What warming up returned, in a tuple; an empty one after a failure that is the configuration's."""
        try:
            return (self.fn.run(*args, **{**meta, **config.all_kwargs(), "warmup": True}), )
        except Exception as error:
            if not _is_about_configuration(error):
                raise
            self.reasons[config] = error
            return ()

    def _bench(self, config: Config, args: tuple, named: dict, meta: dict):
        options = {**meta, **config.all_kwargs()}
        everything = {**named, **options}

        def call():
            if config.pre_hook is not None:
                config.pre_hook(everything)
            self.pre_hook(everything)
            try:
                self.fn.run(*args, **options)
            except Exception as error:
                self.post_hook(everything, exception=error)
                raise
            self.post_hook(everything, exception=None)

        return self.do_bench(call, quantiles=(0.5, 0.2, 0.8))

    def _time(self, call, quantiles):
        from . import testing

        times = {"warmup": self.num_warmups, "rep": self.num_reps}
        times = {name: value for name, value in times.items() if value is not None}
        if self.use_cuda_graph:
            times.pop("warmup", None)
            return testing.do_bench_cudagraph(call, quantiles=quantiles, **times)
        return testing.do_bench(call, quantiles=quantiles, **times)

    # Hooks that nobody gave.

    def _reset(self, arguments: dict, reset_only=False):
        for name in self.reset_to_zero:
            _arguments.fill_with_zeros(arguments.get(name))
        if not reset_only:
            self._copies = {name: _arguments.clone(arguments.get(name)) for name in self.restore_value}

    def _restore(self, arguments: dict, exception=None):
        for name, value in self._copies.items():
            _arguments.assign(arguments.get(name), value)
        self._copies = {}

    # Reports.

    def _summary(self, key: tuple, best: Config, is_simulated: bool) -> str:
        lines = [f"tilec: autotuned kernel '{self.__name__}' for key {key} in {self.bench_time:.2f} s"]
        timings = {} if is_simulated else self.configs_timings
        for config in sorted(timings, key=lambda config: _cost(timings[config])):
            lines.append(f"  {_cost(timings[config]):10.4f} ms  {config}")
        lines += [f"  left out       {config}: {_first_line(error)}" for config, error in self.reasons.items()]
        why = " (the first one: the simulator times nothing)" if is_simulated else ""
        return "\n".join(lines + [f"  best: {best}{why}"])

    def _nothing_works(self) -> TuningError:
        lines = [f"  {config}: {error}" for config, error in self.reasons.items()]
        error = TuningError("\n".join([f"no configuration of kernel '{self.__name__}' works:"] + lines))
        error.__cause__ = next(iter(self.reasons.values()), None)
        return error


def autotune(configs, key, prune_configs_by=None, reset_to_zero=None, restore_value=None, pre_hook=None, post_hook=None,
             warmup=None, rep=None, use_cuda_graph=False, do_bench=None, cache_results=False):
    """Has a kernel find its configuration when it is launched.

    :param configs: the `Config`s to try; or a function that is called by each search, with the arguments by name in a
        dict, and returns them (`product_configs` does, of the sizes of a product)
    :param key: parameters for other values of which the search begins anew
    :param prune_configs_by: `early_config_prune(configs, named_args, **kwargs)` returns those to keep;
        `perf_model(**arguments)` estimates a time, and the `top_k` best (a share, or a number) are tried
    :param reset_to_zero: tensors that are filled with zeros before each run of the search, and after it
    :param restore_value: tensors that get their values back after each run of the search
    :param pre_hook: `pre_hook(arguments, reset_only=False)` in place of the two
    :param post_hook: `post_hook(arguments, exception)` after each run of the search
    :param warmup: milliseconds of `testing.do_bench`, as `rep`
    :param use_cuda_graph: times with `testing.do_bench_cudagraph`
    :param do_bench: `do_bench(call, quantiles)` in place of `testing.do_bench`
    :param cache_results: keeps the timings on disk, beside the compiled kernels; TILEC_CACHE_AUTOTUNING=1 does so for
        all kernels
    """

    def decorator(fn):
        return Autotuner(fn, fn.arg_names, configs, key, reset_to_zero, restore_value, pre_hook, post_hook,
                         prune_configs_by, warmup, rep, use_cuda_graph, do_bench, cache_results)

    return decorator


def heuristics(values):
    """Has constants of a kernel computed at each launch.

    :param values: functions by the constants' names; each gets a dict of the arguments that are known so far
    """

    def decorator(fn):
        return Heuristics(fn, fn.arg_names, values)

    return decorator


#: Names of exceptions, ours or Triton's, that are about one configuration.
_CONFIGURATION_ERRORS = {"CompilationError", "CompileTimeAssertionFailure", "OutOfResources", "PTXASError"}


def _is_about_configuration(error: Exception) -> bool:
    if isinstance(error, (CompilationError, OutOfResources, InternalError)):
        return True
    return any(kind.__name__ in _CONFIGURATION_ERRORS for kind in type(error).__mro__)


def _python_function(fn):
    while not inspect.isfunction(fn) and hasattr(fn, "fn"):
        fn = fn.fn
    return fn


def _cost(timing) -> float:
    return timing[0] if isinstance(timing, (list, tuple)) else timing


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _hashable(value):
    try:
        hash(value)
        return value
    except TypeError:
        return repr(value)


def _is_simulated(values) -> bool:
    """Whether a launch with such arguments runs on the simulator."""
    types = set(map(_values.device_type, values)) - {0}
    if _devices.CUDA in types:
        return False  # Pinned memory may be beside it.
    return _devices.CPU in types or not types and _devices.current()[0] == _devices.CPU
