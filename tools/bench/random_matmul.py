# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Matrix products of sizes drawn at random: half of them multiples of 128, the others any numbers, as far as cuBLAS takes
# them. Rows that are no whole number of 16 bytes cannot be copied by tensor copies, and are padded first.

import math
import random
from dataclasses import dataclass, field, replace

import product_model
from matmul import PERSISTENT, TILES, TILES_FP8, Matmul, MatmulData
from product_model import TILES8, TILES16, Problem
from tensor_case import Configuration, Pointer, Source, blocks, cdiv

WAVES = ((4000, 4000, 4000), (3072, 3072, 8192), (1536, 1536, 8192))
DRAWS = ((20261126, 30), (20270101, 60), (20270202, 60), (777001, 40))  # seeds, and sizes of each
LEAST, MOST = 256, 16384
TRIED, OF_ONE_KIND = 28, 18  # of our configurations; of those that are persistent, and of the others, at most
PLANNED = 12  # of those that the library gives for a search
TURNS = 4  # tiles that two warpgroups take in turn
SHARED = 8  # of those whose tiles are shared by the CTAs of a cluster
CLUSTERED = 16  # with clusters of programs
GROUPED = 6  # of each, whose programs that run at once are of another group of tiles

ANY_SIZE = Source("60-matmul-any-size.tile", "matmul_any_size")
PAD = Source("60-matmul-any-size.tile", "pad_rows")
PAD_BOTH = Source("60-matmul-any-size.tile", "pad_operands")


@dataclass
class Planned(Configuration):
    """A configuration of the kernel for any size."""
    pads: bool = False

    @property
    def label(self):
        return super().label + ("_padded" if self.pads else "")


@dataclass
class RandomMatmul(Matmul):
    """One of the sizes."""
    name = "random_matmul"
    goals: dict = field(default_factory=lambda: dict(library=0.95))

    def __post_init__(self):
        element = 1 if self.dtype.startswith("fp8") else 2
        whole = 16 // element
        columns = [self.k if self.layout[0] == "n" else self.m, self.n if self.layout[1] == "n" else self.k]
        self.pads = [c % whole != 0 for c in columns]
        self.strides = [cdiv(c, 2 * whole) * 2 * whole if pads else c for c, pads in zip(columns, self.pads)]
        rows = tuple(rows == "n" for rows in self.layout)
        self.problem = Problem(self.m, self.n, self.k, element, rows, tuple(self.strides))
        found = sorted(product_model.plans(self.problem, TILES8 if element == 1 else TILES16), key=self.predicted)
        kinds = [[plan for plan in found if bool(plan.programs) == persistent][:OF_ONE_KIND] for persistent in (False, True)]
        plans = sorted(sum(kinds, []), key=self.predicted)[:TRIED] + [plan for plan in found if plan.cluster][:SHARED]
        clustered = sorted(product_model.shared_plans(self.problem, found[:4 * TRIED]), key=self.predicted)
        usual = product_model.usual_plans(self.problem)
        clustered = [replace(plan, sharing_b=2) for plan in usual] + clustered
        # Programs without a tile can only be in a launch of those that take one after the other.
        clustered = [plan if self.has_whole_clusters(plan) else replace(plan, programs=product_model.MULTIPROCESSORS)
                     for plan in clustered]
        clustered = [plan for plan in clustered if self.has_whole_clusters(plan)][:CLUSTERED]
        self.planned = [self.configuration(plan) for _, plan in product_model.planned(self.problem, PLANNED)]
        made = self.planned + [self.configuration(plan) for plan in plans + usual + clustered]
        made += [regrouped for plan in found[:GROUPED] + clustered[:GROUPED] for regrouped in self.regrouped(plan)]
        made += [restaged for plan in found[:GROUPED] + clustered[:GROUPED] for restaged in self.restaged(plan)]
        for tile in product_model.in_turn(self.problem, TURNS):
            alone = product_model.Plan(tile, programs=product_model.MULTIPROCESSORS)
            made += [self.configuration(plan) for plan in (alone, replace(alone, sharing_b=2)) if self.has_whole_clusters(plan)]
        self.others = list({configuration.label: configuration for configuration in made}.values())

    def has_whole_clusters(self, plan):
        return self.grid(self.configuration(plan))[0] % plan.ctas == 0

    def regrouped(self, plan):
        """The same with other neighbours. What neighbours load at the same time is read from the second cache once: of tall
        tiles that is best A, which those of a row of tiles share."""
        configuration = self.configuration(plan)
        groups = [1] if plan.tile.m > plan.tile.n else [2] if self.grid(configuration)[0] < product_model.MULTIPROCESSORS else []
        if plan.ctas > 1:
            groups = [2, 16] if plan.sharing_a == 1 else [4] if plan.sharing_b > 1 else []
        return [replace(configuration, constants=dict(configuration.constants, GROUP_M=group)) for group in groups]

    def restaged(self, plan):
        """The same, and one with other neighbours, with so many stages that tiles are stored in parts, or with those that are
        left beside a whole one, where the tile has more."""
        whole = plan.tile.stages_with_store
        if not self.configuration(plan).programs or whole >= min(plan.tile.stages, product_model.PARTED_STAGES):
            return []
        stages = {min(plan.tile.stages, product_model.PARTED_STAGES), max(3, whole)} - {plan.tile.stages}
        return [replace(configuration, stages=count) for configuration in (self.configuration(plan), *self.regrouped(plan)[:1])
                for count in sorted(stages)]

    def predicted(self, plan):
        return product_model.predict(self.problem, plan)

    @property
    def copies(self):
        """Whether rows of C are whole 16 bytes."""
        return self.n % 8 == 0

    def configuration(self, plan):
        tile = plan.tile
        constants = dict(BLOCK_M=tile.m, BLOCK_N=tile.n, BLOCK_K=tile.k)
        if plan.sharing_a > 1:
            constants.update(GROUP_M=plan.sharing_b)
        if self.copies and not any(self.pads) and plan.programs:
            constants.update(STORES=2 if tile.m * tile.n == 32768 else 1)
            programs = min(plan.programs, plan.ctas * product_model.CLUSTERS[plan.ctas]) if plan.ctas > 1 else plan.programs
            return Configuration(constants, tile.warps, tile.stages, PERSISTENT, programs, plan.ctas)
        split = 1 if plan.cluster else plan.split
        constants.update(SPLIT=split, SUMMING=product_model.summing(split))
        return Planned(constants, tile.warps, tile.stages, ANY_SIZE, ctas=plan.ctas, split_k=plan.split // split,
                       persistent=bool(plan.programs), pads=any(self.pads))

    def steps(self, configuration):
        padded = [PadRows(self, operand) for operand, pads in enumerate(self.pads) if pads and isinstance(configuration, Planned)]
        if len(padded) == 2:
            padded = [PadOperands(self, padded)]
        return [(pad, Configuration(dict(BLOCK_M=8, BLOCK_N=512), 8, 1, Source(pad.file, pad.entry))) for pad in padded] + [
            (self, configuration)]

    def values(self, configuration=None):
        values = super().values(configuration)
        if not isinstance(configuration, Planned):
            return values
        for name, pads in zip(("a", "b"), self.pads):
            values[f"{name}_ptr"] = Pointer(self.dtype, f"padded_{name}" if pads else "")
        return dict(values, parts_ptr=Pointer("fp32"), counters_ptr=Pointer("i32"), a_stride=self.strides[0],
                    b_stride=self.strides[1], c_stride=self.n)

    def constants(self, configuration):
        constants = super().constants(configuration)
        return dict(constants, C_COPIES=self.copies) if isinstance(configuration, Planned) else constants

    def grid(self, configuration):
        return (*super().grid(configuration), configuration.constants.get("SPLIT", 1))

    def data(self):
        return RandomMatmulData(self)


@dataclass
class WaveMatmul(RandomMatmul):
    """One of the sizes of stream-K, whose tiles fill no whole number of waves, by kernels that do not cut them so."""
    name = "wave_matmul"


@dataclass
class Padding:
    """Of the product, a launch in front of it that copies operands to rows of whole 16 bytes."""
    case: RandomMatmul

    @property
    def variant(self):
        return self.case.dtype

    def constants(self, configuration):
        return configuration.constants


@dataclass
class PadRows(Padding):
    """Of one operand."""
    operand: int

    file, entry = PAD.file, PAD.entry

    @property
    def shape(self):
        """Rows and columns as they are in memory."""
        case = self.case
        first, second = ((case.m, case.k), (case.k, case.n))[self.operand]
        return (first, second) if case.layout[self.operand] == "n" else (second, first)

    def values(self, configuration=None):
        name = "ab"[self.operand]
        rows, columns = self.shape
        return dict(from_ptr=Pointer(self.case.dtype, f"{name}_ptr"), to_ptr=Pointer(self.case.dtype, f"padded_{name}"),
                    rows=rows, columns=columns, from_stride=columns, to_stride=self.case.strides[self.operand])

    def grid(self, configuration):
        return (cdiv(self.shape[0], configuration.constants["BLOCK_M"]),)


@dataclass
class PadOperands(Padding):
    """Of both."""
    pads: list

    file, entry = PAD_BOTH.file, PAD_BOTH.entry

    def values(self, configuration=None):
        values = {}
        for name, pad in zip("ab", self.pads):
            one = pad.values()
            values.update({f"{name}_ptr": one["from_ptr"], f"{name}_to_ptr": one["to_ptr"], f"{name}_rows": one["rows"],
                           f"{name}_columns": one["columns"], f"{name}_to_stride": one["to_stride"]})
        return values

    def grid(self, configuration):
        return (max(pad.grid(configuration)[0] for pad in self.pads), 2)


class RandomMatmulData(MatmulData):
    def __init__(self, case):
        import torch
        super().__init__(case)
        split = [c for c in case.others if c.constants.get("SPLIT", 1) > 1]
        parts = max((math.prod(case.grid(c)) * c.constants["BLOCK_M"] * c.constants["BLOCK_N"] for c in split), default=1)
        programs = max((case.grid(c)[0] for c in split), default=1)
        self.arguments.update(parts_ptr=torch.empty(parts, device="cuda"),
                              counters_ptr=torch.zeros(programs, device="cuda", dtype=torch.int32))
        for operand, name in enumerate("ab"):
            if case.pads[operand]:
                rows = PadRows(case, operand).shape[0]
                self.arguments[f"padded_{name}"] = torch.empty((rows, case.strides[operand]), device="cuda",
                                                               dtype=self.a.dtype)


def drawn(seed, count):
    """The sizes with their types, the same ones every time."""
    source = random.Random(seed)
    for number in range(count):
        dtype, layout = (("bf16", "nn"), ("fp16", "nt"), ("fp8e4nv", "nt"))[number % 3]
        sizes = [math.exp(source.uniform(math.log(LEAST), math.log(MOST))) for _ in range(3)]
        if number < count // 2:
            whole = 128
        else:  # cuBLAS takes 8-bit matrices with rows of whole 16 bytes only
            whole = 16 if dtype == "fp8e4nv" else 8 if number % 2 else 1
        yield (*(min(MOST, max(LEAST, round(size / whole) * whole)) for size in sizes), dtype, layout)


def timed():
    for m, n, k, dtype, layout in (size for draw in DRAWS for size in drawn(*draw)):
        depth = 128 if dtype == "fp8e4nv" else 64
        same = blocks((128, 256, depth, 8, 3), (128, 128, depth, 8, 4), (64, 128, depth, 4, 4))
        if any(size % 16 for size in (m, n, k)):
            same = blocks((128, 128, 32, 8, 3))  # element by element; others spill registers
        yield RandomMatmul(m, n, k, dtype, layout, same, TILES_FP8 if dtype == "fp8e4nv" else TILES)
    for m, n, k in WAVES:
        yield WaveMatmul(m, n, k, "bf16", "nt", blocks((128, 256, 64, 8, 3), (128, 128, 64, 8, 4)), TILES)


def checked():
    return []
