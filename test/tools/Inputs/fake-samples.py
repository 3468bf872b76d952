# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs 'tilec explain' on a GPU that there is not: the fake driver, and the fake CUPTI with samples of every instruction.

usage: fake-samples.py FOLDER ARGUMENT...

A first report says what instructions there are. Each has been found once while it issued; one that loads from memory 40
times waiting for it, and a barrier 20 times. FOLDER gets the driver's link.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys


def environment(folder: pathlib.Path) -> dict[str, str]:
    """That of a process with both libraries. They lie in the build folder that tilec is from."""
    libraries = pathlib.Path(shutil.which("tilec")).parents[1] / "test/lib"
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / "libcuda.so.1"
    if not link.exists():
        link.symlink_to(libraries / "libfake-cuda.so")
    return {**os.environ, "LD_LIBRARY_PATH": str(folder), "TILEC_CUPTI": str(libraries / "libfake-cupti.so")}


def samples_of(report: dict) -> str:
    """As FAKE_CUPTI_SAMPLES has them."""
    sass = next(stage for stage in report["stages"] if stage["name"] == "sass")
    if "absent" in sass:
        raise SystemExit(f"no SASS: {sass['absent']}")
    words = []
    for row in sass["lines"]:
        found = re.match(r"\s*/\*([0-9a-f]+)\*/(.*)", row)
        if not found:
            continue
        place = f"{report['kernel']['name']}:0x{found[1]}"
        words.append(f"{place}:selected:1")
        if re.search(r"\bLDG|\bLDGSTS|\bSYNCS", found[2]):
            words += [f"{place}:long_scoreboard:40", f"{place}:long_scoreboard_not_issued:30"]
        elif re.search(r"\bBAR\b", found[2]):
            words.append(f"{place}:barrier:20")
    return " ".join(words)


def plain(arguments: list[str]) -> list[str]:
    """Without what the output is, and where it goes."""
    words, rest = [], iter(arguments)
    for word in rest:
        if word in ("-o", "--output"):
            next(rest)
        elif word not in ("--json", "--html"):
            words.append(word)
    return words


def explain(folder: pathlib.Path, arguments: list[str], **options) -> subprocess.CompletedProcess:
    """'tilec explain --device cuda' with the arguments."""
    around, first = environment(folder), folder / "first.json"
    # What the simulator is given is compiled for the same processor as for the GPU.
    subprocess.run(["tilec", "explain", *plain(arguments), "--json", "-o", first], check=True)
    around["FAKE_CUPTI_SAMPLES"] = samples_of(json.loads(first.read_text()))
    return subprocess.run(["tilec", "explain", *arguments, "--device", "cuda"], env=around, check=False, **options)


if __name__ == "__main__":
    sys.exit(explain(pathlib.Path(sys.argv[1]), sys.argv[2:]).returncode)
