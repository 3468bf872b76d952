# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Kernels that go over rows, with sizes drawn at random: lengths that are multiples of 64, of 8, or any numbers, and as many
# rows as move the drawn number of bytes.

import math
import random
from dataclasses import replace

import reductions
import rowwise
import transformer
from case import BF16, F32, power_of_two

SEED = 20261126
COUNT = 60
LEAST, MOST = 256, 50000
LEAST_BYTES, MOST_BYTES = 32 << 20, 256 << 20

# With how often a kernel reads or writes a row.
KERNELS = ((rowwise.softmax, 2), (rowwise.layer_norm, 2), (rowwise.rms_norm, 2), (rowwise.log_softmax, 2),
           (rowwise.online_softmax, 2), (rowwise.layer_norm_relu_add, 3), (rowwise.rms_norm_residual, 4),
           (rowwise.layer_norm_backward, 3), (reductions.row_sum, 1), (reductions.row_max, 1),
           (reductions.cumulative_sum, 2), (transformer.cross_entropy, 1))
# Lengths of the first rows in bf16 of the first kernels: between powers of two, one program has little to do.
SHORT = (640, 768)
SHORT_KERNELS = KERNELS[:3]


def logarithmic(source, least, most):
    return math.exp(source.uniform(math.log(least), math.log(most)))


def drawn():
    """Kernels with types, rows and their length, the same ones every time."""
    source = random.Random(SEED)
    short = {make: iter(SHORT) for make, _ in SHORT_KERNELS}
    for number in range(COUNT):
        turn, which = divmod(number, len(KERNELS))
        make, passes = KERNELS[which]
        dtype, whole = (F32, BF16)[(turn + which) % 2], (64, 8, 1)[(turn + which) % 3]
        n = min(MOST, max(LEAST, round(logarithmic(source, LEAST, MOST) / whole) * whole))
        size = logarithmic(source, LEAST_BYTES, MOST_BYTES)
        if dtype == BF16:
            n = next(short.get(make, iter(())), n)
        yield make, dtype, round(size / (passes * n * dtype.itemsize)), n


def warps_for(elements):
    """Numbers of warps to try for a block."""
    for most, warps in ((1024, (1, 2, 4, 8)), (4096, (2, 4, 8, 16)), (16384, (4, 8, 16))):
        if elements <= most:
            return warps
    return 8, 16, 32


def fitted(case, n):
    """The case with no block longer than its rows need, one for tilec in two or three pieces where that is shorter, and
    numbers of warps for its blocks."""
    whole = power_of_two(n)
    constants = []
    for one in case.constants:
        one = dict(one, BLOCK=min(one["BLOCK"], whole))
        if one not in constants:
            constants.append(one)
    shorter = [whole * eighths // 8 for eighths in (5, 6, 7) if whole * eighths // 8 >= n]
    own = [dict(one, BLOCK=shorter[0]) for one in constants if one["BLOCK"] == whole and shorter]
    return replace(case, constants=constants, own=own, warps=warps_for(max(math.prod(one.values()) for one in constants)))


def random_rows():
    for make, dtype, m, n in drawn():
        for case in make(((m, n),), (dtype,)):
            yield fitted(case, n)


ALL = dict(random_rows=random_rows)
