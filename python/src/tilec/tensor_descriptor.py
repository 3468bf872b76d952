# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`TensorDescriptor`: an argument of a kernel that says where a tensor is and how it is cut into blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: What a descriptor's block has at most, and the multiple of bytes that its base and strides are.
_MAX_ELEMENTS, _ALIGNMENT = 1 << 20, 16


class TensorDescriptor:
    """A tensor and its blocks: kernels load and store them with offsets and without masks.

        x = TensorDescriptor.from_tensor(tensor, [64, 32])
        kernel[grid](x, ...)        # tile = x.load([row, column])

    :param base: the tensor that the memory is of, of torch or any framework, or a NumPy array
    :param shape: the extents, one to five
    :param strides: how many elements lie between neighbours; the last one is 1, the others are multiples of 16 bytes
    :param block_shape: the extents of a block
    :param padding: what is read outside of the tensor, "zero" or "nan"
    """

    def __init__(self, base: Any, shape: Sequence[int], strides: Sequence[int], block_shape: Sequence[int],
                 padding: str = "zero"):
        self.base = base
        self.shape = [int(size) for size in shape]
        self.strides = [int(stride) for stride in strides]
        self.block_shape = [int(size) for size in block_shape]
        self.padding = padding
        self._verify()

    @classmethod
    def from_tensor(cls, tensor: Any, block_shape: Sequence[int], padding: str = "zero") -> TensorDescriptor:
        """The descriptor of all of a tensor."""
        return cls(tensor, tensor.shape, _strides_of(tensor), block_shape, padding)

    @property
    def dtype(self) -> Any:
        """The type of the elements, as the tensor's framework has it."""
        return self.base.dtype

    def _verify(self):
        rank = len(self.shape)
        if not 1 <= rank <= 5:
            raise ValueError(f"a tensor descriptor has 1 to 5 dimensions, got {rank}")
        for what, numbers in (("strides", self.strides), ("block_shape", self.block_shape)):
            if len(numbers) != rank:
                raise ValueError(f"'{what}' has {len(numbers)} numbers, and 'shape' has {rank}")
        for what, numbers in (("shape", self.shape), ("block_shape", self.block_shape)):
            if min(numbers) < 1:
                raise ValueError(f"'{what}' is positive numbers, got {numbers}")
        elements = 1
        for size in self.block_shape:
            elements *= size
        if elements > _MAX_ELEMENTS:
            raise ValueError(f"a block has at most {_MAX_ELEMENTS} elements, got {elements} of {self.block_shape}")
        if self.strides[-1] != 1:
            raise ValueError(f"the last dimension is contiguous: its stride is 1, got {self.strides[-1]}")
        size = _element_size(self.base)
        for stride in self.strides[:-1]:
            if stride * size % _ALIGNMENT:
                raise ValueError(f"strides but the last are multiples of {_ALIGNMENT} bytes, got {stride * size} bytes")
        address = _address_of(self.base)
        if address % _ALIGNMENT:
            raise ValueError(f"the base is at a multiple of {_ALIGNMENT} bytes, got an address that is "
                             f"{address % _ALIGNMENT} bytes behind one")
        if self.padding not in ("zero", "nan"):
            raise ValueError(f"'padding' is \"zero\" or \"nan\", got {self.padding!r}")
        if self.padding == "nan" and not _is_floating(self.base.dtype):
            raise ValueError(f"only floats can be NaN outside of the tensor, got {self.base.dtype}")

    def __repr__(self) -> str:
        return (f"TensorDescriptor(shape={self.shape}, strides={self.strides}, block_shape={self.block_shape}, "
                f"dtype={self.dtype}, padding={self.padding!r})")


def _element_size(tensor: Any) -> int:
    size = getattr(tensor, "element_size", None)
    if size is not None:
        return size()
    size = getattr(tensor, "itemsize", None)
    if size is None:
        size = getattr(tensor.dtype, "itemsize", None)
    if size is None:
        raise TypeError(f"the size of the elements of a {type(tensor).__qualname__} is not known")
    return size


def _strides_of(tensor: Any) -> list[int]:
    """The strides in elements. Arrays give them in bytes, or not at all where there are no gaps."""
    stride = getattr(tensor, "stride", None)
    if callable(stride):
        return list(stride())
    strides = getattr(tensor, "strides", None)
    if strides is not None:
        size = _element_size(tensor)
        if any(stride % size for stride in strides):
            raise ValueError(f"strides are multiples of an element's {size} bytes, got {list(strides)}")
        return [stride // size for stride in strides]
    result = [1]
    for size in reversed(list(tensor.shape)[1:]):
        result.insert(0, result[0] * size)
    return result


def _address_of(tensor: Any) -> int:
    """The address, or 0 where it is not known before the launch."""
    if type(tensor).__name__ in ("FakeTensor", "FunctionalTensor"):
        return 0
    data_ptr = getattr(tensor, "data_ptr", None)
    if data_ptr is not None:
        return data_ptr()
    for name in ("__array_interface__", "__cuda_array_interface__"):
        interface = getattr(tensor, name, None)
        if interface is not None:
            return interface["data"][0] or 0
    return 0


def _is_floating(dtype: Any) -> bool:
    is_floating = getattr(dtype, "is_floating_point", None)
    return is_floating if is_floating is not None else "float" in str(dtype)


__all__ = ["TensorDescriptor"]
