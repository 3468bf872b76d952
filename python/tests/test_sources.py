# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages name the lines of the user's file, also where a kernel is near its top."""

import subprocess
import sys

import pytest

PROGRAM = """{head}@tilec.jit
def copy(x, y, SIZE: tl.constexpr):
    o = tl.arange(0, SIZE)
    tl.store(y + o, tl.load(x + o)){mistake}
import numpy
x = numpy.zeros(16, numpy.float32)
try:
    copy[(1, )](x, x.copy(), SIZE=32)
except tilec.KernelFault as fault:
    print(fault.findings[0].line)
except tilec.CompilationError as error:
    print(str(error).split(":")[1])
"""


@pytest.mark.parametrize("lines", [1, 2, 9])
@pytest.mark.parametrize("mistake", ["", " + nowhere"], ids=["fault", "error"])
def test_lines(tmp_path, lines, mistake):
    file = tmp_path / "program.py"
    head = "#\n" * (lines - 1) + "import tilec, tilec.language as tl\n"
    file.write_text(PROGRAM.format(head=head, mistake=mistake))
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(lines + 4)
