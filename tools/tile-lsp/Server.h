// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The language server: the protocol's requests, and the open files with a thread that analyses
// them. Typing is waited for before an analysis begins, and an analysis whose text has changed is
// given up.

#ifndef TILEC_TOOLS_TILE_LSP_SERVER_H
#define TILEC_TOOLS_TILE_LSP_SERVER_H

#include "DocumentAnalysis.h"

#include "llvm/Support/LSP/Transport.h"

namespace tilec::lsp {

struct ServerOptions {
  Settings settings;
  /// How long the text must have rested.
  unsigned debounceMilliseconds = 200;
};

/// Serves until the client says 'exit' or is gone; the exit code of the process.
int runServer(llvm::lsp::JSONTransport &transport, const ServerOptions &options);

} // namespace tilec::lsp

#endif // TILEC_TOOLS_TILE_LSP_SERVER_H
