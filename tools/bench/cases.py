# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# All comparisons by name, family by family. A value is a function that generates cases one after another, so that one
# case's tensors are freed before the next one's are made. Triton compiles the very same source text.

import pointwise
import random_rows
import reductions
import rowwise
import transformer

ALL = {**pointwise.ALL, **rowwise.ALL, **reductions.ALL, **transformer.ALL}
# Those that are measured only when they are asked for by their name.
ON_REQUEST = random_rows.ALL


def chosen(text):
    """The family of that name, or all comparisons whose name contains the text."""
    if text in ON_REQUEST:
        return [ON_REQUEST[text]]
    return [make for name, make in ALL.items() if text in name]
