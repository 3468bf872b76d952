// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Search spaces that name a product instead of listing its tiles.

#ifndef TILEC_TUNING_PRODUCTSPACE_H
#define TILEC_TUNING_PRODUCTSPACE_H

#include "tilec/Tuning/Pruning.h"
#include "tilec/Tuning/SearchSpace.h"

namespace tilec {

/// A launch of a kernel that is a matrix product, and the GPU.
struct ProductLaunch {
  const KernelInfo &kernel;
  LaunchFacts facts;
  TuningTarget target;
};

/// The configurations of "product" in a search space, by the model of products (ProductModel.h):
///   {"m": "M", "n": "N", "k": "K", "tile": ["BLOCK_M", "BLOCK_N", "BLOCK_K"], "group": "GROUP_M",
///    "a_rows": true, "b_rows": true, "bits": 16, "most": 12}
/// m, n and k are numbers or integer arguments; `tile` the constants of a tile's extents; `group`
/// the constant that says how many rows of tiles programs in a row go down. Names that are not given
/// are those above or, of constants, BLOCK_SIZE_M and so on; without a `group` that the kernel has,
/// the configurations leave it out. `a_rows` and `b_rows` say whether A (m x k), B (k x n), lie by
/// rows in memory; `bits` are those of an element of the first argument that is a pointer. At most
/// `most` configurations, the likeliest first. Errors name the key, or say that the model does not
/// know the processor.
llvm::Expected<std::vector<TuningConfig>> expandProduct(const llvm::json::Object &product,
                                                        const ProductLaunch &launch);

} // namespace tilec

#endif // TILEC_TUNING_PRODUCTSPACE_H
