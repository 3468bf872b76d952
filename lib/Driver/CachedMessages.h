// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages of a compilation as text for the cache, and back. Places are lines and columns of
// the one source file.

#ifndef TILEC_LIB_DRIVER_CACHEDMESSAGES_H
#define TILEC_LIB_DRIVER_CACHEDMESSAGES_H

#include "SourceMove.h"

#include "tilec/Support/Diagnostic.h"

namespace tilec {

/// The messages from number `first` on. Nothing when one is about another file or about a place
/// that `here` does not know.
std::optional<std::string> encodeMessages(const DiagnosticEngine &diagnostics, size_t first,
                                          const SourceManager &sources, FileId file,
                                          const SourceMove &here);

/// Reports what encodeMessages wrote, moved. False, with nothing reported, when that cannot be
/// done.
bool decodeMessages(llvm::StringRef text, const SourceManager &sources, FileId file,
                    const SourceMove &move, DiagnosticEngine &diagnostics);

} // namespace tilec

#endif // TILEC_LIB_DRIVER_CACHEDMESSAGES_H
