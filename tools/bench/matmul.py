# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Matrix products: sizes, element types and transpositions, the configurations that each compiler chooses from, data and
# what cuBLAS does for the same work. Only MatmulData needs PyTorch.

from dataclasses import dataclass, field, replace
from typing import Optional

import product_model
from product_model import Problem
from tensor_case import Configuration, Pointer, Source, Type, blocks, cdiv

# BLOCK_M, BLOCK_N, BLOCK_K, warps, stages: for tilec and for Triton on the same text.
LARGE = blocks((128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (256, 128, 64, 8, 3), (128, 128, 64, 4, 4),
               (128, 128, 64, 8, 4), (128, 128, 64, 8, 3), (64, 256, 64, 4, 4))
MEDIUM = blocks((128, 256, 64, 8, 3), (128, 128, 64, 8, 4), (128, 128, 64, 4, 4), (64, 128, 64, 4, 5),
                (128, 64, 64, 4, 5), (64, 64, 64, 4, 5), (64, 64, 128, 4, 4))
ROWS128 = blocks((128, 64, 64, 4, 5), (128, 64, 128, 4, 4), (64, 64, 64, 4, 5), (64, 64, 128, 4, 4),
                 (64, 128, 64, 4, 5), (128, 32, 128, 4, 5), (128, 128, 64, 8, 4))
ROWS16 = blocks((16, 32, 256, 4, 4), (16, 64, 128, 4, 5), (16, 128, 64, 4, 5), (64, 32, 128, 4, 5),
                (64, 64, 64, 4, 5), (64, 64, 128, 4, 4), (64, 128, 64, 4, 5))
FP8 = blocks((128, 256, 128, 8, 3), (128, 256, 128, 8, 4), (256, 128, 128, 8, 3), (128, 128, 128, 4, 4),
             (128, 128, 128, 8, 4), (128, 256, 64, 8, 4))
TF32 = blocks((128, 256, 32, 8, 3), (128, 256, 32, 8, 4), (256, 128, 32, 8, 3), (256, 128, 32, 8, 4),
              (128, 128, 32, 8, 4), (128, 128, 64, 8, 2))


def tiles(*rows):
    """Configurations of Triton's kernel with tensor descriptors: rows as above, then the stores of a tile, and whether
    the loops are flattened and the warps specialised."""
    return [Configuration(dict(BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, STORES=stores, FLATTEN=flatten, SPECIALISE=specialise),
                          warps, stages)
            for m, n, k, warps, stages, stores, flatten, specialise in rows]


TILES = tiles((128, 256, 64, 8, 3, 1, True, False), (128, 256, 64, 8, 3, 2, True, False),
              (128, 256, 64, 8, 4, 2, False, False), (128, 256, 64, 8, 3, 2, False, True),
              (128, 128, 64, 8, 4, 1, False, False), (64, 128, 64, 4, 5, 1, False, False))
TILES_FP8 = tiles((128, 256, 128, 8, 3, 1, False, False), (128, 256, 128, 8, 3, 2, True, False),
                  (128, 256, 128, 8, 4, 2, True, False), (128, 128, 128, 4, 4, 1, False, False))
TILES_TF32 = tiles((128, 256, 32, 8, 3, 2, True, False), (128, 128, 32, 8, 4, 1, False, False))

PERSISTENT = Source("52-matmul-persistent.tile", "matmul_persistent")
PROGRAMS = 132  # the multiprocessors of an H200


def persistent(*rows):
    """Configurations of our kernel with tensor descriptors: as for Triton's the blocks, warps, stages and the stores of a
    tile, and whether programs take more than one tile."""
    return [Configuration(dict(BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, STORES=stores), warps, stages, PERSISTENT,
                          PROGRAMS if keeps else 0)
            for m, n, k, warps, stages, stores, keeps in rows]


OURS = persistent((128, 256, 64, 8, 3, 1, True), (128, 256, 64, 8, 4, 2, True), (128, 256, 64, 8, 3, 1, False),
                  (128, 256, 64, 8, 4, 2, False), (256, 128, 64, 8, 4, 1, True), (128, 128, 64, 8, 4, 1, True),
                  (128, 128, 64, 4, 4, 1, False), (256, 192, 64, 8, 4, 1, True))
OURS_MEDIUM = persistent((128, 256, 64, 8, 4, 2, False), (128, 128, 64, 8, 5, 1, False), (128, 128, 64, 4, 3, 1, False),
                         (64, 128, 64, 4, 5, 1, False), (64, 64, 128, 4, 4, 1, False), (128, 64, 64, 4, 6, 1, False))
OURS_ROWS = persistent((64, 32, 128, 4, 6, 1, False), (64, 64, 128, 4, 5, 1, False), (64, 64, 64, 4, 8, 1, False),
                       (128, 64, 128, 4, 4, 1, False))


def shared(*rows):
    """Configurations of the kernel that all compile, with programs that the CTAs of a cluster run together: as above, and
    how many CTAs."""
    return [Configuration(dict(BLOCK_M=m, BLOCK_N=n, BLOCK_K=k), warps, stages, split_k=parts)
            for m, n, k, warps, stages, parts in rows]


SHARED_ROWS = shared((128, 128, 64, 8, 6, 2), (128, 128, 128, 8, 3, 2), (128, 128, 64, 4, 6, 2), (128, 256, 64, 8, 4, 4),
                     (64, 128, 128, 4, 4, 2), (128, 64, 128, 4, 4, 2), (128, 64, 64, 4, 4, 2))
OURS_FP8 = persistent((128, 256, 128, 8, 3, 1, True), (128, 256, 128, 8, 4, 2, True), (128, 256, 128, 8, 3, 1, False),
                      (128, 128, 128, 8, 4, 1, False))
OURS_TF32 = persistent((128, 256, 32, 8, 3, 2, True), (128, 256, 32, 8, 3, 2, False), (128, 128, 32, 8, 4, 1, False))

OUTPUT = {"fp8e4nv": "bf16", "fp8e5": "bf16", "i8": "i32"}
ACCUMULATOR = {"i8": "int32", "fp64": "float64"}
# Of the norm, against float64: what rounding the result, truncating to tf32, and the short sums of fp8 cost.
TOLERANCE = {"bf16": 4e-3, "fp16": 6e-4, "fp32": 2e-3, "fp8e4nv": 3e-2, "fp8e5": 3e-2, "i8": 0.0, "fp64": 1e-12}


@dataclass
class Matmul:
    """C = A x B. `layout`: for A and for B, n when its rows are contiguous and t when its columns are."""
    m: int
    n: int
    k: int
    dtype: str
    layout: str
    configurations: list
    tiles: list = field(default_factory=list)
    goals: dict = field(default_factory=dict)
    activation: Optional[str] = None
    others: list = field(default_factory=list)

    name = entry = "matmul"
    libraries = ("cublas",)
    file = "40-matmul.tile"

    @property
    def output(self):
        return OUTPUT.get(self.dtype, self.dtype)

    @property
    def variant(self):
        return f"{self.dtype}-{self.layout}"

    @property
    def size(self):
        shown = {"fp32": "tf32", "fp8e4nv": "e4m3", "fp8e5": "e5m2"}.get(self.dtype, self.dtype)
        return f"{self.m}x{self.n}x{self.k} {shown} {self.layout}" + (f" {self.activation}" if self.activation else "")

    @property
    def flops(self):
        return 2 * self.m * self.n * self.k

    @property
    def tolerance(self):
        return TOLERANCE[self.dtype]

    def values(self, configuration=None):
        a, b = self.layout
        values = dict(a_ptr=Pointer(self.dtype), b_ptr=Pointer(self.dtype), c_ptr=Pointer(self.output), M=self.m,
                      N=self.n, K=self.k)
        if configuration and configuration.source:
            return values
        return dict(values, stride_am=self.k if a == "n" else 1, stride_ak=1 if a == "n" else self.m,
                    stride_bk=self.n if b == "n" else 1, stride_bn=1 if b == "n" else self.k, stride_cm=self.n,
                    stride_cn=1)

    def constants(self, configuration):
        if configuration.source:
            return {**configuration.constants, "GROUP_M": configuration.constants.get("GROUP_M", 8),
                    "A_ROWS": self.layout[0] == "n", "B_ROWS": self.layout[1] == "n"}
        return dict(configuration.constants, GROUP_M=8, ACC=Type(ACCUMULATOR.get(self.dtype, "float32")),
                    ACTIVATION=self.activation)

    def grid(self, configuration):
        c = configuration.constants
        tiles = cdiv(self.m, c["BLOCK_M"]) * cdiv(self.n, c["BLOCK_N"])
        if not configuration.programs:
            return (tiles,)
        return (cdiv(min(tiles, configuration.programs), configuration.ctas) * configuration.ctas,)

    def clustered(self, configurations):
        """The same with clusters of two programs, for those kernels whose tensor copies can be shared: with tensor
        descriptors, an even number of programs along x, and no split of K by clusters."""
        return [replace(c, ctas=2) for c in configurations if c.source and c.split_k == 1 and self.grid(c)[0] % 2 == 0]

    def data(self):
        return MatmulData(self)


class MatmulData:
    """Inputs and outputs on the GPU, with the product in float64."""

    def __init__(self, case):
        import accuracy
        import torch

        def matrix(rows, columns, contiguous):
            shape = (rows, columns) if contiguous == "n" else (columns, rows)
            if case.dtype == "i8":
                made = torch.randint(-127, 128, shape, device="cuda", dtype=torch.int8)
            else:
                made = torch.randn(shape, device="cuda").to(accuracy.TORCH[case.dtype])
            return made if contiguous == "n" else made.t()

        self.case = case
        self.a, self.b = matrix(case.m, case.k, case.layout[0]), matrix(case.k, case.n, case.layout[1])
        self.c = accuracy.Output((case.m, case.n), case.output)
        self.outputs = [self.c]
        self.arguments = dict(case.values(), a_ptr=self.a, b_ptr=self.b, c_ptr=self.c.view)
        self.expected = torch.matmul(accuracy.exact(self.a), accuracy.exact(self.b))
        if case.activation == "leaky_relu":
            self.expected = torch.where(self.expected >= 0, self.expected, 0.01 * self.expected)

    def error(self, result):
        """Of what the last launch wrote: all kernels write C, `result` or not."""
        import accuracy
        return accuracy.error(self.c.view, self.expected)

    def library(self):
        """cuBLAS: functions by name; each writes to the output of the case."""
        import torch
        torch.backends.cuda.matmul.allow_tf32 = True
        if self.case.dtype in ("fp8e4nv", "fp8e5"):
            one = torch.ones((), device="cuda")
            return {"cublas": lambda: torch._scaled_mm(self.a, self.b, one, one, out_dtype=torch.bfloat16,
                                                       use_fast_accum=True, out=self.c.view)}
        if self.case.dtype == "i8":
            return {"cublas": lambda: torch._int_mm(self.a, self.b, out=self.c.view)}
        return {"cublas": lambda: torch.matmul(self.a, self.b, out=self.c.view)}


def uneven(tiles):
    """Configurations of the text that all compile, for tiles of the model's."""
    return blocks(*((tile.m, tile.n, tile.k, tile.warps, tile.stages) for tile in tiles))


def problem_of(product):
    """What the model asks."""
    return Problem(product.m, product.n, product.k, 1 if product.dtype.startswith("fp8") else 2,
                   tuple(rows == "n" for rows in product.layout))


def with_uneven(product, most=3):
    """With tiles that only tilec compiles, where they are the likelier ones."""
    product.others = product.others + uneven(product_model.likely(problem_of(product), most))
    return product


def with_turns(product, most=4):
    """With tiles that two warpgroups take in turn: kernels of one warpgroup that are persistent."""
    made = uneven(product_model.in_turn(problem_of(product), most))
    product.others = product.others + [replace(c, persistent=True) for c in made]
    return product


def with_clusters(product):
    product.others = product.others + product.clustered(product.others[:4])
    return product


def timed():
    """The products that are measured, the most telling first. Goals: least ratios to the better peer, to Triton on the
    same text, and to the library."""
    shapes = ((8192, 8192, 8192, LARGE, OURS, 0.88), (4096, 4096, 4096, LARGE, OURS, 0.88),
              (8192, 1024, 8192, LARGE, OURS, 0.88), (4096, 14336, 4096, LARGE, OURS, 0.88),
              (2048, 2048, 2048, MEDIUM, OURS_MEDIUM, 0.85), (1024, 1024, 1024, MEDIUM, OURS_MEDIUM, 0.85),
              (4000, 4000, 4000, LARGE, OURS, 0.85), (16, 8192, 8192, ROWS16, OURS_ROWS, 0.85),
              (128, 8192, 8192, ROWS128, OURS_ROWS + SHARED_ROWS, 0.85))

    def halves(dtype):
        for m, n, k, configurations, others, goal in shapes:
            for layout in ("nn", "nt") if m == n == k and m in (4096, 8192) else ("nn",):
                yield with_turns(with_uneven(with_clusters(
                    Matmul(m, n, k, dtype, layout, configurations, TILES, dict(better_peer=goal, same_text=0.97),
                           others=others))))

    yield from halves("bf16")
    for n in (8192, 4096):
        yield with_turns(with_uneven(with_clusters(
            Matmul(n, n, n, "fp8e4nv", "nt", FP8, TILES_FP8, dict(better_peer=0.88), others=OURS_FP8))))
    yield Matmul(8192, 8192, 8192, "i8", "nt", FP8)
    for n in (8192, 4096):
        for layout in ("nn", "nt", "tn", "tt"):
            yield with_clusters(Matmul(n, n, n, "fp32", layout, TF32, TILES_TF32, dict(library=0.8), others=OURS_TF32))
    yield from halves("fp16")


def checked():
    """Small and ragged products that are only checked."""
    layouts = ("nn", "nt", "tn", "tt")
    small = blocks((64, 64, 64, 4, 3))
    both = small + blocks((128, 128, 64, 8, 3))
    single = small + blocks((128, 128, 32, 8, 3))
    double = blocks((32, 32, 32, 4, 2))
    odd = ((1, 300, 77), (300, 1, 64), (64, 48, 1), (1, 1, 1), (17, 33, 129), (256, 256, 256), (512, 384, 1000),
           (1000, 520, 72), (3, 4096, 4096))
    for dtype in ("bf16", "fp16", "fp32", "fp8e4nv", "fp8e5", "i8", "fp64"):
        configurations = {"fp32": single, "fp64": double}.get(dtype, both)
        for layout in layouts:
            for m, n, k in ((100, 300, 77), (129, 257, 65), (256, 384, 512)):
                yield Matmul(m, n, k, dtype, layout, configurations)
        for number, (m, n, k) in enumerate(odd):
            yield Matmul(m, n, k, dtype, layouts[number % 4], double if dtype == "fp64" else small)
    yield Matmul(129, 257, 65, "bf16", "nn", both, activation="leaky_relu")
    parts = shared((64, 64, 64, 4, 3, 2), (128, 128, 64, 8, 3, 4), (128, 64, 64, 4, 2, 8))
    for dtype in ("bf16", "fp8e4nv", "i8"):
        for number, (m, n, k) in enumerate(odd):
            yield Matmul(m, n, k, dtype, layouts[number % 4], [], others=parts)
    # Rows of whole 16 bytes in all matrices.
    tensor_maps = persistent((64, 64, 64, 4, 3, 1, False), (128, 128, 64, 8, 3, 2, True), (128, 64, 32, 4, 4, 1, True))
    for dtype in ("bf16", "fp16", "fp32", "fp8e4nv", "fp8e5"):
        for layout in layouts:
            for m, n, k in ((256, 384, 512), (48, 336, 80), (1008, 528, 720), (16, 16, 16), (4096, 1040, 256)):
                yield with_clusters(Matmul(m, n, k, dtype, layout, [], others=tensor_maps))
    # Columns, and rows, that are no power of two, by tensor copies, and in pieces by threads.
    tall = blocks((256, 144, 64, 8, 4), (168, 256, 64, 8, 4), (208, 128, 64, 8, 4))
    for dtype in ("bf16", "fp16", "fp8e4nv", "fp8e5"):
        for layout in layouts:
            yield Matmul(1008, 528, 720, dtype, layout, [], others=tall)
    yield Matmul(1001, 523, 719, "bf16", "nt", [], others=tall)
    for row in ((16, 32, 256, 4, 4), (64, 32, 128, 4, 5), (256, 128, 64, 8, 3), (64, 256, 64, 4, 4)):
        yield Matmul(250, 264, 328, "bf16", "nn", blocks(row))
