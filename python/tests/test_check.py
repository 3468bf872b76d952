# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec.check, in programs and as a plug-in of pytest."""

import os
import subprocess
import sys

import numpy as np
import pytest

import tilec
import tilec.language as tl


@tilec.jit
def racing(x):
    tl.store(x, tl.program_id(0))


def is_checked() -> bool:
    try:
        racing[4](np.zeros(1, np.int32))
    except tilec.KernelFault:
        return True
    return False


def test_for_a_block():
    assert not is_checked()
    with tilec.check():
        assert is_checked()
        with tilec.check(False):
            assert not is_checked()
        assert is_checked()
    assert not is_checked()


def test_until_further_notice():
    tilec.check()
    assert tilec.settings.check and is_checked()
    tilec.check(False)
    assert not tilec.settings.check and not is_checked()
    tilec.check.check(True)
    assert is_checked()


def test_the_end_of_a_block_that_failed():
    with pytest.raises(tilec.KernelFault), tilec.check():
        racing[4](np.zeros(1, np.int32))
    assert not tilec.settings.check


def test_the_option_of_a_launch():
    x = np.zeros(1, np.int32)
    with pytest.raises(tilec.KernelFault, match="global-race-write-write"):
        racing[4](x, check=True)
    assert not is_checked()
    with tilec.check():
        racing[4](x, check=False)
        with pytest.raises(tilec.KernelFault):
            racing[4](x, check=None)
    compiled = racing[1](x, check=True)
    assert racing[1](x, check=True) is compiled and racing[1](x) is not compiled


def test_a_parameter_of_that_name():

    @tilec.jit
    def named(x, check):
        tl.store(x, check)

    x = np.zeros(1, np.int32)
    named[4](x, check=5)
    assert x[0] == 5


class TensorOfAGpu:
    __cuda_array_interface__ = {"data": (1 << 20, False), "typestr": "<i4", "shape": (1, ), "version": 3}
    dtype = np.dtype(np.int32)


def test_only_the_simulator_checks():
    with pytest.raises(ValueError, match="check=True is for launches on the simulator"):
        racing[4](TensorOfAGpu(), check=True)


TESTS = '''
import numpy as np
import pytest
import tilec
import tilec.language as tl

@tilec.jit
def racing(x):
    tl.store(x, tl.program_id(0))

@tilec.jit
def fine(x):
    tl.store(x, 5)

@tilec.jit
def unchecked(x):
    tl.store(x, 5)

def test_race():
    racing[4](np.zeros(1, np.int32))

def test_wrapped_race():
    try:
        racing[4](np.zeros(1, np.int32))
    except tilec.KernelFault as error:
        raise RuntimeError("the operation failed") from error

def test_fine():
    fine[1](np.zeros(1, np.int32))

def test_unchecked():
    with tilec.check(False):
        unchecked[1](np.zeros(1, np.int32))
'''


def run_pytest(folder, *arguments):
    package = os.path.dirname(os.path.dirname(tilec.__file__))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments, str(folder)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=folder, env={
        **os.environ, "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")]), "COLUMNS": "120"})
    return result.returncode, result.stdout


def test_the_plug_in(tmp_path):
    (tmp_path / "test_kernels.py").write_text(TESTS)
    code, out = run_pytest(tmp_path, "-p", "tilec.check")
    assert code == 1 and "2 failed, 2 passed" in out
    assert "tilec: launches on the simulator are checked" in out
    line = TESTS.splitlines().index("    tl.store(x, tl.program_id(0))") + 1
    assert f"test_kernels.py:{line}:5: global-race-write-write" in out
    assert out.count("tilec findings") == 2
    assert "3 of 4 launches checked, 2 of 3 kernels" in out and "not checked: test_kernels.unchecked" in out
    code, out = run_pytest(tmp_path)
    assert code == 0 and "tilec" not in out


def test_the_plug_in_in_several_processes(tmp_path):
    pytest.importorskip("xdist")
    (tmp_path / "test_kernels.py").write_text(TESTS)
    code, out = run_pytest(tmp_path, "-p", "tilec.check", "-n", "2")
    assert code == 1 and "2 failed, 2 passed" in out
    assert "3 of 4 launches checked, 2 of 3 kernels" in out


def test_the_plug_in_without_kernels(tmp_path):
    (tmp_path / "test_nothing.py").write_text("def test_nothing():\n    pass\n")
    code, out = run_pytest(tmp_path, "-p", "tilec.check")
    assert code == 0 and "no kernel was launched by tilec" in out
