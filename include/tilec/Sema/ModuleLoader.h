// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds and parses the files that source files import. Nothing is executed: a module is its text.
// Files in memory come first, then the file system.

#ifndef TILEC_SEMA_MODULELOADER_H
#define TILEC_SEMA_MODULELOADER_H

#include "tilec/Support/Diagnostic.h"
#include "tilec/Syntax/AST.h"

#include "llvm/ADT/StringMap.h"

#include <memory>
#include <string>
#include <vector>

namespace tilec {

/// A text that imports find as if it were a file: "pkg/tools.py".
struct ModuleText {
  std::string path;
  std::string text;
};

/// Where imports are looked for, besides the package that the importing file is in.
struct ModuleSearch {
  /// Folders, searched in this order.
  std::vector<std::string> roots;
  std::vector<ModuleText> texts;
};

/// What a module's name leads to.
struct FoundModule {
  enum class Kind {
    None,
    File,
    /// A package without an `__init__.py`.
    Folder,
  };

  Kind kind = Kind::None;
  /// The file, for Kind::File.
  std::string file = {};
  /// Where its submodules are; empty when it is no package.
  std::string folder = {};

  explicit operator bool() const { return kind != Kind::None; }
};

class ModuleLoader {
public:
  explicit ModuleLoader(SourceManager &sourceManager, ModuleSearch moduleSearch = {});
  ModuleLoader(const ModuleLoader &) = delete;
  ModuleLoader &operator=(const ModuleLoader &) = delete;

  /// The module of a path as imports write it ("a.b", "..a"), in the file `importer`.
  FoundModule find(llvm::StringRef path, llvm::StringRef importer);
  /// The module of a name in a package's folder.
  FoundModule findInside(llvm::StringRef folder, llvm::StringRef name);
  /// Where the absolute import `path` of `importer` is looked for, in order.
  std::vector<std::string> getRoots(llvm::StringRef path, llvm::StringRef importer);
  /// A file that Python would take for the package `triton`, though it is not; or nothing.
  std::string findShadow(llvm::StringRef importer);

  const SourceManager &getSources() const { return sources; }

  /// A file that was read, once in the life of the loader.
  struct File {
    /// Null when it cannot be read or is no text; `problems` or `failure` says why.
    std::unique_ptr<ast::Module> tree;
    /// Syntax errors; of no interest as long as no broken function is used.
    DiagnosticEngine problems;
    std::string failure;
  };
  const File &load(llvm::StringRef path);

private:
  bool isFile(llvm::StringRef path);
  bool isFolder(llvm::StringRef path);
  /// The module of a dotted path below a folder.
  FoundModule resolve(llvm::StringRef folder, llvm::StringRef path);

  SourceManager &sources;
  ModuleSearch search;
  /// Texts by normalized path, and the folders they are in.
  llvm::StringMap<const ModuleText *> texts;
  llvm::StringMap<char> textFolders;
  llvm::StringMap<bool> knownFiles;
  llvm::StringMap<FoundModule> found;
  llvm::StringMap<std::unique_ptr<File>> files;
};

} // namespace tilec

#endif // TILEC_SEMA_MODULELOADER_H
