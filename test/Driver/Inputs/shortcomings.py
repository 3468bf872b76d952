# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What tools/bench/compile_cubins.py says of a cubin's metadata, and of one with too many registers.

import json
import sys

sys.path.insert(0, sys.argv[1])
import compile_cubins

with open(sys.argv[2]) as file:
    metadata = json.load(file)
for read in (metadata, {"registers": 161, "spillBytes": 0, "threadsPerCta": 512, "properties": []}):
    print(*compile_cubins.shortcomings(read).values(), "end", sep="\n")
