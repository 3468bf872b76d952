# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec.language: names on the host and within kernels, which run on the simulator on NumPy arrays."""

import collections
import pathlib
import subprocess
import sys

import numpy
import pytest
import tilec
import tilec.language as tl
from tilec.language import PropagateNan, constexpr, float32
from tilec.language import math as tl_math
from tilec.language import static_range
from tilec.language import sum as tl_sum
from tilec.language.core import _aggregate as aggregate
from tilec.language.core import builtin
from tilec.language.extra import libdevice
from tilec.language.extra.cuda import num_threads
from tilec.language.math import max as larger
from tilec.language.math import rint

SIZE = 16
N = tl.constexpr(4)
TEXT = tl.constexpr("no tl.float16")
TYPES = (tl.float16, tl.float32)
TABLE = {"half": tl.float16, "word": tl.pointer_type(tl.int32)}
WORD = tl.pi32_t
Pair = collections.namedtuple("Pair", "data factor")

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools/dev/language_names"


def run(kernel, x, **constants):
    out = numpy.full(SIZE, -1, numpy.float32)
    kernel[(1, )](x, out, **constants)
    return out


def numbers(start=0):
    return numpy.arange(start, start + SIZE, dtype=numpy.float32)


@aggregate
class Span:
    first: tl.tensor
    size: tl.constexpr

    @tilec.constexpr_function
    def __init__(self, first, size):
        self.first = first
        self.size = size

    @tilec.jit
    def offsets(self):
        return self.first + tl.arange(0, self.size)


@builtin
def exponential(x, _semantic=None):
    return tl.exp(x, _semantic=_semantic)


# Tables and stubs


@pytest.mark.skipif(not TOOLS.exists(), reason="the package is tested without its sources")
def test_files_are_what_the_tables_say():
    done = subprocess.run([sys.executable, TOOLS / "generate.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not TOOLS.exists(), reason="the package is tested without its sources")
def test_table_is_read(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    from generate import read_table

    rows = {(row.place, row.name): row for file in ("tl", "libdevice", "python") for row in read_table(f"{file}.inc")}
    assert rows["tl", "load"].parameters(0, typed=False)[:3] == ["pointer", "mask=None", "other=None"]
    assert len(rows["tl", "max"].signatures) == 3 and rows["tl", "max"].marks == {"method"}
    assert rows["libdevice", "float2int_rz"].doc == "fp32 as int32, rounded towards zero."
    for place, name in rows:
        if place == "dtype":
            assert callable(getattr(tl.float32, name)), name


def test_stubs_are_python():
    import ast

    folder = pathlib.Path(tl.__file__).parent
    for stub in folder.rglob("*.pyi"):
        ast.parse(stub.read_text())
    assert (folder.parent / "py.typed").exists()


def test_exports_exist():
    for module in (tl, tl.math, tl.standard, tl.random, tl.extra, tl.extra.cuda, tl.extra.libdevice):
        for name in module.__all__:
            assert hasattr(module, name), name
    assert tl.core.float16 is tl.float16 and tl.core.load is tl.load
    assert tl.libdevice is tl.extra.libdevice


# On the host


@pytest.mark.parametrize("call, name", [
    (lambda: tl.load(None), "tl.load"),
    (lambda: tl.sum(None), "tl.sum"),
    (lambda: tl.math.max(1, 2), "tl.math.max"),
    (lambda: libdevice.tanh(1), "libdevice.tanh"),
    (lambda: tl.extra.cuda.smid(), "tl.extra.cuda.smid"),
    (lambda: tl.tensor(None), "tl.tensor"),
])
def test_operations_are_for_kernels(call, name):
    with pytest.raises(RuntimeError, match=f"'{name}' is an operation of the language"):
        call()


def test_dtypes():
    assert str(tl.float32) == "fp32" and repr(tl.bfloat16) == "tilec.language.bfloat16"
    assert tl.dtype("fp16") == tl.float16 and hash(tl.dtype("fp16")) == hash(tl.float16)
    assert tl.float16 == tl.constexpr(tl.float16) and tl.float16 != tl.pointer_type(tl.float16)
    assert (tl.float8e5.primitive_bitwidth, tl.int1.primitive_bitwidth, tl.int64.itemsize) == (8, 1, 8)
    assert (tl.bfloat16.fp_mantissa_width, tl.bfloat16.exponent_bias) == (7, 127)
    assert tl.float32.is_floating() and tl.float32.is_fp32() and not tl.float8e5.is_standard_floating()
    assert tl.int1.is_bool() and tl.uint8.is_int_unsigned() and tl.int8.is_int8() and tl.float8e4nv.is_fp8()
    assert (tl.int8.get_int_min_value(), tl.int8.get_int_max_value(), tl.uint16.get_int_max_value()) == (-128, 127,
                                                                                                         65535)
    assert tl.get_int_dtype(16, False) == tl.uint16 and tl.float32.scalar is tl.float32
    with pytest.raises(ValueError, match="no type 'fp31'"):
        tl.dtype("fp31")
    with pytest.raises(ValueError, match="no integer type"):
        tl.float16.get_int_max_value()


def test_pointer_and_block_types():
    pointer = tl.pointer_type(tl.float32)
    assert pointer.is_ptr() and pointer.element_ty == tl.float32 and pointer == tl.pointer_type(tl.float32)
    assert tl.pointer_type(tl.int8, const=True).is_const() and tl.pointer_type(tl.int8) != pointer
    block = tl.block_type(tl.float16, [2, tl.constexpr(4)])
    assert block.is_block() and block.shape == (2, 4) and block.numel == 8 and block.nbytes == 16
    assert block.scalar == tl.float16 and block.with_element_ty(tl.int8) == tl.block_type(tl.int8, (2, 4))
    with pytest.raises(ValueError, match="positive numbers"):
        tl.block_type(tl.float16, [0])


def test_types_of_pointers_by_name():
    assert tl.pi32_t == tl.pointer_type(tl.int32) and tl.core.pi32_t is tl.pi32_t
    assert tl.const_pointer_type(tl.int8) == tl.pointer_type(tl.int8, const=True)
    for dtype in (tl.int8, tl.pi32_t, tl.block_type(tl.int8, [4])):
        assert isinstance(dtype, tl.core.base_type)


def test_types_of_tuples_slices_and_descriptors():
    pair = tl.tuple_type([tl.int32, tl.float16], ["data", "factor"])
    assert list(pair) == [tl.int32, tl.float16] and pair[0] == tl.int32 and len(pair) == 2
    assert str(pair) == "[data:int32,factor:fp16]" and str(tl.tuple_type([tl.int8])) == "[:int8]"
    assert pair == tl.tuple_type([tl.int32, tl.float16], ["data", "factor"]) != tl.tuple_type([tl.int32, tl.float16])
    assert {pair: 1}[tl.tuple_type(pair.types, pair.fields)] == 1
    assert tl.slice(1, 4, 2).step == 2 and tl.core.slice_type() == tl.core.slice_type()
    block = tl.block_type(tl.float16, [64, 32])
    descriptor = tl.tensor_descriptor_type(block, tl.tuple_type([tl.int32] * 2), tl.tuple_type([tl.int64] * 2))
    assert descriptor == tl.str_to_ty("tensordesc<fp16[64, 32]>", None) and descriptor.block_type is block
    assert descriptor != tl.core.tensor_descriptor_base_type(block)


@pytest.mark.parametrize("name, expected", [
    ("fp32", tl.float32),
    ("bf16", tl.bfloat16),
    ("u16", tl.uint16),
    ("i1", tl.int1),
    ("B", tl.int1),
    ("fp8e4nv", tl.float8e4nv),
    ("*i32", tl.pi32_t),
    ("*kfp16", tl.pointer_type(tl.float16, const=True)),
    ("**i8", tl.pointer_type(tl.pointer_type(tl.int8))),
    (("i32", "*i32"), tl.tuple_type([tl.int32, tl.pi32_t])),
    (Pair("*i32", "fp32"), tl.tuple_type([tl.pi32_t, tl.float32], ["data", "factor"])),
    ("constexpr", tl.constexpr_type(4)),
])
def test_types_by_their_names_in_signatures(name, expected):
    assert tl.str_to_ty(name, 4) == expected


def test_names_for_libraries():
    core = tl.core
    assert isinstance(tl.constexpr(1), core.base_value) and issubclass(tl.tensor, core.base_value)
    assert core.is_negative_zero(-0.0) and not core.is_negative_zero(0.0) and not core.is_negative_zero(-1)
    assert core.builtin_max(tl.constexpr(1), 3) == 3 and core.builtin_min(tl.constexpr(1), 3) == 1
    assert core.constexpr_function is tilec.constexpr_function and core.jit is tilec.jit
    assert tl.random.N_ROUNDS_DEFAULT == 10

    @core.must_use_result("what it returns is all that it does")
    def double(x):
        return 2 * x

    assert double(4) == 8
    assert tl.extra.hip.libdevice is tl.extra.libdevice
    with pytest.raises(RuntimeError, match="GPUs of AMD"):
        tl.extra.hip.memrealtime()
    from tilec.language.extra.cuda import gdc, utils

    assert gdc.gdc_wait is tl.extra.cuda.gdc_wait and utils.smid is tl.extra.cuda.smid


def test_constexpr_arithmetic():
    n = tl.constexpr(6)
    assert isinstance(n + 1, tl.constexpr) and (2 * n).value == 12 and (n // 4).value == 1 and (7 % n).value == 1
    assert (n**2).value == 36 and (n << 1).value == 12 and (-n).value == -6 and (n & 2 | 1).value == 3
    assert n == 6 and n != 5 and 5 < n <= 6 and bool(n) and range(n)[-1] == 5
    assert tl.constexpr(n).value == 6 and tl.constexpr((1, n))[0] == 1
    assert {n: 1}[tl.constexpr(6)] == 1 and repr(n) == "constexpr[6]"


def test_functions_for_the_host():
    assert tl.cdiv(7, 2) == 4 and tl.cdiv(tl.constexpr(7), 2).value == 4
    assert tl.next_power_of_2(100) == 128 and tl.next_power_of_2(1) == 1
    assert tl.target_info.is_cuda() and not tl.target_info.is_hip()


# In kernels


@tilec.jit
def convert(x, out, DTYPE: tl.constexpr):
    o = tl.arange(0, 16)
    v = tl.load(x + o).to(DTYPE)
    tl.static_assert(v.dtype == DTYPE)
    tl.store(out + o, v.to(float32))


@pytest.mark.parametrize("dtype",
                         [tl.float16, tl.bfloat16, tl.float8e5, tl.int32, tl.uint8, tl.float64,
                          tl.constexpr(tl.int16)])
def test_types_as_arguments(dtype):
    x = numbers() % 8  # All of these types have 0 to 7.
    assert (run(convert, x, DTYPE=dtype) == x).all()


@tilec.jit
def use_constants(x, out):
    o = tl.arange(0, 16)
    tl.static_assert(tl.pi32_t == TABLE["word"] and WORD == tl.pi32_t)
    tl.static_assert(TEXT == "no " + "tl.float16")
    tl.static_assert(TYPES[0] == tl.float16 and TABLE["half"] == TYPES[0])
    address = x.to(TABLE["word"]).to(tl.pointer_type(tl.float32))
    tl.store(out + o, tl.load(address + o) * N)


def test_module_constants():
    assert (run(use_constants, numbers()) == 4 * numbers()).all()


@tilec.jit
def use_imported_names(x, out, BLOCK: constexpr):
    v = tl.load(x + Span(0, BLOCK).offsets())
    r = tl_sum(v, axis=0) + rint(v * 0.25) + larger(v, 3.0) + tl_math.floor(v) + libdevice.trunc(v) + exponential(v * 0)
    for _ in static_range(2):
        r += num_threads()
    tl.store(out + tl.arange(0, BLOCK), r)


def test_names_imported_from_the_modules():
    x = numbers()
    expected = x.sum() + numpy.rint(x / 4) + numpy.maximum(x, 3) + x + x + 1 + 256
    assert (run(use_imported_names, x, BLOCK=SIZE) == expected).all()


@tilec.jit
def limit(x, out, NAN: tl.constexpr = PropagateNan.NONE):
    o = tl.arange(0, 16)
    tl.store(out + o, tl.maximum(tl.load(x + o), 1.0, propagate_nan=NAN))


def test_propagate_nan_as_argument():
    x = numpy.full(SIZE, numpy.nan, numpy.float32)
    assert (run(limit, x) == 1).all()
    assert numpy.isnan(run(limit, x, NAN=PropagateNan.ALL)).all()


@tilec.jit
def apply(x, out, FUNCTION: tl.constexpr):
    o = tl.arange(0, 16)
    v = tl.load(x + o)
    tl.store(out + o, FUNCTION(v) + v * 0)


@pytest.mark.parametrize("function, expected", [
    (tl.sum, numpy.full(SIZE, 120)),
    (tl.abs, numbers()),
    (tl.math.floor, numbers()),
    (libdevice.rint, numbers()),
])
def test_operations_as_arguments(function, expected):
    assert (run(apply, numbers(), FUNCTION=function) == expected).all()


@tilec.jit
def scale(x, out):
    o = tl.arange(0, 16)
    pair = Pair(x, 3)
    tl.store(out + o, tl.load(pair.data + o) * pair.factor)


def test_namedtuple_without_class_statement():
    assert (run(scale, numbers()) == 3 * numbers()).all()


def test_import_is_light():
    code = ("import sys, tilec; before = set(sys.modules); import tilec.language; "
            "print(*sorted(set(sys.modules) - before))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert all(name.startswith("tilec.language") for name in done.stdout.split()), done.stdout
