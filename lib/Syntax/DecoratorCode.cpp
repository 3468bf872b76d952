// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A walk over names from the decorators, through module-level functions and values.

#include "DecoratorCode.h"

#include "tilec/Syntax/AssignedNames.h"
#include "tilec/Syntax/Parser.h"

#include "llvm/ADT/StringMap.h"

using namespace tilec;
using namespace tilec::ast;

namespace {

/// What is bound to a name at module level: functions and values.
struct Bindings {
  llvm::StringMap<llvm::SmallVector<FunctionDef *, 1>> functions;
  llvm::StringMap<llvm::SmallVector<const Expr *, 1>> values;

  void add(Block block) {
    for (Stmt *stmt : block) {
      if (auto *function = llvm::dyn_cast<FunctionDef>(stmt))
        functions[function->name].push_back(function);
      else if (auto *assign = llvm::dyn_cast<Assign>(stmt))
        for (const Expr *target : assign->targets)
          if (auto *name = llvm::dyn_cast<Name>(target))
            values[name->id].push_back(assign->value);
      if (auto *branch = llvm::dyn_cast<If>(stmt)) {
        add(branch->thenBody);
        add(branch->elseBody);
      }
    }
  }
};

} // namespace

void tilec::parseDecoratorCode(const SourceManager &sources, Module &module) {
  NameSet names;
  for (const FunctionDef *function : module.deviceFunctions)
    for (const Expr *decorator : function->decorators)
      if (llvm::isa<Call>(decorator))
        collectUsedNames(decorator, names);
  if (names.empty())
    return;
  Bindings bindings;
  bindings.add(module.body);
  // The set grows while it is walked.
  for (size_t i = 0; i < names.size(); ++i) {
    llvm::StringRef name = names[i];
    for (const Expr *value : bindings.values.lookup(name))
      collectUsedNames(value, names);
    for (FunctionDef *function : bindings.functions.lookup(name)) {
      if (function->isJit)
        continue;
      DiagnosticEngine ignored(1);
      if (parseSkippedBody(sources, module, *function, ignored))
        collectUsedNames(function->body, names);
    }
  }
}
