# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of values that have parts: tuples, slices and tensor descriptors. Programs read them; kernels do without."""

from __future__ import annotations

from typing import Any

from ._constexpr import constexpr_type, plain
from ._types import base_type, block_type, dtype, int32, int64, pointer_type


class tuple_type(base_type):
    """The type of a tuple: those of its elements, and the names of a named one."""

    types: list  #: of the elements
    fields: list[str]  #: names; empty ones for a tuple without

    def __init__(self, types: Any, fields: Any = None):
        self.types = list(types)
        self.fields = list(fields) if fields else [""] * len(self.types)
        self.name = "[" + ",".join(f"{field}:{kind}" for field, kind in zip(self.fields, self.types)) + "]"

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        fields = f", {self.fields}" if any(self.fields) else ""
        return f"tilec.language.tuple_type({self.types}{fields})"

    def __iter__(self):
        return iter(self.types)

    def __len__(self) -> int:
        return len(self.types)

    def __getitem__(self, index: Any) -> Any:
        return self.types[plain(index)]

    def __eq__(self, other: object) -> bool:
        return type(other) is tuple_type and (self.types, self.fields) == (other.types, other.fields)

    def __hash__(self) -> int:
        return hash((tuple_type, tuple(self.types), tuple(self.fields)))


class slice_type(base_type):
    """The type of slices."""

    name = "slice_type"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, slice_type)

    def __hash__(self) -> int:
        return hash(slice_type)

    def __repr__(self) -> str:
        return "tilec.language.slice_type()"


class tensor_descriptor_base_type(base_type):
    """The type of a tensor descriptor: that of the blocks."""

    def __init__(self, block: block_type):
        self.block_type = block

    def __str__(self) -> str:
        return f"tensor_descriptor<{self.block_type}>"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._parts() == self._parts()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._parts()))

    def _parts(self) -> tuple:
        return (self.block_type, )


class tensor_descriptor_type(tensor_descriptor_base_type):
    """The type of a tensor descriptor, with those of its extents and strides."""

    def __init__(self, block: block_type, shape_type: tuple_type, strides_type: tuple_type):
        super().__init__(block)
        self.shape_type = shape_type
        self.strides_type = strides_type

    def _parts(self) -> tuple:
        return self.block_type, self.shape_type, self.strides_type


#: Element types as signatures write them.
_SHORT = {"i1": "int1", "u1": "int1", "B": "int1", **{f"{letter}{bits}": f"{name}{bits}" for bits in (8, 16, 32, 64)
                                                      for letter, name in (("i", "int"), ("u", "uint"))}}


def str_to_ty(name: Any, c: Any = None) -> Any:
    """The type that a signature names: "*fp32", "*ki8", "i32", "constexpr" (of the value `c`),
    "tensordesc<fp16[64, 32]>", or a tuple of such names."""
    if isinstance(name, tuple):
        return tuple_type([str_to_ty(part, c) for part in name], getattr(name, "_fields", None))
    if name.startswith("*"):
        pointee = name[1:].removeprefix("k")
        return pointer_type(str_to_ty(pointee), const=pointee != name[1:])
    if name.startswith("constexpr"):
        return constexpr_type(c)
    if name.startswith("tensordesc<"):
        element, _, extents = name.removeprefix("tensordesc<").rstrip(">").partition("[")
        shape = [int(extent) for extent in extents.partition("]")[0].split(",")]
        return tensor_descriptor_type(block_type(str_to_ty(element), shape), tuple_type([int32] * len(shape)),
                                      tuple_type([int64] * len(shape)))
    return dtype(_SHORT.get(name, name))
