# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages of the compiler and faults of the simulator: they name the user's file, with line, column and caret."""

import inspect
import warnings

import helper_functions
import numpy as np
import pytest

import tilec
import tilec.language as tl
from tilec import _report


def place_of(function, text: str) -> tuple[int, int]:
    """The line and column, from 1, of a piece of a function's text."""
    lines, first = inspect.getsourcelines(function.fn)
    for index, line in enumerate(lines):
        if text in line:
            return first + index, line.index(text) + 1
    raise AssertionError(f"'{text}' is not in {function}")


def caret_under(message: str, text: str) -> bool:
    """Whether a caret stands below the beginning of a text in the line above."""
    lines = message.splitlines()
    return any(text in line and line.index(text) == below.find("^") for line, below in zip(lines, lines[1:]))


@tilec.jit
def past_the_end(x, y, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + o)
    tl.store(y + o, value, mask=o < 40)


@tilec.jit
def racing(x, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(x + o // 2, o)


@tilec.jit
def racing_programs(x):
    tl.store(x, tl.program_id(0))


@tilec.jit
def prints(BLOCK: tl.constexpr):
    tl.device_print("value", tl.arange(0, BLOCK) * 10)


@tilec.jit
def asserts(x, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.device_assert(tl.load(x + o) < 5, "too large")


def test_a_message_of_the_compiler():

    @tilec.jit
    def wrong(x, BLOCK: tl.constexpr):
        # A comment.
        o = tl.arange(0, BLOCK)

        tl.store(x + o, tl.load(x + o) + unknown_name)  # noqa: F821

    with pytest.raises(tilec.CompilationError) as caught:
        wrong[1](np.zeros(32, np.float32), 32)
    line, column = place_of(wrong, "unknown_name")
    message = str(caught.value)
    assert f"{__file__}:{line}:{column}: error: " in message and "'unknown_name'" in message
    assert caret_under(message, "unknown_name")


def test_a_decorated_function_with_a_long_head():

    def decorated(fn):
        return fn

    @tilec.jit
    @decorated
    def wrong(
        x,
        BLOCK: tl.constexpr = 32,
    ):
        """A docstring."""
        tl.store(x, [1, 2].no_such_member)

    with pytest.raises(tilec.CompilationError) as caught:
        wrong[1](np.zeros(32, np.float32))
    line, _ = place_of(wrong, "[1, 2]")
    assert f"{__file__}:{line}:" in str(caught.value)


def test_a_message_about_a_function_of_another_file():

    @tilec.jit
    def calls(x):
        tl.store(x, helper_functions.scale(helper_functions.FACTOR, 5))

    with pytest.raises(tilec.CompilationError) as caught:
        calls[1](np.zeros(32, np.float32))
    line, _ = place_of(calls, "helper_functions.scale")
    assert f"{__file__}:{line}:" in str(caught.value)


def test_a_function_with_less_indentation_inside():

    @tilec.jit
    def loosely_indented(x):
        """The first line,
and the second."""
# A comment.
        tl.store(x + 1000, 5)

    with pytest.raises(tilec.KernelFault) as caught:
        loosely_indented[1](np.zeros(1, np.int32))
    finding = caught.value.findings[0]
    assert (finding.line, finding.column) == place_of(loosely_indented, "tl.store")
    assert caret_under(str(caught.value), "tl.store")


def test_a_failed_assertion_at_compile_time():

    @tilec.jit
    def asserts_statically(x, BLOCK: tl.constexpr):
        tl.static_assert(BLOCK > 64, "BLOCK is too small")
        tl.store(x, BLOCK)

    x = np.zeros(1, np.float32)
    for _ in range(2):  # A failure is not kept.
        with pytest.raises(tilec.CompilationError, match="BLOCK is too small"):
            asserts_statically[1](x, 32)
    asserts_statically[1](x, 128)
    assert x[0] == 128


@pytest.mark.parametrize("check", [False, True])
def test_out_of_bounds(tensor, check):
    x, y = np.ones(40, np.float32), np.zeros(40, np.float32)
    with tilec.check(check), pytest.raises(tilec.KernelFault) as caught:
        past_the_end[2](tensor(x), tensor(y), 32)
    line, column = place_of(past_the_end, "tl.load")
    fault = caught.value
    finding = fault.findings[0]
    assert (finding.file, finding.line, finding.column) == (__file__, line, column)
    assert finding.kind == "out-of-bounds" and finding.kernel == "past_the_end" and finding.program == (1, 0, 0)
    assert "past the end of 'x' (160 bytes)" in finding.message
    assert f"{__file__}:{line}:{column}: out-of-bounds" in str(fault)
    assert caret_under(str(fault), "tl.load") and caret_under(finding.describe(), "tl.load")


@pytest.mark.parametrize("function, grid, arguments, text", [(racing, 1, (64, ), "tl.store"),
                                                             (racing_programs, 8, (), "tl.store")])
def test_races(tensor, function, grid, arguments, text):
    x = np.zeros(64, np.int32)
    function[grid](tensor(x), *arguments)  # Nobody looks.
    with tilec.check(), pytest.raises(tilec.KernelFault) as caught:
        function[grid](tensor(x), *arguments)
    finding = caught.value.findings[0]
    assert finding.kind == "global-race-write-write"
    assert (finding.line, finding.column) == place_of(function, text)
    function[grid](tensor(x), *arguments)


def test_the_fault_of_one_launch_is_not_the_next_ones():
    x, y = np.ones(40, np.float32), np.zeros(40, np.float32)
    for _ in range(2):
        with pytest.raises(tilec.KernelFault) as caught:
            past_the_end[2](x, y, 32)
        assert {finding.kernel for finding in caught.value.findings} == {"past_the_end"}
    past_the_end[2](np.ones(64, np.float32), y, 32)
    np.testing.assert_array_equal(y, 1)


def test_a_program_that_never_ends_waits_for_nobody():

    @tilec.jit
    def waits(x):
        while tl.load(x, volatile=True) == 0:
            pass

    with tilec.check(), pytest.raises(tilec.KernelFault, match="deadlock"):
        waits[1](np.zeros(1, np.int32))


def test_printing(capsys, monkeypatch):
    # Without a tensor a kernel runs on a GPU where there is one, whose lines the driver writes.
    monkeypatch.setattr(tilec.settings, "simulate", True)
    prints[2](8)
    lines = capsys.readouterr().out.splitlines()
    assert sorted(lines) == sorted(f"pid ({program}, 0, 0) idx ({i}) value: {10 * i}"
                                   for program in range(2) for i in range(8))


def test_printing_before_a_fault(capsys):

    @tilec.jit
    def prints_and_faults(x):
        tl.device_print("before", 5)
        tl.store(x + 1000, 1)

    with pytest.raises(tilec.KernelFault):
        prints_and_faults[1](np.zeros(4, np.int32))
    assert "before" in capsys.readouterr().out


def test_assertions(capsys):
    x = np.array([0, 1, 9, 3], np.int32)
    asserts[1](x, 4)  # They are there for debugging only.
    with pytest.raises(tilec.KernelFault) as caught:
        asserts[1](x, 4, debug=True)
    finding = caught.value.findings[0]
    assert finding.kind == "assert-failed" and "too large" in finding.message
    assert (finding.line, finding.column) == place_of(asserts, "tl.device_assert")


def test_overflow_of_integers():

    @tilec.jit
    def product(x, y, n):
        tl.store(y, tl.load(x) * n)

    x, y = np.full(1, 2**30, np.int32), np.zeros(1, np.int32)
    product[1](x, y, 4)
    assert y[0] == 0
    with pytest.raises(tilec.KernelFault) as caught:
        product[1](x, y, 4, debug=True)
    finding = caught.value.findings[0]
    assert finding.kind == "assert-failed" and "int32 overflow detected for operation mul" in finding.message
    assert (finding.line, finding.column) == place_of(product, "tl.load(x) * n")
    y[0] = 1
    product[1](x, y, 4, debug=True, sanitize_overflow=False)
    assert y[0] == 0
    product[1](x, y, 1, debug=True)
    assert y[0] == 2**30


@pytest.fixture
def report(monkeypatch):
    """tilec.report, of what a test does alone."""
    monkeypatch.setattr(_report, "_entries", [])
    return tilec.report


def test_the_report(report):

    @tilec.jit
    def reported(x, SIZE: tl.constexpr):
        tl.store(x, SIZE)

    assert str(report()) == "tilec has compiled nothing in this process"
    assert "tilec" in repr(reported[1](np.zeros(1, np.int32), SIZE=4, num_warps=8, num_stages=2))
    entry, = report()
    assert entry.kernel == "reported" and entry.seconds > 0 and entry.is_made
    assert entry.options == {"num_warps": 8, "num_stages": 2, "arguments": {"x": "*i32:16"}, "constants": {"SIZE": "4"}}
    lines = str(report()).splitlines()
    assert lines[0].split() == ["kernel", "seconds", "from", "configuration"]
    assert lines[1].startswith("reported") and lines[1].endswith("8 warps, 2 stages, SIZE=4")
    assert lines[2].startswith("1 kernels")


def test_the_report_of_what_does_not_compile(report):

    @tilec.jit
    def wrong(x, SIZE: tl.constexpr):
        tl.store(x, nowhere)  # noqa: F821

    with pytest.raises(tilec.CompilationError):
        wrong[1](np.zeros(1, np.int32), SIZE=4)
    entry, = report()
    assert not entry.is_made and entry.options["constants"] == {"SIZE": "4"}
    assert "refused" in str(report()) and str(report()).splitlines()[-1].startswith("0 kernels")


LIMIT = 3


def test_what_is_refused_is_compiled_once(report, monkeypatch):

    @tilec.jit
    def limited(x, SIZE: tl.constexpr):
        tl.static_assert(SIZE <= LIMIT, "too many")
        tl.store(x, SIZE)

    x = np.zeros(1, np.int32)
    for size in (4, 4, 4, 5, 5, 4):
        with pytest.raises(tilec.CompilationError, match="too many"):
            limited[1](x, SIZE=size)
    assert [entry.options["constants"]["SIZE"] for entry in report()] == ["4", "5"]
    monkeypatch.setitem(globals(), "LIMIT", 4)
    limited[1](x, SIZE=4)
    assert x[0] == 4
    with pytest.raises(tilec.CompilationError, match="too many"):
        limited[1](x, SIZE=5)
    assert [entry.is_made for entry in report()] == [False, False, True, False]


def test_the_report_of_launches_that_fell_back(report):
    for reason in ("first\nmore", "second", "second"):
        _report.add_fallback("left", reason)
    _report.add_fallback("other", "second")
    assert [(entry.kernel, entry.fallback, entry.launches) for entry in report()] == [
        ("left", "first\nmore", 1), ("left", "second", 2), ("other", "second", 1)]
    text = str(report())
    assert "2 launches: second" in text and "4 launches of 2 kernels fell back to Triton" in text and "more" not in text


def test_static_prints_go_to_standard_output(capsys):

    @tilec.jit
    def says(x, BLOCK: tl.constexpr):
        tl.static_print("block", BLOCK)
        tl.store(x, BLOCK)

    x = np.zeros(1, np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        says[1](x, BLOCK=16)
    assert x[0] == 16
    assert capsys.readouterr().out == "block 16\n"
