#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the house rules that a compiler cannot.

usage: check_layering.py [ROOT]

A file includes its own folder and strictly lower levels; header guards follow the path; every file has the licence
banner; no using-directives in headers; no files named Utils, Helpers, Common or Misc; no source of more than 600
lines; no environment, command-line option, output or process exit in the library. Prints one line per violation;
exits with 1 when there is one, with 2 when it cannot look.
"""

from __future__ import annotations

import pathlib
import re
import sys
from collections.abc import Iterator

LEVELS = {
    "Support": 0, "runtime": 0,
    "Layout": 1, "Syntax": 1, "Cache": 1,
    "Sema": 2, "dialects/Tile": 2,
    "dialects/TileGPU": 3, "IRGen": 3,
    "Analysis": 4, "Interpreter": 4,
    "Transforms": 5, "Conversion": 5,
    "Target": 6,
    "Driver": 7, "Explain": 7.2,
    "Tuning": 7.5, "Bundle": 7.6,
    "Run": 7.8,
    "api": 8,
    "tools": 8.5,
    "test": 9,
}
# Folders that know nothing of MLIR.
PLAIN = {"Support", "Layout", "Syntax", "Cache", "Tuning", "runtime"}
# The headers without dependencies in which compiler and runtime meet.
MEETING = {f"tilecrt/{name}" for name in (
    "KernelMetadata.h", "Result.h", "TensorMapValues.h", "TimelineBuffer.h", "cuda/PcSamples.h", "data/AtomicFile.h", "data/FloatFormat.h", "data/GridExpr.h", "sim/SimAbi.h", "sim/SimAsyncAbi.h", "sim/SimClusterAbi.h",
    "sim/SimMatrixAbi.h", "sim/Simulator.h")}
# A longer source has more than one subject.
MOST_LINES = 600
# The interface reads the environment where its caller asks for that: tilec_save_folder.
READS_ENVIRONMENT = {"lib/Api/Environment.cpp"}

FOLDERS = ("lib", "include", "dialects", "runtime", "tools", "test")
ENDINGS = {".cpp", ".c", ".h", ".hpp", ".td", ".inc", ".sh", ".py"}
# Folders of tests that hold what tests read.
INPUTS = {"corpus", "Inputs"}

INCLUDE = re.compile(r'\s*#include "([^"]*)"|include "([^"]*)"')
LIBRARY_RULES = (
    (re.compile(r"(?<![A-Za-z_])(secure_)?getenv *\("), "reads the environment"),
    (re.compile(r"cl::opt"), "owns a command-line option"),
    (re.compile(r"(llvm::|[^A-Za-z_:.>])(errs|outs) *\(\)|std::(cerr|cout)"), "prints"),
    (re.compile(r"report_fatal_error|(?<![A-Za-z_.>])(_?exit|abort|quick_exit) *\("), "ends the process"),
)


def sources(root: pathlib.Path) -> list[pathlib.PurePath]:
    """Below test, kernels in Python are inputs, not sources of ours."""
    found = []
    for folder in FOLDERS:
        for path in (root / folder).rglob("*"):
            name = path.relative_to(root)
            is_kernel = folder == "test" and path.suffix == ".py" and not path.name.startswith("lit")
            if path.suffix in ENDINGS and not INPUTS & set(name.parts) and not is_kernel and path.is_file():
                found.append(name)
    return sorted(found, key=str)


def folder_of(path: str) -> str:
    """The folder of the level table: lib/X, include/tilec/X and dialects/X are one folder each, passes and conversions have
    one each below Transforms and Conversion; runtime, tools and test are one each. Empty for what is not ours."""
    parts = path.split("/")
    if parts[0] in ("runtime", "tilecrt", "tools", "test"):
        return "runtime" if parts[0] == "tilecrt" else parts[0]
    if parts[0] == "dialects":
        return "/".join(parts[:2])
    if parts[:2] == ["include", "tilec"]:
        parts = parts[2:]
    elif parts[0] in ("lib", "tilec"):
        parts = parts[1:]
    else:
        return ""
    if len(parts) == 1 or parts[0] == "Api":
        return "api"
    return "/".join(parts[:2]) if parts[0] in ("Transforms", "Conversion") and len(parts) > 2 else parts[0]


def level_of(folder: str) -> float | None:
    if folder.startswith(("Transforms/", "Conversion/")):
        folder = folder.split("/")[0]
    return LEVELS.get(folder)


def guard_of(path: str) -> str:
    for prefix, shown in (("include/tilec/", "tilec/"), ("runtime/include/", ""), ("", "tilec/")):
        if path.startswith(prefix):
            return re.sub(r"[^A-Za-z0-9]", "_", shown + path[len(prefix):]).upper()
    raise AssertionError


def include_problem(folder: str, included: str) -> str | None:
    target = folder_of(included)
    if not target or target == folder:
        return None
    level, other = level_of(folder), level_of(target)
    if folder == "runtime":
        return f"runtime includes the compiler's '{included}'"
    if target == "runtime":
        below = level is None or level < LEVELS["Run"]
        return f"'{folder}' includes the runtime's '{included}'" if below and included not in MEETING else None
    if other is None:
        return f"'{included}' is in no folder of the level table"
    if level is None or other >= level:
        return f"'{folder}' (level {level}) includes '{target}' (level {other})"
    return None


def line_problems(name: str, folder: str, line: str) -> Iterator[str]:
    if name.endswith((".h", ".hpp")) and re.match(r"\s*using namespace ", line):
        yield "using-directive in a header"
    if re.match(r"\s*#pragma once", line):
        yield f"#pragma once, expected the header guard '{guard_of(name)}'"
    if match := INCLUDE.match(line):
        if problem := include_problem(folder, match[1] or match[2]):
            yield problem
    if folder in PLAIN and re.match(r'\s*#include ["<]mlir/', line):
        yield f"'{folder}' includes MLIR"
    if folder == "runtime" and re.match(r'\s*#include ["<]llvm/', line):
        yield "'runtime' includes LLVM"
    if name.startswith(("lib/", "dialects/", "include/")) and name.endswith((".cpp", ".h", ".hpp")):
        code = re.sub(r'"([^"\\]|\\.)*"', '""', re.sub(r"\s*//.*", "", line))
        for pattern, what in LIBRARY_RULES:
            if pattern.search(code) and not (what == "reads the environment" and name in READS_ENVIRONMENT):
                yield f"the library {what}"


def problems(root: pathlib.Path, path: pathlib.PurePath) -> Iterator[tuple[int, str]]:
    """The violations of one file, each with its line."""
    name, folder = path.as_posix(), folder_of(path.as_posix())
    if re.search(r"(util|helper|common|misc)[a-z]*\.", path.name.lower()):
        yield 1, f"file named after no subject: '{path.name}'"
    if level_of(folder) is None:
        yield 1, f"folder '{folder}' is not in the level table"
    lines = (root / path).read_text(errors="replace").splitlines()
    if name.endswith((".cpp", ".c")) and len(lines) > MOST_LINES:
        yield MOST_LINES + 1, f"{len(lines)} lines, expected {MOST_LINES} at most"
    for number, line in enumerate(lines, 1):
        for problem in line_problems(name, folder, line):
            yield number, problem
    top = "\n".join(lines[:8])
    if ("Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions" not in top
            or "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception" not in top):
        yield 1, "no licence banner"
    if name.endswith((".h", ".hpp")):
        wanted = guard_of(name)
        guard = next(((n, line.split()[1]) for n, line in enumerate(lines, 1) if re.match(r"\s*#ifndef ", line)), None)
        if not guard:
            yield 1, f"no header guard, expected '{wanted}'"
        elif guard[1] != wanted:
            yield guard[0], f"header guard '{guard[1]}', expected '{wanted}'"


def main() -> int:
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    files = sources(root)
    if not files:
        print(f"check_layering: no source folders in '{root}'", file=sys.stderr)
        return 2
    found = [f"{path}:{line}: {text}" for path in files for line, text in problems(root, path)]
    print(*found, f"{len(files)} files checked, {len(found)} violations", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
