// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an editor says about the names of the language.

#ifndef TILEC_TOOLS_TILE_LSP_LANGUAGEDOCS_H
#define TILEC_TOOLS_TILE_LSP_LANGUAGEDOCS_H

#include "tilec/IRGen/LanguageNames.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tilec::lsp {

/// One or two sentences about an operation or type; empty when there are none.
llvm::StringRef findDocumentation(const LanguageName &name);

/// The names that can stand behind a dot after a module of the language; none for other paths.
std::vector<LanguageName> listMembers(llvm::StringRef modulePath);

/// The member of a module of the language, if there is one of that name.
std::optional<LanguageName> findMember(llvm::StringRef modulePath, llvm::StringRef name);

/// "tl.load(pointer, mask=...)" in a code block, and its documentation.
std::string describe(const LanguageName &name);

} // namespace tilec::lsp

#endif // TILEC_TOOLS_TILE_LSP_LANGUAGEDOCS_H
