# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checking mode: the simulator looks for races, missing waits and uninitialised reads as well.

    tilec.check()                   # from now on
    with tilec.check():             # for these launches
        kernel[grid](x, y)
    pytest -p tilec.check tests     # for all launches of a project's tests

Launches on a GPU are not checked, whatever the mode is.
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


def pytest_configure(config):
    """Makes this module a plug-in of pytest."""
    from ._pytest_plugin import Plugin

    config.pluginmanager.register(Plugin(config), "tilec-check")


class _Module(types.ModuleType):
    """Lets programs write `tilec.check()` for `tilec.check.check()`."""

    def __call__(self, on: bool = True) -> check:
        return check(on)


sys.modules[__name__].__class__ = _Module
