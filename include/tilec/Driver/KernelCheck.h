// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compile options for a kernel of which only the source is known: plausible types and values, tried
// out on the front end until they fit together. For tools that check whole files.

#ifndef TILEC_DRIVER_KERNELCHECK_H
#define TILEC_DRIVER_KERNELCHECK_H

#include "tilec/Driver/Compiler.h"
#include "tilec/Sema/SignatureGuess.h"

namespace tilec {

/// A signature that was found for a kernel.
struct PlausibleSignature {
  std::vector<ArgumentSpec> arguments;
  std::vector<ConstantSpec> constants;
  /// Whether the front end accepts the kernel with it.
  bool isAccepted = false;
  /// How many were tried.
  unsigned numTried = 0;
  /// What was guessed of it.
  std::vector<ParamGuess> guess;
};

/// Looks for arguments and constants that the front end accepts. What `base` already gives stays as
/// it is. When nothing is accepted, the most plausible ones are returned: what is wrong with the
/// kernel shows best with them. `budgetSeconds` bounds the search; 0 is no bound. `rejected` are
/// signatures that a later stage refuses (too large for its memory, say): another one is returned.
PlausibleSignature findPlausibleSignature(mlir::MLIRContext &context, SourceManager &sources,
                                          const ast::Module &module, const KernelInfo &kernel,
                                          const CompileOptions &base, double budgetSeconds = 0,
                                          llvm::ArrayRef<PlausibleSignature> rejected = {});

/// Warnings about a kernel whose arguments are guessed: not those about the types of memory, unless
/// `given` asks for them.
WarningOptions warningsOfGuess(const WarningOptions &given);

} // namespace tilec

#endif // TILEC_DRIVER_KERNELCHECK_H
