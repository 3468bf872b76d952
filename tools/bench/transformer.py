# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What a transformer does between its matrix products: embedding, rotation, gates, loss, quantisation.

import torch
import torch.nn.functional as F

from case import BF16, BOTH, F16, NAMES, TOLERANCE, Case, cdiv, each, empty, power_of_two, randn, size_of
from rowwise import FEW, WIDE, row_case


def cross_entropy(shapes=((4096, 32000), (2048, 128256), (8192, 4001)) + WIDE, dtypes=BOTH):
    def make(dtype, m, n):
        x, loss, lse = randn(m, n, dtype=dtype), empty(m), empty(m)
        target = torch.randint(0, n, (m,), device="cuda")
        target[::17] = -100

        def reference(c):
            wide = x.double()
            return [F.cross_entropy(wide, target, reduction="none"), torch.logsumexp(wide, 1)]

        # Rows up to 65536 elements fit a program as a whole, too.
        is_wide = (m, n) in WIDE
        blocks = [dict(BLOCK=1024), dict(BLOCK=2048), dict(BLOCK=8192)] + [dict(BLOCK=power_of_two(n))] * is_wide
        warps = (4, 8, 16, 32) if is_wide else (4, 8, 16)
        return Case("cross_entropy", "21-cross-entropy.tile", f"{m}x{n}_{NAMES[dtype]}",
                    dict(x_ptr=x, target_ptr=target, loss_ptr=loss, lse_ptr=lse, stride=n, n=n, ignored=-100),
                    blocks, lambda c: (m,), ["loss_ptr", "lse_ptr"], reference,
                    size_of(x, target, loss, lse), 2e-6, lambda: F.cross_entropy(x, target, reduction="none"),
                    warps=warps)
    yield from each(make, shapes, dtypes)


def rope():
    def make(dtype, tokens, heads, half):
        x, y = randn(tokens, heads, 2 * half, dtype=dtype), empty(tokens, heads, 2 * half, dtype=dtype)
        angle = torch.outer(torch.arange(tokens, device="cuda").double(),
                            10000.0 ** (-torch.arange(half, device="cuda").double() / half))
        cos, sin = angle.cos().float(), angle.sin().float()

        def rotate(x, cos, sin):
            x1, x2 = x[..., :half], x[..., half:]
            cos, sin = cos[:, None], sin[:, None]
            return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], 2)

        return Case("rope", "22-rope.tile", f"{tokens}x{heads}x{2 * half}_{NAMES[dtype]}",
                    dict(x_ptr=x, cos_ptr=cos, sin_ptr=sin, y_ptr=y, heads=heads, half=half),
                    [dict(HEADS=power_of_two(heads), HALF=power_of_two(half))], lambda c: (tokens,), ["y_ptr"],
                    lambda c: [rotate(x.double(), cos.double(), sin.double())], size_of(x, cos, sin, y),
                    TOLERANCE[dtype], lambda: rotate(x, cos, sin).to(dtype))
    yield from each(make, ((16384, 32, 64), (16384, 12, 40)))


def gated(kernel, activation):
    def make(dtype, m, n):
        x, y = randn(m, 2 * n, dtype=dtype), empty(m, n, dtype=dtype)

        def compute(x):
            return activation(x[:, :n]) * x[:, n:]

        return Case(kernel, "23-gated-linear-units.tile", f"{m}x{n}_{NAMES[dtype]}", dict(x_ptr=x, y_ptr=y, n=n),
                    [dict(BLOCK=1024), dict(BLOCK=2048)], lambda c: (m, cdiv(n, c["BLOCK"])), ["y_ptr"],
                    lambda c: [compute(x.double())], size_of(x, y), TOLERANCE[dtype], lambda: compute(x), warps=(4, 8))
    yield from each(make, ((8192, 4096), (8192, 11008)))


def swiglu():
    return gated("swiglu", F.silu)


def geglu():
    return gated("geglu", F.gelu)


def embedding():
    def make(dtype, vocabulary, m, n):
        table, out = randn(vocabulary, n, dtype=dtype), empty(m, n, dtype=dtype)
        index = torch.randint(0, vocabulary, (m,), device="cuda")
        cols = min(power_of_two(n), 2048)
        return Case("embedding", "25-embedding.tile", f"{m}x{n} of {vocabulary}_{NAMES[dtype]}",
                    dict(table_ptr=table, index_ptr=index, out_ptr=out, m=m, n=n),
                    [dict(ROWS=rows, COLS=cols) for rows in (1, 4)],
                    lambda c: (cdiv(m, c["ROWS"]), cdiv(n, c["COLS"])), ["out_ptr"],
                    lambda c: [table[index].double()], size_of(index) + 2 * size_of(out), 0.0,
                    lambda: F.embedding(index, table), warps=(4, 8))
    yield from each(make, ((50257, 32768, 4096), (50257, 262144, 200)))


def quantise(kernel, file, narrow, limit, rounded):
    def make(dtype, m, n):
        x, q, scale = randn(m, n, dtype=dtype), empty(m, n, dtype=narrow), empty(m)

        def compute(x):
            peak = x.float().abs().amax(1, keepdim=True).clamp_min(1e-30)
            return rounded(x * (limit / peak)).to(narrow), (peak / limit)[:, 0]

        # A number next to the middle between two others may be rounded to either.
        return row_case(kernel, file, dtype, m, n, dict(x_ptr=x, q_ptr=q, scale_ptr=scale, stride=n, n=n),
                        ["q_ptr", "scale_ptr"], lambda: [t.double() for t in compute(x)], size_of(x, q, scale),
                        lambda: compute(x), 1e-3)
    yield from each(make, FEW)


def quantise_int8():
    return quantise("quantise_int8", "26-quantise-int8.tile", torch.int8, 127.0, torch.round)


def quantise_fp8():
    return quantise("quantise_fp8", "27-quantise-fp8.tile", torch.float8_e4m3fn, 448.0, lambda x: x)


def dequantise_int4():
    def make(dtype, groups, group):
        packed = torch.randint(0, 256, (groups, group // 2), device="cuda", dtype=torch.uint8)
        scale, out = randn(groups, dtype=dtype), empty(groups, group, dtype=dtype)

        def compute(scale):
            values = torch.stack([packed & 15, packed >> 4], 2).view(groups, group)
            return (values.to(scale.dtype) - 8) * scale[:, None]

        return Case("dequantise_int4", "28-dequantise-int4.tile", f"{groups}x{group}_{NAMES[dtype]}",
                    dict(packed_ptr=packed, scale_ptr=scale, out_ptr=out, groups=groups),
                    [dict(GROUPS=16, GROUP=group), dict(GROUPS=64, GROUP=group)],
                    lambda c: (cdiv(groups, c["GROUPS"]),), ["out_ptr"], lambda c: [compute(scale.double())],
                    size_of(packed, scale, out), TOLERANCE[dtype], lambda: compute(scale), warps=(4, 8))
    yield from each(make, ((1 << 20, 128), ((1 << 20) + 3, 32)), (F16, BF16))


ALL = dict(cross_entropy=cross_entropy, rope=rope, swiglu=swiglu, geglu=geglu, embedding=embedding,
           quantise_int8=quantise_int8, quantise_fp8=quantise_fp8, dequantise_int4=dequantise_int4)
