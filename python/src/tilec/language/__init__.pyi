# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Made by tools/dev/language_names/generate.py from lib/Sema/language.
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
    def cast(self, dtype: _Type, fp_downcast_rounding: _Text | None = None, bitcast: _Bool = False) -> tensor:
        """Converts the elements to a type, or takes their bits for those of it with bitcast=True."""
        ...

    def item(self) -> tensor:
        """The element of a block that has one, as a scalar."""
        ...

    def abs(self) -> tensor:
        """Magnitudes."""
        ...

    def cdiv(self, div: _Value) -> Any:
        """The quotient, rounded up."""
        ...

    def logical_and(self, y: _Value) -> tensor:
        """Whether both are true, element by element; both are evaluated."""
        ...

    def logical_or(self, y: _Value) -> tensor:
        """Whether one of two is true, element by element; both are evaluated."""
        ...

    def exp(self) -> tensor:
        """e to the power of x."""
        ...

    def exp2(self) -> tensor:
        """2 to the power of x."""
        ...

    def log(self) -> tensor:
        """The natural logarithm."""
        ...

    def log2(self) -> tensor:
        """The logarithm to the base 2."""
        ...

    def sin(self) -> tensor:
        """The sine of radians."""
        ...

    def cos(self) -> tensor:
        """The cosine of radians."""
        ...

    def sqrt(self) -> tensor:
        """The square root, in fp32 to 2 units in the last place."""
        ...

    def sqrt_rn(self) -> tensor:
        """The square root, rounded to nearest."""
        ...

    def rsqrt(self) -> tensor:
        """The reciprocal of the square root."""
        ...

    def erf(self) -> tensor:
        """The error function."""
        ...

    def floor(self) -> tensor:
        """The greatest integer that is not above x."""
        ...

    def ceil(self) -> tensor:
        """The least integer that is not below x."""
        ...

    def sigmoid(self) -> tensor:
        """1 / (1 + exp(-x))."""
        ...

    def softmax(self, dim: _Int | None = None, keep_dims: _Bool = False, ieee_rounding: _Bool = False) -> tensor:
        """exp(x) over the sum of exp(x) along a dimension, without overflow."""
        ...

    def expand_dims(self, axis: _Int | _Shape) -> tensor:
        """A block with new axes of size 1."""
        ...

    def broadcast_to(self, *shape: _Int | _Shape) -> tensor:
        """A block, repeated along axes of size 1 to fill a shape."""
        ...

    def reshape(self, *shape: _Int | _Shape, can_reorder: _Bool = False) -> tensor:
        """The elements in their order in another shape."""
        ...

    def view(self, *shape: _Int | _Shape) -> tensor:
        """The elements in any order in another shape."""
        ...

    def ravel(self, can_reorder: _Bool = False) -> tensor:
        """The elements as a block of one dimension."""
        ...

    def permute(self, *dims: _Int | _Shape) -> tensor:
        """A block with its dimensions in another order."""
        ...

    def trans(self, *dims: _Int | _Shape) -> tensor:
        """A block with its last two dimensions swapped, or with all of them in a given order."""
        ...

    def join(self, b: _Value) -> tensor:
        """Two blocks along a new last dimension of size 2."""
        ...

    def split(self) -> tuple[tensor, tensor]:
        """The two halves of a last dimension of size 2."""
        ...

    def load(self, mask: _Mask = None, other: _Value | None = None, boundary_check: _Shape = (),
             padding_option: _Text = "", cache_modifier: _Text = "", eviction_policy: _Text = "",
             volatile: _Bool = False) -> tensor:
        """Reads through a pointer, a block of pointers or a block pointer; where the mask is false nothing is read
        and the result is other, or zero."""
        ...

    def store(self, value: _Value, mask: _Mask = None, boundary_check: _Shape = (), cache_modifier: _Text = "",
              eviction_policy: _Text = "") -> None:
        """Writes through a pointer, a block of pointers or a block pointer where the mask is true; the value is
        converted to the type of the memory."""
        ...

    def atomic_add(self, val: _Value, mask: _Mask = None, sem: _Text | None = None,
                   scope: _Text | None = None) -> tensor:
        """Adds to memory in one step and gives what was there."""
        ...

    def atomic_max(self, val: _Value, mask: _Mask = None, sem: _Text | None = None,
                   scope: _Text | None = None) -> tensor:
        """Puts the larger of memory and value into memory in one step and gives what was there."""
        ...

    def atomic_min(self, val: _Value, mask: _Mask = None, sem: _Text | None = None,
                   scope: _Text | None = None) -> tensor:
        """Puts the smaller of memory and value into memory in one step and gives what was there."""
        ...

    def atomic_and(self, val: _Value, mask: _Mask = None, sem: _Text | None = None,
                   scope: _Text | None = None) -> tensor:
        """The bitwise and of memory and value in one step; gives what was there."""
        ...

    def atomic_or(self, val: _Value, mask: _Mask = None, sem: _Text | None = None,
                  scope: _Text | None = None) -> tensor:
        """The bitwise or of memory and value in one step; gives what was there."""
        ...

    def atomic_xor(self, val: _Value, mask: _Mask = None, sem: _Text | None = None,
                   scope: _Text | None = None) -> tensor:
        """The bitwise exclusive or of memory and value in one step; gives what was there."""
        ...

    def atomic_xchg(self, val: _Value, mask: _Mask = None, sem: _Text | None = None,
                    scope: _Text | None = None) -> tensor:
        """Puts a value into memory and gives what was there, in one step."""
        ...

    def atomic_cas(self, cmp: _Value, val: _Value, sem: _Text | None = None, scope: _Text | None = None) -> tensor:
        """Puts val into memory where it holds cmp, and gives what was there, in one step."""
        ...

    def atomic_load(self, mask: _Mask = None, sem: _Text | None = None, scope: _Text | None = None) -> tensor:
        """Loads in one access, which acquires."""
        ...

    def atomic_store(self, val: _Value, mask: _Mask = None, sem: _Text | None = None,
                     scope: _Text | None = None) -> None:
        """Stores in one access, which releases."""
        ...

    def reduce(self, axis: _Int | None, combine_fn: Callable[..., Any], keep_dims: _Bool = False) -> tensor:
        """Combines the elements along an axis with a function of yours, which is associative; those of several
        blocks together."""
        ...

    def associative_scan(self, axis: _Int, combine_fn: Callable[..., Any], reverse: _Bool = False) -> tensor:
        """Combines the elements up to each place along an axis with a function of yours, which is associative."""
        ...

    def sum(self, axis: _Int | None = None, keep_dims: _Bool = False, dtype: _Type | None = None) -> tensor:
        """The sum along an axis, or of all elements; integers of less than 32 bits are summed in 32."""
        ...

    @overload
    def max(self, axis: _Int | None = None, return_indices: Literal[False] = False,
            return_indices_tie_break_left: _Bool = True, keep_dims: _Bool = False) -> tensor: ...

    @overload
    def max(self, axis: _Int | None, return_indices: Literal[True], return_indices_tie_break_left: _Bool = True,
            keep_dims: _Bool = False) -> tuple[tensor, tensor]: ...

    @overload
    def max(self, axis: _Int | None = None, *, return_indices: Literal[True],
            return_indices_tie_break_left: _Bool = True, keep_dims: _Bool = False) -> tuple[tensor, tensor]:
        """The largest along an axis, or of all elements; with return_indices its index, too."""
        ...

    @overload
    def min(self, axis: _Int | None = None, return_indices: Literal[False] = False,
            return_indices_tie_break_left: _Bool = True, keep_dims: _Bool = False) -> tensor: ...

    @overload
    def min(self, axis: _Int | None, return_indices: Literal[True], return_indices_tie_break_left: _Bool = True,
            keep_dims: _Bool = False) -> tuple[tensor, tensor]: ...

    @overload
    def min(self, axis: _Int | None = None, *, return_indices: Literal[True],
            return_indices_tie_break_left: _Bool = True, keep_dims: _Bool = False) -> tuple[tensor, tensor]:
        """The smallest along an axis, or of all elements; with return_indices its index, too."""
        ...

    def argmax(self, axis: _Int | None, tie_break_left: _Bool = True, keep_dims: _Bool = False) -> tensor:
        """The index of the largest along an axis, the first of equal ones."""
        ...

    def argmin(self, axis: _Int | None, tie_break_left: _Bool = True, keep_dims: _Bool = False) -> tensor:
        """The index of the smallest along an axis, the first of equal ones."""
        ...

    def xor_sum(self, axis: _Int | None = None, keep_dims: _Bool = False) -> tensor:
        """The bitwise exclusive or of the elements along an axis, or of all."""
        ...

    def reduce_or(self, axis: _Int | None, keep_dims: _Bool = False) -> tensor:
        """The bitwise or of the elements along an axis, or of all."""
        ...

    def cumsum(self, axis: _Int = 0, reverse: _Bool = False, dtype: _Type | None = None) -> tensor:
        """The sums up to each place along an axis."""
        ...

    def cumprod(self, axis: _Int = 0, reverse: _Bool = False, dtype: _Type | None = None) -> tensor:
        """The products up to each place along an axis."""
        ...

    def sort(self, dim: _Int | None = None, descending: _Bool = False) -> tensor:
        """The elements in order along a dimension, the last one without dim."""
        ...

    def topk(self, k: _Int, dim: _Int | None = None, descending: _Bool = True) -> tensor:
        """The k largest along a dimension, the largest first, or the k smallest, the smallest first."""
        ...

    def bitonic_merge(self, dim: _Int | None = None, descending: _Bool = False) -> tensor:
        """Puts in order what rises and then falls along a dimension."""
        ...

    def flip(self, dim: _Int | None = None) -> tensor:
        """The elements the other way round along a dimension."""
        ...

    def gather(self, index: tensor, axis: _Int) -> tensor:
        """Elements of a block by indices along an axis."""
        ...

    def histogram(self, num_bins: _Int, mask: _Mask = None) -> tensor:
        """How often each of the numbers 0 to num_bins - 1 occurs."""
        ...

    def to(self, dtype: _Type, fp_downcast_rounding: _Text | None = None, bitcast: _Bool = False) -> tensor:
        """Converts the elements to a type, or takes their bits for those of it with bitcast=True."""
        ...

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

    def load(self, offsets: _Values) -> tensor:
        """The block at offsets."""
        ...

    def store(self, offsets: _Values, value: _Value) -> None:
        """Writes the block at offsets."""
        ...

    def atomic_add(self, offsets: _Values, value: _Value) -> None:
        """Adds to the block at offsets in one step for each element."""
        ...

    def atomic_max(self, offsets: _Values, value: _Value) -> None:
        """Puts the larger elements into the block at offsets, each in one step."""
        ...

    def atomic_min(self, offsets: _Values, value: _Value) -> None:
        """Puts the smaller elements into the block at offsets, each in one step."""
        ...

    def atomic_and(self, offsets: _Values, value: _Value) -> None:
        """The bitwise and with the block at offsets, each element in one step."""
        ...

    def atomic_or(self, offsets: _Values, value: _Value) -> None:
        """The bitwise or with the block at offsets, each element in one step."""
        ...

    def atomic_xor(self, offsets: _Values, value: _Value) -> None:
        """The bitwise exclusive or with the block at offsets, each element in one step."""
        ...

    def gather(self, x_offsets: tensor, y_offset: _Value) -> tensor:
        """The rows that a block of integers numbers, from a column on."""
        ...

    def scatter(self, value: tensor, x_offsets: tensor, y_offset: _Value) -> None:
        """Writes the rows that a block of integers numbers, from a column on."""
        ...

tensor_descriptor_base: TypeAlias = tensor_descriptor

_Value: TypeAlias = tensor | constexpr | int | float | bool
_Int: TypeAlias = int | constexpr
_Bool: TypeAlias = bool | constexpr
_Text: TypeAlias = str | constexpr
_Type: TypeAlias = _dtype | constexpr
_Shape: TypeAlias = Sequence[_Int] | constexpr
_Values: TypeAlias = Sequence[_Value] | constexpr
_Mask: TypeAlias = tensor | constexpr | bool | int | None
_Nan: TypeAlias = PropagateNan | constexpr

def program_id(axis: _Int) -> tensor:
    """The index of this program along an axis of the grid (0, 1 or 2), an int32."""
    ...

def num_programs(axis: _Int) -> tensor:
    """The number of programs along an axis of the grid (0, 1 or 2), an int32."""
    ...

def arange(start: _Int, end: _Int) -> tensor:
    """The block start, start + 1, ..., end - 1 of int32; both ends are known at compile time."""
    ...

def full(shape: _Shape, value: _Value, dtype: _Type) -> tensor:
    """A block of a shape, filled with a number that is converted to a type."""
    ...

def zeros(shape: _Shape, dtype: _Type) -> tensor:
    """A block of zeros of a shape and a type."""
    ...

def zeros_like(input: tensor) -> tensor:
    """A block of zeros of the shape and type of another one."""
    ...

def cast(input: _Value, dtype: _Type, fp_downcast_rounding: _Text | None = None, bitcast: _Bool = False) -> tensor:
    """Converts the elements to a type, or takes their bits for those of it with bitcast=True."""
    ...

def to_tensor(x: _Value) -> tensor:
    """A number as a value at run time."""
    ...

def item(input: tensor) -> tensor:
    """The element of a block that has one, as a scalar."""
    ...

def get_int_dtype(bitwidth: int, signed: bool) -> dtype:
    """The integer type of a width and signedness."""
    ...

def add(x: _Value, y: _Value, sanitize_overflow: _Bool = True) -> tensor:
    """The sum of two."""
    ...

def sub(x: _Value, y: _Value, sanitize_overflow: _Bool = True) -> tensor:
    """The difference of two."""
    ...

def mul(x: _Value, y: _Value, sanitize_overflow: _Bool = True) -> tensor:
    """The product of two."""
    ...

def minimum(x: _Value, y: _Value, propagate_nan: _Nan = PropagateNan.NONE) -> tensor:
    """The smaller of two, element by element; of a number and NaN the number unless propagate_nan says otherwise."""
    ...

def maximum(x: _Value, y: _Value, propagate_nan: _Nan = PropagateNan.NONE) -> tensor:
    """The larger of two, element by element; of a number and NaN the number unless propagate_nan says otherwise."""
    ...

def clamp(x: _Value, min: _Value, max: _Value, propagate_nan: _Nan = PropagateNan.NONE) -> tensor:
    """Values limited to the range from min to max."""
    ...

def where(condition: _Value, x: _Value, y: _Value) -> tensor:
    """Elements of x where the condition is true, of y elsewhere; both are evaluated."""
    ...

def abs(x: _Value) -> tensor:
    """Magnitudes."""
    ...

def cdiv(x: _Value, div: _Value) -> Any:
    """The quotient, rounded up."""
    ...

def fdiv(x: _Value, y: _Value, ieee_rounding: _Bool = False, approx: _Bool = False) -> tensor:
    """The quotient of floats to 2 units in the last place, or rounded to nearest with ieee_rounding."""
    ...

def div_rn(x: _Value, y: _Value) -> tensor:
    """The quotient of floats, rounded to nearest."""
    ...

def fma(x: _Value, y: _Value, z: _Value) -> tensor:
    """x * y + z, rounded once."""
    ...

def umulhi(x: _Value, y: _Value) -> tensor:
    """The high half of the product of two unsigned integers."""
    ...

def logical_and(x: _Value, y: _Value) -> tensor:
    """Whether both are true, element by element; both are evaluated."""
    ...

def logical_or(x: _Value, y: _Value) -> tensor:
    """Whether one of two is true, element by element; both are evaluated."""
    ...

def logical_not(x: _Value) -> tensor:
    """Whether it is false, element by element."""
    ...

def expect_zero(x: _Value, mask: _Mask) -> tensor:
    """x where the mask is true; where it is not, x is promised to be zero."""
    ...

def next_power_of_2(n: _Int) -> Any:
    """The least power of two that is not less than n."""
    ...

def exp(x: _Value) -> tensor:
    """e to the power of x."""
    ...

def exp2(x: _Value) -> tensor:
    """2 to the power of x."""
    ...

def log(x: _Value) -> tensor:
    """The natural logarithm."""
    ...

def log2(x: _Value) -> tensor:
    """The logarithm to the base 2."""
    ...

def sin(x: _Value) -> tensor:
    """The sine of radians."""
    ...

def cos(x: _Value) -> tensor:
    """The cosine of radians."""
    ...

def sqrt(x: _Value) -> tensor:
    """The square root, in fp32 to 2 units in the last place."""
    ...

def sqrt_rn(x: _Value) -> tensor:
    """The square root, rounded to nearest."""
    ...

def rsqrt(x: _Value) -> tensor:
    """The reciprocal of the square root."""
    ...

def erf(x: _Value) -> tensor:
    """The error function."""
    ...

def floor(x: _Value) -> tensor:
    """The greatest integer that is not above x."""
    ...

def ceil(x: _Value) -> tensor:
    """The least integer that is not below x."""
    ...

def tanh(x: _Value) -> tensor:
    """The hyperbolic tangent."""
    ...

def sigmoid(x: _Value) -> tensor:
    """1 / (1 + exp(-x))."""
    ...

def softmax(x: _Value, dim: _Int | None = None, keep_dims: _Bool = False, ieee_rounding: _Bool = False) -> tensor:
    """exp(x) over the sum of exp(x) along a dimension, without overflow."""
    ...

def expand_dims(input: _Value, axis: _Int | _Shape) -> tensor:
    """A block with new axes of size 1."""
    ...

def unsqueeze(x: tensor, dim: _Int) -> tensor:
    """A block with a new axis of size 1."""
    ...

def squeeze(x: tensor, dim: _Int) -> tensor:
    """A block without an axis of size 1."""
    ...

def broadcast(input: _Value, other: _Value) -> tuple[tensor, tensor]:
    """Two blocks, brought to one shape."""
    ...

def broadcast_to(input: _Value, *shape: _Int | _Shape) -> tensor:
    """A block, repeated along axes of size 1 to fill a shape."""
    ...

def reshape(input: tensor, *shape: _Int | _Shape, can_reorder: _Bool = False) -> tensor:
    """The elements in their order in another shape."""
    ...

def view(input: tensor, *shape: _Int | _Shape) -> tensor:
    """The elements in any order in another shape."""
    ...

def ravel(x: tensor, can_reorder: _Bool = False) -> tensor:
    """The elements as a block of one dimension."""
    ...

def permute(input: tensor, *dims: _Int | _Shape) -> tensor:
    """A block with its dimensions in another order."""
    ...

def trans(input: tensor, *dims: _Int | _Shape) -> tensor:
    """A block with its last two dimensions swapped, or with all of them in a given order."""
    ...

def join(a: _Value, b: _Value) -> tensor:
    """Two blocks along a new last dimension of size 2."""
    ...

def split(a: tensor) -> tuple[tensor, tensor]:
    """The two halves of a last dimension of size 2."""
    ...

def interleave(a: tensor, b: tensor) -> tensor:
    """The elements of two blocks in turn along the last dimension."""
    ...

def cat(input: tensor, other: tensor, can_reorder: _Bool = False, dim: _Int = 0) -> tensor:
    """One block behind another one."""
    ...

def swizzle2d(i: _Value, j: _Value, size_i: _Value, size_j: _Value, size_g: _Value) -> tuple[tensor, tensor]:
    """Row and column when the rows of a grid are visited in groups, which keeps data in the cache."""
    ...

def load(pointer: tensor, mask: _Mask = None, other: _Value | None = None, boundary_check: _Shape = (),
         padding_option: _Text = "", cache_modifier: _Text = "", eviction_policy: _Text = "",
         volatile: _Bool = False) -> tensor:
    """Reads through a pointer, a block of pointers or a block pointer; where the mask is false nothing is read and
    the result is other, or zero."""
    ...

def store(pointer: tensor, value: _Value, mask: _Mask = None, boundary_check: _Shape = (), cache_modifier: _Text = "",
          eviction_policy: _Text = "") -> None:
    """Writes through a pointer, a block of pointers or a block pointer where the mask is true; the value is
    converted to the type of the memory."""
    ...

def make_block_ptr(base: tensor, shape: _Values, strides: _Values, offsets: _Values, block_shape: _Shape,
                   order: _Shape) -> tensor:
    """A block of a tensor in memory, for load and store with boundary_check; advance moves it."""
    ...

def advance(base: tensor, offsets: _Values) -> tensor:
    """A block pointer, moved by an offset for each dimension."""
    ...

def make_tensor_descriptor(base: tensor, shape: _Values, strides: _Values, block_shape: _Shape,
                           padding_option: _Text = "zero") -> tensor_descriptor:
    """A descriptor of a tensor in memory: its loads and stores take offsets, and what is outside reads as zero."""
    ...

def load_tensor_descriptor(desc: tensor_descriptor, offsets: _Values) -> tensor:
    """The block of a tensor descriptor at offsets."""
    ...

def store_tensor_descriptor(desc: tensor_descriptor, offsets: _Values, value: _Value) -> None:
    """Writes the block of a tensor descriptor at offsets."""
    ...

def _experimental_make_tensor_descriptor(base: tensor, shape: _Values, strides: _Values, block_shape: _Shape,
                                         padding_option: _Text = "zero") -> tensor_descriptor:
    """An older name of make_tensor_descriptor."""
    ...

def _experimental_descriptor_load(desc: tensor_descriptor, offsets: _Values, shape: _Shape | None = None,
                                  dtype: _Type | None = None) -> tensor:
    """An older name of load_tensor_descriptor."""
    ...

def _experimental_descriptor_store(desc: tensor_descriptor, value: _Value, offsets: _Values) -> None:
    """An older name of store_tensor_descriptor."""
    ...

def atomic_add(pointer: tensor, val: _Value, mask: _Mask = None, sem: _Text | None = None,
               scope: _Text | None = None) -> tensor:
    """Adds to memory in one step and gives what was there."""
    ...

def atomic_max(pointer: tensor, val: _Value, mask: _Mask = None, sem: _Text | None = None,
               scope: _Text | None = None) -> tensor:
    """Puts the larger of memory and value into memory in one step and gives what was there."""
    ...

def atomic_min(pointer: tensor, val: _Value, mask: _Mask = None, sem: _Text | None = None,
               scope: _Text | None = None) -> tensor:
    """Puts the smaller of memory and value into memory in one step and gives what was there."""
    ...

def atomic_and(pointer: tensor, val: _Value, mask: _Mask = None, sem: _Text | None = None,
               scope: _Text | None = None) -> tensor:
    """The bitwise and of memory and value in one step; gives what was there."""
    ...

def atomic_or(pointer: tensor, val: _Value, mask: _Mask = None, sem: _Text | None = None,
              scope: _Text | None = None) -> tensor:
    """The bitwise or of memory and value in one step; gives what was there."""
    ...

def atomic_xor(pointer: tensor, val: _Value, mask: _Mask = None, sem: _Text | None = None,
               scope: _Text | None = None) -> tensor:
    """The bitwise exclusive or of memory and value in one step; gives what was there."""
    ...

def atomic_xchg(pointer: tensor, val: _Value, mask: _Mask = None, sem: _Text | None = None,
                scope: _Text | None = None) -> tensor:
    """Puts a value into memory and gives what was there, in one step."""
    ...

def atomic_cas(pointer: tensor, cmp: _Value, val: _Value, sem: _Text | None = None,
               scope: _Text | None = None) -> tensor:
    """Puts val into memory where it holds cmp, and gives what was there, in one step."""
    ...

def atomic_load(pointer: tensor, mask: _Mask = None, sem: _Text | None = None, scope: _Text | None = None) -> tensor:
    """Loads in one access, which acquires."""
    ...

def atomic_store(pointer: tensor, val: _Value, mask: _Mask = None, sem: _Text | None = None,
                 scope: _Text | None = None) -> None:
    """Stores in one access, which releases."""
    ...

def atomic_poll(pointer: tensor, expected: _Value, sem: _Text = "acquire", scope: _Text = "gpu",
                timeout_ns: _Value | None = None) -> tensor:
    """Waits until memory holds a value, or for a time, and gives whether it does."""
    ...

def dot(input: tensor, other: tensor, acc: tensor | None = None, input_precision: _Text | None = None,
        allow_tf32: _Bool | None = None, max_num_imprecise_acc: _Int | None = None,
        out_dtype: _Type = float32) -> tensor:
    """The matrix product of two blocks, added to acc; fp32 is multiplied in tf32 unless input_precision is "ieee"."""
    ...

def dot_scaled(lhs: tensor, lhs_scale: tensor | None, lhs_format: _Text, rhs: tensor, rhs_scale: tensor | None,
               rhs_format: _Text, acc: tensor | None = None, fast_math: _Bool = False, lhs_k_pack: _Bool = True,
               rhs_k_pack: _Bool = True, out_dtype: _Type = float32) -> tensor:
    """The matrix product of two blocks of small floats whose groups along K have scales."""
    ...

@overload
def reduce(input: tensor, axis: _Int | None, combine_fn: Callable[..., Any], keep_dims: _Bool = False) -> tensor: ...

@overload
def reduce(input: tuple[tensor, ...], axis: _Int | None, combine_fn: Callable[..., Any],
           keep_dims: _Bool = False) -> tuple[tensor, ...]:
    """Combines the elements along an axis with a function of yours, which is associative; those of several blocks
    together."""
    ...

@overload
def associative_scan(input: tensor, axis: _Int, combine_fn: Callable[..., Any], reverse: _Bool = False) -> tensor: ...

@overload
def associative_scan(input: tuple[tensor, ...], axis: _Int, combine_fn: Callable[..., Any],
                     reverse: _Bool = False) -> tuple[tensor, ...]:
    """Combines the elements up to each place along an axis with a function of yours, which is associative."""
    ...

def sum(input: tensor, axis: _Int | None = None, keep_dims: _Bool = False, dtype: _Type | None = None) -> tensor:
    """The sum along an axis, or of all elements; integers of less than 32 bits are summed in 32."""
    ...

@overload
def max(input: tensor, axis: _Int | None = None, return_indices: Literal[False] = False,
        return_indices_tie_break_left: _Bool = True, keep_dims: _Bool = False) -> tensor: ...

@overload
def max(input: tensor, axis: _Int | None, return_indices: Literal[True], return_indices_tie_break_left: _Bool = True,
        keep_dims: _Bool = False) -> tuple[tensor, tensor]: ...

@overload
def max(input: tensor, axis: _Int | None = None, *, return_indices: Literal[True],
        return_indices_tie_break_left: _Bool = True, keep_dims: _Bool = False) -> tuple[tensor, tensor]:
    """The largest along an axis, or of all elements; with return_indices its index, too."""
    ...

@overload
def min(input: tensor, axis: _Int | None = None, return_indices: Literal[False] = False,
        return_indices_tie_break_left: _Bool = True, keep_dims: _Bool = False) -> tensor: ...

@overload
def min(input: tensor, axis: _Int | None, return_indices: Literal[True], return_indices_tie_break_left: _Bool = True,
        keep_dims: _Bool = False) -> tuple[tensor, tensor]: ...

@overload
def min(input: tensor, axis: _Int | None = None, *, return_indices: Literal[True],
        return_indices_tie_break_left: _Bool = True, keep_dims: _Bool = False) -> tuple[tensor, tensor]:
    """The smallest along an axis, or of all elements; with return_indices its index, too."""
    ...

def argmax(input: tensor, axis: _Int | None, tie_break_left: _Bool = True, keep_dims: _Bool = False) -> tensor:
    """The index of the largest along an axis, the first of equal ones."""
    ...

def argmin(input: tensor, axis: _Int | None, tie_break_left: _Bool = True, keep_dims: _Bool = False) -> tensor:
    """The index of the smallest along an axis, the first of equal ones."""
    ...

def xor_sum(input: tensor, axis: _Int | None = None, keep_dims: _Bool = False) -> tensor:
    """The bitwise exclusive or of the elements along an axis, or of all."""
    ...

def reduce_or(input: tensor, axis: _Int | None, keep_dims: _Bool = False) -> tensor:
    """The bitwise or of the elements along an axis, or of all."""
    ...

def cumsum(input: tensor, axis: _Int = 0, reverse: _Bool = False, dtype: _Type | None = None) -> tensor:
    """The sums up to each place along an axis."""
    ...

def cumprod(input: tensor, axis: _Int = 0, reverse: _Bool = False, dtype: _Type | None = None) -> tensor:
    """The products up to each place along an axis."""
    ...

def sort(x: tensor, dim: _Int | None = None, descending: _Bool = False) -> tensor:
    """The elements in order along a dimension, the last one without dim."""
    ...

def topk(x: tensor, k: _Int, dim: _Int | None = None, descending: _Bool = True) -> tensor:
    """The k largest along a dimension, the largest first, or the k smallest, the smallest first."""
    ...

def bitonic_merge(x: tensor, dim: _Int | None = None, descending: _Bool = False) -> tensor:
    """Puts in order what rises and then falls along a dimension."""
    ...

def flip(x: tensor, dim: _Int | None = None) -> tensor:
    """The elements the other way round along a dimension."""
    ...

def gather(src: tensor, index: tensor, axis: _Int) -> tensor:
    """Elements of a block by indices along an axis."""
    ...

def histogram(input: tensor, num_bins: _Int, mask: _Mask = None) -> tensor:
    """How often each of the numbers 0 to num_bins - 1 occurs."""
    ...

def philox(seed: _Value, c0: _Value, c1: _Value, c2: _Value, c3: _Value,
           n_rounds: _Int = 10) -> tuple[tensor, tensor, tensor, tensor]:
    """Four words of random bits from a seed and four counters."""
    ...

def philox_impl(c0: tensor, c1: tensor, c2: tensor, c3: tensor, k0: tensor, k1: tensor,
                n_rounds: _Int = 10) -> tuple[tensor, tensor, tensor, tensor]:
    """Rounds of Philox on four counters and two keys."""
    ...

def randint(seed: _Value, offset: _Value, n_rounds: _Int = 10) -> tensor:
    """Random uint32 from a seed and a block of offsets."""
    ...

def randint4x(seed: _Value, offset: _Value, n_rounds: _Int = 10) -> tuple[tensor, tensor, tensor, tensor]:
    """Four blocks of random uint32 at the price of one."""
    ...

def rand(seed: _Value, offset: _Value, n_rounds: _Int = 10) -> tensor:
    """Random fp32 in [0, 1) from a seed and a block of offsets."""
    ...

def rand4x(seed: _Value, offset: _Value, n_rounds: _Int = 10) -> tuple[tensor, tensor, tensor, tensor]:
    """Four blocks of random fp32 in [0, 1) at the price of one."""
    ...

def randn(seed: _Value, offset: _Value, n_rounds: _Int = 10) -> tensor:
    """Random fp32 of the normal distribution from a seed and a block of offsets."""
    ...

def randn4x(seed: _Value, offset: _Value, n_rounds: _Int = 10) -> tuple[tensor, tensor, tensor, tensor]:
    """Four blocks of random fp32 of the normal distribution at the price of one."""
    ...

def uint_to_uniform_float(x: tensor) -> tensor:
    """Random bits as fp32 in [0, 1)."""
    ...

def pair_uniform_to_normal(u1: tensor, u2: tensor) -> tuple[tensor, tensor]:
    """Two uniform random numbers as two of the normal distribution."""
    ...

def range(arg1: _Value, arg2: _Value | None = None, step: _Value | None = None, *, num_stages: _Int | None = None,
          loop_unroll_factor: _Int | None = None, disallow_acc_multi_buffer: _Bool = False, flatten: _Bool = False,
          warp_specialize: _Bool = False, disable_licm: _Bool = False) -> Iterable[tensor]:
    """The numbers of a loop, with options such as num_stages for the loads ahead."""
    ...

def static_range(arg1: _Int, arg2: _Int | None = None, step: _Int | None = None) -> Iterable[constexpr]:
    """The numbers of a loop that is unrolled at compile time."""
    ...

def condition(arg1: _Value, *, disable_licm: _Bool = False) -> tensor:
    """The condition of a while loop, with options."""
    ...

def inline_asm_elementwise(asm: _Text, constraints: _Text, args: Sequence[_Value], dtype: _Type | Sequence[_Type],
                           is_pure: _Bool, pack: _Int) -> Any:
    """PTX for every pack of elements; $0 is the first result, and a tuple of types makes several."""
    ...

def map_elementwise(scalar_fn: Callable[..., Any], *args: tensor, pack: _Int = 1) -> Any:
    """A function of scalars, with control flow, for every element or pack of them."""
    ...

def extern_elementwise(lib_name: _Text, lib_path: _Text, args: Sequence[_Value], arg_type_symbol_dict: dict[Any, Any],
                       is_pure: _Bool = False) -> tensor:
    """A function of libdevice by its symbol, chosen by the types of the arguments."""
    ...

def aggregate_replace(obj: Any, **changes: Any) -> Any:
    """An object of an aggregate with other values of some fields."""
    ...

def multiple_of(input: tensor, values: _Int | _Shape) -> tensor:
    """Promises that values are multiples of a number."""
    ...

def max_contiguous(input: tensor, values: _Int | _Shape) -> tensor:
    """Promises that so many values follow one another by one."""
    ...

def max_constancy(input: tensor, values: _Int | _Shape) -> tensor:
    """Promises that so many values are the same."""
    ...

def assume(cond: _Value) -> None:
    """Promises that a scalar condition holds."""
    ...

def static_assert(cond: Any, msg: _Text = "") -> None:
    """An error while compiling when a condition that is known then is false."""
    ...

def static_print(*values: Any, sep: str = " ", end: str = "\n", file: Any = None, flush: bool = False) -> None:
    """Prints values while compiling."""
    ...

def device_print(prefix: _Text = "", *args: _Value, hex: _Bool = False) -> None:
    """Prints values with the program's coordinates at run time."""
    ...

def device_assert(cond: _Value, msg: _Text = "", mask: _Mask = None) -> None:
    """Stops the kernel where a condition is false, if it was compiled with debug."""
    ...

def debug_barrier() -> None:
    """All threads of the program meet."""
    ...

def _log2(i: _Int) -> Any:
    """The exponent of a power of two that is known at compile time."""
    ...
