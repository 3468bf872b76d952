// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The root of a syntax tree: the Module, which owns the arena that all nodes live in.

#ifndef TILEC_SYNTAX_AST_H
#define TILEC_SYNTAX_AST_H

#include "tilec/Syntax/Expr.h"
#include "tilec/Syntax/Stmt.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"

#include <algorithm>
#include <type_traits>

namespace tilec::ast {

/// One parsed source file. Owns its nodes; refers to the text of its SourceManager.
class Module {
public:
  explicit Module(FileId moduleFile) : file(moduleFile) {}
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  FileId file;

  /// Module-level statements that were kept, in source order. In a `.py` file host code that does
  /// not parse is absent.
  Block body;

  /// Every function of the file whose decorators make it a jit or constexpr function, those
  /// inside host functions, classes, `if` and `try` included, in source order.
  llvm::ArrayRef<FunctionDef *> deviceFunctions;

  /// The jit function of that name. Module-level ones come first, later definitions replace
  /// earlier ones; null when there is none. Names around it choose between others, as in
  /// "Class.method" and "host.kernel".
  FunctionDef *findJitFunction(llvm::StringRef name) const {
    auto [around, last] = name.rsplit('.');
    bool isPath = around.size() < name.size();
    FunctionDef *found = nullptr;
    for (FunctionDef *function : deviceFunctions) {
      if (!function->isJit || function->name != (isPath ? last : name))
        continue;
      if (isPath ? getQualifiedName(*function) == name : replaces(function, found))
        found = function;
    }
    return found;
  }
  /// The functions that findJitFunction finds, by name.
  llvm::DenseMap<llvm::StringRef, const FunctionDef *> getJitFunctions() const {
    llvm::DenseMap<llvm::StringRef, const FunctionDef *> functions;
    for (const FunctionDef *function : deviceFunctions)
      if (function->isJit) {
        const FunctionDef *&found = functions[function->name];
        if (replaces(function, found))
          found = function;
      }
    return functions;
  }

  /// Makes a node in the arena.
  template <typename T, typename... Args> T *make(Args &&...args) {
    static_assert(std::is_trivially_destructible_v<T>, "arena nodes are never destroyed");
    return new (arena.Allocate<T>()) T(std::forward<Args>(args)...);
  }

  /// Copies a list into the arena.
  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> items) {
    if (items.empty())
      return {};
    T *storage = arena.Allocate<T>(items.size());
    std::uninitialized_copy(items.begin(), items.end(), storage);
    return {storage, items.size()};
  }
  template <typename T> llvm::ArrayRef<T> copy(const llvm::SmallVectorImpl<T> &items) {
    return copy(llvm::ArrayRef<T>(items));
  }

  /// Copies text into the arena.
  llvm::StringRef copyText(llvm::StringRef text) { return text.copy(arena); }

private:
  static bool replaces(const FunctionDef *later, const FunctionDef *earlier) {
    return !earlier || !later->parent || earlier->parent;
  }

  llvm::BumpPtrAllocator arena;
};

} // namespace tilec::ast

#endif // TILEC_SYNTAX_AST_H
