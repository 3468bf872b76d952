#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Times cold compilation beside Triton's, each sample in a fresh process with empty caches, the two interleaved:
#   compile  from source text to cubin, ptxas included, after the compiler is loaded
#   process  from the start of the process to the end of the kernel's first launch on the GPU
#   cached   the same once more, with the caches that it filled
# What the driver's own initialisation takes of both is measured beside them (`driver`).
#
#   python3 compile_time.py --tilec PATH/bin/tilec --library PATH/lib/libtilec.so --examples PATH/examples
#       [--kernels softmax,matmul,attention] [--out FILE]
#
# Needs PyTorch and Triton; without --tilec only compilation is timed.

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

from tensor_case import Pointer, Type, bind, text


@dataclass
class Sample:
    """A kernel with its launch. `values`: numbers, and tensors as (element type, shape, whether it is an input)."""
    file: str
    entry: str
    values: dict
    constants: dict
    warps: int
    stages: int
    grid: tuple


def matrix(dtype, *shape, filled=True):
    return dtype, shape, filled


def square(n):
    """The arguments of a product of square matrices."""
    a, b, c = matrix("bf16", n, n), matrix("bf16", n, n), matrix("bf16", n, n, filled=False)
    return dict(a_ptr=a, b_ptr=b, c_ptr=c, M=n, N=n, K=n, stride_am=n, stride_ak=1, stride_bk=n, stride_bn=1,
                stride_cm=n, stride_cn=1)


def heads(length, depth):
    """The arguments of attention with 16 heads."""
    shape = (16, length, depth)
    return dict(q_ptr=matrix("bf16", *shape), k_ptr=matrix("bf16", *shape), v_ptr=matrix("bf16", *shape),
                out_ptr=matrix("bf16", *shape, filled=False), lse_ptr=matrix("fp32", 16, length, filled=False),
                seq_len=length, scale=depth**-0.5)


KERNELS = {
    "softmax": Sample("05-softmax.tile", "softmax",
                      dict(x_ptr=matrix("fp32", 1024, 4096), y_ptr=matrix("fp32", 1024, 4096, filled=False),
                           x_stride=4096, y_stride=4096, n=4096), dict(BLOCK=4096), 4, 3, (1024,)),
    "matmul": Sample("40-matmul.tile", "matmul", square(2048),
                     dict(BLOCK_M=128, BLOCK_N=256, BLOCK_K=64, GROUP_M=8, ACC=Type("float32"), ACTIVATION=None), 8, 3,
                     (16 * 8,)),
    "attention": Sample("45-attention-forward.tile", "attention_forward", heads(2048, 128),
                        dict(HEAD_DIM=128, BLOCK_M=128, BLOCK_N=64, CAUSAL=True), 8, 3, (16, 16))}

OURS = """
import sys, time
sys.path.insert(0, {tools!r})
import libtilec
compiler = libtilec.Compiler({library!r})
start = time.perf_counter()
compiler.compile({source!r}, {sample.entry!r}, {kinds!r}, {fixed!r}, {sample.warps}, {sample.stages})
print(time.perf_counter() - start)
"""

PEER = """
import sys, time
import torch, triton, triton.language as tl
sys.path.insert(0, {folder!r})
from cold_peer import {sample.entry} as kernel
values = dict({values}, {constants}, num_warps={sample.warps}, num_stages={sample.stages})
torch.cuda.synchronize()
triton.runtime.driver.active.get_current_target()
start = time.perf_counter()
if {compile_only}:
    kernel.warmup(grid={sample.grid}, **values)
else:
    kernel[{sample.grid}](**values)
    torch.cuda.synchronize()
print(time.perf_counter() - start)
"""

DRIVER = """
import ctypes, time
start = time.perf_counter()
cuda, device, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(), ctypes.c_void_p()
assert cuda.cuInit(0) == 0 and cuda.cuDeviceGet(ctypes.byref(device), 0) == 0
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
print(time.perf_counter() - start)
"""

TORCH = {"fp32": "torch.float32", "bf16": "torch.bfloat16"}
OPTION = {"fp32": "f32", "bf16": "bf16"}


def ours(sample, library, source):
    """The Python program that times tilec's compilation."""
    values = {name: Pointer(value[0]) if isinstance(value, tuple) else value for name, value in sample.values.items()}
    kinds, fixed = bind(values, sample.constants)
    return OURS.format(tools=os.path.dirname(os.path.abspath(__file__)), library=library, source=source, sample=sample,
                       kinds=kinds, fixed=fixed)


def peer(sample, folder, compile_only):
    """The same for Triton, or its launch."""
    def value(name, given):
        if not isinstance(given, tuple):
            return f"{name}={given!r}"
        dtype, shape, filled = given
        return f"{name}=torch.{'randn' if filled else 'empty'}({shape}, device='cuda', dtype={TORCH[dtype]})"
    return PEER.format(folder=folder, sample=sample, compile_only=compile_only,
                       values=", ".join(value(*item) for item in sample.values.items()),
                       constants=", ".join(f"{name}={text(c)}" for name, c in sample.constants.items()))


def run_command(tilec, sample, source):
    """The command that runs the kernel once with tilec."""
    command = [tilec, "run", source, "--kernel", sample.entry, "--device", "cuda", "--repeat", "1", "--num-warps",
               str(sample.warps), "--num-stages", str(sample.stages), "--grid", ",".join(map(str, sample.grid))]
    for name, value in sample.values.items():
        if isinstance(value, tuple):
            dtype, shape, filled = value
            value = f"{'randn' if filled else 'empty'}:{OPTION[dtype]}[{'x'.join(map(str, shape))}]"
        command += ["--arg", f"{name}={value}"]
    for name, constant in sample.constants.items():
        command += ["--const", f"{name}={text(constant)}"]
    return command


def process_seconds(command, environment=None):
    """Wall time of a whole process, and what it printed."""
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    elapsed = time.perf_counter() - start
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:2])} failed:\n{done.stdout}{done.stderr}")
    return elapsed, done.stdout


def measure(name, library, examples, repeats, tilec=None):
    """Seconds of each sample, their medians, and ratios to Triton."""
    sample = KERNELS[name]
    source = os.path.join(examples, sample.file)
    kinds = ("compile", "process", "cached") if tilec else ("compile",)
    samples = {f"{compiler}_{kind}": [] for kind in kinds for compiler in ("tilec", "triton")}
    if tilec:
        samples["driver"] = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            with open(source) as given, open(os.path.join(folder, "cold_peer.py"), "w") as module:
                module.write("import triton\nimport triton.language as tl\n" + given.read())

            def triton_process(kind):
                cache = os.path.join(folder, "compile" if kind == "compile" else "process")
                environment = dict(os.environ, TRITON_CACHE_DIR=cache)
                return process_seconds([sys.executable, "-c", peer(sample, folder, kind == "compile")], environment)

            samples["tilec_compile"].append(
                float(process_seconds([sys.executable, "-c", ours(sample, library, source)])[1]))
            samples["triton_compile"].append(float(triton_process("compile")[1]))
            if tilec:
                environment = dict(os.environ, TILEC_CACHE_DIR=os.path.join(folder, "tilec"))
                for kind in ("process", "cached"):
                    samples[f"tilec_{kind}"].append(process_seconds(run_command(tilec, sample, source), environment)[0])
                    samples[f"triton_{kind}"].append(triton_process(kind)[0])
                samples["driver"].append(float(process_seconds([sys.executable, "-c", DRIVER])[1]))
    medians = {name: statistics.median(values) for name, values in samples.items()}
    return dict(kernel=name, constants={n: text(c) for n, c in sample.constants.items()}, warps=sample.warps,
                stages=sample.stages, seconds=samples, medians=medians,
                tilec_over_triton={kind: medians[f"tilec_{kind}"] / medians[f"triton_{kind}"] for kind in kinds})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tilec")
    parser.add_argument("--library", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--out", help="JSON")
    options = parser.parse_args()
    measured = []
    for name in options.kernels.split(","):
        measured.append(measure(name, options.library, options.examples, options.repeats, options.tilec))
        for what, value in measured[-1]["medians"].items():
            print(f"{name:10} {what:16} {value * 1000:8.1f} ms")
        ratios = ", ".join(f"{kind} {value:.3f}" for kind, value in measured[-1]["tilec_over_triton"].items())
        print(f"{name:10} tilec over Triton: {ratios}", flush=True)
        if options.out:
            with open(options.out, "w") as file:
                json.dump(measured, file, indent=1)


if __name__ == "__main__":
    main()
