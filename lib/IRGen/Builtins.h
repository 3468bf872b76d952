// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of operations that are implemented in C++: name, parameters, where the name is
// visible, and the function that emits or folds a call. Each Builtins*.cpp contributes one list.

#ifndef TILEC_LIB_IRGEN_BUILTINS_H
#define TILEC_LIB_IRGEN_BUILTINS_H

#include "Value.h"

#include "llvm/ADT/ArrayRef.h"

namespace tilec::irgen {

class Generator;

/// Where a builtin's name can be found.
enum BuiltinPlace : unsigned {
  /// `tl.name`
  inLanguage = 1,
  /// `tl.math.name`
  inMath = 2,
  /// `libdevice.name`
  inLibdevice = 4,
  /// `triton.name`
  inTriton = 8,
  /// A Python builtin.
  inPython = 16,
  /// Method of a tensor or scalar.
  asMethod = 32,
  /// Method of a dtype.
  asTypeMethod = 64,
  /// `tl.name` for the embedded library only.
  internal = 128,
  /// Method of a tensor descriptor.
  asDescriptorMethod = 256,
  /// `tl.extra.cuda.name`
  inExtra = 512,
  /// Method of a compile-time integer, and of a string.
  asIntMethod = 1024,
  asTextMethod = 2048,
  /// Method of a dict.
  asDictMethod = 4096,
  /// Method of a set.
  asSetMethod = 8192,
  /// `itertools.name` and `functools.name`
  inItertools = 16384,
  inFunctools = 32768,
};

/// One argument of a call after binding; `value` is poison when it was not given.
struct BoundArg {
  Value value;
  SourceRange range;
  bool given = false;

  explicit operator bool() const { return given; }
};

/// An argument by a keyword that is no parameter's.
struct KeywordValue {
  llvm::StringRef keyword;
  Value value;
  SourceRange range;
};

/// The arguments of one call in the order of the builtin's parameters.
struct BoundArgs {
  const Builtin *builtin = nullptr;
  /// The whole call.
  SourceRange range;
  llvm::SmallVector<BoundArg, 4> args;
  /// What a `*name` parameter collected.
  llvm::SmallVector<BoundArg, 0> rest;
  /// What a `**name` parameter collected.
  llvm::SmallVector<KeywordValue, 0> keywords;

  const BoundArg &operator[](unsigned index) const { return args[index]; }
  /// Whether an argument was given and is not None.
  bool has(unsigned index) const { return args[index].given && !args[index].value.isNone(); }
};

using BuiltinHandler = mlir::FailureOr<Value> (*)(Generator &, const BoundArgs &);

/// One operation. `params` lists names separated by spaces: `name` is required, `name?` optional,
/// `*name` collects the remaining positional arguments, `**name` the remaining keywords, everything
/// after `|` is by keyword only.
struct Builtin {
  llvm::StringRef name;
  llvm::StringRef params;
  unsigned places = 0;
  BuiltinHandler handler = nullptr;

  /// For messages: "tl.load", "libdevice.tanh", "len".
  std::string getDisplayName() const;
};

/// The builtin of a name in any of the places, or null.
const Builtin *findBuiltin(llvm::StringRef name, unsigned places);

/// Names visible in any of the places, in a fixed order, for suggestions.
std::vector<llvm::StringRef> getBuiltinNames(unsigned places);

// The lists, one per file.
llvm::ArrayRef<Builtin> getProgramBuiltins();
llvm::ArrayRef<Builtin> getMemoryBuiltins();
llvm::ArrayRef<Builtin> getAtomicBuiltins();
llvm::ArrayRef<Builtin> getBlockAccessBuiltins();
llvm::ArrayRef<Builtin> getDescriptorRowBuiltins();
llvm::ArrayRef<Builtin> getMatrixBuiltins();
llvm::ArrayRef<Builtin> getMathBuiltins();
llvm::ArrayRef<Builtin> getLibdeviceBuiltins();
llvm::ArrayRef<Builtin> getShapeBuiltins();
llvm::ArrayRef<Builtin> getReduceBuiltins();
llvm::ArrayRef<Builtin> getScanBuiltins();
llvm::ArrayRef<Builtin> getHintBuiltins();
llvm::ArrayRef<Builtin> getInlineBuiltins();
llvm::ArrayRef<Builtin> getExternBuiltins();
llvm::ArrayRef<Builtin> getPythonBuiltins();
llvm::ArrayRef<Builtin> getTextBuiltins();
llvm::ArrayRef<Builtin> getTypeBuiltins();
llvm::ArrayRef<Builtin> getClassBuiltins();
llvm::ArrayRef<Builtin> getCollectionBuiltins();
llvm::ArrayRef<Builtin> getIteratorBuiltins();

/// Whether one is what `type(x)` gave and the other is that class; nothing where neither is a type.
std::optional<bool> compareClasses(const Value &lhs, const Value &rhs);

} // namespace tilec::irgen

#endif // TILEC_LIB_IRGEN_BUILTINS_H
