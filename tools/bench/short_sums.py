# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Products of many tiles with short sums, by the text that has pointers and a program for each tile: what a tile's store costs,
# and what it costs in persistent kernels, whose load warps fetch the next tile meanwhile.

from dataclasses import dataclass, replace

from matmul import Matmul
from tensor_case import blocks

HALVES = blocks((128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (128, 128, 64, 8, 4), (128, 192, 64, 8, 4), (192, 128, 64, 8, 4))
FP8 = blocks((128, 256, 128, 8, 3), (128, 128, 128, 8, 4), (128, 192, 128, 8, 4))
# That two warpgroups take in turn.
IN_TURN = blocks((128, 128, 64, 4, 5), (128, 144, 64, 4, 5), (128, 160, 64, 4, 5), (128, 176, 64, 4, 4), (192, 128, 64, 4, 4))
IN_TURN_FP8 = [replace(c, constants=dict(c.constants, BLOCK_K=128)) for c in IN_TURN]


@dataclass
class ShortSums(Matmul):
    name = "short_sums"


def is_for_triton(configuration):
    """Whose blocks are powers of two."""
    return all(size & (size - 1) == 0 for size in configuration.constants.values())


def timed():
    sizes = ((8192, 8192, 512, "nt", "bf16"), (4096, 14336, 1024, "nt", "bf16"), (16384, 4096, 256, "nt", "bf16"),
             (12288, 3072, 1024, "nn", "fp16"), (3000, 5000, 704, "nn", "bf16"), (8192, 8192, 1024, "nt", "fp8e4nv"))
    for m, n, k, layout, dtype in sizes:
        all_of = FP8 if dtype == "fp8e4nv" else HALVES
        others = [c for c in all_of if not is_for_triton(c)]
        in_turn = IN_TURN_FP8 if dtype == "fp8e4nv" else IN_TURN
        others += [replace(c, persistent=True, ctas=ctas) for c in all_of + in_turn for ctas in (1, 2)]
        yield ShortSums(m, n, k, dtype, layout, [c for c in all_of if is_for_triton(c)], others=others)


def checked():
    """None: what is measured is checked as well."""
    return ()
