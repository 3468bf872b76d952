# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec.explain: reports on launches that are not made."""

import importlib.util
import json
import os
import warnings
from pathlib import Path

import numpy as np
import pytest

import tilec
import tilec.language as tl


@tilec.jit
def scale(x, y, n, factor, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + o, tl.load(x + o, mask=o < n) * factor, mask=o < n)


@tilec.jit
def increment(x, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(x + o, tl.load(x + o) + 1)


@tilec.jit
def follow(table, y, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    x = tl.load(table).to(tl.pointer_type(tl.float32))
    tl.store(y + o, tl.load(x + o))


LIMIT = 2.0


@tilec.jit
def grow(v, FACTOR: tl.constexpr):
    return v * FACTOR + LIMIT


@tilec.jit
def apply(x, y, n, FN: tl.constexpr, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + o, mask=o < n)
    tl.store(y + o, grow(v, 2) + FN(v, 3), mask=o < n)


# What test/tools/Inputs/triton has, in another file and at other lines.
@tilec.jit
def add_masked(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


FOLDER = Path(__file__).parents[2] / "test/tools/Inputs/triton/add_masked"


def make(n):
    return np.arange(n, dtype=np.float32), np.zeros(n, np.float32)


def test_a_launch_is_explained(tensor):
    x, y = map(tensor, make(10000))
    explanation = tilec.explain(scale, (tilec.cdiv(10000, 1024), ), x, y, 10000, 2.5, BLOCK=1024)
    data = explanation.data
    assert data["kernel"]["name"] == "scale" and data["gpu"]["name"] == "NVIDIA H200"
    assert data["launch"]["grid"] == [10, 1, 1]
    arguments = {argument["name"]: argument for argument in data["launch"]["arguments"]}
    assert arguments["x"]["bytes"] == 40000 and arguments["x"]["dtype"] == "f32"
    assert arguments["n"]["value"] == "10000" and arguments["factor"]["value"] == "2.5"
    assert data["launch"]["constants"] == [{"name": "BLOCK", "value": "1024"}]
    # In sectors of 32 bytes; NumPy's memory begins within one.
    assert all(40000 <= size <= 40032 for size in data["totals"]["footprint"].values())
    assert data["files"][0]["name"].endswith("test_explain.py") and not data["findings"]
    assert data["verdict"]["bound"] in explanation.text and str(explanation) == explanation.text
    assert json.loads(explanation.json()) == data
    assert "bound by" in repr(explanation)
    # Nothing was launched.
    assert not np.asarray(y).any()


def test_memory_keeps_its_contents():
    x = np.arange(256, dtype=np.float32)
    assert not tilec.explain(increment, (1, ), x, BLOCK=256).data["findings"]
    np.testing.assert_array_equal(x, np.arange(256, dtype=np.float32))
    on_device = tilec.to_device(x)
    assert not tilec.explain(increment, (1, ), on_device, BLOCK=256).data["findings"]
    np.testing.assert_array_equal(tilec.to_host(on_device), x)


def test_grid_of_the_arguments_and_launch_options():
    x, y = make(4096)
    explanation = tilec.explain(scale, lambda meta: (tilec.cdiv(4096, meta["BLOCK"]), ), x, y, 4096, 1.0, BLOCK=512,
                                num_warps=8)
    assert explanation.data["launch"]["grid"] == [8, 1, 1] and explanation.data["launch"]["threadsPerCta"] == 256


def test_other_gpus_and_timelines():
    x, y = make(4096)
    data = tilec.explain(scale, (4, ), x, y, 4096, 1.0, BLOCK=1024, gpu="a100", timeline=True, all_programs=True).data
    assert data["kernel"]["target"] == "sm_80" and data["timeline"]["warps"]
    with pytest.raises(ValueError, match="unknown GPU 'voodoo'"):
        tilec.explain(scale, (4, ), x, y, 4096, 1.0, BLOCK=1024, gpu="voodoo")


def test_two_launches_side_by_side():
    x, y = make(65536)
    few, many = (tilec.explain(scale, (tilec.cdiv(65536, block), ), x, y, 65536, 1.0, BLOCK=block) for block in (64, 1024))
    both = few.against(many)
    assert both.data["against"] == many.data and few.data["against"] is None
    assert "against   scale: BLOCK=1024" in both.text


def test_functions_that_a_kernel_calls():
    x, y = make(1024)
    data = tilec.explain(apply, (1, ), x, y, 1024, grow, BLOCK=1024).data
    functions = {frame["function"] for call in data["calls"] for frame in call["stack"]}
    assert not data["findings"] and {"apply", "grow"} <= functions


def test_beside_what_triton_has_compiled():
    x, y = make(10000)
    explanation = tilec.explain(add_masked, (10, ), x, x, y, 10000, BLOCK=1024, against=FOLDER)
    other = explanation.data["against"]
    assert other["compiler"] == "triton" and other["version"] == "3.6.0" and "Triton 3.6.0" in explanation.text
    assert other["time"]["predicted"] is None and other["totals"] is None
    with pytest.raises(tilec.CompilationError, match="has code for sm_90, the report is for sm_80"):
        tilec.explain(add_masked, (10, ), x, x, y, 10000, BLOCK=1024, against=FOLDER, gpu="A100")
    with pytest.raises(tilec.CompilationError, match="cannot read '/nowhere'"):
        tilec.explain(add_masked, (10, ), x, x, y, 10000, BLOCK=1024, against="/nowhere")
    with pytest.raises(TypeError, match="has no function that Triton could compile"):
        tilec.explain("launches/add", against="triton")


def has_triton():
    return importlib.util.find_spec("triton") is not None


@pytest.mark.skipif(has_triton(), reason="Triton is there")
def test_without_triton():
    x, y = make(1024)
    with pytest.raises(tilec.Unavailable, match="Triton cannot be imported, which 'against' asks for"):
        tilec.explain(add_masked, (1, ), x, x, y, 1024, BLOCK=1024, against="triton")


@pytest.mark.skipif(not has_triton(), reason="no Triton")
def test_triton_compiles_the_same_text(tensor):
    x, y = map(tensor, make(1024))
    for kernel, more in ((add_masked, (x, y)), (apply, (y, ))):
        given = (1024, ) if kernel is add_masked else (1024, grow)
        explanation = tilec.explain(kernel, (1, ), x, *more, *given, BLOCK=1024, num_warps=8, against="triton")
        data = explanation.data
        assert data["against"]["kernel"]["options"]["numWarps"] == "8"
        assert {stage["name"] for stage in data["against"]["stages"]} >= {"ttir", "ttgir", "llvm", "ptx"}
        assert data["files"][0]["name"] == data["against"]["files"][0]["name"]
    assert tilec.explain(add_masked, (1, ), x, x, y, 1024, BLOCK=1024, gpu="A100",
                         against="triton").data["against"]["kernel"]["target"] == "sm_80"
    broken = tilec.jit(scale.fn)
    with pytest.raises(tilec.CompilationError, match="does not compile kernel 'scale'"):
        tilec.explain(broken, (1, ), x, y, 1024, 1.0, BLOCK=1000, against="triton")


def test_reports_are_saved(tmp_path):
    x, y = make(1024)
    explanation = tilec.explain(scale, (1, ), x, y, 1024, 1.0, BLOCK=1024)
    explanation.save(tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text()) == explanation.data
    explanation.save(str(tmp_path / "a.txt"))
    assert (tmp_path / "a.txt").read_text() == explanation.text
    explanation.save(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    with pytest.raises(ValueError, match="as .html, .json or .txt"):
        explanation.save(tmp_path / "a.pdf")


def test_tuned_kernels_and_heuristics():
    tuned = tilec.autotune([tilec.Config({"BLOCK": 256}, num_warps=2), tilec.Config({"BLOCK": 512}, num_warps=4)],
                           key=["n"])(scale)
    x, y = make(4096)
    data = tilec.explain(tuned, lambda meta: (4096 // meta["BLOCK"], ), x, y, 4096, 1.0).data
    assert data["launch"]["grid"] == [16, 1, 1] and data["launch"]["threadsPerCta"] == 64
    computed = tilec.heuristics({"BLOCK": lambda known: known["n"] // 4})(scale)
    data = tilec.explain(computed, (4, ), x, y, 4096, 1.0).data
    assert data["launch"]["constants"] == [{"name": "BLOCK", "value": "1024"}]


def test_addresses_in_memory():
    x, y = make(256)
    table = np.array([x.ctypes.data], np.int64)
    data = tilec.explain(follow, (1, ), table, y, BLOCK=256).data
    # The array itself is no argument: nothing else tells the simulator of it.
    assert {finding["kind"] for finding in data["findings"]} == {"out-of-bounds"}
    assert not y.any()


def test_faults_are_findings():
    x, y = make(1000)
    data = tilec.explain(scale, (1, ), x, y, 1024, 1.0, BLOCK=1024).data
    assert {finding["kind"] for finding in data["findings"]} == {"out-of-bounds"}


def test_saved_launches(tmp_path):
    with pytest.raises(TypeError, match="has its grid"):
        tilec.explain(tmp_path, (1, ))
    with pytest.raises(tilec.CompilationError, match="cannot read"):
        tilec.explain(tmp_path / "nowhere")
    folder = os.environ.get("TILEC_TEST_SAVED_LAUNCH")
    if not folder:
        pytest.skip("TILEC_TEST_SAVED_LAUNCH has none")
    data = tilec.explain(folder).data
    assert data["kernel"]["name"] == "beyond" and data["findings"]


def test_kernels_of_bundles(build_fill):
    x = np.zeros(1000, np.float32)
    for keeps in ([], ["--keep-sources"]):
        ops = build_fill(*keeps)
        if not keeps:
            with pytest.raises(ValueError, match="the source of kernel 'fill' is not known"):
                tilec.explain(ops.fill, ..., x, 1000)
            continue
        data = tilec.explain(ops.fill, ..., x, 1000).data
        assert data["kernel"]["name"] == "fill" and data["launch"]["grid"] == [4, 1, 1]
        assert tilec.explain(ops.fill, (8, ), x, 1000).data["launch"]["grid"] == [8, 1, 1]
    assert not x.any()


def test_a_gpu_measures_or_a_warning_says_why_not(tensor):
    x, y = map(tensor, make(10000))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        data = tilec.explain(scale, (10, ), x, y, 10000, 2.5, BLOCK=1024, device="cuda").data
    missing = [str(warning.message) for warning in seen if issubclass(warning.category, tilec.TilecWarning)]
    if data["time"]["measured"] is None:
        assert len(missing) == 1 and missing[0].startswith("no time and no samples of a GPU: ")
        assert data["samples"]["absent"] in missing[0] and data["gpu"]["name"] == "NVIDIA H200"
    else:
        assert data["kernel"]["device"] == "cuda" and data["time"]["measured"] > 0 and data["time"]["measuredWarm"] > 0
        assert bool(missing) == ("absent" in data["samples"])
    assert not np.asarray(y.cpu() if hasattr(y, "cpu") else y).any()


def test_memory_with_addresses_stays_off_the_gpu():
    x, y = make(1024)
    table = np.array([x.ctypes.data], np.int64)
    with pytest.warns(tilec.TilecWarning, match="no time and no samples of a GPU"):
        data = tilec.explain(follow, (1, ), table, y, BLOCK=32, device="cuda").data
    assert data["time"]["measured"] is None


def test_what_cannot_be_explained():
    x, y = make(1024)
    with pytest.raises(TypeError, match="needs the grid"):
        tilec.explain(scale)
    with pytest.raises(TypeError, match="is no kernel of tilec"):
        tilec.explain(make, (1, ))
    with pytest.raises(TypeError, match="missing"):
        tilec.explain(scale, (1, ), x, y)
    with pytest.raises(ValueError, match="grid"):
        tilec.explain(scale, (0, ), x, y, 1024, 1.0, BLOCK=1024)
    with pytest.raises(tilec.CompilationError):
        tilec.explain(scale, (1, ), x, y, 1024, 1.0, BLOCK="a")
    with pytest.raises(ValueError, match="'gpu' and 'device' exclude each other"):
        tilec.explain(scale, (1, ), x, y, 1024, 1.0, BLOCK=1024, gpu="A100", device="cuda")
    with pytest.raises(ValueError, match="there is no GPU 'tpu': expected 'cuda' or 'cuda:N'"):
        tilec.explain(scale, (1, ), x, y, 1024, 1.0, BLOCK=1024, device="tpu")
