// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which atomics a target has: one table for the layouts, the lowering to threads and the verifier.

#include "dialects/TileGPU/TileGPUOps.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

unsigned tilegpu::maxAtomicElements(tile::AtomicKind kind, Type element,
                                    const Processor &processor) {
  if (kind != tile::AtomicKind::add)
    return 1;
  bool hasVectors = processor.has(Feature::VectorAtomics);
  if (element.isF16())
    return hasVectors ? 8 : 2;
  if (element.isBF16())
    return hasVectors ? 8 : 1;
  return element.isF32() && hasVectors ? 4 : 1;
}

LogicalResult AtomicRMWGlobalOp::verify() {
  Type element = getElementTypeOrSelf(getValue().getType());
  bool isAccess = getKind() == tile::AtomicKind::load || getKind() == tile::AtomicKind::store;
  bool isNarrow = element.isInteger(8) || element.isInteger(16);
  if ((isa<FloatType>(element) && getKind() != tile::AtomicKind::add) || (isNarrow && !isAccess))
    return emitOpError("has no '")
           << tile::stringifyAtomicKind(getKind()) << "' of type " << getValue().getType();
  return success();
}
