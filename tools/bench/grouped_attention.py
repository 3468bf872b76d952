# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Attention with groups of query heads, tensors of [batch, length, head, depth]: sizes, configurations, data and what cuDNN
# does for the same work. Only GroupedData needs PyTorch.

import math
from dataclasses import dataclass, field, replace

from attention import CONFIGURATIONS, SAMPLED, TOLERANCE, blocks
from tensor_case import Pointer, cdiv


# As in attention.py.
PERSISTENT = {64: [], 128: [replace(c, persistent=True) for c in blocks((128, 128, 8, 2))]}


@dataclass
class GroupedAttention:
    batch: int
    heads: int
    kv_heads: int
    length: int
    depth: int
    causal: bool
    window: int
    dtype: str
    configurations: list
    tiles: list = field(default_factory=list)
    goals: dict = field(default_factory=dict)
    others: list = field(default_factory=list)

    name = "grouped_attention"
    entry = "grouped_query_attention"
    libraries = ("cudnn", "flash")
    file = "48-grouped-query-attention.tile"

    @property
    def variant(self):
        return (f"{self.dtype}-d{self.depth}-{'causal' if self.causal else 'full'}-g{self.heads // self.kv_heads}"
                + (f"-w{self.window}" if self.window else ""))

    @property
    def size(self):
        return f"b{self.batch}h{self.heads}kv{self.kv_heads} s{self.length} {self.variant.replace('-', ' ')}"

    @property
    def flops(self):
        """Of what is visible."""
        length = self.length
        seen = length * length * (0.5 if self.causal else 1)
        if self.window and self.window < length:
            # The triangle of the keys that are too far back.
            seen -= (length - self.window)**2 / 2
        return int(4 * self.batch * self.heads * seen * self.depth)

    @property
    def tolerance(self):
        return TOLERANCE[self.dtype]

    def values(self, configuration=None):
        pointer = Pointer(self.dtype)
        strides = {}
        for name, row, heads in (("q", "m", self.heads), ("k", "n", self.kv_heads), ("v", "n", self.kv_heads),
                                 ("o", "m", self.heads)):
            strides[f"stride_{name}b"] = self.length * heads * self.depth
            strides[f"stride_{name}h"] = self.depth
            strides[f"stride_{name}{row}"] = heads * self.depth
        return dict(q_ptr=pointer, k_ptr=pointer, v_ptr=pointer, out_ptr=pointer, lse_ptr=Pointer("fp32"), **strides,
                    heads=self.heads, q_length=self.length, k_length=self.length, scale=1 / math.sqrt(self.depth))

    def constants(self, configuration):
        return dict(HEAD_DIM=self.depth, GROUP=self.heads // self.kv_heads, **configuration.constants,
                    CAUSAL=self.causal, WINDOW=self.window)

    def grid(self, configuration):
        return (cdiv(self.length, configuration.constants["BLOCK_M"]), self.heads, self.batch)

    def data(self):
        return GroupedData(self)


class GroupedData:
    """Inputs and outputs on the GPU, with some queries' results in float64."""

    def __init__(self, case):
        import accuracy
        import torch
        self.case = case
        kind = accuracy.TORCH[case.dtype]
        self.q, self.k, self.v = (torch.randn((case.batch, case.length, heads, case.depth), device="cuda", dtype=kind)
                                  for heads in (case.heads, case.kv_heads, case.kv_heads))
        self.out = accuracy.Output(self.q.shape, case.dtype)
        self.lse = accuracy.Output((case.batch, case.heads, case.length), "fp32")
        self.outputs = [self.out, self.lse]
        self.arguments = dict(case.values(), q_ptr=self.q, k_ptr=self.k, v_ptr=self.v, out_ptr=self.out.view,
                              lse_ptr=self.lse.view)
        picked = [torch.tensor([0, case.length - 1], device="cuda"),
                  torch.randperm(case.length, device="cuda")[:SAMPLED]]
        self.rows = torch.unique(torch.cat(picked))
        behind = torch.arange(case.length, device="cuda")[None, :] - self.rows[:, None]
        hidden = torch.zeros_like(behind, dtype=torch.bool)
        if case.causal:
            hidden |= behind > 0
        if case.window:
            hidden |= behind <= -case.window
        parts = []
        for batch in range(case.batch):
            for head in range(case.heads):
                kv_head = head * case.kv_heads // case.heads
                scores = self.q[batch, self.rows, head].double() @ self.k[batch, :, kv_head].double().T
                scores = (scores / math.sqrt(case.depth)).masked_fill(hidden, -math.inf)
                parts.append((torch.softmax(scores, 1) @ self.v[batch, :, kv_head].double(),
                              torch.logsumexp(scores, 1)))
        self.expected = [torch.stack(tensors) for tensors in zip(*parts)]

    def error(self, result):
        """Of what the last launch wrote, or, if there is such a thing, of what it gave, which has heads in front."""
        import accuracy
        import torch
        case = self.case
        out = self.out.view.transpose(1, 2) if result is None else result
        sample = out.reshape(case.batch * case.heads, case.length, case.depth)[:, self.rows]
        worst = accuracy.error(sample, self.expected[0])
        checked = [out]
        if result is None:
            lse = self.lse.view.view(case.batch * case.heads, case.length)
            worst = max(worst, 10 * accuracy.error(lse[:, self.rows], self.expected[1]))
            checked.append(lse)
        return worst if all(torch.isfinite(tensor).all() for tensor in checked) else math.inf

    def library(self):
        """cuDNN and, where it refuses, the kernel that PyTorch brings; neither has windows there."""
        import torch.nn.functional as F
        from torch.nn.attention import SDPBackend, sdpa_kernel
        if self.case.window:
            return {}
        inputs = [tensor.transpose(1, 2) for tensor in (self.q, self.k, self.v)]

        def attend(backend):
            with sdpa_kernel(backend):
                return F.scaled_dot_product_attention(*inputs, is_causal=self.case.causal, enable_gqa=True)

        try:
            attend(SDPBackend.CUDNN_ATTENTION)
            return {"cudnn": lambda: attend(SDPBackend.CUDNN_ATTENTION)}
        except RuntimeError:
            return {"flash": lambda: attend(SDPBackend.FLASH_ATTENTION)}


def timed():
    """What is measured. Goals: least ratio to Triton on the same text."""
    for depth, batch, length in ((128, 4, 4096), (128, 1, 16384), (64, 4, 4096)):
        for causal in (True, False):
            yield GroupedAttention(batch, 32, 8, length, depth, causal, 0, "bf16", CONFIGURATIONS[depth],
                                   goals=dict(same_text=0.95), others=PERSISTENT[depth])
    yield GroupedAttention(1, 32, 8, 16384, 128, True, 4096, "bf16", CONFIGURATIONS[128], goals=dict(same_text=0.95),
                           others=PERSISTENT[128])


def checked():
    """Small and ragged sizes that are only checked."""
    for dtype, depth in (("bf16", 128), ("fp16", 64)):
        for causal in (True, False):
            for length in (1, 100, 333, 1024):
                for window in (0, 150):
                    yield GroupedAttention(2, 6, 2, length, depth, causal, window, dtype,
                                           blocks((64, 64, 4, 2)) + (blocks((128, 64, 8, 2)) if length > 128 else []))
