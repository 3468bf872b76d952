# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled kernel: what launches and `warmup` return."""

from __future__ import annotations

import hashlib
import json
from types import SimpleNamespace

from . import _devices, _native

#: Names in `asm`, and the stages' numbers; Triton's names stand for the stages that are nearest.
_STAGES = {"ast": 1, "tile": 2, "tilegpu": 3, "llvm-mlir": 4, "llvm": 5, "ttir": 2, "ttgir": 3, "llir": 5}


class Stages(dict):
    """The stages of a kernel by name: `ptx` and `cubin`, which were made for the launch, and the others, for which it is
    compiled once more when they are asked for."""

    def __init__(self, kernel: CompiledKernel):
        super().__init__()
        self._kernel = kernel

    def __missing__(self, name: str):
        if name == "sass":
            value = self._disassemble()
        elif self._kernel._source is None:
            raise KeyError(f"{name}: a bundle has no source")
        elif name == "source":
            value = self._kernel._source.text
        elif name in _STAGES:
            value = self._kernel._compile_stage(_STAGES[name])
        else:
            raise KeyError(name)
        self[name] = value
        return value

    def _disassemble(self) -> str:
        import shutil
        import subprocess
        import tempfile

        tool = shutil.which("nvdisasm") or "/usr/local/cuda/bin/nvdisasm"
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(self["cubin"])
            file.flush()
            return subprocess.run([tool, "-c", file.name], check=True, capture_output=True, text=True).stdout


def _hash_of(source, options: dict, facts: dict) -> str:
    given = {name: options[name] for name in ("arguments", "constants", "max_registers", "flags") if name in options}
    origin = [source.text, source.modules] if source else []
    text = json.dumps([_native.build_id(), *origin, given, facts])
    return hashlib.sha256(text.encode()).hexdigest()


class CompiledKernel:
    """Code for one kind of arguments. `asm` has its stages, `metadata` what a launch needs. `source` is None for a kernel
    of a bundle."""

    def __init__(self, handle: int, source, options: dict, place: tuple[int, int, bool] | None):
        self._handle = handle
        self._source = source
        self._options = options
        self._place = place
        self._facts = json.loads(_native.kernel_metadata(handle))
        self.asm = Stages(self)
        ptx, cubin = _native.kernel_ptx(handle), _native.kernel_cubin(handle)
        if ptx:
            self.asm["ptx"] = ptx
        if cubin:
            self.asm["cubin"] = cubin
        facts = self._facts
        shared = facts.get("dynamicSharedBytes", 0) + facts.get("staticSharedBytes", 0)
        cluster = tuple(facts.get("cluster" + axis, 1) for axis in "XYZ")
        split = facts.get("splitK", 1)
        self.name = facts["name"]
        #: The same for the same code in all processes.
        self.hash = _hash_of(source, options, facts)
        self.is_loaded = False  #: whether Triton's hooks were told that it is
        self.function: int | None = None  #: the driver's function, once they were; None on the simulator
        self.metadata = SimpleNamespace(
            name=self.name, target=facts["target"], num_warps=facts.get("numWarps", 4),
            num_stages=facts.get("numStages", 1), num_ctas=cluster[0] // split, split_k=split, cluster_dims=cluster,
            shared=shared, hash=self.hash, global_scratch_size=0, global_scratch_align=1,
            arguments=facts.get("arguments", []))  # yapf: disable
        self._info = None

    @property
    def is_simulated(self) -> bool:
        """Whether its launches run on the simulator."""
        return self._place is not None and self._place[0] == _devices.CPU

    def __del__(self):
        destroy = getattr(_native, "kernel_destroy", None)
        if destroy is not None:
            destroy(self._handle)

    def __getitem__(self, grid):
        """Launches it: `compiled[grid](*args)`, with the arguments of the kernel that it was compiled from and the options
        that it was compiled with."""

        def launch(*args, stream=None, **kwargs):
            kernel, options = self._launches
            if stream is not None:
                raise ValueError("a launch is queued on the stream that is torch's current one: use torch.cuda.stream(...)")
            return kernel[grid](*args, **{**options, **kwargs})

        return launch

    def __repr__(self):
        return f"<tilec kernel '{self.name}' for {self.metadata.target}>"

    def _function_info(self) -> tuple[int, int, int]:
        if self._info is None:
            if self._place is None or self._place[0] != _devices.CUDA:
                self._info = (self._facts.get("registers", -1), max(self._facts.get("spillBytes", 0), 0), 0)
            else:
                self._info = _native.function_info(_devices.device(*self._place), self._handle)
        return self._info

    @property
    def n_regs(self) -> int:
        """Registers of a thread. On the simulator, which has none, the most that so many threads could have."""
        count = self._function_info()[0]
        return count if count >= 0 else min(255, 65536 // (32 * self.metadata.num_warps))

    @property
    def n_spills(self) -> int:
        """Registers of a thread that were spilled to local memory."""
        return max(self._function_info()[1], 0) // 4

    @property
    def n_max_threads(self) -> int:
        return 1024

    def _init_handles(self):
        """Triton's programs call this before they read n_regs."""

    def result(self):
        return self

    def _compile_stage(self, stage: int):
        launch = {"num_warps": self._facts.get("numWarps"), "num_stages": self._facts.get("numStages"),
                  "num_ctas": self.metadata.num_ctas, "split_k": self.metadata.split_k}
        options = {**self._options, **launch, "stop_after": max(stage, 2), "keep_stages": 1 << stage, "cache": None}
        handle, _ = _native.compile_text(self._source.name, self._source.text, options)
        try:
            return _native.kernel_stage(handle, stage)
        finally:
            _native.kernel_destroy(handle)
