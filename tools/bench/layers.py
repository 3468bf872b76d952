# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Products as models have them, beside what PyTorch does for the same work: with a bias and an activation, many of different
# sizes in one launch, and cut into equal parts (stream-K). B has a row per column of C everywhere. Only the classes with
# Data in their names need PyTorch.

import itertools
from dataclasses import dataclass, field, replace

import product_model
from matmul import uneven
from product_model import Problem
from tensor_case import Pointer, Source, Type, blocks, cdiv

PROGRAMS = 132  # the multiprocessors of an H200
TOLERANCE = {"bf16": 4e-3, "fp16": 6e-4}
LARGE = blocks((128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (128, 128, 64, 8, 4), (128, 128, 64, 4, 4))
# Load warps fetch the next tile while one is stored.
PERSISTENT = [replace(c, persistent=True)
              for c in blocks((128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (128, 192, 64, 8, 4), (128, 128, 64, 8, 4),
                              (192, 128, 64, 8, 4))]
# That two warpgroups take in turn: with as many sums for a thread as leave registers for an activation.
IN_TURN = [replace(c, persistent=True, ctas=ctas)
           for c in blocks((128, 128, 64, 4, 5), (128, 144, 64, 4, 5), (144, 128, 64, 4, 5), (152, 128, 64, 4, 5), (64, 256, 64, 4, 4))
           for ctas in (1, 2)]
STREAM = blocks((256, 128, 64, 8, 4), (128, 128, 64, 8, 5), (128, 128, 64, 8, 4), (128, 64, 64, 4, 5))
# With numbers of columns, or rows, that are no powers of two, which Triton does not take.
UNEVEN = blocks((256, 144, 64, 8, 4), (168, 256, 64, 8, 4), (128, 144, 64, 8, 6), (208, 128, 64, 8, 5))
# In clusters of two, where rows of B begin between sectors.
PAIRED = [replace(c, ctas=2) for c in PERSISTENT]
ROWS = Source("61-grouped-rows-matmul.tile", "grouped_rows_matmul")
TABLES = Source("64-grouped-matmul-descriptors.tile", "grouped_matmul_descriptors")
BY_DESCRIPTORS = [replace(c, source=TABLES) for c in LARGE]
SORTED = [replace(c, source=ROWS) for c in LARGE + blocks((64, 256, 64, 4, 4), (128, 192, 64, 8, 4))]
SMALL = blocks((64, 64, 64, 4, 3), (128, 64, 32, 8, 2))


def is_streamed(tile):
    """Of larger tiles stream-K spills; it has one program on each multiprocessor."""
    sides = [(c.constants["BLOCK_M"], c.constants["BLOCK_N"]) for c in STREAM]
    return tile.fit == 1 and tile.m * tile.n <= 256 * 168 and (not tile.is_even or (tile.m, tile.n) in sides)


class Case:
    """What the cases have in common."""
    tiles, goals = (), {}

    @property
    def size(self):
        return f"{self.shape} {self.variant.replace('-', ' ')}"

    @property
    def tolerance(self):
        return TOLERANCE[self.dtype]

    def tiles_of(self, m, n, configuration):
        c = configuration.constants
        return cdiv(m, c["BLOCK_M"]) * cdiv(n, c["BLOCK_N"])


def matrix(rows, columns, dtype):
    import accuracy
    import torch
    return torch.randn((rows, columns), device="cuda").to(accuracy.TORCH[dtype])


@dataclass
class Fused(Case):
    """C = activation(A x B^T + bias)."""
    m: int
    n: int
    k: int
    dtype: str
    activation: str
    configurations: list
    others: list = field(default_factory=list)

    name = "matmul_bias"
    entry = "matmul_bias_activation"
    libraries = ("cublas", "cublaslt")
    file = "53-matmul-bias-activation.tile"

    @property
    def variant(self):
        return f"{self.dtype}-{self.activation}"

    @property
    def shape(self):
        return f"{self.m}x{self.n}x{self.k}"

    @property
    def flops(self):
        return 2 * self.m * self.n * self.k

    def values(self, configuration=None):
        pointer = Pointer(self.dtype)
        return dict(a_ptr=pointer, b_ptr=pointer, bias_ptr=pointer, c_ptr=pointer, M=self.m, N=self.n, K=self.k,
                    stride_bk=1, stride_bn=self.k)

    def constants(self, configuration):
        return dict(configuration.constants, GROUP_M=8, ACTIVATION=self.activation)

    def grid(self, configuration):
        return (self.tiles_of(self.m, self.n, configuration),)

    def data(self):
        return FusedData(self)


class FusedData:
    """Inputs and outputs on the GPU, with the result in float64."""

    def __init__(self, case):
        import accuracy
        self.case = case
        self.a, self.b = matrix(case.m, case.k, case.dtype), matrix(case.n, case.k, case.dtype)
        self.bias = matrix(1, case.n, case.dtype)[0]
        self.c = accuracy.Output((case.m, case.n), case.dtype)
        self.outputs = [self.c]
        self.arguments = dict(case.values(), a_ptr=self.a, b_ptr=self.b, bias_ptr=self.bias, c_ptr=self.c.view)
        self.expected = self.activate(self.a.double() @ self.b.double().t() + self.bias.double())

    def activate(self, x):
        import torch.nn.functional as F
        if self.case.activation == "gelu_tanh":
            return F.gelu(x, approximate="tanh")
        return getattr(F, self.case.activation)(x)

    def error(self, result):
        import accuracy
        return accuracy.error(self.c.view if result is None else result, self.expected)

    def library(self):
        """In two kernels, and in one where cuBLASLt has the activation."""
        import torch
        functions = {"cublas": lambda: self.activate(torch.addmm(self.bias, self.a, self.b.t()))}
        if self.case.activation in ("relu", "gelu_tanh"):
            gelu = self.case.activation == "gelu_tanh"
            functions["cublaslt"] = lambda: torch._addmm_activation(self.bias, self.a, self.b.t(), use_gelu=gelu)
        return functions


@dataclass
class Grouped(Case):
    """Products of rows[i] x n x k."""
    rows: tuple
    n: int
    k: int
    dtype: str
    configurations: list
    others: list = field(default_factory=list)

    name = "grouped_matmul"
    entry = "grouped_matmul"
    libraries = ("cublas", "grouped_mm")
    file = "54-grouped-matmul.tile"

    @property
    def variant(self):
        return f"{self.dtype}-{min(self.rows)}to{max(self.rows)}rows"

    @property
    def shape(self):
        return f"{len(self.rows)}x({self.n}x{self.k})"

    @property
    def flops(self):
        return 2 * sum(self.rows) * self.n * self.k

    @property
    def starts(self):
        """Where the rows of each product begin in A and C, and where they all end: matrices begin at multiples of 16 bytes."""
        return list(itertools.accumulate((cdiv(rows, 8) * 8 for rows in self.rows), initial=0))

    def values(self, configuration=None):
        if configuration and configuration.source == ROWS:
            half = Pointer(self.dtype)
            return dict(a_ptr=half, b_ptr=half, c_ptr=half, ends_ptr=Pointer("i32"), M=self.starts[-1], N=self.n, K=self.k,
                        experts=len(self.rows))
        table = Pointer("i64")
        return dict(a_table=table, b_table=table, c_table=table, sizes_ptr=Pointer("i32"), problems=len(self.rows))

    def constants(self, configuration):
        if configuration.source == ROWS:
            return dict(configuration.constants, EXPERTS=1 << (len(self.rows) - 1).bit_length())
        torch_name = {"bf16": "bfloat16", "fp16": "float16"}[self.dtype]
        constants = dict(configuration.constants, DTYPE=Type(torch_name))
        if configuration.source != TABLES:
            constants["ALIGN"] = 16 if self.n % 16 == 0 and self.k % 16 == 0 else 1
        return constants

    def grid(self, configuration):
        if configuration.source != ROWS:
            return (PROGRAMS,)
        block_m, block_n = configuration.constants["BLOCK_M"], configuration.constants["BLOCK_N"]
        return ((self.starts[-1] // block_m + len(self.rows)) * cdiv(self.n, block_n),)

    def data(self):
        return GroupedData(self)


class GroupedData:
    """Inputs and outputs on the GPU, all problems behind each other."""

    def __init__(self, case):
        import accuracy
        import torch
        self.case = case
        *starts, total = case.starts
        self.a = matrix(total, case.k, case.dtype)
        self.b = matrix(len(case.rows) * cdiv(case.n, 8) * 8, case.k, case.dtype)
        self.b = self.b.view(len(case.rows), -1, case.k)
        self.c = accuracy.Output((total, case.n), case.dtype)
        self.outputs = [self.c]
        self.parts = [slice(start, start + rows) for start, rows in zip(starts, case.rows)]

        def table(tensors):
            return torch.tensor([tensor.data_ptr() for tensor in tensors], device="cuda", dtype=torch.int64)

        sizes = torch.tensor([[rows, case.n, case.k] for rows in case.rows], device="cuda", dtype=torch.int32)
        self.arguments = dict(case.values(), a_table=table([self.a[part] for part in self.parts]),
                              b_table=table(list(self.b)), c_table=table([self.c.view[part] for part in self.parts]),
                              sizes_ptr=sizes, a_ptr=self.a, b_ptr=self.b, c_ptr=self.c.view,
                              ends_ptr=torch.tensor([part.stop for part in self.parts], device="cuda", dtype=torch.int32))
        self.expected = [self.a[part].double() @ self.b[i, :case.n].double().t() for i, part in enumerate(self.parts)]

    def error(self, result):
        import accuracy
        got = self.c.view if result is None else result
        return max(accuracy.error(got[part], expected) for part, expected in zip(self.parts, self.expected)
                   if expected.numel())

    def library(self):
        """One product after the other, and PyTorch's own grouped product where rows need no gaps."""
        import torch

        def loop():
            for i, part in enumerate(self.parts):
                torch.matmul(self.a[part], self.b[i, :self.case.n].t(), out=self.c.view[part])

        functions = {"cublas": loop}
        if self.case.dtype == "bf16" and hasattr(torch, "_grouped_mm") and sum(self.case.rows) == len(self.a):
            ends = torch.tensor([part.stop for part in self.parts], device="cuda", dtype=torch.int32)
            functions["grouped_mm"] = lambda: torch._grouped_mm(self.a, self.b.transpose(1, 2), offs=ends)
        return functions


@dataclass
class StreamK(Case):
    """C = A x B^T by programs with the same number of steps along K; tiles of whole rounds are not cut."""
    m: int
    n: int
    k: int
    dtype: str
    configurations: list
    others: list
    goals: dict = field(default_factory=dict)

    name = "stream_k"
    entry = "stream_k_matmul"
    libraries = ("cublas",)
    file = "55-stream-k-matmul.tile"

    @property
    def variant(self):
        return self.dtype

    @property
    def shape(self):
        return f"{self.m}x{self.n}x{self.k}"

    @property
    def flops(self):
        return 2 * self.m * self.n * self.k

    def values(self, configuration=None):
        half, stream = Pointer(self.dtype), 0
        if configuration:
            stream = product_model.streamed(self.tiles_of(self.m, self.n, configuration))
        return dict(a_ptr=half, b_ptr=half, c_ptr=half, parts_ptr=Pointer("fp32"), counters_ptr=Pointer("i32"), M=self.m,
                    N=self.n, K=self.k, stream_tiles=stream)

    def constants(self, configuration):
        return dict(configuration.constants, GROUP_M=8)

    def grid(self, configuration):
        return (PROGRAMS,)

    def data(self):
        return StreamKData(self)


class StreamKData:
    """Inputs, outputs and workspace on the GPU, with the product in float64."""

    def __init__(self, case):
        import accuracy
        import torch
        self.case = case
        self.a, self.b = matrix(case.m, case.k, case.dtype), matrix(case.n, case.k, case.dtype)
        self.c = accuracy.Output((case.m, case.n), case.dtype)
        self.outputs = [self.c]
        largest = max(c.constants["BLOCK_M"] * c.constants["BLOCK_N"] for c in case.configurations + case.others)
        self.counters = torch.zeros(2 * PROGRAMS, device="cuda", dtype=torch.int32)
        parts = torch.empty((PROGRAMS, largest), device="cuda")
        self.arguments = dict(case.values(), a_ptr=self.a, b_ptr=self.b, c_ptr=self.c.view, parts_ptr=parts,
                              counters_ptr=self.counters)
        self.expected = self.a.double() @ self.b.double().t()

    def error(self, result):
        """Of what the last launch wrote; the counters have to be zero again."""
        import math

        import accuracy
        if self.counters.any():
            self.counters.zero_()
            return math.inf
        return accuracy.error(self.c.view, self.expected)

    def library(self):
        import torch
        return {"cublas": lambda: torch.matmul(self.a, self.b.t(), out=self.c.view)}


def leaves_registers(tile):
    """Whether the sums leave registers for an activation: of larger tiles some spill."""
    return tile.m * tile.n <= (152 * 128 if tile.warps == 4 else 168 * 256)


def paired(problem, most=4):
    """In clusters of two, where load warps of one copy for both: at most so many tiles that may take the least time."""
    def time(plan):
        return product_model.predict(problem, plan)
    found = sorted(product_model.plans(problem, product_model.TILES16), key=time)
    pairs = [plan for plan in product_model.shared_plans(problem, found[:100]) if plan.ctas == 2 and leaves_registers(plan.tile)]
    tiles = list(dict.fromkeys(plan.tile for plan in sorted(pairs, key=time)))[:most]
    return [replace(c, persistent=True, ctas=2) for c in uneven(tiles)]


def timed():
    """What is measured."""
    for m, n, k, activation in ((8192, 8192, 8192, "gelu_tanh"), (4096, 14336, 4096, "silu")):
        likely = product_model.likely(Problem(m, n, k, 2), most=3, allowed=leaves_registers)
        yield Fused(m, n, k, "bf16", activation, LARGE, uneven(likely) + PERSISTENT + IN_TURN + paired(Problem(m, n, k, 2)))
    for rows, n, k in (((512,) * 16, 4096, 4096), (tuple(range(32, 1024, 64)), 4096, 2048)):
        likely = product_model.likely(Problem(sum(rows), n, k, 2, parts=rows), most=3)
        yield Grouped(rows, n, k, "bf16", LARGE, BY_DESCRIPTORS + SORTED + [replace(c, source=ROWS) for c in uneven(likely)])
    for m, n, k in ((4000, 4000, 4000), (3072, 3072, 8192), (1536, 1536, 8192)):
        likely = product_model.likely(Problem(m, n, k, 2), 4, product_model.predict_streaming, is_streamed)
        yield StreamK(m, n, k, "bf16", STREAM, uneven(likely))


def checked():
    """Small and ragged sizes that are only checked."""
    for dtype in ("bf16", "fp16"):
        for activation in ("gelu", "gelu_tanh", "relu", "silu"):
            yield Fused(129, 257, 65, dtype, activation, SMALL)
        yield Fused(256, 384, 512, dtype, "gelu", SMALL, UNEVEN)
        yield Grouped((1, 100, 0, 333, 64), 512, 256, dtype, SMALL,
                      [replace(c, source=ROWS) for c in UNEVEN] + [replace(c, source=TABLES) for c in SMALL])
        yield Grouped((7, 130, 1), 77, 93, dtype, SMALL)
        for m, n, k in ((1000, 1032, 776), (70, 33, 4001), (64, 64, 64), (1500, 1200, 100)):
            yield StreamK(m, n, k, dtype, SMALL, UNEVEN + blocks((64, 48, 64, 4, 3), (128, 40, 32, 8, 2)))
