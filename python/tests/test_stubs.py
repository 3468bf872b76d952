# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stubs of the package: the same names as the modules have, and types that a checker takes."""

import ast
import importlib
import importlib.util
import pathlib
import subprocess
import sys

import pytest

import tilec
import tilec.language as tl
from tilec import _native

FOLDER = pathlib.Path(tilec.__file__).parent

#: Programs of users: what a checker finds in each, by line.
PROGRAM = '''
import numpy
import tilec
import tilec.language as tl

@tilec.autotune([tilec.Config({"BLOCK": 64}, num_warps=2)], key=["n"], restore_value=["x"])
@tilec.heuristics({"EVEN": lambda arguments: arguments["n"] % 2 == 0})
@tilec.jit(do_not_specialize=["n"])
def kernel(x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + o, tl.load(x + o, mask=o < n) + 1, mask=o < n)

@tilec.jit
def helper(x):
    return x + 1

@tilec.aggregate
class Span:
    first: tl.tensor
    size: tl.constexpr

@tilec.constexpr_function
def twice(n):
    return 2 * n

x = tilec.to_device(numpy.zeros(8, numpy.float32))
with tilec.check(True):
    kernel[(1, )](x, 8)
names: list[str] = [parameter.name for parameter in helper.params if not parameter.has_default]
key: str = helper.cache_key
best: tilec.Config | None = kernel.best_config
milliseconds = tilec.testing.do_bench(lambda: kernel[(1, )](x, 8), rep=10, quantiles=[0.5])
tilec.testing.assert_close(tilec.to_host(x), numpy.ones(8))
bundle = tilec.load_bundle("ops.tilec")
descriptor = tilec.TensorDescriptor.from_tensor(x, [8])
size: int = tilec.next_power_of_2(100) + tilec.cdiv(7, 2)
tilec.settings.check = False
tilec.install(fallback=False)
print(tilec.report(), tilec.__version__, tilec.errors.InternalError)
try:
    helper.warmup(x, grid=(1, ))
except (tilec.CompilationError, tilec.OutOfResources) as error:
    print(error)
'''
WRONG = '''
import tilec

tilec.jot
tilec.cdiv("1", 2)
tilec.Config([1])
tilec.testing.do_bench(3)
tilec.jit(do_not_specialise=["n"])
'''


def names_of(tree) -> set[str]:
    """The public names that a stub, or a class of one, gives."""
    names = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            # Only what is imported under its own name is exported.
            names |= {alias.asname for alias in node.names if alias.asname == alias.name}
    return {name for name in names if not name.startswith("_")}


def stub(name: str) -> ast.Module:
    return ast.parse((FOLDER / f"{name}.pyi").read_text())


def test_names_of_the_package():
    code = "import tilec; print(*(n for n in [*vars(tilec), *tilec._LATER] if not n.startswith('_')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert names_of(stub("__init__")) == set(done.stdout.split())
    assert set(tilec.__all__) <= set(done.stdout.split()) and all(hasattr(tilec, name) for name in done.stdout.split())


@pytest.mark.parametrize("module", ["jit", "tuner", "testing"])
def test_names_of_modules(module):
    found = importlib.import_module(f"tilec.{module}")
    theirs = {name for name, value in vars(found).items() if not name.startswith("_") and (
        getattr(value, "__module__", None) == found.__name__ or name in getattr(found, "__all__", ()))}
    # Those that are no functions or classes have no module.
    known = names_of(stub(module))
    assert theirs <= known and all(hasattr(found, name) for name in known)


def test_names_of_the_native_module():
    assert names_of(stub("_native")) == {name for name in dir(_native) if not name.startswith("_")}
    kernel = next(node for node in stub("_native").body if getattr(node, "name", "") == "Kernel")
    methods = {node.name for node in kernel.body if isinstance(node, ast.FunctionDef)}
    assert methods == {name for name in vars(_native.Kernel) if not name.startswith("__")} | {"__getitem__"}


@tilec.jit
def function(x, BLOCK: tl.constexpr = 4):
    pass


@pytest.mark.parametrize("module, example", [
    ("jit", function),
    ("jit", tilec.MockTensor(tl.float32)),
    ("tuner", tilec.Config({})),
    ("tuner", tilec.autotune([tilec.Config({})], key=[])(function)),
    ("tuner", tilec.heuristics({})(function)),
    ("testing", tilec.testing.Benchmark([], [], "", [], [], "", {})),
    ("testing", tilec.testing.Mark(len, [])),
])
def test_members_of_classes(module, example):
    classes = {node.name: node for node in stub(module).body if isinstance(node, ast.ClassDef)}
    known, names = set(), [type(example).__name__]
    while names:
        node = classes.get(names.pop())
        if node:
            known |= names_of(node)
            names += [base.id for base in node.bases]
    assert known == {name for name in dir(example) if not name.startswith("_")}


def check_types(folder, *programs):
    """Runs mypy or pyright, whichever there is; returns what it printed."""
    if importlib.util.find_spec("mypy"):
        command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--follow-imports=silent",
                   "--disable-error-code=no-untyped-def", "--disable-error-code=no-untyped-call",
                   f"--cache-dir={folder / 'cache'}"]  # yapf: disable
    elif importlib.util.find_spec("pyright"):
        command = [sys.executable, "-m", "pyright"]
    else:
        pytest.skip("needs mypy or pyright")
    files = []
    for name, text in programs:
        (folder / name).write_text(text)
        files.append(name)
    environment = {"PATH": "/usr/bin:/bin", "MYPYPATH": str(FOLDER.parent), "PYTHONPATH": str(FOLDER.parent)}
    return subprocess.run([*command, *files], capture_output=True, text=True, cwd=folder, env=environment).stdout


def test_types_of_a_program(tmp_path):
    out = check_types(tmp_path, ("program.py", PROGRAM))
    assert "error" not in out, out


def test_errors_of_a_program(tmp_path):
    out = check_types(tmp_path, ("wrong.py", WRONG))
    lines = {int(line.split(":")[1]) for line in out.splitlines() if "error" in line}
    assert lines == {4, 5, 6, 7, 8}, out
