# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# All comparisons by name, family by family. A value is a function that generates cases one after another, so that one
# case's tensors are freed before the next one's are made. Triton compiles the very same source text.

import pointwise
import reductions
import rowwise
import transformer

ALL = {**pointwise.ALL, **rowwise.ALL, **reductions.ALL, **transformer.ALL}
