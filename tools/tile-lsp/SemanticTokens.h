// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the names of kernels are, for colours: parameters, compile-time values, operations of the
// language. Keywords, numbers and strings are left to the editor's grammar of Python.

#ifndef TILEC_TOOLS_TILE_LSP_SEMANTICTOKENS_H
#define TILEC_TOOLS_TILE_LSP_SEMANTICTOKENS_H

#include "DocumentAnalysis.h"

#include "llvm/Support/JSON.h"

namespace tilec::lsp {

/// The legend: names of types and modifiers, in the order of their numbers.
llvm::json::Object semanticTokensLegend();

/// The tokens in the protocol's encoding: five numbers each, relative to the token before.
std::vector<unsigned> encodeSemanticTokens(const DocumentAnalysis &analysis);

} // namespace tilec::lsp

#endif // TILEC_TOOLS_TILE_LSP_SEMANTICTOKENS_H
