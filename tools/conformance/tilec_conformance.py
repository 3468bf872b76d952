# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs tests of Triton's through tilec and sorts their outcomes: a pytest plug-in (docs/conformance.md).

    python -m pytest -p tilec_conformance --rootdir TESTS TESTS/unit/language --device cuda --conformance out.json

run.sh beside this file does all of it. Sorted are: passed, one-cta (passed, and a launch asked for clusters of CTAs, where
tilec has one), skipped (by the test), wording (refused as Triton does, with another message), accepted (Triton refuses
it), refused (Triton accepts it), wrong (another result), fault (the simulator found one in the kernel), error (neither:
the test itself fails), slow (stopped at the limit of time) and crash (the process ended).

Assertions about a stage's text do not end a test (text_assertions.py): when everything else of it has passed and one of
them does not hold, it is ptx or ir, for PTX or for Triton's own stages.
"""

from __future__ import annotations

import ast
import builtins
import collections
import datetime
import json
import os
import sys
import time
import zlib

import pytest

import tilec
import text_assertions
from tilec import _compiled

#: Tests with another result, and what they are: what they compare is text, or no fault of a kernel.
EXPLAINED = {
    # tilec calls functions that are not to be inlined with all arguments.
    "test_call[1-noinline]": "accepted",
    # A file of Triton's own passes.
    "test_triton_reproducer_path": "ir",
    # The loop of one iteration has no instruction left.
    "test_line_info[autotune]": "ptx",
    # tilec knows the value that Triton does not take from there.
    "test_constexpr_annotated_global_var_access": "accepted",
    # A warning of Triton's about a type that has gone.
    "test_fp8_support[dtype4]": "wording",
    # The type of a block is int32[128], not int32[constexpr[128]].
    "test_print[static_print-int32]": "wording",
    # A program prints a scalar once, not once for each of its threads.
    **{f"test_print[{name}]": "wording"
       for name in ("no_arg_print-int32", "print_no_arg-int32",
                    *(f"device_print_scalar-{type}" for type in ("int8", "uint8", "int16", "int32", "long", "float16",
                                                                 "float32", "float64")))},
}

#: Of the test that runs now: its assertions about text that do not hold, what tilec has refused in it, and whether a
#: launch of it asked for clusters that its kernel does not have.
_mismatches: list[tuple[tuple, str]] = []
_refusals: list[str] = []
_clusters: list[int] = []
_config = None
#: What is about text in the files of tests, by path.
_texts: dict[str, text_assertions.Texts] = {}


def pytest_addoption(parser):
    parser.addoption("--conformance", action="store", default=None, help="the file for the outcomes")
    parser.addoption("--conformance-sample", type=int, default=1, metavar="N",
                     help="of each N tests one, which is the same in each run")


def pytest_configure(config):
    global _config
    _config = config
    tilec.install(fallback=False)
    _record_texts()
    _record_refusals()
    _record_clusters()
    _stand_in_for_gpu()


def _record_texts():
    """Has the assertions of tests about text recorded, when pytest loads a file."""
    from _pytest.assertion import rewrite

    rewrite_asserts = rewrite.rewrite_asserts

    def transformed(tree: ast.Module, source, path=None, config=None):
        _texts[str(path)] = text_assertions.transform(tree)
        rewrite_asserts(tree, source, path, config)

    rewrite.rewrite_asserts = transformed
    # pytest keeps what it has compiled beside a file: neither is to take the other's.
    rewrite._read_pyc = lambda *_args, **_kwargs: None
    sys.dont_write_bytecode = True

    def record(test, stages: tuple, line: int, text: str):
        try:
            holds = bool(test())
        except Exception as error:
            holds, text = False, f"{type(error).__name__}: {error} in {text}"
        if not holds:
            _mismatches.append((stages, f"line {line}: {text}"))

    setattr(builtins, text_assertions.RECORD, record)


def _record_refusals():
    make_error = tilec.errors.make_error

    def recorded(status, message, findings=None):
        _refusals.append(message)
        return make_error(status, message, findings)

    tilec.errors.make_error = recorded


def _record_clusters():
    """Notes launches and compilations that ask for more than one CTA for a program and get one."""
    from triton.runtime.jit import JITFunction

    run, getitem = JITFunction.run, JITFunction.__getitem__

    def note(options: dict, kernel):
        made = getattr(getattr(kernel, "metadata", None), "num_ctas", 1)
        if (options.get("num_ctas") or 1) > 1 and made == 1:
            _clusters.append(options["num_ctas"])
        return kernel

    def noted_run(self, *args, **kwargs):
        return note(kwargs, run(self, *args, **kwargs))

    def noted_getitem(self, grid):
        launch = getitem(self, grid)

        def noted_launch(*args, **kwargs):
            return note(kwargs, launch(*args, **kwargs))

        return noted_launch

    JITFunction.run, JITFunction.__getitem__ = noted_run, noted_getitem


def _has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()


def _stand_in_for_gpu():
    """Without a GPU, what the tests ask torch about it has the answers of the processor that is simulated. A kernel has no
    PTX then, which is not to end a test."""
    import torch

    if not _has_gpu():
        missing = _compiled.Stages.__missing__
        _compiled.Stages.__missing__ = lambda stages, name: "" if name == "ptx" else missing(stages, name)
        torch.cuda.get_device_capability = lambda *_: (9, 0)
        torch.cuda.synchronize = lambda *_: None
        torch.cuda.get_device_name = lambda *_: "simulator"
        torch.cpu.current_device = lambda: 0


def pytest_collection_modifyitems(config, items):
    every = config.getoption("--conformance-sample")
    if every > 1:
        # Of files by themselves: a test is taken whatever the others are.
        items[:] = [item for item in items if zlib.crc32(item.nodeid.encode()) % every == 0]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    if call.when == "setup":
        for recorded in (_mismatches, _refusals, _clusters):
            recorded.clear()
    outcome = yield
    report = outcome.get_result()
    if call.when == "call" or report.outcome != "passed":
        sort, why = _sort(report, call)
        # What is explained are results: a refusal or an error of such a test is none.
        report.conformance = EXPLAINED.get(item.name, sort) if sort == "wrong" else sort, why


def _sort(report, call) -> tuple[str, str]:
    if report.outcome == "passed":
        if _mismatches:
            stages = {stage for of_one, _ in _mismatches for stage in of_one}
            return ("ptx" if stages <= {"ptx", "sass"} else "ir"), _mismatches[0][1]
        return ("one-cta" if _clusters else "passed"), ""
    if report.outcome == "skipped":
        return "skipped", ""
    error = call.excinfo.value
    text = str(error)
    first = next((line for line in text.splitlines() if "error:" in line), text.splitlines()[0] if text else "")
    first = f"{type(error).__name__}: {first[:300]}"
    if isinstance(error, pytest.fail.Exception):
        kinds = {"DID NOT RAISE": "accepted", "Regex": "wording", "Timeout": "slow"}
        return next((kind for start, kind in kinds.items() if start in text), "error"), first
    if isinstance(error, AssertionError) and "Regex pattern did not match" in text:
        return "wording", first
    if not _has_gpu() and ("NVIDIA driver" in text or isinstance(error, KeyError) and text == "'cubin'"):
        # The test has tensors on a GPU whatever it is told, or disassembles the code of one.
        return "skipped", first
    if isinstance(error, tilec.TilecError):
        return ("fault" if isinstance(error, tilec.KernelFault) else "refused"), first
    if isinstance(error, (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError)):
        about = _about_text(call.excinfo.traceback)
        if about - {text_assertions.MESSAGE}:
            return ("ptx" if about <= {"ptx", "sass"} else "ir"), first
        # It expected the refusal, and reads its text.
        if about and _refusals:
            return "wording", first
    return ("wrong" if isinstance(error, AssertionError) else "error"), first


def _about_text(traceback) -> frozenset:
    """The texts that the statement of a test's file is about in which an error came up."""
    for entry in reversed(traceback):
        texts = _texts.get(str(entry.path))
        if texts is not None:
            return texts.lines.get(entry.lineno + 1, frozenset())
    return frozenset()


_outcomes: list[dict] = []
#: When the tests that run now began.
_begun: dict[str, float] = {}


def pytest_runtest_logstart(nodeid, location):
    _begun[nodeid] = time.monotonic()


def pytest_runtest_logreport(report):
    found = getattr(report, "conformance", None)
    if found is None and report.outcome == "failed":
        # A process that ended in the middle of a test, by itself or because the test took too long.
        limit = float(_config.getoption("timeout", 0) or 0)
        is_slow = 0 < limit <= time.monotonic() - _begun.get(report.nodeid, time.monotonic()) + 1
        found = "slow" if is_slow else "crash", str(report.longrepr)
    if found:
        _outcomes.append({"test": report.nodeid, "outcome": found[0], "why": found[1], "seconds": report.duration})


def about() -> dict:
    """Where and with what the tests ran."""
    import torch
    import triton

    return {
        "device": torch.cuda.get_device_name() if _has_gpu() else "simulator",
        "torch": torch.__version__,
        "triton": triton.__version__,
        "tilec": tilec.__version__,
        "date": datetime.date.today().isoformat(),
    }


def pytest_sessionfinish(session):
    path = session.config.getoption("--conformance")
    if path and not os.environ.get("PYTEST_XDIST_WORKER"):
        files: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
        for outcome in _outcomes:
            files[outcome["test"].split("::")[0]][outcome["outcome"]] += 1
        with open(path, "w") as file:
            json.dump({
                "about": about(),
                "files": {name: dict(counts) for name, counts in sorted(files.items())},
                "others": [outcome for outcome in _outcomes if outcome["outcome"] not in ("passed", "skipped")],
                "seconds": sum(outcome["seconds"] for outcome in _outcomes),
            }, file, indent=1)
            file.write("\n")
