# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What libraries read of kernels: parameters, text, keys, compiled code."""

import ast
import inspect

import numpy as np

import tilec
import tilec.language as tl

FACTOR = tl.constexpr(3)


@tilec.jit
def scale(x):
    return x * FACTOR


@tilec.jit(do_not_specialize=["n"], do_not_specialize_on_alignment=[0], version=7)
def kernel(x, n: tl.int32, y: tl.const, z: "*ki8", w: "*fp32", mystery: dict, *, BLOCK: tl.constexpr = 16, last=None):
    """Scales and stores."""
    o = tl.arange(0, BLOCK)
    tl.store(x + o, scale(tl.load(y + o, mask=o < n)), mask=o < n)


def launch(function, n=16, **options):
    x = np.zeros(16, np.int32)
    return x, function[(1, )](x, n, np.arange(16, dtype=np.int32), np.zeros(1, np.int8), np.zeros(1, np.float32), None, **options)


def test_parameters():
    assert [(p.num, p.name, p.annotation) for p in kernel.params] == [
        (0, "x", ""), (1, "n", "i32"), (2, "y", "const"), (3, "z", "*ki8"), (4, "w", "*fp32"), (5, "mystery", "dict"),
        (6, "BLOCK", "constexpr"), (7, "last", "")]  # yapf: disable
    assert [p.name for p in kernel.params if p.is_constexpr] == ["BLOCK"] and kernel.constexprs == [6]
    assert [p.name for p in kernel.params if p.is_const] == ["y", "z"]
    assert [(p.name, p.default) for p in kernel.params if p.has_default] == [("BLOCK", 16), ("last", None)]
    assert kernel.params[0].default is inspect.Parameter.empty
    assert [p.name for p in kernel.params if p.do_not_specialize] == ["n"]
    assert [p.name for p in kernel.params if p.do_not_specialize_on_alignment] == ["x"]
    assert [p.annotation_type for p in kernel.params] == ["", "i32", "", "*ki8", "*fp32", "", "", ""]
    assert kernel.arg_names == [p.name for p in kernel.params] and repr(kernel.params[1]) == "KernelParam(1, n: i32)"


def test_what_it_was_made_of():
    assert kernel.__name__ == "kernel" and kernel.__doc__ == "Scales and stores." and kernel.__wrapped__ is kernel.fn
    assert kernel.__module__ == kernel.module == __name__ and kernel.__qualname__ == "kernel"
    assert kernel.do_not_specialize == ["n"] and kernel.do_not_specialize_on_alignment == [0] and kernel.version == 7
    assert scale.do_not_specialize == [] and not kernel.is_gluon() and kernel.type == tl.constexpr_type(kernel)
    assert list(inspect.signature(kernel).parameters) == kernel.arg_names
    assert "FACTOR" in kernel.get_capture_scope() and kernel.repr(None) == f"{__name__}.kernel"


def test_texts():
    assert kernel.raw_src[0].startswith("@tilec.jit(do_not_specialize") and kernel.src.startswith("def kernel(x, n")
    lines = inspect.getsource(inspect.getmodule(kernel.fn)).splitlines()
    assert lines[kernel.starting_line_number - 1] == kernel.raw_src[0].rstrip("\n")
    assert isinstance(kernel.parse().body[0], ast.FunctionDef)


def test_keys(monkeypatch):
    assert kernel.hash in (None, kernel.cache_key)
    key = kernel.cache_key
    assert key == kernel.cache_key == kernel.hash and len(key) == 64 and key != scale.cache_key
    assert kernel.used_global_vals.keys() >= {("scale", id(globals())), ("FACTOR", id(globals()))}
    value, scope = kernel.used_global_vals["FACTOR", id(globals())]
    assert value == 3 and scope is globals()
    monkeypatch.setitem(globals(), "FACTOR", tl.constexpr(4))
    assert kernel.cache_key != key
    monkeypatch.undo()
    assert kernel.cache_key == key


def test_another_text():

    @tilec.jit
    def answer(x):
        tl.store(x, 41)

    x = np.zeros(1, np.int32)
    answer[(1, )](x)
    key = answer.cache_key
    answer._unsafe_update_src(answer.src.replace("41", "42"))
    answer[(1, )](x)
    assert x[0] == 42 and answer.cache_key != key and "42" in answer.src
    answer.hash = None
    answer[(1, )](x)
    assert x[0] == 42


def test_compiled_code(monkeypatch):
    fresh = tilec.jit(kernel.fn)
    assert not fresh.device_caches[0][0]
    x, compiled = launch(fresh)
    assert (x == 3 * np.arange(16)).all()
    launch(fresh, 15)
    assert list(fresh.device_caches[0][0].values())[0] is compiled and len(fresh.device_caches[0][0]) == 2
    assert fresh.device_caches[0][2].backend == "cuda"
    fresh.device_caches.clear()
    assert launch(fresh)[1] is compiled
    launch(fresh, num_warps=2)
    assert len(fresh.device_caches[0][0]) == 1
    monkeypatch.setitem(globals(), "FACTOR", tl.constexpr(5))
    x, changed = launch(fresh, num_warps=2)
    assert (x == 5 * np.arange(16)).all() and list(fresh.device_caches[0][0].values()) == [changed]


def test_functions_of_compile_time_are_methods():

    class Sizes:
        width = 3

        @tilec.constexpr_function
        def twice(self):
            return 2 * self.width

        kernel = scale

    assert Sizes().twice() == 6 and Sizes.twice(Sizes()) == 6 and Sizes().kernel is scale
