// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProductLoops.h.

#include "tilec/Analysis/ProductLoops.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

bool tilec::isLoopOfProducts(scf::ForOp loop) { return !loop.getOps<tilegpu::WgmmaOp>().empty(); }

llvm::SmallVector<scf::ForOp> tilec::lastLoopsOfProducts(func::FuncOp func) {
  llvm::MapVector<Block *, scf::ForOp> last;
  func.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (isLoopOfProducts(loop))
      last[loop->getBlock()] = loop;
  });
  return llvm::map_to_vector(last, [](const auto &entry) { return entry.second; });
}
