# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Judges what a kernel wrote: outputs are poisoned before a launch and stand between guards, errors are those of the
# norm and of the worst element.

import math

import torch

TORCH = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32, "fp64": torch.float64,
         "fp8e4nv": torch.float8_e4m3fn, "fp8e5": torch.float8_e5m2, "i8": torch.int8, "u8": torch.uint8, "i32": torch.int32,
         "i64": torch.int64}
GUARD = 4096  # elements before and after an output


def exact(tensor):
    """In float64; fp8 by way of float32."""
    return (tensor.float() if tensor.element_size() == 1 else tensor).double()


class Output:
    def __init__(self, shape, dtype):
        count = math.prod(shape)
        self.base = torch.empty(count + 2 * GUARD, device="cuda", dtype=TORCH[dtype])
        self.view = self.base[GUARD:GUARD + count].view(shape)

    def poison(self):
        self.base.fill_(math.nan if self.base.is_floating_point() else -77)

    def intact(self):
        """Whether nothing was written outside."""
        guards = torch.cat([self.base[:GUARD], self.base[-GUARD:]])
        return bool((guards.isnan() if guards.is_floating_point() else guards == -77).all())


def error(got, expected, least=0.0):
    """The relative error of the norm, or a quarter of the worst element's if that is more; an element is measured by
    its own size and the root mean square, or by `least` where that is more. What is not a number counts as infinitely
    wrong."""
    size = expected.norm().clamp_min(max(1e-300, least * math.sqrt(expected.numel())))
    away = (got.double() - expected).abs_()
    norm = away.norm() / size
    worst = (away / (expected.abs() + size / math.sqrt(expected.numel()))).max() / 4
    norm, worst = norm.item(), worst.item()
    return max(norm, worst) if math.isfinite(norm) and math.isfinite(worst) else math.inf
