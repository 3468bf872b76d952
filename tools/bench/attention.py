# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Attention forward: sizes, the configurations that each compiler chooses from, data and what cuDNN does for the same
# work. Only AttentionData needs PyTorch.

import math
from dataclasses import dataclass, field, replace

from tensor_case import Configuration, Pointer, Source, cdiv

OVERLAPPED = Source("49-attention-overlapped.tile", "attention_overlapped")
DESCRIPTORS = Source("58-attention-descriptors.tile", "attention_descriptors")
ROLES = Source("59-attention-roles.tile", "attention_roles")
SAMPLED = 512  # queries of each head that are compared with float64


def blocks(*rows):
    """Configurations from rows of BLOCK_M, BLOCK_N, warps, stages."""
    return [Configuration(dict(BLOCK_M=m, BLOCK_N=n), warps, stages) for m, n, warps, stages in rows]


def others(source, *rows):
    """Configurations of another text of tilec's: rows of BLOCK_M, BLOCK_N, warps, stages."""
    return [Configuration(dict(BLOCK_M=m, BLOCK_N=n), warps, stages, source) for m, n, warps, stages in rows]


def tiles(*rows):
    """Configurations of Triton's kernel with tensor descriptors: rows as above, then whether warps are specialised."""
    return [Configuration(dict(BLOCK_M=m, BLOCK_N=n, SPECIALISE=specialise), warps, stages)
            for m, n, warps, stages, specialise in rows]


# By the size of a head: for tilec and for Triton on the same text.
CONFIGURATIONS = {
    64: blocks((128, 64, 4, 3), (128, 128, 8, 3), (128, 128, 8, 2), (128, 64, 8, 3), (64, 64, 4, 3), (64, 128, 4, 3),
               (64, 64, 4, 2), (64, 128, 4, 2)),
    128: blocks((128, 128, 8, 2), (128, 64, 8, 3), (128, 64, 8, 2), (64, 64, 4, 3), (64, 64, 4, 2), (64, 128, 4, 2)),
    256: blocks((64, 64, 4, 2), (128, 64, 8, 2), (64, 32, 4, 3), (128, 32, 8, 3))}
OTHERS = {
    64: others(OVERLAPPED, (128, 128, 8, 3), (128, 64, 4, 3), (64, 128, 4, 2), (64, 64, 4, 2))
    + others(DESCRIPTORS, (128, 128, 8, 2), (128, 128, 8, 3), (128, 64, 8, 2), (128, 64, 8, 3), (64, 128, 4, 2), (64, 64, 4, 2),
             (64, 64, 4, 3), (64, 128, 4, 3)),
    128: others(OVERLAPPED, (128, 128, 8, 2), (64, 64, 4, 2))
    + others(DESCRIPTORS, (128, 64, 8, 2), (128, 128, 8, 2), (64, 64, 4, 2), (64, 64, 4, 3))
    + [Configuration(dict(BLOCK_M=128, BLOCK_N=64, COPIES_OUT=True), 8, 2, DESCRIPTORS)]
    + others(ROLES, (128, 128, 8, 2)),
    256: others(ROLES, (128, 64, 8, 2))
    + [Configuration(dict(BLOCK_M=128, BLOCK_N=64, COPIES_OUT=True), 8, 2, DESCRIPTORS)]
    + others(DESCRIPTORS, (128, 64, 8, 2), (64, 64, 4, 2), (64, 32, 4, 2), (128, 32, 8, 2), (128, 32, 8, 3))}
# Load warps fetch the next program's queries, of which there are two slots, or one of wide heads, while one is computed.
PERSISTENT = {64: [],
              256: [replace(c, persistent=True) for c in (*blocks((128, 64, 8, 2)), *others(DESCRIPTORS, (128, 64, 8, 2)))],
              128: [replace(c, persistent=True) for c in (
                  *blocks((128, 128, 8, 2)), *others(DESCRIPTORS, (128, 128, 8, 2)),
                  Configuration(dict(BLOCK_M=128, BLOCK_N=128, COPIES_OUT=True), 8, 2, DESCRIPTORS))]}
TILES = {
    64: tiles((128, 64, 4, 3, False), (128, 128, 8, 3, False), (64, 64, 4, 3, False), (128, 64, 8, 2, False),
              (128, 64, 8, 2, True), (64, 128, 4, 2, False), (128, 128, 8, 2, False)),
    128: tiles((64, 64, 4, 3, False), (128, 128, 8, 3, False), (128, 128, 8, 2, False), (128, 64, 8, 3, False),
               (128, 64, 8, 2, False), (128, 64, 8, 2, True), (64, 64, 4, 2, False)),
    256: tiles((64, 64, 4, 2, False), (128, 64, 8, 2, False), (64, 32, 4, 3, False), (64, 32, 4, 2, False),
               (128, 32, 8, 2, False))}
TOLERANCE = {"bf16": 8e-3, "fp16": 2e-3}


@dataclass
class Attention:
    batch: int
    heads: int
    length: int
    depth: int
    causal: bool
    dtype: str
    configurations: list
    tiles: list = field(default_factory=list)
    goals: dict = field(default_factory=dict)
    others: list = field(default_factory=list)

    name = "attention"
    entry = "attention_forward"
    libraries = ("cudnn", "flash")
    file = "45-attention-forward.tile"

    @property
    def variant(self):
        return f"{self.dtype}-d{self.depth}-{'causal' if self.causal else 'full'}"

    @property
    def size(self):
        return f"b{self.batch}h{self.heads} s{self.length} {self.variant.replace('-', ' ')}"

    @property
    def flops(self):
        return int(4 * self.batch * self.heads * self.length**2 * self.depth * (0.5 if self.causal else 1))

    @property
    def tolerance(self):
        return TOLERANCE[self.dtype]

    def values(self, configuration=None):
        pointer = Pointer(self.dtype)
        values = dict(q_ptr=pointer, k_ptr=pointer, v_ptr=pointer, out_ptr=pointer, lse_ptr=Pointer("fp32"),
                      seq_len=self.length, scale=1 / math.sqrt(self.depth))
        if configuration and configuration.source in (DESCRIPTORS, ROLES):
            values["heads"] = self.batch * self.heads
        return values

    def constants(self, configuration):
        return dict(HEAD_DIM=self.depth, **configuration.constants, CAUSAL=self.causal)

    def grid(self, configuration):
        return (cdiv(self.length, configuration.constants["BLOCK_M"]), self.batch * self.heads)

    def data(self):
        return AttentionData(self)


class AttentionData:
    """Inputs and outputs on the GPU, with some queries' results in float64."""

    def __init__(self, case):
        import accuracy
        import torch
        self.case = case
        shape = (case.batch, case.heads, case.length, case.depth)
        kind = accuracy.TORCH[case.dtype]
        self.q, self.k, self.v = (torch.randn(shape, device="cuda", dtype=kind) for _ in range(3))
        self.out, self.lse = accuracy.Output(shape, case.dtype), accuracy.Output(shape[:3], "fp32")
        self.outputs = [self.out, self.lse]
        self.arguments = dict(case.values(), heads=case.batch * case.heads, q_ptr=self.q, k_ptr=self.k, v_ptr=self.v, out_ptr=self.out.view,
                              lse_ptr=self.lse.view)
        chosen = torch.randperm(case.length, device="cuda")[:SAMPLED]
        ends = torch.tensor([0, case.length - 1], device="cuda")
        self.rows = torch.unique(torch.cat([ends, chosen]))
        heads = case.batch * case.heads
        flat = [x.view(heads, case.length, case.depth) for x in (self.q, self.k, self.v)]
        hidden = torch.arange(case.length, device="cuda")[None, :] > self.rows[:, None] if case.causal else None
        step = max(1, 2**27 // (len(self.rows) * case.length))
        parts = []
        for begin in range(0, heads, step):
            q, k, v = (x[begin:begin + step].double() for x in flat)
            scores = q[:, self.rows] @ k.transpose(1, 2) / math.sqrt(case.depth)
            if case.causal:
                scores.masked_fill_(hidden, -math.inf)
            parts.append((torch.softmax(scores, 2) @ v, torch.logsumexp(scores, 2)))
        self.expected = [torch.cat(tensors) for tensors in zip(*parts)]

    def error(self, result):
        """Of what the last launch wrote, or, if there is such a thing, of what it gave: peers make no logarithms."""
        import accuracy
        import torch
        heads, case = self.case.batch * self.case.heads, self.case
        out = self.out.view if result is None else result
        sample = out.reshape(heads, case.length, case.depth)[:, self.rows]
        worst = accuracy.error(sample, self.expected[0])
        checked = [out]
        if result is None:
            # The logarithms are computed in fp32: they have to be much better than what is rounded.
            lse = self.lse.view.view(heads, case.length)
            worst = max(worst, 10 * accuracy.error(lse[:, self.rows], self.expected[1]))
            checked.append(lse)
        return worst if all(torch.isfinite(tensor).all() for tensor in checked) else math.inf

    def library(self):
        """cuDNN and, where it refuses, the kernel that PyTorch brings."""
        import torch.nn.functional as F
        from torch.nn.attention import SDPBackend, sdpa_kernel

        def attend(backend):
            with sdpa_kernel(backend):
                return F.scaled_dot_product_attention(self.q, self.k, self.v, is_causal=self.case.causal)

        try:
            attend(SDPBackend.CUDNN_ATTENTION)
            return {"cudnn": lambda: attend(SDPBackend.CUDNN_ATTENTION)}
        except RuntimeError:
            return {"flash": lambda: attend(SDPBackend.FLASH_ATTENTION)}


def others_of(depth):
    """The configurations that only tilec has."""
    return OTHERS[depth] + PERSISTENT[depth]


def timed():
    """What is measured. Goals: least ratio to the best of Triton's kernels."""
    for depth in (128, 64, 256):
        for batch, heads, length in ((4, 32, 4096), (1, 16, 16384)):
            for causal in (True, False):
                yield Attention(batch, heads, length, depth, causal, "bf16", CONFIGURATIONS[depth], TILES[depth],
                                {} if depth == 256 else dict(triton=0.95), others_of(depth))
    yield Attention(16, 16, 1024, 128, True, "bf16", CONFIGURATIONS[128], TILES[128], {}, others_of(128))


def checked():
    """Small and ragged sizes that are only checked."""
    for dtype in ("bf16", "fp16"):
        for depth in (32, 64, 128, 256):
            for causal in (True, False):
                for length in (1, 100, 129, 333, 1024):
                    yield Attention(2, 3, length, depth, causal, dtype,
                                    blocks((64, 64, 4, 2)) + (blocks((128, 64, 8, 2)) if length > 128 else []),
                                    others=others(OVERLAPPED, (64, 64, 4, 2))
                                    + others(DESCRIPTORS, (64, 64, 4, 2), (128, 64, 8, 2)))
