// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product as text, one program for each tile.

#ifndef TILEC_TEST_UNIT_API_PRODUCTTEXT_H
#define TILEC_TEST_UNIT_API_PRODUCTTEXT_H

#include <string>

namespace tilec::test {

/// A product whose programs read rows and columns of blocks; `option` is a further argument of its
/// loop's range.
inline std::string productText(const std::string &option = "") {
  return R"(@triton.jit
def product(a, b, c, M, N, K, BLOCK: tl.constexpr):
    x = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK, 64])
    y = tl.make_tensor_descriptor(b, [K, N], [N, 1], [64, BLOCK])
    m = tl.program_id(0) // tl.cdiv(N, BLOCK) * BLOCK
    n = tl.program_id(0) % tl.cdiv(N, BLOCK) * BLOCK
    sums = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for k in tl.range(0, K, 64)" +
         option + R"():
        sums = tl.dot(x.load([m, k]), y.load([k, n]), sums)
    i = tl.arange(0, BLOCK)
    tl.store(c + (m + i)[:, None] * N + (n + i)[None, :], sums)
)";
}

} // namespace tilec::test

#endif // TILEC_TEST_UNIT_API_PRODUCTTEXT_H
