# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each test of a file in a process of its own: tests that end in a device's fault leave nothing to go on with.

    python apart.py FOLDER JOBS FILE [OPTION...]        the options are pytest's

Writes an outcome for each test into FOLDER (tilec_conformance.py), a crash for one whose process ended without.
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

PYTEST = [sys.executable, "-m", "pytest", "-p", "tilec_conformance", "-p", "no:cacheprovider", "-q"]


def run(file: str, test: str, options: list) -> None:
    try:
        subprocess.run([*PYTEST, *options, "--conformance", file, test], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=120)
        why = "the process ended"
    except subprocess.TimeoutExpired:
        why = "the process did not end"
    if not os.path.exists(file):
        name = test.split("::")[0]
        with open(file, "w") as out:
            json.dump({"about": {}, "files": {name: {"crash": 1}}, "others": [{"test": test, "outcome": "crash", "why": why}]}, out)


def main():
    folder, jobs, name, *options = sys.argv[1:]
    found = subprocess.run([*PYTEST, *options, "--collect-only", name], capture_output=True, text=True).stdout
    tests = [line for line in found.splitlines() if line.startswith(name + "::")]
    if not tests:
        sys.exit(found)
    with ThreadPoolExecutor(int(jobs)) as pool:
        for number, test in enumerate(tests):
            pool.submit(run, os.path.join(folder, f"apart-{number}.json"), test, options)


if __name__ == "__main__":
    main()
