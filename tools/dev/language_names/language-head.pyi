"""The names of the language for editors and type checkers. Kernels are compiled from their text."""

from builtins import slice as slice
from builtins import tuple as tuple
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeAlias, overload

from . import core as core
from . import extra as extra
from . import math as math
from . import random as random
from . import standard as standard
from . import target_info as target_info
from ._compound_types import str_to_ty as str_to_ty
from ._compound_types import tensor_descriptor_type as tensor_descriptor_type
from ._compound_types import tuple_type as tuple_type
from ._constexpr import base_value as _base_value
from ._constexpr import constexpr as constexpr
from ._constexpr import constexpr_type as constexpr_type
from ._host import builtin as builtin
from ._host import extern as extern
from ._markers import PropagateNan as PropagateNan
from ._markers import const as const
from ._types import CONSTEXPR_0 as CONSTEXPR_0
from ._types import TRITON_MAX_TENSOR_NUMEL as TRITON_MAX_TENSOR_NUMEL
from ._types import bfloat16 as bfloat16
from ._types import block_type as block_type
from ._types import const_pointer_type as const_pointer_type
from ._types import dtype as _dtype
from ._types import dtype as dtype
from ._types import float8e4b8 as float8e4b8
from ._types import float8e4b15 as float8e4b15
from ._types import float8e4nv as float8e4nv
from ._types import float8e5 as float8e5
from ._types import float8e5b16 as float8e5b16
from ._types import float16 as float16
from ._types import float32 as float32
from ._types import float64 as float64
from ._types import int1 as int1
from ._types import int8 as int8
from ._types import int16 as int16
from ._types import int32 as int32
from ._types import int64 as int64
from ._types import pi32_t as pi32_t
from ._types import pointer_type as pointer_type
from ._types import uint8 as uint8
from ._types import uint16 as uint16
from ._types import uint32 as uint32
from ._types import uint64 as uint64
from ._types import void as void
from .extra import libdevice as libdevice

class tensor(_base_value):
    """A value at run time: a scalar or a block, of numbers or of pointers."""

    dtype: _dtype
    """The type of the elements."""
    type: _dtype
    """The type of the value: that of its elements, or a block type."""
    shape: tuple[int, ...]
    """The extents; a scalar has none."""
    numel: int
    """The number of elements."""
    T: tensor
    """A matrix, transposed."""

    def __add__(self, other: _Value) -> tensor: ...
    def __radd__(self, other: _Value) -> tensor: ...
    def __sub__(self, other: _Value) -> tensor: ...
    def __rsub__(self, other: _Value) -> tensor: ...
    def __mul__(self, other: _Value) -> tensor: ...
    def __rmul__(self, other: _Value) -> tensor: ...
    def __truediv__(self, other: _Value) -> tensor: ...
    def __rtruediv__(self, other: _Value) -> tensor: ...
    def __floordiv__(self, other: _Value) -> tensor: ...
    def __rfloordiv__(self, other: _Value) -> tensor: ...
    def __mod__(self, other: _Value) -> tensor: ...
    def __rmod__(self, other: _Value) -> tensor: ...
    def __lshift__(self, other: _Value) -> tensor: ...
    def __rlshift__(self, other: _Value) -> tensor: ...
    def __rshift__(self, other: _Value) -> tensor: ...
    def __rrshift__(self, other: _Value) -> tensor: ...
    def __and__(self, other: _Value) -> tensor: ...
    def __rand__(self, other: _Value) -> tensor: ...
    def __or__(self, other: _Value) -> tensor: ...
    def __ror__(self, other: _Value) -> tensor: ...
    def __xor__(self, other: _Value) -> tensor: ...
    def __rxor__(self, other: _Value) -> tensor: ...
    def __lt__(self, other: _Value) -> tensor: ...
    def __le__(self, other: _Value) -> tensor: ...
    def __gt__(self, other: _Value) -> tensor: ...
    def __ge__(self, other: _Value) -> tensor: ...
    def __eq__(self, other: _Value) -> tensor: ...  # type: ignore[override]
    def __ne__(self, other: _Value) -> tensor: ...  # type: ignore[override]
    def __neg__(self) -> tensor: ...
    def __pos__(self) -> tensor: ...
    def __invert__(self) -> tensor: ...
    def __getitem__(self, index: Any) -> tensor: ...
    # The methods of tensors.

class tensor_descriptor(_base_value):
    """A tensor in memory and the blocks that it is cut into."""

    dtype: _dtype
    """The type of the elements."""
    shape: Sequence[tensor]
    """The extents of the tensor."""
    strides: Sequence[tensor]
    """How many elements lie between neighbours along each dimension."""
    block_shape: tuple[int, ...]
    """The extents of a block."""
    block_type: _dtype
    """The type of a block."""

    # The methods of descriptors.

tensor_descriptor_base: TypeAlias = tensor_descriptor

# The types of parameters.
