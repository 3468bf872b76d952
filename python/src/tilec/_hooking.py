# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether launches go through Python: they do while anybody wants to see them. And launches with the hooks of
`triton.knobs.runtime`, be they Triton's (_triton_hooks.py) or the stand-in's (_jit_hooks.py).
"""

from __future__ import annotations

import contextlib
import threading

from . import _native
from ._locks import Lock

#: What the stand-in for Triton has called instead of a launch, with (kernel, grid, args, kwargs), and instead of a warmup,
#: with (kernel, args, kwargs), while a hook of `triton.knobs.runtime` is set.
launch = None
warmup = None

#: Whether launches on tensors of a GPU run on the simulator, on copies.
on_host_copies = False

#: What records the timelines of launches (_timeline.py), while something does.
recording = None

#: Flags of every compilation, which the stand-in's knobs set: TILEC_COMPILE_... of tilec.h.
compile_flags = 0

#: Hooks of `triton.knobs.runtime`.
LAUNCH = ("launch_enter_hook", "launch_exit_hook", "kernel_load_start_hook", "kernel_load_end_hook")
COMPILATION = ("jit_cache_hook", "jit_post_compile_hook")

#: Options of a launch, by which a hook of compilations can have a kernel compiled again.
OPTIONS = ("num_warps", "num_stages", "num_ctas", "split_k", "maxnreg", "debug", "sanitize_overflow", "enable_fp_fusion",
           "enable_reflect_ftz", "tensor_copies", "persistent")

_reasons: set[str] = set()
_lock = Lock()


def set_hooked(reason: str, on: bool):
    """Has launches go through `Launchable._run_hooked`, or ends that; each reason counts for itself."""
    with _lock:
        (_reasons.add if on else _reasons.discard)(reason)
        _native.set_hooked(bool(_reasons))


_unrecorded = threading.local()


@contextlib.contextmanager
def unrecorded():
    """The launches of this thread that nobody wants a timeline of."""
    before = is_recorded()
    _unrecorded.now = True
    try:
        yield
    finally:
        _unrecorded.now = not before


def is_recorded() -> bool:
    """Whether the launches of this thread are recorded while something records."""
    return not getattr(_unrecorded, "now", False)


def is_set(hook) -> bool:
    # A chain of no hooks is none.
    return hook is not None and getattr(hook, "calls", True) not in ([], ())


def launch_with_hooks(call, kernel, grid, args, kwargs, compiled, arguments: dict, describe):
    """Launches `compiled`; `call(name, ...)` calls a hook, and `describe(grid)` makes what those of launches are given."""
    if not compiled.is_loaded:
        compiled.is_loaded = True
        call("kernel_load_start_hook", None, None, compiled.name, {}, compiled.hash)
        compiled.function = kernel._handle_of(args, kwargs)
        call("kernel_load_end_hook", None, compiled.function, compiled.name, {}, compiled.hash)
    if callable(grid):
        grid = grid(arguments)
    metadata = describe(grid)
    call("launch_enter_hook", metadata)
    try:
        return kernel._launch_counted(grid, args, kwargs)
    finally:
        call("launch_exit_hook", metadata)
