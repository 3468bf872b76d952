# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measuring and comparing: `do_bench`, `do_bench_cudagraph`, `assert_close`, `perf_report`."""

from __future__ import annotations

import math
import statistics
import sys
import time

from . import _devices, _hooking, _native
from ._benchmarks import Benchmark, Mark, perf_report

__all__ = ["Benchmark", "Mark", "assert_close", "do_bench", "do_bench_cudagraph", "perf_report"]

_SUMMARIES = {"mean": statistics.mean, "median": statistics.median, "min": min, "max": max, "all": list}

#: What is written between runs, so that each begins with a cold L2 cache: more bytes than any GPU's cache has.
_FLUSHED_BYTES = 256 << 20


@_hooking.unrecorded()
def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """The time of `fn()` in milliseconds. With CUDA each run begins with a cold L2 cache and is timed by events of the
    GPU, through torch; otherwise by the clock.

    :param warmup: milliseconds to run before measuring
    :param rep: milliseconds to measure
    :param grad_to_none: tensors whose `grad` is dropped before each run
    :param quantiles: which quantiles of the times to return, instead of what `return_mode` says
    :param return_mode: "mean", "median", "min", "max" or "all"
    """
    _check_mode(return_mode)
    torch = _torch_with_cuda()
    measure = _measure_by_clock if torch is None else _EventTimer(torch)
    fn()
    _synchronize(torch)
    estimate = max(sum(measure(fn, 5, None)) / 5, 1e-6)
    for _ in range(max(1, int(warmup / estimate))):
        fn()
    return _summarize(measure(fn, max(1, int(rep / estimate)), grad_to_none), quantiles, return_mode)


@_hooking.unrecorded()
def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """The time of `fn()` in milliseconds, without what the host takes to launch: a CUDA graph holds as many runs as fit
    in `rep` milliseconds, and is replayed ten times. The L2 cache is warm. The parameters are those of `do_bench`."""
    _check_mode(return_mode)
    torch = _torch_with_cuda()
    if torch is None:
        raise RuntimeError("do_bench_cudagraph needs torch and a GPU")
    with torch.cuda.stream(torch.cuda.Stream()):
        fn()
        for tensor in grad_to_none or ():
            tensor.detach_()
            tensor.requires_grad_(True)
            tensor.grad = None
        estimate = _elapsed(torch, lambda: [fn() for _ in range(5)]) / 5
        count = max(1, int(rep / estimate)) if estimate > 0 else 1000
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(count):
                _drop_gradients(grad_to_none)
                fn()
        torch.cuda.synchronize()
        times = [_elapsed(torch, graph.replay) / count for _ in range(10)]
    return _summarize(times, quantiles, return_mode)


def _check_mode(return_mode: str):
    if return_mode not in _SUMMARIES:
        raise ValueError(f"return_mode is {return_mode!r}, expected one of {', '.join(_SUMMARIES)}")


def _torch_with_cuda():
    """torch, if the program uses it and it has a GPU."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and torch.cuda.is_available() else None


def _synchronize(torch):
    if torch is not None:
        torch.cuda.synchronize()
    else:
        for handle in _devices.opened_gpus():
            _native.device_synchronize(handle)


def _drop_gradients(tensors):
    for tensor in tensors or ():
        tensor.grad = None


def _measure_by_clock(fn, count: int, grad_to_none) -> list[float]:
    times = []
    for _ in range(count):
        _drop_gradients(grad_to_none)
        begin = time.perf_counter()
        fn()
        _synchronize(None)
        times.append((time.perf_counter() - begin) * 1e3)
    return times


class _EventTimer:
    """Measures runs with the GPU's events, all of them queued before the first is waited for."""

    def __init__(self, torch):
        self.torch = torch
        self.flushed = torch.empty(_FLUSHED_BYTES // 4, dtype=torch.int32, device="cuda")

    def __call__(self, fn, count: int, grad_to_none) -> list[float]:
        event = self.torch.cuda.Event
        pairs = [(event(enable_timing=True), event(enable_timing=True)) for _ in range(count)]
        for begin, end in pairs:
            _drop_gradients(grad_to_none)
            self.flushed.zero_()
            begin.record()
            fn()
            end.record()
        self.torch.cuda.synchronize()
        return [begin.elapsed_time(end) for begin, end in pairs]


def _elapsed(torch, run) -> float:
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    run()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end)


def _summarize(times: list[float], quantiles, return_mode: str):
    if quantiles is None:
        return _SUMMARIES[return_mode](times)
    values = [_quantile(sorted(times), q) for q in quantiles]
    return values[0] if len(values) == 1 else values


def _quantile(ordered: list[float], q: float) -> float:
    """A quantile, interpolated between the two times around it."""
    if not 0 <= q <= 1:
        raise ValueError(f"quantile {q} is not between 0 and 1")
    place = q * (len(ordered) - 1)
    low, high = math.floor(place), math.ceil(place)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Fails unless two tensors, arrays, lists or numbers are close: `abs(x - y) <= atol + rtol * abs(y)`. NaN is close
    to NaN. Tolerances may be functions of the element type of their tensor.

    :param atol: 0.01 unless it is given
    :param rtol: 0 unless it is given
    """
    import numpy

    x_dtype, y_dtype = getattr(x, "dtype", None), getattr(y, "dtype", None)
    dtype = x_dtype if x_dtype is not None else y_dtype
    atol = 1e-2 if atol is None else atol(dtype) if callable(atol) else atol
    rtol = 0.0 if rtol is None else rtol(dtype) if callable(rtol) else rtol
    numpy.testing.assert_allclose(_to_array(x), _to_array(y), atol=atol, rtol=rtol, equal_nan=True, err_msg=err_msg)


def _to_array(value):
    import numpy

    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if value.is_floating_point() and value.dtype.itemsize < 4:
            value = value.float()  # NumPy has no bfloat16.
        value = value.numpy()
    elif hasattr(value, "get") and hasattr(value, "__cuda_array_interface__"):
        value = value.get()
    array = numpy.asarray(value)
    return array if array.dtype.kind in "biufc" else array.astype(numpy.float32)
