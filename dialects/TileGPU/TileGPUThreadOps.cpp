// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of single threads.

#include "dialects/TileGPU/TileGPUOps.h"

using namespace mlir;

namespace tilec::tilegpu {

void LdGlobalOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getAddressMutable());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), &getAddressMutable());
}

} // namespace tilec::tilegpu
