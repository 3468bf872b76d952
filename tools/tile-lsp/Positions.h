// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places as the protocol counts them (lines from 0, UTF-16 units) and as we do (bytes).

#ifndef TILEC_TOOLS_TILE_LSP_POSITIONS_H
#define TILEC_TOOLS_TILE_LSP_POSITIONS_H

#include "tilec/Support/SourceBuffer.h"

#include "llvm/Support/LSP/Protocol.h"

namespace tilec::lsp {

/// The byte offset of a position; positions behind the end of a line stand for its end.
uint32_t toOffset(const SourceBuffer &buffer, llvm::lsp::Position position);
llvm::lsp::Position toPosition(const SourceBuffer &buffer, uint32_t offset);
llvm::lsp::Range toRange(const SourceBuffer &buffer, SourceRange range);
/// Number of UTF-16 units of a piece of UTF-8 text.
unsigned countUnits(llvm::StringRef text);

} // namespace tilec::lsp

#endif // TILEC_TOOLS_TILE_LSP_POSITIONS_H
