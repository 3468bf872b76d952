# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program that is written for Triton, with tilec: `python -m tilec program.py [arguments]`."""

from __future__ import annotations

import linecache
import os
import runpy
import sys
import types

_USAGE = """usage: python -m tilec [options] (program.py | -m module | -c code) [arguments]

Runs a program as Python does, with the kernels of @triton.jit compiled and launched by tilec.

  --check        the simulator looks for races, missing waits and uninitialised reads as well
  --no-fallback  what tilec refuses is an error, instead of being left to Triton
  --report       prints at the end what was compiled (to stderr)
  --version      prints the version
"""


def main(arguments: list[str]) -> int:
    import tilec

    options = set()
    while arguments and arguments[0].startswith("--"):
        options.add(arguments.pop(0))
    unknown = options - {"--check", "--no-fallback", "--report", "--version", "--help"}
    if "--version" in options:
        print(f"tilec {tilec.__version__}")
        return 0
    is_incomplete = not arguments or arguments[0] in ("-m", "-c") and len(arguments) < 2
    if arguments and arguments[0].startswith("-") and arguments[0] not in ("-m", "-c", "-h"):
        unknown.add(arguments[0])
    if "--help" in options or arguments[:1] == ["-h"]:
        print(_USAGE, end="")
        return 0
    if unknown or is_incomplete:
        print(f"unknown option '{min(unknown)}'" if unknown else "there is no program", file=sys.stderr)
        print(_USAGE, end="", file=sys.stderr)
        return 2
    # In the environment for the processes that the program starts, too.
    if "--check" in options:
        os.environ["TILEC_CHECK"] = "1"
        tilec.settings.check = True
    if "--no-fallback" in options:
        os.environ["TILEC_FALLBACK"] = "0"
    tilec.install()
    try:
        _run(arguments)
    finally:
        if "--report" in options:
            sys.stdout.flush()
            print(tilec.report(), file=sys.stderr)
    return 0


def _run(arguments: list[str]):
    first, *rest = arguments
    if first == "-m":
        sys.argv = rest
        sys.path[0] = os.getcwd()
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif first == "-c":
        sys.argv = ["-c", *rest[1:]]
        sys.path[0] = ""
        _run_code(rest[0])
    else:
        sys.argv = arguments
        sys.path[0] = os.path.dirname(os.path.realpath(first))
        runpy.run_path(first, run_name="__main__")


def _run_code(text: str):
    # Kernels need their text.
    file = "<tilec -c>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    exec(compile(text, file, "exec"), vars(module))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
