# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `pytest -p tilec.check` does: every launch on the simulator is checked, those of @triton.jit kernels, too; the
report has what was found and how many launches there were.

Kernels whose tensors are in the host's memory run on the simulator, also where there is a GPU. Those on tensors of a GPU run
there and are not checked, or with --tilec-device=sim on the simulator, on copies.
"""

from __future__ import annotations

import functools
import importlib.util

import pytest

from . import _devices, _hooking, _report
from ._devices import settings
from .errors import KernelFault


class Plugin:
    """The hooks of one run of pytest."""

    def __init__(self, config, device: str):
        self._config = config
        self._device = device
        self._before = settings.check, settings.simulate
        self._missing = ""
        self._undo: list = []
        #: What the processes of pytest-xdist ran.
        self._others: list[dict] = []
        settings.check = settings.simulate = True
        _hooking.on_host_copies = device == "sim"
        _hooking.set_hooked("pytest", True)
        try:
            import tilec

            tilec.install()
        except ImportError as error:
            self._missing = f"; kernels of @triton.jit are not taken over: {error}"
        if device == "sim" and _devices.count() == 0 and importlib.util.find_spec("torch"):
            self._use_cpu_for_cuda()

    def _use_cpu_for_cuda(self):
        import torch

        from ._torch_devices import REPLACED, CudaIsCpu

        mode = CudaIsCpu()
        mode.__enter__()
        self._undo.append(lambda: mode.__exit__(None, None, None))
        for name, function in REPLACED.items():
            self._undo.append(functools.partial(setattr, torch.cuda, name, getattr(torch.cuda, name)))
            setattr(torch.cuda, name, function)

    @pytest.fixture(scope="session")
    def tilec_device(self) -> str:
        """Where tests make their tensors: "cuda" where there is a GPU and kernels are to run on it, else "cpu"."""
        return "cuda" if self._device != "sim" and _devices.count() > 0 else "cpu"

    def pytest_report_header(self):
        place = ", where all run," if self._device == "sim" else ""
        return f"tilec: launches on the simulator{place} are checked{self._missing}"

    # As old versions of pytest know it, too.
    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = (yield).get_result()
        for fault in _faults(call.excinfo.value if call.excinfo else None):
            text = "\n".join(finding.describe() for finding in fault.findings)
            report.sections.append(("tilec findings", text or str(fault)))

    def pytest_sessionfinish(self, session):
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output["tilec"] = _counts()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node, error):
        counts = getattr(node, "workeroutput", {}).get("tilec")
        if counts:
            self._others.append(counts)

    def pytest_terminal_summary(self, terminalreporter):
        counts = [_counts(), *self._others]
        terminalreporter.section("tilec")
        terminalreporter.write_line(_summary(counts))
        on_gpus = sum(count["on_gpus"] for count in counts)
        if on_gpus:
            terminalreporter.write_line(f"warning: {on_gpus} launches ran on a GPU, where nothing is checked: "
                                        "--tilec-device=sim has them run on the simulator", yellow=True)

    def pytest_unconfigure(self):
        settings.check, settings.simulate = self._before
        _hooking.on_host_copies = False
        for undo in reversed(self._undo):
            undo()
        self._undo.clear()
        if not self._missing:
            import tilec

            tilec.uninstall()


def _faults(error: BaseException | None) -> list[KernelFault]:
    """The faults that an exception is or came from."""
    faults: list[KernelFault] = []
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, KernelFault):
            faults.append(error)
        error = error.__cause__ or error.__context__
    return faults


def _counts() -> dict:
    launches = _report.launches
    return {
        "total": launches.total, "checked": launches.checked, "on_gpus": launches.on_gpus,
        "kernels": sorted(launches.kernels), "checked_kernels": sorted(launches.checked_kernels),
    }  # yapf: disable


def _summary(counts: list[dict]) -> str:
    total, checked = (sum(count[name] for count in counts) for name in ("total", "checked"))
    kernels, checked_kernels = ({kernel for count in counts for kernel in count[name]}
                                for name in ("kernels", "checked_kernels"))
    if total == 0:
        return "no kernel was launched by tilec"
    text = f"{checked} of {total} launches checked, {len(checked_kernels)} of {len(kernels)} kernels"
    missed = sorted(kernels - checked_kernels)
    return text + (f"\nnot checked: {', '.join(missed)}" if missed else "")
