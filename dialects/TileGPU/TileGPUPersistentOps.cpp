// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification of persistent kernels, and what is known of their programs' indices.

#include "dialects/TileGPU/TileGPUOps.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

LogicalResult ProgramOfTileOp::verify() {
  if (getFirst().has_value() != bool(getGroup()))
    return emitOpError("expects 'first' and a group, or neither");
  return success();
}

AxisInfo ProgramOfTileOp::inferAxisInfo(AxisOperands) {
  AxisInfo result = AxisInfo::pessimistic(getType());
  result.nonNegative = true;
  return result;
}
