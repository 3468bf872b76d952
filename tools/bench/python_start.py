# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the start of a process to the first result of a kernel on a GPU: tilec beside Triton.

    python tools/bench/python_start.py [--json FILE]

The program adds two vectors and reads the sum back. Triton needs torch; tilec runs the same kernel with torch's tensors,
and with NumPy alone. Cold is an empty cache for both; warm is the second process. Medians of several processes.
"""

import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

KERNEL = """
@jit
def add(x, y, z, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    tl.store(z + o, tl.load(x + o, mask=m) + tl.load(y + o, mask=m), mask=m)
"""
TORCH = """
n = 100000
x, y = torch.rand(n, device="cuda"), torch.rand(n, device="cuda")
z = torch.empty_like(x)
add[(98, )](x, y, z, n, BLOCK=1024)
assert torch.equal(z, x + y)
"""
NUMPY = """
n = 100000
x, y = numpy.random.rand(2, n).astype(numpy.float32)
z = tilec.empty(n)
add[(98, )](tilec.to_device(x), tilec.to_device(y), z, n, BLOCK=1024)
assert (z.to_host() == x + y).all()
"""
PROGRAMS = {
    "triton": "import torch, triton, triton.language as tl\nfrom triton import jit\n" + KERNEL + TORCH,
    "tilec, torch": "import torch, tilec, tilec.language as tl\nfrom tilec import jit\n" + KERNEL + TORCH,
    "tilec, NumPy": "import numpy, tilec, tilec.language as tl\nfrom tilec import jit\n" + KERNEL + NUMPY,
    "torch alone": "import torch\nx = torch.rand(100000, device='cuda')\nassert torch.equal(x + x, 2 * x)\n",
}

#: With what it ran, from a process of its own: this one imports nothing.
ABOUT = """
import json, tilec, torch, triton
print(json.dumps({"device": torch.cuda.get_device_name(), "torch": torch.__version__, "triton": triton.__version__,
                  "tilec": tilec.__version__}))
"""


def run(file: str, environment: dict) -> float:
    begin = time.perf_counter()
    subprocess.run([sys.executable, file], env=environment, check=True)
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    results = {name: {"cold": [], "warm": []} for name in PROGRAMS}
    with tempfile.TemporaryDirectory() as folder:
        for name, program in PROGRAMS.items():
            with open(os.path.join(folder, "start_with_" + name.replace(", ", "_").replace(" ", "_") + ".py"), "w") as file:
                file.write(program)
            run(file.name, dict(os.environ))  # The files of the system's cache.
            for repeat in range(options.repeats):
                caches = os.path.join(folder, f"{name}{repeat}")
                environment = {**os.environ, "TRITON_CACHE_DIR": caches, "TILEC_CACHE_DIR": caches}
                for kind in ("cold", "warm"):
                    results[name][kind].append(run(file.name, environment))
    medians = {name: {kind: statistics.median(times) for kind, times in found.items()} for name, found in results.items()}
    for name, found in medians.items():
        ratios = {kind: found[kind] / medians["triton"][kind] for kind in found}
        print(f"{name}: cold {found['cold']:.3f} s ({ratios['cold']:.3f} of Triton), warm {found['warm']:.3f} s "
              f"({ratios['warm']:.3f})")
    if options.json:
        about = json.loads(subprocess.run([sys.executable, "-c", ABOUT], check=True, capture_output=True, text=True).stdout)
        with open(options.json, "w") as file:
            json.dump({**about, "date": datetime.date.today().isoformat(), "seconds": medians}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
