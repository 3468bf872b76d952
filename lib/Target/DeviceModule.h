// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The members of DeviceModule, for the files of this folder.

#ifndef TILEC_LIB_TARGET_DEVICEMODULE_H
#define TILEC_LIB_TARGET_DEVICEMODULE_H

#include "tilec/Target/PTX.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace tilec {

/// Destroyed bottom up: the machine and the module before the context.
struct DeviceModule::Impl {
  /// Errors that LLVM reported through the context; filled by its diagnostic handler.
  std::vector<std::string> errors;
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
  unsigned ptxVersion = 0;
  LinkedMath math;
  /// Whether code generation leaves out strength reduction because of many addresses.
  bool leavesOutReduction = false;

  /// A new context whose diagnostics go to `errors`.
  Impl();

  /// Success, or the errors reported so far as one, prefixed with `step`.
  llvm::Error takeErrors(llvm::StringRef step);
  /// Gives up every LLVM object without destroying it: after a fatal error their state is not
  /// known.
  void abandon();
};

/// Runs `step`, turning a fatal error of LLVM into an Error. The handler for fatal errors is one
/// for the process; it acts only on threads that are inside this function, and is installed only
/// while one is. What the failed step had allocated is leaked: LLVM has no way to unwind cleanly.
llvm::Error guardFatalErrors(DeviceModule::Impl &impl, llvm::StringRef name,
                             llvm::function_ref<llvm::Error()> step);

/// Gives functions and operations of `module` debug scopes so that LLVM IR gets line numbers: one
/// subprogram per function, and one per inlined place that a CallSiteLoc names. Does nothing to a
/// function that has a scope.
void attachLineInfo(mlir::ModuleOp module);

} // namespace tilec

#endif // TILEC_LIB_TARGET_DEVICEMODULE_H
