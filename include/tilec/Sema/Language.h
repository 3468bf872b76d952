// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of the language: every function that kernels can call, with its parameters, the
// places of its name and a sentence. The rows are text in lib/Sema/language, which the generator of
// the Python package reads, too; what emits code for them is attached in lib/IRGen.

#ifndef TILEC_SEMA_LANGUAGE_H
#define TILEC_SEMA_LANGUAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tilec {

/// Where a name can be found.
enum LanguagePlace : unsigned {
  /// `tl.name`
  inLanguage = 1 << 0,
  /// `tl.math.name`
  inMath = 1 << 1,
  /// `libdevice.name`
  inLibdevice = 1 << 2,
  /// `triton.name` in kernels, and what stands outside of them
  inTriton = 1 << 3,
  asDecorator = 1 << 4,
  /// `tl.extra.cuda.name`
  inExtra = 1 << 5,
  /// A Python builtin.
  inPython = 1 << 6,
  /// `itertools.name` and `functools.name`
  inItertools = 1 << 7,
  inFunctools = 1 << 8,
  /// `tl.name` for the embedded library only.
  inLibrary = 1 << 9,
  /// A type, `tl.name`: no function.
  asType = 1 << 10,
  /// Method of a tensor or scalar, of a tensor descriptor, of a dtype.
  asMethod = 1 << 11,
  asDescriptorMethod = 1 << 12,
  asTypeMethod = 1 << 13,
  /// Method of a compile-time integer, string, dict, set.
  asIntMethod = 1 << 14,
  asTextMethod = 1 << 15,
  asDictMethod = 1 << 16,
  asSetMethod = 1 << 17,
};

/// What an argument is, as far as the type in the table says: what a parameter of a kernel that is
/// handed on as such an argument is used for.
enum class ParamRole { Other, Pointer, Mask, Index, Extent, Type, Real };

struct LanguageParam {
  llvm::StringRef name;
  ParamRole role = ParamRole::Other;
  bool optional = false;
  /// `*name`: collects positional arguments.
  bool variadic = false;
  /// `**name`: collects keywords that no parameter has.
  bool anyKeyword = false;
  bool keywordOnly = false;
};

/// A row of the table.
struct LanguageFunction {
  llvm::StringRef name;
  unsigned places = 0;
  std::vector<LanguageParam> params;
  std::string sentence;

  /// For messages: "tl.load", "libdevice.tanh", "len".
  std::string getDisplayName() const;
  /// "load(pointer, mask=..., other=...)"; of a method without what it is called on.
  std::string getSignature(bool isMethod) const;
  /// The parameter that takes a keyword, or null.
  const LanguageParam *findParam(llvm::StringRef keyword) const;
};

/// "tl." and the like: what stands before names of a place, the first one of several.
llvm::StringRef getPlacePrefix(unsigned places);

/// All rows, those of tl first, then libdevice, then Python.
llvm::ArrayRef<LanguageFunction> getLanguage();

/// The first row of a name in any of the places, or null.
const LanguageFunction *findLanguageFunction(llvm::StringRef name, unsigned places);

} // namespace tilec

#endif // TILEC_SEMA_LANGUAGE_H
