# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec.timeline: what the warps of launches do, which compute what they compute without."""

import json
import threading

import numpy as np
import pytest

import tilec
import tilec.language as tl

try:
    import torch
except ImportError:
    torch = None

needs_gpu = pytest.mark.skipif(torch is None or not torch.cuda.is_available(), reason="needs torch and a GPU")


@tilec.jit
def scale(x, y, n, factor, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + o, tl.load(x + o, mask=o < n) * factor, mask=o < n)


@tilec.jit
def count(x):
    tl.atomic_add(x, 1.0)


@tilec.jit
def say(n):
    tl.device_print("value", n)


@tilec.jit
def multiply(a, b, c, K, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, K, BLOCK):
        left = tl.load(a + o[:, None] * K + k + o[None, :])
        right = tl.load(b + (k + o[:, None]) * BLOCK + o[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + o[:, None] * BLOCK + o[None, :], total)


def make(n):
    return np.arange(n, dtype=np.float32), np.zeros(n, np.float32)


def spans_of(timeline):
    """The spans of trace events: their kinds."""
    return [event["cat"] for event in json.loads(timeline.json())["traceEvents"] if event["ph"] == "X"]


def test_launches_are_recorded(tensor):
    x, y = make(1000)
    with tilec.timeline() as recorded:
        compiled = scale[(8, )](tensor(x), tensor(y), 1000, 2.5, BLOCK=128)
        scale[(2, )](tensor(x), tensor(y), 256, 2.5, BLOCK=128)
    np.testing.assert_array_equal(y, x * np.float32(2.5))
    assert compiled is scale[(8, )](tensor(x), tensor(y), 1000, 2.5, BLOCK=128), "the kernel is what it is without"
    assert len(recorded) == 2 and [timeline.kernel for timeline in recorded] == ["scale", "scale"]
    first, second = recorded
    assert first.warps == 16 and second.warps == 8 and first.dropped_marks == 0
    assert first.spans == len([kind for kind in spans_of(first) if kind in ("load", "store")]) == 32
    # Lengths of the simulator are none.
    assert first.is_simulated and first.waits == {}
    assert str(first) == "kernel 'scale': 16 warps, 32 spans"
    assert repr(second) == "<timeline of 'scale': 8 warps, 16 spans>" and repr(recorded[:1]) == f"[{first!r}]"
    assert "test_timeline.py" in first.json()


def test_a_launch_is_made_once():
    x = np.zeros(1, np.float32)
    with tilec.timeline() as recorded:
        count[(10, )](x)
        count[(10, )](x)
    count[(10, )](x)
    assert x[0] == 30 and len(recorded) == 2


def test_dots_compute_the_same(rng):
    a, b = (rng.standard_normal((64, 64)).astype(np.float16) for _ in range(2))
    plain, marked = (np.zeros((32, 32), np.float32) for _ in range(2))
    a, b = a[:32].copy(), b[:, :32].copy()
    multiply[(1, )](a, b, plain, 64, BLOCK=32)
    with tilec.timeline(ctas=0) as recorded:
        multiply[(1, )](a, b, marked, 64, BLOCK=32)
    np.testing.assert_array_equal(plain, marked)
    assert {"dot", "iteration", "store"} <= set(spans_of(recorded[0]))


def test_files(tmp_path):
    x, y = make(128)
    with tilec.timeline() as recorded:
        scale[(1, )](x, y, 128, 1.0, BLOCK=128)
    timeline, = recorded
    timeline.save(tmp_path / "a.json")
    assert (tmp_path / "a.json").read_text() == timeline.json()
    timeline.save(str(tmp_path / "a.svg"))
    assert (tmp_path / "a.svg").read_text() == timeline.svg() == timeline._repr_svg_()
    assert "Timeline of scale" in timeline.svg()
    with pytest.raises(ValueError, match="as .json or .svg, got '.*a.png'"):
        timeline.save(tmp_path / "a.png")
    with pytest.raises(FileNotFoundError):
        timeline.save(tmp_path / "nowhere" / "a.svg")


def test_ctas_and_marks():
    x, y = make(1024)
    with tilec.timeline(ctas=range(5, 7)) as recorded:
        scale[(8, )](x, y, 1024, 1.0, BLOCK=128)
    events = json.loads(recorded[0].json())["traceEvents"]
    assert {event["pid"] for event in events} == {5, 6} and recorded[0].warps == 8
    with tilec.timeline(ctas=7, marks=3) as recorded:
        with pytest.warns(tilec.TilecWarning, match="4 marks of kernel 'scale' found"):
            scale[(8, )](x, y, 1024, 1.0, BLOCK=128)
    assert recorded[0].warps == 4 and recorded[0].dropped_marks == 4
    assert str(recorded[0]).endswith("; 4 marks found no room")
    # A launch that has none of the CTAs is not made.
    y[:] = 0
    with tilec.timeline(ctas=8), pytest.raises(ValueError, match="the timeline begins with CTA 8, the grid has 8"):
        scale[(8, )](x, y, 1024, 1.0, BLOCK=128)
    assert not y.any()


@pytest.mark.parametrize("options, message", [
    ({"ctas": -1}, "ctas is the number of a CTA"),
    ({"ctas": range(0)}, "ctas is the number of a CTA"),
    ({"ctas": range(0, 8, 2)}, "a range of at most 1024 of them, got range"),
    ({"ctas": range(1025)}, "a range of at most 1024"),
    ({"marks": 1}, "marks is 1, expected 2 to 1048576"),
])
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        tilec.timeline(**options)
    with pytest.raises(TypeError):
        tilec.timeline(**{name: "0-3" for name in options})


def test_one_kernel():
    x, y = make(256)
    total = np.zeros(1, np.float32)
    tuned = tilec.heuristics({"BLOCK": lambda known: 128})(scale)
    for wanted in (count, "count", scale, tuned, "scale", "other"):
        with tilec.timeline(wanted) as recorded:
            count[(2, )](total)
            scale[(2, )](x, y, 256, 1.0, BLOCK=128)
        name = wanted if isinstance(wanted, str) else wanted.__name__
        assert [timeline.kernel for timeline in recorded] == ([] if name == "other" else [name])
    with pytest.raises(TypeError, match="is no kernel of tilec"):
        tilec.timeline(make)


def test_tuned_kernels(monkeypatch):
    launches = []
    config = tilec.Config({"BLOCK": 128}, pre_hook=lambda known: launches.append(known["BLOCK"]))
    tuned = tilec.autotune([config], key=["n"])(scale)
    x, y = make(256)
    with tilec.timeline(tuned) as recorded:
        tuned[(2, )](x, y, 256, 1.0)
    assert len(recorded) == 1 and launches == [128]
    # Trials are no launches that anybody asked for.
    tuned = tilec.autotune([tilec.Config({"BLOCK": 128}), tilec.Config({"BLOCK": 256})], key=["n"],
                           do_bench=lambda call, quantiles: (call(), [1.0, 1.0, 1.0])[1])(scale)
    monkeypatch.setattr("tilec.tuner._is_simulated", lambda values: False)
    with tilec.timeline() as recorded:
        tuned[lambda meta: (256 // meta["BLOCK"], )](x, y, 256, 1.0)
    assert len(recorded) == 1 and len(tuned.configs_timings) == 2


def test_other_threads_and_other_blocks():
    total = np.zeros(1, np.float32)
    with tilec.timeline() as recorded:
        thread = threading.Thread(target=lambda: count[(1, )](total))
        thread.start()
        thread.join()
        with pytest.raises(RuntimeError, match="one block at a time"):
            tilec.timeline().__enter__()
    count[(1, )](total)
    with tilec.timeline() as after:
        count[(1, )](total)
    assert len(recorded) == len(after) == 1 and total[0] == 3


def test_empty_grids_and_failures():
    x, y = make(128)
    with tilec.timeline() as recorded:
        assert scale[(0, )](x, y, 128, 1.0, BLOCK=128) is None
        with pytest.raises(tilec.KernelFault, match="out-of-bounds"):
            scale[(2, )](x, y, 256, 1.0, BLOCK=128)
        with pytest.raises(tilec.CompilationError):
            scale[(1, )](x, y, 128, 1.0, BLOCK="a")
    assert len(recorded) == 0


def test_measured_launches_are_not_recorded():
    total = np.zeros(1, np.float32)
    with tilec.timeline() as recorded:
        tilec.testing.do_bench(lambda: count[(1, )](total), warmup=1, rep=1)
        count[(1, )](total)
    assert len(recorded) == 1 and total[0] > 2


def test_what_kernels_print(capsys, monkeypatch):
    # Without a tensor a kernel runs on a GPU where there is one, whose lines the driver writes.
    monkeypatch.setattr(tilec.settings, "simulate", True)
    with tilec.timeline() as recorded:
        say[(2, )](7)
    assert capsys.readouterr().out.count("value: 7\n") == 2 and len(recorded) == 1


def test_checked_launches():
    x, y = make(256)
    with tilec.check(), tilec.timeline() as recorded:
        scale[(2, )](x, y, 256, 3.0, BLOCK=128)
    np.testing.assert_array_equal(y, 3 * x)
    assert recorded[0].spans == 16


def test_functions_of_triton():
    # Of Triton's own, or of what stands in for it.
    tilec.install()
    try:
        import triton

        function = triton.jit(scale.fn)
        if hasattr(triton, "__tilec_standin__"):
            x, y = make(256)
        elif torch is not None and torch.cuda.is_available():
            # Triton's own functions take tensors.
            x, y = (torch.from_numpy(array).cuda() for array in make(256))
        else:
            pytest.skip("Triton's own functions need a GPU")
        with tilec.timeline(function) as recorded:
            function[(2, )](x, y, 256, 2.0, BLOCK=128)
        assert len(recorded) == 1
        np.testing.assert_array_equal(np.asarray(y.tolist()), 2 * np.asarray(x.tolist()))
    finally:
        tilec.uninstall()


def test_kernels_of_bundles(build_fill):
    x = np.zeros(1000, np.float32)
    for keeps in ([], ["--keep-sources"]):
        ops = build_fill(*keeps)
        with tilec.timeline(ops.fill) as recorded:
            if not keeps:
                with pytest.raises(ValueError, match="the source of kernel 'fill' is not known"):
                    ops.fill(x, 1000)
                assert not x.any()
                continue
            ops.fill(x, 0)
            ops.fill(x, 1000)
        assert x.all() and len(recorded) == 1 and recorded[0].warps == 16


@needs_gpu
def test_on_a_gpu():
    a, b = (torch.randn(shape, device="cuda", dtype=torch.float16) for shape in ((64, 4096), (4096, 64)))
    plain, marked = (torch.zeros(64, 64, device="cuda") for _ in range(2))
    multiply[(1, )](a, b, plain, 4096, BLOCK=64)
    with tilec.timeline() as recorded, torch.cuda.stream(torch.cuda.Stream()):
        for _ in range(2):
            multiply[(1, )](a, b, marked, 4096, BLOCK=64)
    assert torch.equal(plain, marked)
    timeline = recorded[-1]
    assert not timeline.is_simulated and timeline.waits and "%" in str(timeline)
    assert all(0 <= share <= 1 for shares in timeline.waits.values() for share in shares.values())
    assert {"dot", "iteration"} <= set(spans_of(timeline))
    # A graph runs later.
    graph = torch.cuda.CUDAGraph()
    with tilec.timeline(), torch.cuda.graph(graph):
        with pytest.raises(ValueError, match="recorded for a graph"):
            multiply[(1, )](a, b, marked, 4096, BLOCK=64)
