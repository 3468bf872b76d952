# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Attention backward: three kernels, run one after the other and timed together, in the way of example 46 or of 62; sizes,
# configurations of the large kernels, data and what cuDNN does for the same work. Only BackwardData needs PyTorch.

import math
from dataclasses import dataclass

from attention import Attention
from tensor_case import Configuration, Pointer, Step, cdiv

TEXT = "46-attention-backward.tile"
FUSED_TEXT = "62-attention-backward-fused.tile"
SAMPLED = 256  # queries and keys of each head that are compared with float64
ROWS = Configuration(dict(BLOCK_M=32), 4, 2)


def pairs(keys, queries):
    """All pairs of a configuration of the kernel for keys and one of the kernel for queries: rows of BLOCK_M, BLOCK_N,
    warps, stages."""
    def one(row):
        return Configuration(dict(BLOCK_M=row[0], BLOCK_N=row[1]), row[2], row[3])
    return [Pair(one(k), one(q)) for k in keys for q in queries]


@dataclass
class Pair:
    """One way to run the kernels."""
    keys: Configuration
    queries: Configuration

    @property
    def label(self):
        return f"{self.keys.label}-{self.queries.label}"


@dataclass
class Fused:
    """One way to run the kernels that add to dQ in memory."""
    tiles: Configuration

    @property
    def label(self):
        return f"fused_{self.tiles.label}"


def fused(*rows):
    """Rows of BLOCK_M, BLOCK_N, warps, stages."""
    return [Fused(Configuration(dict(BLOCK_M=m, BLOCK_N=n), warps, stages)) for m, n, warps, stages in rows]


def tiles(*rows):
    """Configurations of Triton's kernel: rows of the blocks of queries and keys for dK and dV, then for dQ, warps,
    stages."""
    return [Configuration(dict(BLOCK_M1=m1, BLOCK_N1=n1, BLOCK_M2=m2, BLOCK_N2=n2), warps, stages)
            for m1, n1, m2, n2, warps, stages in rows]


CONFIGURATIONS = {
    64: pairs(((64, 128, 8, 3), (64, 64, 4, 3)), ((128, 64, 8, 3), (128, 128, 8, 2), (64, 64, 4, 3))),
    128: pairs(((64, 128, 8, 3), (64, 128, 8, 2), (32, 64, 4, 3)), ((128, 64, 8, 3), (128, 64, 8, 2), (64, 64, 4, 2)))}
ROUNDED = Fused(Configuration(dict(BLOCK_M=128, BLOCK_N=128, ROUND_WEIGHTS=True), 8, 3))
FUSED = {64: fused((64, 64, 4, 3), (64, 128, 8, 3)) + [ROUNDED], 128: fused((64, 128, 8, 3))}
# The first is the tutorial's.
TILES = tiles((32, 128, 128, 32, 4, 5), (32, 128, 128, 32, 4, 3), (32, 128, 128, 32, 8, 3), (64, 128, 128, 64, 8, 3),
              (64, 128, 128, 64, 8, 2), (64, 64, 64, 64, 4, 2))
TOLERANCE = {"bf16": 1.2e-2, "fp16": 3e-3}


@dataclass
class GradientStep(Step):
    """One of the kernels."""
    pointers: dict
    file: str = TEXT

    @property
    def holds_scores(self):
        return self.entry.removeprefix("attention_backward_") in ("keys", "queries", "fused")

    @property
    def walks_queries(self):
        return self.entry in ("attention_backward_keys", "attention_backward_fused")

    def values(self, configuration=None):
        numbers = dict(seq_len=self.case.length)
        if self.entry == "attention_backward_fused":
            numbers["heads"] = self.case.batch * self.case.heads
        if self.entry in ("attention_backward_prepare", "attention_backward_fused"):
            numbers["row_stride"] = self.case.padded_length
        if self.holds_scores or self.entry == "attention_backward_finish":
            numbers["scale"] = 1 / math.sqrt(self.case.depth)
        return dict({name: Pointer(kind) for name, kind in self.pointers.items()}, **numbers)

    def constants(self, configuration):
        causal = dict(CAUSAL=self.case.causal) if self.holds_scores else {}
        return dict(HEAD_DIM=self.case.depth, **configuration.constants, **causal)

    def grid(self, configuration):
        block = configuration.constants["BLOCK_N" if self.walks_queries else "BLOCK_M"]
        return (cdiv(self.case.length, block), self.case.batch * self.case.heads)


class AttentionBackward(Attention):
    name = entry = "attention_backward"
    file = TEXT

    @property
    def flops(self):
        """Of the five products that the gradients consist of; who makes the scores twice is not paid for it."""
        return int(10 * self.batch * self.heads * self.length**2 * self.depth * (0.5 if self.causal else 1))

    @property
    def padded_length(self):
        """Numbers for each head's rows, of which tensor copies take blocks."""
        return cdiv(self.length, 4) * 4

    @property
    def tolerance(self):
        # The first queries of a causal head have large gradients from few keys; cuDNN and Triton are 2e-2 off there.
        return TOLERANCE[self.dtype] * (3 if self.causal else 1)

    def steps(self, configuration):
        """The kernels in order, each with its configuration."""
        kind = self.dtype
        inputs = dict(q_ptr=kind, k_ptr=kind, v_ptr=kind, dout_ptr=kind, lse2_ptr="fp32", delta_ptr="fp32")
        rows = dict(out_ptr=kind, dout_ptr=kind, lse_ptr="fp32", lse2_ptr="fp32", delta_ptr="fp32")
        if isinstance(configuration, Fused):
            sums = dict(dq_sum_ptr="fp32")
            large = dict(inputs, **sums, dk_ptr=kind, dv_ptr=kind)
            return [(GradientStep(self, "attention_backward_prepare", dict(rows, **sums), FUSED_TEXT), ROWS),
                    (GradientStep(self, "attention_backward_fused", large, FUSED_TEXT), configuration.tiles),
                    (GradientStep(self, "attention_backward_finish", dict(sums, dq_ptr=kind), FUSED_TEXT), ROWS)]
        return [(GradientStep(self, "attention_backward_rows", rows), ROWS),
                (GradientStep(self, "attention_backward_keys", dict(inputs, dk_ptr=kind, dv_ptr=kind)), configuration.keys),
                (GradientStep(self, "attention_backward_queries", dict(inputs, dq_ptr=kind)), configuration.queries)]

    def values(self, configuration=None):
        """The arguments of all kernels."""
        pointer, numbers = Pointer(self.dtype), Pointer("fp32")
        tensors = ("q_ptr", "k_ptr", "v_ptr", "out_ptr", "dout_ptr", "dq_ptr", "dk_ptr", "dv_ptr")
        return dict({name: pointer for name in tensors}, lse_ptr=numbers, lse2_ptr=numbers, delta_ptr=numbers,
                    dq_sum_ptr=numbers, log2_lse=numbers, seq_len=self.length, scale=1 / math.sqrt(self.depth))

    def constants(self, configuration):
        """Of Triton's kernel."""
        return dict(HEAD_DIM=self.depth, **configuration.constants, CAUSAL=self.causal)

    def data(self):
        return BackwardData(self)


class BackwardData:
    """Inputs and outputs on the GPU, with some queries' and keys' gradients in float64."""

    def __init__(self, case):
        import accuracy
        import torch
        self.case = case
        shape = (case.batch, case.heads, case.length, case.depth)
        kind = accuracy.TORCH[case.dtype]
        self.q, self.k, self.v, self.dout = (torch.randn(shape, device="cuda", dtype=kind) for _ in range(4))
        self.dq, self.dk, self.dv = (accuracy.Output(shape, case.dtype) for _ in range(3))
        self.lse2, self.delta = (accuracy.Output((*shape[:2], case.padded_length), "fp32") for _ in range(2))
        self.dq_sum = accuracy.Output(shape, "fp32")
        self.outputs = [self.dq, self.dk, self.dv, self.lse2, self.delta, self.dq_sum]
        # All, for lengths up to the sample.
        picked = [torch.tensor([0, case.length - 1], device="cuda"),
                  torch.randperm(case.length, device="cuda")[:SAMPLED]]
        self.rows = torch.unique(torch.cat(picked))
        out = torch.empty(shape, device="cuda", dtype=kind)
        lse = torch.empty(shape[:3], device="cuda", dtype=torch.float32)
        parts = [self.differentiate(head, out, lse) for head in range(case.batch * case.heads)]
        self.expected = [torch.stack(tensors) for tensors in zip(*parts)]
        self.out, self.lse = out, lse
        self.arguments = dict(case.values(), q_ptr=self.q, k_ptr=self.k, v_ptr=self.v, out_ptr=out, dout_ptr=self.dout,
                              lse_ptr=lse, lse2_ptr=self.lse2.view, delta_ptr=self.delta.view, dq_ptr=self.dq.view,
                              dq_sum_ptr=self.dq_sum.view, dk_ptr=self.dk.view, dv_ptr=self.dv.view, log2_lse=lse * math.log2(math.e))

    def head(self, tensor, number):
        return tensor.view(-1, self.case.length, *tensor.shape[3:])[number]

    def differentiate(self, number, out, lse):
        """Fills one head of what the forward pass gives; returns dQ, dK and dV of the sample."""
        import torch
        case = self.case
        q, k, v, dout = (self.head(tensor, number).double() for tensor in (self.q, self.k, self.v, self.dout))
        scale, positions = 1 / math.sqrt(case.depth), torch.arange(case.length, device="cuda")
        delta = torch.empty(case.length, device="cuda", dtype=torch.float64)
        dk, dv = (torch.zeros(len(self.rows), case.depth, device="cuda", dtype=torch.float64) for _ in range(2))
        dq = torch.empty_like(dk)

        def weights(begin, end):
            scores = q[begin:end] @ k.T * scale
            if case.causal:
                scores.masked_fill_(positions[None, :] > positions[begin:end, None], -math.inf)
            return torch.softmax(scores, 1), torch.logsumexp(scores, 1)

        step = max(1, 2**26 // case.length)
        for begin in range(0, case.length, step):
            end = min(begin + step, case.length)
            p, sums = weights(begin, end)
            result = p @ v
            rounded = self.head(out, number)[begin:end]
            rounded.copy_(result)
            self.head(lse, number)[begin:end] = sums
            # What the kernels are given is rounded; where a query sees one key, dQ is the difference of equal numbers.
            delta[begin:end] = (rounded.double() * dout[begin:end]).sum(1)
            kept = p[:, self.rows]
            ds = kept * (dout[begin:end] @ v[self.rows].T - delta[begin:end, None])
            dv += kept.T @ dout[begin:end]
            dk += ds.T @ q[begin:end] * scale
            here = (self.rows >= begin) & (self.rows < end)
            own = self.rows[here] - begin
            dq[here] = (p[own] * (dout[begin:end][own] @ v.T - delta[begin:end][own, None])) @ k * scale
        return dq, dk, dv

    def error(self, result):
        """Of what the last launch wrote, or of what it gave."""
        import accuracy
        import torch
        gradients = [self.dq.view, self.dk.view, self.dv.view] if result is None else list(result)
        if not all(torch.isfinite(tensor).all() for tensor in gradients):
            return math.inf
        heads, case = self.case.batch * self.case.heads, self.case
        samples = [tensor.reshape(heads, case.length, case.depth)[:, self.rows] for tensor in gradients]
        # A query that sees one key only has no gradient: what is left is rounding of numbers about 1.
        least = 1.0 if case.length == 1 else 0.0
        return max(accuracy.error(sample, expected, least) for sample, expected in zip(samples, self.expected))

    def library(self):
        """cuDNN and, where it refuses, the kernels that PyTorch brings. The forward pass is done before."""
        import torch
        import torch.nn.functional as F
        from torch.nn.attention import SDPBackend, sdpa_kernel

        def prepared(backend):
            inputs = [tensor.detach().requires_grad_() for tensor in (self.q, self.k, self.v)]
            with sdpa_kernel(backend):
                out = F.scaled_dot_product_attention(*inputs, is_causal=self.case.causal)

            def differentiate():
                return torch.autograd.grad(out, inputs, self.dout, retain_graph=True)
            differentiate()
            return differentiate

        try:
            return {"cudnn": prepared(SDPBackend.CUDNN_ATTENTION)}
        except RuntimeError:
            return {"flash": prepared(SDPBackend.FLASH_ATTENTION)}


def timed():
    """What is measured. Goals: least ratio to the best of Triton's kernels."""
    for batch, heads, length, depth in ((4, 32, 4096, 128), (1, 16, 16384, 128), (1, 16, 16384, 64)):
        for causal in (True, False):
            yield AttentionBackward(batch, heads, length, depth, causal, "bf16", CONFIGURATIONS[depth], TILES,
                                    dict(triton=0.9) if depth == 128 else {}, FUSED[depth])


def checked():
    """Small and ragged sizes that are only checked."""
    for dtype, depth in (("bf16", 32), ("fp16", 64), ("bf16", 128), ("bf16", 256)):
        one = pairs(((32, 64, 8, 2),), ((64, 32, 8, 2),)) if depth == 256 else pairs(((32, 64, 4, 2),), ((64, 64, 4, 2),))
        wide = [] if depth == 256 else pairs(((64, 128, 8, 2),), ((128, 64, 8, 2),))
        added = [] if depth == 256 else fused((32, 64, 4, 2)) + (fused((64, 128, 8, 3)) if depth > 32 else [])
        for causal in (True, False):
            for length in (1, 100, 333, 1024):
                yield AttentionBackward(2, 3, length, depth, causal, dtype, one + (wide if length > 128 else []),
                                        others=added)
