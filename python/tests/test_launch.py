# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What can be given to a kernel, and how."""

import collections
import gc
import linecache
import sys
import types
import uuid
import weakref

import helper_functions
import numpy as np
import pytest
from helper_functions import scale_and_add

import tilec
import tilec.language as tl

FACTOR = 7
LIMIT = 2.5

Pair = collections.namedtuple("Pair", ["data", "n"])


@tilec.jit
def add(x, y, z, n, BLOCK: tl.constexpr = 64):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    tl.store(z + o, tl.load(x + o, mask=m) + tl.load(y + o, mask=m), mask=m)


@tilec.jit
def store(out, value):
    tl.store(out, value)


@tilec.jit
def scale(x):
    return x * FACTOR


@tilec.jit
def kernel(x, n, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(x + o, scale(tl.load(x + o, mask=o < n)), mask=o < n)


def arguments_of(compiled) -> dict:
    return {argument["name"]: argument for argument in compiled.metadata.arguments}


# Binding.


@pytest.mark.parametrize("n", [1, 63, 64, 65, 1000])
def test_positional_keyword_and_default_arguments(rng, tensor, n):
    x, y = rng.standard_normal((2, n), dtype=np.float32)
    expected = x.astype(np.float64) + y
    for call in (lambda z: add[(tilec.cdiv(n, 64), )](tensor(x), tensor(y), z, n),
                 lambda z: add[(tilec.cdiv(n, 128), )](tensor(x), tensor(y), z, n, 128),
                 lambda z: add[(tilec.cdiv(n, 32), )](tensor(x), tensor(y), n=n, BLOCK=32, z=z),
                 lambda z: add[(tilec.cdiv(n, 32), )](BLOCK=32, n=n, z=z, y=tensor(y), x=tensor(x))):
        z = np.zeros(n, np.float32)
        call(tensor(z))
        np.testing.assert_allclose(z, expected, rtol=1e-6, atol=1e-6)


def test_a_wrong_number_of_arguments():
    x = np.zeros(4, np.float32)
    with pytest.raises(TypeError, match="takes 5 arguments, got 6"):
        add[1](x, x, x, 4, 64, 5)
    with pytest.raises(TypeError, match="'n' is missing"):
        add[1](x, x, x)
    with pytest.raises(TypeError, match="several values for argument 'x'"):
        add[1](x, x, x, 4, x=x)


def test_an_unknown_keyword():
    x = np.zeros(4, np.float32)
    with pytest.raises(KeyError, match="'colour' is neither a parameter of kernel 'add' nor a launch option"):
        add[1](x, x, x, 4, colour=1)
    # Options of other compilers are no mistakes.
    add[1](x, x, x, 4, num_buffers_warp_spec=0, waves_per_eu=2, num_ctas=1, extern_libs=None)


@pytest.mark.parametrize("num_warps", [1, 2, 4, 8])
def test_launch_options(tensor, num_warps):
    x = np.arange(64, dtype=np.float32)
    z = np.zeros_like(x)
    compiled = add[(1, )](tensor(x), tensor(x), tensor(z), 64, num_warps=num_warps, num_stages=2, maxnreg=None)
    assert compiled.metadata.num_warps == num_warps
    np.testing.assert_array_equal(z, 2 * x)


@pytest.mark.parametrize("num_ctas", [None, 1, 2, 3, 4])
def test_clusters_that_a_kernel_cannot_have(num_ctas):
    x = np.ones(64, np.float32)
    z = np.zeros_like(x)
    compiled = add[(2, )](x, x, z, 64, 32, num_ctas=num_ctas)
    np.testing.assert_array_equal(z, 2)
    assert compiled.metadata.num_ctas == 1 and compiled.metadata.cluster_dims == (1, 1, 1)
    # None, 1 and what is no cluster are one kind.
    assert num_ctas in (2, 4) or compiled is add[(2, )](x, x, z, 64, 32)


def test_programs_that_a_kernel_cannot_split():
    x = np.ones(64, np.float32)
    z = np.zeros_like(x)
    compiled = add[(2, )](x, x, z, 64, 32, split_k=4)
    np.testing.assert_array_equal(z, 2)
    assert compiled.metadata.split_k == compiled.metadata.num_ctas == 1
    for none in (None, 1):
        assert add[(2, )](x, x, z, 64, 32, split_k=none) is add[(2, )](x, x, z, 64, 32) is not compiled
    compiled[(2, )](x, x, z, 64, 32)
    with pytest.raises(ValueError, match="split_k is 3, expected 1, 2, 4 or 8 CTAs of a program"):
        add[(2, )](x, x, z, 64, 32, split_k=3)
    with pytest.raises(ValueError, match="num_ctas is 2 and split_k is 2: a cluster is for several programs or for one"):
        add[(2, )](x, x, z, 64, 32, split_k=2, num_ctas=2)


@tilec.jit
def parts(x, split_k: tl.constexpr):
    tl.store(x, split_k)


def test_a_parameter_of_the_option_s_name():
    x = np.zeros(1, np.int32)
    parts[1](x, split_k=3)
    assert x[0] == 3
    tilec.autotune(configs=[tilec.Config({"split_k": 5})], key=[])(parts)[1](x)
    assert x[0] == 5


@pytest.mark.parametrize("value", ["four", 4.5])
def test_a_launch_option_of_a_wrong_type(value):
    x = np.zeros(4, np.float32)
    with pytest.raises(TypeError):
        add[1](x, x, x, 4, num_warps=value)


def test_the_kernel_is_no_function():
    with pytest.raises(RuntimeError, match="programs launch it with add"):
        add(1, 2, 3, 4)


def test_positional_only_and_keyword_only_parameters():

    @tilec.jit
    def strict(out, a, /, b, *, c=7):
        tl.store(out, a * 100 + b * 10 + c)

    out = np.zeros(1, np.int32)
    strict[1](out, 2, 3)
    assert out[0] == 237
    strict[1](out, 2, b=3, c=4)
    assert out[0] == 234
    with pytest.raises(TypeError, match="takes 3 positional arguments, got 4"):
        strict[1](out, 2, 3, 4)
    with pytest.raises(TypeError, match="argument 'a' is positional-only"):
        strict[1](out, a=2, b=3)


def test_kernels_have_a_fixed_number_of_parameters():

    @tilec.jit
    def first(*values):
        return values[0]

    @tilec.jit
    def named(out, **values):
        tl.store(out, 1)

    for function in (first, named):
        with pytest.raises(TypeError, match="has .args or ..kwargs, and cannot be launched"):
            function[1](np.zeros(1, np.int32))
        with pytest.raises(TypeError, match="cannot be launched"):
            function.warmup(np.zeros(1, np.int32), grid=1)


# Grids.


@tilec.jit
def count_programs(counts, size0, size1):
    tl.atomic_add(counts + tl.program_id(0) + size0 * (tl.program_id(1) + size1 * tl.program_id(2)), 1)


@pytest.mark.parametrize("grid", [3, (3, ), [3], (3, 2), [3, 2, 4], (1, 1, 5), lambda meta: (meta["size0"], 1),
                                  lambda meta: 3, (np.int32(3), True)])
def test_grids(tensor, grid):
    sizes = grid({"size0": 3}) if callable(grid) else grid
    sizes = [int(size) for size in (sizes if isinstance(sizes, (tuple, list)) else [sizes])]
    sizes += [1] * (3 - len(sizes))
    counts = np.zeros(64, np.int32)
    count_programs[grid](tensor(counts), sizes[0], sizes[1])
    expected = np.arange(64) < sizes[0] * sizes[1] * sizes[2]
    np.testing.assert_array_equal(counts, expected)


@pytest.mark.parametrize("grid", [np.int64(3), np.array(3), np.array([3]), lambda meta: np.int32(meta["size0"])])
def test_a_grid_of_numpy(grid):
    counts = np.zeros(64, np.int32)
    count_programs[grid](counts, 3, 1)
    np.testing.assert_array_equal(counts, np.arange(64) < 3)


@pytest.mark.parametrize("grid", [1.5, None, object(), {1}])
def test_what_is_no_grid(grid):
    with pytest.raises(TypeError, match="a grid has one to three sizes"):
        count_programs[grid](np.zeros(64, np.int32), 3, 1)


def test_launches_own_their_type():
    launch = type(add[1])
    before = sys.getrefcount(launch)
    launches = [add[size] for size in range(100)]
    assert sys.getrefcount(launch) == before + 100
    del launches
    assert sys.getrefcount(launch) == before
    with pytest.raises(TypeError, match="cannot create"):
        launch()


def test_a_grid_of_the_arguments():
    seen = {}

    def grid(meta):
        seen.update(meta)
        return (tilec.cdiv(meta["n"], meta["BLOCK"]), )

    x = np.ones(100, np.float32)
    z = np.zeros_like(x)
    add[grid](x, x, n=100, z=z)
    assert seen["n"] == 100 and seen["BLOCK"] == 64 and seen["z"] is z
    np.testing.assert_array_equal(z, 2)


@pytest.mark.parametrize("grid", [0, (0, ), (4, 0), lambda meta: (0, 2, 2)])
def test_an_empty_grid_runs_nothing_but_compiles(grid):
    out = np.zeros(1, np.int32)
    assert store[grid](out, 5) is None
    assert out[0] == 0

    @tilec.jit
    def wrong(x):
        tl.store(x, unknown_name)  # noqa: F821

    with pytest.raises(tilec.CompilationError, match="unknown_name"):
        wrong[grid](out)


@pytest.mark.parametrize("grid, error", [((1, 1, 1, 1), ValueError), ((), ValueError), ((-1, ), ValueError),
                                         ((1 << 31, ), ValueError), (1.5, TypeError), (("a", ), TypeError),
                                         ((None, ), TypeError), (None, TypeError)])
def test_grids_that_cannot_be(grid, error):
    with pytest.raises(error):
        store[grid](np.zeros(1, np.int32), 5)


def test_errors_of_a_grid_function_get_through():
    with pytest.raises(ZeroDivisionError):
        store[lambda meta: (1 // 0, )](np.zeros(1, np.int32), 5)


# Values.


@pytest.mark.parametrize("value, type_", [
    (0, "i32"), (5, "i32"), (16, "i32"), (-1, "i32"), (2**31 - 1, "i32"), (-2**31, "i32"), (2**31, "i64"),
    (-2**31 - 1, "i64"), (2**63 - 1, "i64"), (-2**63, "i64"), (2**63, "u64"), (2**64 - 1, "u64"),
])  # yapf: disable
def test_widths_of_integers(tensor, value, type_):
    out = np.zeros(1, np.uint64 if value > 2**63 - 1 else np.int64)
    compiled = store[1](tensor(out), value)
    assert out[0] == value
    assert arguments_of(compiled)["value"]["type"] == type_
    assert arguments_of(compiled)["value"]["divisibility"] == (16 if value % 16 == 0 else 1)


@pytest.mark.parametrize("value", [2**64, -2**63 - 1, 10**30])
def test_integers_that_no_kernel_can_take(value):
    with pytest.raises((OverflowError, ValueError)):
        store[1](np.zeros(1, np.int64), value)


def test_one_is_a_constant(tensor):
    out = np.zeros(1, np.int32)
    assert "value" not in arguments_of(store[1](tensor(out), 1))
    assert out[0] == 1


def test_booleans_and_floats(rng, tensor):
    flag = np.zeros(1, np.bool_)
    assert arguments_of(store[1](tensor(flag), True))["value"]["type"] in ("u1", "i1")
    assert flag[0]
    store[1](tensor(flag), False)
    assert not flag[0]
    out = np.zeros(1, np.float64)
    for value in (0.0, -0.0, 1.0, float(rng.standard_normal()), 1e300, float("inf"), float("-inf"), float("nan")):
        compiled = store[1](tensor(out), value)
        assert arguments_of(compiled)["value"]["type"] == "fp32"
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(out[0], np.float32(value))


@pytest.mark.parametrize("value", [np.int32(5), np.int64(2**40), np.uint8(200), np.float32(1.5), np.float64(2.5),
                                   np.bool_(True)])
def test_numbers_of_numpy(value):
    out = np.zeros(1, np.float64)
    store[1](out, value)
    assert out[0] == value


def test_none_is_a_constant(rng, tensor):

    @tilec.jit
    def optional(x, bias, n, BLOCK: tl.constexpr):
        o = tl.arange(0, BLOCK)
        value = tl.load(x + o, mask=o < n)
        if bias is not None:
            value += tl.load(bias + o, mask=o < n)
        tl.store(x + o, value, mask=o < n)

    x, bias = rng.standard_normal((2, 20), dtype=np.float32)
    expected = x.copy()
    optional[1](tensor(x), None, 20, 32)
    np.testing.assert_array_equal(x, expected)
    optional[1](tensor(x), tensor(bias), 20, 32)
    np.testing.assert_allclose(x, expected.astype(np.float64) + bias, rtol=1e-6, atol=1e-6)


def test_do_not_specialize():

    @tilec.jit(do_not_specialize=["value"])
    def by_name(out, value):
        tl.store(out, value)

    @tilec.jit(do_not_specialize=[1])
    def by_number(out, value):
        tl.store(out, value)

    for function in (by_name, by_number):
        out = np.zeros(1, np.int32)
        kernels = []
        for value in (1, 16, 17):
            kernels.append(function[1](out, value))
            assert out[0] == value
        assert kernels[0] is kernels[1] is kernels[2]
        assert arguments_of(kernels[0])["value"]["divisibility"] == 1


def test_do_not_specialize_on_alignment():

    @tilec.jit(do_not_specialize_on_alignment=["value"])
    def function(out, value):
        tl.store(out, value)

    out = np.zeros(1, np.int32)
    assert function[1](out, 16) is function[1](out, 17)
    assert "value" not in arguments_of(function[1](out, 1))


def test_the_same_kind_of_arguments_is_the_same_kernel(tensor):
    out = np.zeros(1, np.int32)
    five = store[1](tensor(out), 5)
    assert store[1](tensor(out), 7) is five
    assert store[1](tensor(out), 16) is not five
    assert store[1](tensor(out.astype(np.int64)), 5) is not five


def test_a_changed_signature_between_calls(rng, tensor):
    for dtype in (np.float32, np.float16, np.int32, np.float64, np.int8, np.float32):
        x = (rng.standard_normal(100) * 10).astype(dtype)
        z = np.zeros_like(x)
        add[2](tensor(x), tensor(x), tensor(z), 100)
        np.testing.assert_array_equal(z, x + x)


def test_types_in_annotations(tensor):

    @tilec.jit
    def annotated(out, value: "tl.int64", scale: "tl.float64"):
        tl.store(out, value * scale)

    out = np.zeros(1, np.float64)
    compiled = annotated[1](tensor(out), 1, 0.1)
    assert out[0] == 0.1
    assert arguments_of(compiled)["value"]["type"] == "i64" and arguments_of(compiled)["scale"]["type"] == "fp64"


# Tuples.


@tilec.jit
def sum_of_tuple(out, values):
    total = 0.0
    for i in tl.static_range(len(values)):
        total += values[i]
    tl.store(out, total)


@pytest.mark.parametrize("values", [(2, ), (2, 3), (2, 2.5, 1), (2**40, 16)])
def test_tuples_of_numbers(tensor, values):
    out = np.zeros(1, np.float64)
    sum_of_tuple[1](tensor(out), values)
    assert out[0] == np.float32(sum(values))
    sum_of_tuple[1](tensor(out), list(values))


def test_tuples_of_tensors(rng, tensor):

    @tilec.jit
    def sum_all(inputs, shapes, out, BLOCK: tl.constexpr):
        o = tl.arange(0, BLOCK)
        total = tl.zeros([BLOCK], tl.float32)
        for i in tl.static_range(len(inputs)):
            total += tl.load(inputs[i] + o, mask=o < shapes[i][1], other=0.0)
        tl.store(out + o, total)

    arrays = [rng.standard_normal(n, dtype=np.float32) for n in (10, 32, 1)]
    out = np.zeros(32, np.float32)
    sum_all[1](tuple(tensor(array) for array in arrays), tuple((1, len(array)) for array in arrays), tensor(out), 32)
    expected = sum(np.pad(array.astype(np.float64), (0, 32 - len(array))) for array in arrays)
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-6)


def test_named_tuples(rng, tensor):

    @tilec.jit
    def double(pair, out, BLOCK: tl.constexpr):
        o = tl.arange(0, BLOCK)
        tl.store(out + o, 2 * tl.load(pair.data + o, mask=o < pair.n), mask=o < pair.n)

    x = rng.standard_normal(20, dtype=np.float32)
    out = np.zeros_like(x)
    double[1](Pair(tensor(x), 20), tensor(out), 32)
    np.testing.assert_array_equal(out, 2 * x)


# Constants.


@tilec.jit
def constant(out, VALUE: tl.constexpr):
    tl.store(out, VALUE)


@pytest.mark.parametrize("value", [0, 1, 5, -7, 2**40, 2**63, True, False, 0.1, -0.0, 1e300, float("inf"), 5e-324])
def test_numbers_as_constants(value):
    out = np.zeros(1, np.uint64 if value == 2**63 else np.float64 if isinstance(value, float) else np.int64)
    constant[1](out, VALUE=value)
    with np.errstate(over="ignore"):
        assert out[0] == value or out[0] == np.float32(value)


def test_texts_as_constants():

    @tilec.jit
    def activate(out, ACTIVATION: tl.constexpr):
        value = tl.load(out)
        if ACTIVATION == "relu":
            value = tl.maximum(value, 0.0)
        elif ACTIVATION == "it's \"quoted\"\n":
            value = value * 2
        tl.store(out, value)

    for activation, expected in (("relu", 0.0), ("", -3.0), ("it's \"quoted\"\n", -6.0), ("relu", 0.0)):
        out = np.full(1, -3, np.float32)
        activate[1](out, activation)
        assert out[0] == expected


def test_tuples_as_constants():

    @tilec.jit
    def polynomial(out, x, COEFFICIENTS: tl.constexpr):
        value = 0.0
        for i in tl.static_range(len(COEFFICIENTS)):
            value = value * x + COEFFICIENTS[i]
        tl.store(out, value)

    out = np.zeros(1, np.float32)
    for coefficients in ((1, 2, 3), (0.5, ), [4.0, 1.0]):
        polynomial[1](out, 2.0, COEFFICIENTS=coefficients)
        np.testing.assert_allclose(out[0], np.polyval(coefficients, 2.0))


def test_functions_as_constants():

    @tilec.jit
    def double(x):
        return x * 2

    @tilec.jit
    def apply(out, FUNCTION: tl.constexpr):
        tl.store(out, FUNCTION(tl.load(out)))

    for function, expected in ((double, 10), (scale, 35), (helper_functions.scale, 15), (double, 10)):
        out = np.full(1, 5, np.int32)
        apply[1](out, FUNCTION=function)
        assert out[0] == expected


def test_a_function_that_cannot_be_read_spoils_no_other_kernel():

    @tilec.jit
    def apply(out, FUNCTION: tl.constexpr):
        tl.store(out, FUNCTION(tl.load(out)))

    scope = {}
    exec("def unreadable(x):\n    return x\n", scope)
    out = np.full(1, 5, np.int32)
    for _ in range(2):
        with pytest.raises(ValueError, match="source of kernel 'unreadable' cannot be read"):
            apply[1](out, FUNCTION=tilec.jit(scope["unreadable"]))
    store[1](out, 6)
    apply[1](out, FUNCTION=scale)
    assert out[0] == 42


def test_kernels_bring_the_functions_of_their_own_calls():

    @tilec.jit
    def halve(x):
        return x / 2

    @tilec.jit
    def apply(out, FUNCTION: tl.constexpr):
        tl.store(out, FUNCTION(tl.load(out)))

    @tilec.jit
    def apply_all(out, FUNCTIONS: tl.constexpr):
        value = tl.load(out)
        for i in tl.static_range(len(FUNCTIONS)):
            value = FUNCTIONS[i](value)
        tl.store(out, value)

    out = np.full(1, 8, np.float32)
    before = store[1](out, 5)
    out[:] = 8
    apply[1](out, FUNCTION=halve)
    apply_all[1](out, FUNCTIONS=(halve, halve))
    assert out[0] == 1
    first = apply[1](out, FUNCTION=halve)
    assert apply[1](out, FUNCTION=halve) is first
    assert list(apply._functions.values()) == list(apply_all._functions.values()) == [halve]
    assert store[1](out, 5) is before and "halve" not in before.asm["source"]


def make_table_kernel(functions):

    @tilec.jit
    def apply(out):
        value = tl.load(out)
        for i in tl.static_range(len(functions)):
            value = functions[i](value)
        tl.store(out, value)

    return apply


def test_functions_in_a_tuple_from_outside():

    @tilec.jit
    def halve(x):
        return x / 2

    out = np.full(1, 8, np.float32)
    make_table_kernel((halve, halve))[1](out)
    assert out[0] == 2


def test_types_as_constants():
    language = pytest.importorskip("triton.language")

    @tilec.jit
    def cast(out, x, TYPE: tl.constexpr):
        tl.store(out, x.to(TYPE))

    for dtype, value, expected in ((language.int8, 300, 44), (language.float16, 2049, 2048),
                                   (language.int32, 300, 300)):
        out = np.zeros(1, np.float64)
        cast[1](out, value, TYPE=dtype)
        assert out[0] == expected


def test_the_length_of_a_text():

    @tilec.jit
    def length(out, TEXT: tl.constexpr):
        tl.store(out, len(TEXT))

    out = np.zeros(1, np.int32)
    length[1](out, "na\u00efve")
    assert out[0] == 5


def test_a_list_that_holds_itself(tmp_path, run_python):
    program = tmp_path / "program.py"
    program.write_text("import numpy as np\nimport tilec\nimport tilec.language as tl\n"
                       "@tilec.jit\ndef store(out, values):\n    tl.store(out, values[0])\n"
                       "values = []\nvalues.append(values)\n"
                       "try:\n    store[1](np.zeros(1), values)\nexcept RecursionError:\n    print('too deep')\n")
    assert run_python(program).strip() == "too deep"


def test_a_constant_that_no_kernel_can_have():
    for value in (np, [np], np.zeros(2)):
        with pytest.raises(TypeError, match="cannot be a constant of a kernel"):
            constant[1](np.zeros(1), VALUE=value)


def test_other_constants_are_known_by_their_text():

    @tilec.jit
    def says(out, VALUE: tl.constexpr):
        tl.static_assert(VALUE == "12345678-1234-5678-1234-567812345678")
        tl.store(out, 1)

    out = np.zeros(1)
    says[1](out, VALUE=uuid.UUID("12345678123456781234567812345678"))
    assert out[0] == 1


def test_a_constexpr_for_any_parameter():
    out = np.zeros(1, np.int32)
    assert "value" not in arguments_of(store[1](out, tl.constexpr(5)))
    assert out[0] == 5


# Names from outside.


def make_adder(amount, function):

    @tilec.jit
    def adder(out):
        tl.store(out, function(tl.load(out)) + amount)

    return adder


def test_closures():
    out = np.full(1, 5, np.int32)
    make_adder(100, scale)[1](out)
    assert out[0] == 135
    make_adder(-1, helper_functions.scale)[1](out)
    assert out[0] == 404


def test_constants_of_the_module():

    @tilec.jit
    def limit(out):
        tl.store(out, tl.minimum(tl.load(out), LIMIT))

    out = np.full(1, 5, np.float32)
    limit[1](out)
    assert out[0] == 2.5


def test_functions_of_other_modules():

    @tilec.jit
    def by_name(out):
        tl.store(out, scale_and_add(tl.load(out)))

    @tilec.jit
    def by_module(out):
        tl.store(out, helper_functions.scale_and_add(tl.load(out), helper_functions.FACTOR))

    out = np.full(1, 5, np.int32)
    by_name[1](out)
    assert out[0] == 20
    by_module[1](out)
    assert out[0] == 63


def test_the_same_names_in_different_modules(tensor):
    x = np.arange(20, dtype=np.int32)
    kernel[1](tensor(x), 20, 32)
    np.testing.assert_array_equal(x, np.arange(20) * 7)
    helper_functions.kernel[1](tensor(x), 20, 32)
    np.testing.assert_array_equal(x, np.arange(20) * 21)
    kernel[1](tensor(x), 20, 32)
    np.testing.assert_array_equal(x, np.arange(20) * 147)


def test_redefinition_in_a_loop():
    out = np.zeros(1, np.int32)
    for amount in (1, 2, 3, 1):

        @tilec.jit
        def put(out):
            tl.store(out, amount)

        put[1](out)
        assert out[0] == amount


def test_kernels_of_one_function_of_the_host():
    kernels = [make_adder(amount, scale) for amount in range(3)]
    for amount, adder in enumerate(kernels):
        out = np.ones(1, np.int32)
        adder[1](out)
        assert out[0] == 7 + amount


def test_a_kernel_without_a_file():
    scope = {"tilec": tilec, "tl": tl}
    exec("def made(out):\n    tl.store(out, 5)\n", scope)
    with pytest.raises(ValueError, match="source of kernel 'made' cannot be read"):
        tilec.jit(scope["made"])[1](np.zeros(1, np.int32))


def test_a_kernel_in_linecache():
    text = "def made(out):\n    tl.store(out, 5)\n"
    linecache.cache["<made>"] = (len(text), None, text.splitlines(True), "<made>")
    module = types.ModuleType("made")
    module.tl = tl
    exec(compile(text, "<made>", "exec"), module.__dict__)
    out = np.zeros(1, np.int32)
    tilec.jit(module.made)[1](out)
    assert out[0] == 5


class Namespace:

    @staticmethod
    @tilec.jit
    def inside(out):
        tl.store(out, tl.load(out) * FACTOR)


def test_a_kernel_in_a_class():
    out = np.ones(1, np.int32)
    Namespace.inside[1](out)
    assert out[0] == 7


# Memory.


@tilec.jit
def copy_rows(x, out, rows, columns, stride_row, stride_column, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    o = tl.arange(0, BLOCK)
    m = o < columns
    tl.store(out + row * columns + o, tl.load(x + row * stride_row + o * stride_column, mask=m), mask=m)


@pytest.mark.parametrize("make", [lambda x: x, lambda x: x.T, lambda x: x[::2], lambda x: x[1:, 3:],
                                  lambda x: x[:, ::3], lambda x: x[5:6]])
def test_views(rng, tensor, make):
    view = make(rng.standard_normal((20, 30), dtype=np.float32))
    out = np.zeros(view.shape, np.float32)
    strides = [stride // view.itemsize for stride in view.strides]
    copy_rows[(view.shape[0], )](tensor(view), tensor(out), *view.shape, *strides, BLOCK=32)
    np.testing.assert_array_equal(out, view)


@tilec.jit
def multiply_blocks(a, b, out, stride, K, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, K, BLOCK):
        x = tl.load(a + i[:, None] * stride + (start + i)[None, :])
        y = tl.load(b + (start + i)[:, None] * BLOCK + i[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(out + i[:, None] * BLOCK + i[None, :], acc)


def test_tensors_without_maps(rng):
    """Backwards, a tensor has no map: the kernel is compiled without tensor copies."""
    a, b = rng.integers(-4, 4, (64, 128)).astype(np.float16), rng.integers(-4, 4, (128, 64)).astype(np.float16)
    out = np.empty((64, 64), np.float32)
    compiled = {}
    for view in (a, a[::-1], a):
        compiled[view.strides] = multiply_blocks[(1, )](view, b, out, view.strides[0] // 2, 128, BLOCK=64)
        np.testing.assert_array_equal(out, view.astype(np.float32) @ b.astype(np.float32))
    copying = multiply_blocks[(1, )](a, b, out, 128, 128, BLOCK=64)
    without = multiply_blocks[(1, )](a, b, out, 128, 128, BLOCK=64, tensor_copies=False)
    assert copying is compiled[a.strides] and without is compiled[a[::-1].strides]


def test_negative_strides(rng):
    view = rng.standard_normal((8, 30), dtype=np.float32)[::-1, ::-1]
    out = np.zeros(view.shape, np.float32)
    copy_rows[(8, )](view, out, *view.shape, *(stride // 4 for stride in view.strides), BLOCK=32)
    np.testing.assert_array_equal(out, view)


def test_a_view_ends_where_its_memory_ends(tensor):
    whole = tensor(np.zeros(64, np.float32))
    add[1](whole[:8], whole[:8], whole[32:40], 32)  # The rest is the program's, too.
    with pytest.raises(tilec.KernelFault, match="past the end of 'z'|past the end of 'x'"):
        add[1](whole[:8], whole[:8], whole[33:40], 32)


def test_arrays_that_may_only_be_read(rng):
    x = rng.standard_normal(40, dtype=np.float32)
    x.flags.writeable = False
    out = np.zeros_like(x)
    add[1](x, x, out, 40)
    np.testing.assert_array_equal(out, x + x)
    before = x.copy()
    with pytest.raises(tilec.KernelFault, match="read-only"):
        add[1](x, x, x, 40)
    np.testing.assert_array_equal(x, before)


def test_bytes_as_memory():
    out = np.zeros(4, np.uint8)
    source = np.frombuffer(b"\x01\x02\x03\x04", np.uint8)
    add[1](source, source, out, 4)
    np.testing.assert_array_equal(out, [2, 4, 6, 8])


def test_alignment_counts(tensor):
    memory = np.zeros(100, np.float32)
    start = (-memory.ctypes.data // 4) % 4
    aligned, odd = memory[start:start + 40], memory[start + 1:start + 41]
    kernels = [add[1](tensor(x), tensor(x), tensor(aligned), 40) for x in (aligned, odd)]
    assert arguments_of(kernels[0])["x"]["divisibility"] == 16
    assert arguments_of(kernels[1])["x"]["divisibility"] < 16


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32,
                                   np.uint64, np.float16, np.float32, np.float64])
def test_types_of_arrays(tensor, dtype):
    x = (np.arange(40) % 2 == 0).astype(dtype)
    out = np.zeros_like(x)

    @tilec.jit
    def copy(x, out, n, BLOCK: tl.constexpr):
        o = tl.arange(0, BLOCK)
        tl.store(out + o, tl.load(x + o, mask=o < n), mask=o < n)

    copy[1](tensor(x), tensor(out), 40, 64)
    np.testing.assert_array_equal(out, x)


def test_types_of_arrays_that_no_kernel_has(tensor):
    out = np.zeros(1, np.int32)
    with pytest.raises(TypeError, match="no element type"):
        store[1](tensor(np.zeros(4, np.complex64)), 5)
    with pytest.raises(TypeError):
        store[1](np.array(["text"]), 5)
    with pytest.raises(TypeError):
        store[1](np.array([object()]), 5)
    with pytest.raises(TypeError, match="argument 'value' is a builtins.object"):
        store[1](out, object())
    with pytest.raises(TypeError, match="argument 'value'"):
        store[1](out, {"a": 1})


@pytest.mark.parametrize("shape", [(0, ), (3, 0)])
def test_empty_arrays(tensor, shape):
    x = np.zeros(shape, np.float32)
    add[1](tensor(x), tensor(x), tensor(x), 0)
    with pytest.raises(tilec.KernelFault):
        add[1](tensor(x), tensor(x), tensor(x), 1)


def test_arrays_of_no_dimension(tensor):
    out = np.zeros((), np.int32)
    store[1](tensor(out), 5)
    assert out == 5


# Besides launching.


def test_warmup_compiles_only():
    out = np.zeros(1, np.int32)
    compiled = store.warmup(out, 5, grid=(1, ))
    assert out[0] == 0
    assert store[1](out, 5) is compiled
    assert store.run(out, 5, grid=(1, ), warmup=True) is compiled


def test_stages_are_those_of_the_launch():
    out = np.zeros(64, np.float32)
    compiled = add[1](out, out, out, 64, num_warps=8)
    assert "func.func @add" in compiled.asm["ttir"] and "tl.store" in compiled.asm["source"]
    assert "tilegpu.num_warps = 8" in compiled.asm["ttgir"]
    with pytest.raises(KeyError):
        compiled.asm["no such stage"]


def test_hooks_before_a_launch():
    calls = []

    @tilec.jit
    def hooked(out, value):
        tl.store(out, value)

    hooked.add_pre_run_hook(lambda *args, **kwargs: calls.append((args[1:], kwargs)))
    hooked[1](np.zeros(1, np.int32), value=5)
    assert calls == [((), {"value": 5})]


def test_metadata_of_the_function():
    assert add.__name__ == "add" and add.arg_names == ["x", "y", "z", "n", "BLOCK"]
    assert add.src.startswith("def add(")
    assert "add" in repr(add)
    assert list(add.signature.parameters) == add.arg_names


# Stages that are compiled when they are asked for.


def test_stages_have_the_options_of_their_launch():

    @tilec.jit
    def checks(x, y):
        value = tl.load(x)
        tl.device_assert(value < 100, "too large")
        tl.store(y, value * value + value)

    x = np.ones(1, np.float32)
    without, debug = checks[1](x, x), checks[1](x, x, debug=True)
    assert "too large" in debug.asm["tile"] and "too large" not in without.asm["tile"]
    limited = checks[1](x, x, maxnreg=64)
    assert limited._options["max_registers"] == 64 and without._options.get("max_registers", 0) == 0
    unfused = checks[1](x, x, enable_fp_fusion=False)
    assert unfused._options["flags"] & 4 and not without._options["flags"] & 4


def test_a_compiled_kernel_can_be_launched(rng):

    @tilec.jit
    def double(x, out, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)

    x = rng.standard_normal(100).astype(np.float32)
    out = np.zeros_like(x)
    compiled = double.warmup(x, out, 100, BLOCK=64, num_warps=2, grid=(1, ))
    again = compiled[(2, )](x, out, 100, 64)
    assert (out == 2 * x).all()
    assert again.metadata.num_warps == 2
    with pytest.raises(ValueError, match="stream"):
        compiled[(2, )](x, out, 100, 64, stream=7)


def test_a_compiled_kernel_keeps_its_function():
    out = np.zeros(1, np.int32)
    compiled = tilec.jit(store.fn).warmup(out, 5, grid=(1, ))
    gc.collect()
    compiled[(1, )](out, 7)
    assert out[0] == 7


# What goes away with the last reference.


class Marker:
    """Something of a module that can be watched."""


@pytest.mark.parametrize("use", ["launched", "launch", "compiled", "grid"])
def test_modules_go_away(use):
    text = ("FACTOR = 3\n\n\ndef scale(x):\n    return x * FACTOR\n\n\n"
            "def made(out):\n    tl.store(out, scale(tl.load(out)))\n")
    file = f"<module {uuid.uuid4()}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    module = types.ModuleType("made")
    module.tl = tl
    exec(compile(text, file, "exec"), module.__dict__)
    module.scale = tilec.jit(module.scale)
    module.made = tilec.jit(module.made)
    module.marker = Marker()
    out = np.ones(1, np.int32)
    module.made[1](out)
    assert out[0] == 3
    if use == "launch":
        module.launch = module.made[1]
    elif use == "compiled":
        module.compiled = module.made.warmup(out, grid=1)
    elif use == "grid":
        module.launch = module.made[lambda meta, module=module: 1]
        module.launch(out)
    marker = weakref.ref(module.marker)
    del module, linecache.cache[file]
    gc.collect()
    assert marker() is None
