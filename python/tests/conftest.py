# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the package have in common: `pytest python/tests`. They need NumPy; a GPU is not used."""

import json
import os
import random
import subprocess
import sys

import numpy as np
import pytest

import tilec


@pytest.fixture
def rng():
    """Random numbers. The seed is printed; TILEC_TEST_SEED repeats a run."""
    seed = int(os.environ.get("TILEC_TEST_SEED") or random.randrange(1 << 32))
    print(f"TILEC_TEST_SEED={seed}")
    return np.random.default_rng(seed)


@pytest.fixture(params=["numpy", "torch"])
def tensor(request):
    """Turns a NumPy array into a tensor of a framework in the same memory."""
    if request.param == "numpy":
        return lambda array: array
    return pytest.importorskip("torch").from_numpy


@pytest.fixture
def run_python():
    """Runs a program in a process of its own; returns what it printed."""

    def run(path, *args, env=None):
        folders = [os.path.dirname(os.path.dirname(tilec.__file__)), os.environ.get("PYTHONPATH", "")]
        result = subprocess.run([sys.executable, str(path), *map(str, args)], capture_output=True, text=True,
                                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, folders)), **(env or {})})
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    return run


@pytest.fixture
def build_fill(tmp_path):
    """Builds and loads a bundle with the kernel `fill(x, n)`, which writes ones, for the simulator."""
    program = os.environ.get("TILEC_TEST_PROGRAM")
    if not program:
        pytest.skip("TILEC_TEST_PROGRAM, the program tilec, is not set")
    (tmp_path / "ops.tile").write_text("@triton.jit\ndef fill(x, n, BLOCK: tl.constexpr):\n"
                                       "    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                                       "    tl.store(x + o, 1.0, mask=o < n)\n")
    (tmp_path / "ops.json").write_text(
        json.dumps({
            "name": "ops", "targets": ["sim"], "kernels": [{
                "file": "ops.tile", "grid": "cdiv(n, BLOCK)", "arguments": {"x": "*fp32", "n": "i32"},
                "constants": {"BLOCK": 256}
            }]
        }))  # yapf: disable

    def build(*flags):
        subprocess.run([program, "build", tmp_path / "ops.json", "-o", tmp_path, "--emit", "bundle", *flags], check=True)
        return tilec.load_bundle(tmp_path / "ops.tilec")

    return build


@pytest.fixture(autouse=True)
def unchecked():
    """Tests that want checking mode switch it on themselves."""
    before = tilec.settings.check
    tilec.settings.check = False
    yield
    tilec.settings.check = before
