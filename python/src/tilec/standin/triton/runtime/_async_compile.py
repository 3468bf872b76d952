# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilations in other threads: `with AsyncCompileMode(executor): kernel.warmup(...)`."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from contextvars import ContextVar
from typing import Any

active_mode: ContextVar[AsyncCompileMode | None] = ContextVar("active_mode", default=None)


class FutureKernel:
    """A kernel that is being compiled."""

    def __init__(self, future: Future):
        self.future = future

    def result(self, ignore_errors: bool = False) -> Any:
        """The kernel, once it is there; with `ignore_errors` None where it does not compile."""
        try:
            return self.future.result()
        except Exception:
            if not ignore_errors:
                raise
            return None


class AsyncCompileMode:
    """Within a `with`, `warmup` of kernels compiles in the threads of an executor, and returns a FutureKernel; the end of
    the block waits. Launches compile at once. The threads are to be of this process."""

    def __init__(self, executor: Executor, *, ignore_errors: bool = False):
        self.executor = executor
        self.ignore_errors = ignore_errors
        self.kernels: list[FutureKernel] = []

    def submit(self, compile, *args) -> FutureKernel:
        """Has `compile(*args)` called in a thread."""
        kernel = FutureKernel(self.executor.submit(compile, *args))
        self.kernels.append(kernel)
        return kernel

    def __enter__(self) -> AsyncCompileMode:
        from tilec import _hooking

        if active_mode.get() is not None:
            raise RuntimeError("another AsyncCompileMode is active")
        self._token = active_mode.set(self)
        self._warmup, _hooking.warmup = _hooking.warmup, _submit
        return self

    def __exit__(self, *_):
        from tilec import _hooking

        active_mode.reset(self._token)
        _hooking.warmup = self._warmup
        for kernel in self.kernels:
            kernel.result(self.ignore_errors)


def _submit(kernel, args, kwargs):
    mode = active_mode.get()
    # Other threads have no mode of theirs.
    return kernel._warmup(args, kwargs) if mode is None else mode.submit(kernel._warmup, args, kwargs)


__all__ = ["AsyncCompileMode", "FutureKernel", "active_mode"]
