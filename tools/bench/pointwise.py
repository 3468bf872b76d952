# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# One value out for one value of each input, and the transpose.

import torch

from case import BF16, F16, F32, NAMES, TOLERANCE, Case, cdiv, each, empty, randn, size_of


def some(dtype, *shape):
    """Random values of a float or integer type."""
    if dtype.is_floating_point:
        return randn(*shape, dtype=dtype)
    return torch.randint(-128, 128, shape, device="cuda", dtype=dtype)


def add():
    def make(dtype, n):
        x, y, z = randn(n, dtype=dtype), randn(n, dtype=dtype), empty(n, dtype=dtype)
        return Case("add_masked", "01-vector-add.tile", f"{n}_{NAMES[dtype]}",
                    dict(x_ptr=x, y_ptr=y, out_ptr=z, n=n), [dict(BLOCK=1024), dict(BLOCK=2048)],
                    lambda c: (cdiv(n, c["BLOCK"]),), ["out_ptr"], lambda c: [x.double() + y.double()],
                    size_of(x, y, z), TOLERANCE[dtype], lambda: torch.add(x, y, out=z), warps=(4, 8))
    # The last one moves as many bytes as a row kernel of 8192x8192 fp32.
    yield from each(make, ((1 << 24,), (1 << 28,), ((1 << 26) + 3,), ((1 << 27) // 3 // 16 * 16,)))


def copy():
    def make(dtype, n):
        x, y = some(dtype, n), empty(n, dtype=dtype)
        return Case("copy", "15-copy.tile", f"{n}_{NAMES[dtype]}", dict(x_ptr=x, y_ptr=y, n=n),
                    [dict(BLOCK=2048), dict(BLOCK=8192)], lambda c: (cdiv(n, c["BLOCK"]),), ["y_ptr"],
                    lambda c: [x.double()], size_of(x, y), 0.0, lambda: y.copy_(x), warps=(4, 8))
    yield from each(make, ((1 << 24,), (1 << 28,)), (F32, BF16, torch.int8))


def gelu():
    def make(dtype, n):
        x, y = randn(n, dtype=dtype), empty(n, dtype=dtype)
        return Case("gelu", "04-gelu.tile", f"{n}_{NAMES[dtype]}", dict(x_ptr=x, out_ptr=y, n=n),
                    [dict(TANH_FORM=False, BLOCK=block) for block in (1024, 2048)],
                    lambda c: (cdiv(n, c["BLOCK"]),), ["out_ptr"],
                    lambda c: [torch.nn.functional.gelu(x.double())], size_of(x, y), TOLERANCE[dtype],
                    lambda: torch.nn.functional.gelu(x), warps=(4, 8))
    yield from each(make, ((1 << 24,), (1 << 27,)))


def transpose():
    def make(dtype, m, n):
        x, y = some(dtype, m, n), empty(n, m, dtype=dtype)
        return Case("transpose_copy", "10-transpose-copy.tile", f"{m}x{n}_{NAMES[dtype]}",
                    dict(x_ptr=x, y_ptr=y, m=m, n=n), [dict(TILE=32), dict(TILE=64)],
                    lambda c: (cdiv(m, c["TILE"]), cdiv(n, c["TILE"])), ["y_ptr"], lambda c: [x.double().t()],
                    size_of(x, y), 0.0, lambda: y.copy_(x.t()))
    yield from each(make, ((8192, 8192), (5000, 3000)), (F32, F16, torch.int8))


def philox(seed, counter):
    """The four words of Philox4x32-10 for each counter, as int64 tensors."""
    mask = 0xFFFFFFFF

    def product(a, b):
        # a * b has up to 64 bits: the high word comes from two products of 48.
        high = ((a >> 16) * b + ((a & 0xFFFF) * b >> 16)) >> 16
        return high, (a * (b & 0xFFFF) + ((a * (b >> 16) & 0xFFFF) << 16)) & mask

    c0, c1, c2, c3 = counter, counter * 0, counter * 0, counter * 0
    k0, k1 = seed & mask, seed >> 32 & mask
    for _ in range(10):
        high0, low0 = product(c0, 0xD2511F53)
        high1, low1 = product(c2, 0xCD9E8D57)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = (k0 + 0x9E3779B9) & mask, (k1 + 0xBB67AE85) & mask
    return c0, c1, c2, c3


def uniform(word):
    """The number in [0, 1) that tl.rand makes of a word."""
    return torch.where(word >= 1 << 31, (1 << 32) - 1 - word, word).float() * 4.6566127342e-10


def dropout():
    p, seed = 0.25, 20260

    def kept(x, random):
        return torch.where(random > p, x.double() / (1 - p), 0.0)

    def make(dtype, n, four):
        x, y = randn(n, dtype=dtype), empty(n, dtype=dtype)
        counters = torch.arange(n, device="cuda") if not four else None

        def reference(c):
            if not four:
                return [kept(x, uniform(philox(seed, counters)[0]))]
            # Word k of counter i of a program belongs to its element k * BLOCK + i.
            block = c["BLOCK"]
            count = cdiv(n, 4 * block) * block
            words = philox(seed, torch.arange(count, device="cuda"))
            random = torch.stack([uniform(w).view(-1, block) for w in words], 1).flatten()[:n]
            return [kept(x, random)]

        per = 4 if four else 1
        return Case("dropout4" if four else "dropout", "24-dropout.tile", f"{n}_{NAMES[dtype]}",
                    dict(x_ptr=x, y_ptr=y, n=n, p=p, seed=seed), [dict(BLOCK=512), dict(BLOCK=1024)],
                    lambda c: (cdiv(n, per * c["BLOCK"]),), ["y_ptr"], reference, size_of(x, y), TOLERANCE[dtype],
                    lambda: torch.nn.functional.dropout(x, p), warps=(4, 8))
    yield from each(make, ((1 << 24, False), (1 << 26, False), (1 << 24, True), (1 << 26, True)))


ALL = dict(add=add, copy=copy, gelu=gelu, transpose=transpose, dropout=dropout)
