// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code may write of global memory, told by where its pointers start from: different arguments
// are taken to be apart, as everywhere in the language. Copies that run ahead of the program read
// nothing of it.

#ifndef TILEC_ANALYSIS_WRITTENMEMORY_H
#define TILEC_ANALYSIS_WRITTENMEMORY_H

#include "tilec/Analysis/GlobalAddress.h"
#include "llvm/ADT/DenseSet.h"

namespace tilec {

/// Invalidated by any change to the IR.
class WrittenMemory {
public:
  /// What `root`, and the operations inside of it, write.
  explicit WrittenMemory(mlir::Operation *root);

  /// Whether some of it may lie behind a pointer, a tensor of pointers or a descriptor.
  bool mayContain(mlir::Value handle);

private:
  /// Of a descriptor the pointer that it was made from, or itself where the host made it, and null
  /// where that is not known; any other handle itself.
  static mlir::Value baseOf(mlir::Value handle);
  void add(mlir::Value handle);

  GlobalAddresses addresses;
  llvm::DenseSet<ExpressionId> roots;
  /// Memory behind a descriptor of the host is no other argument's.
  llvm::DenseSet<mlir::Value> hostDescriptors;
  /// Some may be anywhere.
  bool isAnywhere = false;
};

} // namespace tilec

#endif // TILEC_ANALYSIS_WRITTENMEMORY_H
