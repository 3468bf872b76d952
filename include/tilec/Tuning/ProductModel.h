// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which configurations of a matrix product are worth a try, from its sizes: how long it takes with
// a tile is predicted from rates of whole multiprocessors, rounds of tiles, what remains of a tile
// at the end, and what tensor copies read. The numbers (lib/Tuning/product_model.json) are measured
// on an H200, with the text that loads A and B through pointers or descriptors and keeps one sum
// (examples/40-matmul.tile, 43-matmul-descriptors.tile): docs/tuning.md, "A model of products".

#ifndef TILEC_TUNING_PRODUCTMODEL_H
#define TILEC_TUNING_PRODUCTMODEL_H

#include "tilec/Support/Processor.h"

#include "llvm/Support/Error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilec {

/// C = A x B, with A of m x k and B of k x n elements.
struct Product {
  int64_t m = 0, n = 0, k = 0;
  /// Bits of an element of A and B: 8 or 16.
  int bits = 16;
  /// Whether A, B, lie by rows in memory: A has its elements along k together then, B those along
  /// n.
  std::array<bool, 2> byRows = {true, true};
};

/// A configuration of a product.
struct ProductPlan {
  int64_t blockM = 0, blockN = 0, blockK = 0;
  int numWarps = 0, numStages = 0;
  /// Programs of a cluster that copy for each other, and CTAs that share the sum of a tile.
  int numCtas = 1, splitK = 1;
  /// Rows of tiles that programs in a row go down before they go on along N: neighbours that are
  /// below each other load the same columns of B.
  int groupM = 8;
  /// What a launch may take, on the GPU of the model.
  double microseconds = 0;
};

/// Whether the model knows the processor at all.
bool isModelled(const Processor &processor);

/// An error says what the model does not know: the processor, elements of other sizes, extents that
/// are none.
llvm::Error checkProduct(const Product &product, const Processor &processor);

/// At most so many configurations for sm_90a, those first that should take the least time: of tiles
/// that cut the product in as many parts the likeliest one. The first is a choice that needs no
/// search. The product is one that `checkProduct` has no error for. `multiprocessors`: of the GPU;
/// 0: as the model's. `choosesGroup`: the kernel has `groupM`; without, clusters are of programs
/// that are below each other.
std::vector<ProductPlan> planProduct(const Product &product, size_t most, int multiprocessors = 0,
                                     bool choosesGroup = true);

} // namespace tilec

#endif // TILEC_TUNING_PRODUCTMODEL_H
