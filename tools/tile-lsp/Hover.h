// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an editor shows for the name under the pointer.

#ifndef TILEC_TOOLS_TILE_LSP_HOVER_H
#define TILEC_TOOLS_TILE_LSP_HOVER_H

#include "DocumentAnalysis.h"

namespace tilec::lsp {

/// What to say about the name at an offset: its type or value, and its layout.
std::optional<std::pair<SourceRange, std::string>> describeAt(const DocumentAnalysis &analysis,
                                                              uint32_t offset);

} // namespace tilec::lsp

#endif // TILEC_TOOLS_TILE_LSP_HOVER_H
