# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs of Triton's as they are, tilec in Triton's place: its tutorials (docs/conformance.md).

    python tools/conformance/tutorials.py [--json FILE] FOLDER [NAME...]

What they check and print counts; their benchmarks, which draw curves, are left out. A program that raises has failed. The
file has for each of them whether it passed, the seconds of its process, and what tilec compiled in it.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import time

#: The tutorials for Hopper; the others are for other processors.
NAMES = ["01-vector-add", "02-fused-softmax", "03-matrix-multiplication", "04-low-memory-dropout", "05-layer-norm",
         "06-fused-attention", "08-grouped-gemm", "09-persistent-matmul"]  # yapf: disable

CHILD = """
import json, runpy, sys
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
report = tilec.report()
print(report)
made = [entry for entry in report if entry.is_made]
print("TUTORIAL " + json.dumps({"kernels": len(made), "refused": len(report) - len(made),
                                "compile_s": round(sum(entry.seconds for entry in made), 3)}))
"""

#: A tutorial that is also a test.
TEST = ["-m", "pytest", "-p", "tilec_conformance", "-p", "no:cacheprovider", "-q"]

#: With what they run, from a process of their own: this one leaves the GPU alone.
ABOUT = "import json, tilec_conformance; print('ABOUT ' + json.dumps(tilec_conformance.about()))"


def run(command: list, limit: float) -> tuple[dict, str]:
    """What came of a program, and what it printed."""
    begin = time.perf_counter()
    try:
        done = subprocess.run([sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=limit, cwd=pathlib.Path(__file__).parent)
        code, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired as error:
        code, output = "stopped", (error.stdout or b"").decode(errors="replace")
    result = {"passed": code == 0, "seconds": round(time.perf_counter() - begin, 2)}
    lines = output.strip().splitlines()
    for line in lines:
        if line.startswith("TUTORIAL "):
            result.update(json.loads(line.removeprefix("TUTORIAL ")))
    counts = re.findall(r"(\d+) (passed|failed|skipped)", lines[-1]) if lines and "pytest" in command else []
    result.update({f"tests_{kind}": int(count) for count, kind in counts})
    if code != 0:
        result["why"] = str(code) if code == "stopped" or not lines else lines[-1][:300]
    return result, output


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--limit", type=float, default=600, help="seconds for one of them")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", default=NAMES)
    options = parser.parse_args()
    _, about = run(["-c", ABOUT], 300)
    about = next((json.loads(line[6:]) for line in about.splitlines() if line.startswith("ABOUT ")), {})
    results = {}
    for name in options.names:
        path = options.folder.resolve() / f"{name}.py"
        commands = {name: ["-c", CHILD, str(path)]}
        if "@pytest" in path.read_text():
            commands[name + ", tests"] = [*TEST, str(path)]
        for what, command in commands.items():
            # One after the other: they take most of a GPU's memory.
            results[what], output = run(command, options.limit)
            is_right = results[what]["passed"]
            lines = [line for line in output.strip().splitlines() if not line.startswith("TUTORIAL ")]
            print(f"== {what}: {'passed' if is_right else 'failed'}, {results[what]['seconds']} s",
                  *lines[-(6 if is_right else 25):], sep="\n   ", flush=True)
            if options.json:
                with open(options.json, "w") as file:
                    json.dump({**about, "tutorials": results}, file, indent=1)
                    file.write("\n")
    failed = [what for what, result in results.items() if not result["passed"]]
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
