# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants, variables and functions of the program that change after a kernel was compiled."""

import helper_functions
import numpy as np
import pytest

import tilec
import tilec.language as tl

AMOUNT = 5
WRAPPED = tl.constexpr(7)
SIZES = [1, [2, 3]]


@tilec.jit
def helper(x):
    return x + AMOUNT


@tilec.jit
def add(out):
    tl.store(out, tl.load(out) + AMOUNT)


@tilec.jit
def through_helper(out):
    tl.store(out, helper(tl.load(out)))


@tilec.jit
def wrapped(out):
    tl.store(out, WRAPPED)


@tilec.jit
def sizes(out):
    tl.store(out, SIZES[0] * 100 + SIZES[1][1])


@tilec.jit
def of_module(out):
    tl.store(out, helper_functions.OFFSET + tl.load(out))


def result(kernel, *args, **kwargs):
    out = np.zeros(1, np.int32)
    kernel[1](out, *args, **kwargs)
    return out[0]


@pytest.mark.parametrize("kernel", [add, through_helper])
def test_a_constant_of_the_module(monkeypatch, kernel):
    assert result(kernel) == 5
    monkeypatch.setitem(globals(), "AMOUNT", 6)
    assert result(kernel) == 6
    monkeypatch.undo()
    assert result(kernel) == 5


def test_an_equal_constant_is_no_change(monkeypatch):
    out = np.zeros(1, np.int32)
    monkeypatch.setitem(globals(), "AMOUNT", 100000)
    compiled = add[1](out)
    monkeypatch.setitem(globals(), "AMOUNT", int("100000"))
    assert add[1](out) is compiled
    monkeypatch.setitem(globals(), "AMOUNT", np.int64(100000))
    assert add[1](out) is compiled
    monkeypatch.setitem(globals(), "AMOUNT", tl.constexpr(100000))
    assert add[1](out) is not compiled


def test_a_constexpr_of_the_module(monkeypatch):
    assert result(wrapped) == 7
    monkeypatch.setitem(globals(), "WRAPPED", tl.constexpr(8))
    assert result(wrapped) == 8


def test_a_list_that_changes():
    try:
        assert result(sizes) == 103
        SIZES[1][1] = 4
        assert result(sizes) == 104
        SIZES[0] = 2
        assert result(sizes) == 204
    finally:
        SIZES[:] = [1, [2, 3]]


def test_a_variable_of_the_function_around():
    amount = 1

    @tilec.jit
    def plus(out):
        tl.store(out, tl.load(out) + amount)

    assert result(plus) == 1
    amount = 2
    assert result(plus) == 2
    for amount in range(5):
        assert result(plus) == amount


def test_a_function_that_is_defined_again():

    @tilec.jit
    def change(x):
        return x + 1

    @tilec.jit
    def apply(out):
        tl.store(out, change(tl.load(out)))

    assert result(apply) == 1

    @tilec.jit
    def change(x):
        return x + 2

    assert result(apply) == 2


def test_a_constant_of_another_module(monkeypatch):
    monkeypatch.setattr(helper_functions, "OFFSET", 3, raising=False)
    assert result(of_module) == 3
    monkeypatch.setattr(helper_functions, "OFFSET", 4)
    assert result(of_module) == 4


def test_a_constant_that_comes_later():
    @tilec.jit
    def early(out):
        tl.store(out, LATER)  # noqa: F821

    with pytest.raises(tilec.CompilationError, match="LATER"):
        result(early)
    globals()["LATER"] = 9
    try:
        assert result(early) == 9
    finally:
        del globals()["LATER"]
    with pytest.raises(tilec.CompilationError, match="LATER"):
        result(early)


def test_a_change_while_others_launch():
    from test_threads import in_threads

    amount = 0

    @tilec.jit
    def plus(out):
        tl.store(out, amount)

    def launch(number):
        nonlocal amount
        for step in range(20):
            if number == 0:
                amount = step % 3
            else:
                assert result(plus) in (0, 1, 2)

    in_threads(4, launch)
    amount = 7
    assert result(plus) == 7
