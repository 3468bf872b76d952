#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Times tilec's kernels beside Triton's and PyTorch's on one GPU, in one run: same source text, same buffers, same
# stream, L2 flushed before every launch, launches interleaved, medians. Every result is checked against float64 first.
#
#   python3 compare.py --library PATH/lib/libtilec.so --examples PATH/examples [--out result.json] [--filter softmax]
#
# Needs PyTorch and Triton.

import argparse
import concurrent.futures
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import threading

import torch
import triton

import cases
import libtilec
import picture
import timing
import triton_source
from tensor_case import promise

TYPES = {torch.float32: "fp32", torch.float16: "fp16", torch.bfloat16: "bf16", torch.float64: "fp64",
         torch.int64: "i64", torch.int32: "i32", torch.int8: "i8", torch.uint8: "u8", torch.int16: "i16",
         torch.float8_e4m3fn: "fp8e4nv", torch.float8_e5m2: "fp8e5"}


def signature(value):
    """An argument's type in Triton's notation, specialised as launches do."""
    if isinstance(value, torch.Tensor):
        return "*" + TYPES[value.dtype] + (":16" if value.data_ptr() % 16 == 0 else "")
    if isinstance(value, float):
        return "fp32"
    kind = "i32" if -2**31 <= value < 2**31 else "i64"
    return kind + promise(value)


class Bench:
    def __init__(self, options):
        self.options = options
        self.pool = concurrent.futures.ThreadPoolExecutor(max(1, options.jobs))
        self.local = threading.local()
        self.timer = timing.Timer()
        self.folder = tempfile.TemporaryDirectory()
        self.rows = []
        self.failures = self.warmed = 0

    def triton_kernel(self, case):
        module = triton_source.load(os.path.join(self.options.examples, case.file), self.folder.name)
        return getattr(module, case.entry or case.kernel)

    def compile(self, *call):
        """One of our kernels; several threads do this, each with a compiler of its own."""
        if not hasattr(self.local, "compiler"):
            self.local.compiler = libtilec.Compiler(self.options.library)
        return self.local.compiler.compile(*call)

    def peer_constants(self, constants):
        return {k: getattr(triton.language, f"float{v[2:]}" if v.startswith("fp") else "bfloat16")
                if k == "DTYPE" else v for k, v in constants.items()}

    def warm(self, case, share, shares):
        """Fills Triton's cache with a share of the configurations."""
        peer = self.triton_kernel(case)
        for constants, warps in ((c, w) for c in case.constants for w in case.warps):
            self.warmed += 1
            if self.warmed % shares == share:
                peer.warmup(**case.arguments, **self.peer_constants(constants), num_warps=warps,
                            grid=case.grid(constants))

    def candidates(self, case):
        """Launches by name, and for ours and Triton's the number of the configuration."""
        made, configurations = {}, {}
        if case.torch:
            made["torch"] = case.torch
        peer = self.triton_kernel(case)
        arguments = {name: signature(value) for name, value in case.arguments.items()}
        path = os.path.join(self.options.examples, case.file)
        compiled = {(number, warps): self.pool.submit(self.compile, path, case.entry or case.kernel, arguments, constants,
                                                      warps)
                    for number, constants in enumerate(case.constants + case.own) for warps in case.warps}
        for number, constants in enumerate(case.constants + case.own):
            grid = case.grid(constants)
            for warps in case.warps:
                label = "_".join([str(v) for v in constants.values()] + [f"w{warps}"])
                try:
                    ours = libtilec.Kernel(*compiled[number, warps].result())
                    made[f"tilec_{label}"] = ours.launcher(grid, **case.arguments)
                except RuntimeError as error:
                    self.fail(f"FAILED {case.kernel} {case.size} tilec_{label}: {error}")
                configurations[f"tilec_{label}"] = number
                if number >= len(case.constants):
                    continue
                peers = self.peer_constants(constants)
                made[f"triton_{label}"] = (
                    lambda grid=grid, peers=peers, warps=warps: peer[grid](**case.arguments, **peers, num_warps=warps))
                configurations[f"triton_{label}"] = number
        return made, configurations

    def fail(self, text):
        self.failures += 1
        print(text, flush=True)

    def check(self, case, name, launch, reference):
        """The largest relative error of the outputs of one launch; None when it could not be launched."""
        for output in case.outputs:
            tensor = case.arguments[output]
            poison = float("nan") if tensor.is_floating_point() else -77
            tensor.fill_(poison if case.initial is None else case.initial)
        try:
            launch()
            torch.cuda.synchronize()
        except Exception as error:  # Triton has many kinds
            self.fail(f"FAILED {case.kernel} {case.size} {name}: {error}")
            return None
        worst = 0.0
        for output, expected in zip(case.outputs, reference):
            got = case.arguments[output].double()
            error = ((got - expected).norm() / expected.norm().clamp_min(1e-30)).item()
            worst = max(worst, error if not math.isnan(error) else math.inf)
        if worst > case.tolerance:
            self.fail(f"WRONG {case.kernel} {case.size} {name}: error {worst:.2e} above {case.tolerance:.0e}")
        return worst

    def errors(self, case, candidates, configurations):
        """The error of each candidate of ours and Triton's; those that cannot run leave `candidates`."""
        errors = {}
        for number, constants in enumerate(case.constants + case.own):
            reference = case.reference(constants)
            for name in [n for n in candidates if configurations.get(n) == number]:
                errors[name] = self.check(case, name, candidates[name], reference)
                if errors[name] is None:
                    del candidates[name]
        return errors

    def times(self, candidates, repeats):
        """Microseconds per candidate: interleaved, each launch after an L2 flush, by events."""
        for launch in candidates.values():
            for _ in range(3):
                launch()
        torch.cuda.synchronize()
        return {name: statistics.median(samples)
                for name, samples in self.timer.interleaved(candidates, repeats).items()}

    def run(self, case):
        candidates, configurations = self.candidates(case)
        errors = self.errors(case, candidates, configurations)
        if not all(any(n.startswith(kind) for n in candidates) for kind in ("tilec", "triton")):
            return
        quick = {n: f for n, f in candidates.items() if not (n == "torch" and case.slow)}
        micros = self.times(quick, self.options.repeats)
        if len(quick) < len(candidates):
            micros.update(self.times({"torch": candidates["torch"]}, 3))
        best = {kind: min((n for n in micros if n.startswith(kind)), key=micros.get) for kind in ("tilec", "triton")}
        ratio = micros[best["triton"]] / micros[best["tilec"]]
        shared = [n for n in micros if n.startswith("tilec") and configurations[n] < len(case.constants)]
        same = micros[best["triton"]] / min(micros[n] for n in shared) if shared else None
        self.rows.append(dict(kernel=case.kernel, size=case.size, bytes=case.nbytes, microseconds=micros,
                              errors=errors, best=best, tilec_over_triton=round(ratio, 4),
                              same_configurations=same and round(same, 4),
                              gbps={n: round(case.nbytes / t / 1e3, 1) for n, t in micros.items()}))
        shown = [best["tilec"], best["triton"]] + ["torch"] * ("torch" in micros)
        peers = "  ".join(f"{n} {micros[n]:.1f}us {case.nbytes / micros[n] / 1e3:.0f}GB/s" for n in shown)
        print(f"{case.kernel:19} {case.size:24} x{ratio:.3f}  {peers}", flush=True)
        if self.options.out:
            self.write()

    def mean(self, ratio="tilec_over_triton"):
        ratios = [row[ratio] for row in self.rows if row[ratio]]
        return math.exp(sum(map(math.log, ratios)) / max(1, len(ratios)))

    def write(self):
        """All results so far, so that a run that is cut off leaves them."""
        device = torch.cuda.get_device_name()
        with open(self.options.out, "w") as file:
            json.dump(dict(device=device, torch=torch.__version__, triton=triton.__version__,
                           repeats=self.options.repeats, seed=self.options.seed, geometric_mean=round(self.mean(), 4),
                           same_configurations=round(self.mean("same_configurations"), 4), rows=self.rows),
                      file, indent=1)
        with open(os.path.splitext(self.options.out)[0] + ".svg", "w") as file:
            file.write(picture.bars(f"tilec over Triton, {device} (above 1: tilec is faster)",
                                    [(f"{r['kernel']} {r['size']}", r["tilec_over_triton"]) for r in self.rows]))


def bench_cases(options, do):
    for make in cases.chosen(options.filter):
        for case in make():
            do(case)
            torch.cuda.empty_cache()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--out", help="JSON; a picture goes beside it")
    parser.add_argument("--filter", default="")
    parser.add_argument("--repeats", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=min(8, os.cpu_count() or 1), help="processes that compile")
    parser.add_argument("--warm", help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    bench = Bench(options)
    if options.warm:
        return bench_cases(options, lambda case: bench.warm(case, *map(int, options.warm.split("/"))))
    if options.jobs > 1:
        # Triton compiles in other processes; this one only loads.
        others = [subprocess.Popen([sys.executable, *sys.argv, "--warm", f"{share}/{options.jobs}"])
                  for share in range(options.jobs)]
        for other in others:
            other.wait()
    bench_cases(options, bench.run)
    if not bench.rows:
        sys.exit(f"nothing was measured, {bench.failures} failures")
    print(f"geometric mean over Triton: {bench.mean():.4f}, least {min(r['tilec_over_triton'] for r in bench.rows):.4f}, "
          f"{len(bench.rows)} cases, {bench.failures} failures; with the same configurations "
          f"{bench.mean('same_configurations'):.4f}")


main()
