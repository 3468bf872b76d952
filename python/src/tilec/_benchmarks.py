# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of measurements, for tilec.testing."""

from __future__ import annotations

import csv
import os


class Benchmark:
    """What `perf_report` measures: a table with a row for each value of `x_vals` and a column for each of `line_vals`.

    :param x_names: arguments that get the row's value, or, where that is a tuple, one value each
    :param line_arg: the argument that gets the column's value; `line_names` are the columns' titles
    :param plot_name: the name of the table and its files
    :param args: arguments that stay
    :param styles: colour and line style of each column in the plot
    """

    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args, xlabel="", ylabel="",
                 x_log=False, y_log=False, styles=None):
        self.x_names = x_names
        self.x_vals = x_vals
        self.line_arg = line_arg
        self.line_vals = line_vals
        self.line_names = line_names
        self.plot_name = plot_name
        self.args = args
        self.xlabel = xlabel
        self.ylabel = ylabel
        self.x_log = x_log
        self.y_log = y_log
        self.styles = styles


class Mark:
    """A function with its benchmarks; `perf_report` makes it."""

    def __init__(self, fn, benchmarks):
        self.fn = fn
        self.benchmarks = benchmarks

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        """Measures. Plots need matplotlib.

        :param save_path: a folder for a plot and a table (CSV) of each benchmark, and a page `results.html`
        :param return_df: whether to return the tables as pandas has them: a list of them for a list of benchmarks
        :param kwargs: `diff_col` adds the difference of two columns, `save_precision` is the number of digits in files;
            others are arguments of the function
        """
        is_single = isinstance(self.benchmarks, Benchmark)
        benchmarks = [self.benchmarks] if is_single else list(self.benchmarks)
        if save_path:
            os.makedirs(save_path, exist_ok=True)
        tables = [self._run(benchmark, save_path, show_plots, print_data, **kwargs) for benchmark in benchmarks]
        if save_path:
            with open(os.path.join(save_path, "results.html"), "w", encoding="utf-8") as file:
                images = "".join(f'<img src="{benchmark.plot_name}.png"/>\n' for benchmark in benchmarks)
                file.write(f"<html><body>\n{images}</body></html>\n")
        if not return_df:
            return None
        frames = [table.frame() for table in tables]
        return frames[0] if is_single else frames

    def _run(self, benchmark: Benchmark, save_path: str, show_plots: bool, print_data: bool, diff_col=False,
             save_precision=6, **kwargs) -> _Table:
        table = _Table(benchmark)
        for x in benchmark.x_vals:
            row = list(x) if isinstance(x, (list, tuple)) else [x] * len(benchmark.x_names)
            if len(row) != len(benchmark.x_names):
                raise ValueError(f"benchmark '{benchmark.plot_name}' has {len(benchmark.x_names)} x_names, got {x}")
            arguments = {**dict(zip(benchmark.x_names, row)), **benchmark.args, **kwargs}
            table.add(row, [self.fn(**arguments, **{benchmark.line_arg: line}) for line in benchmark.line_vals])
        if benchmark.plot_name and (show_plots or save_path):
            table.plot(show_plots, save_path)
        if diff_col:
            table.add_difference()
        if print_data:
            print(f"{benchmark.plot_name}:\n{table}")
        if save_path:
            table.save(os.path.join(save_path, f"{benchmark.plot_name}.csv"), save_precision)
        return table


class _Table:
    """Results of a benchmark."""

    def __init__(self, benchmark: Benchmark):
        self.benchmark = benchmark
        self.columns = [*benchmark.x_names, *(f"{name} ({benchmark.ylabel})" for name in benchmark.line_names)]
        self.rows: list[list] = []
        self.ranges: list[list[tuple]] = []  #: least and greatest of each line, or None

    def add(self, row: list, results: list):
        triples = [result if isinstance(result, (list, tuple)) else (result, None, None) for result in results]
        self.rows.append(row + [mean for mean, _, _ in triples])
        self.ranges.append([(low, high) for _, low, high in triples])

    def add_difference(self):
        if len(self.columns) - len(self.benchmark.x_names) == 2:
            self.columns.append("Diff")
            for row in self.rows:
                row.append(row[-1] - row[-2])

    def __str__(self) -> str:
        texts = [self.columns] + [[f"{value:.6f}" if isinstance(value, float) else str(value) for value in row]
                                  for row in self.rows]
        widths = [max(map(len, column)) for column in zip(*texts)]
        return "\n".join("  ".join(text.rjust(width) for text, width in zip(row, widths)) for row in texts)

    def save(self, path: str, precision: int):
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.columns)
            for row in self.rows:
                writer.writerow([f"{value:.{precision}f}" if isinstance(value, float) else value for value in row])

    def frame(self):
        import pandas

        return pandas.DataFrame(self.rows, columns=self.columns)

    def plot(self, show: bool, folder: str):
        import matplotlib.pyplot as pyplot

        benchmark = self.benchmark
        first = len(benchmark.x_names)
        xs = [row[0] for row in self.rows]
        figure, axes = pyplot.subplots()
        for index, label in enumerate(self.columns[first:]):
            colour, style = benchmark.styles[index] if benchmark.styles else (None, None)
            axes.plot(xs, [row[first + index] for row in self.rows], label=label, color=colour, ls=style)
            ranges = [row[index] for row in self.ranges]
            if all(low is not None and high is not None for low, high in ranges):
                axes.fill_between(xs, *zip(*ranges), alpha=0.15, color=colour)
        axes.legend()
        axes.set_xlabel(benchmark.xlabel or benchmark.x_names[0])
        axes.set_ylabel(benchmark.ylabel)
        axes.set_xscale("log" if benchmark.x_log else "linear")
        axes.set_yscale("log" if benchmark.y_log else "linear")
        if folder:
            figure.savefig(os.path.join(folder, f"{benchmark.plot_name}.png"))
        if show:
            pyplot.show()
        pyplot.close(figure)


def perf_report(benchmarks):
    """Makes a function one whose `run()` measures: it is called with the arguments of one or more `Benchmark`s, and
    returns a number, or three: it, the least and the greatest."""
    return lambda fn: Mark(fn, benchmarks)
