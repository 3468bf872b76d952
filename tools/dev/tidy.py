#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs clang-tidy over the sources, or over what changed.

usage: tidy.py [--root DIR] [--build DIR] [--changed] [--limit SECONDS]

Sources are those that the build folder compiles, tests left out. With --changed only the files that differ from where this
branch left origin/main, or from the commit before, where it is that branch; of a changed header the source of the same name.
After the limit no further file is begun, and the last line says so. Exits with 1 when there is a finding.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

import compile_commands

TIDY = os.environ.get("CLANG_TIDY", "clang-tidy-22")
FOLDERS = ("lib/", "dialects/", "runtime/", "tools/", "test/programs/")


def git(root: pathlib.Path, *command: str) -> list[str]:
    """The lines that git prints; none where it fails."""
    return subprocess.run(["git", *command], cwd=root, capture_output=True, text=True).stdout.splitlines()


def compiled(root: pathlib.Path, commands: pathlib.Path) -> list[str]:
    files = (pathlib.Path(entry["directory"], entry["file"]).resolve()
             for entry in json.loads((commands / "compile_commands.json").read_text()))
    names = {file.relative_to(root).as_posix() for file in files if file.is_relative_to(root)}
    return sorted(name for name in names if name.startswith(FOLDERS))


def changed(root: pathlib.Path) -> set[str]:
    head = git(root, "rev-parse", "HEAD")
    base = git(root, "merge-base", "HEAD", "origin/main")
    if not base or base == head:
        base = git(root, "rev-parse", "--verify", "HEAD~1")
    return set(git(root, "diff", "--name-only", *base)) if base else set()


def is_touched(source: str, names: set[str]) -> bool:
    """Whether the source, or a header of its name beside it or in the include folder, is one of `names`."""
    stem, _, _ = source.rpartition(".")
    public = stem.replace("lib/", "include/tilec/", 1) if stem.startswith("lib/") else stem
    return not names.isdisjoint({source, stem + ".h", public + ".h"})


def findings(root: pathlib.Path, commands: pathlib.Path, file: str, deadline: float) -> str | None:
    """What clang-tidy says of a file; None when the time was over."""
    if time.monotonic() > deadline:
        return None
    run = subprocess.run([TIDY, "-p", commands, "--quiet", "--warnings-as-errors=*", file], cwd=root, capture_output=True, text=True)
    return run.stdout or run.stderr if run.returncode else ""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("--limit", type=float, default=float("inf"))
    options = parser.parse_args()
    root = options.root.resolve()
    commands = compile_commands.write((options.build or root / "build").resolve())
    files = compiled(root, commands)
    if options.changed:
        names = changed(root)
        files = [file for file in files if is_touched(file, names)]
    deadline = time.monotonic() + options.limit
    checked = bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for text in pool.map(lambda file: findings(root, commands, file, deadline), files):
            checked += text is not None
            bad += bool(text)
            if text:
                print(text, flush=True)
    rest = f", {len(files) - checked} left for want of time" if checked < len(files) else ""
    print(f"{checked} files checked, {bad} with findings{rest}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
