# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How tilec_conformance.py sorts outcomes, by tests that are made up for each: `pytest tools/conformance/test_sorting.py`."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

CONFTEST = """
import pytest

def pytest_addoption(parser):
    parser.addoption("--device", default="cpu")
"""

HEAD = """
import re
import pytest
import torch
import triton
import triton.language as tl

@triton.jit
def fill(x, VALUE: tl.constexpr):
    tl.store(x, VALUE)

@triton.jit
def refused(x):
    tl.store(x, no_such_name)

@triton.jit
def outside(x):
    tl.store(x + 5, 1)

class Kernel:
    asm = {"ptx": "// a text", "ttgir": "module {}", "cubin": b"code"}

def result(kernel=fill, *args, **options):
    x = torch.zeros(1, dtype=torch.int32)
    kernel[(1, )](x, *args, **options)
    return x.item()

def text_of(kernel):
    return kernel.asm["ttgir"]

def count_lines(text, what):
    count = 0
    for line in text.splitlines():
        if what in line:
            count += 1
    return count

def check_text(text):
    assert "missing" in text

def check_both(text, value):
    assert value == 1
    assert "missing" in text
"""

#: The body of a test, and its outcome.
CASES = {
    "right": ("assert result(fill, 1) == 1", "passed"),
    "clusters": ("assert result(fill, 1, num_ctas=2) == 1", "one-cta"),
    "text_that_holds": ("assert 'text' in Kernel.asm['ptx']\nassert result(fill, 1) == 1", "passed"),
    "text_then_right": ("assert 'wgmma' in Kernel.asm['ptx']\nassert result(fill, 1) == 1", "ptx"),
    "text_then_wrong": ("assert 'wgmma' in Kernel.asm['ptx']\nassert result(fill, 1) == 2", "wrong"),
    "wrong_before_text": ("assert result(fill, 1) == 2\nassert 'wgmma' in Kernel.asm['ptx']", "wrong"),
    "wrong_beside_text": ("ptx = Kernel.asm['ptx']\nassert 'text' in ptx\nassert result(fill, 1) == 2", "wrong"),
    "wrong_in_one_assertion": ("assert result(fill, 1) == 2 and 'text' in Kernel.asm['ptx']", "wrong"),
    "text_in_one_assertion": ("assert result(fill, 1) == 1 and 'wgmma' in Kernel.asm['ptx']", "ptx"),
    "not_in_text": ("ptx = Kernel.asm['ptx']\nassert 'text' not in ptx", "ptx"),
    "text_by_a_name": ("found = re.search('wgmma', Kernel.asm['ptx']) is not None\nassert found == True", "ptx"),
    "text_by_a_function": ("assert 'dot' in text_of(Kernel)\nassert result(fill, 1) == 1", "ir"),
    "text_that_is_counted": ("assert count_lines(Kernel.asm['ttgir'], 'dot') == 2", "ir"),
    "text_in_a_function": ("check_text(text_of(Kernel))\nassert result(fill, 1) == 1", "ir"),
    "wrong_in_a_function": ("check_both(text_of(Kernel), result(fill, 2))", "wrong"),
    "both_texts": ("assert 'a' in Kernel.asm['ptx'] and 'dot' in Kernel.asm['ttgir']", "ir"),
    "no_such_text": ("text = Kernel.asm['amdgcn']\nassert result(fill, 1) == 1", "ir"),
    "group_of_no_match": ("assert re.search('x(.)', Kernel.asm['ttgir']).group(1) == 'y'\nassert result(fill, 1) == 1", "ir"),
    "refused": ("assert 'wgmma' in Kernel.asm['ptx']\nresult(refused)", "refused"),
    "refused_then_wrong": ("with pytest.raises(triton.CompilationError):\n    result(refused)\nassert result(fill, 1) == 2", "wrong"),
    "wording": ("with pytest.raises(triton.CompilationError) as error:\n    result(refused)\n"
                "assert 'other words' in str(error.value)", "wording"),
    "wording_by_match": ("with pytest.raises(triton.CompilationError, match='other words'):\n    result(refused)", "wording"),
    "accepted": ("with pytest.raises(triton.CompilationError):\n    result(fill, 1)", "accepted"),
    "fault": ("Kernel.asm['ptx']\nresult(outside)", "fault"),
    "error": ("text = Kernel.asm['ptx']\nraise OSError('a file')", "error"),
    "error_after_text": ("assert 'wgmma' in Kernel.asm['ptx']\nnumber = {}['key']", "error"),
    "code_is_no_text": ("assert Kernel.asm['cubin'] == b'other code'", "wrong"),
    "skipped": ("pytest.skip('not here')", "skipped"),
}  # yapf: disable


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tests")
    (folder / "conftest.py").write_text(CONFTEST)
    bodies = [f"def test_{name}():\n" + "".join(f"    {line}\n" for line in body.splitlines()) for name, (body, _) in CASES.items()]
    (folder / "test_it.py").write_text("\n".join([HEAD, *bodies]))
    path = os.pathsep.join([str(pathlib.Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "tilec_conformance", "-p", "no:cacheprovider", "-v", "--rootdir",
                           str(folder), "--conformance", str(folder / "out.json"), str(folder)],
                          env={**os.environ, "PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": ""}, capture_output=True, text=True)
    print(done.stdout[-3000:], done.stderr[-3000:])
    found = json.loads((folder / "out.json").read_text())
    counts = found["files"]["test_it.py"]
    assert sum(counts.values()) == len(CASES)
    named = {outcome["test"].split("::test_")[1]: outcome["outcome"] for outcome in found["others"]}
    assert counts.get("passed", 0) + counts.get("skipped", 0) + len(named) == len(CASES)
    assert {"device", "torch", "triton", "tilec", "date"} <= set(found["about"])
    return named


@pytest.mark.parametrize("name", list(CASES))
def test_outcome(outcomes, name):
    expected = CASES[name][1]
    assert outcomes.get(name, "passed or skipped") == (expected if expected not in ("passed", "skipped") else "passed or skipped")
