# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec.testing under Triton's name."""

import sys
from importlib import import_module

sys.modules[__name__] = import_module("tilec.testing")
