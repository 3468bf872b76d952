# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of torch whose elements are floats of 4 bits (e2m1), or scales of blocks (e8m0): what programs test
`tl.dot_scaled` with."""

from __future__ import annotations

from typing import Any

#: The magnitudes of e2m1, by their three bits.
_MAGNITUDES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)

#: The exponent 0 of e8m0, and the number that is NaN.
_BIAS, _NAN = 127, 255


def _torch():
    import torch

    return torch


class _Bits:
    """A tensor of bytes that stand for other numbers. `data` are these bytes."""

    data: Any

    def __init__(self, data: Any = None, size: Any = None, device: Any = None):
        if (data is None) == (size is None):
            raise ValueError(f"a {type(self).__name__} is made either of data or of a size")
        self.device = data.device if data is not None else device
        self.size = tuple(data.shape if data is not None else size if isinstance(size, (tuple, list)) else (size, ))
        if data is not None:
            self.data = self._bits_of(data)

    def _bits_of(self, values: Any) -> Any:
        raise NotImplementedError


class MXFP4Tensor(_Bits):
    """A tensor of floats of 4 bits, one in a byte.

    :param data: numbers, which are rounded to the nearest ones
    :param size: the extents, for `random`
    """

    def random(self) -> MXFP4Tensor:
        """Fills it with any bits."""
        self.data = _torch().randint(0, 16, self.size, dtype=_torch().uint8, device=self.device)
        return self

    def _bits_of(self, values: Any) -> Any:
        torch = _torch()
        table = torch.tensor(_MAGNITUDES, dtype=torch.float32, device=values.device)
        values = values.to(torch.float32)
        # Halfway between two the one with an even number is taken; NaN has no bits, and becomes the largest.
        between = (table[1:] + table[:-1]) / 2
        magnitudes = values.abs().nan_to_num(nan=_MAGNITUDES[-1])
        below, at_or_below = (torch.bucketize(magnitudes, between, right=right) for right in (False, True))
        numbers = torch.where(below % 2 == 0, below, at_or_below)
        return (numbers + 8 * torch.signbit(values)).to(torch.uint8)

    def to(self, dtype: Any) -> Any:
        """The numbers as another type."""
        torch = _torch()
        table = torch.tensor(_MAGNITUDES, dtype=torch.float32, device=self.data.device)
        magnitudes = table[(self.data & 7).long()]
        return torch.where(self.data >= 8, -magnitudes, magnitudes).to(dtype)

    def to_packed_tensor(self, dim: int) -> Any:
        """Bytes with two neighbours along a dimension each, the first one in the low bits; 0 makes an odd number even."""
        torch = _torch()
        data = self.data.movedim(dim, -1)
        if data.shape[-1] % 2:
            data = torch.nn.functional.pad(data, (0, 1))
        return (data[..., ::2] | data[..., 1::2] << 4).movedim(-1, dim).contiguous()

    def unpack_packed_tensor(self, packed_tensor: Any, dim: int, original_shape: Any) -> Any:
        """The bits of one number in each byte again."""
        torch = _torch()
        packed = packed_tensor.movedim(dim, -1)
        pairs = torch.stack([packed & 15, packed >> 4], dim=-1).flatten(-2)
        return pairs[..., :original_shape[dim]].movedim(-1, dim).contiguous()


class MXScaleTensor(_Bits):
    """A tensor of powers of two, by their exponents in a byte.

    :param data: numbers, of which the power of two is taken that is not larger
    :param size: the extents, for `random`
    """

    def random(self, low: float | None = None, high: float | None = None) -> MXScaleTensor:
        """Fills it with powers of two between two numbers."""
        import math

        torch = _torch()
        first = 0 if low is None else max(math.floor(math.log2(low)) + _BIAS, 0)
        last = _NAN - 1 if high is None else min(math.floor(math.log2(high)) + _BIAS, _NAN - 1)
        self.data = torch.randint(first, last + 1, self.size, dtype=torch.uint8, device=self.device)
        return self

    def _bits_of(self, values: Any) -> Any:
        torch = _torch()
        values = values.to(torch.float64)
        is_scale = (values > 0) & values.isfinite()
        exponents = torch.floor(torch.log2(torch.where(is_scale, values, torch.ones_like(values)))) + _BIAS
        return torch.where(is_scale, exponents.clamp(0, _NAN - 1), torch.full_like(values, _NAN)).to(torch.uint8)

    def to(self, dtype: Any) -> Any:
        """The numbers as another type."""
        torch = _torch()
        values = torch.exp2(self.data.to(torch.float64) - _BIAS)
        return torch.where(self.data == _NAN, torch.full_like(values, torch.nan), values).to(dtype)


__all__ = ["MXFP4Tensor", "MXScaleTensor"]
