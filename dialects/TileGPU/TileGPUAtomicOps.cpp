// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which atomics the thread level has.

#include "dialects/TileGPU/TileGPUOps.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

LogicalResult AtomicRMWGlobalOp::verify() {
  Type element = getElementTypeOrSelf(getValue().getType());
  bool isAccess = getKind() == tile::AtomicKind::load || getKind() == tile::AtomicKind::store;
  bool isNarrow = element.isInteger(8) || element.isInteger(16);
  if ((isa<FloatType>(element) && getKind() != tile::AtomicKind::add) || (isNarrow && !isAccess))
    return emitOpError("has no '")
           << tile::stringifyAtomicKind(getKind()) << "' of type " << getValue().getType();
  return success();
}
