# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measuring and comparing for editors and type checkers."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

_Mode = Literal["mean", "median", "min", "max", "all"]

class Benchmark:
    """What `perf_report` measures: a table with a row for each value of `x_vals` and a column for each of `line_vals`.

    :param x_names: arguments that get the row's value, or, where that is a tuple, one value each
    :param line_arg: the argument that gets the column's value; `line_names` are the columns' titles
    :param plot_name: the name of the table and its files
    :param args: arguments that stay
    :param styles: colour and line style of each column in the plot
    """

    x_names: Sequence[str]
    x_vals: Sequence[Any]
    line_arg: str
    line_vals: Sequence[Any]
    line_names: Sequence[str]
    plot_name: str
    args: dict[str, Any]
    xlabel: str
    ylabel: str
    x_log: bool
    y_log: bool
    styles: Sequence[tuple[str, str]] | None

    def __init__(self, x_names: Sequence[str], x_vals: Sequence[Any], line_arg: str, line_vals: Sequence[Any],
                 line_names: Sequence[str], plot_name: str, args: dict[str, Any], xlabel: str = "", ylabel: str = "",
                 x_log: bool = False, y_log: bool = False,
                 styles: Sequence[tuple[str, str]] | None = None) -> None: ...

class Mark:
    """A function with its benchmarks; `perf_report` makes it."""

    fn: Callable[..., Any]
    benchmarks: Benchmark | Sequence[Benchmark]

    def __init__(self, fn: Callable[..., Any], benchmarks: Benchmark | Sequence[Benchmark]) -> None: ...
    def run(self, show_plots: bool = False, print_data: bool = False, save_path: str = "", return_df: bool = False,
            **kwargs: Any) -> Any:
        """Measures. Plots need matplotlib."""
        ...

def do_bench(fn: Callable[[], Any], warmup: float = 25, rep: float = 100, grad_to_none: Iterable[Any] | None = None,
             quantiles: Sequence[float] | None = None, return_mode: _Mode = "mean") -> Any:
    """The time of `fn()` in milliseconds, with a cold L2 cache."""
    ...

def do_bench_cudagraph(fn: Callable[[], Any], rep: float = 20, grad_to_none: Iterable[Any] | None = None,
                       quantiles: Sequence[float] | None = None, return_mode: _Mode = "mean") -> Any:
    """The time of `fn()` in milliseconds, without what the host takes to launch."""
    ...

def assert_close(x: Any, y: Any, atol: Any = None, rtol: Any = None, err_msg: str = "") -> None:
    """Fails unless two tensors, arrays, lists or numbers are close: `abs(x - y) <= atol + rtol * abs(y)`."""
    ...

def perf_report(benchmarks: Benchmark | Sequence[Benchmark]) -> Callable[[Callable[..., Any]], Mark]:
    """Makes a function a benchmark, which `run` measures."""
    ...
