# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of the documentation run as they stand."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = [file for file in (ROOT / "docs/python.md", ROOT / "python/README.md") if file.exists()]
PROGRAMS = [(file.name, program) for file in FILES
            for program in re.findall(r"```python\n(.*?)```", file.read_text(), re.S) if "@tilec.jit" in program]


@pytest.mark.parametrize("program", [program for _, program in PROGRAMS], ids=[name for name, _ in PROGRAMS])
def test_program(tmp_path, program):
    file = tmp_path / "program.py"
    file.write_text(program)
    done = subprocess.run([sys.executable, file], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for expected in re.findall(r"^print.*  # (.*)$", program, re.M):
        assert expected in done.stdout
