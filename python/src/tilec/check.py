# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checking mode: the simulator looks for races, missing waits and uninitialised reads as well.

    tilec.check()                   # from now on
    with tilec.check():             # for these launches
        kernel[grid](x, y)
    pytest -p tilec.check tests     # for all launches of a project's tests

Launches on a GPU are not checked, whatever the mode is; `pytest -p tilec.check --tilec-device=sim` has them run on the
simulator.
"""

from __future__ import annotations

import sys
import types

from ._devices import settings


class check:
    """Switches checking mode on or off; as a context manager, until the end of the block. The mode is the process's: it
    counts for the launches of other threads, too."""

    def __init__(self, on: bool = True):
        self._before = settings.check
        settings.check = on

    def __enter__(self):
        return self

    def __exit__(self, *_):
        settings.check = self._before


# The hooks that make this module a plug-in of pytest.


def pytest_addoption(parser):
    parser.getgroup("tilec").addoption(
        "--tilec-device", choices=("auto", "sim"), default="auto",
        help="where kernels run whose tensors are on a GPU: there, unchecked, or on the simulator, on copies; without a GPU "
        "'sim' has torch make tensors for 'cuda' on the CPU")


def pytest_load_initial_conftests(early_config):
    # Before a conftest.py imports Triton.
    _register(early_config, early_config.known_args_namespace.tilec_device)


def pytest_configure(config):
    # What a conftest.py names in pytest_plugins comes later.
    _register(config, config.getoption("tilec_device", "auto"))


def _register(config, device: str):
    from ._pytest_plugin import Plugin

    if not config.pluginmanager.has_plugin("tilec-check"):
        config.pluginmanager.register(Plugin(config, device), "tilec-check")


class _Module(types.ModuleType):
    """Lets programs write `tilec.check()` for `tilec.check.check()`."""

    def __call__(self, on: bool = True) -> check:
        return check(on)


sys.modules[__name__].__class__ = _Module
