# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What a launch costs the host: tilec's ways (tilec-launch-overhead) and Triton's, on one machine in one run, with 5 and
# 20 arguments. Writes JSON with nanoseconds a launch and what the targets say of them.
#
# usage: launch.py [--program tilec-portable/bin/tilec-launch-overhead] [--runs 5] [-o launch.json]

import argparse
import json
import statistics
import subprocess
import time

ROUNDS, BATCH = 300, 200


def triton_kernels():
    """Kernels with the same parameters as in LaunchOverhead.cpp, that do nothing."""
    import triton
    import triton.language as tl

    @triton.jit
    def five(a, b, c, n, m):
        at = tl.arange(0, 128)
        tl.store(c + at, tl.load(a + at, mask=at < n) + tl.load(b + at, mask=at < m), mask=at < n)

    @triton.jit
    def twenty(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9):
        at = tl.arange(0, 128)
        mask = at < n0 + n1 + n2 + n3 + n4 + n5 + n6 + n7 + n8 + n9
        total = tl.load(a0 + at, mask=mask) + tl.load(a1 + at, mask=mask) + tl.load(a2 + at, mask=mask)
        total += tl.load(a3 + at, mask=mask) + tl.load(a4 + at, mask=mask) + tl.load(a5 + at, mask=mask)
        total += tl.load(a6 + at, mask=mask) + tl.load(a7 + at, mask=mask) + tl.load(a8 + at, mask=mask)
        tl.store(a9 + at, total, mask=mask)

    return five, twenty, triton.__version__


def time_triton():
    """Nanoseconds a launch by number of arguments, and Triton's version."""
    import torch
    five, twenty, version = triton_kernels()
    x = torch.zeros(1024, device="cuda")
    calls = {"5": (five, [x] * 3 + [-3, -5]), "20": (twenty, [x] * 10 + [-3] * 10)}
    result = {}
    for count, (kernel, arguments) in calls.items():
        launch = kernel[(1,)]
        for _ in range(3 * BATCH):
            launch(*arguments)
        samples = []
        for _ in range(ROUNDS):
            torch.cuda.synchronize()
            begin = time.perf_counter_ns()
            for _ in range(BATCH):
                launch(*arguments)
            samples.append((time.perf_counter_ns() - begin) / BATCH)
        torch.cuda.synchronize()
        samples.sort()
        result[count] = {"median": round(samples[len(samples) // 2], 1), "least": round(samples[0], 1)}
    return result, version


def merge(run, triton):
    """Adds Triton's times and the ratios that the targets are about."""
    run["targets"] = {}
    for count, ways in run["nanoseconds"].items():
        median = {way: times["median"] for way, times in ways.items()}
        targets = run["targets"][count] = {
            "prepared over raw, us (at most 0.5)": round((median["prepared"] - median["raw"]) / 1e3, 3),
            "typed over raw, us (at most 1.5)": round((median["typed"] - median["raw"]) / 1e3, 3),
        }
        if triton:
            ways["triton"] = triton[count]
            targets["typed by triton (at most 0.333)"] = round(median["typed"] / triton[count]["median"], 3)
    return run


def median_targets(runs):
    """The targets over all runs: the median of each number, since the driver's own time moves from run to run."""
    names = {count: list(targets) for count, targets in runs[0]["targets"].items()}
    return {count: {name: round(statistics.median(run["targets"][count][name] for run in runs), 3) for name in all}
            for count, all in names.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build-portable/tilec-portable/bin/tilec-launch-overhead")
    parser.add_argument("--driver", default="", help="the CUDA driver's library, when it is not libcuda.so.1")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--no-triton", action="store_true")
    parser.add_argument("-o", "--output", default="launch.json")
    options = parser.parse_args()
    runs, version = [], None
    for _ in range(options.runs):
        command = [options.program] + ([options.driver] if options.driver else [])
        run = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        triton = None
        if not options.no_triton:
            triton, version = time_triton()
        runs.append(merge(run, triton))
        print(json.dumps(runs[-1]["targets"], indent=2))
    with open(options.output, "w") as file:
        json.dump({"triton": version, "targets": median_targets(runs), "runs": runs}, file, indent=2)
        file.write("\n")


if __name__ == "__main__":
    main()
