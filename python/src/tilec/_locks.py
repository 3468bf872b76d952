# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What forks leave in order: locks are free in a process that was forked while another thread held them, and no thread is
inside the compiler then (python/native/Forking.h)."""

from __future__ import annotations

import os
import threading
import weakref

from . import _native

_locks: weakref.WeakSet[Lock] = weakref.WeakSet()


class Lock:
    """One for `with` statements, which a thread may enter while it is in it. What it guards has to be in order whenever
    Python code may run, as a child goes on with what was there."""

    def __init__(self):
        self._lock = threading.RLock()
        self._owner = None
        self._depth = 0
        _locks.add(self)

    def __enter__(self):
        self._lock.acquire()
        self._owner = threading.get_ident()
        self._depth += 1

    def __exit__(self, *_):
        self._depth -= 1
        if self._depth == 0:
            self._owner = None
        self._lock.release()


def _renew():
    _native.after_fork(True)
    for lock in _locks:
        if lock._owner != threading.get_ident():
            Lock.__init__(lock)


os.register_at_fork(before=_native.before_fork, after_in_parent=lambda: _native.after_fork(False), after_in_child=_renew)
