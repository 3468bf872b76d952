# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`constexpr`: values that are known when a kernel is compiled."""

from __future__ import annotations

import operator
from typing import Any


def plain(value: Any) -> Any:
    """A value without the `constexpr` around it, and around what a tuple or list has."""
    if isinstance(value, constexpr):
        return value.value
    if type(value) in (tuple, list):
        return type(value)(plain(item) for item in value)
    return value


class base_value:
    """What kernels compute with: tensors, descriptors, and values that are known at compile time."""

    __slots__ = ()


class constexpr(base_value):
    """Marks parameters whose values are known at compile time, `BLOCK: constexpr`, and makes constants that kernels use,
    `WIDTH = constexpr(4)`. On the host it can be calculated with: the result is a constexpr again."""

    __slots__ = ("value", )

    value: Any  #: what it stands for

    def __init__(self, value: Any):
        self.value = value.value if isinstance(value, constexpr) else value

    def __repr__(self) -> str:
        return f"constexpr[{self.value}]"

    def __hash__(self) -> int:
        return hash(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __index__(self) -> int:
        return operator.index(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __iter__(self):
        return iter(self.value)

    def __len__(self) -> int:
        return len(self.value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.value(*args, **kwargs)

    def __getitem__(self, index: Any) -> Any:
        return self.value[plain(index)]

    def logical_and(self, other: Any) -> constexpr:
        return constexpr(self.value and plain(other))

    def logical_or(self, other: Any) -> constexpr:
        return constexpr(self.value or plain(other))

    # Operators are written out, so that editors and type checkers see them.

    def __add__(self, other: Any) -> constexpr:
        return constexpr(self.value + plain(other))

    def __radd__(self, other: Any) -> constexpr:
        return constexpr(plain(other) + self.value)

    def __sub__(self, other: Any) -> constexpr:
        return constexpr(self.value - plain(other))

    def __rsub__(self, other: Any) -> constexpr:
        return constexpr(plain(other) - self.value)

    def __mul__(self, other: Any) -> constexpr:
        return constexpr(self.value * plain(other))

    def __rmul__(self, other: Any) -> constexpr:
        return constexpr(plain(other) * self.value)

    def __truediv__(self, other: Any) -> constexpr:
        return constexpr(self.value / plain(other))

    def __rtruediv__(self, other: Any) -> constexpr:
        return constexpr(plain(other) / self.value)

    def __floordiv__(self, other: Any) -> constexpr:
        return constexpr(self.value // plain(other))

    def __rfloordiv__(self, other: Any) -> constexpr:
        return constexpr(plain(other) // self.value)

    def __mod__(self, other: Any) -> constexpr:
        return constexpr(self.value % plain(other))

    def __rmod__(self, other: Any) -> constexpr:
        return constexpr(plain(other) % self.value)

    def __pow__(self, other: Any) -> constexpr:
        return constexpr(self.value**plain(other))

    def __rpow__(self, other: Any) -> constexpr:
        return constexpr(plain(other)**self.value)

    def __lshift__(self, other: Any) -> constexpr:
        return constexpr(self.value << plain(other))

    def __rlshift__(self, other: Any) -> constexpr:
        return constexpr(plain(other) << self.value)

    def __rshift__(self, other: Any) -> constexpr:
        return constexpr(self.value >> plain(other))

    def __rrshift__(self, other: Any) -> constexpr:
        return constexpr(plain(other) >> self.value)

    def __and__(self, other: Any) -> constexpr:
        return constexpr(self.value & plain(other))

    def __rand__(self, other: Any) -> constexpr:
        return constexpr(plain(other) & self.value)

    def __or__(self, other: Any) -> constexpr:
        return constexpr(self.value | plain(other))

    def __ror__(self, other: Any) -> constexpr:
        return constexpr(plain(other) | self.value)

    def __xor__(self, other: Any) -> constexpr:
        return constexpr(self.value ^ plain(other))

    def __rxor__(self, other: Any) -> constexpr:
        return constexpr(plain(other) ^ self.value)

    def __lt__(self, other: Any) -> constexpr:
        return constexpr(self.value < plain(other))

    def __le__(self, other: Any) -> constexpr:
        return constexpr(self.value <= plain(other))

    def __gt__(self, other: Any) -> constexpr:
        return constexpr(self.value > plain(other))

    def __ge__(self, other: Any) -> constexpr:
        return constexpr(self.value >= plain(other))

    def __eq__(self, other: Any) -> constexpr:  # type: ignore[override]
        return constexpr(self.value == plain(other))

    def __ne__(self, other: Any) -> constexpr:  # type: ignore[override]
        return constexpr(self.value != plain(other))

    def __neg__(self) -> constexpr:
        return constexpr(-self.value)

    def __pos__(self) -> constexpr:
        return constexpr(+self.value)

    def __invert__(self) -> constexpr:
        return constexpr(~self.value)


class constexpr_type:
    """The type of a value that is known at compile time: each value has its own."""

    __slots__ = ("value", )

    value: Any  #: the value

    def __init__(self, value: Any):
        self.value = plain(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, constexpr_type) and self.value == other.value

    def __hash__(self) -> int:
        return hash((constexpr_type, self.value))

    def __repr__(self) -> str:
        return f"constexpr_type[{self.value}]"
