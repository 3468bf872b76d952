# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether launches go through Python: they do while anybody wants to see them."""

from __future__ import annotations


from . import _native
from ._locks import Lock

#: What the stand-in for Triton has called instead of a launch, with (kernel, grid, args, kwargs), and instead of a warmup,
#: with (kernel, args, kwargs), while a hook of `triton.knobs.runtime` is set.
launch = None
warmup = None

#: Whether launches on tensors of a GPU run on the simulator, on copies.
on_host_copies = False

#: Flags of every compilation, which the stand-in's knobs set: TILEC_COMPILE_... of tilec.h.
compile_flags = 0

_reasons: set[str] = set()
_lock = Lock()


def set_hooked(reason: str, on: bool):
    """Has launches go through `Launchable._run_hooked`, or ends that; each reason counts for itself."""
    with _lock:
        (_reasons.add if on else _reasons.discard)(reason)
        _native.set_hooked(bool(_reasons))
