# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What can go wrong, as exceptions."""

from __future__ import annotations

from typing import NamedTuple


class TilecError(Exception):
    """The base class of tilec's own exceptions."""


class CompilationError(TilecError):
    """A kernel that does not compile. The text has the messages, with file, line, column and caret."""


class Finding(NamedTuple):
    """A fault that the simulator found."""

    kind: str  #: "out-of-bounds", "shared-race-raw", "assert-failed", ...
    message: str
    file: str
    line: int
    column: int
    program: tuple[int, int, int]
    thread: int
    kernel: str

    def describe(self) -> str:
        """Place, kind and message, with the source line and a caret below the place."""
        return f"{self.file}:{self.line}:{self.column}: {self.kind}: {self.message}{_source_line(self)}"


class KernelFault(TilecError, RuntimeError):
    """A kernel that did something wrong on the simulator; `findings` says what, the first one first."""

    def __init__(self, message: str, findings: list[Finding] | None = None):
        super().__init__(message)
        self.findings = findings or []


class Unavailable(TilecError, RuntimeError):
    """This machine lacks something: a driver, a device, a math library."""


class DeviceError(TilecError, RuntimeError):
    """The device or its driver refused or failed."""


class OutOfResources(TilecError, RuntimeError):
    """A kernel needs more shared memory, registers or threads than there are, or memory has run out."""


class InternalError(TilecError, RuntimeError):
    """A bug in tilec."""


class TilecWarning(UserWarning):
    """What the compiler warns about, and launches that fall back to Triton."""


_OK, _INPUT, _UNAVAILABLE, _INTERNAL, _INVALID, _DEVICE, _RESOURCES = range(7)

_CLASSES = {
    _INPUT: CompilationError,
    _UNAVAILABLE: Unavailable,
    _INTERNAL: InternalError,
    _INVALID: ValueError,
    _DEVICE: DeviceError,
    _RESOURCES: OutOfResources,
}


def make_error(status: int, message: str, findings: list | None = None) -> Exception:
    """The exception of a failed call of the library."""
    if findings:
        findings = [Finding(*finding) for finding in findings]
        return KernelFault(message + _source_line(findings[0]), findings)
    return _CLASSES.get(status, InternalError)(message)


def _source_line(finding: Finding) -> str:
    """The source line with a caret below the finding's place, after a line break; empty where it cannot be read."""
    import linecache

    line = linecache.getline(finding.file, finding.line).rstrip("\n")
    if not line:
        return ""
    number = str(finding.line)
    caret = " " * (finding.column - 1) + "^" if finding.column > 0 else ""
    return f"\n {number} | {line}\n {' ' * len(number)} | {caret}"
