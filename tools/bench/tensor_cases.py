# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The tensor-core comparisons by family, and the choice among them. Needs neither PyTorch nor a GPU.

import attention
import attention_backward
import decode
import grouped_attention
import layers
import matmul
import quantised
import random_matmul
from tensor_case import HOPPER, build_of, ours, steps_of

FAMILIES = (matmul, random_matmul, quantised, attention, attention_backward, decode, grouped_attention, layers)


def chosen(cases, wanted, unwanted=""):
    """The cases whose name and size contain one of the texts in `wanted`, separated by commas, and none of
    `unwanted`."""

    def holds(case, texts):
        return any(text in f"{case.name} {case.size}" for text in texts.split(",") if text)
    return [case for case in cases if (not wanted or holds(case, wanted)) and not holds(case, unwanted)]


def timed(wanted="", unwanted=""):
    return chosen([case for family in FAMILIES for case in family.timed()], wanted, unwanted)


def checked(wanted="", unwanted=""):
    return chosen([case for family in FAMILIES for case in family.checked()], wanted, unwanted)


def builds(cases, target=HOPPER, first=False):
    """What the cases need compiled, each once; with `first` of each kernel's configurations the first in a case."""

    def configurations(case):
        if not first:
            return ours(case)
        firsts = {}
        for configuration in ours(case):
            firsts.setdefault(getattr(configuration, "source", None), configuration)
        return firsts.values()
    return list(dict.fromkeys(build_of(*step, target) for case in cases for configuration in configurations(case)
                              for step in steps_of(case, configuration)))
