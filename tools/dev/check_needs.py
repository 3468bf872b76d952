#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that portable programs and libraries need nothing of the machine but glibc, none newer than 2.35 (Ubuntu 22.04).

usage: check_needs.py FILE...
"""

import re
import subprocess
import sys

NEWEST = 35
GLIBC = re.compile(r"(lib(c|m|dl|pthread|rt|tilec)|ld-linux-x86-64)\.so\.\d+")


def readelf(flag: str, file: str) -> str:
    return subprocess.run(["readelf", "-W", flag, file], check=True, capture_output=True, text=True).stdout


def problem(file: str) -> str:
    """What the file needs and may not; empty when there is no such thing."""
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", file))
    if foreign := [name for name in needed if not GLIBC.fullmatch(name)]:
        return " ".join(foreign)
    newest = max((int(minor) for minor in re.findall(r"GLIBC_2\.(\d+)", readelf("-V", file))), default=0)
    return f"GLIBC_2.{newest}" if newest > NEWEST else ""


def main() -> int:
    found = [f"check_needs: {file} needs {text}" for file in sys.argv[1:] if (text := problem(file))]
    print("\n".join(found), end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
