// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the warps of a kernel hand slots of rings to each other correctly: roles, barrier
// objects, tensor copies into rings, and the dots that read them.
//
// Algorithm: what matters of each role is a sequential program of few steps (ProtocolSkeleton): a
// wait for a phase, a copy that arrives, a release, a read, a wait that retires reads. The scalars
// that decide about steps (slots, parities, predicates, bounds) are computed; what only a launch
// knows is chosen, the bounds of loops such that each goes around 0, 1, D - 1, D, D + 1 and 2 D + 1
// times for D slots, and loops around it three times (ProtocolTrace); constant bounds stay. The
// steps of all roles then run against each other twice, with one role ahead and with the other
// (ProtocolMachine). That something happens before something else is known from phases that were
// waited for, not from the order in which it ran.
//
// What is not seen: races between the warps of one role, fences, and bytes (`tma_load` expects
// those that its buffer has). The simulator finds them.

#ifndef TILEC_ANALYSIS_ROLEPROTOCOL_H
#define TILEC_ANALYSIS_ROLEPROTOCOL_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include <string>

namespace tilec {

/// One mistake, as a message at an operation and others at operations that it has to do with.
struct ProtocolFinding {
  mlir::Operation *op = nullptr;
  std::string message;
  llvm::SmallVector<std::pair<mlir::Operation *, std::string>, 2> notes;
};

/// What is known of one function.
struct ProtocolReport {
  /// Every barrier that is wrong by itself, and the first mistake of the first run that has one.
  llvm::SmallVector<ProtocolFinding> findings;
  /// Where the function is not checked: the operation that is in the way, and why.
  mlir::Operation *obstacle = nullptr;
  llvm::StringRef reason;
  /// Runs of the skeleton, those that were too long not counted.
  int runs = 0;
};

/// Checks `func`, which may have barrier objects and roles or not. The cost is linear in its
/// operations, plus that of a few thousand steps for each loop with copies.
ProtocolReport checkRoleProtocol(mlir::FunctionOpInterface func);

} // namespace tilec

#endif // TILEC_ANALYSIS_ROLEPROTOCOL_H
