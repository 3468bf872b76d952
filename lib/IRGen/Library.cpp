// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The embedded library: its text comes from library/*.tile by way of a generated header.

#include "SourceModule.h"

#include "tilec/Syntax/Parser.h"

namespace tilec::irgen {
namespace {

constexpr char standardText[] =
#include "StandardLibrary.inc"
    ;

/// Buffers, tree and names of the library. Immutable once made.
struct Library {
  SourceManager sources;
  DiagnosticEngine diagnostics;
  std::unique_ptr<ast::Module> tree;
  std::unique_ptr<SourceModule> module;

  Library() {
    llvm::Expected<FileId> file = sources.addBuffer("standard.tile", standardText);
    if (file)
      tree = parseModule(sources, *file, diagnostics);
    else
      llvm::consumeError(file.takeError());
    if (!tree)
      tree = std::make_unique<ast::Module>(FileId(0));
    module = std::make_unique<SourceModule>(*tree, /*file=*/"", /*library=*/true);
  }
};

} // namespace

const SourceModule &getLibraryModule() {
  static const Library library;
  return *library.module;
}

} // namespace tilec::irgen
