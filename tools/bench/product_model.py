# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How long a matrix product takes with a configuration, from its sizes: enough to try the likeliest few only. The numbers
# are fitted to products on one H200 (compare_tensor.py --filter random_matmul, and a second draw of sizes).

import math
from dataclasses import dataclass, replace

MULTIPROCESSORS = 132
# Terabytes per second of device memory.
BANDWIDTH = 3.6
# The rest in microseconds. A launch, until its first copies are there; storing a tile, all that remains of it at the end, and
# what it takes from the next tile; the latter with warps of their own for the copies, and with other programs to run.
LAUNCH, LAST_TILE, BETWEEN_TILES = 4.85, 2.96, 3.4
BETWEEN_WITH_ROLES, BETWEEN_WITH_OTHERS = 0.68, 0.58
# Programs that share a tile: until each knows of the others, writing the sums, reading them.
MEETING, WRITING, READING = 2.2, 2.2, 2.35
# Clusters of so many CTAs that run at once (cuOccupancyMaxActiveClusters), with one CTA on each multiprocessor.
CLUSTERS = {2: 66, 4: 30, 8: 15}
# CTAs of a cluster that share a tile: the two barriers, and writing and reading the sums.
CLUSTER_MEETING, CLUSTER_SUMS = 1.5, 1.5
# A row of 128 bytes that a tensor copy reads, where rows begin between sectors of 32 bytes.
MISALIGNED_ROW = 2.1e-3
# Of the rate: one program on a multiprocessor that has room for several.
ALONE = 0.67
LARGE_TILE = 128 * 256
# Of two predictions this far apart either may be wrong.
PRECISION = 1.03


@dataclass(frozen=True)
class Tile:
    """A way to make tiles of C. `fit`: programs that a multiprocessor has room for; `rate`: 16-bit multiplications and
    additions of a multiprocessor that is full of them, in millions per microsecond."""
    m: int
    n: int
    k: int
    warps: int
    stages: int
    fit: int
    rate: float

    @property
    def roles(self):
        """Whether tilec gives the copies to warps of their own where a program takes one tile after the other: to those
        that are alone, with one accumulator for each warpgroup."""
        return self.fit == 1 and 16 * self.warps == (self.n if self.transposed else self.m)

    @property
    def transposed(self):
        """Whether tilec computes the transposed dot, whose columns can be any multiple of 8."""
        return self.m & (self.m - 1) != 0 and self.n & (self.n - 1) == 0 and self.n >= 16 * self.warps

    @property
    def is_even(self):
        """Whether both sides are powers of two, which Triton has no other tiles than."""
        return self.m & (self.m - 1) == 0 and self.n & (self.n - 1) == 0

    @property
    def is_one_dot(self):
        """Whether the tile is one dot, with a power of two of rows (or columns), which CTAs can part."""
        return self.m & (self.m - 1) == 0 or self.transposed

    @property
    def roles_in_cluster(self):
        """Whether programs of a cluster can copy for each other."""
        return self.fit == 1 and self.is_one_dot


TILES16 = (Tile(128, 256, 64, 8, 4, 1, 6.65), Tile(128, 256, 64, 8, 3, 1, 6.55), Tile(256, 128, 64, 8, 4, 1, 6.55),
           Tile(128, 224, 64, 8, 4, 1, 6.25), Tile(128, 208, 64, 8, 4, 1, 6.2), Tile(128, 192, 64, 8, 4, 1, 6.15),
           Tile(128, 200, 64, 8, 4, 1, 6.2), Tile(128, 176, 64, 8, 4, 1, 5.8), Tile(128, 168, 64, 8, 4, 1, 5.75),
           Tile(128, 160, 64, 8, 5, 1, 5.7), Tile(128, 152, 64, 8, 5, 1, 5.7), Tile(128, 144, 64, 8, 5, 1, 5.7),
           Tile(128, 136, 64, 8, 5, 1, 5.7), Tile(256, 192, 64, 8, 4, 1, 6.7), Tile(256, 176, 64, 8, 4, 1, 6.6),
           Tile(256, 168, 64, 8, 4, 1, 6.55), Tile(256, 160, 64, 8, 4, 1, 6.5), Tile(256, 152, 64, 8, 4, 1, 6.45),
           Tile(256, 144, 64, 8, 4, 1, 6.4), Tile(256, 136, 64, 8, 4, 1, 6.4),
           Tile(192, 192, 64, 8, 4, 1, 5.4), Tile(192, 160, 64, 8, 4, 1, 5.2), Tile(192, 128, 64, 8, 4, 1, 6.0),
           Tile(200, 128, 64, 8, 4, 1, 6.0), Tile(176, 128, 64, 8, 4, 1, 5.7), Tile(168, 128, 64, 8, 5, 1, 5.7),
           Tile(160, 128, 64, 8, 5, 1, 5.7), Tile(136, 128, 64, 8, 5, 1, 5.6), Tile(136, 256, 64, 8, 4, 1, 6.4),
           Tile(168, 256, 64, 8, 4, 1, 6.5), Tile(200, 64, 64, 4, 6, 1, 4.6), Tile(136, 64, 64, 4, 4, 2, 5.1),
           Tile(128, 128, 64, 8, 5, 1, 5.85), Tile(128, 128, 64, 4, 3, 2, 6.4), Tile(128, 128, 64, 4, 2, 3, 5.75),
           Tile(256, 64, 64, 8, 5, 1, 4.75), Tile(64, 256, 64, 4, 4, 1, 5.25), Tile(64, 256, 64, 4, 2, 2, 4.55),
           Tile(64, 192, 64, 4, 3, 2, 5.25), Tile(128, 96, 64, 4, 4, 2, 5.1), Tile(128, 64, 64, 4, 4, 2, 4.65),
           Tile(64, 128, 64, 4, 4, 2, 4.95), Tile(64, 128, 64, 4, 2, 4, 4.4), Tile(128, 64, 128, 4, 4, 1, 4.0),
           Tile(64, 128, 128, 4, 4, 1, 4.5), Tile(64, 64, 128, 4, 3, 2, 3.2), Tile(64, 64, 64, 4, 8, 1, 3.05),
           Tile(64, 64, 64, 4, 4, 3, 3.6))
TILES8 = tuple(replace(tile, k=2 * tile.k) for tile in TILES16)


@dataclass(frozen=True)
class Plan:
    """A launch. `split`: programs that share a tile, or CTAs of a `cluster` that run one program; `programs`: most of those
    that take one tile after the other, 0 if each takes one; `pairs`: whether two programs copy what they share of B, the
    tiles of a group of rows being neighbours, for each other."""
    tile: Tile
    split: int = 1
    programs: int = 0
    cluster: bool = False
    pairs: bool = False


@dataclass(frozen=True)
class Problem:
    """`element`: bytes of one; `misaligned`: whether rows of A, of B, begin between sectors; `parts`: the rows of each product,
    where there are several in one launch, `m` of all of them."""
    m: int
    n: int
    k: int
    element: int
    misaligned: tuple = (False, False)
    parts: tuple = ()


def cdiv(a, b):
    return -(-a // b)


def tiles_of(problem, tile):
    return sum(cdiv(rows, tile.m) for rows in problem.parts or (problem.m,)) * cdiv(problem.n, tile.n)


def plans(problem, tiles):
    """All that may be worth a try."""
    for tile in tiles:
        count, room = tiles_of(problem, tile), MULTIPROCESSORS * tile.fit
        steps = cdiv(problem.k, tile.k)
        yield Plan(tile)
        if tile.fit == 1 and tile.warps == 8:
            yield Plan(tile, programs=room)
        for split in range(2, 9):
            if count * split <= room and steps >= 4 * split:
                yield Plan(tile, split)
        for split, clusters in CLUSTERS.items():
            if count <= clusters * tile.fit and steps >= 4 * split and tile.is_one_dot:
                yield Plan(tile, split, cluster=True)


def summing(split):
    """Of the programs that share a tile, those that add up: the largest power of two."""
    return 1 << split.bit_length() - 1


def predict(problem, plan):
    """Microseconds."""
    tile, count = plan.tile, tiles_of(problem, plan.tile) * plan.split
    steps = cdiv(cdiv(problem.k, tile.k), plan.split)
    compute = tile.m * tile.n * tile.k * problem.element / (tile.rate * 1e6)
    columns = tile.n / 2 if plan.pairs else tile.n
    rows = (tile.m * problem.misaligned[0] + columns * problem.misaligned[1]) * tile.k * problem.element / 128
    area = tile.m * tile.n / LARGE_TILE

    def wave(together):
        alone = ALONE if together == 1 and tile.fit > 1 else 1
        return steps * together * max(compute / alone, rows * MISALIGNED_ROW)

    full, rest = divmod(count, MULTIPROCESSORS * tile.fit)
    time = full * wave(tile.fit) + (wave(cdiv(rest, MULTIPROCESSORS)) if rest else 0)
    between = BETWEEN_TILES * area * tile.fit
    between *= (BETWEEN_WITH_ROLES if plan.programs and tile.roles else 1) * (BETWEEN_WITH_OTHERS if tile.fit > 1 else 1)
    time += LAUNCH + LAST_TILE * area * min(tile.fit, cdiv(count, MULTIPROCESSORS))
    time += (full + (rest > 0) - 1) * between
    if plan.cluster:
        time += CLUSTER_MEETING + area * tile.fit * CLUSTER_SUMS
    elif plan.split > 1:
        time += MEETING + area * tile.fit * (WRITING + READING * plan.split / summing(plan.split))
    moved = problem.element * problem.k * (problem.m + problem.n) + 2 * problem.m * problem.n
    return max(time, LAUNCH + moved / BANDWIDTH / 1e6)


def streamed(count):
    """How many of so many tiles stream-K numbers through. Programs of a round walk along K together and share what they read in
    L2. Of a round more than the rest each program has at most two parts of tiles and shares each with one other program; where
    the rest nearly fills a round, cutting it costs more than it brings."""
    rest = count % MULTIPROCESSORS
    return min(count, rest + MULTIPROCESSORS) if rest < 0.8 * MULTIPROCESSORS else 0


def predict_streaming(problem, tile):
    """Microseconds of stream-K."""
    count = tiles_of(problem, tile)
    cut = streamed(count) % MULTIPROCESSORS > 0
    rounds = count / MULTIPROCESSORS
    steps = (rounds if cut else math.ceil(rounds)) * cdiv(problem.k, tile.k)
    area = tile.m * tile.n / LARGE_TILE
    time = LAUNCH + steps * tile.m * tile.n * tile.k * problem.element / (tile.rate * 1e6)
    time += area * (LAST_TILE + (math.ceil(rounds) - 1) * BETWEEN_TILES)
    return time + (MEETING + area * (WRITING + READING) if cut else 0)


def predict_alone(problem, tile):
    """Microseconds where each program takes one tile."""
    return predict(problem, Plan(tile))


def likely(problem, most, time=predict_alone, allowed=lambda tile: True):
    """At most so many tiles that are one dot and have a side that is no power of two: those that may take less time than all
    others, of those that are allowed."""
    tiles = [tile for tile in (TILES8 if problem.element == 1 else TILES16) if tile.is_one_dot and allowed(tile)]
    best = min(time(problem, tile) for tile in tiles if tile.is_even)
    found = sorted((tile for tile in tiles if not tile.is_even), key=lambda tile: time(problem, tile))
    return [tile for tile in found[:most] if time(problem, tile) < PRECISION * best]
