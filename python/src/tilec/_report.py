# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was compiled in this process, and what fell back to Triton: `tilec.report()`."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field


@dataclass
class Entry:
    """One compilation, or the launches of a kernel that fell back for one reason."""

    kernel: str
    seconds: float = 0.0
    from_cache: bool = False
    #: "num_warps", "num_stages", and by name the types of "arguments" and the values of "constants", as texts
    options: dict = field(default_factory=dict)
    fallback: str = ""  #: why Triton ran it; empty where tilec did
    launches: int = 0  #: how many launches fell back
    is_made: bool = True  #: whether there is code; else it did not compile

    def configuration(self) -> str:
        """Warps, stages and constants, for people."""
        parts = [f"{self.options[name]} {text}" for name, text in (("num_warps", "warps"), ("num_stages", "stages"))
                 if name in self.options]
        return ", ".join(parts + [f"{name}={value}" for name, value in self.options.get("constants", {}).items()])

    def where(self) -> str:
        if self.fallback:
            return "Triton"
        return ("cache" if self.from_cache else "compiler") if self.is_made else "refused"


class Report(list):
    """A list of entries that prints as a table."""

    def __str__(self) -> str:
        if not self:
            return "tilec has compiled nothing in this process"
        width = max(len("kernel"), *(len(entry.kernel) for entry in self))
        lines = [f"{'kernel':{width}}  seconds  from      configuration"]
        for entry in self:
            last = entry.configuration()
            if entry.fallback:
                last = f"{entry.launches} launches: {entry.fallback.splitlines()[0]}"
            lines.append(f"{entry.kernel:{width}}  {entry.seconds:7.3f}  {entry.where():8}  {last}".rstrip())
        compiled = [entry for entry in self if not entry.fallback and entry.is_made]
        fallen = [entry for entry in self if entry.fallback]
        lines.append(f"{len(compiled)} kernels, {sum(entry.seconds for entry in compiled):.3f} s; "
                     f"{sum(entry.launches for entry in fallen)} launches of {len({entry.kernel for entry in fallen})} kernels "
                     "fell back to Triton")
        return "\n".join(lines)


@dataclass
class Launches:
    """Launches since hooks were switched on, by `_native.set_hooked`."""

    total: int = 0
    checked: int = 0  #: those on the simulator, in checking mode
    on_gpus: int = 0
    kernels: set = field(default_factory=set)  #: modules and names of the functions
    checked_kernels: set = field(default_factory=set)

    def add(self, fn, is_checked: bool, is_simulated: bool = True):
        name = f"{fn.__module__}.{fn.__qualname__}"
        with _lock:
            self.total += 1
            self.kernels.add(name)
            self.on_gpus += not is_simulated
            if is_checked:
                self.checked += 1
                self.checked_kernels.add(name)


launches = Launches()
_lock = threading.Lock()
_entries: list[Entry] = []


def add(entry: Entry):
    with _lock:
        _entries.append(entry)


def add_fallback(kernel: str, reason: str):
    """Counts a launch, or a compilation, that was left to Triton."""
    with _lock:
        for entry in _entries:
            if entry.fallback == reason and entry.kernel == kernel:
                break
        else:
            entry = Entry(kernel, fallback=reason, is_made=False)
            _entries.append(entry)
        entry.launches += 1


def report() -> Report:
    """The compilations of this process so far: names, times, whether the cache had them, configurations, and launches
    that fell back to Triton with their reasons. Printing it gives a table."""
    with _lock:
        return Report(_entries)
