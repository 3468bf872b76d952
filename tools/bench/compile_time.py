#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Times cold compilation beside Triton's, each sample in a fresh process with empty caches, the two interleaved:
#   compile  from source text to cubin, ptxas included, after the compiler is loaded
#   process  from the start of the process to the first result of the kernel on the GPU
#
#   python3 compile_time.py --tilec PATH/bin/tilec --library PATH/lib/libtilec.so --examples PATH/examples [--out FILE]
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

ROWS, COLUMNS, BLOCK = 1024, 4096, 4096

OURS = """
import sys, time
sys.path.insert(0, {tools!r})
import libtilec
compiler = libtilec.Compiler({library!r})
start = time.perf_counter()
compiler.compile({source!r}, "softmax", {{"x_ptr": "*fp32:16", "y_ptr": "*fp32:16", "x_stride": "i32:16",
                 "y_stride": "i32:16", "n": "i32:16"}}, {{"BLOCK": {block}}}, 4)
print(time.perf_counter() - start)
"""

PEER = """
import sys, time
import torch, triton, triton.language as tl
sys.path.insert(0, {folder!r})
from softmax_peer import softmax
compile_only = {compile_only}
if compile_only:
    torch.zeros(1, device="cuda")
    triton.runtime.driver.active.get_current_target()
    start = time.perf_counter()
    softmax.warmup(torch.float32, torch.float32, {n}, {n}, {n}, BLOCK={block}, num_warps=4, grid=(1,))
    print(time.perf_counter() - start)
else:
    x = torch.randn({rows}, {n}, device="cuda")
    y = torch.empty_like(x)
    softmax[({rows},)](x, y, {n}, {n}, {n}, BLOCK={block}, num_warps=4)
    print(y[0, 0].item())
"""


def process_seconds(command, environment=None):
    """Wall time of a whole process, and what it printed."""
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    elapsed = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{' '.join(command[:2])} failed:\n{done.stdout}{done.stderr}")
    return elapsed, done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tilec", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--out", help="JSON")
    options = parser.parse_args()
    source = os.path.join(options.examples, "05-softmax.tile")
    ours = OURS.format(tools=os.path.dirname(os.path.abspath(__file__)), library=options.library, source=source,
                       block=BLOCK)
    run = [options.tilec, "run", source, "--device", "cuda", "--grid", str(ROWS),
           "--arg", f"x_ptr=randn:f32[{ROWS}x{COLUMNS}]", "--arg", f"y_ptr=empty:f32[{ROWS}x{COLUMNS}]",
           "--arg", f"x_stride={COLUMNS}", "--arg", f"y_stride={COLUMNS}", "--arg", f"n={COLUMNS}",
           "--const", f"BLOCK={BLOCK}", "--num-warps", "4", "--repeat", "1"]
    samples = {"tilec_compile": [], "triton_compile": [], "tilec_process": [], "triton_process": []}
    for _ in range(options.repeats):
        with tempfile.TemporaryDirectory() as folder:
            with open(source) as text, open(os.path.join(folder, "softmax_peer.py"), "w") as module:
                module.write("import triton\nimport triton.language as tl\n" + text.read())

            def peer(name, compile_only):
                environment = dict(os.environ, TRITON_CACHE_DIR=os.path.join(folder, name))
                program = PEER.format(folder=folder, compile_only=compile_only, n=COLUMNS, rows=ROWS, block=BLOCK)
                return process_seconds([sys.executable, "-c", program], environment)

            samples["tilec_compile"].append(float(process_seconds([sys.executable, "-c", ours])[1]))
            samples["triton_compile"].append(float(peer("compile", True)[1]))
            samples["tilec_process"].append(process_seconds(run)[0])
            samples["triton_process"].append(peer("process", False)[0])
    medians = {name: statistics.median(values) for name, values in samples.items()}
    ratios = {kind: medians[f"tilec_{kind}"] / medians[f"triton_{kind}"] for kind in ("compile", "process")}
    for name, value in medians.items():
        print(f"{name:16} {value * 1000:8.1f} ms")
    print(f"tilec over Triton: compile {ratios['compile']:.3f}, process {ratios['process']:.3f}")
    if options.out:
        with open(options.out, "w") as file:
            json.dump(dict(kernel="softmax", rows=ROWS, columns=COLUMNS, block=BLOCK, seconds=samples,
                           medians=medians, tilec_over_triton=ratios), file, indent=1)


main()
