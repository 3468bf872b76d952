# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Decode attention over a paged cache: the kernel for splits and the one that joins them, timed together, or one kernel in
# which the last program joins; sizes, configurations and data. Only DecodeData needs PyTorch.

import math
from dataclasses import dataclass, field

from tensor_case import Configuration, Pointer, Source, Step, cdiv

JOINED = Source("63-decode-attention-joined.tile", "decode_attention_joined")


@dataclass
class Split(Configuration):
    """A way to run the first kernel; the second one follows from it."""

    @property
    def joins(self):
        return Configuration(dict(SPLITS=self.constants["SPLITS"]), 4 if self.constants["SPLITS"] > 8 else 1, 1)


def splits(*rows):
    """Configurations from rows of BLOCK_N, SPLITS, warps, stages."""
    return [Split(dict(BLOCK_N=n, SPLITS=count), warps, stages) for n, count, warps, stages in rows]


def joined(*rows):
    """Configurations of the one kernel from rows of BLOCK_N, SPLITS, parts that are read at once, BLOCK_H, warps, stages."""
    return [Configuration(dict(BLOCK_N=n, SPLITS=count, JOINED=at_once, BLOCK_H=h), warps, stages, JOINED)
            for n, count, at_once, h, warps, stages in rows]


# With 8 key heads, as many programs as fit on 132 multiprocessors two, three, four or eight times: no power of two for Triton.
WHOLE_ROUNDS = splits((64, 33, 4, 3), (64, 49, 4, 3), (64, 66, 4, 3), (64, 33, 4, 4), (64, 66, 4, 4), (32, 66, 4, 4),
                      (128, 33, 4, 3), (64, 132, 4, 3))
# Three times with two stages, twice with three.
ALONE = joined((64, 49, 32, 8, 4, 2), (64, 48, 16, 8, 4, 2), (64, 33, 32, 8, 4, 3), (64, 32, 32, 8, 4, 3))
BATCHES = joined((64, 8, 8, 8, 4, 3), (64, 16, 16, 8, 4, 3), (64, 4, 4, 8, 4, 3), (64, 8, 8, 8, 4, 2))
TOLERANCE = {"bf16": 8e-3, "fp16": 2e-3}

ATTENTION = ("q_ptr", "k_ptr", "v_ptr", "table_ptr", "lengths_ptr")
NAMES = {"decode_attention": (*ATTENTION, "partial_ptr", "lse2_ptr", "kv_heads", "table_stride", "scale"),
         "join_splits": ("partial_ptr", "lse2_ptr", "out_ptr"),
         JOINED.entry: (*ATTENTION, "parts_ptr", "largest_ptr", "totals_ptr", "counters_ptr", "out_ptr", "kv_heads",
                        "table_stride", "scale")}


@dataclass
class DecodeStep(Step):
    """One of the kernels."""
    @property
    def joins(self):
        return self.entry == "join_splits"

    def values(self, configuration=None):
        everything = self.case.values()
        return {name: everything[name] for name in NAMES[self.entry]}

    def constants(self, configuration):
        case = self.case
        if self.joins:
            return dict(HEAD_DIM=case.depth, **configuration.constants)
        return {**dict(HEAD_DIM=case.depth, PAGE=case.page, GROUP=case.heads // case.kv_heads, BLOCK_H=16),
                **configuration.constants}

    def grid(self, configuration):
        case = self.case
        if self.joins:
            return (case.batch * case.heads,)
        return (configuration.constants["SPLITS"], case.kv_heads, case.batch)


@dataclass
class Decode:
    batch: int
    heads: int
    kv_heads: int
    length: int
    depth: int
    page: int
    dtype: str
    ragged: bool
    configurations: list
    tiles: list = field(default_factory=list)
    goals: dict = field(default_factory=dict)
    others: list = field(default_factory=list)

    name = "decode"
    entry = "decode_attention"
    libraries = ()
    file = "47-decode-attention.tile"

    @property
    def variant(self):
        return f"{self.dtype}-d{self.depth}-p{self.page}-g{self.heads // self.kv_heads}"

    @property
    def size(self):
        return (f"b{self.batch}h{self.heads}kv{self.kv_heads} s{self.length}{' ragged' if self.ragged else ''} "
                f"{self.dtype} d{self.depth} page {self.page}")

    def lengths(self):
        """Of the sequences: all the same, or from nothing to the longest."""
        if not self.ragged:
            return [self.length] * self.batch
        return [self.length * i // max(1, self.batch - 1) for i in range(self.batch)]

    @property
    def pages(self):
        """Pages that a sequence has room for."""
        return max(1, cdiv(self.length, self.page))

    @property
    def bytes(self):
        """That have to be read, but for the queries and the like."""
        return 2 * sum(self.lengths()) * self.kv_heads * self.depth * 2

    @property
    def flops(self):
        return 4 * sum(self.lengths()) * self.heads * self.depth

    @property
    def tolerance(self):
        return TOLERANCE[self.dtype]

    def steps(self, configuration):
        if configuration.source:
            return [(DecodeStep(self, configuration.source.entry), configuration)]
        return [(DecodeStep(self, "decode_attention"), configuration), (DecodeStep(self, "join_splits"), configuration.joins)]

    def values(self, configuration=None):
        pointer, numbers, indices = Pointer(self.dtype), Pointer("fp32"), Pointer("i32")
        return dict(q_ptr=pointer, k_ptr=pointer, v_ptr=pointer, table_ptr=indices, lengths_ptr=indices,
                    partial_ptr=numbers, lse2_ptr=numbers, out_ptr=pointer, kv_heads=self.kv_heads,
                    table_stride=self.pages, scale=1 / math.sqrt(self.depth), counters_ptr=indices, totals_ptr=numbers,
                    parts_ptr=Pointer("fp32", "partial_ptr"), largest_ptr=Pointer("fp32", "lse2_ptr"))

    def data(self):
        return DecodeData(self)


class DecodeData:
    """A cache whose pages are in random order, and the results in float64."""

    def __init__(self, case):
        import accuracy
        import torch
        self.case = case
        kind, pages = accuracy.TORCH[case.dtype], case.batch * case.pages
        shape = (pages, case.page, case.kv_heads, case.depth)
        self.k, self.v = (torch.randn(shape, device="cuda", dtype=kind) for _ in range(2))
        self.q = torch.randn((case.batch, case.heads, case.depth), device="cuda", dtype=kind)
        table = torch.randperm(pages, device="cuda").int().view(case.batch, case.pages)
        lengths = torch.tensor(case.lengths(), device="cuda", dtype=torch.int32)
        self.out = accuracy.Output((case.batch, case.heads, case.depth), case.dtype)
        most = max(c.constants["SPLITS"] for c in case.configurations + case.others)
        self.partial = accuracy.Output((case.batch * case.heads * most, case.depth), "fp32")
        self.lse2, self.totals = (accuracy.Output((case.batch * case.heads * most,), "fp32") for _ in range(2))
        self.outputs = [self.out, self.partial, self.lse2, self.totals]
        counters = torch.zeros(case.batch * case.kv_heads, device="cuda", dtype=torch.int32)
        self.arguments = dict(case.values(), q_ptr=self.q, k_ptr=self.k, v_ptr=self.v, table_ptr=table,
                              lengths_ptr=lengths, partial_ptr=self.partial.view, lse2_ptr=self.lse2.view,
                              totals_ptr=self.totals.view, counters_ptr=counters, out_ptr=self.out.view)
        self.expected = torch.stack([self.attend(number, table[number].long(), length)
                                     for number, length in enumerate(case.lengths())])

    def attend(self, number, pages, length):
        """One sequence."""
        import torch
        case = self.case
        queries = self.q[number].double().view(case.kv_heads, -1, case.depth)
        if length == 0:
            return torch.zeros_like(queries).view(case.heads, case.depth)
        k, v = (cache[pages].view(-1, case.kv_heads, case.depth)[:length].double().transpose(0, 1)
                for cache in (self.k, self.v))
        weights = torch.softmax(queries @ k.transpose(1, 2) / math.sqrt(case.depth), 2)
        return (weights @ v).view(case.heads, case.depth)

    def error(self, result):
        import accuracy
        return accuracy.error(self.out.view, self.expected)

    def library(self):
        """PyTorch has nothing for paged caches that takes a table."""
        return {}


TIMED = splits((64, 8, 4, 3), (64, 16, 4, 3), (64, 4, 4, 4), (64, 1, 4, 3), (128, 8, 8, 3), (64, 32, 4, 4))


def timed():
    """What is measured. Goals: least ratio to Triton on the same text."""
    for batch, heads, kv_heads, length, page in ((64, 32, 8, 4096, 16), (128, 64, 8, 2048, 64), (16, 32, 8, 8192, 16),
                                                 (1, 32, 8, 65536, 16)):
        yield Decode(batch, heads, kv_heads, length, 128, page, "bf16", False, TIMED, goals=dict(same_text=1.0),
                     others=WHOLE_ROUNDS + ALONE if batch == 1 else BATCHES)
    yield Decode(64, 32, 8, 8192, 128, 16, "bf16", True, TIMED, goals=dict(same_text=1.0), others=BATCHES)


def checked():
    """Small and ragged sizes that are only checked."""
    for dtype, depth in (("bf16", 128), ("fp16", 64)):
        for page in (16, 32, 64):
            for heads, kv_heads in ((8, 8), (12, 4), (16, 1)):
                few = [] if heads // kv_heads > 8 else joined((64, 5, 4, 8, 4, 3))
                yield Decode(5, heads, kv_heads, 700, depth, page, dtype, True, splits((64, 4, 4, 3), (128, 2, 8, 2)),
                             others=joined((64, 3, 2, 16, 4, 3), (128, 4, 4, 16, 8, 2)) + few)
