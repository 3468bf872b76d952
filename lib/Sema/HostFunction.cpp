// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HostFunction.h.

#include "tilec/Sema/HostFunction.h"

#include "tilec/Syntax/Walk.h"

using namespace tilec;
using namespace tilec::ast;

/// The name of a decorator such as `gluon.jit`, without its arguments; empty for others.
static std::string getJitName(const Expr *decorator) {
  while (const auto *call = llvm::dyn_cast<Call>(decorator))
    decorator = call->callee;
  std::string name = getDottedName(decorator);
  return llvm::StringRef(name).ends_with(".jit") ? name : "";
}

static bool reportIn(const Stmt *statement, llvm::StringRef name, DiagnosticEngine &diagnostics) {
  const auto *function = llvm::dyn_cast<FunctionDef>(statement);
  if (function && function->isJit)
    return false;
  if (function && (name.empty() || function->name == name))
    for (const Expr *decorator : function->decorators) {
      std::string jit = getJitName(decorator);
      if (jit.empty())
        continue;
      diagnostics.error(decorator->range, "'" + function->name + "' is decorated with '" + jit +
                                              "', which is another language; kernels are those "
                                              "that are decorated with 'triton.jit'");
      return true;
    }
  if (function && !name.empty() && function->name == name) {
    diagnostics.error(function->nameRange,
                      "'" + name + "' is no kernel: it is not decorated with @triton.jit");
    return true;
  }
  bool isReported = false;
  forEachChild(
      statement, [](const Expr *) {},
      [&](const Stmt *child) { isReported = isReported || reportIn(child, name, diagnostics); });
  return isReported;
}

bool tilec::reportHostFunction(const Module &module, llvm::StringRef name,
                               DiagnosticEngine &diagnostics) {
  for (const Stmt *statement : module.body)
    if (reportIn(statement, name, diagnostics))
      return true;
  return false;
}
