// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the language that are implemented in C++: what emits or folds a call of each row
// of the table. Each Builtins*.cpp contributes one list.

#ifndef TILEC_LIB_IRGEN_BUILTINS_H
#define TILEC_LIB_IRGEN_BUILTINS_H

#include "Value.h"

#include "tilec/Sema/Language.h"

#include "llvm/ADT/ArrayRef.h"

namespace tilec::irgen {

class Generator;

/// One argument of a call after binding; `value` is poison when it was not given.
struct BoundArg {
  Value value;
  SourceRange range;
  bool given = false;

  explicit operator bool() const { return given; }
};

/// An argument of a call before binding; the keyword is empty for positional ones.
struct CallArg {
  llvm::StringRef keyword;
  Value value;
  SourceRange range;
};

/// The arguments of one call in the order of the builtin's parameters.
struct BoundArgs {
  const LanguageFunction *builtin = nullptr;
  /// The whole call.
  SourceRange range;
  llvm::SmallVector<BoundArg, 4> args;
  /// What a `*name` parameter collected.
  llvm::SmallVector<BoundArg, 0> rest;
  /// What a `**name` parameter collected.
  llvm::SmallVector<CallArg, 0> keywords;

  const BoundArg &operator[](unsigned index) const { return args[index]; }
  /// Whether an argument was given and is not None.
  bool has(unsigned index) const { return args[index].given && !args[index].value.isNone(); }
};

using BuiltinHandler = mlir::FailureOr<Value> (*)(Generator &, const BoundArgs &);

/// What emits or folds a call of a function of the language: the row that `name` has at `place`.
struct Handler {
  llvm::StringRef name;
  LanguagePlace place;
  BuiltinHandler handler;
};

/// The function of a name in any of the places that has a handler, or null.
const LanguageFunction *findBuiltin(llvm::StringRef name, unsigned places);

BuiltinHandler getHandler(const LanguageFunction &function);

/// Names with handlers that are visible in any of the places, in a fixed order, for suggestions.
std::vector<llvm::StringRef> getBuiltinNames(unsigned places);

// The lists, one per file.
llvm::ArrayRef<Handler> getProgramHandlers();
llvm::ArrayRef<Handler> getMemoryHandlers();
llvm::ArrayRef<Handler> getAtomicHandlers();
llvm::ArrayRef<Handler> getBlockAccessHandlers();
llvm::ArrayRef<Handler> getDescriptorRowHandlers();
llvm::ArrayRef<Handler> getMatrixHandlers();
llvm::ArrayRef<Handler> getMathHandlers();
llvm::ArrayRef<Handler> getLibdeviceHandlers();
llvm::ArrayRef<Handler> getShapeHandlers();
llvm::ArrayRef<Handler> getReduceHandlers();
llvm::ArrayRef<Handler> getScanHandlers();
llvm::ArrayRef<Handler> getHintHandlers();
llvm::ArrayRef<Handler> getInlineHandlers();
llvm::ArrayRef<Handler> getExternHandlers();
llvm::ArrayRef<Handler> getPythonHandlers();
llvm::ArrayRef<Handler> getTextHandlers();
llvm::ArrayRef<Handler> getTypeHandlers();
llvm::ArrayRef<Handler> getClassHandlers();
llvm::ArrayRef<Handler> getCollectionHandlers();
llvm::ArrayRef<Handler> getIteratorHandlers();

/// Whether one is what `type(x)` gave and the other is that class; nothing where neither is a type.
std::optional<bool> compareClasses(const Value &lhs, const Value &rhs);

} // namespace tilec::irgen

#endif // TILEC_LIB_IRGEN_BUILTINS_H
