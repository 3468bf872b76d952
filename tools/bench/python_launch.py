# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Host time of a launch from Python, tilec beside Triton in one process, for kernels of 5 and of 20 arguments.

    python tools/bench/python_launch.py [--json FILE]

Both launch the same function with the same tensors. Batches of launches that fit the driver's queue are timed by the
host's clock, tilec's and Triton's in turn; the number is the median batch's time for one launch, in microseconds.
"""

import argparse
import datetime
import json
import statistics
import time

import torch
import triton
import triton.language as tl

import tilec


def five(x, y, z, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    tl.store(z + o, tl.load(x + o, mask=m) + tl.load(y + o, mask=m), mask=m)


def twenty(a, b, c, d, e, f, g, h, n0, n1, n2, n3, n4, n5, n6, n7, s0, s1, s2, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = o < n0
    x = tl.load(a + o, mask=m) + tl.load(b + o, mask=m) + tl.load(c + o, mask=m) + tl.load(d + o, mask=m)
    x += tl.load(e + o, mask=m) + tl.load(f + o, mask=m) + tl.load(g + o, mask=m)
    tl.store(h + o, x * s0 + s1 + s2 + n1 + n2 + n3 + n4 + n5 + n6 + n7, mask=m)


def time_batches(launches: dict, batches: int = 200, size: int = 100) -> dict:
    times = {name: [] for name in launches}
    for launch in launches.values():
        for _ in range(size):
            launch()
    for _ in range(batches):
        for name, launch in launches.items():
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(size):
                launch()
            times[name].append((time.perf_counter() - begin) / size * 1e6)
    torch.cuda.synchronize()
    return {name: statistics.median(values) for name, values in times.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    options = parser.parse_args()
    tensors = [torch.randn(1024, device="cuda") for _ in range(8)]
    numbers = [1024, 3, 5, 7, 9, 11, 13, 15, 0.5, 1.5, 2.5]
    result = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "triton": triton.__version__,
              "tilec": tilec.__version__, "date": datetime.date.today().isoformat(), "us": {}}  # yapf: disable
    for name, function, args in (("5 arguments", five, [*tensors[:3], 1024]), ("20 arguments", twenty, tensors + numbers)):
        ours, theirs = tilec.jit(function), triton.jit(function)
        times = time_batches({
            "tilec": lambda: ours[(1, )](*args, BLOCK=1024),
            "triton": lambda: theirs[(1, )](*args, BLOCK=1024),
        })
        times["ratio"] = times["tilec"] / times["triton"]
        result["us"][name] = times
        print(f"{name}: tilec {times['tilec']:.2f} us, Triton {times['triton']:.2f} us, ratio {times['ratio']:.3f}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(result, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
