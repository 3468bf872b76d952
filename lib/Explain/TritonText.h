// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triton's modules, whose operations we do not have, as text: what their locations and the
// signature of the kernel say is read without parsing the rest.

#ifndef TILEC_LIB_EXPLAIN_TRITONTEXT_H
#define TILEC_LIB_EXPLAIN_TRITONTEXT_H

#include "LineTable.h"

#include "tilec/Explain/Triton.h"

namespace tilec::explain {

/// The stage "ttir" or "ttgir". The line with which an operation with regions begins has the place
/// that is written behind its end.
StageText textOfTriton(llvm::StringRef text, llvm::StringRef name, LineTable &lines);

/// The parameters of a kernel; nothing where the text has no such kernel.
std::optional<std::vector<TritonKernel::Parameter>> parametersOf(llvm::StringRef text,
                                                                 llvm::StringRef kernel);

} // namespace tilec::explain

#endif // TILEC_LIB_EXPLAIN_TRITONTEXT_H
