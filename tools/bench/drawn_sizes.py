# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The families' kernels at sizes drawn at random, with the configurations that they choose from at the listed sizes: what a
# table of chosen sizes cannot show. Half of the lengths are multiples of 128, the others any numbers.

import random
from dataclasses import replace

import attention
import attention_backward
import decode
import grouped_attention
import layers
import product_model
import quantised
from product_model import Problem

SEED = 20261128


def spread(draw, least, most, step=1):
    """Evenly in the logarithm, in whole steps."""
    return max(least, int(2**draw.uniform(least.bit_length() - 1, most.bit_length() - 1)) // step * step)


def lengths(draw, count, least=512, most=16384):
    """Of sequences: every second one a multiple of 128."""
    return [spread(draw, least, most, 1 if i % 2 else 128) for i in range(count)]


def heads(draw, length):
    """Sequences and heads, so that there is work for the GPU, but not for minutes."""
    count = draw.choice((8, 12, 16, 32))
    return max(1, min(16, 2**17 // (length * count) or 1)), count


def attentions(draw):
    for i, length in enumerate(lengths(draw, 12)):
        batch, count = heads(draw, length)
        depth, causal, dtype = (64, 128, 256)[i % 3], i % 4 < 2, draw.choice(("bf16", "bf16", "fp16"))
        whole = length % 128 == 0
        yield attention.Attention(batch, count, length, depth, causal, dtype, attention.CONFIGURATIONS[depth],
                                  attention.TILES[depth] if whole else [], dict(better_peer=1.0),
                                  attention.others_of(depth))
    for i, length in enumerate(lengths(draw, 4)):
        batch, _ = heads(draw, length)
        group = draw.choice((2, 4, 8))
        yield grouped_attention.GroupedAttention(batch, 32, 32 // group, length, 128, i < 2, 0, "bf16",
                                                 grouped_attention.CONFIGURATIONS[128], goals=dict(better_peer=1.0),
                                                 others=grouped_attention.PERSISTENT[128])


def backwards(draw):
    for i, length in enumerate(lengths(draw, 6, 512, 8192)):
        batch, count = heads(draw, length)
        depth = (64, 128)[i % 2]
        yield attention_backward.AttentionBackward(batch, count, length, depth, i % 3 == 0, "bf16",
                                                   attention_backward.CONFIGURATIONS[depth], [], dict(better_peer=0.97),
                                                   attention_backward.FUSED[depth])


def decodes(draw):
    for _ in range(4):
        batch = spread(draw, 1, 64)
        length = spread(draw, 1024, min(131072, 2**19 // batch))
        yield decode.Decode(batch, 32, 8, length, 128, 16, "bf16", False, decode.TIMED, goals=dict(same_text=1.0),
                            others=decode.WHOLE_ROUNDS + decode.ALONE if batch == 1 else decode.BATCHES)


def quantiseds(draw):
    for rows in (spread(draw, 2, 16), spread(draw, 17, 64), spread(draw, 64, 256), spread(draw, 256, 1024),
                 spread(draw, 1024, 8192)):
        n, k = (spread(draw, 1024, 16384, 128) for _ in range(2))
        chosen = quantised.ROWS16 if rows <= 16 else quantised.ROWS64 if rows <= 64 else quantised.LARGE
        more = quantised.likely(rows, n, k) if rows > 64 else quantised.likely_few(rows, n, k) if rows > 16 else []
        yield quantised.W8A16(rows, n, k, "bf16", "t", chosen, [], dict(library=0.95), more)
    for rows in (spread(draw, 2, 16), spread(draw, 17, 64)):
        n, k = (spread(draw, 1024, 16384, 128) for _ in range(2))
        yield quantised.W4A16(rows, n, k, "bf16", 128, quantised.groups_for(rows) if rows <= 16 else quantised.GROUPS64)


def products(draw):
    for count in (8, 32, 64):
        rows = tuple(spread(draw, 8, 2048, 8) for _ in range(count))
        n, k = (spread(draw, 512, 8192, 64) for _ in range(2))
        likely = layers.uneven(product_model.likely(Problem(sum(rows), n, k, 2, parts=rows), most=3))
        yield layers.Grouped(rows, n, k, "bf16", layers.LARGE, layers.BY_DESCRIPTORS + layers.SORTED
                             + [replace(c, source=layers.ROWS) for c in likely])
    for activation in ("gelu_tanh", "relu", "silu"):
        m, n, k = (spread(draw, 512, 16384, 8) for _ in range(3))
        likely = layers.uneven(product_model.likely(Problem(m, n, k, 2), most=3, allowed=layers.leaves_registers))
        paired = (layers.PAIRED if k % 16 else []) + layers.paired(Problem(m, n, k, 2))
        yield layers.Fused(m, n, k, "bf16", activation, layers.LARGE, likely + layers.PERSISTENT + layers.IN_TURN + paired)


def timed():
    """What is measured, each case by its family's name behind "drawn_"."""
    draw = random.Random(SEED)
    for family in (attentions, backwards, decodes, quantiseds, products):
        for case in family(draw):
            case.name = f"drawn_{case.name}"
            yield case


def checked():
    """None: what is measured is checked as well."""
    return ()
