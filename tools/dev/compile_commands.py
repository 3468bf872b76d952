#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the command of every source, for clang-tidy and editors: BUILD/sources/compile_commands.json.

usage: compile_commands.py [BUILD]

The development build compiles sources of a library together, so CMake's own list names the units. All sources of a unit
have its flags.
"""

from __future__ import annotations

import json
import pathlib
import re
import sys


def sources_of(unit: pathlib.Path) -> list[str]:
    """The sources that CMake put into a unit; none where the file is no unit."""
    if unit.parent.name != "Unity" or not unit.is_file():
        return []
    return re.findall(r'^#include "(.*)"$', unit.read_text(), re.MULTILINE)


def entries(build: pathlib.Path) -> list[dict[str, str]]:
    result = []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = entry["file"]
        for source in sources_of(pathlib.Path(entry["directory"], file)) or [file]:
            result.append({"directory": entry["directory"], "file": source, "command": entry["command"].replace(file, source)})
    return result


def write(build: pathlib.Path) -> pathlib.Path:
    """Writes the list and returns its folder."""
    folder = build / "sources"
    folder.mkdir(exist_ok=True)
    text = json.dumps(entries(build), indent=1)
    file = folder / "compile_commands.json"
    if not file.is_file() or file.read_text() != text:
        file.write_text(text)
    return folder


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build"))
