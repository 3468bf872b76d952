# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Products of activations with quantised weights: sizes, the configurations that each compiler chooses from, data and what
# cuBLAS does with weights that are as wide as the activations. Only the classes with Data in their names need PyTorch.

from dataclasses import dataclass, field, replace

from product_model import BANDWIDTH, MOST_STAGES, MULTIPROCESSORS, SHARED_MEMORY
from tensor_case import Configuration, Pointer, Source, blocks, cdiv

GEMV = Source("51-w8a16-gemv.tile", "w8a16_gemv")
FEW_ROWS = Source("65-w4a16-few-rows.tile", "w4a16_few_rows")
TOLERANCE = {"bf16": 4e-3, "fp16": 6e-4}


def split(*rows):
    """Configurations from rows of BLOCK_M, BLOCK_N, BLOCK_K, SPLIT_K, warps, stages."""
    return [Configuration(dict(BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, SPLIT_K=parts), warps, stages)
            for m, n, k, parts, warps, stages in rows]


def fit(warps):
    """Programs that a multiprocessor is to have room for."""
    return 2 if warps == 4 else 1


def stages(block_m, block_n, block_k, warps):
    """As many as shared memory has room for."""
    return min(MOST_STAGES, (SHARED_MEMORY // fit(warps) - 1024) // (block_k * (2 * block_m + block_n)))


# Microseconds of 64 steps along K on an H200, as measured: what threads take for 128 rows of weights, what each row of A
# adds, and what a row takes where the tensor cores are the bound; of two programs with 4 warps and 64 rows each a little more.
WIDENING, OF_ROW, BOUND, OF_TWO = 0.18, 0.00175, 0.0026, 0.05
ALONE = 0.6  # of that, one of two programs


def predict(m, n, k, row):
    """Microseconds of a row of split, roughly."""
    block_m, block_n, _, parts, warps, _ = row
    together = fit(warps)
    ctas = cdiv(m, block_m) * cdiv(n, block_n) * parts
    turn = max(WIDENING + OF_ROW * block_m, BOUND * block_m) * block_n * together / 128 + OF_TWO * (together - 1)
    turns, rest = divmod(ctas, MULTIPROCESSORS * together)
    time = turn * (turns + (0 if rest == 0 else ALONE if rest <= MULTIPROCESSORS * (together - 1) else 1)) * k / 64 / parts
    moved = n * k + 2 * m * (k + n)
    return 6 + max(time, moved / BANDWIDTH / 1e6) + (3 + parts * m * n * 8 / 3e6 if parts > 1 else 0)


def likely(m, n, k, most=8):
    """Configurations for more than 64 rows, those first that should be the fastest. Rows that are no power of two are columns
    of one instruction or of two, for tilec alone."""
    shapes = [(block_m, 128, 64, 8) for block_m in (*range(72, 257, 8), *range(272, 353, 16))]
    shapes += [(block_m, 256, 64, 8) for block_m in range(72, 137, 8)]
    shapes += [(block_m, 64, depth, 4) for depth, most_rows in ((64, 208), (128, 144)) for block_m in range(72, most_rows + 1, 8)]
    best = {}
    for block_m, block_n, block_k, warps in shapes:
        for parts in range(1, 5):
            row = (block_m, block_n, block_k, parts, warps, stages(block_m, block_n, block_k, warps))
            if parts > 1 and cdiv(m, block_m) * cdiv(n, block_n) * parts > MULTIPROCESSORS * fit(warps):
                continue
            best.setdefault((cdiv(m, block_m), *row[1:5]), row)
    return split(*sorted(best.values(), key=lambda row: predict(m, n, k, row))[:most])


def likely_few(m, n, k):
    """Configurations for up to 64 rows that fill the multiprocessors once or twice."""
    block_m = 32 if m <= 32 else 64
    rows = [(block_m, block_n, 128, parts, 4, 4 if block_n == 64 else 3) for block_n in (64, 128) for parts in range(1, 9)
            if 0.7 * MULTIPROCESSORS <= cdiv(n, block_n) * parts <= 2 * MULTIPROCESSORS and k >= 256 * parts]
    return split(*rows)


def paired(*rows):
    """Configurations whose programs are run by two CTAs each: as split, without SPLIT_K."""
    return [replace(c, split_k=2) for c in split(*((m, n, k, 1, warps, stages) for m, n, k, warps, stages in rows))]


def gemv(*rows):
    """Configurations of the kernel for one row: BLOCK_N, BLOCK_K, warps."""
    return [Configuration(dict(BLOCK_N=n, BLOCK_K=k), warps, 3, GEMV) for n, k, warps in rows]


ROWS16 = split((16, 32, 256, 1, 2, 4), (16, 32, 256, 2, 2, 4), (16, 64, 128, 2, 4, 4), (16, 64, 128, 4, 4, 4),
               (16, 64, 256, 4, 4, 3), (16, 128, 128, 4, 4, 4), (16, 128, 128, 8, 4, 3), (16, 128, 128, 4, 8, 4), (16, 64, 256, 1, 4, 4),
               (16, 64, 256, 2, 4, 4), (16, 64, 128, 4, 2, 4), (16, 64, 128, 3, 4, 4), (24, 64, 128, 2, 4, 5),
               (24, 128, 128, 2, 4, 6)) + paired((24, 64, 128, 4, 5), (24, 64, 256, 4, 3), (24, 128, 256, 4, 5))
ROWS64 = split((64, 64, 128, 1, 4, 4), (64, 64, 128, 2, 4, 4), (64, 128, 64, 2, 4, 4), (64, 128, 64, 4, 4, 4),
               (64, 128, 64, 4, 4, 6), (64, 128, 128, 2, 4, 3), (64, 128, 64, 1, 4, 6), (32, 128, 128, 2, 4, 4),
               (64, 128, 128, 4, 4, 3), (64, 128, 128, 2, 8, 3), (64, 64, 128, 4, 4, 4), (64, 32, 128, 2, 4, 4),
               (64, 64, 128, 1, 4, 8)) + paired((64, 128, 128, 4, 6), (64, 128, 128, 8, 5), (64, 128, 128, 8, 6))
LARGE = split((256, 128, 64, 1, 8, 4), (256, 128, 64, 1, 8, 5), (128, 256, 64, 1, 8, 4), (128, 128, 64, 1, 4, 4))
ROW = gemv((16, 512, 4), (8, 512, 2), (4, 512, 1), (8, 256, 2), (16, 256, 4), (32, 512, 8))
PLAIN = {1: blocks((16, 32, 256, 4, 4), (16, 64, 128, 4, 4), (16, 32, 128, 4, 5)),
         16: blocks((16, 32, 256, 4, 4), (16, 64, 128, 4, 4), (16, 32, 128, 4, 5)),
         64: blocks((64, 64, 128, 4, 4), (64, 32, 128, 4, 4), (64, 128, 64, 4, 4)),
         4096: blocks((128, 128, 64, 8, 4), (128, 256, 64, 8, 3))}


@dataclass
class W8A16:
    """C = (A x W^T) * scale, W with 8-bit integers. `layout`: t when W has a row per column of C, else n."""
    m: int
    n: int
    k: int
    dtype: str
    layout: str
    configurations: list
    tiles: list = field(default_factory=list)
    goals: dict = field(default_factory=dict)
    others: list = field(default_factory=list)

    name = "w8a16"
    entry = "w8a16_matmul"
    libraries = ("cublas",)
    file = "50-w8a16-matmul.tile"

    @property
    def variant(self):
        return f"{self.dtype}-{self.layout}"

    @property
    def size(self):
        return f"{self.m}x{self.n}x{self.k} {self.dtype} {self.layout}"

    @property
    def flops(self):
        return 2 * self.m * self.n * self.k

    @property
    def bytes(self):
        return self.n * self.k + 2 * self.m * (self.k + self.n) if self.m < 256 else 0

    @property
    def tolerance(self):
        return TOLERANCE[self.dtype]

    @property
    def parts(self):
        return max(c.constants.get("SPLIT_K", 1) for c in self.configurations + self.others)

    @property
    def counters(self):
        """Tiles of C in the configuration with most of them."""
        return max(self.grid(c)[0] for c in self.configurations + self.others)

    def values(self, configuration=None):
        half = Pointer(self.dtype)
        values = dict(a_ptr=half, w_ptr=Pointer("i8"), scale_ptr=Pointer("fp32"), c_ptr=half)
        if configuration and configuration.source:
            return dict(values, N=self.n, K=self.k)
        return dict(values, parts_ptr=Pointer("fp32"), arrivals_ptr=Pointer("i32"), M=self.m, N=self.n, K=self.k,
                    stride_wn=self.k if self.layout == "t" else 1, stride_wk=1 if self.layout == "t" else self.n)

    def constants(self, configuration):
        return configuration.constants if configuration.source else dict(configuration.constants, GROUP_M=8)

    def grid(self, configuration):
        c = configuration.constants
        if configuration.source:
            return (cdiv(self.n, c["BLOCK_N"]),)
        return (cdiv(self.m, c.get("BLOCK_M")) * cdiv(self.n, c["BLOCK_N"]), c["SPLIT_K"])

    def data(self):
        return W8A16Data(self)


class W8A16Data:
    """Inputs and outputs on the GPU, with the product in float64."""

    def __init__(self, case):
        import accuracy
        import torch
        self.case = case
        kind = accuracy.TORCH[case.dtype]
        self.a = torch.randn((case.m, case.k), device="cuda").to(kind)
        shape = (case.n, case.k) if case.layout == "t" else (case.k, case.n)
        weights = torch.randint(-128, 128, shape, device="cuda", dtype=torch.int8)
        scale = torch.rand(case.n, device="cuda")
        self.c = accuracy.Output((case.m, case.n), case.dtype)
        self.outputs = [self.c]
        self.arrivals = torch.zeros(case.counters, device="cuda", dtype=torch.int32)
        parts = torch.empty((case.parts, case.m, case.n), device="cuda")
        self.arguments = dict(case.values(), a_ptr=self.a, w_ptr=weights, scale_ptr=scale, c_ptr=self.c.view,
                              parts_ptr=parts, arrivals_ptr=self.arrivals)
        wide = weights.t() if case.layout == "t" else weights
        self.expected = torch.matmul(self.a.double(), wide.double()) * scale.double()
        self.wide = (wide * scale).to(kind)

    def error(self, result):
        """Of what the last launch wrote; the counters have to be zero again."""
        import math

        import accuracy
        if self.arrivals.any():
            self.arrivals.zero_()
            return math.inf
        return accuracy.error(self.c.view, self.expected)

    def library(self):
        """cuBLAS with weights that were dequantised before."""
        import torch
        return {"cublas": lambda: torch.matmul(self.a, self.wide, out=self.c.view)}


@dataclass
class W4A16:
    """C = A x W^T, W with 4-bit integers that share a scale by groups along K, as examples 56 and 65 store them."""
    m: int
    n: int
    k: int
    dtype: str
    group: int
    configurations: list

    name = "w4a16"
    entry = "w4a16_matmul"
    libraries = ("cublas",)
    file = "56-w4a16-matmul.tile"
    tiles, goals = (), {}

    @property
    def variant(self):
        return f"{self.dtype}-g{self.group}"

    @property
    def size(self):
        return f"{self.m}x{self.n}x{self.k} {self.dtype} group {self.group}"

    @property
    def flops(self):
        return 2 * self.m * self.n * self.k

    @property
    def bytes(self):
        return self.n * self.k // 2 + 2 * (self.m * (self.k + self.n) + self.n * self.k // self.group)

    @property
    def tolerance(self):
        return TOLERANCE[self.dtype]

    def values(self, configuration=None):
        half = Pointer(self.dtype)
        values = dict(a_ptr=half, w_ptr=Pointer("u8"), scale_ptr=half, c_ptr=half, M=self.m, N=self.n, K=self.k,
                      stride_wn=self.k // 2)
        if configuration and configuration.source:
            return values
        return dict(values, parts_ptr=Pointer("fp32"), arrivals_ptr=Pointer("i32"))

    def constants(self, configuration):
        return dict(configuration.constants, GROUP=self.group)

    def grid(self, configuration):
        c = configuration.constants
        return (cdiv(self.m, c["BLOCK_M"]) * cdiv(self.n, c["BLOCK_N"]), c.get("SPLIT_K", 1))

    def data(self):
        return W4A16Data(self)


class W4A16Data:
    """Inputs and outputs on the GPU, with the product in float64."""

    def __init__(self, case):
        import accuracy
        import torch
        self.case = case
        kind = accuracy.TORCH[case.dtype]
        groups = case.k // case.group
        self.a = torch.randn((case.m, case.k), device="cuda").to(kind)
        packed = torch.randint(0, 256, (case.n, case.k // 2), device="cuda", dtype=torch.uint8)
        scale = torch.rand((groups, case.n), device="cuda").to(kind)
        self.c = accuracy.Output((case.m, case.n), case.dtype)
        self.outputs = [self.c]
        self.arrivals = torch.zeros(max(case.grid(c)[0] for c in case.configurations), device="cuda", dtype=torch.int32)
        parts = torch.empty((max(c.constants.get("SPLIT_K", 1) for c in case.configurations), case.m, case.n), device="cuda")
        self.arguments = dict(case.values(), a_ptr=self.a, w_ptr=packed, scale_ptr=scale, c_ptr=self.c.view,
                              parts_ptr=parts, arrivals_ptr=self.arrivals)
        halves = packed.view(case.n, groups, case.group // 2)
        nibbles = torch.cat([halves & 15, halves >> 4], 2).double() - 8
        wide = (nibbles * scale.t().double()[:, :, None]).view(case.n, case.k)
        self.expected = torch.matmul(self.a.double(), wide.t())
        self.wide = wide.to(kind)

    def error(self, result):
        """Of what the last launch wrote; the counters have to be zero again."""
        import math

        import accuracy
        if self.arrivals.any():
            self.arrivals.zero_()
            return math.inf
        return accuracy.error(self.c.view, self.expected)

    def library(self):
        """cuBLAS with weights that were dequantised before."""
        import torch
        return {"cublas": lambda: torch.matmul(self.a, self.wide.t(), out=self.c.view)}


def groups(*rows):
    """Configurations from rows of BLOCK_M, BLOCK_N, SPLIT_K, warps, stages."""
    return [Configuration(dict(BLOCK_M=m, BLOCK_N=n, SPLIT_K=parts), warps, stages)
            for m, n, parts, warps, stages in rows]


GROUPS16 = groups((16, 64, 4, 2, 3), (16, 64, 4, 2, 4), (16, 64, 6, 2, 3), (16, 32, 4, 1, 4), (16, 64, 3, 4, 4), (16, 64, 4, 4, 3),
                  (16, 128, 4, 4, 4))


def few_rows(*rows):
    """Configurations of the kernel for few rows: BLOCK_M, BLOCK_N, STEP, warps, stages."""
    return [Configuration(dict(BLOCK_M=m, BLOCK_N=n, STEP=step), warps, stages, FEW_ROWS) for m, n, step, warps, stages in rows]


def groups_for(rows):
    """Configurations for up to 16 rows: where they are up to 4, the kernel for few rows has no rows beyond them."""
    block_m = 1 << (rows - 1).bit_length()
    few = few_rows(*((block_m, n, step, warps, stages) for n, step, warps, stages in ((32, 4, 4, 4), (32, 4, 4, 3), (16, 8, 4, 3))))
    return (few if rows <= 4 else []) + GROUPS16


GROUPS64 = groups((64, 64, 2, 4, 4), (64, 64, 4, 4, 4), (64, 128, 4, 4, 3), (32, 64, 4, 4, 4))


def timed():
    """What is measured. Goal: least ratio to the best of Triton's kernels."""
    for m, configurations in ((1, ROW + ROWS16), (16, ROWS16), (64, ROWS64)):
        yield W8A16(m, 8192, 8192, "bf16", "t", configurations, PLAIN[m], dict(triton=1.0), likely_few(m, 8192, 8192) if m > 16 else [])
    yield W8A16(4096, 8192, 8192, "bf16", "t", LARGE, PLAIN[4096], others=likely(4096, 8192, 8192))
    yield W8A16(16, 8192, 8192, "fp16", "t", ROWS16, PLAIN[16], dict(triton=1.0))
    for m, configurations in ((1, groups_for(1)), (16, groups_for(16)), (64, GROUPS64)):
        yield W4A16(m, 8192, 8192, "bf16", 128, configurations)


def checked():
    """Small and ragged sizes that are only checked."""
    small = split((16, 32, 64, 1, 4, 3), (16, 64, 64, 3, 4, 4), (64, 64, 64, 2, 4, 3), (128, 64, 64, 1, 8, 3),
                  (136, 64, 64, 1, 4, 3), (176, 128, 64, 2, 8, 3))
    for dtype in ("bf16", "fp16"):
        for layout in ("t", "n"):
            for m, n, k in ((1, 1, 1), (16, 256, 512), (45, 333, 700), (129, 257, 65)):
                yield W8A16(m, n, k, dtype, layout, small)
        for group in (32, 64, 128):
            for m, n in ((1, 64), (45, 333)):
                yield W4A16(m, n, 5 * group, dtype, group, groups((16, 32, 1, 4, 3), (16, 64, 3, 4, 4), (64, 64, 2, 4, 3)) +
                            few_rows((1, 32, 4, 4, 3), (8, 64, 2, 4, 3), (16, 32, 4, 4, 2)))
        yield W8A16(1, 1000, 3000, dtype, "t", gemv((4, 1024, 4), (2, 256, 2)) + small[:2])
