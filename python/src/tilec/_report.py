# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was compiled in this process, and what fell back to Triton: `tilec.report()`."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field


@dataclass
class Entry:
    """One compilation, or one launch that fell back."""

    kernel: str
    seconds: float = 0.0
    from_cache: bool = False
    options: dict = field(default_factory=dict)
    fallback: str = ""  #: why Triton ran it; empty where tilec did


class Report(list):
    """A list of entries that prints as a table."""

    def __str__(self) -> str:
        if not self:
            return "tilec has compiled nothing in this process"
        width = max(len(entry.kernel) for entry in self)
        lines = [f"{'kernel':{width}}  seconds  from"]
        for entry in self:
            where = "Triton: " + entry.fallback.splitlines()[0] if entry.fallback else (
                "cache" if entry.from_cache else "compiler")
            lines.append(f"{entry.kernel:{width}}  {entry.seconds:7.3f}  {where}")
        compiled = [entry for entry in self if not entry.fallback]
        lines.append(f"{len(compiled)} kernels, {sum(entry.seconds for entry in compiled):.3f} s; "
                     f"{len(self) - len(compiled)} fell back to Triton")
        return "\n".join(lines)


@dataclass
class Launches:
    """Launches since hooks were switched on, by `_native.set_hooked`."""

    total: int = 0
    checked: int = 0  #: those on the simulator, in checking mode
    kernels: set = field(default_factory=set)  #: modules and names of the functions
    checked_kernels: set = field(default_factory=set)

    def add(self, fn, is_checked: bool):
        name = f"{fn.__module__}.{fn.__qualname__}"
        with _lock:
            self.total += 1
            self.kernels.add(name)
            if is_checked:
                self.checked += 1
                self.checked_kernels.add(name)


launches = Launches()
_lock = threading.Lock()
_entries: list[Entry] = []


def add(entry: Entry):
    with _lock:
        _entries.append(entry)


def report() -> Report:
    """The compilations of this process so far: names, times, whether the cache had them, and fallbacks with their
    reasons. Printing it gives a table."""
    with _lock:
        return Report(_entries)
