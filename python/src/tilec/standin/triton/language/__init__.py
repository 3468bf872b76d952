# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec.language under Triton's names: the modules are the same objects."""

import sys
from importlib import import_module

for _name in ("core", "extra", "extra.cuda", "extra.libdevice", "math", "random", "standard", "target_info"):
    sys.modules[f"triton.language.{_name}"] = import_module(f"tilec.language.{_name}")
sys.modules["triton.language.extra.cuda.libdevice"] = sys.modules["triton.language.extra.libdevice"]
sys.modules[__name__] = import_module("tilec.language")
