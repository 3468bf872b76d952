#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time from source to the tile dialect for an attention backward of about a thousand lines.

usage: front_end_time.py TILEC [COPIES [RUNS]]

The helper of examples/46-attention-backward.tile stands under many names, each called twice by one kernel. Prints the least
of some runs.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "46-attention-backward.tile"
CONSTANTS = ("HEAD_DIM=64", "BLOCK_M=64", "BLOCK_N=64", "CAUSAL=True")


def function(text: str, name: str) -> str:
    return re.search(rf"^@triton\.jit\ndef {name}\(.*?(?=^@triton\.jit|\Z)", text, re.MULTILINE | re.DOTALL)[0]


def source(copies: int) -> str:
    text = EXAMPLE.read_text()
    helper = function(text, "add_queries")
    kernel = function(text, "attention_backward_keys")
    head, calls, tail = re.fullmatch(r"(.*?)(^[^\n]*add_queries\(.*?)(^[^\n]*tl\.store.*)", kernel,
                                     re.MULTILINE | re.DOTALL).groups()

    def named(part: str) -> str:
        return "".join(part.replace("add_queries(", f"add_queries_{copy}(") for copy in range(copies))

    return f"# Made of {EXAMPLE.name}.\n" + named(helper + "\n") + head + named(calls) + tail


def measure(tilec: str, file: str) -> float | None:
    """Milliseconds of parsing and of the way to the tile dialect; None where the source does not compile."""
    command = [tilec, "check", file, "--stop-after", "tile", "--json", "--jobs", "1"]
    for constant in CONSTANTS:
        command += ["--const", constant]
    report = json.loads(subprocess.run(command, capture_output=True, text=True).stdout or "{}")
    kernels = [kernel for listed in report.get("files", []) for kernel in listed["kernels"]]
    if not kernels or any(kernel["status"] != "ok" for kernel in kernels):
        return None
    return sum(kernel["times"]["parse"] + kernel["times"]["tile"] for kernel in kernels)


def main() -> int:
    tilec, copies, runs = (sys.argv[1:] + ["27", "10"][len(sys.argv) - 2:])[:3]
    with tempfile.NamedTemporaryFile("w", suffix=".tile") as file:
        file.write(text := source(int(copies)))
        file.flush()
        times = [measure(tilec, file.name) for _ in range(int(runs))]
    if None in times:
        print("front_end_time: the source does not compile")
        return 1
    print(f"{text.count(chr(10))} lines to the tile dialect: {min(times):.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
