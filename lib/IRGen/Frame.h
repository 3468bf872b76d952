// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activations of functions: their variables, the loop that a statement is in, and how statements
// end.

#ifndef TILEC_LIB_IRGEN_FRAME_H
#define TILEC_LIB_IRGEN_FRAME_H

#include "SourceModule.h"
#include "Value.h"

#include "tilec/Syntax/AssignedNames.h"

#include "mlir/IR/Location.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tilec::irgen {

/// The variables of a function, by name.
using Variables = llvm::DenseMap<llvm::StringRef, Value>;

/// How an iteration of a loop ends. The flags are compile-time bools, or int1 at run time.
struct LoopExit {
  /// Whether `break` was reached.
  Value broke = Value::boolean(false);
  /// Whether `return` was reached.
  Value returned = Value::boolean(false);
  /// Whether `continue` was reached; in a joined branch only, loops need not know.
  Value continued = Value::boolean(false);
  /// What was returned, where `returned` may be true.
  Value result;
};

/// The innermost loop around a statement, for `break`, `continue` and `return`; or a joined branch,
/// which is left like an iteration.
struct LoopContext {
  /// Names that the body assigns.
  const ast::NameSet *assigned = nullptr;
  /// How this iteration ends, as far as it has been executed.
  LoopExit exit;
  /// A joined branch, in `around`, which may be null.
  bool isJoined = false;
  LoopContext *around = nullptr;
  /// Names of which only the value at a `break` counts; or null.
  const ast::NameSet *breakNames = nullptr;
  /// Names that have no value where a joined branch was left by `break` or `continue`.
  ast::NameSet withoutValue = {};

  /// Whether there is a loop to leave.
  bool isInLoop() const { return !isJoined || (around && around->isInLoop()); }
};

/// A statement that runs code under a condition, for messages.
struct BranchSite {
  /// The statement, and its first line.
  SourceRange range, headerRange;
  bool isLoop = false;
};

/// One activation of a function.
struct Frame {
  /// Null for lambdas and module-level expressions.
  const ast::FunctionDef *function = nullptr;
  const SourceModule *module = nullptr;
  /// The host function around the code, whose names are visible; null at module level.
  const ast::FunctionDef *around = nullptr;
  /// Where this activation was called, in the caller's file.
  SourceRange callSite;
  const Frame *caller = nullptr;
  /// Location of the call in the IR; null in the kernel.
  mlir::LocationAttr callLocation;
  unsigned depth = 0;

  Variables variables;
  /// Names declared `: tl.constexpr`; their values do not decay to runtime ones.
  llvm::DenseSet<llvm::StringRef> constexprNames;
  /// Loops around this place of the activation that are not unrolled.
  unsigned runtimeLoops = 0;
  /// Variables that the body of a loop has just given another type, before it reads them; they
  /// have no value behind it.
  std::vector<std::pair<llvm::StringRef, std::string>> retyped;
  /// Set when a `return` was executed.
  Value returnValue;
  bool isKernel = false;
  /// Compile-time code (module level, constexpr functions): assigned numbers do not decay.
  bool keepsConstants = false;
  /// In `__init__` the parameter that is being filled; empty elsewhere.
  llvm::StringRef constructed;
  /// The activation of a lambda.
  bool isLambda = false;
  /// Of a function inside of a function: what its parameters are by default.
  const KeyedValues *defaults = nullptr;
  /// Names this activation for the functions that are defined in it; 0 when there are none.
  uint64_t id = 0;
  /// The innermost loop around the current statement in this activation, or null.
  LoopContext *loop = nullptr;
  /// Branches around this place that have what follows them in both of their arms.
  unsigned copies = 0;
  /// Branches around this place that have what follows them inside.
  unsigned leaving = 0;
};

/// How a statement ended: after Break and Continue the rest of the loop's body has been dealt with
/// and the loop's context knows whether it was left.
enum class Flow {
  Next,
  Return,
  Break,
  Continue,
};

/// The statements that follow a block when it runs to its end: needed where an early return makes
/// the rest of the function part of a branch.
struct Continuation {
  ast::Block rest;
  const Continuation *next = nullptr;
};

} // namespace tilec::irgen

#endif // TILEC_LIB_IRGEN_FRAME_H
