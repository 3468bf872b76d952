# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks in triton.knobs.runtime, where tilec runs the kernels."""

import json

import numpy as np
import pytest

import tilec
from tilec import _hooking

triton = pytest.importorskip("triton")
knobs = pytest.importorskip("triton.knobs")
import triton.language as tl  # noqa: E402


@pytest.fixture
def runtime():
    """triton.knobs.runtime while tilec is installed, with no hooks before and after."""
    tilec.settings.simulate = True
    tilec.install(fallback=False)
    yield knobs.runtime
    for chain in (knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook):
        chain.calls.clear()
    knobs.runtime.jit_cache_hook = knobs.runtime.jit_post_compile_hook = None
    tilec.uninstall()
    tilec.settings.simulate = False
    assert "Triton's hooks" not in _hooking._reasons


def make_kernel(**options):

    @triton.jit(**options)
    def plus(x, n, BLOCK: tl.constexpr = 16):
        o = tl.arange(0, BLOCK)
        tl.store(x + o, tl.load(x + o, mask=o < n) + 1, mask=o < n)

    return plus


def test_hooks_of_launches(runtime):
    seen = []
    plus = make_kernel(launch_metadata=lambda grid, metadata, arguments: {
        "grid": grid, "n": arguments["n"], "BLOCK": arguments["BLOCK"], "warps": metadata.num_warps})
    x = np.zeros(16, np.int32)
    plus[(1, )](x, 16)
    assert "Triton's hooks" not in _hooking._reasons
    runtime.launch_enter_hook.add(lambda metadata: seen.append(("enter", metadata.get(), x[0])))
    runtime.launch_exit_hook.add(lambda metadata: seen.append(("exit", metadata.get(), x[0])))
    plus[lambda meta: (meta["BLOCK"] // 8, 1)](x, 16, num_warps=2)
    assert [(what, value) for what, _, value in seen] == [("enter", 1), ("exit", x[0])]
    metadata = seen[0][1]
    assert metadata["name"] == "plus" and metadata["grid"] == (2, 1) and metadata["n"] == 16 and metadata["warps"] == 2
    assert metadata["BLOCK"] == 16 and "stream" in metadata
    runtime.launch_enter_hook.calls.clear()
    runtime.launch_exit_hook.calls.clear()
    plus[(1, )](x, 16)
    assert len(seen) == 2 and "Triton's hooks" not in _hooking._reasons


def test_functions_of_the_driver(runtime):
    seen = []
    runtime.launch_enter_hook.add(lambda metadata: seen.append(metadata.get()["function"]))
    plus = make_kernel()
    plus[(1, )](np.zeros(16, np.int32), 16)
    # The simulator has none.
    assert seen == [None]
    compiled = plus.device_caches[0][0].popitem()[1]
    assert compiled.is_loaded and compiled.function is None


def test_a_hook_that_is_a_function(runtime):
    before, seen = runtime.launch_enter_hook, []
    runtime.launch_enter_hook = lambda metadata: seen.append(metadata.get()["name"])
    try:
        make_kernel()[(1, )](np.zeros(16, np.int32), 16)
    finally:
        runtime.launch_enter_hook = before
    assert seen == ["plus"]


def test_hooks_of_compilations(runtime):
    calls = []
    plus = make_kernel()
    x = np.zeros(16, np.int32)
    plus[(1, )](x, 16)
    runtime.jit_cache_hook = lambda **information: calls.append(("before", information)) and None
    runtime.jit_post_compile_hook = lambda **information: calls.append(("after", information))
    plus[(1, )](x, 16)
    assert not calls  # It was compiled before.
    plus[(1, )](x, 15, num_warps=8)
    plus[(1, )](x, 14, num_warps=8)
    assert [call[0] for call in calls] == ["before", "after"]
    information = calls[0][1]
    assert information["fn"].name == plus.fn.__qualname__ and information["fn"].jit_function is plus
    assert not information["is_manual_warmup"] and not information["already_compiled"]
    compilation = information["compile"]
    assert compilation["num_warps"] == 8 and compilation["signature"]["x"] == "*i32"
    assert compilation["key"] == information["key"] and json.loads(compilation["specialization_data"])["name"]
    plus.warmup(x, 1, grid=(1, ))
    assert calls[2][1]["compile"]["is_warmup"]


def test_a_hook_that_wants_no_code(runtime):
    runtime.jit_cache_hook = lambda **information: True
    x = np.zeros(16, np.int32)
    assert make_kernel()[(1, )](x, 16) is None
    assert not x.any()


def test_preload(runtime):
    found = []
    runtime.jit_cache_hook = lambda **information: found.append(information["compile"]["specialization_data"]) and None
    x = np.zeros(32, np.int32)
    first = make_kernel()
    compiled = first[(1, )](x, 16, BLOCK=32, num_warps=8)
    second = make_kernel()
    loaded = second.preload(found[0])
    assert loaded.hash == compiled.hash and loaded.metadata.num_warps == 8
    assert second[(1, )](x, 16, BLOCK=32, num_warps=8) is loaded and len(found) == 1
    with pytest.raises(RuntimeError, match="Specialization data is for"):

        @triton.jit
        def other(x):
            pass

        other.preload(found[0])


def test_a_kernel_that_fails(runtime):
    left = []
    runtime.launch_exit_hook.add(left.append)
    with pytest.raises(tilec.KernelFault):
        make_kernel()[(1, )](np.zeros(8, np.int32), 16)
    assert len(left) == 1


def test_kernels_are_pickled(runtime):
    # Inductor's compile workers send functions back, with bound methods by name.
    from tilec import takeover

    kernel = make_kernel()
    for name in takeover._METHODS:
        assert getattr(kernel, name).__name__ == name
