# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# One row of a matrix per program: softmaxes and normalisations with their gradients.

import torch
import torch.nn.functional as F

from case import BOTH, NAMES, TOLERANCE, Case, cdiv, each, empty, power_of_two, randn, size_of

ROWS = ((8192, 1024), (8192, 4096), (8192, 8192), (4096, 16384), (16384, 2000), (8192, 3001))
FEW = ((8192, 4096), (4096, 16384), (8192, 3001))
# Rows that fill the registers of a multiprocessor.
WIDE = ((1024, 32768), (512, 65536))
EPS = 1e-5


def row_case(kernel, file, dtype, m, n, arguments, outputs, reference, nbytes, peer, tolerance=None):
    """A case with one program per row and a block that holds it."""
    return Case(kernel, file, f"{m}x{n}_{NAMES[dtype]}", arguments, [dict(BLOCK=power_of_two(n))], lambda c: (m,),
                outputs, lambda c: reference(), nbytes, tolerance or TOLERANCE[dtype], peer,
                warps=(8, 16, 32) if (m, n) in WIDE else (4, 8, 16))


def softmax(shapes=ROWS + WIDE, dtypes=BOTH):
    def make(dtype, m, n):
        x, y = randn(m, n, dtype=dtype), empty(m, n, dtype=dtype)
        return row_case("softmax", "05-softmax.tile", dtype, m, n,
                        dict(x_ptr=x, y_ptr=y, x_stride=n, y_stride=n, n=n), ["y_ptr"],
                        lambda: [torch.softmax(x.double(), 1)], size_of(x, y), lambda: torch.softmax(x, 1))
    yield from each(make, shapes, dtypes)


def log_softmax(shapes=FEW, dtypes=BOTH):
    def make(dtype, m, n):
        x, y = randn(m, n, dtype=dtype), empty(m, n, dtype=dtype)
        return row_case("log_softmax", "16-log-softmax.tile", dtype, m, n, dict(x_ptr=x, y_ptr=y, stride=n, n=n),
                        ["y_ptr"], lambda: [torch.log_softmax(x.double(), 1)], size_of(x, y),
                        lambda: torch.log_softmax(x, 1))
    yield from each(make, shapes, dtypes)


def online_softmax(shapes=((8192, 4096), (2048, 65536)), dtypes=BOTH):
    def make(dtype, m, n):
        x, y = randn(m, n, dtype=dtype), empty(m, n, dtype=dtype)
        return Case("online_softmax", "11-online-softmax.tile", f"{m}x{n}_{NAMES[dtype]}",
                    dict(x_ptr=x, y_ptr=y, stride=n, n=n), [dict(BLOCK=1024), dict(BLOCK=4096)], lambda c: (m,),
                    ["y_ptr"], lambda c: [torch.softmax(x.double(), 1)], size_of(x, y), TOLERANCE[dtype],
                    lambda: torch.softmax(x, 1))
    yield from each(make, shapes, dtypes)


def layer_norm(shapes=ROWS + WIDE, dtypes=BOTH):
    def make(dtype, m, n):
        x, w, b = randn(m, n, dtype=dtype), randn(n, dtype=dtype), randn(n, dtype=dtype)
        y, mean, rstd = empty(m, n, dtype=dtype), empty(m), empty(m)
        return row_case("layer_norm", "06-layer-norm.tile", dtype, m, n,
                        dict(x_ptr=x, w_ptr=w, b_ptr=b, y_ptr=y, mean_ptr=mean, rstd_ptr=rstd, stride=n, n=n, eps=EPS),
                        ["y_ptr"], lambda: [F.layer_norm(x.double(), (n,), w.double(), b.double())], size_of(x, y),
                        lambda: F.layer_norm(x, (n,), w, b))
    yield from each(make, shapes, dtypes)


def layer_norm_relu_add(shapes=FEW, dtypes=BOTH):
    def make(dtype, m, n):
        x, residual, w, b = (randn(*shape, dtype=dtype) for shape in ((m, n), (m, n), (n,), (n,)))
        y = empty(m, n, dtype=dtype)

        def compute(x, residual, w, b):
            return torch.relu(F.layer_norm(x, (n,), w, b, EPS)) + residual

        return row_case("layer_norm_relu_add", "29-layer-norm-relu-add.tile", dtype, m, n,
                        dict(x_ptr=x, residual_ptr=residual, w_ptr=w, b_ptr=b, y_ptr=y, stride=n, n=n, eps=EPS),
                        ["y_ptr"], lambda: [compute(x.double(), residual.double(), w.double(), b.double())],
                        size_of(x, residual, y), lambda: compute(x, residual, w, b))
    yield from each(make, shapes, dtypes)


def rms_norm(shapes=FEW + WIDE, dtypes=BOTH):
    def make(dtype, m, n):
        x, w, y = randn(m, n, dtype=dtype), randn(n, dtype=dtype), empty(m, n, dtype=dtype)
        return row_case("rms_norm", "07-rms-norm.tile", dtype, m, n,
                        dict(x_ptr=x, w_ptr=w, y_ptr=y, stride=n, n=n, eps=EPS), ["y_ptr"],
                        lambda: [F.rms_norm(x.double(), (n,), w.double(), EPS)], size_of(x, y),
                        lambda: F.rms_norm(x, (n,), w, EPS))
    yield from each(make, shapes, dtypes)


def rms_norm_residual(shapes=FEW, dtypes=BOTH):
    def make(dtype, m, n):
        x, residual, w = randn(m, n, dtype=dtype), randn(m, n, dtype=dtype), randn(n, dtype=dtype)
        y, h = empty(m, n, dtype=dtype), empty(m, n, dtype=dtype)

        def compute(x, residual, w):
            total = x + residual
            return [F.rms_norm(total, (n,), w, EPS), total]

        return row_case("rms_norm_residual", "19-rms-norm-residual.tile", dtype, m, n,
                        dict(x_ptr=x, residual_ptr=residual, w_ptr=w, y_ptr=y, h_ptr=h, stride=n, n=n, eps=EPS),
                        ["y_ptr", "h_ptr"], lambda: compute(x.double(), residual.double(), w.double()),
                        size_of(x, residual, y, h), lambda: compute(x, residual, w))
    yield from each(make, shapes, dtypes)


def statistics(x):
    """Mean and reciprocal standard deviation of the rows, in fp32."""
    wide = x.double()
    return wide.mean(1).float(), torch.rsqrt(wide.var(1, correction=0) + EPS).float()


def normalised(x, mean, rstd):
    return (x.double() - mean.double()[:, None]) * rstd.double()[:, None]


def gradients(x, dy, mean, rstd, w, b, wanted):
    """PyTorch's own backward kernels; `wanted` says which of dx, dw, db."""
    return torch.ops.aten.native_layer_norm_backward(dy, x, x.shape[1:], mean[:, None], rstd[:, None], w, b, wanted)


def layer_norm_backward(shapes=FEW, dtypes=BOTH):
    def make(dtype, m, n):
        x, dy, w, b = (randn(*shape, dtype=dtype) for shape in ((m, n), (m, n), (n,), (n,)))
        mean, rstd = statistics(x)
        dx = empty(m, n, dtype=dtype)

        def reference():
            g, xhat = dy.double() * w.double(), normalised(x, mean, rstd)
            along = (g * xhat).mean(1, keepdim=True)
            return [(g - g.mean(1, keepdim=True) - xhat * along) * rstd.double()[:, None]]

        return row_case("layer_norm_backward", "17-layer-norm-backward.tile", dtype, m, n,
                        dict(x_ptr=x, dy_ptr=dy, w_ptr=w, mean_ptr=mean, rstd_ptr=rstd, dx_ptr=dx, stride=n, n=n),
                        ["dx_ptr"], reference, size_of(x, dy, dx),
                        lambda: gradients(x, dy, mean, rstd, w, b, [True, False, False]))
    yield from each(make, shapes, dtypes)


def weight_partials():
    parts = 32

    def make(dtype, m, n):
        x, dy, w, b = (randn(*shape, dtype=dtype) for shape in ((m, n), (m, n), (n,), (n,)))
        mean, rstd = statistics(x)
        dw, db, strip = empty(parts, n), empty(parts, n), cdiv(m, parts)

        def reference(c):
            strips = [t.split(strip) for t in (dy.double() * normalised(x, mean, rstd), dy.double())]
            return [torch.stack([s.sum(0) for s in values]) for values in strips]

        return Case("weight_partials", "18-layer-norm-weights-backward.tile", f"{m}x{n}_{NAMES[dtype]}",
                    dict(x_ptr=x, dy_ptr=dy, mean_ptr=mean, rstd_ptr=rstd, dw_parts_ptr=dw, db_parts_ptr=db, stride=n,
                         m=m, n=n, strip=strip),
                    [dict(ROWS=16, COLS=64), dict(ROWS=16, COLS=128), dict(ROWS=32, COLS=64)],
                    lambda c: (cdiv(n, c["COLS"]), parts), ["dw_parts_ptr", "db_parts_ptr"], reference,
                    size_of(x, dy, dw, db), 1e-5, lambda: gradients(x, dy, mean, rstd, w, b, [False, True, True]))
    yield from each(make, ((8192, 4096), (8192, 3001)))


def weight_totals():
    def make(dtype, parts, n):
        dw_parts, db_parts = randn(parts, n), randn(parts, n)
        dw, db = empty(n, dtype=dtype), empty(n, dtype=dtype)
        return Case("weight_totals", "18-layer-norm-weights-backward.tile", f"{parts}x{n}_{NAMES[dtype]}",
                    dict(dw_parts_ptr=dw_parts, db_parts_ptr=db_parts, dw_ptr=dw, db_ptr=db, parts=parts, n=n),
                    [dict(ROWS=32, COLS=32), dict(ROWS=32, COLS=64)], lambda c: (cdiv(n, c["COLS"]),),
                    ["dw_ptr", "db_ptr"], lambda c: [dw_parts.double().sum(0), db_parts.double().sum(0)],
                    size_of(dw_parts, db_parts, dw, db), TOLERANCE[dtype],
                    lambda: (dw_parts.sum(0), db_parts.sum(0)), warps=(4, 8))
    yield from each(make, ((32, 4096), (32, 16384)))


ALL = dict(softmax=softmax, log_softmax=log_softmax, online_softmax=online_softmax, layer_norm=layer_norm,
           layer_norm_relu_add=layer_norm_relu_add, rms_norm=rms_norm, rms_norm_residual=rms_norm_residual,
           layer_norm_backward=layer_norm_backward, weight_partials=weight_partials, weight_totals=weight_totals)
