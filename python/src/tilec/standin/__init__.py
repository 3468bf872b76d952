# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A package `triton` for machines without Triton: programs that are written for it run unchanged.

    import tilec.standin

    tilec.standin.install()
    import triton
    import triton.language as tl

It has what programs with kernels use: `jit` and its relatives, `triton.language`, `triton.testing`, tensor descriptors,
the driver's questions, errors, `triton.compile` of functions, hooks of launches and compilations. What builds compilers on
Triton it does not have: some names of that are there, for programs that import them, and say so when they are used.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import types


def is_installed() -> bool:
    """Whether `triton` is the stand-in in this process."""
    return hasattr(sys.modules.get("triton"), "__tilec_standin__")


def find_spec():
    """What imports the stand-in as `triton`."""
    folder = os.path.join(os.path.dirname(__file__), "triton")
    return importlib.util.spec_from_file_location("triton", os.path.join(folder, "__init__.py"),
                                                  submodule_search_locations=[folder])


def install() -> types.ModuleType:
    """Makes `import triton` give the stand-in. Triton itself must not have been imported before."""
    module = sys.modules.get("triton")
    if is_installed():
        return module
    if module is not None:
        raise RuntimeError("Triton was imported before: the stand-in is for programs that cannot have it")
    spec = find_spec()
    module = importlib.util.module_from_spec(spec)
    # None there means that somebody said that there is no Triton.
    sys.modules["triton"] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules["triton"]
        raise
    return module


def uninstall():
    """Takes the stand-in away again; programs that have imported it keep what they have."""
    if is_installed():
        from .. import _hooking, _jit_hooks, _native

        _jit_hooks.unwatch()
        if _hooking.compile_flags:
            _hooking.compile_flags = 0
            _native.forget_opened()
        for name in [name for name in sys.modules if name == "triton" or name.startswith("triton.")]:
            del sys.modules[name]
