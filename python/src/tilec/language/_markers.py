# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of the language that stand for something in kernels alone."""

from __future__ import annotations

from ._constexpr import base_value


def outside(name: str) -> RuntimeError:
    """What calling an operation on the host raises."""
    return RuntimeError(f"'{name}' is an operation of the language: only kernels can use it")


class const:
    """Marks a parameter that points to what the kernel only reads: `x: tl.const`."""


class PropagateNan:
    """What the smaller and the larger of a number and NaN are: the number, or with ALL NaN."""

    NONE: PropagateNan
    ALL: PropagateNan

    __slots__ = ("name", )

    name: str

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"tilec.language.PropagateNan.{self.name}"


PropagateNan.NONE = PropagateNan("NONE")
PropagateNan.ALL = PropagateNan("ALL")


class tensor(base_value):
    """A value at run time. The class is for annotations and for `isinstance` in kernels."""

    def __init__(self, *args: object):
        raise outside("tl.tensor")


class tensor_descriptor(base_value):
    """A tensor in memory and the blocks that it is cut into. The class is for annotations and for `isinstance` in
    kernels; `tilec.TensorDescriptor` makes arguments of kernels."""

    def __init__(self, *args: object):
        raise outside("tl.tensor_descriptor")


tensor_descriptor_base = tensor_descriptor
