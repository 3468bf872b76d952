// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be said about a kernel's resources and time before layouts are chosen, from its tiles:
// lower bounds that a configuration can be refused for, and what its programs compute and move.
//
//   shared memory   operands of products, copied ahead by a loop: their bytes times the stages
//   registers       tensors that a loop carries from iteration to iteration, spread over threads
//   work            products and accesses times trip counts, where argument values tell them

#ifndef TILEC_ANALYSIS_KERNELESTIMATE_H
#define TILEC_ANALYSIS_KERNELESTIMATE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace tilec {

struct KernelEstimate {
  int numWarps = 4;
  int numStages = 3;
  /// Bytes of the largest pipelined loop; 0 without one.
  int64_t sharedBytes = 0;
  /// Registers of a thread that loops keep full.
  int64_t carriedRegisters = 0;
  /// Of one program; every trip count is known, or they mean nothing.
  bool isWorkKnown = true;
  double tensorOps = 0;
  /// Width of the products' operands in bits: 8, 16, 32, 64; 0 without products.
  unsigned operandBits = 0;
  double globalBytes = 0;
};

/// Estimates the kernel of a module of the tile dialect. `arguments` has the values of integer
/// arguments that are known, by name.
KernelEstimate estimateKernel(mlir::ModuleOp module, const llvm::StringMap<int64_t> &arguments);

} // namespace tilec

#endif // TILEC_ANALYSIS_KERNELESTIMATE_H
