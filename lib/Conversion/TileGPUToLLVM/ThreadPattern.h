// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base of the conversion patterns from tensors to one thread's registers.

#ifndef TILEC_LIB_CONVERSION_TILEGPUTOLLVM_THREADPATTERN_H
#define TILEC_LIB_CONVERSION_TILEGPUTOLLVM_THREADPATTERN_H

#include "Patterns.h"

namespace tilec {

template <typename Op> struct ThreadPattern : mlir::OpConversionPattern<Op> {
  ThreadPattern(const ThreadLowering &threadLowering, mlir::MLIRContext *context)
      : mlir::OpConversionPattern<Op>(threadLowering.types, context), lowering(threadLowering) {}
  const ThreadLowering lowering;
};

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_TILEGPUTOLLVM_THREADPATTERN_H
