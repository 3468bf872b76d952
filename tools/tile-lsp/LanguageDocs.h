// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an editor says about the names of the language.

#ifndef TILEC_TOOLS_TILE_LSP_LANGUAGEDOCS_H
#define TILEC_TOOLS_TILE_LSP_LANGUAGEDOCS_H

#include "tilec/Sema/Language.h"

#include <optional>

namespace tilec::lsp {

/// A name of the language in the place where a program has it.
struct Member {
  const LanguageFunction *function;
  unsigned place;

  bool isType() const { return place & asType; }
  /// "load(pointer, mask=...)"; empty for types.
  std::string getSignature() const;
};

/// The names that can stand behind a dot after a module of the language; none for other paths.
std::vector<Member> listMembers(llvm::StringRef modulePath);

/// The member of a module of the language, if there is one of that name.
std::optional<Member> findMember(llvm::StringRef modulePath, llvm::StringRef name);

/// "tl.load(pointer, mask=...)" in a code block, and what it does.
std::string describe(const Member &member);

} // namespace tilec::lsp

#endif // TILEC_TOOLS_TILE_LSP_LANGUAGEDOCS_H
