# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs for Triton that do not name tilec: `python -m tilec`, and TILEC=1 in the environment."""

import os
import pathlib
import subprocess
import sys

import pytest

import tilec

PACKAGE = pathlib.Path(tilec.__file__).parent
PTH = pathlib.Path(__file__).parents[1] / "src" / "tilec.pth"

PROGRAM = """
import sys
import numpy as np
import triton
import triton.language as tl

import neighbour

@triton.jit
def plus(x, amount):
    tl.store(x, tl.load(x) + amount)

if __name__ == "__main__":
    x = np.zeros(1, np.int32)
    plus[(1, )](x, 5)
    print(x[0], sys.argv[1:], neighbour.NAME, hasattr(triton, "__tilec_standin__"))
    if "race" in sys.argv:
        plus[(4, )](x, 5)
"""


@pytest.fixture(params=["triton", "standin"])
def kind(request):
    if request.param == "triton":
        pytest.importorskip("triton")
    return request.param


@pytest.fixture
def program(tmp_path):
    (tmp_path / "neighbour.py").write_text("NAME = 'beside'\n")
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    return file


@pytest.fixture
def run(kind, tmp_path):
    """Runs Python in a process that has Triton or not; returns its status, output and errors."""
    site = tmp_path / "site"
    site.mkdir()
    if kind == "standin":
        (site / "sitecustomize.py").write_text(
            "import importlib.machinery as m, sys\n"
            "found = m.PathFinder.find_spec\n"
            "m.PathFinder.find_spec = lambda name, *rest: None if name == 'triton' else found(name, *rest)\n")

    def run(*arguments, env=None, cwd=None):
        path = os.pathsep.join([str(site), str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, cwd=cwd,
                              env={**os.environ, "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": path, **(env or {})})
        return done.returncode, done.stdout, done.stderr

    return run


def test_a_program(kind, program, run):
    code, out, err = run("-m", "tilec", program, "one", "--check")
    assert code == 0, err
    assert out == f"5 ['one', '--check'] beside {kind == 'standin'}\n"


def test_a_module(kind, program, run):
    code, out, err = run("-m", "tilec", "-m", "program", "one", cwd=program.parent)
    assert code == 0, err
    assert out == f"5 ['one'] beside {kind == 'standin'}\n"


def test_code(kind, program, run):
    code, out, err = run("-m", "tilec", "-c", PROGRAM, "one", cwd=program.parent)
    assert code == 0, err
    assert out == f"5 ['one'] beside {kind == 'standin'}\n"


def test_options(kind, program, run):
    code, out, err = run("-m", "tilec", "--report", "--no-fallback", program)
    assert code == 0 and out.startswith("5") and "plus" in err and "kernels" in err
    code, out, err = run("-m", "tilec", "--check", program, "race")
    assert code == 1 and "global-race" in err
    code, out, err = run("-m", "tilec", program, "race")
    assert code == 0, err


@pytest.mark.parametrize("arguments", [(), ("--unknown", "x.py"), ("-m", ), ("-x", )])
def test_wrong_usage(run, arguments):
    code, out, err = run("-m", "tilec", *arguments)
    assert code == 2 and "usage: python -m tilec" in err and not out


def test_version(run):
    assert run("-m", "tilec", "--version")[:2] == (0, f"tilec {tilec.__version__}\n")


def start(folder):
    """A program that Python starts with as with a folder of packages, which reads its .pth files."""
    return f"import site\nsite.addsitedir({str(folder)!r})\n"


@pytest.mark.skipif(not PTH.exists(), reason="the package is tested without its sources")
@pytest.mark.parametrize("value", ["1", "0", ""])
def test_the_environment(kind, program, run, tmp_path, value):
    folder = tmp_path / "packages"
    folder.mkdir()
    (folder / "tilec.pth").write_text(PTH.read_text())
    begin = start(folder) + "import sys\nassert 'triton' not in sys.modules\n"
    if value != "1":
        code, out, err = run("-c", begin + "assert 'tilec' not in sys.modules", env={"TILEC": value})
        assert code == 0, err
        return
    program.write_text(begin + "assert 'tilec' in sys.modules\n" + PROGRAM)
    code, out, err = run(program, "one", env={"TILEC": value})
    assert code == 0, err
    assert out == f"5 ['one'] beside {kind == 'standin'}\n"
    code, out, err = run("-c", begin + "import triton\nprint(type(triton.__spec__.loader).__name__)", env={"TILEC": value})
    assert (code, out) == (0, "SourceFileLoader\n"), err


def test_a_folder_of_the_packages_name_is_not_triton(tmp_path):
    (tmp_path / "triton").mkdir()
    file = tmp_path / "program.py"
    file.write_text("import tilec\ntilec.install()\nimport triton.language as tl\nprint(tl.__name__)\n")
    hide = ("import importlib.machinery as m\nfound = m.PathFinder.find_spec\n"
            f"m.PathFinder.find_spec = lambda name, path=None, target=None: found(name, [{str(tmp_path)!r}] "
            "if name == 'triton' else path, target)\n")
    (tmp_path / "sitecustomize.py").write_text(hide)
    path = os.pathsep.join([str(tmp_path), str(PACKAGE.parent)])
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("tilec.language")
