# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types, pointer types and block types: the host reads and passes them, kernels name them."""

from __future__ import annotations

from ._constexpr import constexpr, plain

#: Names of integer types: signed ones and unsigned ones with their bits.
_SIGNED = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
_UNSIGNED = {"int1": 1, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}

#: Names of float types: bits in all, bits of the fraction, bias of the exponent.
_FLOATS = {
    "fp8e4b15": (8, 3, 15), "fp8e4nv": (8, 3, 7), "fp8e4b8": (8, 3, 8), "fp8e5": (8, 2, 15), "fp8e5b16": (8, 2, 16),
    "fp16": (16, 10, 15), "bf16": (16, 7, 127), "fp32": (32, 23, 127), "fp64": (64, 52, 1023),
}  # yapf: disable


class base_type:
    """What all types of the language are."""

    name: str


class dtype(base_type):
    """An element type by its name, such as `dtype("fp16")`, which is `float16`."""

    name: str  #: "fp32", "bf16", "int32", "int1", ...
    primitive_bitwidth: int  #: bits of an element
    itemsize: int  #: bytes of an element in memory
    int_bitwidth: int  #: of integer types: the bits
    fp_mantissa_width: int  #: of floats: bits of the fraction
    exponent_bias: int  #: of floats: what is added to the exponent

    def __init__(self, name: str):
        name = plain(name)
        if name in _FLOATS:
            bits, self.fp_mantissa_width, self.exponent_bias = _FLOATS[name]
        elif name in _SIGNED or name in _UNSIGNED:
            bits = self.int_bitwidth = _SIGNED.get(name) or _UNSIGNED[name]
        elif name == "void":
            bits = 0
        else:
            raise ValueError(f"the language has no type '{name}'")
        self.name = name
        self.primitive_bitwidth = bits
        self.itemsize = (bits + 7) // 8

    @staticmethod
    def is_dtype(type_str: str) -> bool:
        """Whether it is the name of an element type."""
        return type_str in _FLOATS or type_str in _SIGNED or type_str in _UNSIGNED or type_str == "void"

    @property
    def scalar(self) -> dtype:
        """The type of the elements: this one, unless it is that of a block."""
        return self

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of a block; of an element there are none."""
        return ()

    @property
    def numel(self) -> int:
        """The number of elements of a block; 1 for an element."""
        return 1

    def is_floating(self) -> bool:
        """Whether it is a float."""
        return self.name in _FLOATS

    def is_standard_floating(self) -> bool:
        """Whether it is a float of at least 16 bits."""
        return self.is_floating() and self.primitive_bitwidth >= 16

    def is_int(self) -> bool:
        """Whether it is an integer type; booleans are among them."""
        return self.name in _SIGNED or self.name in _UNSIGNED

    def is_int_signed(self) -> bool:
        """Whether it is an integer with a sign."""
        return self.name in _SIGNED

    def is_int_unsigned(self) -> bool:
        """Whether it is an integer without a sign."""
        return self.name in _UNSIGNED

    def is_bool(self) -> bool:
        """Whether it is `int1`."""
        return self.name == "int1"

    def is_fp8(self) -> bool:
        """Whether it is a float of 8 bits."""
        return self.name.startswith("fp8")

    def is_void(self) -> bool:
        """Whether it is `void`."""
        return self.name == "void"

    def is_ptr(self) -> bool:
        """Whether it is a pointer type."""
        return False

    def is_block(self) -> bool:
        """Whether it is the type of a block."""
        return False

    def is_const(self) -> bool:
        """Whether it is a pointer to what kernels only read."""
        return False

    def get_int_max_value(self) -> int:
        """The greatest value of an integer type."""
        return (1 << self._integer_bits() - self.is_int_signed()) - 1

    def get_int_min_value(self) -> int:
        """The least value of an integer type."""
        return -(1 << self._integer_bits() - 1) if self.is_int_signed() else 0

    def _integer_bits(self) -> int:
        if not self.is_int():
            raise ValueError(f"{self} is no integer type")
        return self.int_bitwidth

    def with_element_ty(self, element_ty: dtype) -> dtype:
        """This type with other elements: a block of them, or just them."""
        return element_ty

    def codegen_name(self) -> str:
        """The name in the language: "float32" for "fp32"."""
        for short, long in (("fp", "float"), ("bf", "bfloat")):
            if self.name.startswith(short):
                return long + self.name[2:]
        return self.name

    def _key(self) -> tuple:
        return (self.name, )

    def __eq__(self, other: object) -> bool:
        other = plain(other)
        return isinstance(other, dtype) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"tilec.language.{self.codegen_name()}"


def _add_name_predicates():
    """`dtype.is_int8()`, `dtype.is_fp16()` and their like: one for each name."""

    def make(name):

        def predicate(self) -> bool:
            return self.name == name

        predicate.__name__ = predicate.__qualname__ = f"is_{name}"
        predicate.__doc__ = f"Whether it is `{name}`."
        return predicate

    for name in (*_SIGNED, *_UNSIGNED, *_FLOATS):
        setattr(dtype, f"is_{name}", make(name))


_add_name_predicates()


class pointer_type(dtype):
    """The type of pointers to elements of a type."""

    def __init__(self, element_ty: dtype, address_space: int = 1, const: bool = False):
        element_ty = plain(element_ty)
        if not isinstance(element_ty, dtype):
            raise TypeError(f"a pointer points to elements of a type, got {element_ty!r}")
        self.element_ty = element_ty
        self.address_space = plain(address_space)
        self.const = plain(const)
        self.name = f"pointer<{element_ty}>"
        self.primitive_bitwidth = 64
        self.itemsize = 8

    def is_ptr(self) -> bool:
        return True

    def is_const(self) -> bool:
        return bool(self.const)

    def _key(self) -> tuple:
        return (self.element_ty, self.address_space, self.const)

    def __str__(self) -> str:
        return f"const {self.name}" if self.const else self.name

    def __repr__(self) -> str:
        return f"tilec.language.pointer_type({self.element_ty!r}{', const=True' if self.const else ''})"


def const_pointer_type(element_ty: dtype, address_space: int = 1) -> pointer_type:
    """The type of pointers to elements that kernels only read."""
    return pointer_type(element_ty, address_space, const=True)


class block_type(dtype):
    """The type of blocks of a shape."""

    def __init__(self, element_ty: dtype, shape):
        element_ty = plain(element_ty)
        sizes = [plain(size) for size in plain(shape)]
        if not isinstance(element_ty, dtype):
            raise TypeError(f"a block has elements of a type, got {element_ty!r}")
        if not sizes or not all(isinstance(size, int) and size > 0 for size in sizes):
            raise ValueError(f"the shape of a block is positive numbers, got {sizes}")
        self.element_ty = element_ty
        self._shape = tuple(sizes)
        self.name = f"<{list(sizes)}, {element_ty}>"
        self.primitive_bitwidth = element_ty.primitive_bitwidth
        self.itemsize = element_ty.itemsize

    @property
    def scalar(self) -> dtype:
        return self.element_ty

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    @property
    def numel(self) -> int:
        count = 1
        for size in self._shape:
            count *= size
        return count

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self.numel * self.itemsize

    def is_block(self) -> bool:
        return True

    def get_block_shapes(self) -> tuple[int, ...]:
        """The extents, as `shape`."""
        return self._shape

    def with_element_ty(self, element_ty: dtype) -> block_type:
        return block_type(element_ty, self._shape)

    def _key(self) -> tuple:
        return (self.element_ty, self._shape)

    def __repr__(self) -> str:
        return f"tilec.language.block_type({self.element_ty!r}, {list(self._shape)})"


int1 = dtype("int1")
int8 = dtype("int8")
int16 = dtype("int16")
int32 = dtype("int32")
int64 = dtype("int64")
uint8 = dtype("uint8")
uint16 = dtype("uint16")
uint32 = dtype("uint32")
uint64 = dtype("uint64")
float8e4nv = dtype("fp8e4nv")
float8e5 = dtype("fp8e5")
float8e4b8 = dtype("fp8e4b8")
float8e5b16 = dtype("fp8e5b16")
float8e4b15 = dtype("fp8e4b15")
float16 = dtype("fp16")
bfloat16 = dtype("bf16")
float32 = dtype("fp32")
float64 = dtype("fp64")
void = dtype("void")
pi32_t = pointer_type(int32)

TRITON_MAX_TENSOR_NUMEL = 1048576  #: the most elements that a block has


def get_int_dtype(bitwidth: int, signed: bool) -> dtype:
    """The integer type of a width and signedness."""
    bitwidth, signed = plain(bitwidth), plain(signed)
    if bitwidth == 1:
        return int1
    if bitwidth not in (8, 16, 32, 64):
        raise ValueError(f"the language has no integers of {bitwidth} bits")
    return dtype(f"{'' if signed else 'u'}int{bitwidth}")


CONSTEXPR_0 = constexpr(0)  #: a default of older kernels
