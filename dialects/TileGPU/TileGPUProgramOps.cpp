// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification of the programs that CTAs run, and what is known of their indices.

#include "dialects/TileGPU/TileGPUOps.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

LogicalResult ProgramOfTileOp::verify() {
  if (getFirst().has_value() != bool(getGroup()))
    return emitOpError("expects 'first' and a group, or neither");
  if (getLeast() && !getGroup())
    return emitOpError("expects a group of which the last one has at least so many");
  return success();
}

LogicalResult NextProgramOp::verify() {
  if (!isa<scf::ForOp>((*this)->getParentOp()))
    return emitOpError("expects to be directly inside a loop over turns");
  return success();
}

static AxisInfo indexInfo(Type type) {
  AxisInfo result = AxisInfo::pessimistic(type);
  result.nonNegative = true;
  return result;
}

AxisInfo ProgramOfTileOp::inferAxisInfo(AxisOperands) { return indexInfo(getType()); }

AxisInfo OrderedProgramOp::inferAxisInfo(AxisOperands) { return indexInfo(getType()); }
