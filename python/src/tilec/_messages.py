# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler says of a kernel that it compiled."""

from __future__ import annotations

import re
import warnings

from .errors import TilecWarning

#: The first line of a message: its place, its severity and its text.
_HEAD = re.compile(r"\S.*?:\d+:\d+: (error|warning|remark|note): ")
_STATIC_PRINT = re.compile(r"\S.*?:\d+:\d+: remark: (.*) \[static-print\]$")


def tell(messages: str, stacklevel: int):
    """Prints what `tl.static_print` says, as Triton does; the rest is a warning.

    :param stacklevel: of the caller, as `warnings.warn` takes it
    """
    others = []
    is_print = False
    for line in messages.splitlines():
        printed = _STATIC_PRINT.match(line)
        if printed:
            print(printed[1])
            is_print = True
        elif (head := _HEAD.match(line)) and head[1] != "note":
            is_print = False
        # The source line, the caret and notes are a message's own.
        if not is_print:
            others.append(line)
    if others:
        warnings.warn("\n".join(others), TilecWarning, stacklevel=stacklevel + 1)
