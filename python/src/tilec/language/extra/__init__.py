# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.extra`: libdevice, and what GPUs have and others do not."""

from __future__ import annotations


def __getattr__(name: str):
    # Modules come with their first use.
    from importlib import import_module

    if name in ("cuda", "hip", "libdevice"):
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


__all__ = ["cuda", "hip", "libdevice"]
