# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was compiled in this process, and what fell back to Triton: `tilec.report()`.

Processes that a program starts after `tilec.install()`, such as those that Inductor compiles in, write their entries
into files of a folder that they are told in the environment: for each process one, and a folder for those that it starts
itself. A process reads what is below its own folder.
"""

from __future__ import annotations

import atexit
import json
import os
from dataclasses import asdict, dataclass, field

from ._locks import Lock


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
    process: int = 0  #: the number of the process, where it was one that this one has started

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
        others = {entry.process for entry in self if entry.process}
        if others:
            count = sum(bool(entry.process) for entry in self)
            lines[-1] += f"; {count} of {len(self)} lines are of {len(others)} other processes"
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
_lock = Lock()
_entries: list[Entry] = []


#: Where processes that this one starts write, and, in such a process, where this one does.
_folder: str | None = None
_told: str | None = None
#: The process that the two are of: one that is forked from it is started by it.
_owner = 0

_VARIABLE = "TILEC_REPORT_FOLDER"


def gather():
    """Has the processes that this one starts from now on tell what they compile."""
    global _folder, _told, _owner
    if _owner == os.getpid():
        os.environ[_VARIABLE] = _folder
        return
    import secrets
    import tempfile

    _told = _folder if _owner else os.environ.get(_VARIABLE)
    _owner = os.getpid()
    if _told:
        _folder = os.path.join(_told, str(_owner))
    else:
        # Made when there is something to write; nobody else knows the name.
        _folder = os.path.join(tempfile.gettempdir(), f"tilec-report-{secrets.token_hex(16)}")
        atexit.register(_remove, _folder, _owner)
    os.environ[_VARIABLE] = _folder


def stop_gathering():
    """Has processes that are started from now on keep what they compile to themselves."""
    if _owner == os.getpid():
        os.environ.pop(_VARIABLE, None)


def _remove(folder: str, owner: int):
    import shutil

    if owner == os.getpid():
        shutil.rmtree(folder, ignore_errors=True)


def _tell(entry: Entry):
    """Writes an entry for the process that has started this one. One that cannot be written is left out."""
    folder = _told if _owner == os.getpid() else _folder
    if folder is None:
        return
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(os.path.join(folder, f"{os.getpid()}.jsonl"), "a") as file:
            # One write: a reader sees whole lines, but for the last one.
            file.write(json.dumps(asdict(entry), default=str) + "\n")
    except OSError:
        pass


def _told_by_others() -> list[Entry]:
    entries = []
    for folder, _, names in os.walk(_folder) if _folder and _owner == os.getpid() else ():
        for name in sorted(names):
            try:
                with open(os.path.join(folder, name)) as file:
                    lines = file.read().split("\n")[:-1]
            except OSError:
                continue
            process = int(name.partition(".")[0])
            entries += [Entry(**{**json.loads(line), "process": process}) for line in lines]
    return entries


def add(entry: Entry):
    with _lock:
        _entries.append(entry)
        _tell(entry)


def add_fallback(kernel: str, reason: str):
    """Counts a launch, or a compilation, that was left to Triton."""
    with _lock:
        for entry in _entries:
            if entry.fallback == reason and entry.kernel == kernel:
                break
        else:
            entry = Entry(kernel, fallback=reason, is_made=False)
            _entries.append(entry)
            _tell(Entry(kernel, fallback=reason, is_made=False, launches=1))
        entry.launches += 1


def report() -> Report:
    """The compilations of this process so far: names, times, whether the cache had them, configurations, and launches
    that fell back to Triton with their reasons. Printing it gives a table. Those of processes that this one has started
    since `tilec.install()` follow, such as Inductor's; of their launches that fell back each reason counts once."""
    with _lock:
        return Report(_entries + _told_by_others())
