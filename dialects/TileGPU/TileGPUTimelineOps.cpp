// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification of a timeline's marks.

#include "dialects/TileGPU/TileGPUOps.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

LogicalResult TimelineOpenOp::verify() {
  if (getFirstCta() > getLastCta())
    return emitOpError("expects the first CTA, ")
           << getFirstCta() << ", not to be behind the last, " << getLastCta();
  return success();
}
