# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs of Triton's as they are, tilec in Triton's place: its tutorials (docs/conformance.md).

    python tools/conformance/tutorials.py FOLDER [NAME...]

What they check and print counts; their benchmarks, which draw curves, are left out. A program that raises has failed.
"""

import pathlib
import subprocess
import sys

#: The tutorials for Hopper; the others are for other processors.
NAMES = ["01-vector-add", "02-fused-softmax", "03-matrix-multiplication", "04-low-memory-dropout", "05-layer-norm",
         "06-fused-attention", "08-grouped-gemm", "09-persistent-matmul"]  # yapf: disable

CHILD = """
import runpy, sys
import tilec
tilec.install(fallback=False)
import importlib.util, types
import triton.profiler, triton.testing
triton.testing.Mark.run = lambda *args, **kwargs: None
if importlib.util.find_spec("hatchet") is None:
    # It draws the benchmarks' trees.
    viewer = types.ModuleType("triton.profiler.viewer")
    viewer.parse = lambda *args, **kwargs: (None, [])
    viewer.print_tree = lambda *args, **kwargs: None
    sys.modules["triton.profiler.viewer"] = triton.profiler.viewer = viewer
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
print(tilec.report())
"""

#: A tutorial that is also a test.
TEST = ["-m", "pytest", "-p", "tilec_conformance", "-p", "no:cacheprovider", "-q"]


def main() -> int:
    folder, *names = sys.argv[1:]
    failed = []
    outputs = {}
    for name in names or NAMES:
        path = pathlib.Path(folder) / f"{name}.py"
        commands = {name: ["-c", CHILD, str(path)]}
        if "@pytest" in path.read_text():
            commands[name + ", tests"] = [*TEST, str(path)]
        for what, command in commands.items():
            # One after the other: they take most of a GPU's memory.
            outputs[what] = subprocess.run([sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if outputs[what].returncode != 0:
                failed.append(what)
    for name, done in outputs.items():
        lines = done.stdout.strip().splitlines()
        print(f"== {name}: {'failed' if done.returncode else 'passed'}", *lines[-(25 if done.returncode else 6):], sep="\n   ")
    print(f"{len(outputs) - len(failed)} passed, {len(failed)} failed")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
