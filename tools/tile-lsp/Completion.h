// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names that may stand at a place.

#ifndef TILEC_TOOLS_TILE_LSP_COMPLETION_H
#define TILEC_TOOLS_TILE_LSP_COMPLETION_H

#include "DocumentAnalysis.h"

#include "llvm/Support/LSP/Protocol.h"

namespace tilec::lsp {

/// What the name that ends at an offset may become. The analysis may be of an older text.
llvm::lsp::CompletionList completeAt(const DocumentAnalysis &analysis, llvm::StringRef text,
                                     uint32_t offset);

} // namespace tilec::lsp

#endif // TILEC_TOOLS_TILE_LSP_COMPLETION_H
