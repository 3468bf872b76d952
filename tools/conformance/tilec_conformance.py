# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs tests of Triton's through tilec and sorts their outcomes: a pytest plug-in (docs/conformance.md).

    python -m pytest -p tilec_conformance --rootdir TESTS TESTS/unit/language --device cuda --conformance out.json

run.sh beside this file does all of it. Sorted are: passed, skipped (by the test), ir (failed after it read Triton's IR), ptx (failed after it read PTX text),
wording (refused, or accepted, as Triton does, with another message), accepted (Triton refuses it), refused (Triton
accepts it), wrong (another result), error (neither: the test itself fails) and crash (the process ended).
"""

from __future__ import annotations

import collections
import json
import os

import pytest

import tilec
from tilec import _compiled

#: Tests that fail for another reason than their outcome tells, and what they are.
EXPLAINED = {
    # tilec calls functions that are not to be inlined with all arguments.
    "test_call[1-noinline]": "accepted",
    # Of Triton's own passes and files.
    "test_triton_reproducer_path": "ir",
    "test_enable_reflect_ftz": "ptx",
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

#: Stages that the test that runs now has read, and whether tilec has refused something in it.
_read: set[str] = set()
_refusals: list[str] = []


def pytest_addoption(parser):
    parser.addoption("--conformance", action="store", default=None, help="the file for the outcomes")


def pytest_configure(config):
    tilec.install(fallback=False)
    _record_reads()
    _record_refusals()
    _stand_in_for_gpu()


def _record_reads():
    stages = _compiled.Stages
    get = dict.__getitem__

    def recorded(self, name):
        _read.add(name)
        return get(self, name)

    stages.__getitem__ = recorded
    missing = stages.__missing__

    def recorded_missing(self, name):
        _read.add(name)
        return missing(self, name)

    stages.__missing__ = recorded_missing


def _record_refusals():
    make_error = tilec.errors.make_error

    def recorded(status, message, findings=None):
        _refusals.append(message)
        return make_error(status, message, findings)

    tilec.errors.make_error = recorded


def _stand_in_for_gpu():
    """Without a GPU, what the tests ask torch about it has the answers of the processor that is simulated."""
    import torch

    if not torch.cuda.is_available():
        torch.cuda.get_device_capability = lambda *_: (9, 0)
        torch.cuda.synchronize = lambda *_: None
        torch.cuda.get_device_name = lambda *_: "simulator"
        torch.cpu.current_device = lambda: 0


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    if call.when == "setup":
        _read.clear()
        _refusals.clear()
    outcome = yield
    report = outcome.get_result()
    if call.when == "call" or report.outcome != "passed":
        outcome, why = _sort(report, call)
        report.conformance = EXPLAINED.get(item.name, outcome) if outcome not in ("passed", "skipped") else outcome, why


def _sort(report, call) -> tuple[str, str]:
    if report.outcome == "passed":
        return "passed", ""
    if report.outcome == "skipped":
        return "skipped", ""
    error = call.excinfo.value
    text = str(error)
    first = next((line for line in text.splitlines() if "error:" in line), text.splitlines()[0] if text else "")
    first = f"{type(error).__name__}: {first[:300]}"
    if _read & {"ttir", "ttgir", "llir", "source"} or (isinstance(error, KeyError) and "Unknown key" in text):
        return "ir", first
    if isinstance(error, pytest.fail.Exception):
        return ("accepted" if "DID NOT RAISE" in text else "wording" if "Regex" in text else "error"), first
    if isinstance(error, AssertionError) and "Regex pattern did not match" in text:
        return "wording", first
    if isinstance(error, tilec.TilecError):
        return "refused", first
    if isinstance(error, (AssertionError, AttributeError)) and _refusals:
        # It expected the refusal, and reads its text.
        return "wording", first
    if isinstance(error, AssertionError):
        return ("ptx" if _read & {"ptx", "sass"} else "wrong"), first
    return "error", first


_outcomes: list[dict] = []


def pytest_runtest_logreport(report):
    found = getattr(report, "conformance", None)
    if found is None and report.outcome == "failed":
        # A process that ended in the middle of a test.
        found = "crash", str(report.longrepr)
    if found:
        _outcomes.append({"test": report.nodeid, "outcome": found[0], "why": found[1], "seconds": report.duration})


def pytest_sessionfinish(session):
    path = session.config.getoption("--conformance")
    if path and not os.environ.get("PYTEST_XDIST_WORKER"):
        files: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
        for outcome in _outcomes:
            files[outcome["test"].split("::")[0]][outcome["outcome"]] += 1
        with open(path, "w") as file:
            json.dump({
                "files": {name: dict(counts) for name, counts in sorted(files.items())},
                "others": [outcome for outcome in _outcomes if outcome["outcome"] not in ("passed", "skipped")],
            }, file, indent=1)
            file.write("\n")

