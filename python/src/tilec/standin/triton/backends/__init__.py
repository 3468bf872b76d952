# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of machines, and the driver for them."""

from typing import Any, NamedTuple


class Backend(NamedTuple):
    """What there is for a kind of machine. Of compilers there is none: tilec is no back end of Triton's."""

    compiler: Any
    driver: Any


def __getattr__(name: str):
    if name == "backends":
        from ..runtime.driver import Driver

        return {"nvidia": Backend(None, Driver)}
    if name in ("BaseBackend", "DriverBase"):
        from importlib import import_module

        return getattr(import_module(f"triton.backends.{'compiler' if name == 'BaseBackend' else 'driver'}"), name)
    raise AttributeError(f"module 'triton.backends' has no attribute '{name}' (this is tilec's stand-in)")


__all__ = ["Backend", "backends"]
