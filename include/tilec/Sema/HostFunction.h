// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that somebody takes for kernels: of the host, or of another language.

#ifndef TILEC_SEMA_HOSTFUNCTION_H
#define TILEC_SEMA_HOSTFUNCTION_H

#include "tilec/Support/Diagnostic.h"
#include "tilec/Syntax/AST.h"

namespace tilec {

/// Says why the function of that name is no kernel. Without a name it is about the first function
/// that is a kernel in another language. False when there is none; then nothing is said.
bool reportHostFunction(const ast::Module &module, llvm::StringRef name,
                        DiagnosticEngine &diagnostics);

} // namespace tilec

#endif // TILEC_SEMA_HOSTFUNCTION_H
