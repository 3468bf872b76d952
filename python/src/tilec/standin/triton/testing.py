# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec.testing, and what machines can do at most."""

from __future__ import annotations

import contextlib
import subprocess
from typing import Any, Sequence

from tilec.testing import Benchmark, Mark, assert_close, do_bench, do_bench_cudagraph, perf_report

#: Those that count a profiler's times of kernels alone; events of the GPU are near to that.
do_bench_proton, do_bench_cudagraph_proton = do_bench, do_bench_cudagraph


@contextlib.contextmanager
def cuda_graph_without_gc(*args: Any, **kwargs: Any):
    """`torch.cuda.graph`, without garbage collection while it captures."""
    import gc

    import torch

    was_enabled = gc.isenabled()
    gc.disable()
    try:
        with torch.cuda.graph(*args, **kwargs) as graph:
            yield graph
    finally:
        if was_enabled:
            gc.enable()


#: Operations of 16-bit floats that a multiprocessor does in a clock by tensor cores, by the compute capability, and
#: operations of fp32 and of fp16 that it does without.
_TENSOR_OPERATIONS = {70: 1024, 75: 1024, 80: 2048, 86: 1024, 87: 2048, 89: 1024, 90: 4096, 100: 8192, 103: 8192, 120: 1024}
_FLOAT_OPERATIONS = {70: (128, 256), 75: (128, 256), 80: (128, 512)}
_LATER_FLOAT_OPERATIONS = (256, 512)


def _properties(device: int | None) -> dict[str, int]:
    from .runtime import driver

    return driver.active.utils.get_device_properties(driver.active.get_current_device() if device is None else device)


def _arch(device: int | None) -> int:
    from .runtime import driver

    major, minor = driver.active.get_device_capability(device)
    return major * 10 + minor


def get_dram_gbps(device: int | None = None) -> float:
    """The bandwidth of the memory in GB/s; on the simulator that of an H100."""
    facts = _properties(device)
    if "mem_clock_rate" not in facts:
        raise RuntimeError("the clock of the GPU's memory is asked of torch, which is not imported")
    return facts["mem_clock_rate"] * facts["mem_bus_width"] * 2 / 8e6


def _tflops(operations: float, clock_rate: float, device: int | None) -> float:
    return _properties(device)["multiprocessor_count"] * operations * clock_rate * 1e-9


def get_max_tensorcore_tflops(dtype: Any, clock_rate: float, device: int | None = None) -> float:
    """The most that tensor cores do in TFLOPS, without sparsity; `clock_rate` is in kHz."""
    name = str(getattr(dtype, "name", dtype)).split(".")[-1]
    operations = _TENSOR_OPERATIONS.get(_arch(device), 2048)
    if name in ("float32", "fp32", "int32"):
        return _tflops(operations / 2, clock_rate, device)
    if name in ("float16", "fp16", "bfloat16", "bf16", "int16"):
        return _tflops(operations, clock_rate, device)
    if "8" in name:
        return _tflops(operations * 2, clock_rate, device)
    raise RuntimeError(f"tensor cores do not multiply {name}")


def get_max_simd_tflops(dtype: Any, clock_rate: float, device: int | None = None) -> float:
    """The most that is done without tensor cores in TFLOPS; `clock_rate` is in kHz."""
    name = str(getattr(dtype, "name", dtype)).split(".")[-1]
    full, half = _FLOAT_OPERATIONS.get(_arch(device), _LATER_FLOAT_OPERATIONS)
    if name in ("float32", "fp32"):
        return _tflops(full, clock_rate, device)
    if name in ("float16", "fp16", "bfloat16", "bf16"):
        return _tflops(half, clock_rate, device)
    raise RuntimeError(f"there is no rate for {name}")


def nvsmi(attrs: Sequence[str]) -> list[int]:
    """Numbers that nvidia-smi knows of the first GPU, such as `nvsmi(["clocks.current.sm"])`."""
    command = ["nvidia-smi", "-i", "0", f"--query-gpu={','.join(attrs)}", "--format=csv,noheader,nounits"]
    return [int(value) for value in subprocess.check_output(command, text=True).split(",")]


@contextlib.contextmanager
def set_gpu_clock(ref_sm_clock: int = 1350, ref_mem_clock: int = 1215):
    """Has the GPU run at clocks in MHz for a block; gives the most that it does then, in TFLOPS of fp16 and GB/s."""

    def smi(*options: str):
        subprocess.check_output(["nvidia-smi", "-i", "0", *options])

    smi("-pm", "1")
    try:
        smi(f"--lock-gpu-clocks={ref_sm_clock},{ref_sm_clock}")
        smi(f"--lock-memory-clocks={ref_mem_clock},{ref_mem_clock}")
        yield (get_max_tensorcore_tflops("float16", ref_sm_clock * 1e3),
               _properties(0).get("mem_bus_width", 0) * 2 * ref_mem_clock / 8e3)
    finally:
        for option in ("-rgc", "-rmc"):
            smi(option)
        smi("-pm", "0")


def cuda_memcheck(**_: Any):
    """A decorator of tests that does nothing: the simulator checks kernels, with tilec.check()."""
    return lambda function: function


__all__ = [
    "Benchmark", "Mark", "assert_close", "cuda_graph_without_gc", "cuda_memcheck", "do_bench", "do_bench_cudagraph",
    "do_bench_cudagraph_proton", "do_bench_proton", "get_dram_gbps", "get_max_simd_tflops", "get_max_tensorcore_tflops",
    "nvsmi", "perf_report", "set_gpu_clock",
]  # yapf: disable
