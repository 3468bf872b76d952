# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec.check, in programs and as a plug-in of pytest."""

import importlib.util
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


# A project that is written for Triton: with an installed one, and with the stand-in where there is none.

CONFTEST = """
import pytest
import triton

@pytest.fixture
def device(tilec_device):
    return tilec_device
"""
KERNELS = """
import triton
import triton.language as tl

@triton.jit
def plus(x, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + o, tl.load(x + o, mask=o < n) + 1, mask=o < n)

@triton.jit
def unmasked(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1)

@triton.jit
def racing(x):
    tl.store(x, tl.program_id(0))
"""
PROJECT_TESTS = """
import numpy as np
import triton
from kernels import plus, racing, unmasked

def test_plus():
    x = np.zeros(100, np.int32)
    plus[(triton.cdiv(100, 32), )](x, 100, BLOCK=32)
    assert (x == 1).all()

def test_out_of_bounds():
    unmasked[(1, )](np.zeros(20, np.int32), BLOCK=32)

def test_race():
    racing[(4, )](np.zeros(1, np.int32))

def test_device(device):
    assert device in ("cpu", "cuda")
"""
TORCH_TESTS = """
import pytest
import torch
from kernels import plus, racing

@pytest.mark.parametrize("make", [
    lambda: torch.zeros(100, dtype=torch.int32, device="cuda"),
    lambda: torch.zeros(100, dtype=torch.int32).cuda(),
    lambda: torch.zeros(100, dtype=torch.int32).to(torch.device("cuda:0")),
    lambda: torch.nn.Parameter(torch.zeros(100)).to("cuda").to(torch.int32),
    lambda: torch.nn.Linear(4, 100).to("cuda").bias.detach().zero_().int(),
])
def test_plus(make):
    x = make()
    plus[(4, )](x, x.numel(), BLOCK=32)
    torch.cuda.synchronize()
    assert (x == 1).all() and torch.cuda.get_device_capability() >= (8, 0)

def test_race():
    racing[(4, )](torch.zeros(1, dtype=torch.int32, device="cuda"))

def test_cpu(tilec_device):
    plus[(4, )](torch.zeros(100, dtype=torch.int32), 100, BLOCK=32)
    assert tilec_device == "cpu"
"""

HAS_TORCH = importlib.util.find_spec("torch") is not None


@pytest.fixture
def project(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "kernels.py").write_text(KERNELS)
    return tmp_path


def test_a_project_that_is_written_for_triton(project):
    (project / "test_kernels.py").write_text(PROJECT_TESTS)
    code, out = run_pytest(project, "-p", "tilec.check")
    assert code == 1 and "2 failed, 2 passed" in out, out
    for text, kind in (("tl.store(x + tl.arange(0, BLOCK), 1)", "out-of-bounds"),
                       ("tl.store(x, tl.program_id(0))", "global-race-write-write")):
        line = 1 + next(number for number, row in enumerate(KERNELS.splitlines()) if text in row)
        assert f"kernels.py:{line}:5: {kind}" in out
    assert "3 of 3 launches checked, 3 of 3 kernels" in out and "ran on a GPU" not in out


@pytest.mark.skipif(not HAS_TORCH, reason="needs torch")
def test_a_project_for_a_gpu_without_one(project):
    (project / "test_kernels.py").write_text(TORCH_TESTS)
    code, out = run_pytest(project, "-p", "tilec.check", "--tilec-device=sim")
    assert code == 1 and "1 failed, 6 passed" in out and "global-race-write-write" in out, out
    assert "tilec: launches on the simulator, where all run, are checked" in out and "7 of 7 launches checked" in out


def test_options_of_the_plug_in(project):
    (project / "test_nothing.py").write_text("def test_nothing(tilec_device):\n    assert tilec_device\n")
    code, out = run_pytest(project, "-p", "tilec.check", "--tilec-device=gpu")
    assert code == 4
    # A conftest.py may name it.
    (project / "conftest.py").write_text('pytest_plugins = ["tilec.check"]\n')
    code, out = run_pytest(project)
    assert code == 0 and "launches on the simulator are checked" in out
    code, out = run_pytest(project, "--tilec-device=sim")
    assert code == 0 and "where all run" in out


@pytest.mark.skipif(not HAS_TORCH, reason="needs torch")
def test_launches_on_copies(monkeypatch):
    import torch

    from tilec import _hooking, _host_copies
    from tilec.tensor_descriptor import TensorDescriptor

    # Tensors of the CPU take the part of a GPU's: views of one storage are to be views of one copy.
    monkeypatch.setattr(_host_copies.HostCopies, "_is_elsewhere", staticmethod(lambda tensor: True))
    monkeypatch.setattr(torch.UntypedStorage, "cpu", torch.UntypedStorage.clone)
    monkeypatch.setattr(_hooking, "on_host_copies", True)
    _hooking.set_hooked("test", True)
    try:
        memory = torch.zeros(64, dtype=torch.int32)
        first, second = memory[:16], memory[16:]

        @tilec.jit
        def shift(pair, out, BLOCK: tl.constexpr):
            o = tl.arange(0, BLOCK)
            tl.store(pair[0] + o, 1)
            tl.debug_barrier()
            tl.store(out + o, tl.load(pair[0] + o) + pair[1])

        shift[(1, )]((first, 2), out=second, BLOCK=16)
        assert memory.tolist() == [1] * 16 + [3] * 16 + [0] * 32

        @tilec.jit
        def fill(block):
            block.store([0, 0], tl.full((8, 8), 5, tl.int32))

        matrix = torch.zeros(16, 16, dtype=torch.int32)
        fill[(1, )](TensorDescriptor.from_tensor(matrix, [8, 8]))
        assert (matrix[:8, :8] == 5).all() and matrix.sum() == 5 * 64
        copies = _host_copies.HostCopies()
        assert copies.of(first).data_ptr() + 64 == copies.of(second).data_ptr() != second.data_ptr()
    finally:
        _hooking.set_hooked("test", False)
