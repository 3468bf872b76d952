#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Times tilec's kernels beside Triton's and PyTorch's on one GPU, in one run: same buffers, same stream, L2 flushed
# before every launch, measurements interleaved, medians. Every result is checked against float64 first.
#
#   python3 compare.py --tilec PATH/bin/tilec --examples PATH/examples [--out result.json] [--filter softmax]
#
# Needs PyTorch and Triton. tilec compiles to a cubin; this script loads it with the CUDA driver.

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile

import torch
import triton
import triton.language as tl

cuda = ctypes.CDLL("libcuda.so.1")


def check(result, what):
    if result != 0:
        text = ctypes.c_char_p()
        cuda.cuGetErrorName(result, ctypes.byref(text))
        raise RuntimeError(f"{what}: {text.value.decode() if text.value else result}")


class TilecKernel:
    """A kernel that tilec compiled to a cubin, launched with torch tensors on torch's stream."""

    def __init__(self, tilec, source, kernel, arguments, constants, num_warps, target="sm_90a"):
        with tempfile.TemporaryDirectory() as folder:
            cubin = os.path.join(folder, "kernel.cubin")
            command = [tilec, "compile", source, "--kernel", kernel, "--target", target, "--emit", "cubin",
                       "--num-warps", str(num_warps), "-o", cubin]
            for name, kind in arguments.items():
                command += ["--arg", f"{name}={kind}"]
            for name, value in constants.items():
                command += ["--const", f"{name}={value}"]
            subprocess.run(command, check=True)
            with open(cubin, "rb") as file:
                self.image = file.read()
            with open(cubin + ".json") as file:
                self.metadata = json.load(file)
        module = ctypes.c_void_p()
        check(cuda.cuModuleLoadData(ctypes.byref(module), self.image), "cuModuleLoadData")
        self.function = ctypes.c_void_p()
        check(cuda.cuModuleGetFunction(ctypes.byref(self.function), module, kernel.encode()), "cuModuleGetFunction")
        self.kinds = list(arguments.values())
        self.threads = 32 * num_warps
        self.shared = shared_bytes(self.metadata)
        if self.shared > 48 * 1024:
            check(cuda.cuFuncSetAttribute(self.function, 8, self.shared), "cuFuncSetAttribute")

    def launcher(self, grid, *values):
        """A function that launches with these arguments; they are packed once."""
        packed = []
        for kind, value in zip(self.kinds, values):
            if kind.startswith("*"):
                packed.append(ctypes.c_uint64(value.data_ptr()))
            elif kind.startswith("i64"):
                packed.append(ctypes.c_int64(value))
            elif kind.startswith("i"):
                packed.append(ctypes.c_int32(value))
            else:
                packed.append(ctypes.c_float(value))
        pointers = (ctypes.c_void_p * len(packed))(*[ctypes.addressof(p) for p in packed])

        def launch(keep=packed):
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            check(cuda.cuLaunchKernel(self.function, *grid, self.threads, 1, 1, self.shared, stream, pointers, None),
                  "cuLaunchKernel")
        return launch


def shared_bytes(metadata):
    for key in ("dynamicSharedBytes", "dynamic_shared_bytes"):
        if key in metadata:
            return metadata[key]
    return 0


# Triton's side of the comparison: the same algorithms, in its own file format.

@triton.jit
def triton_add(x, y, z, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    m = o < n
    tl.store(z + o, tl.load(x + o, mask=m) + tl.load(y + o, mask=m), mask=m)


@triton.jit
def triton_softmax(x, y, s, n, B: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + r * s + c, mask=m, other=-float("inf")).to(tl.float32)
    v = tl.exp(v - tl.max(v, 0))
    tl.store(y + r * s + c, (v / tl.sum(v, 0)).to(y.dtype.element_ty), mask=m)


@triton.jit
def triton_layer_norm(x, y, w, b, s, n, eps, B: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + r * s + c, mask=m, other=0.).to(tl.float32)
    mu = tl.sum(v, 0) / n
    d = tl.where(m, v - mu, 0.)
    rs = 1 / tl.sqrt(tl.sum(d * d, 0) / n + eps)
    tl.store(y + r * s + c, (d * rs * tl.load(w + c, mask=m).to(tl.float32) + tl.load(b + c, mask=m).to(tl.float32))
             .to(y.dtype.element_ty), mask=m)


TYPE_NAMES = {torch.float32: "fp32", torch.float16: "fp16", torch.bfloat16: "bf16"}


def pointer(tensor):
    return "*" + TYPE_NAMES[tensor.dtype] + (":16" if tensor.data_ptr() % 16 == 0 else "")


def integer(value):
    return "i32:16" if value % 16 == 0 else "i32"


class Bench:
    def __init__(self, options):
        self.options = options
        self.flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
        self.rows = []

    def kernel(self, name, kernel, arguments, constants, num_warps):
        return TilecKernel(self.options.tilec, os.path.join(self.options.examples, name), kernel, arguments, constants,
                           num_warps)

    def times(self, candidates):
        """Microseconds per candidate: interleaved, each launch after an L2 flush, by events."""
        for launch in candidates.values():
            for _ in range(5):
                launch()
        torch.cuda.synchronize()
        samples = {name: [] for name in candidates}
        for _ in range(self.options.repeats):
            for name, launch in candidates.items():
                start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                self.flush.zero_()
                start.record()
                launch()
                end.record()
                samples[name].append((start, end))
        torch.cuda.synchronize()
        return {name: statistics.median(s.elapsed_time(e) * 1000 for s, e in pairs) for name, pairs in samples.items()}

    def compare(self, kernel, size, output, reference, tolerance, candidates, nbytes):
        """Checks every candidate, times all, prints and keeps one row."""
        errors = {}
        for name, launch in candidates.items():
            output.fill_(float("nan"))
            result = launch()
            torch.cuda.synchronize()
            got = (result if isinstance(result, torch.Tensor) else output).double()
            errors[name] = ((got - reference).norm() / reference.norm()).item()
            if not errors[name] <= tolerance:
                print(f"WRONG {kernel} {size} {name}: error {errors[name]:.2e} above {tolerance:.0e}", flush=True)
        micros = self.times(candidates)
        best = {"tilec": min((n for n in micros if n.startswith("tilec")), key=micros.get),
                "triton": min((n for n in micros if n.startswith("triton")), key=micros.get)}
        row = dict(kernel=kernel, size=size, bytes=nbytes, microseconds=micros, errors=errors,
                   gbps={n: round(nbytes / t / 1e3, 1) for n, t in micros.items()},
                   tilec_over_triton=round(micros[best["triton"]] / micros[best["tilec"]], 4))
        self.rows.append(row)
        text = "  ".join(f"{n} {t:.1f}us {nbytes / t / 1e3:.0f}GB/s" for n, t in micros.items())
        print(f"{kernel:10} {size:20} x{row['tilec_over_triton']:.3f}  {text}", flush=True)

    # One method per kernel.

    def add(self):
        for n in (1 << 20, 1 << 24, 1 << 28):
            x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
            z = torch.empty_like(x)
            candidates = {"torch": lambda: torch.add(x, y, out=z)}
            for block, warps in ((1024, 4), (2048, 8), (4096, 8)):
                grid = (triton.cdiv(n, block), 1, 1)
                candidates[f"triton_B{block}_w{warps}"] = (
                    lambda grid=grid, block=block, warps=warps: triton_add[grid](x, y, z, n, block, num_warps=warps))
                ours = self.kernel("01-vector-add.tile", "add_masked",
                                   dict(x_ptr=pointer(x), y_ptr=pointer(y), out_ptr=pointer(z), n=integer(n)),
                                   dict(BLOCK=block), warps)
                candidates[f"tilec_B{block}_w{warps}"] = ours.launcher(grid, x, y, z, n)
            candidates = {k: (lambda f=f: (f(), None)[1]) for k, f in candidates.items()}
            self.compare("add", str(n), z, x.double() + y.double(), 1e-6, candidates, 12 * n)

    def rows_of(self):
        for dtype in (torch.float32, torch.bfloat16):
            for m, n in ((8192, 1024), (8192, 4096), (8192, 8192), (4096, 16384), (16384, 2000)):
                yield dtype, m, n, f"{m}x{n}_{TYPE_NAMES[dtype]}", (1e-5 if dtype == torch.float32 else 5e-3)

    def softmax(self):
        for dtype, m, n, size, tolerance in self.rows_of():
            x = torch.randn(m, n, device="cuda", dtype=dtype)
            y = torch.empty_like(x)
            block = triton.next_power_of_2(n)
            candidates = {"torch": lambda: torch.softmax(x, 1)}
            for warps in (4, 8, 16):
                candidates[f"triton_w{warps}"] = (
                    lambda warps=warps: (triton_softmax[(m,)](x, y, n, n, block, num_warps=warps), None)[1])
                ours = self.kernel("05-softmax.tile", "softmax",
                                   dict(x_ptr=pointer(x), y_ptr=pointer(y), x_stride=integer(n), y_stride=integer(n),
                                        n=integer(n)),
                                   dict(BLOCK=block), warps)
                candidates[f"tilec_w{warps}"] = ours.launcher((m, 1, 1), x, y, n, n, n)
            self.compare("softmax", size, y, torch.softmax(x.double(), 1), tolerance, candidates,
                         2 * x.numel() * x.element_size())

    def layer_norm(self):
        for dtype, m, n, size, tolerance in self.rows_of():
            x = torch.randn(m, n, device="cuda", dtype=dtype)
            w, b = torch.randn(n, device="cuda", dtype=dtype), torch.randn(n, device="cuda", dtype=dtype)
            y = torch.empty_like(x)
            mean, rstd = torch.empty(m, device="cuda"), torch.empty(m, device="cuda")
            block = triton.next_power_of_2(n)
            candidates = {"torch": lambda: torch.nn.functional.layer_norm(x, (n,), w, b)}
            for warps in (4, 8, 16):
                candidates[f"triton_w{warps}"] = (
                    lambda warps=warps: (triton_layer_norm[(m,)](x, y, w, b, n, n, 1e-5, block, num_warps=warps),
                                         None)[1])
                ours = self.kernel("06-layer-norm.tile", "layer_norm",
                                   dict(x_ptr=pointer(x), w_ptr=pointer(w), b_ptr=pointer(b), y_ptr=pointer(y),
                                        mean_ptr="*fp32:16", rstd_ptr="*fp32:16", stride=integer(n), n=integer(n),
                                        eps="fp32"),
                                   dict(BLOCK=block), warps)
                candidates[f"tilec_w{warps}"] = ours.launcher((m, 1, 1), x, w, b, y, mean, rstd, n, n, 1e-5)
            reference = torch.nn.functional.layer_norm(x.double(), (n,), w.double(), b.double())
            self.compare("layernorm", size, y, reference, tolerance, candidates, 2 * x.numel() * x.element_size())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tilec", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--out")
    parser.add_argument("--filter", default="")
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    bench = Bench(options)
    for name, run in (("add", bench.add), ("softmax", bench.softmax), ("layernorm", bench.layer_norm)):
        if options.filter in name:
            run()
    if options.out:
        device = torch.cuda.get_device_properties(0)
        with open(options.out, "w") as file:
            json.dump(dict(device=device.name, torch=torch.__version__, triton=triton.__version__,
                           repeats=options.repeats, command=" ".join(sys.argv), rows=bench.rows), file, indent=1)


main()
