#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Times the search for the best of 24 configurations of a matrix product, tilec's and Triton's autotuner on the same text and
# the same list, each in a fresh process with empty caches; then measures what each has found beside the other.
#
#   python3 tune_time.py --tilec PATH/bin/tilec --library PATH/lib/libtilec.so --examples PATH/examples [--out FILE]
#
# Needs PyTorch and Triton.

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import matmul
from tensor_case import blocks

CONFIGURATIONS = blocks(*((m, n, k, warps, stages)
                          for m, n, k, warps in ((128, 256, 64, 8), (256, 128, 64, 8), (128, 128, 64, 4),
                                                 (128, 128, 64, 8), (64, 256, 64, 4), (128, 64, 64, 4),
                                                 (64, 128, 64, 4), (128, 128, 32, 4))
                          for stages in (3, 4, 5)))

PEER = """
import json, os, sys, time
start = time.perf_counter()
sys.path.insert(0, {tools!r})
import torch, triton, triton.language as tl
import triton_source
kernel = triton_source.load({source!r}, {folder!r}).matmul
configs = [triton.Config(constants, num_warps=warps, num_stages=stages) for constants, warps, stages in {configs!r}]
kernel = triton.autotune(configs=configs, key=["M", "N", "K"])(kernel)
n = {size}
a, b = (torch.randn((n, n), device="cuda", dtype=torch.bfloat16) for _ in range(2))
c = torch.empty((n, n), device="cuda", dtype=torch.bfloat16)
grid = lambda meta: (triton.cdiv(n, meta["BLOCK_M"]) * triton.cdiv(n, meta["BLOCK_N"]),)
search = time.perf_counter()
kernel[grid](a, b, c, n, n, n, n, 1, n, 1, n, 1, GROUP_M=8, ACC=tl.float32, ACTIVATION=None)
torch.cuda.synchronize()
end = time.perf_counter()
best = kernel.best_config
print(json.dumps(dict(process=end - start, search=end - search, best=dict(best.kwargs), warps=best.num_warps,
                      stages=best.num_stages)))
"""


def run_triton(options, folder):
    configs = [(c.constants, c.warps, c.stages) for c in CONFIGURATIONS]
    text = PEER.format(tools=os.path.dirname(os.path.abspath(__file__)), folder=folder, configs=configs,
                       source=os.path.join(options.examples, "40-matmul.tile"), size=options.size)
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False,
                          env=dict(os.environ, TRITON_CACHE_DIR=os.path.join(folder, "triton")))
    elapsed = time.perf_counter() - start
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    found = json.loads(done.stdout.splitlines()[-1])
    return dict(found, process=elapsed)


def run_tilec(options, folder):
    n = options.size
    space = os.path.join(folder, "space.json")
    with open(space, "w") as file:
        json.dump(dict(configs=[dict(constants=c.constants, num_warps=c.warps, num_stages=c.stages)
                                for c in CONFIGURATIONS]), file)
    command = [options.tilec, "tune", os.path.join(options.examples, "40-matmul.tile"), "--kernel", "matmul", "--json",
               "--space", space, "--grid", "cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)"]
    for name, value in dict(a_ptr=f"randn:bf16[{n}x{n}]", b_ptr=f"randn:bf16[{n}x{n}]", c_ptr=f"empty:bf16[{n}x{n}]", M=n,
                            N=n, K=n, stride_am=n, stride_ak=1, stride_bk=n, stride_bn=1, stride_cm=n, stride_cn=1).items():
        command += ["--arg", f"{name}={value}"]
    for name, value in dict(GROUP_M=8, ACC="tl.float32", ACTIVATION=None).items():
        command += ["--const", f"{name}={value}"]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env=dict(os.environ, TILEC_CACHE_DIR=os.path.join(folder, "tilec")))
    elapsed = time.perf_counter() - start
    if done.returncode != 0:
        raise SystemExit(done.stdout[-2000:] + done.stderr)
    report = json.loads(done.stdout)
    best = report["best"]
    return dict(process=elapsed, search=report["seconds"], warps=best["num_warps"], stages=best["num_stages"],
                best={name: int(best["constants"][name]) for name in ("BLOCK_M", "BLOCK_N", "BLOCK_K")},
                states={state: sum(c["state"] == state for c in report["candidates"])
                        for state in {c["state"] for c in report["candidates"]}})


def compare(options, ours, theirs, folder):
    """Microseconds of both winners, each by its own compiler, launched in turn."""
    import cubins
    import peers_tensor
    import timing
    import torch
    from tensor_case import Configuration, build_of, with_tensors
    torch.manual_seed(0)
    ours, theirs = (Configuration({key: found["best"][key] for key in ("BLOCK_M", "BLOCK_N", "BLOCK_K")}, found["warps"],
                                  found["stages"]) for found in (ours, theirs))
    case = matmul.Matmul(options.size, options.size, options.size, "bf16", "nn", [ours])
    data = case.data()
    store = cubins.Cubins(options.examples, options.library)
    build = build_of(case, ours)
    store.prepare([build], 1)
    launches = dict(
        tilec=store.kernel(build).launcher(case.grid(ours), **with_tensors(case.values(ours), data.arguments)),
        triton=peers_tensor.call("triton", case, theirs, data.arguments, options.examples, folder).launch)
    for name, launch in launches.items():
        launch()
        torch.cuda.synchronize()
        if data.error(None) > case.tolerance:
            raise SystemExit(f"{name}: wrong result")
    samples = timing.Timer(ahead=200_000).interleaved(launches, 40)
    return {name: statistics.median(values) for name, values in samples.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tilec", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--out")
    options = parser.parse_args()
    runs = []
    for _ in range(options.repeats):
        with tempfile.TemporaryDirectory() as folder:
            runs.append(dict(tilec=run_tilec(options, folder), triton=run_triton(options, folder)))
            print(json.dumps(runs[-1]), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        micros = compare(options, runs[-1]["tilec"], runs[-1]["triton"], folder)
    ratios = {what: statistics.median(run["tilec"][what] for run in runs)
              / statistics.median(run["triton"][what] for run in runs) for what in ("process", "search")}
    result = dict(configurations=len(CONFIGURATIONS), size=options.size, runs=runs, best_microseconds=micros,
                  tilec_over_triton=ratios, speed_of_the_result=micros["triton"] / micros["tilec"])
    print(json.dumps({key: value for key, value in result.items() if key != "runs"}), flush=True)
    if options.out:
        with open(options.out, "w") as file:
            json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
