# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How long a matrix product takes with a configuration, from its sizes: enough to try the likeliest few only. The numbers,
# those of the library, are fitted to products on one H200 (compare_tensor.py --filter random_matmul). Run by itself it
# prints what the library has to plan (test/tools/product-model.test).

import json
import math
import os
import random
from dataclasses import dataclass, replace

with open(os.path.join(os.path.dirname(__file__), "../../lib/Tuning/product_model.json")) as file:
    MODEL = json.load(file)  # the library's (tilec/Tuning/ProductModel.h), which knows fewer kernels

MULTIPROCESSORS = MODEL["multiprocessors"]
# Terabytes per second of device memory.
BANDWIDTH = MODEL["bandwidth"]
# The rest in microseconds. A launch, until its first copies are there; storing a tile, all that remains of it at the end, and
# what it takes from the next tile; the latter with warps of their own for the copies, with two warpgroups that take tiles in
# turn, and with other programs to run.
LAUNCH, LAST_TILE, BETWEEN_TILES = MODEL["launch"], MODEL["last_tile"], MODEL["between_tiles"]
BETWEEN_WITH_ROLES, BETWEEN_IN_TURN = MODEL["between_with_roles"], MODEL["between_in_turn"]
BETWEEN_WITH_OTHERS = MODEL["between_with_others"]
# Programs that share a tile: until each knows of the others, writing the sums, reading them.
MEETING, WRITING, READING = 2.2, 2.2, 2.35
# Clusters of so many CTAs that run at once (cuOccupancyMaxActiveClusters), with one CTA on each multiprocessor.
CLUSTERS = {int(ctas): count for ctas, count in MODEL["clusters"].items()}
# What programs that copy for each other take longer: each step waits for all of them.
SLOWER_IN_CLUSTERS = {int(ctas): factor for ctas, factor in MODEL["slower_in_clusters"].items()}
# CTAs of a cluster that share a tile: the two barriers, and writing and reading the sums.
CLUSTER_MEETING, CLUSTER_SUMS = MODEL["cluster_meeting"], MODEL["cluster_sums"]
# What a tensor copy reads at once: a line of 128 bytes. A row of as many is two where it begins in the middle of one, which
# takes longer still where it begins between sectors of 32 bytes.
LINE, LINES_BETWEEN_SECTORS = MODEL["line"], MODEL["line_between_sectors"]
# Where columns of B's tiles, which lie together, begin in the middle of lines.
INSIDE_LINES = MODEL["inside_lines"]
# Of the rate: one program on a multiprocessor that has room for several.
ALONE = MODEL["alone"]
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
        that are alone, with one accumulator for each warpgroup, or taken in turn."""
        return self.in_turn or self.fit == 1 and 16 * self.warps == (self.n if self.transposed else self.m)

    @property
    def in_turn(self):
        """Whether two warpgroups take turns where a program takes one tile after the other."""
        return self.fit == 1 and self.warps == 4

    @property
    def stages_with_store(self):
        """Those that shared memory has room for beside all of a tile's store, of 16-bit elements."""
        return (SHARED_MEMORY // self.fit - 1024 - 2 * self.m * self.n) // (STEP_BYTES * (self.m + self.n))

    @property
    def is_copied_out(self):
        """Whether tensor copies store it: threads do where a side is no sum of a few powers of two."""
        return max(self.m.bit_count(), self.n.bit_count()) <= MOST_PIECES

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
    def shares_rows(self):
        """Whether two warpgroups share the columns of the last 64 rows, for which tilec needs K contiguous in B."""
        return self.m % 128 == 64 and self.warps == 8 and not self.transposed

    @property
    def roles_in_cluster(self):
        """Whether programs of a cluster can copy for each other."""
        return self.fit == 1 and (self.is_one_dot or self.shares_rows)


# Bytes of shared memory of a multiprocessor, of which each program takes 1024 for itself.
SHARED_MEMORY = MODEL["shared_bytes"]
MOST_STAGES = 8
STEP_BYTES = 128  # of a row of A, of a column of B in a step along K
PARTED_STAGES = 4  # most of those for which tilec stores tiles in parts
MOST_COLUMNS = 256  # of one instruction
MOST_PIECES = 3  # that a side is stored in


def rates(rows):
    """By a side that warpgroups part, warps, and as many programs as fit: the rate by the other side, as measured."""
    return {(row["side"], row["warps"], row["fit"]): {int(size): rate for size, rate in row["by_other_side"].items()} for row in rows}


# By rows, and by columns for the transposed dot.
RATES, TRANSPOSED_RATES = rates(MODEL["rates"]), rates(MODEL["transposed_rates"])
# Tiles with other depths, stages and programs at once, the first of which is fast for whatever has enough of them.
OTHERS = tuple(Tile(**tile) for tile in MODEL["others"])
USUAL = OTHERS[0]


def between(knots, size):
    """A rate, on the straight line between the two that were measured next to it."""
    below, above = max(k for k in knots if k <= size), min(k for k in knots if k >= size)
    share = (size - below) / (above - below) if above > below else 0
    return knots[below] + share * (knots[above] - knots[below])


def made(m, n, warps, fit, rate):
    """A tile of 16-bit elements with the stages that shared memory has room for."""
    stages = (SHARED_MEMORY // fit - 1024) // (STEP_BYTES * (m + n))
    return Tile(m, n, STEP_BYTES // 2, warps, min(MOST_STAGES, stages), fit, rate)


def extents(knots):
    """Of the other side: multiples of 8, and from 256 on, of two instructions, of 16."""
    return [size for size in range(min(knots), max(knots) + 1, 8) if size <= MOST_COLUMNS or size % 16 == 0]


def all_tiles():
    """Tiles with one side that warpgroups part, and any multiple of 8 for the other."""
    for (m, warps, fit), knots in RATES.items():
        # Of rows that are no power of two with as many columns the transposed dot is the one that is made.
        for n in extents(knots):
            if m & (m - 1) == 0 or n & (n - 1):
                yield made(m, n, warps, fit, between(knots, n))
    for (n, warps, fit), knots in TRANSPOSED_RATES.items():
        for m in extents(knots):
            if m & (m - 1):
                yield made(m, n, warps, fit, between(knots, m))


TILES16 = (*OTHERS, *all_tiles())
TILES8 = tuple(replace(tile, k=2 * tile.k) for tile in TILES16)


@dataclass(frozen=True)
class Plan:
    """A launch. `split`: programs that share a tile, or CTAs of a `cluster` that run one program; `programs`: most of those
    that take one tile after the other, 0 if each takes one; `sharing_a` and `sharing_b`: so many programs of a cluster copy
    what they share of A, of B, for each other."""
    tile: Tile
    split: int = 1
    programs: int = 0
    cluster: bool = False
    sharing_a: int = 1
    sharing_b: int = 1

    @property
    def ctas(self):
        return self.sharing_a * self.sharing_b


@dataclass(frozen=True)
class Problem:
    """`element`: bytes of one; `rows`: whether A, B, lie by rows in memory; `strides`: elements from one row in memory to the
    next one, if that is not as long as a row; `parts`: the rows of each product, where there are several in one launch, `m`
    of all of them."""
    m: int
    n: int
    k: int
    element: int
    rows: tuple = (True, False)
    strides: tuple = ()
    parts: tuple = ()


def cdiv(a, b):
    return -(-a // b)


def parts_of(problem, tile):
    """Rows and columns of tiles."""
    return sum(cdiv(rows, tile.m) for rows in problem.parts or (problem.m,)), cdiv(problem.n, tile.n)


def tiles_of(problem, tile):
    return math.prod(parts_of(problem, tile))


def plans(problem, tiles):
    """All that may be worth a try: of tiles that cut the matrix in as many parts the likeliest one."""
    best = {}
    for tile in tiles:
        for plan in plans_of(problem, tile) if can_have(problem, tile) else ():
            key = (*parts_of(problem, tile), tile.k, tile.warps, tile.stages, tile.fit, tile.transposed,
                   replace(plan, tile=None))
            if key not in best or predict(problem, plan) < predict(problem, best[key]):
                best[key] = plan
    return best.values()


def can_have(problem, tile):
    """Whether tilec makes it as one dot of each part of its rows."""
    if tile.transposed:
        return tile.m <= MOST_COLUMNS or problem.rows[0]
    return not ((tile.shares_rows or tile.n > MOST_COLUMNS) and problem.rows[1])


def plans_of(problem, tile):
    count, room = tiles_of(problem, tile), MULTIPROCESSORS * tile.fit
    steps = cdiv(problem.k, tile.k)
    yield Plan(tile)
    if tile.fit == 1:
        yield Plan(tile, programs=room)
    for split in range(2, 9):
        if count * split <= room and steps >= 4 * split:
            yield Plan(tile, split)
    yield from plans_by_clusters(problem, tile)


def plans_by_clusters(problem, tile):
    """Those in which the CTAs of a cluster share a tile."""
    for split, clusters in CLUSTERS.items():
        if tiles_of(problem, tile) <= clusters * tile.fit and cdiv(problem.k, tile.k) >= 4 * split and tile.is_one_dot:
            yield Plan(tile, split, cluster=True)


def shared_plans(problem, found):
    """Those of `found` in which programs can copy for each other, so: two that share columns of B, two that share rows of A, and
    of what is one wave of clusters four and eight."""
    for plan in found:
        if not plan.tile.roles_in_cluster or plan.split > 1:
            continue
        yield replace(plan, sharing_b=2)
        yield replace(plan, sharing_a=2)
        if tiles_of(problem, plan.tile) <= 4 * CLUSTERS[4]:
            yield replace(plan, sharing_a=2, sharing_b=2)
        if tiles_of(problem, plan.tile) <= 8 * CLUSTERS[8]:
            yield replace(plan, sharing_a=2, sharing_b=4)


def usual_plans(problem):
    """That of the usual tile, if there are enough of them for all multiprocessors."""
    tile = replace(USUAL, k=USUAL.k * 2 // problem.element)
    return [Plan(tile, programs=MULTIPROCESSORS)] if tiles_of(problem, tile) >= MULTIPROCESSORS else []


def summing(split):
    """Of the programs that share a tile, those that add up: the largest power of two."""
    return 1 << split.bit_length() - 1


def copied(problem, tile, operand):
    """Microseconds of the tensor copies of a block of A or of B."""
    outer, width = ((problem.m, tile.m), (problem.n, tile.n))[operand]
    along_k = problem.rows[operand] == (operand == 0)
    row = problem.k if along_k else outer
    stride = (problem.strides[operand] if problem.strides else row) * problem.element
    lines = (width * cdiv(tile.k * problem.element, 128) if along_k else tile.k * cdiv(width * problem.element, 128))
    if stride % 32:
        return lines * LINES_BETWEEN_SECTORS
    begins = stride if along_k else math.gcd(stride, width * problem.element)
    return lines * LINE * (1 if begins % 128 == 0 else 2)


def predict(problem, plan):
    """Microseconds."""
    tile, count = plan.tile, tiles_of(problem, plan.tile) * plan.split
    steps = cdiv(cdiv(problem.k, tile.k), plan.split)
    compute = tile.m * tile.n * tile.k * problem.element / (tile.rate * 1e6)
    copies = copied(problem, tile, 0) / plan.sharing_a + copied(problem, tile, 1) / plan.sharing_b
    area = tile.m * tile.n / LARGE_TILE

    def wave(together):
        alone = ALONE if together == 1 and tile.fit > 1 else 1
        return steps * together * max(compute / alone, copies)

    full, rest = divmod(count, MULTIPROCESSORS * tile.fit)
    time = full * wave(tile.fit) + (wave(cdiv(rest, MULTIPROCESSORS)) if rest else 0)
    between = BETWEEN_TILES * area * tile.fit
    if plan.programs and tile.in_turn:
        between *= BETWEEN_IN_TURN
    elif plan.programs and tile.roles and tile.is_copied_out:
        between *= BETWEEN_WITH_ROLES
    between *= BETWEEN_WITH_OTHERS if tile.fit > 1 else 1
    time += LAUNCH + LAST_TILE * area * min(tile.fit, cdiv(count, MULTIPROCESSORS))
    time += (full + (rest > 0) - 1) * between
    if plan.cluster:
        time += CLUSTER_MEETING + area * tile.fit * CLUSTER_SUMS
    elif plan.split > 1:
        time += MEETING + area * tile.fit * (WRITING + READING * plan.split / summing(plan.split))
    time *= SLOWER_IN_CLUSTERS.get(plan.ctas, 1)
    if problem.rows[1] and tile.n * problem.element % 128:
        time *= INSIDE_LINES
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
    tiles = [tile for tile in (TILES8 if problem.element == 1 else TILES16)
             if tile.is_one_dot and can_have(problem, tile) and allowed(tile)]
    best = min(time(problem, tile) for tile in tiles if tile.is_even)
    found = {}
    for tile in sorted((tile for tile in tiles if not tile.is_even), key=lambda tile: time(problem, tile)):
        found.setdefault((*parts_of(problem, tile), tile.warps, tile.fit), tile)
    return [tile for tile in list(found.values())[:most] if time(problem, tile) < PRECISION * best]


def in_turn(problem, most):
    """At most so many tiles that two warpgroups take in turn, those that may take the least time."""
    tiles = [tile for tile in (TILES8 if problem.element == 1 else TILES16)
             if tile.in_turn and can_have(problem, tile) and tiles_of(problem, tile) > MULTIPROCESSORS]

    def time(tile):
        return predict(problem, Plan(tile, programs=MULTIPROCESSORS))
    found = {}
    for tile in sorted(tiles, key=time):
        found.setdefault((*parts_of(problem, tile), tile.transposed), tile)
    return list(found.values())[:most]


def planned(problem, most):
    """What the library gives for a product (tilec/Tuning/ProductModel.h), with its microseconds: plans of a kernel with a
    program for each tile, whose launch is persistent where that pays."""
    found = {}
    for tile in TILES8 if problem.element == 1 else TILES16:
        if not can_have(problem, tile):
            continue
        count = tiles_of(problem, tile)
        alone = Plan(tile, programs=MULTIPROCESSORS if count > MULTIPROCESSORS and tile.roles else 0)
        for plan in (alone, *plans_by_clusters(problem, tile), *shared_plans(problem, [alone])):
            if count % plan.ctas:
                continue
            key = (*parts_of(problem, tile), tile.k, tile.warps, tile.transposed, plan.split, plan.sharing_a, plan.sharing_b)
            time = predict(problem, plan)
            if key not in found or time < found[key][0]:
                found[key] = time, plan
    ordered = sorted(found.items(), key=lambda item: (item[1][0], item[0]))
    return [found for _, found in ordered[:most]]


def print_planned():
    """Of products drawn at random, for the test that the library has the same."""
    draw = random.Random(20261128)
    for number in range(24):
        m, n, k = (int(2**draw.uniform(8, 14)) // step * step for step in (1, 8, 16))
        element, rows = 1 if number % 3 == 2 else 2, (number % 4 != 3, number % 2 == 0 and number % 3 != 2)
        plans = [(plan.tile.m, plan.tile.n, plan.tile.k, plan.tile.warps, plan.tile.stages, plan.ctas, plan.split, round(time, 3))
                 for time, plan in planned(Problem(m, n, k, element, rows), 6)]
        print(json.dumps(dict(m=m, n=n, k=k, bits=8 * element, a_rows=rows[0], b_rows=rows[1], plans=plans)))


if __name__ == "__main__":
    print_planned()
