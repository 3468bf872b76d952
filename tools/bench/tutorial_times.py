# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the benchmarks of Triton's tutorials as they are: by tilec, by tilec with loads through pointers left to the threads,
and by Triton.

    python tools/bench/tutorial_times.py [--json FILE] [--filter TEXT,...] [--exclude TEXT,...] [--sizes N] FOLDER [NAME...]

A tutorial is loaded once for each of the three, so that each has autotuners of its own, and its own benchmarks say what to
run: with Triton's `perf_report`, or with the `bench_fn` of tutorial 09. What they would time is kept instead. Each autotuner
tunes for each size; its three fastest configurations are then measured in turn with those of the others (L2 flushed, events
around each run, medians), and each one's best counts. Results are compared with Triton's. Before that, processes of their
own compile everything.
"""

import argparse
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import types

NAMES = ["03-matrix-multiplication", "06-fused-attention", "08-grouped-gemm", "09-persistent-matmul"]

#: By tilec, by tilec with `tensor_copies=False`, and by Triton.
WAYS = ["tilec", "without", "triton"]

#: Lines of the tutorials' plots that are not theirs.
NOT_THEIRS = ("cublas", "rocblas", "torch", "flash")

#: The depth of the products of tutorial 09, whose own default is the first.
DEPTHS = [512, 8192]

#: What tutorial 09 times on Hopper, by its own labels.
LABELS = ["naive", "persistent", "tma_persistent", "tma", "descriptor_persistent", "descriptor_persistent_ws"]

#: Cycles of the GPU in front of the clock, in which Python starts what is timed.
AHEAD = 600000


class Way:
    """Launches by one of the ways, while it is entered."""

    def __init__(self, name: str):
        self.name = name

    def __enter__(self):
        import tilec
        from triton.runtime.jit import JITFunction

        if self.name == "triton":
            return
        tilec.install(fallback=False)
        if self.name == "without":
            self.kept = {name: vars(JITFunction).get(name) for name in ("run", "__getitem__")}
            run = JITFunction.run
            JITFunction.run = lambda function, *args, **kwargs: run(function, *args, **{**kwargs, "tensor_copies": False})
            JITFunction.__getitem__ = lambda function, grid: lambda *args, **kwargs: function.run(
                *args, grid=grid, warmup=False, **kwargs)

    def __exit__(self, *_):
        import tilec
        from triton.runtime.jit import JITFunction

        if self.name == "without":
            for name, method in self.kept.items():
                setattr(JITFunction, name, method) if method else delattr(JITFunction, name)
        if self.name != "triton":
            tilec.uninstall()


def with_values_of_now(function):
    """`function` with what it reads of the functions around it: tutorial 09 changes that in a loop."""
    if not getattr(function, "__closure__", None):
        return function
    cells = tuple(types.CellType(cell.cell_contents) for cell in function.__closure__)
    return types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, cells)


class Tutorial:
    """A tutorial that is loaded for one way. `cases()` has what its benchmarks time, by name."""

    def __init__(self, path: pathlib.Path, way: str, options, is_warming=False):
        import triton
        import triton.testing

        self.way, self.options, self.is_warming = Way(way), options, is_warming
        self.marks, self.wanted = [], None
        name = f"tutorial_{path.stem.replace('-', '_')}_{way}"
        spec = importlib.util.spec_from_file_location(name, path)
        self.module = sys.modules[name] = importlib.util.module_from_spec(spec)
        triton.testing.Mark.run = lambda mark, *args, **kwargs: None
        self.do_bench = triton.testing.do_bench
        with self.way, self:
            spec.loader.exec_module(self.module)

    def __enter__(self):
        """Has the tutorial's timings come here, and while everything is only compiled the autotuners' too."""
        import triton.testing

        def do_bench(function, *args, **kwargs):
            if sys._getframe(1).f_globals is self.module.__dict__:
                self.wanted = with_values_of_now(function)
                return (1.0, 1.0, 1.0) if kwargs.get("quantiles") else 1.0
            if not self.is_warming:
                # The fastest are measured again.
                return self.do_bench(function, *args, **{"warmup": 5, "rep": 30, **kwargs})
            function()
            return [1.0, 1.0, 1.0] if kwargs.get("quantiles") else 1.0

        triton.testing.do_bench = do_bench

    def __exit__(self, *_):
        import triton.testing

        triton.testing.do_bench = self.do_bench

    def tuners(self) -> list:
        from triton.runtime import Autotuner

        return [value for value in vars(self.module).values() if isinstance(value, Autotuner)]

    def forget_choices(self):
        for tuner in self.tuners():
            tuner.cache.clear()
            tuner.configs_timings = {}

    def benchmarks(self) -> dict:
        """What makes the cases, by name."""
        import torch
        from triton.testing import Mark

        made = {}
        for mark in [value for value in vars(self.module).values() if isinstance(value, Mark)]:
            plots = mark.benchmarks if isinstance(mark.benchmarks, list) else [mark.benchmarks]
            for plot in plots:
                sizes = plot.x_vals
                # The middle of the list, its end, and what is between.
                first, steps = len(sizes) // 2, max(self.options.sizes - 1, 1)
                chosen = [sizes[first + (len(sizes) - 1 - first) * i // steps] for i in range(self.options.sizes)]
                for line in plot.line_vals:
                    for size in dict.fromkeys(chosen):
                        values = {**dict.fromkeys(plot.x_names, size), plot.line_arg: line, **plot.args}
                        made[f"{plot.plot_name} {line} {size}"] = lambda mark=mark, values=values: mark.fn(**values)
        if hasattr(self.module, "bench_fn"):
            for depth in DEPTHS[:self.options.sizes]:
                for dtype in (torch.float16, torch.float8_e4m3fn):
                    for label in LABELS:
                        name = f"8192x8192x{depth} {str(dtype).removeprefix('torch.')} {label}"
                        made[name] = lambda depth=depth, dtype=dtype, label=label: self.bench(depth, dtype, label)
        filters, excluded = self.options.filter.split(","), [text for text in self.options.exclude.split(",") if text]
        return {name: make for name, make in made.items()
                if not any(text in name for text in (*NOT_THEIRS, *excluded)) and any(text in name for text in filters)}

    def bench(self, depth, dtype, wanted: str):
        def keep(label, repeats, warmup, function, *args):
            if label == wanted:
                function = with_values_of_now(function)
                self.wanted = lambda: function(*args)

        self.module.bench_fn = keep
        self.module.bench(depth, dtype)

    def tune(self, make):
        """What a benchmark times, and its autotuner with the configurations' times, if it has one."""
        import torch

        self.forget_choices()
        self.wanted = None
        torch.manual_seed(0)
        with self.way, self:
            make()
            # What was tuned on the way, as the forward pass of gradients, is not what is timed.
            self.forget_choices()
            self.wanted()
        torch.cuda.synchronize()
        used = next((tuner for tuner in self.tuners() if tuner.cache), None)
        return self.wanted, used


def is_finite(time) -> bool:
    return 0 < (time[0] if isinstance(time, (list, tuple)) else time) < float("inf")


class Candidate:
    """What one way runs with one configuration."""

    def __init__(self, tutorial: Tutorial, function, tuner, config):
        self.tutorial, self.function, self.tuner, self.config = tutorial, function, tuner, config
        self.key = next(iter(tuner.cache)) if tuner else None
        self.samples = []

    def run(self, timer, count: int):
        with self.tutorial.way:
            if self.tuner:
                self.tuner.cache[self.key] = self.config
            self.function()
            self.samples += [timer.sample(self.function) for _ in range(count)]

    def result(self):
        with self.tutorial.way:
            if self.tuner:
                self.tuner.cache[self.key] = self.config
            return self.function()

    def microseconds(self) -> float:
        return statistics.median(start.elapsed_time(end) * 1000 for start, end in self.samples)


def difference(result, right):
    """The norm of the difference to Triton's result over the norm, or None without a result."""
    import torch

    if not isinstance(result, torch.Tensor) or not isinstance(right, torch.Tensor):
        return None
    return ((result.double() - right.double()).norm() / right.double().norm()).item()


def measure(loaded: dict, name: str, options, timer) -> dict:
    import torch

    candidates, chosen = {}, {}
    for way, tutorial in loaded.items():
        function, tuner = tutorial.tune(tutorial.benchmarks()[name])
        configs = [None]
        if tuner:
            times = {config: time for config, time in tuner.configs_timings.items() if is_finite(time)}
            configs = sorted(times, key=lambda config: times[config])[:3] or [tuner.best_config]
        chosen[way] = [Candidate(tutorial, function, tuner, config) for config in configs]
        candidates.update({(way, i): candidate for i, candidate in enumerate(chosen[way])})
    order = list(candidates.values())
    for _ in range(options.rounds):
        # What ran before has a say in the clock.
        random.shuffle(order)
        for candidate in order:
            candidate.run(timer, 4)
        torch.cuda.synchronize()
    row, best = {"name": name, "microseconds": {}, "configurations": {}}, {}
    for way, found in chosen.items():
        best[way] = min(found, key=Candidate.microseconds)
        row["microseconds"][way] = round(best[way].microseconds(), 2)
        row["configurations"][way] = {str(one.config): round(one.microseconds(), 2) for one in found}
    row["tilec_over_without"] = round(row["microseconds"]["without"] / row["microseconds"]["tilec"], 4)
    if "triton" in best:
        row["tilec_over_triton"] = round(row["microseconds"]["triton"] / row["microseconds"]["tilec"], 4)
        right = best["triton"].result()
        row["difference"] = difference(best["tilec"].result(), right)
    for tutorial in loaded.values():
        tutorial.wanted = None
    return row


def warm(options, path: pathlib.Path, way: str, part: int, parts: int):
    """Compiles what a part of a tutorial's benchmarks needs."""
    tutorial = Tutorial(path, way, options, is_warming=True)
    for name, make in list(tutorial.benchmarks().items())[part::parts]:
        try:
            tutorial.tune(make)
        except Exception as error:
            print(f"{path.stem} {name} by {way}: {error!r}"[:300], file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--filter", default="", help="benchmarks whose names have one of these texts")
    parser.add_argument("--exclude", default="", help="not those with one of these")
    parser.add_argument("--sizes", type=int, default=1, help="of a plot, from its middle to its end")
    parser.add_argument("--rounds", type=int, default=10, help="of four runs")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--jobs", type=int, default=min(14, os.cpu_count() or 1), help="processes that compile")
    parser.add_argument("--warm", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", default=NAMES)
    options = parser.parse_args()
    ways = options.ways.split(",")
    if options.warm:
        way, part, parts = options.warm
        return warm(options, options.folder / f"{options.names[0]}.py", way, int(part), int(parts))

    # Triton takes longest.
    parts = {way: max(1, options.jobs // (2 if way == "triton" else 7)) for way in ways}
    command = [sys.executable, __file__, "--sizes", str(options.sizes), "--filter", options.filter, "--exclude",
               options.exclude]

    def start(job):
        way, name, part = job
        subprocess.run([*command, "--warm", way, str(part), str(parts[way]), str(options.folder), name],
                       stdout=subprocess.DEVNULL)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(start, [(way, name, part) for way in reversed(ways) for name in options.names
                              for part in range(parts[way])]))

    import tilec
    import torch
    import triton

    from timing import Timer

    timer = Timer(AHEAD)
    report = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "triton": triton.__version__,
              "tilec": tilec.__version__, "cases": []}
    for name in options.names:
        loaded = {way: Tutorial(options.folder / f"{name}.py", way, options) for way in ways}
        for case in loaded[ways[0]].benchmarks():
            try:
                row = {"tutorial": name, **measure(loaded, case, options, timer)}
            except Exception as error:
                row = {"tutorial": name, "name": case, "error": repr(error)[:500]}
            report["cases"].append(row)
            print(name[:2], case, row.get("microseconds", ""), *(row[key] for key in row if key.startswith("tilec_over")),
                  row.get("error", row.get("difference")), flush=True)
            if options.json:
                with open(options.json, "w") as file:
                    json.dump(report, file, indent=1)
                    file.write("\n")
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
