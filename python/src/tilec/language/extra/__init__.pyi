# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.extra`: libdevice, and what GPUs have and others do not."""

from . import cuda as cuda
from . import hip as hip
from . import libdevice as libdevice
