#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Times cold compilation to cubins with two builds of tilec, a process and no cache each, the two in turn: the kernels of the
# fastest configurations (FASTEST in tensor_cases.py). What the earlier build does not know is left out, and said.
#
#   python3 compile_two.py --before PATH/bin/tilec --now PATH/bin/tilec --examples PATH/examples [--filter TEXT,...] [--out FILE]
#
# Needs ptxas, but neither a GPU nor PyTorch.

import argparse
import json
import os
import statistics
import time

import libtilec
import tensor_cases


def milliseconds(compiler, examples, build):
    start = time.perf_counter()
    compiler.compile(os.path.join(examples, build.file), build.kernel, dict(build.arguments), dict(build.constants),
                     build.warps, build.stages, build.target, num_ctas=build.ctas, split_k=build.split_k)
    return (time.perf_counter() - start) * 1e3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--before", required=True, help="a program tilec")
    parser.add_argument("--now", required=True, help="another one")
    parser.add_argument("--examples", required=True)
    parser.add_argument("--filter", default="", help="texts, separated by commas, one of which a case contains")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--out", help="JSON")
    options = parser.parse_args()
    os.environ["TILEC_NO_CACHE"] = "1"
    compilers = {"before": libtilec.CommandLine(options.before), "now": libtilec.CommandLine(options.now)}
    rows = []
    for build, case in tensor_cases.fastest(options.filter).items():
        title = f"{build.kernel}, {case}"
        samples = {which: [] for which in compilers}
        try:
            for _ in range(options.repeats):
                for which, compiler in compilers.items():
                    samples[which].append(milliseconds(compiler, options.examples, build))
        except RuntimeError as error:
            print(f"{title}: left out, {str(error).splitlines()[0]}", flush=True)
            continue
        medians = {which: statistics.median(values) for which, values in samples.items()}
        rows.append(dict(kernel=title, ratio=round(medians["now"] / medians["before"], 3),
                         **{f"{which}_ms": round(value, 1) for which, value in medians.items()}))
        print(f"{rows[-1]['ratio']:6.3f}  {medians['before']:6.0f} {medians['now']:6.0f} ms  {title}", flush=True)
        if options.out:
            with open(options.out, "w") as file:
                json.dump(dict(repeats=options.repeats, rows=rows), file, indent=1)
    ratios = [row["ratio"] for row in rows]
    print(f"geometric mean {statistics.geometric_mean(ratios):.3f}, most {max(ratios):.3f}, {len(rows)} kernels")


if __name__ == "__main__":
    main()
