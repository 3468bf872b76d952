# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What GPUs of AMD have and others do not, `tl.extra.hip`: here for programs that name it, as tilec compiles for none."""

from __future__ import annotations

from typing import Any

from .. import libdevice


def memrealtime() -> Any:
    """The clock of a GPU of AMD."""
    raise RuntimeError("tl.extra.hip.memrealtime is for GPUs of AMD, which tilec does not compile for: tl.extra.cuda has "
                       "globaltimer")


__all__ = ["libdevice", "memrealtime"]
