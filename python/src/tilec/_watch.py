# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that a kernel's text has from the program around it, and whether they are what they were.

A record is (dict or cell, name, value or nothing, is mutable), as the native module looks at it before each launch
(python/native/Watch.cpp). The value of a mutable one is a copy.
"""

from __future__ import annotations

import types

from . import _values

missing = object()


def read(holder, name: str):
    """A variable of a module's dict, or of a function's cell; `missing` where it has no value."""
    if isinstance(holder, types.CellType):
        try:
            return holder.cell_contents
        except ValueError:
            return missing  # Not assigned yet.
    return holder.get(name, missing)


def record(holder, name: str, value) -> tuple:
    is_mutable = _is_mutable(value)
    return holder, name, () if value is missing else (_copy(value) if is_mutable else value, ), is_mutable


def renewed(records: list[tuple]) -> list[tuple] | None:
    """Records of the present values; None where one of them makes another text."""
    found = []
    for holder, name, old, _ in records:
        value = read(holder, name)
        if not _same(old[0] if old else missing, value):
            return None
        found.append(record(holder, name, value))
    return found


def _same(old, new) -> bool:
    if old is new:
        return True
    if old is missing or new is missing or (type(old).__name__ == "constexpr") != (type(new).__name__ == "constexpr"):
        return False
    text = _values.literal(old)
    return text is not None and text == _values.literal(new)


def _is_mutable(value) -> bool:
    if isinstance(value, tuple):
        return any(_is_mutable(item) for item in value)
    return isinstance(value, (list, dict)) and _values.literal(value) is not None


def _copy(value):
    if isinstance(value, (tuple, list)):
        return type(value)(_copy(item) for item in value) if type(value) in (tuple, list) else value
    return {key: _copy(item) for key, item in value.items()} if type(value) is dict else value
