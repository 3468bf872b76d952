#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What each step on the way to the tensor cores brings: the same product and the same attention with one thing changed at
# a time (instruction, stages, swizzle, products in flight, who copies, programs on a multiprocessor). Launches are
# interleaved, L2 is flushed; --ncu adds what the profiler says of each.
#
#   python3 steps.py --library PATH/lib/libtilec.so --examples PATH/examples [--ncu] [--out FILE]
#
# Needs PyTorch.

import argparse
import csv
import io
import json
import os
import re
import statistics
import subprocess
import sys
from dataclasses import dataclass
from typing import Callable

import attention
import libtilec
import matmul
from tensor_case import HOPPER, Configuration, blocks, build_of, with_tensors

METRICS = {
    "tensor pipe active, % of cycles": "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    "tensor (wgmma) pipe active, % of cycles": "sm__inst_executed_pipe_tensor_op_gmma.avg.pct_of_peak_sustained_active",
    "issue slots used, %": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "warps on a multiprocessor": "sm__warps_active.avg.per_cycle_active",
    "DRAM throughput, %": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "L2 throughput, %": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "shared memory bank conflicts": "l1tex__data_bank_conflicts_pipe_lsu.sum"}
STALLS = ("barrier", "gmma", "long_scoreboard", "math_pipe_throttle", "mio_throttle", "not_selected",
          "short_scoreboard", "wait", "warpgroup_arrive", "dispatch_stall", "branch_resolve", "no_instruction", "sleeping")
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
# wgmma of the CTA that may still run when its wait returns.
PENDING = re.compile(r"(wgmma\.wait_group\.sync\.aligned\s+)\d+")


def as_it_is(ptx):
    return ptx


def nothing_in_flight(ptx):
    """Every wait is for all products."""
    return PENDING.sub(r"\g<1>0", ptx)


@dataclass
class Step:
    name: str
    case: object
    configuration: Configuration
    target: str = HOPPER
    edit: Callable = as_it_is


def product(configuration):
    return matmul.Matmul(8192, 8192, 8192, "bf16", "nn", [configuration])


def steps():
    for stages in (1, 2, 3, 4):
        one = blocks((128, 128, 32, 4, stages))[0]
        yield Step(f"mma.sync 128x128x32, {stages} stages of cp.async", product(one), one, "sm_80")
    for stages in (1, 2, 3, 4):
        one = blocks((128, 256, 64, 8, stages))[0]
        yield Step(f"wgmma 128x256x64, {stages} stages of cp.async", product(one), one)
    one = blocks((128, 256, 64, 8, 4))[0]
    yield Step("the last one, no product in flight over the back edge", product(one), one, edit=nothing_in_flight)
    for depth, stages in ((16, 4), (16, 8), (32, 4), (32, 6)):
        one = blocks((128, 256, depth, 8, stages))[0]
        yield Step(f"wgmma 128x256x{depth}, {stages} stages, swizzle of {2 * depth} bytes", product(one), one)
    for keeps in (False, True):
        for stages, stores in ((3, 1), (4, 2)):
            one = matmul.persistent((128, 256, 64, 8, stages, stores, keeps))[0]
            yield Step(f"wgmma 128x256x64, {stages} stages of TMA{', persistent' if keeps else ''}", product(one), one)
    for source, shape in ((None, (128, 128, 8, 2)), (None, (128, 64, 8, 2)), (None, (64, 64, 4, 2)),
                          (attention.OVERLAPPED, (128, 128, 8, 2)), (attention.DESCRIPTORS, (128, 128, 8, 2)),
                          (attention.DESCRIPTORS, (64, 64, 4, 2)), (attention.DESCRIPTORS, (128, 64, 8, 2))):
        one = attention.others(source, shape)[0]
        name = source.entry if source else "attention_forward"
        yield Step(f"{name} {shape[0]}x{shape[1]}, {shape[2]} warps",
                   attention.Attention(4, 32, 4096, 128, False, "bf16", [one]), one)


class Runner:
    def __init__(self, options):
        self.options = options
        self.compiler = libtilec.Compiler(options.library)

    def kernel(self, step):
        build = build_of(step.case, step.configuration, step.target)
        ptx, metadata = self.compiler.compile(
            os.path.join(self.options.examples, build.file), build.kernel, dict(build.arguments), dict(build.constants),
            build.warps, build.stages, build.target, libtilec.PTX)
        return libtilec.Kernel(step.edit(ptx.decode()).encode(), metadata)

    def launch(self, step, data):
        values = with_tensors(step.case.values(step.configuration), data.arguments)
        return self.kernel(step).launcher(step.case.grid(step.configuration), **values)

    def time(self, chosen):
        """Rows of the steps of one problem; they share its data."""
        import timing
        import torch
        data, launches, errors = chosen[0].case.data(), {}, {}
        for step in chosen:
            launches[step.name] = self.launch(step, data)
            launches[step.name]()
            torch.cuda.synchronize()
            errors[step.name] = data.error(None)
            if errors[step.name] > step.case.tolerance:
                raise SystemExit(f"{step.name}: error {errors[step.name]}")
        samples = timing.Timer(ahead=200_000).interleaved(launches, self.options.repeats)
        for step in chosen:
            micros = statistics.median(samples[step.name])
            yield dict(step=step.name, size=step.case.size, microseconds=round(micros, 1),
                       tflops=round(step.case.flops / micros / 1e6, 1), error=errors[step.name])

    def profile(self, name):
        """What the profiler says of one step, which another process runs."""
        wanted = list(METRICS.values()) + [STALL.format(stall) for stall in STALLS]
        run = subprocess.run(
            ["ncu", "--csv", "--page", "raw", "--launch-count", "1", "--kernel-name", "regex:matmul|attention",
             "--metrics", ",".join(wanted), sys.executable, __file__, "--library", self.options.library, "--examples",
             self.options.examples, "--only", name], capture_output=True, text=True, check=False)
        lines = [line for line in run.stdout.splitlines() if line.startswith('"')]
        if len(lines) < 3:
            return dict(failed=(run.stdout + run.stderr)[-400:])
        values = list(csv.DictReader(io.StringIO("\n".join(lines))))[1]  # the first one has the units
        number = {key: float(text.replace(",", "")) for key, text in values.items()
                  if key in wanted and text and text[0].isdigit()}
        known = {label: number[metric] for label, metric in METRICS.items() if metric in number}
        stalls = {stall: number[STALL.format(stall)] for stall in STALLS if STALL.format(stall) in number}
        known["warps stalled for each that issues"] = dict(sorted(stalls.items(), key=lambda item: -item[1])[:5])
        return known


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--repeats", type=int, default=12)
    parser.add_argument("--ncu", action="store_true", help="profile each step, too")
    parser.add_argument("--only", help="launch the step of this name once, and nothing else")
    parser.add_argument("--out")
    options = parser.parse_args()
    import torch
    torch.manual_seed(0)
    runner = Runner(options)
    if options.only:
        step = next(step for step in steps() if step.name == options.only)
        runner.launch(step, step.case.data())()
        torch.cuda.synchronize()
        return
    problems = {}
    for step in steps():
        problems.setdefault(step.case.size, []).append(step)
    rows = []
    for chosen in problems.values():
        for row in runner.time(chosen):
            if options.ncu:
                row["profile"] = runner.profile(row["step"])
            rows.append(row)
            print(json.dumps(row), flush=True)
        torch.cuda.empty_cache()
    if options.out:
        with open(options.out, "w") as file:
            json.dump(dict(device=torch.cuda.get_device_name(), rows=rows), file, indent=1)


if __name__ == "__main__":
    main()
