// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels that several tests compile.

#ifndef TILEC_TEST_UNIT_API_KERNELS_H
#define TILEC_TEST_UNIT_API_KERNELS_H

#include "tilec/tilec.hpp"

namespace tilec::test {

inline const char addSource[] = R"(@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)
)";

inline Options addOptions(const char *target) {
  Options options;
  options.target = target;
  options.arguments = {{"x", "*kfp32"}, {"y", "*kfp32"}, {"out", "*fp32"}, {"n", "i32"}};
  options.constants = {{"BLOCK", "128"}};
  return options;
}

} // namespace tilec::test

#endif // TILEC_TEST_UNIT_API_KERNELS_H
