# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches that tilec refuses and Triton runs."""

import os
import re
import runpy

import numpy as np
import pytest

import tilec
from tilec import _devices, _report, takeover

triton = pytest.importorskip("triton")
import triton.language as tl  # noqa: E402

LIMIT = tl.constexpr(3)


@triton.jit
def limited(x, SIZE: tl.constexpr):
    tl.static_assert(SIZE <= LIMIT, "too many")
    tl.store(x, SIZE)


@pytest.fixture
def launches(monkeypatch):
    """The launches that came to Triton, as on a machine with a GPU."""
    seen = []
    tilec.settings.simulate = True
    tilec.install(fallback=True)
    monkeypatch.setattr(_report, "_entries", [])
    monkeypatch.setattr(takeover, "_refused", set())
    monkeypatch.setitem(takeover._originals, "run", lambda function, *args, **kwargs: seen.append(kwargs.get("SIZE")))
    monkeypatch.setattr(_devices, "count", lambda: 1)
    yield seen
    monkeypatch.undo()
    tilec.uninstall()
    tilec.settings.simulate = False


def compilations() -> list:
    return [entry.options["constants"]["SIZE"] for entry in tilec.report() if not entry.fallback]


def test_a_refused_kind_is_compiled_once(launches, monkeypatch):
    x = np.zeros(1, np.int32)
    with pytest.warns(tilec.TilecWarning, match="too many"):
        for size in (4, 4, 5, 4, 5):
            limited[(1, )](x, SIZE=size)
    assert launches == [4, 4, 5, 4, 5] and compilations() == ["4", "5"]
    limited[(1, )](x, SIZE=3)
    assert x[0] == 3 and len(launches) == 5
    monkeypatch.setitem(globals(), "LIMIT", tl.constexpr(4))
    limited[(1, )](x, SIZE=4)
    assert x[0] == 4 and len(launches) == 5
    with monkeypatch.context() as changed:
        changed.setitem(globals(), "LIMIT", tl.constexpr(1))
        limited[(1, )](x, SIZE=4)
    assert len(launches) == 6 and compilations() == ["4", "5", "3", "4", "4"]


def define(folder, number: int):
    """A kernel `twice` of a file of its own, which needs an option of Triton's."""
    file = folder / f"kernels_{number}.py"
    file.write_text("import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef twice(x, SIZE: tl.constexpr):\n"
                    "    tl.static_assert(SIZE < 4)\n    tl.store(x, SIZE)\n")
    return runpy.run_path(str(file))["twice"]


def test_kernels_of_one_name_warn_separately(launches, tmp_path):
    x = np.zeros(1, np.int32)
    for kernel in (define(tmp_path, 1), define(tmp_path, 2)):
        with pytest.warns(tilec.TilecWarning, match=rf"'twice' \({re.escape(kernel.fn.__code__.co_filename)}:5\)"):
            kernel[(1, )](x, SIZE=4)
            kernel[(1, )](x, SIZE=5)
    assert launches == [4, 5, 4, 5]


@pytest.mark.parametrize("error", [tilec.OutOfResources, tilec.errors.InternalError, tilec.CompilationError])
def test_what_falls_back(launches, monkeypatch, error):

    def fail(*args):
        raise error("it cannot be done")

    monkeypatch.setattr(takeover.TritonKernel, "_open", fail)
    x = np.zeros(1, np.int32)
    kernel = triton.jit(limited.fn)
    with pytest.warns(tilec.TilecWarning, match="it cannot be done") as warned:
        kernel[(1, )](x, SIZE=2)
        kernel[(1, )](x, SIZE=2)
        kernel.warmup(x, SIZE=1, grid=(1, ))
    assert launches == [2, 2, 1] and len(warned) == 1
    assert [(entry.kernel, entry.launches) for entry in tilec.report()] == [("limited", 3)]
    monkeypatch.setattr(takeover.TritonKernel, "fallback", False)
    with pytest.raises(error, match="it cannot be done"):
        kernel[(1, )](x, SIZE=2)
    with pytest.raises(error, match="it cannot be done"):
        kernel.warmup(x, SIZE=2, grid=(1, ))
    assert len(launches) == 3


def test_options_that_tilec_does_not_know(launches, monkeypatch):
    x = np.zeros(1, np.int32)
    with pytest.warns(tilec.TilecWarning, match="'new_option' is neither a parameter"):
        limited[(1, )](x, SIZE=2, new_option=3)
    limited[(1, )](x, SIZE=2)
    assert launches == [2] and x[0] == 2
    monkeypatch.setattr(takeover.TritonKernel, "fallback", False)
    with pytest.raises(KeyError, match="new_option"):
        limited[(1, )](x, SIZE=2, new_option=3)


def test_errors_of_the_program_do_not_fall_back(launches):
    with pytest.raises(KeyError, match="absent"):
        limited[lambda meta: (meta["absent"], )](np.zeros(1, np.int32), SIZE=2)
    with pytest.raises(TypeError):
        limited[(1, )](object(), SIZE=2)
    with pytest.raises(tilec.KernelFault):
        limited[(1, )](np.zeros(0, np.int32), SIZE=2)
    assert not launches


def test_without_a_gpu_there_is_no_fallback(launches, monkeypatch):
    monkeypatch.setattr(_devices, "count", lambda: 0)
    with pytest.raises(tilec.CompilationError, match="too many"):
        limited[(1, )](np.zeros(1, np.int32), SIZE=4)
    assert not launches


def test_install_without_fallback():
    # The error is the same as that of a machine with a GPU.
    tilec.install(fallback=False)
    try:
        with pytest.raises(triton.CompilationError, match="too many"):
            limited[(1, )](np.zeros(1, np.int32), SIZE=4)
    finally:
        tilec.uninstall()


def test_compilations_fall_back(launches, monkeypatch):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    def fail(*args):
        raise tilec.errors.InternalError("a bug")

    seen = []
    monkeypatch.setattr("tilec._triton_compile.compile_source", fail)
    source = ASTSource(limited, {"x": "*i32", "SIZE": "constexpr"}, {"SIZE": 2})
    monkeypatch.setattr(takeover.TritonKernel, "fallback", False)
    with pytest.raises(tilec.errors.InternalError, match="a bug"):
        triton.compile(source, GPUTarget("cuda", 90, 32))
    monkeypatch.setattr(takeover.TritonKernel, "fallback", True)
    monkeypatch.setattr(triton.compiler.CompiledKernel, "__init__", lambda self, *args: seen.append(args))
    monkeypatch.setattr(triton.compiler.CompiledKernel, "module", None, raising=False)
    with pytest.warns(tilec.TilecWarning, match="a bug"):
        triton.compile(source, GPUTarget("cuda", 90, 32))
    assert len(seen) == 1


# A Triton that is not as it should be


def state() -> list:
    """What `install` changes of Triton."""
    function, compiler = triton.runtime.jit.JITFunction, triton.compiler.compiler
    return [*(vars(function).get(name) for name in takeover._METHODS), compiler.compile, triton.compiler.compile,
            triton.compile, *(vars(type(triton.knobs.runtime)).get(name) for name in ("__setattr__", )),
            triton.knobs.HookChain.add, dict(tilec.errors._CLASSES), os.environ.get("TILEC"), active_driver()]


def active_driver() -> str:
    try:
        return type(triton.runtime.driver.active).__name__
    except RuntimeError as error:
        return str(error)


@pytest.mark.parametrize("module, name", [
    ("triton", "knobs"),
    ("triton.knobs", "HookChain"),
    ("triton.runtime.cache", "get_cache_manager"),
    ("triton.runtime.jit", "serialize_specialization_data"),
    ("triton.runtime.jit.JITFunction", "_pack_args"),
])
def test_other_versions_are_left_alone(monkeypatch, module, name):
    before = state()
    with monkeypatch.context() as changed:
        changed.delattr(f"{module}.{name}")
        changed.setattr(triton, "__version__", "3.2.0")
        with pytest.raises(RuntimeError, match=f"Triton 3.5 and later, not those of the installed 3.2.0, .*{name}"):
            tilec.install()
    assert state() == before
    tilec.install()
    assert state() != before
    tilec.uninstall()
    assert state() == before


def test_an_error_half_way_leaves_nothing_behind(monkeypatch):
    before = state()
    with monkeypatch.context() as changed:
        changed.setattr("tilec._triton_hooks._any_is_set", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            tilec.install()
    assert state() == before
    tilec.install()
    tilec.uninstall()
    assert state() == before
