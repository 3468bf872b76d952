# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec.language under Triton's names: the modules are the same objects."""

import sys
from importlib import import_module

for _name in ("core", "extra", "extra.cuda", "extra.cuda.gdc", "extra.cuda.utils", "extra.hip", "extra.libdevice",
              "math", "random", "standard", "target_info"):
    sys.modules[f"triton.language.{_name}"] = import_module(f"tilec.language.{_name}")
for _name in ("cuda", "hip"):
    sys.modules[f"triton.language.extra.{_name}.libdevice"] = sys.modules["triton.language.extra.libdevice"]
sys.modules[__name__] = import_module("tilec.language")
