// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles every kernel of some files with guessed signatures (KernelCheck.h), in child processes.
// A child that crashes or takes too long over a kernel loses that kernel only: another one goes on
// behind it.

#ifndef TILEC_DRIVER_FILECHECK_H
#define TILEC_DRIVER_FILECHECK_H

#include "tilec/Driver/CompileOptions.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec {

struct FileCheckOptions {
  /// Of all kernels. Arguments and constants are for those that have such a parameter.
  CompileOptions compile;
  /// Kernels to check; empty: all that can be launched.
  std::vector<std::string> kernels;
  /// For one kernel.
  double timeoutSeconds = 60;
  /// Files at a time; 0: as many as cores.
  unsigned jobs = 0;
};

/// What was found in one file, as JSON. Everything has the messages as "diagnostics" and, unless
/// the child was lost, as "text".
struct FileCheckReport {
  std::string path;
  /// What is wrong with the file itself; nothing when it was read.
  std::optional<llvm::json::Object> problem;
  /// "name", "line", and "status": "ok", "error", "unavailable", "internal", "timeout" or "crash".
  /// Unless the child was lost "milliseconds", "signaturesTried", "arguments" and "constants" with
  /// the signature that was used, and the "times" of the stages.
  std::vector<llvm::json::Object> kernels;
};

/// The files that paths stand for: a folder for the sources in it, sorted.
std::vector<std::string> listSourceFiles(const std::vector<std::string> &paths);

/// Checks files, several at a time; `use` gets the reports in the order of the files.
void checkFiles(const std::vector<std::string> &files, const FileCheckOptions &options,
                llvm::function_ref<void(const FileCheckReport &)> use);

} // namespace tilec

#endif // TILEC_DRIVER_FILECHECK_H
